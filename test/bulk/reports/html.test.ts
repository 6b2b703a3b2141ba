import { HtmlValidate } from 'html-validate';
import { describe, expect, it } from 'vitest';
import { createCounts, sumOf } from '../../../src/bulk/journal/counts.js';
import { html } from '../../../src/bulk/reports/html.js';
import type { ReportFacts } from '../../../src/bulk/reports/page.js';
import { pageOfPlan } from '../../../src/bulk/reports/page.js';
import { headerOf, outcomeOf, startJournal } from '../../support/journal.js';
import { exampleRun, HOSTILE, planFacts, recordsOf, reportOf, runOf } from '../../support/report.js';
import { temporaryFolder } from '../../support/temporary.js';
import { elementsOf, readXml, type XmlElement } from '../../support/xml.js';

const withoutCode = (page: string): string => page.replace(/<(style|script)>.*?<\/\1>/gs, '');

/** The page as a parser of well-formed documents reads it. */
function readPage(page: string): XmlElement {
	const text = withoutCode(page).replace('<!DOCTYPE html>', '');
	return readXml(text.replace(/<(meta|link|input|br)\b([^>]*)>/g, '<$1$2/>').replaceAll(' hidden>', ' hidden="">'));
}

const textOf = (page: string): string => withoutCode(page).replace(/<[^>]*>/g, ' ');

/** The rows of the page's table of rows, each as its outcome. */
const outcomesIn = (page: string): (string | undefined)[] =>
	elementsOf(readPage(page), 'tr')
		.map(({ attributes }) => attributes['data-outcome'])
		.filter((each) => each !== undefined);

