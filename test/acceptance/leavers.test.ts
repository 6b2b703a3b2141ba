/** What deleted users and terms leave behind: tickets that stay assigned, and child terms that move up. */

import { basename } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../support/sandbox.js';
import { scriptedPrompts } from '../support/scripted-prompts.js';
import { runInTerminal } from '../support/terminal.js';
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

/** Without the escapes of Markdown. */
const plainOf = (report: string): string => report.replaceAll('\\', '');

it.each(['--yes', '--dry-run', '--plan x.plan'])(
	'posts are not given to a user who is not there, with %s',
	async (flags) => {
		const { desk, work } = await startDesk();
		const result = await work.run(`user delete 3 --reassign 999 ${flags}`);
		expect(result.exitCode, result.stderr).toBe(2);
		expect(result.stderr).toContain("can't reassign to user 999: user not found; nothing was sent");
		expect(writesOf(desk)).toEqual([]);
	},
);

describe('a leaver with tickets', () => {
	it('is counted with one request for each field, and the summary has the command that moves them', async () => {
		const { desk, work, assigned } = await startDesk();
		const before = assigned(3);
		const result = await work.run('user delete 3 --reassign 5 --yes');
		expect(result, result.stderr).toMatchObject({ exitCode: 0 });
		expect(result.stderr).toContain(
			`${before} tickets stay assigned to user 3; to move them: supportctl ticket list --assignee 3 --format ids | supportctl ticket update - --assignee 5`,
		);
		const counting = desk.requests.filter(({ path }) => /[?&]_fields=id%2C(assignee|secondary-assignee)$/.test(path));
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

	it('is in the question beside names that are not found', async () => {
		const { desk, work } = await startDesk();
		const prompts = scriptedPrompts([/Continue/, false]);
		const line = 'user delete sofia.bauer nadia.chenn --reassign amir.rossi --ignore-missing';
		const { stderr } = await work.run(line, { prompts });
		expect(stderr).toMatch(
			/^Permanently delete 1 user on .*\n {2}user 3 "sofia.bauer": permanently deleted; posts go to /,
		);
		expect(stderr).toMatch(/^Not sent: 1 not found: nadia.chenn; did you mean nadia.chen\?$/m);
		expect(writesOf(desk)).toEqual([]);
	});

	it.each(['-n', '--plan plan.json'])('is in %s', async (flag) => {
		const { work, assigned } = await startDesk();
		const result = await work.run(`user delete 3 --reassign 5 ${flag}`);
		expect(result).toMatchObject({ exitCode: 0 });
		expect(result.stderr).toContain(`${assigned(3)} tickets assigned to user 3 stay with the deleted user`);
	});

	it('is in a plan and in reports of a run for whoever reads only those', async () => {
		const { work, assigned } = await startDesk();
		const stays = `${assigned(3)} tickets assigned to user 3 stay with the deleted user; to move them first: --move-tickets`;
		const flags = '--plan p.plan --report markdown:plan.md --report html:plan.html';
		expect(await work.run(`user delete 3 --reassign 5 ${flags}`)).toMatchObject({ exitCode: 0 });
		const shown = await work.run('run show p.plan');
		expect(shown.stderr).toContain(`warning: ${stays}\n`);
		const { stderr } = await work.run('run show p.plan --json');
		expect(JSON.parse(stderr).summary.warnings).toEqual([stays]);
		for (const report of ['plan.md', 'plan.html']) expect(plainOf(work.read(report))).toContain(stays);
		const reports = '--report markdown:run.md --report html:run.html';
		expect(await work.run(`run apply p.plan --yes ${reports}`)).toMatchObject({ exitCode: 0 });
		await work.run('run show last --report markdown:again.md');
		for (const report of ['run.md', 'run.html', 'again.md']) {
			expect(plainOf(work.read(report))).toContain('supportctl ticket list --assignee 3 --format ids');
		}
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
	it('moves those of the users that are deleted in this part of the run, and the others with the next part', async () => {
		const { work, assigned } = await startDesk();
		const before = assigned(4);
		const first = await work.run('user delete 3 4 --reassign 5 --move-tickets --first 1 --yes -q');
		expect(first, first.stderr).toMatchObject({ exitCode: 0 });
		expect([assigned(3), assigned(4)]).toEqual([0, before]);
		const rest = await work.run('run resume last --yes -q');
		expect(rest, rest.stderr).toMatchObject({ exitCode: 0 });
		expect(assigned(4)).toBe(0);
	});

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

	it('is named by the summary of the delete, and by an undo of it, with the command that moves the tickets back', async () => {
		const { desk, work, assigned } = await startDesk();
		const three = assigned(3);
		const result = await work.run('user delete 3 --reassign 5 --move-tickets --yes');
		const [moves] = work.journals();
		const run = basename(moves ?? '', '.ndjson');
		const moved = `${three} tickets of user 3 moved to user 5 first; to move them back, where the user still exists: supportctl run undo ${run}`;
		expect(result.stderr).toContain(moved);
		const refused = await work.run('run undo last --yes');
		expect(refused.exitCode).toBe(2);
		expect(refused.stderr).toContain(moved);
		expect((await work.run('run show last')).stdout).toContain(moved);
		const user = desk.store.users.get(4);
		if (user !== undefined) desk.store.users.set(3, { ...user, id: 3 });
		const undone = await work.run(`run undo ${run} --yes`);
		expect(undone, undone.stderr).toMatchObject({ exitCode: 0 });
		expect(assigned(3)).toBe(three);
	});

	it('goes on after a kill between the last ticket and the delete, and still names the run that moved them', async () => {
		let left = Number.POSITIVE_INFINITY;
		let kill = (): unknown => undefined;
		const { desk, work, assigned } = await startDesk({
			onRequest({ method, path }) {
				if (method === 'POST' && path.includes('/tickets/') && --left === 0) kill();
			},
		});
		left = assigned(3);
		const three = left;
		const running = work.spawn('user delete 3 --reassign 5 --move-tickets --yes');
		kill = () => running.child.kill('SIGKILL');
		await running.ended;
		expect(desk.store.users.has(3)).toBe(true);
		const resumed = await work.run('run resume last --yes');
		expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
		expect([desk.store.users.has(3), assigned(3)]).toEqual([false, 0]);
		const [moves] = work.journals();
		const names = `${three} tickets of user 3 moved to user 5 first; to move them back, where the user still exists: supportctl run undo ${basename(moves ?? '', '.ndjson')}`;
		expect(resumed.stderr).toContain(names);
		expect((await work.run('run undo last')).stderr).toContain(names);
	});

	it('moves what is left when a run whose tickets could not be moved is resumed', async () => {
		const { desk, work, assigned } = await startDesk();
		const five = desk.store.users.get(5);
		const roles = five?.roles ?? [];
		Object.assign(five ?? {}, { roles: ['customer'] });
		const failed = await work.run('user delete 3 --reassign 5 --move-tickets --yes');
		expect(failed.exitCode).toBe(1);
		expect(failed.stderr).toMatch(/no user was deleted\n.*then: supportctl run resume /s);
		Object.assign(five ?? {}, { roles });
		const resumed = await work.run('run resume last --yes');
		expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
		expect([desk.store.users.has(3), assigned(3)]).toEqual([false, 0]);
	});

	it('says before an undo that a deleted user gets nothing back, and what else is restored', async () => {
		const { desk, work, assigned } = await startDesk();
		const three = assigned(3);
		await work.run('user delete 3 --reassign 5 --move-tickets --yes');
		const run = basename(work.journals()[0] ?? '', '.ndjson');
		const why = "assignee not restored: user 3 was deleted, and services can't set a deleted user";
		const sent = writesOf(desk).length;
		const preview = await work.run(`run undo ${run} -n`);
		expect(preview.stdout + preview.stderr).toContain(why);
		const undone = await work.run(`run undo ${run} --yes`);
		expect(undone.exitCode, undone.stderr).toBe(1);
		expect(undone.stderr).toContain(why);
		expect(writesOf(desk)).toHaveLength(sent);
		expect(three).toBeGreaterThan(0);
	});

	it('counts what moved, not what somebody else got meanwhile', async () => {
		const { desk, work, assigned } = await startDesk({
			onRequest({ method, path }) {
				if (method !== 'POST' || !path.includes('/tickets/')) return;
				const last = [...desk.store.tickets.values()].filter(({ assignee }) => assignee === 3).at(-1);
				if (last !== undefined && taken++ === 0) last.assignee = 4;
			},
		});
		let taken = 0;
		const three = assigned(3);
		const result = await work.run('user delete 3 --reassign 5 --move-tickets --yes -j 1');
		expect(result, result.stderr).toMatchObject({ exitCode: 0 });
		expect(result.stderr).toContain(
			`${three - 1} of ${three} tickets of user 3 moved to user 5 (assignee); the others were reassigned meanwhile`,
		);
		expect(result.stderr).toContain(`${three - 1} tickets of user 3 moved to user 5 first`);
		expect((await work.run('run show last')).stdout).toContain(`${three - 1} tickets of user 3 moved to user 5 first`);
	});

	it('gives the tickets of each user to their own receiver, who is no leaver', async () => {
		const { work, assigned } = await startDesk();
		const [three, four] = [assigned(3), assigned(4)];
		work.write('leavers.csv', 'id,reassign\n3,4\n4,5\n');
		const chain = await work.run('user delete --input leavers.csv --move-tickets --yes');
		expect(chain).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('reassigns to user 4, who is also') });
		work.write('leavers.csv', 'id,reassign\n3,2\n4,5\n');
		const result = await work.run('user delete --input leavers.csv --move-tickets --yes');
		expect(result, result.stderr).toMatchObject({ exitCode: 0 });
		expect(result.stderr).toContain(
			`${three + four} tickets of deleted users moved to whoever received the posts first`,
		);
		expect([assigned(3), assigned(4)]).toEqual([0, 0]);
	});

	it('shows at a terminal that it moves tickets', async () => {
		const { work } = await startDesk();
		const { exitCode, raw } = await runInTerminal('user delete 3 --reassign 5 --move-tickets --yes'.split(' '), {
			env: work.env,
		});
		expect([exitCode, raw]).toEqual([0, expect.stringContaining('moving tickets of user 3')]);
	});

	it('is in the history of the user', async () => {
		const { work, assigned } = await startDesk();
		const three = assigned(3);
		await work.run('user delete 3 --reassign 5 --move-tickets --yes');
		const history = await work.run('user history 3');
		expect(history.stderr).toContain(`${three} tickets of user 3 moved to user 5 first; to move them back`);
		expect((await work.run('user history 3 --json')).stderr).toContain('"leaves":');
	});

	it('moves the tickets of more users than one list has', async () => {
		const { desk, work, assigned } = await startDesk({ seed: 150 });
		const [model] = desk.store.users.values();
		const ids = Array.from({ length: 101 }, (_, at) => 1000 + at);
		for (const id of ids) if (model !== undefined) desk.store.users.set(id, { ...model, id, username: `leaver${id}` });
		for (const [at, ticket] of [...desk.store.tickets.values()].entries()) ticket.assignee = ids[at] ?? 5;
		work.write('leavers.csv', ['id', ...ids].join('\n'));
		const result = await work.run('user delete --input leavers.csv --reassign 5 --move-tickets --yes --quiet');
		expect(result, result.stderr).toMatchObject({ exitCode: 0 });
		expect(assigned(5)).toBe(desk.store.tickets.size);
		expect(ids.some((id) => desk.store.users.has(id))).toBe(false);
		expect(result.stderr).toContain('101 tickets of deleted users moved to user 5 first, by 101 runs');
		// One run for each of 101 users.
	}, 120_000);

	it('is part of a plan, which says so, and moves what is assigned when the plan is applied', async () => {
		const { desk, work, assigned } = await startDesk();
		expect((await work.run('user delete 3 --reassign 5 --move-tickets --plan plan.json')).exitCode).toBe(0);
		const moved = `${assigned(3)} tickets assigned to user 3 are moved first, to the user who receives the posts`;
		expect((await work.run('run show plan.json')).stderr).toContain(moved);
		const free = [...desk.store.tickets.values()].find(({ assignee }) => assignee === 4);
		Object.assign(free ?? {}, { assignee: 3 });
		const applied = await work.run('run apply plan.json --yes');
		expect(applied, applied.stderr).toMatchObject({ exitCode: 0 });
		expect(assigned(3)).toBe(0);
		expect(desk.store.users.has(3)).toBe(false);
		expect(applied.stderr).toMatch(/tickets of user 3 moved to user 5 first; .*: supportctl run undo \S+/);
		expect((await work.run('run undo last')).stderr).toContain('tickets of user 3 moved to user 5 first');
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
	it('is deleted with a note that names the children that move up, and how to put them below another one', async () => {
		const { desk, work } = await startDesk();
		const [parent, ...others] = [...desk.store.terms.values()].filter(({ taxonomy }) => taxonomy === 'product');
		const children = others.slice(0, 2);
		for (const child of children) child.parent = parent?.id ?? 0;
		const [one, two] = children;
		const note = `2 child terms of product term ${parent?.id} (${one?.name}, ${two?.name}) move up`;
		const dry = await work.run(`term delete product ${parent?.id} --force -n`);
		expect(dry.stderr).toContain(note);
		const prompts = scriptedPrompts([/Continue/, true]);
		const deleted = await work.run(`term delete product ${parent?.id} --force`, { prompts });
		expect(deleted.stderr).toContain(`Note: ${note}.`);
		expect(children.map(({ parent }) => parent)).toEqual([0, 0]);
		const command = `term update product ${one?.id} ${two?.id} --parent TERM --undocumented`;
		const after = `2 child terms of product term ${parent?.id} moved up; to put them below another term: supportctl ${command}`;
		expect(deleted.stderr).toContain(after);
		expect((await work.run('run undo last')).stderr).toContain(after);
		expect((await work.run(`term history product ${parent?.id}`)).stderr).toContain(after);
		const put = await work.run(command.replace('TERM', String(others[2]?.id)));
		expect(put, put.stderr).toMatchObject({ exitCode: 0 });
		expect(children.map(({ parent }) => parent)).toEqual([others[2]?.id, others[2]?.id]);
	});
});
