/** A service that does not list its terms shows texts of digits: nobody can say whether these are IDs, or slugs of other terms. */

import { describe, expect, it } from 'vitest';
import { jsonLines } from '../support/cli.js';
import { startDesk } from '../support/desk.js';
import { pathOf } from '../support/objects.js';
import { json } from '../support/recorder.js';

/** @param shown in every read of ticket 14, beside what is stored */
async function unlisted(shown: Record<string, unknown>) {
	const now = { shown };
	const place = await startDesk(undefined, (request) => {
		const object = place.recorder.object('/tickets/14');
		return pathOf(request) === '/tickets/14' ? json(200, { ...object, id: 14, ...now.shown }) : undefined;
	});
	const run = async (command: string) => {
		const result = await place.work.run(`${command} --format ndjson --retries 0`);
		const [outcome] = jsonLines(result.stdout);
		return { ...result, outcome };
	};
	return { now, run, sent: () => place.recorder.writes.map(({ body }) => JSON.parse(body) as unknown) };
}

describe('a term that looks like an ID', () => {
	it.each(['product', 'department', 'ticket-priority', 'ticket-channel'])(
		'is no reason not to write the ID: %s',
		async (flag) => {
			const field = flag.replace('ticket-', 'ticket_');
			const { run, sent } = await unlisted({ [field]: '43' });
			const { outcome, stderr } = await run(`ticket update 14 --${flag} 43`);
			expect(outcome, stderr).toMatchObject({ outcome: 'ok' });
			expect(sent()).toEqual([{ [field]: '43' }]);
			expect(stderr).toContain(`may not be able to restore the ${field}`);
		},
	);

	it('of tags is none, either, and an ID that is shown as a number is one', async () => {
		const texts = await unlisted({ 'ticket-tag': ['43'] });
		expect((await texts.run('ticket update 14 --ticket-tag 43')).outcome).toMatchObject({ outcome: 'ok' });
		expect(texts.sent()).toEqual([{ 'ticket-tag': [43] }]);
		const numbers = await unlisted({ 'ticket-tag': [43] });
		expect((await numbers.run('ticket update 14 --ticket-tag 43')).outcome).toMatchObject({ code: 'unchanged' });
		expect(numbers.sent()).toEqual([]);
	});

	it('confirms nothing', async () => {
		const { run } = await unlisted({ product: '43' });
		const { outcome, stderr } = await run('ticket update 14 --product 43 --verify');
		expect(outcome, stderr).toMatchObject({ outcome: 'ok' });
		expect(stderr).toContain('could not be verified: product');
	});

	it('meets no condition, and says why it can not', async () => {
		const { run, sent } = await unlisted({ product: '43', department: 'sales' });
		const odd = await run('ticket update 14 --title new --if product=43');
		expect(odd.outcome, odd.stderr).toMatchObject({ outcome: 'failed', code: 'not_shown' });
		expect(odd.stderr).toContain("--if product can't be checked; nothing was written");
		expect(sent()).toEqual([]);
		expect((await run('ticket update 14 --title new --if department=sales')).outcome).toMatchObject({ outcome: 'ok' });
	});

	it('is not written back with what is added, and nothing else is taken for what is removed', async () => {
		const digits = await unlisted({ 'ticket-tag': ['43', 'vip'] });
		const slugs = await unlisted({ 'ticket-tag': ['vip', 'bug'] });
		const ids = await unlisted({ 'ticket-tag': [5, 6] });
		for (const [at, command] of [
			[digits, '--add-ticket-tag 5'],
			[digits, '--remove-ticket-tag vip'],
			[slugs, '--remove-ticket-tag 5'],
			[slugs, '--remove-ticket-tag VIP'],
			[ids, '--remove-ticket-tag vip'],
		] as const) {
			const { outcome, stderr } = await at.run(`ticket update 14 ${command}`);
			expect(outcome, command + stderr).toMatchObject({ outcome: 'failed', code: 'not_shown' });
			expect(at.sent()).toEqual([]);
		}
		expect((await slugs.run('ticket update 14 --remove-ticket-tag vip')).outcome).toMatchObject({ outcome: 'ok' });
		expect((await ids.run('ticket update 14 --remove-ticket-tag 9')).outcome).toMatchObject({ code: 'unchanged' });
		expect((await ids.run('ticket update 14 --add-ticket-tag 9')).outcome).toMatchObject({ outcome: 'ok' });
		expect([...slugs.sent(), ...ids.sent()]).toEqual([{ 'ticket-tag': ['bug'] }, { 'ticket-tag': [5, 6, 9] }]);
	});

	it('is not undone over', async () => {
		const { run, now, sent } = await unlisted({ product: 'vip' });
		expect((await run('ticket update 14 --product 43')).outcome).toMatchObject({ outcome: 'ok' });
		now.shown = { product: '43' };
		const undone = await run('run undo last --yes');
		expect(undone.exitCode, undone.stderr).not.toBe(0);
		expect(undone.outcome).toMatchObject({ outcome: 'skipped' });
		expect(sent()).toHaveLength(1);
	});
});
