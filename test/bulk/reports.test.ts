import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCounts } from '../../src/bulk/journal/counts.js';
import { scanJournal } from '../../src/bulk/journal/read.js';
import { escapeMarkdown, escapeXml, type ReportFacts } from '../../src/bulk/reports/formats.js';
import { parseReport, type ReportFormat, reportFormats, writeReports } from '../../src/bulk/reports/write.js';
import type { ExitCode } from '../../src/errors.js';
import type { RowOutcome } from '../../src/http/outcome.js';
import { headerOf, outcomeOf, startJournal } from '../support/journal.js';
import { temporaryFolder } from '../support/temporary.js';
import { elementsOf, readXml } from '../support/xml.js';

const HOSTILE = 'no <b>&"\u0000\u001b[2J]]> |pipe| `code` @everyone\r\n::error::x \ud800 *é* [x](y)';

const DIFFERS = { outcome: 'differs', code: 'differs', message: 'another value: status' } as const;

/** The facts of a run with these outcomes. */
async function runOf(
	outcomes: readonly RowOutcome[],
	rows = outcomes.length,
	exit: ExitCode = 3,
): Promise<ReportFacts> {
	const journal = startJournal(temporaryFolder(), rows);
	for (const each of outcomes) void journal.outcome(each);
	journal.close();
	const { counts } = await scanJournal(journal.path);
	const ended = '2026-11-21T08:00:00.000Z';
	return { header: headerOf(rows), journals: [journal.path], counts, exit, ended, ms: 1234 };
}

/** A run with some of everything: an `unknown` that a resume settled, and rows that were never reached. */
async function exampleRun(): Promise<ReportFacts> {
	const refused = { status: 400, code: 'rest_invalid_param', reasons: { status: 'is <not> one of …' } };
	const lost = { outcome: 'unknown', status: undefined, code: 'timeout' } as const;
	const facts = await runOf(
		[
			outcomeOf(1),
			outcomeOf(2, { outcome: 'failed', message: HOSTILE, ...refused }),
			outcomeOf(3, lost),
			outcomeOf(4, { ...lost, message: 'no response' }),
			outcomeOf(5, { outcome: 'skipped', status: undefined, code: 'unchanged' }),
			outcomeOf(6, { outcome: 'invalid', status: undefined, message: 'id is missing', ids: {} }),
			outcomeOf(7, { ...DIFFERS, differs: [{ field: 'status', sent: 'hold', shown: 'read' }] }),
			outcomeOf(3),
		],
		9,
	);
	facts.counts['not-sent'] = 2;
	return facts;
}

async function reportOf(format: ReportFormat, facts?: ReportFacts): Promise<string> {
	const example = facts ?? (await exampleRun());
	const path = join(temporaryFolder(), 'report');
	await writeReports([{ format, path }], example, '.');
	return readFileSync(path, 'utf8');
}

describe('the JUnit report', () => {
	it('shows failed rows as failed tests, skipped as skipped, unknown ones and those never reached as errors, and says what differs', async () => {
		const xml = await reportOf('junit');
		expect(xml).toContain('tests="8" failures="3" errors="2" skipped="1" time="1.234"');
		const cases = [...xml.matchAll(/<testcase [^>]*name="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs)].map(
			([, name, inside]) => [name, /<(\w+)/.exec(inside ?? '')?.[1]],
		);
		expect(cases).toEqual([
			['row 1: id 1', undefined],
			['row 2: id 2', 'failure'],
			['row 3: id 3', undefined],
			['row 4: id 4', 'error'],
			['row 5: id 5', 'skipped'],
			['row 6: ', 'failure'],
			['row 7: id 7', 'failure'],
			['rows that were not reached', 'error'],
		]);
		expect(xml).toContain('type="differs">status is &quot;read&quot;, not &quot;hold&quot;</failure></testcase>');
		expect(xml).toContain('file="edits.csv" line="3"');
		expect(xml).toContain('2 rows were not reached; supportctl run resume 20261121-074512-k3f9x sends them');
	});

	it('is well-formed XML that holds what the service said', async () => {
		const cases = elementsOf(readXml(await reportOf('junit')), 'testcase');
		expect(cases).toHaveLength(8);
		const shown = cases[1]?.children[0]?.attributes.message;
		expect(shown).toContain('no <b>&"');
		expect(shown).toContain(']]> |pipe| `code` @everyone\r\n::error::x');
	});

	it('holds any text as it is, but for characters that XML can not hold (property)', () => {
		const storable = (text: string): string =>
			text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (text) => {
				const { attributes } = readXml(`<a b="${escapeXml(text)}"/>`);
				expect(attributes.b).toBe(storable(text));
			}),
			{ examples: [[HOSTILE], ['\uffff\u0000\u0085\u2028']] },
		);
	});
});

