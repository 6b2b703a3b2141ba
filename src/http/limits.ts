/** How much is asked and taken of the service; by itself, so that neither judging an answer nor help loads what fetches one. */

/** The largest answer that is read unless told otherwise, in bytes. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** How often a request is sent again unless told otherwise. */
export const DEFAULT_RETRIES = 4;

/** How many requests are under way at a time unless told otherwise. */
export const DEFAULT_CONCURRENCY = 4;
