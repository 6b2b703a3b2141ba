/** json and ndjson: the rows whole, as an array that streams or as one line each. */

import { paintJson } from '../paint.js';
import { escapeJson } from '../sanitise.js';
import { type Encoder, type EncoderOptions, pick } from './encoder.js';

function jsonText(value: unknown, indent?: number): string {
	return escapeJson(JSON.stringify(value, null, indent) ?? 'null');
}

/** One value a line. */
export function createNdjson(options: EncoderOptions): Encoder {
	if (options.chosen) return { row: (row) => `${jsonText(pick(options, row))}\n`, end: () => '' };
	return { row: (row) => `${jsonText(row)}\n`, end: () => '' };
}

/** One array, or one value where there is one only: indented for a person, a line a row for programs. */
export function createJson(options: EncoderOptions): Encoder {
	const text = (row: unknown): string => {
		const value = pick(options, row);
		return options.isTTY ? paintJson(jsonText(value, 2), options.palette) : jsonText(value);
	};
	if (options.single) return { row: (row) => `${text(row)}\n`, end: () => '' };
	let started = false;
	return {
		row(row) {
			const before = started ? ',\n' : '[\n';
			started = true;
			return before + (options.isTTY ? text(row).replace(/^/gm, '  ') : text(row));
		},
		end: () => (started ? '\n]\n' : '[]\n'),
	};
}