describe('the JSON report', () => {
	it('holds the run, the last outcome of each row, and how many were not reached', async () => {
		const report = JSON.parse(await reportOf('json'));
		expect(report).toMatchObject({
			run: headerOf(0).id,
			command: 'ticket update',
			service: 'https://desk.example',
			profile: 'desk',
			exit: 3,
			counts: { ok: 2, failed: 1, unknown: 1, invalid: 1, skipped: 1, 'not-sent': 2, differs: 1 },
			not_reached: 2,
		});
		expect(report.rows.map((each: Record<string, unknown>) => [each.row, each.id, each.outcome])).toEqual([
			[1, '1', 'ok'],
			[2, '2', 'failed'],
			[3, '3', 'ok'],
			[4, '4', 'unknown'],
			[5, '5', 'skipped'],
			[6, undefined, 'invalid'],
			[7, '7', 'differs'],
		]);
		expect(report.rows[6].differs).toEqual([{ field: 'status', sent: 'hold', shown: 'read' }]);
	});
});

describe('the CSV report', () => {
	it('has a line for each row, with its cells as they are, and one for all that were not reached', async () => {
		const records = parse(await reportOf('csv'), { columns: true }) as unknown as Record<string, string>[];
		expect(records).toHaveLength(8);
		expect(records[7]).toEqual({
			row: '',
			line: '',
			id: '',
			outcome: 'not-sent',
			status: '',
			code: 'not_reached',
			message: '2 rows were not reached; supportctl run resume 20261121-074512-k3f9x sends them',
			attempts: '',
			ms: '',
			differs: '',
		});
		expect(records[1]).toMatchObject({
			row: '2',
			line: '3',
			id: '2',
			outcome: 'failed',
			status: '400',
			message: `${HOSTILE.replace('\ud800', '\ufffd')} (status: is <not> one of …)`,
		});
	});

	it('has the ids of every row, also where the first could not be read', async () => {
		const unread = outcomeOf(1, { outcome: 'invalid', status: undefined, message: 'id is missing', ids: {} });
		const text = await reportOf('csv', await runOf([unread, outcomeOf(2)]));
		const rows = parse(text, { columns: true }) as unknown as Record<string, string>[];
		expect(rows.map(({ row, id, outcome }) => [row, id, outcome])).toEqual([
			['1', '', 'invalid'],
			['2', '2', 'ok'],
		]);
	});

	it('has its header also where the run reached no row', async () => {
		const text = await reportOf('csv', await runOf([], 2, 1));
		expect(text).toBe('row,line,outcome,status,code,message,attempts,ms,differs\n');
	});
});

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
		const named = text.split('\n').filter((line) => /^\| \d+ \|/.test(line));
		expect(named.map((line) => line.split(' | ')[3])).toEqual(['failed', 'unknown', 'invalid', 'differs']);
		expect(named[3]).toBe(
			'| 7 | 8 | id 7 | differs | another value: status \\(HTTP 200\\); status is "read", not "hold" |',
		);
	});

	it.each([
		[0, 0, 'all rows went through'],
		[6, 1, 'done, but 1 row differs from what was sent'],
		[6, 2, 'done, but 2 rows differ from what was sent'],
		[3, 2, 'exit code 3'],
	] as const)('at exit code %i and with %i rows that differ its title is %s', async (exit, differs, title) => {
		const example = await exampleRun();
		const text = await reportOf('markdown', { ...example, exit, counts: { ...example.counts, differs } });
		expect(text.split('\n')[0]).toBe(`## supportctl ticket update: ${title}`);
	});

	it('names what failed before what only differs', async () => {
		const differs = [{ field: 'status', sent: 'hold', shown: 'read' }];
		const outcomes = Array.from({ length: 60 }, (_, at) => outcomeOf(at + 1, { ...DIFFERS, differs }));
		const failed = outcomeOf(61, { outcome: 'failed', code: 'differs', message: 'no', differs });
		const text = await reportOf('markdown', await runOf([...outcomes, failed]));
		const named = text.split('\n').filter((line) => /^\| \d+ \|/.test(line));
		expect([named.length, named[0]]).toEqual([
			50,
			'| 61 | 62 | id 61 | failed | no (HTTP 200); status is "read", not "hold" |'.replace(/[()]/g, '\\$&'),
		]);
		expect(text).toContain('… and 11 more.');
	});

	it('names at most fifty rows and stays below what a summary may hold', async () => {
		const failed = { outcome: 'failed', status: 500, message: 'x|'.repeat(20_000) } as const;
		const outcomes = Array.from({ length: 1000 }, (_, at) => outcomeOf(at + 1, failed));
		const text = await reportOf('markdown', await runOf(outcomes));
		expect(text.length).toBeLessThan(100_000);
		expect(text).toContain('… and 950 more.');
	});

	it('lets no text become markup or a new cell', () => {
		fc.assert(
			fc.property(
				fc.string({ unit: fc.constantFrom(...'\\`*_{}[]()#+-!|~<>&@\r\n\u001b aé'), maxLength: 300 }),
				(text) => {
					const escaped = escapeMarkdown(text).replace(/\\[\\`*_{}[\]()#+!|~>]/g, '');
					expect(escaped).not.toMatch(/[`*_|<>@[\]\n\r\u001b]/);
				},
			),
		);
	});
});

