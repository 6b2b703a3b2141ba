/** What deleted users and terms leave behind: tickets that stay assigned, and child terms that move up. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../support/sandbox.js';
import { scriptedPrompts } from '../support/scripted-prompts.js';
import { createWorkplace } from '../support/workplace.js';

async function startDesk(options: Parameters<typeof startSandbox>[0] = {}) {
	const desk = await startSandbox(options);
	onTestFinished(() => desk.stop());
	const work = createWorkplace(desk.env);
	const assigned = (id: number) => [...desk.store.tickets.values()].filter(({ assignee }) => assignee === id).length;
	return { desk, work, assigned };
}

const writesOf = ({ requests }: Awaited<ReturnType<typeof startDesk>>['desk']) =>
	requests
		.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/username'))
		.map(({ method, path }) => `${method} ${path.replace(/.*v1/, '')}`);

describe('a leaver with tickets', () => {
	it('is counted with one request for each field, and the summary has the command that moves them', async () => {
		const { desk, work, assigned } = await startDesk();
		const before = assigned(3);
		const result = await work.run('user delete 3 --reassign 5 --yes');
		expect(result, result.stderr).toMatchObject({ exitCode: 0 });
		expect(result.stderr).toContain(
			`${before} tickets stay assigned to user 3; to move them: supportctl ticket list --assignee 3 --format ids | supportctl ticket update - --assignee 5`,
		);
		const counting = desk.requests.filter(({ path }) => path.includes('per_page=1&'));
		expect(counting).toHaveLength(1 + 1);
		expect(assigned(3)).toBe(before);
		const ids = await work.run('ticket list --assignee 3 --format ids');
		const moved = await work.run('ticket update - --assignee 5 --quiet', { stdin: ids.stdout });
		expect(moved, moved.stderr).toMatchObject({ exitCode: 0 });
		expect(assigned(3)).toBe(0);
	});

	it('is in the question, and nothing is sent if the answer is no', async () => {
		const { desk, work, assigned } = await startDesk();
		const prompts = scriptedPrompts([/Continue/, false]);
		const result = await work.run('user delete 3 4 --reassign 5', { prompts });
		expect(result.exitCode).toBe(2);
		expect(result.stderr).toContain(
			`Note: ${assigned(3) + assigned(4)} tickets assigned to these 2 users stay with the deleted user; to move them first: --move-tickets.`,
		);
		expect(writesOf(desk)).toEqual([]);
	});

	it.each(['-n', '--plan plan.json'])('is in %s', async (flag) => {
		const { work, assigned } = await startDesk();
		const result = await work.run(`user delete 3 --reassign 5 ${flag}`);
		expect(result).toMatchObject({ exitCode: 0 });
		expect(result.stderr).toContain(`${assigned(3)} tickets assigned to user 3 stay with the deleted user`);
	});

	it('says why tickets could not be counted, and is deleted all the same', async () => {
		const { desk, work } = await startDesk({ documentedOnly: true });
		const prompts = scriptedPrompts([/Continue/, true]);
		const { stderr } = await work.run('user delete 3 --reassign 5', { prompts });
		expect(stderr).toContain('could not count the tickets assigned to user 3: No route was found');
		expect(writesOf(desk)).toContain('DELETE /users/3?force=true&reassign=5');
	});

	it('says nothing if there is none', async () => {
		const { desk, work } = await startDesk();
		for (const ticket of desk.store.tickets.values()) if (ticket.assignee === 3) ticket.assignee = 4;
		const result = await work.run('user delete 3 --reassign 5 --yes');
		expect(result).toMatchObject({ exitCode: 0, stderr: '' });
	});
});

describe('--move-tickets', () => {
	it('moves them first, in a run of its own that can be shown and that the run of the delete names', async () => {
		const { desk, work, assigned } = await startDesk();
		const [three, four, five] = [assigned(3), assigned(4), assigned(5)];
		const result = await work.run('user delete 3 4 --reassign 5 --move-tickets --yes --format ids');
		expect(result, result.stderr).toMatchObject({ exitCode: 0, stdout: '3\n4\n' });
		expect([assigned(3), assigned(4), assigned(5)]).toEqual([0, 0, three + four + five]);
		const sent = writesOf(desk);
		expect(sent.slice(-2)).toEqual(['DELETE /users/3?force=true&reassign=5', 'DELETE /users/4?force=true&reassign=5']);
		expect(sent.slice(0, -2).every((each) => each.startsWith('POST /tickets/'))).toBe(true);
		const shown = JSON.parse((await work.run('run show last --json')).stdout);
		expect(shown).toMatchObject({ command: 'user delete', moved: [expect.any(String), expect.any(String)] });
		const first = JSON.parse((await work.run(`run show ${shown.moved[0]} --json`)).stdout);
		expect(first).toMatchObject({
			command: 'ticket update',
			ok: three,
			note: `before run ${shown.run} deletes user 3`,
		});
	});

	it('is part of a plan, which says so, and moves what is assigned when the plan is applied', async () => {
		const { desk, work, assigned } = await startDesk();
		expect((await work.run('user delete 3 --reassign 5 --move-tickets --plan plan.json')).exitCode).toBe(0);
		expect((await work.run('run show plan.json')).stderr).toContain('tickets assigned to these users first go to');
		const free = [...desk.store.tickets.values()].find(({ assignee }) => assignee === 4);
		Object.assign(free ?? {}, { assignee: 3 });
		const applied = await work.run('run apply plan.json --yes');
		expect(applied, applied.stderr).toMatchObject({ exitCode: 0 });
		expect(assigned(3)).toBe(0);
		expect(desk.store.users.has(3)).toBe(false);
	});

	it('deletes nobody if a ticket could not be moved', async () => {
		const { desk, work } = await startDesk();
		// A customer can't be an agent.
		const customer = [...desk.store.users.values()].find(({ roles }) => roles.includes('customer'))?.id;
		const result = await work.run(`user delete 3 --reassign ${customer} --move-tickets --yes`);
		expect(result.exitCode).not.toBe(0);
		expect(result.stderr).toContain('no user was deleted');
		expect(desk.store.users.has(3)).toBe(true);
	});

	it('sends nothing where tickets can not be counted', async () => {
		const { desk, work } = await startDesk({ documentedOnly: true });
		const result = await work.run('user delete 3 --reassign 5 --move-tickets --yes');
		expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('could not count the tickets') });
		expect(writesOf(desk).some((each) => each.startsWith('DELETE'))).toBe(false);
	});

	it('leaves alone what somebody else got meanwhile', async () => {
		const { work, desk } = await startDesk();
		await work.run('user delete 3 --reassign 5 --move-tickets --yes');
		const header = work.records(work.journals()[0])[0] as unknown as { plan: { checks: { conditions: unknown } } };
		expect(header.plan.checks.conditions).toEqual([{ field: 'assignee', value: '3' }]);
		expect(desk.store.users.has(3)).toBe(false);
	});
});

describe('a parent term', () => {
	it('is deleted with a note that its children move up', async () => {
		const { desk, work } = await startDesk();
		const [parent, ...others] = [...desk.store.terms.values()].filter(({ taxonomy }) => taxonomy === 'product');
		for (const child of others.slice(0, 2)) child.parent = parent?.id ?? 0;
		const note = `2 child terms of product term ${parent?.id} move up`;
		const dry = await work.run(`term delete product ${parent?.id} --force -n`);
		expect(dry.stderr).toContain(note);
		const prompts = scriptedPrompts([/Continue/, true]);
		const { stderr } = await work.run(`term delete product ${parent?.id} --force`, { prompts });
		expect(stderr).toContain(`Note: ${note}.`);
		expect(others.slice(0, 2).map(({ parent }) => parent)).toEqual([0, 0]);
	});
});
