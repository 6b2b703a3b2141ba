import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	complaintAnnotation,
	formatAnnotation,
	inputErrorAnnotation,
	outcomeAnnotation,
} from '../../src/bulk/reports/annotations.js';
import type { Outcome } from '../../src/http/outcome.js';
import { outcomeOf } from '../support/journal.js';

describe('annotations', () => {
	it('name file and line, and nothing in their texts can end them', () => {
		expect(
			formatAnnotation({
				level: 'error',
				file: 'a,b:c%.csv',
				line: 813,
				title: 'row 1: x\n',
				message: '50%\r\n::error::y',
			}),
		).toBe('::error file=a%2Cb%3Ac%25.csv,line=813,title=row 1%3A x%0A::50%25%0D%0A::error::y');
		const text = fc.string({ unit: fc.constantFrom(...'\r\n%:,=0DA23 aé\u2028') });
		fc.assert(
			fc.property(text, text, (file, message) => {
				const line = formatAnnotation({ level: 'warning', file, title: message, message });
				const parts = /^::warning file=([^,:\r\n]*),title=([^,:\r\n]*)::([^\r\n]*)$/.exec(line)?.slice(1);
				expect(parts?.map((part) => part.replace(/%(25|0D|0A|3A|2C)/g, decodeURIComponent))).toEqual([
					file,
					message,
					message,
				]);
			}),
		);
	});

	it('are made for rows that did not go well', () => {
		const annotation = (outcome: Partial<Outcome>) => outcomeAnnotation(outcomeOf(4, outcome), 'edits.csv');
		expect(annotation({})).toBeUndefined();
		expect(annotation({ outcome: 'skipped' })).toBeUndefined();
		expect(annotation({ outcome: 'failed', message: 'no' })).toBe(
			'::error file=edits.csv,line=5,title=row 4%3A failed::no',
		);
		expect(annotation({ outcome: 'unknown' })).toBe('::warning file=edits.csv,line=5,title=row 4%3A unknown::unknown');
		expect(outcomeAnnotation(outcomeOf(4, { outcome: 'failed', message: 'no' }), undefined)).toBe(
			'::error title=row 4%3A failed::no',
		);
	});

	it('are made for what is wrong with the input, at its line', () => {
		const complaint = { row: 3, line: 4, column: 'id', message: 'id "x" is not an id' };
		expect(complaintAnnotation(complaint, 'edits.csv')).toBe(
			'::error file=edits.csv,line=4,title=row 3 is invalid::id "x" is not an id',
		);
		expect(complaintAnnotation({ ...complaint, line: undefined }, 'edits.csv')).toBe(
			'::error file=edits.csv,title=row 3 is invalid::id "x" is not an id',
		);
		expect(inputErrorAnnotation({ message: 'no', data: { line: 1 } }, 'edits.csv')).toBe(
			'::error file=edits.csv,line=1,title=the input is invalid::no',
		);
		expect(inputErrorAnnotation({ message: 'no', data: {} }, 'edits.csv')).toBeUndefined();
	});
});
