/** What the reports of a plan show of its changes, and of the rows that it leaves out. */

import { describe, expect, test } from 'vitest';
import { endpoints } from '../../../src/api/endpoints.js';
import { changeOf, leftChange } from '../../../src/bulk/change.js';
import { LeftRows } from '../../../src/bulk/left.js';
import type { Planned } from '../../../src/bulk/planned.js';
import { html } from '../../../src/bulk/reports/html.js';
import { markdown } from '../../../src/bulk/reports/markdown.js';
import { type PlanFacts, pageOfPlan } from '../../../src/bulk/reports/page.js';
import { Totals } from '../../../src/bulk/totals.js';
import { headerOf } from '../../support/journal.js';

const endpoint = endpoints['ticket.update'];
const written = (id: number, sent: Readonly<Record<string, unknown>> = {}) =>
	({ endpoint, ids: { id: String(id) }, permanent: false, sent }) as const;

/** Rows that were left out, one for each ticket. */
function leftOut(count: number, from = 1): Planned[] {
	return Array.from({ length: count }, (_, at) => {
		const left = { outcome: 'skipped', code: 'condition', message: 'status is "read", not "hold"' } as const;
		return { row: from + at, line: from + at + 1, change: leftChange(written(from + at), left) };
	});
}

function factsOf(rows: readonly Planned[], quiet = 0): PlanFacts {
	const totals = new Totals();
	const left = new LeftRows();
	for (const { change } of rows) {
		if (change === undefined) continue;
		totals.add(change);
		if (change.left !== undefined) left.add({ ids: change.object.ids, ...change.left }, 'ticket');
	}
	if (quiet > 0) left.add({ ids: {}, outcome: 'skipped', code: 'unchanged' }, 'ticket', quiet);
	return { header: headerOf(rows.length), name: 'p.plan', digest: 'f'.repeat(64), rows, totals, left, warnings: [] };
}

const pageOf = (facts: PlanFacts): string =>
	[...html(pageOfPlan(facts))].join('').replace(/<(style|script)>.*?<\/\1>/gs, '');
const textOf = (facts: PlanFacts): string => [...markdown(pageOfPlan(facts))].join('');

describe('a plan that sends nothing', () => {
	test.each([
		['Plan: no rows', factsOf([])],
		['Plan: nothing would be sent', factsOf(leftOut(1))],
		['Plan: no changes', factsOf([], 3)],
	])('says so, and has no command that applies it: %s', (title, facts) => {
		expect(pageOf(facts)).toContain(`<h1>${title}</h1>`);
		expect(textOf(facts)).toContain(title);
		expect(pageOf(facts) + textOf(facts)).not.toContain('run apply');
	});
});

test('a change shows what comes and goes of a list, what stays, and both values of a field', () => {
	const before = { values: { 'ticket-tag': [1, 2], title: 'old', status: 'hold' }, absent: [] };
	const sent = { 'ticket-tag': [2, 3], title: 'new', status: 'hold' };
	const change = changeOf(written(14, sent), before, { stays: (field) => field === 'status' });
	const page = pageOf(factsOf([{ row: 1, change }]));
	for (const part of ['<ins>+3</ins>', '<del>−1</del>', 'status stays hold', '<del>old</del> → <ins>new</ins>']) {
		expect(page).toContain(part);
	}
});

test('rows that are left out are listed with their reasons, and counted where there are many', () => {
	const facts = factsOf([...leftOut(60), { row: 61, change: changeOf(written(61, { status: 'hold' }), undefined) }]);
	const page = pageOf(facts);
	expect(page.match(/status is &quot;read&quot;, not &quot;hold&quot;/g)).toHaveLength(60);
	const text = textOf(facts);
	expect(text.match(/status is "read", not "hold" \|/g)).toHaveLength(50);
	expect(text).toContain('… and 10 more: `supportctl run show p.plan --format csv`');
	expect(text).toContain("Not in the plan: 60 that don't match --if");
});

test('Markdown has as many changes as a comment has room for, and says where the rest is', () => {
	const rows = Array.from({ length: 200 }, (_, at): Planned => {
		const content = `${at} ${'long text '.repeat(100)}`;
		return { row: at + 1, change: changeOf(written(at + 1, { content }), undefined) };
	});
	const text = textOf(factsOf(rows));
	expect(text.length).toBeLessThan(60_000);
	const shown = text.match(/^\| \d+ \| ticket/gm)?.length ?? 0;
	expect(shown).toBeGreaterThan(20);
	expect(text).toContain(`… and ${200 - shown} more: `);
});
