/** How much is taken from the service; by itself, so that judging an answer does not load what fetches one. */

/** The largest answer that is read unless told otherwise, in bytes. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
