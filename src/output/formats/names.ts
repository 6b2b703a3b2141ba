/** The output formats by name. */

export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'ids', 'count'] as const;

export type Format = (typeof formats)[number];
