import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeMarkdown, plainText } from '../../../src/bulk/reports/escape.js';
import { outcomeOf } from '../../support/journal.js';
import { DIFFERS, reportOf, runOf } from '../../support/report.js';

describe('the markdown report', () => {
	it('is a summary for a CI job: counts, the rows that need a look, and what to do next', async () => {
		const text = await reportOf('markdown');
		expect(text).toContain(
			'| ok | 2 |\n| differs | 1 |\n| failed | 1 |\n| invalid | 1 |\n| unknown | 1 |\n| skipped | 1 |\n| not-sent | 2 |',
		);
		expect(text).toContain('`supportctl run resume 20261121-074512-k3f9x`');
		expect(text).toContain('`supportctl run rejects 20261121-074512-k3f9x --format csv`');
		const row = text.split('\n').find((line) => line.startsWith('| 2 |')) as string;
		expect(row).not.toMatch(/[<@\u001b]/);
		expect(row.replace(/\\./g, '').split('|')).toHaveLength(7);
		const named = text.split('\n').filter((line) => /^\| \d+ \| \d+ \|/.test(line));
		expect(named.map((line) => line.split(' | ')[3])).toEqual(['failed', 'unknown', 'invalid', 'differs']);
		expect(named[3]).toBe(
			'| 7 | 8 | ticket 7 | differs | another value: status \\(HTTP 200\\); status is "read", not "hold" |',
		);
	});

	it('names what failed before what only differs', async () => {
		const differs = [{ field: 'status', sent: 'hold', shown: 'read' }];
		const outcomes = Array.from({ length: 60 }, (_, at) => outcomeOf(at + 1, { ...DIFFERS, differs }));
		const failed = outcomeOf(61, { outcome: 'failed', code: 'differs', message: 'no', differs });
		const text = await reportOf('markdown', await runOf([...outcomes, failed]));
		const named = text.split('\n').filter((line) => /^\| \d+ \| \d+ \|/.test(line));
		expect([named.length, named[0]]).toEqual([
			50,
			'| 61 | 62 | ticket 61 | failed | no (HTTP 200); status is "read", not "hold" |'.replace(/[()]/g, '\\$&'),
		]);
		expect(text).toContain('… and 11 more: `supportctl run show 20261121-074512-k3f9x --outcome differs,failed`');
	});

	it('names at most fifty rows and stays below what a summary may hold', async () => {
		const failed = { outcome: 'failed', status: 500, message: 'x|'.repeat(20_000) } as const;
		const outcomes = Array.from({ length: 1000 }, (_, at) => outcomeOf(at + 1, failed));
		const text = await reportOf('markdown', await runOf(outcomes));
		expect(text.length).toBeLessThan(60_000);
		expect(text).toContain('… and 950 more: `supportctl run show');
	});

	it('lets no text become markup or a new cell', () => {
		fc.assert(
			fc.property(
				fc.string({ unit: fc.constantFrom(...'\\`*_{}[]()#+-!|~<>&@\r\n\u001b aé'), maxLength: 300 }),
				(text) => {
					const escaped = escapeMarkdown(plainText(text, 300)).replace(/\\[\\`*_{}[\]()#+!|~>]/g, '');
					expect(escaped).not.toMatch(/[`*_|<>@[\]\n\r\u001b]/);
				},
			),
		);
	});
});