describe('writeReports', () => {
	it('replaces the file at once, or leaves it as it was', async () => {
		const facts = await exampleRun();
		const folder = temporaryFolder();
		const path = join(folder, 'report.json');
		writeFileSync(path, 'old');
		await writeReports([{ format: 'json', path: 'report.json' }], facts, folder);
		expect(JSON.parse(readFileSync(path, 'utf8')).run).toBe(facts.header.id);
		writeFileSync(path, 'old');
		const gone = { ...facts, journals: [join(folder, 'gone')] };
		await expect(writeReports([{ format: 'json', path }], gone, '.')).rejects.toMatchObject({
			name: 'FailedError',
			code: 'report_failed',
		});
		expect(readFileSync(path, 'utf8')).toBe('old');
		await expect(writeReports([{ format: 'json', path: join(folder, 'none/x') }], facts, '.')).rejects.toMatchObject({
			code: 'report_failed',
		});
		expect(readdirSync(folder)).toEqual(['report.json']);
	});

	it('writes to a device without replacing it', async () => {
		await writeReports([{ format: 'csv', path: '/dev/null' }], await exampleRun(), '.');
		expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
	});

	it('can be empty in every format', async () => {
		const facts = await runOf([], 1, 0);
		for (const format of reportFormats) expect(await reportOf(format, facts)).not.toBe('');
		expect(JSON.parse(await reportOf('json', facts))).toMatchObject({ rows: [], not_reached: 0 });
	});
});

