/** Whatever a report's page says is printed, in each format that has room for it. */

import { expect, test } from 'vitest';
import { html } from '../../../src/bulk/reports/html.js';
import { markdown } from '../../../src/bulk/reports/markdown.js';
import type { Page, PageRow } from '../../../src/bulk/reports/page.js';

const row: PageRow = { row: 1, name: 'ticket 14', outcome: 'failed', remarks: 'Sorry.' };
const group = { text: 'Sorry.', rows: 2, first: row };

const page: Page = {
	isPlan: false,
	title: 'Updated',
	about: 'ticket update',
	details: ['Run 1'],
	problems: ['shard 2 is missing'],
	totals: ['2 titles'],
	noun: 'ticket',
	outcomes: [{ name: 'failed', rows: 2 }],
	steps: [['Apply', 'supportctl run apply p.plan']],
	ticks: [{ ms: 1000, end: 1000, outcomes: { failed: 2 } }],
	groups: [group],
	ungrouped: 0,
	total: 1,
	toCheck: 1,
	changed: 0,
	rows: [row],
	left: [row],
	unlisted: 0,
	whole: 'supportctl run show 1',
	wholeChanges: 'supportctl run show 1 --changes',
	apply: undefined,
};

/** Another value of each part, with what makes it visible. A part that is not here does not compile. */
const others: { readonly [Part in keyof Required<Page>]: Pick<Page, Part> & Partial<Page> } = {
	isPlan: { isPlan: true },
	title: { title: 'Nothing was sent' },
	about: { about: 'ticket delete' },
	details: { details: ['Run 2'] },
	problems: { problems: ['shard 3 is missing'] },
	totals: { totals: ['3 titles'] },
	noun: { noun: 'reply' },
	outcomes: { outcomes: [{ name: 'unknown', rows: 2 }] },
	steps: { steps: [['Undo', 'supportctl run undo 1']] },
	ticks: { ticks: [{ ms: 1000, end: 9000, outcomes: { failed: 2 } }] },
	groups: { groups: [{ ...group, text: 'No.' }] },
	ungrouped: { ungrouped: 5 },
	total: { total: 9 },
	toCheck: { toCheck: 9 },
	changed: { changed: 9 },
	rows: { rows: [{ ...row, name: 'ticket 15' }] },
	left: { left: [{ ...row, name: 'ticket 16' }] },
	unlisted: { unlisted: 7 },
	whole: { whole: 'supportctl run show 2' },
	wholeChanges: { wholeChanges: 'supportctl run show 2 --changes' },
	apply: { apply: 'supportctl run apply p.plan' },
};

/** With more rows than are listed, as a run and as a plan. */
const shapes: readonly Partial<Page>[] = [
	{ isPlan: false, total: 2, toCheck: 2, changed: 2 },
	{ isPlan: true, total: 2, changed: 2 },
];

const formats = {
	html: { write: html, leavesOut: ['toCheck', 'changed', 'wholeChanges'] },
	/** Short: no drawings, and nothing to choose. */
	markdown: { write: markdown, leavesOut: ['noun', 'ticks', 'ungrouped', 'total', 'apply'] },
} as const;

test.each(Object.entries(formats))('%s prints every part of a page but those that it has no use for', (_, format) => {
	const text = (more: Partial<Page>): string => [...format.write({ ...page, ...more })].join('');
	const unprinted = Object.entries(others).filter(([, other]) => {
		return shapes.every((shape) => text({ ...shape, ...other }) === text(shape));
	});
	expect(unprinted.map(([part]) => part)).toEqual(format.leavesOut);
});
