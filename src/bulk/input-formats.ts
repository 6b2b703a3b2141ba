/** The formats that rows are read from; by themselves, so that help does not load what reads them. */

export const inputFormats = ['csv', 'tsv', 'ndjson', 'ids'] as const;

export type InputFormat = (typeof inputFormats)[number];