describe('the HTML report', () => {
	/** The page without its style and script, read by a parser that accepts only well-formed documents. */
	const readPage = (text: string) => readXml(text.replace(/<(style|script)>.*?<\/\1>/gs, ''));
	const textOf = (page: string): string => page.replace(/<(style|script)>.*?<\/\1>/gs, '').replace(/<[^>]*>/g, ' ');

	it('has counts, reasons, next steps and rows, those that did not go well first', async () => {
		const page = await reportOf('html');
		const text = textOf(page);
		for (const part of ['exit code 3', 'is &lt;not&gt; one of', '2 rows were not reached', 'run resume', 'status is']) {
			expect(text).toContain(part);
		}
		const rows = elementsOf(readPage(page), 'tr').filter(({ attributes }) => 'data-outcome' in attributes);
		expect(rows.map(({ attributes }) => attributes['data-outcome'])).toEqual([
			'failed',
			'unknown',
			'invalid',
			'differs',
			'ok',
			'ok',
			'skipped',
		]);
	});

	it('loads nothing, and holds no markup that the service chose', async () => {
		const folder = temporaryFolder();
		const journal = startJournal(folder, 2, undefined, {
			source: { from: 'file', path: '/x', name: '"><script>alert(1)</script>.csv' },
		});
		for (const row of [1, 2]) {
			const message = `</td></table></script><script>alert(1)</script><img src=x onerror=alert(1)> ${HOSTILE}`;
			await journal.outcome(
				outcomeOf(row, { outcome: 'failed', status: 500, message, ids: { id: `${row}"><b onclick='x'>` } }),
			);
		}
		journal.close();
		const page = await reportOf('html', {
			...(await exampleRun()),
			header: journal.header,
			journals: [journal.path],
			counts: { ...createCounts(), failed: 2 },
		});
		const root = readPage(page);
		const allowed =
			'html head meta title body h1 h2 p span ul li b code table thead tbody tr th td form input select option output button';
		const names = new Set(page.match(/<\w+/g)?.map((each) => each.slice(1)));
		expect([...names].filter((name) => !`${allowed} style script`.split(' ').includes(name))).toEqual([]);
		expect(page.match(/<script/g)).toHaveLength(1);
		const tags = page.match(/<[a-z][^>]*>/gi)?.join('') ?? '';
		expect(tags).not.toMatch(/\s(?:src|href|on\w+)=/i);
		expect(page).not.toMatch(/@import|url\(/i);
		const [policy] = elementsOf(root, 'meta').filter(({ attributes }) => 'http-equiv' in attributes);
		expect(policy?.attributes.content).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-/);
	});

	it('lists at most 5,000 rows and 100 reasons, those that failed first, and says how many more there are', async () => {
		const letters = 'abcdefghijklmnopqrstuvwxyz';
		const outcomes = Array.from({ length: 5200 }, (_, at) => {
			const message = `Sorry, ${letters[at % 26]}${letters[Math.floor(at / 26) % 26]}.`;
			const failed = { outcome: 'failed', status: undefined, code: undefined, message } as const;
			return outcomeOf(at + 1, at < 130 ? failed : { ids: {} });
		});
		const page = await reportOf('html', await runOf(outcomes));
		const text = textOf(page);
		expect(text).toContain('30 rows have other reasons.');
		expect(text).toContain('The first 5000 of 5200 rows; --report csv:FILE has all of them.');
		const rows = elementsOf(readPage(page), 'tr').filter(({ attributes }) => 'data-outcome' in attributes);
		expect(rows).toHaveLength(5000);
		expect(rows.filter(({ attributes }) => attributes['data-outcome'] === 'failed')).toHaveLength(130);
	});

	it('draws rows a second over time with refusals and retries, from the ticks of the journal', async () => {
		const folder = temporaryFolder();
		const journal = startJournal(folder, 40);
		const at = Date.parse('2026-11-21T08:00:00Z');
		for (let second = 1; second <= 10; second++) {
			const isBusy = second === 5;
			await journal.record({
				type: 'tick',
				at: at + second * 1000,
				ms: 1000,
				rows: isBusy ? 0 : 20,
				retries: isBusy ? 7 : 0,
				refused: isBusy ? 4 : 0,
			});
		}
		await journal.outcome(outcomeOf(1));
		journal.close();
		expect(await scanJournal(journal.path)).toMatchObject({ corruptLines: 0, counts: { ok: 1 } });
		const page = await reportOf('html', { ...(await exampleRun()), journals: [journal.path] });
		const svg = elementsOf(readPage(page), 'svg')[0];
		expect(svg?.attributes['aria-label']).toBe(
			'At most 20 rows a second; 7 retries, 4 of them because the service refused (429, 503).',
		);
		const bars = elementsOf(svg as NonNullable<typeof svg>, 'rect').map(({ attributes }) => attributes.class);
		expect(bars.filter((kind) => kind === 'rate')).toHaveLength(9);
		expect(bars.filter((kind) => kind !== 'rate')).toEqual(['refused', 'retries']);
	});
});

describe('parseReport', () => {
	it('splits at the first colon', () => {
		expect(parseReport('junit:C:\\out.xml')).toEqual({ format: 'junit', path: 'C:\\out.xml' });
	});

	it.each([
		['junti:x', '"junti" is not a format; did you mean "junit"?'],
		['out.xml', 'is not a format'],
		['json:', 'needs a file'],
		['json', 'needs a file'],
	])('%s is refused', (text, message) => {
		expect(() => parseReport(text)).toThrow(message);
	});
});
