/** ids, count and `--field`: one bare value a line, or one number. */

import { UsageError } from '../../errors.js';
import { cellText, type Row } from '../columns.js';
import { sanitise } from '../sanitise.js';
import type { Encoder, EncoderOptions } from './encoder.js';

/** The id of each row, ready to be the next command's input. */
export function createIds(options: EncoderOptions): Encoder {
	const idOf = options.idOf ?? ((row: Row) => row.id);
	let count = 0;
	return {
		row(row) {
			count++;
			const isObject = typeof row === 'object' && row !== null;
			const id = isObject ? (options.chosen ? options.columns?.[0]?.get(row as Row) : idOf(row as Row)) : row;
			const text = cellText(id);
			// A look-up that failed has found no id, and has been complained of elsewhere.
			if (text === '' && isObject && Object.hasOwn(row, 'outcome') && (row as Row).outcome !== 'ok') return '';
			if (text === '') {
				throw new UsageError(`result ${count} has no id to print`, {
					code: 'no_id',
					hint: 'Choose the value yourself: --field NAME, or --query with --format ids',
				});
			}
			return `${sanitise(text)}\n`;
		},
		end: () => '',
	};
}

/** How many rows there were. */
export function createCount(): Encoder {
	let count = 0;
	return {
		row() {
			count++;
			return '';
		},
		end: () => `${count}\n`,
	};
}

/** One value of each row; a line break inside a value is shown, so that lines and rows stay in step. */
export function createField(get: (row: Row) => unknown): Encoder {
	return {
		row: (row) => `${sanitise(cellText(typeof row === 'object' && row !== null ? get(row as Row) : row))}\n`,
		end: () => '',
	};
}
