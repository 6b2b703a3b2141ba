/** Reads that show `null`, or a type that the field can't have: that is no old value, and nothing is written over it. */

import { describe, expect, it } from 'vitest';
import { jsonLines } from '../support/cli.js';
import { startDesk } from '../support/desk.js';
import { pathOf } from '../support/objects.js';
import { json } from '../support/recorder.js';

/** A desk whose reads show the object with these fields instead, once `isOdd` is set. */
async function oddDesk(path: string, odd: Record<string, unknown>, isOdd = true) {
	const now = { isOdd };
	const id = Number(path.split('/').at(-1));
	const list = path.slice(0, path.lastIndexOf('/'));
	const place = await startDesk(undefined, (request) => {
		const object = place.recorder.object(path);
		if (!now.isOdd || object === undefined) return undefined;
		if (pathOf(request) === path) return json(200, { ...object, id, ...odd });
		return pathOf(request) === list && request.url.includes('include=')
			? json(200, [{ ...object, id, ...odd }], { 'x-wp-total': '1', 'x-wp-totalpages': '1' })
			: undefined;
	});
	return { ...place, now, writes: () => place.recorder.writes.length };
}

const cases: [what: string, path: string, command: string, odd: Record<string, unknown>][] = [
	['a title', '/tickets/14', 'ticket update 14 --title new', { title: null }],
	['a raw title', '/tickets/14', 'ticket update 14 --title new', { title: { raw: null, rendered: '' } }],
	['a status', '/tickets/14', 'ticket update 14 --status hold', { status: 5 }],
	['an assignee', '/tickets/14', 'ticket update 14 --assignee 7', { assignee: {} }],
	['tags', '/tickets/14', 'ticket update 14 --ticket-tag 7', { 'ticket-tag': 'x' }],
	['a product', '/tickets/14', 'ticket update 14 --product 7', { product: ['a', 'b'] }],
	['a date', '/tickets/14', 'ticket update 14 --date 2026-01-01', { date: false }],
	['an adjustment', '/tickets/14', 'ticket update 14 --time-adjustments 5', { 'time-adjustments': 'many' }],
	['a reply', '/tickets/14/replies/3', 'reply update 14 3 --content new', { content: [] }],
	['the status of a reply', '/tickets/14/replies/3', 'reply update 14 3 --status read', { status: null }],
	['roles', '/users/7', 'user update 7 --roles agent', { roles: { 0: 'customer' } }],
	['an email', '/users/7', 'user update 7 --email a@b.example', { email: null }],
	['a switch', '/users/7', 'user update 7 --support-can-be-assigned true', { support_can_be_assigned: 'often' }],
	['meta', '/users/7', 'user update 7 --meta a=b', { meta: 'x' }],
	['a caption', '/attachments/9', 'attachment update 9 --caption new', { caption: 5 }],
	[
		'the name of a term',
		'/ticket_priority/9',
		'term update ticket_priority 9 --name new',
		{ name: null, color: '#fff' },
	],
	['the parent of a term', '/ticket_priority/9', 'term update ticket_priority 9 --parent 3', { parent: [], color: '' }],
	[
		'the color that an update would clear',
		'/ticket_priority/9',
		'term update ticket_priority 9 --name new',
		{ color: null },
	],
	['a trash', '/tickets/14', 'ticket delete 14 --yes', { status: null }],
];

describe.each(cases)('an object that shows no value of %s', (_, path, command, odd) => {
	it('is not written, and not by a plan', async () => {
		const { work, writes } = await oddDesk(path, odd);
		const result = await work.run(`${command} --format ndjson --retries 0`);
		expect(jsonLines(result.stdout), result.stderr).toMatchObject([{ outcome: 'failed', code: 'not_read' }]);
		expect(result.stderr).toContain('nothing was written');
		expect(result.exitCode).toBe(1);
		const planned = await work.run(`${command.replace(' --yes', '')} --plan p.plan`);
		if (planned.exitCode === 0) await work.run('run apply p.plan --yes');
		expect(writes(), planned.stderr).toBe(0);
	});
});

describe.each(cases.filter(([what]) => !/color|trash/.test(what)))(
	'a value of %s that is none',
	(_, path, command, odd) => {
		it('keeps a plan from being applied over it', async () => {
			const { work, writes, now } = await oddDesk(path, odd, false);
			const planned = await work.run(`${command} --plan p.plan`);
			expect(planned.exitCode, planned.stderr).toBe(0);
			now.isOdd = true;
			const applied = await work.run('run apply p.plan --yes --format ndjson');
			expect(jsonLines(applied.stdout), applied.stderr).toMatchObject([{ outcome: 'failed' }]);
			expect(writes()).toBe(0);
		});

		it('is not undone over, and confirms nothing', async () => {
			const { work, writes, now } = await oddDesk(path, odd, false);
			expect((await work.run(command)).exitCode).toBe(0);
			now.isOdd = true;
			const before = writes();
			const undone = await work.run('run undo last --yes --format ndjson');
			expect(undone.exitCode, undone.stderr).not.toBe(0);
			expect(writes()).toBe(before);
			const again = await work.run(`${command} --send-unchanged --no-snapshot --verify --format ndjson`);
			expect(again.stderr + again.stdout).toMatch(/could not be verified|not_read/);
		});
	},
);

describe('a condition on a value that is none', () => {
	it.each([
		['title=old', { title: null }],
		['title=', { title: null }],
		['status=hold', { status: 5 }],
		['ticket-tag=x', { 'ticket-tag': 'x' }],
		['assignee=', { assignee: {} }],
	])('fails: --if %s', async (condition, odd) => {
		const { work, writes } = await oddDesk('/tickets/14', odd);
		const result = await work.run(`ticket update 14 --state closed --if ${condition} --format ndjson`);
		expect(jsonLines(result.stdout), result.stderr).toMatchObject([{ outcome: 'failed', code: 'not_shown' }]);
		expect(writes()).toBe(0);
	});
});

it('a custom field whose value is null is not written', async () => {
	const shown = { size: { name: 'size', value: null }, color: { name: 'color', value: 'red' } };
	const { recorder, work } = await startDesk(undefined, ({ url }) =>
		url.includes('custom-fields') ? json(200, shown) : undefined,
	);
	const result = await work.run('ticket fields set 14 --set size=L --format ndjson');
	expect(jsonLines(result.stdout), result.stderr).toMatchObject([{ outcome: 'failed', code: 'not_read' }]);
	expect(recorder.writes).toEqual([]);
	const other = await work.run('ticket fields set 14 --set color=blue --format ndjson');
	expect(jsonLines(other.stdout), other.stderr).toMatchObject([{ outcome: 'ok' }]);
});

it('an attachment that belongs to no post shows null, and gets one', async () => {
	const { work, recorder } = await oddDesk('/attachments/9', { post: null });
	const result = await work.run('attachment update 9 --post 14 --format ndjson');
	expect(jsonLines(result.stdout), result.stderr).toMatchObject([{ outcome: 'ok' }]);
	expect(recorder.writes).toHaveLength(1);
});
