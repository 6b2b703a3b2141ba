/** The output formats, and what each is for; how each is written is in render.ts. */

import { UsageError } from '../errors.js';

interface FormatFacts {
	/** How an export of a list has its values, for an update to read back; undefined if nothing reads it back. */
	readonly exports: 'cells' | 'values' | undefined;
	/** Of each object: the columns that people look at, all that is known, or one thing. */
	readonly prints: 'columns' | 'everything' | 'id' | 'count';
	/** Errors, warnings and summaries are JSON too. */
	readonly isJson: boolean;
	readonly takesBom: boolean;
	/** Whether a program that reads the rows can tell the service's error from one. */
	readonly showsErrors: boolean;
}

/** A member that lacks a column, or its encoder, does not compile. */
export const formats = {
	table: { exports: undefined, prints: 'columns', isJson: false, takesBom: false, showsErrors: true },
	json: { exports: 'values', prints: 'everything', isJson: true, takesBom: false, showsErrors: true },
	ndjson: { exports: 'values', prints: 'everything', isJson: true, takesBom: false, showsErrors: true },
	csv: { exports: 'cells', prints: 'everything', isJson: false, takesBom: true, showsErrors: false },
	tsv: { exports: 'cells', prints: 'everything', isJson: false, takesBom: true, showsErrors: false },
	yaml: { exports: undefined, prints: 'everything', isJson: false, takesBom: false, showsErrors: true },
	ids: { exports: undefined, prints: 'id', isJson: false, takesBom: false, showsErrors: false },
	count: { exports: undefined, prints: 'count', isJson: false, takesBom: false, showsErrors: false },
} as const satisfies Record<string, FormatFacts>;

export type Format = keyof typeof formats;

export const formatNames = Object.keys(formats) as Format[];

export function isFormat(name: string): name is Format {
	return Object.hasOwn(formats, name);
}

/** @param name from a profile's file, which may say anything @throws UsageError */
export function parseFormat(name: string): Format {
	if (isFormat(name)) return name;
	const message = `${JSON.stringify(name)} is not an output format; use ${formatNames.join(', ')}`;
	throw new UsageError(message, { code: 'unknown_format' });
}

/** @param format undefined for the one that a command has for people */
export function factsOf(format: Format | undefined): FormatFacts {
	return formats[format ?? 'table'];
}