async function complaintsOn(page: string): Promise<string[]> {
	const validator = new HtmlValidate({ extends: ['html-validate:recommended'] });
	const { results } = await validator.validateString(page);
	return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`));
}

/** A run whose every text is hostile. */
async function hostileRun(text: string): Promise<ReportFacts> {
	const plan = { source: { from: 'file', path: '/x', name: text } as const };
	const failed = { outcome: 'failed', status: 500, code: text, message: text } as const;
	const differs = [{ field: text, sent: text, shown: text }];
	return await runOf(
		[
			outcomeOf(1, { ...failed, ids: { id: text }, body: { link: text } }),
			outcomeOf(2, { outcome: 'differs', differs }),
			outcomeOf(3, { ...failed, message: undefined, reasons: { [text]: text } }),
		],
		3,
		{ plan },
	);
}

const SCRIPT = `"></td></table></script><script>alert(1)</script><img src=x onerror=alert(1)> ${HOSTILE}`;

/** A journal with a tick a second of 20 rows; nothing comes in the fifth. */
async function tickingRun(): Promise<ReportFacts> {
	const journal = startJournal(temporaryFolder(), 500);
	let row = 0;
	for (let second = 1; second <= 10; second++) {
		const isBusy = second === 5;
		for (let count = 0; count < (isBusy ? 0 : 20); count++) {
			void journal.outcome(outcomeOf(++row, count === 0 ? { outcome: 'failed', status: 404 } : {}));
		}
		void journal.record({ type: 'tick', ms: 1000 });
	}
	await journal.close();
	return {
		...(await exampleRun()),
		files: [await recordsOf(journal.path)],
		counts: { ...createCounts(), ok: 171, failed: 9 },
	};
}

describe('the title of the HTML report', () => {
	const ok = (count: number) => Array.from({ length: count }, (_, at) => outcomeOf(at + 1));
	const bad = outcomeOf(9, { outcome: 'failed', status: 404 });
	const deleted = { endpoint: 'ticket.delete' } as const;

	it.each([
		['2 tickets updated', ok(2), {}],
		['1 ticket updated', ok(1), {}],
		['1 of 3 tickets needs attention', [...ok(2), bad], {}],
		['1 ticket needs attention', [bad], {}],
		['2 tickets updated, 1 skipped', [...ok(2), outcomeOf(3, { outcome: 'skipped' })], {}],
		['2 tickets moved to the trash', ok(2), deleted],
		['2 users deleted', ok(2), { endpoint: 'user.delete' as const }],
		['2 users looked up', ok(2), { endpoint: 'user.id' as const }],
		[
			'2 tickets restored',
			ok(2),
			{ source: { from: 'snapshots', journal: 'x', run: '20261121-074512-k3f9x', overwrite: false } as const },
		],
	])('says what happened: %s', async (title, outcomes, plan) => {
		const page = await reportOf('html', await runOf(outcomes, 9, { plan }));
		expect(page).toContain(`<title>${title}</title>`);
		expect(page).toContain(`<h1>${title}</h1>`);
	});
});

describe('the HTML report', () => {
	it('says where and when the run was, and how long it took', async () => {
		const text = textOf(await reportOf('html'));
		expect(text).toContain('supportctl ticket update on desk.example, November 21, 2026 at 07:45 UTC, took 1.2 s');
		expect(text).toContain('Run 20261121-074512-k3f9x · 9 rows from edits.csv · https://desk.example');
	});

	it('has counts, reasons, next steps and rows, those that need attention first', async () => {
		const page = await reportOf('html');
		const text = textOf(page);
		for (const part of ['6 of 9 tickets need attention', 'is &lt;not&gt; one of', 'run resume', 'status is']) {
			expect(text).toContain(part);
		}
		expect(outcomesIn(page)).toEqual(['failed', 'unknown', 'invalid', 'differs', 'ok', 'ok', 'skipped']);
	});

	it('shows the share of each outcome, and offers a filter for each that a row has', async () => {
		const root = readPage(await reportOf('html'));
		const [bar] = elementsOf(root, 'svg');
		expect(bar?.attributes['aria-label']).toBe(
			'2 ok, 1 differs, 1 failed, 1 invalid, 1 unknown, 1 skipped, 2 not-sent',
		);
		const filters = elementsOf(root, 'button').flatMap(({ attributes }) => attributes['data-filter'] ?? []);
		expect(filters).toEqual(['ok', 'differs', 'failed', 'invalid', 'unknown', 'skipped']);
	});

	it('groups reasons that differ only in digits', async () => {
		const failed = (row: number) =>
			outcomeOf(row, { outcome: 'failed', status: 404, message: `ticket ${row} not found` });
		const page = await reportOf('html', await runOf([failed(1), failed(2), failed(3)]));
		expect(withoutCode(page)).toMatch(
			/<td class="n">3<\/td><td class="dot failed">failed<\/td>\n?<td class="wide">ticket 1 not found/,
		);
	});

	it.each([
		['https://desk.example/ticket/one/', 'https://desk.example/ticket/one/'],
		['http://desk.example/?p=1', 'http://desk.example/?p=1'],
		['https://evil.example/ticket/1', undefined],
		['https://desk.example.evil.example/', undefined],
		['https://user:password@desk.example/', undefined],
		['javascript:alert(1)//desk.example', undefined],
		['//desk.example/1', undefined],
		[14, undefined],
	])('links a row only to a page of the service itself: %s', async (link, href) => {
		const page = await reportOf('html', await runOf([outcomeOf(1, { body: { id: 1, link } })]));
		const [anchor] = elementsOf(readPage(page), 'a');
		expect(anchor?.attributes.href).toBe(href);
		expect(textOf(page)).toContain('ticket 1');
	});

	it('loads nothing, and holds no markup that the service chose', async () => {
		const page = await reportOf('html', await hostileRun(SCRIPT));
		const allowed =
			'html head meta title link style script body main h1 h2 p span ul li b code table thead tbody tr th td div input output button';
		const drawn = 'svg rect line figure';
		const names = new Set(page.match(/<[a-z]\w*/g)?.map((each) => each.slice(1)));
		expect([...names].filter((name) => !`${allowed} ${drawn}`.split(' ').includes(name))).toEqual([]);
		expect(page.match(/<script/g)).toHaveLength(1);
		const tags = page.match(/<[a-z][^>]*>/gi) ?? [];
		expect(tags.filter((tag) => /\s(?:src|on\w+|style)=/i.test(tag))).toEqual([]);
		expect(tags.filter((tag) => /\shref=(?!"data:,")/i.test(tag))).toEqual([]);
		expect(page).not.toMatch(/@import|url\(/i);
		const [policy] = elementsOf(readPage(page), 'meta').filter(({ attributes }) => 'http-equiv' in attributes);
		expect(policy?.attributes.content).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-/);
	});

	it('has a style for light, dark and print', async () => {
		const page = await reportOf('html');
		for (const part of ['prefers-color-scheme: dark', '@media print']) expect(page).toContain(part);
	});

	it.each([
		['with some of everything', exampleRun],
		['with hostile text', () => hostileRun(SCRIPT)],
		['with bars over time', () => tickingRun()],
		['without rows', () => runOf([], 1)],
	])('%s is valid HTML', async (_name, run) => {
		expect(await complaintsOn(await reportOf('html', await run()))).toEqual([]);
	});

	it('on a plan is valid HTML, also with hostile text', async () => {
		const facts = planFacts([
			{ old: { status: 'new' }, new: { status: SCRIPT } },
			{ old: { [SCRIPT]: [] }, new: { [SCRIPT]: {} }, label: SCRIPT },
			{ new: { title: SCRIPT } },
		]);
		const header = { ...facts.header, who: { user: SCRIPT, host: SCRIPT }, note: SCRIPT };
		expect(await complaintsOn([...html(pageOfPlan({ ...facts, header }))].join(''))).toEqual([]);
	});

	it('adds up the shards of an input and names those that are missing', async () => {
		const shard = (index: number) =>
			runOf([outcomeOf(index)], 3, {
				plan: { id: `20261121-07451${index}-k3f9x`, own: 1, shard: { index, count: 3 } },
			});
		const [one, two] = [await shard(1), await shard(2)];
		const together = {
			...one,
			header: headerOf(3, { id: `${one.header.id},${two.header.id}`, own: 2 }),
			files: [...one.files, ...two.files],
			counts: sumOf([one.counts, two.counts]),
			problems: ['shard 3/3 is missing'],
		};
		const page = await reportOf('html', together);
		expect(outcomesIn(page)).toEqual(['ok', 'ok']);
		expect(textOf(page)).toContain('Run 20261121-074511-k3f9x, 20261121-074512-k3f9x · 2 of 3 rows');
		expect(page).toContain('<p class="problem">shard 3/3 is missing</p>');
		expect(await complaintsOn(page)).toEqual([]);
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
		expect(text).toContain('30 more for other reasons.');
		expect(text).toContain('The first 5,000 of 5,200 rows; all of them:');
		const shown = outcomesIn(page);
		expect(shown).toHaveLength(5000);
		expect(shown.filter((each) => each === 'failed')).toHaveLength(130);
	});

	it('draws what rows came to in each second', async () => {
		const page = await reportOf('html', await tickingRun());
		const [, bars] = elementsOf(readPage(page), 'svg');
		expect(bars?.attributes['aria-label']).toBe('Tickets per second');
		expect(bars?.children.map(({ attributes }) => attributes.class)).toEqual(Array(9).fill(['ok', 'failed']).flat());
		const [ok, failed] = bars?.children ?? [];
		expect([ok?.attributes.height, failed?.attributes.height]).toEqual(['95', '5']);
		const text = textOf(page);
		expect(page).toContain('<div class="scale"><span>20</span><span>0</span></div>');
		expect(text).toContain('took 10 s');
	});

	it('copes with ticks of any length', async () => {
		const journal = startJournal(temporaryFolder(), 2);
		void journal.outcome(outcomeOf(1));
		void journal.record({ type: 'tick', ms: 8e15 });
		await journal.close();
		const facts = { ...(await exampleRun()), files: [await recordsOf(journal.path)] };
		expect(elementsOf(readPage(await reportOf('html', facts)), 'rect').length).toBeLessThan(100);
	});
});
