/** What stands between a bulk command and its first request: counts, questions, protected profiles, rules over the whole set. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Words, wordsOf } from '../support/cli.js';
import { startDesk } from '../support/desk.js';
import { done, json, type Responder, startRecorder, withoutLists } from '../support/recorder.js';
import { scriptedPrompts } from '../support/scripted-prompts.js';
import { runInTerminal } from '../support/terminal.js';
import { createWorkplace, hastyClock, startWorkplace } from '../support/workplace.js';

describe('--expect and --max', () => {
	it.each([
		[['--expect', '4'], 2, '--expect 4, but there are 3 rows; nothing was sent'],
		[['--expect', '2'], 2, '--expect 2, but there are 3 rows; nothing was sent'],
		[['--max', '2'], 2, '--max 2, but there are 3 rows; nothing was sent'],
		[['--expect', '3', '--max', '3'], 0, ''],
	])('%j', async (flags, exitCode, message) => {
		const { recorder, work } = await startDesk(done());
		work.write('edits.csv', 'id,status\n1,hold\n2,hold\n3,hold\n');
		const result = await work.run(['ticket', 'update', '--input', 'edits.csv', '-q', ...flags]);
		expect(result.exitCode).toBe(exitCode);
		expect(result.stderr).toBe(message === '' ? '' : `error: ${message}\n`);
		expect(recorder.writes).toHaveLength(exitCode === 0 ? 3 : 0);
	});

	it('count the whole input, also for a shard of it', async () => {
		const { recorder, work } = await startDesk(done());
		work.edits(40);
		const args = ['ticket', 'update', '--input', 'edits.csv', '-q', '--shard', '1/4', '--expect', '40'];
		expect((await work.run(args)).exitCode).toBe(0);
		expect(recorder.writes.length).toBeGreaterThan(0);
		expect(recorder.writes.length).toBeLessThan(40);
	});
});

describe('a delete', () => {
	it('of one object needs --yes without a terminal', async () => {
		const { recorder, work, host } = await startWorkplace(done());
		const { exitCode, stderr } = await work.run('ticket delete 14');
		const asked = `error: refusing to move 1 ticket to the trash on ${host} without confirmation; pass --yes\n`;
		expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: asked });
		expect(recorder.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	});

	it('asks once, naming count, ids, host and profile, and goes on at a yes', async () => {
		const { recorder, work, host } = await startWorkplace(done());
		await work.run(
			[
				'profile',
				'set',
				'live',
				'--base-url',
				recorder.baseUrl,
				'--username',
				'ada',
				'--password-stdin',
				'--insecure-storage',
			],
			{
				stdin: 'pw',
				env: { SUPPORTCTL_BASE_URL: undefined, SUPPORTCTL_USERNAME: undefined, SUPPORTCTL_PASSWORD: undefined },
			},
		);
		const prompts = scriptedPrompts([/./, true]);
		const result = await work.run('ticket delete - --force -q --profile live', {
			prompts,
			stdin: '1\n2\n',
			env: { SUPPORTCTL_BASE_URL: undefined, SUPPORTCTL_USERNAME: undefined, SUPPORTCTL_PASSWORD: undefined },
		});
		const told = [
			`Permanently delete 2 tickets on ${host} (profile live)`,
			'  ticket 1 "old": permanently deleted',
			'  ticket 2 "old": permanently deleted',
		];
		expect(result).toMatchObject({ exitCode: 0, stderr: `${told.join('\n')}\n` });
		expect(prompts.asked).toEqual(['Continue?']);
		expect(recorder.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(2);
	});

	it('sends nothing at a no, exit code 2, and leaves no copy of its input', async () => {
		const { recorder, work, host } = await startWorkplace(done());
		const prompts = scriptedPrompts([/./, false]);
		const result = await work.run('ticket delete -', { prompts, stdin: '1\n' });
		const told = `Move 1 ticket to the trash on ${host}\n  ticket 1 "old": to the trash\n`;
		expect(result).toEqual({ exitCode: 2, stdout: '', stderr: `${told}error: canceled; nothing was sent\n` });
		expect([recorder.requests.filter(({ method }) => method === 'DELETE'), work.spooled(), work.journals()]).toEqual([
			[],
			[],
			[],
		]);
	});

	it('asks in a real terminal, and takes n, y and Ctrl-C', async () => {
		const { recorder, host } = await startDesk(done());
		for (const [key, exitCode] of [
			['n\r', 2],
			['\x03', 130],
			['y\r', 0],
		] as const) {
			const options = { env: recorder.env, script: [[/\?/, key]] as const };
			const result = await runInTerminal('ticket delete 14 15', options);
			expect(result.lines.slice(0, 3)).toEqual([
				`Move 2 tickets to the trash on ${host}`,
				'  ticket 14 "old": to the trash',
				'  ticket 15 "old": to the trash',
			]);
			expect(result.exitCode).toBe(exitCode);
			expect(recorder.writes).toHaveLength(exitCode === 0 ? 2 : 0);
		}
	});

	it('says which are moved to the trash and which are permanent, and names the first ten', async () => {
		const { work, host } = await startWorkplace(done());
		const told = async (...args: string[]): Promise<string> => {
			const prompts = scriptedPrompts([/./, false]);
			const { stderr } = await work.run(['ticket', 'delete', '--input', 'tickets.csv', ...args], { prompts });
			return stderr.replace(` on ${host}\n`, '\n').replace('error: canceled; nothing was sent\n', '');
		};
		work.write('tickets.csv', 'id,force\n1,true\n2,\n3,no\n');
		expect(await told()).toBe(
			'Delete 3 tickets, some of them permanently\n  2 to the trash, 1 permanently deleted\n' +
				'  ticket 1 "old": permanently deleted\n  ticket 2 "old": to the trash\n  ticket 3 "old": to the trash\n',
		);
		expect(await told('--force')).toContain('\n  2 permanently deleted, 1 to the trash\n');
		work.write('tickets.csv', 'id,force\n1,true\n2,yes\n');
		expect(await told()).toMatch(/^Permanently delete 2 tickets\n/);
		work.sheet('tickets.csv', 'id', 12, (row) => String(row));
		expect(await told()).toMatch(
			/^Move 12 tickets to the trash\n {2}12 to the trash\n {2}ticket 1 .*\n( {2}ticket \d+ .*\n){9} {2}… and 2 more\n$/,
		);
	});

	it('needs --yes without a terminal', async () => {
		const { recorder, work, host } = await startWorkplace(done());
		const result = await work.run('user password delete 7 ci-key old-key');
		expect(result.exitCode).toBe(2);
		expect(result.stderr).toBe(
			`error: refusing to permanently delete 2 application passwords on ${host} without confirmation; pass --yes\n`,
		);
		expect(recorder.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	});
});

describe('a protected profile', () => {
	async function place(...flags: readonly string[]) {
		const { recorder, work, host } = await startDesk(done());
		const bare = { SUPPORTCTL_BASE_URL: undefined, SUPPORTCTL_USERNAME: undefined, SUPPORTCTL_PASSWORD: undefined };
		const set = ['profile', 'set', 'live', '--base-url', recorder.baseUrl, '--username', 'ada', ...flags];
		const made = await work.run([...set, '--password-stdin', '--insecure-storage'], { stdin: 'pw', env: bare });
		expect(made.exitCode).toBe(0);
		const run = (args: Words) => work.run([...wordsOf(args), '--profile', 'live', '-q'], { env: bare });
		return { recorder, run, host };
	}

	const protectedPlace = () => place('--protected');
	const unprotectedPlace = () => place();

	it('needs --confirm with its name for every write, whatever else is said', async () => {
		const { recorder, run, host } = await protectedPlace();
		for (const args of [
			['ticket', 'update', '14', '--status', 'hold'],
			['ticket', 'delete', '14', '15', '--yes'],
			['ticket', 'fields', 'set', '14', '--set', 'a=b'],
		]) {
			for (const more of [[], ['--confirm', 'test']]) {
				const result = await run([...args, ...more]);
				expect(result.exitCode).toBe(2);
				expect(result.stderr).toMatch(new RegExp(`pass --confirm=live to .* on ${host} \\(profile live\\)`));
			}
			expect(recorder.writes).toEqual([]);
			expect((await run([...args, '--confirm=live'])).exitCode).toBe(0);
			recorder.writes.length = 0;
		}
	});

	it.each([
		'ticket update 1 --status hold',
		'ticket update 1 2 --status hold -q',
		'api POST /tickets/1 -f status=hold',
	])('that is not the one in use is refused by %s, whether it is protected or not', async (line) => {
		const { recorder, run } = await unprotectedPlace();
		const other = await run(`${line} --confirm=other`);
		expect([other.exitCode, other.stderr]).toEqual([
			2,
			expect.stringContaining('--confirm=other, but the profile is live'),
		]);
		expect(recorder.writes).toEqual([]);
		expect((await run(`${line} --confirm=live`)).exitCode).toBe(0);
	});

	it('needs none for reads and for --dry-run', async () => {
		const { recorder, run } = await protectedPlace();
		expect((await run('ticket fields get 14')).exitCode).toBe(0);
		expect((await run('ticket update 14 --status hold --dry-run')).exitCode).toBe(0);
		expect(recorder.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
	});
});

describe('deleting users', () => {
	it('refuses a receiver who is also being deleted, also in another shard', async () => {
		const { recorder, work } = await startWorkplace(done());
		work.sheet('users.csv', 'id,reassign', 50, (row) => `${row + 100},${row === 7 ? 150 : 2}`);
		for (const shard of ['1/8', '5/8']) {
			const result = await work.run(['user', 'delete', '--input', 'users.csv', '--yes', '--shard', shard]);
			expect(result.exitCode).toBe(2);
			expect(result.stderr).toContain('row 7 reassigns to user 150, who is also being deleted; nothing was sent');
		}
		expect(recorder.requests).toEqual([]);
	});

	it.each(['--yes', '--dry-run', '--plan own.plan'])(
		'refuses your own account, wherever it stands in the file, with %s',
		async (flags) => {
			const { recorder, work } = await startWorkplace(done());
			work.sheet('users.csv', 'id', 99, (row) => String(row));
			const result = await work.run(`user delete --input users.csv --reassign 1000 ${flags}`);
			expect(result.exitCode).toBe(2);
			expect(result.stderr).toContain('user 1 is your own account (ada); nothing was sent');
			expect(recorder.requests.map(({ method }) => method)).not.toContain('DELETE');
			expect(existsSync(join(work.folder, 'own.plan'))).toBe(false);
		},
	);

	/** Deletes user 5 on a service that knows no username; `me` and `other` respond to reads. */
	const deleting = async (me: Responder, other: Responder, env: Record<string, string | undefined> = {}) => {
		const recorder = await startRecorder((request, response, count) => {
			const responder =
				request.method === 'DELETE'
					? done()
					: request.method === 'POST'
						? json(400, { code: 'invalid_username', message: 'Unknown.' })
						: request.url.includes('/users/me')
							? me
							: other;
			responder(request, response, count);
		});
		const work = createWorkplace(recorder.env);
		const result = await work.run('user delete 5 --reassign 2 --yes', { env, clock: hastyClock(100) });
		return { ...result, deleted: recorder.requests.filter(({ method }) => method === 'DELETE').length };
	};
	const noRoute = json(404, { code: 'rest_no_route', message: 'No route.' });
	const unchecked = 'warning: could not check whether this deletes your own account: No route.';

	it('finds your own account for a sign-in by email, and says so if it can not be checked', async () => {
		const own = await deleting(json(200, { id: 5 }), noRoute, { SUPPORTCTL_USERNAME: 'ada@desk.example' });
		expect(own).toMatchObject({ exitCode: 2, deleted: 0 });
		expect(own.stderr).toContain('user 5 is your own account (ada@desk.example); nothing was sent');
		const another = await deleting(json(200, { id: 6 }), noRoute);
		expect(another).toMatchObject({ exitCode: 0, deleted: 1, stderr: '' });
		const unknown = await deleting(noRoute, noRoute);
		expect(unknown).toMatchObject({ exitCode: 0, deleted: 1, stderr: expect.stringContaining(unchecked) });
	});

	it('looks up who receives what is left, where the service allows it', async () => {
		const unseen = await deleting(json(200, { id: 6 }), json(200, []));
		expect(unseen).toMatchObject({ exitCode: 2, deleted: 0 });
		expect(unseen.stderr).toContain("can't reassign to user 2: the service shows users, but not this one");
		const gone = await deleting(json(200, { id: 6 }), json(200, [], { 'x-wp-total': '0' }));
		expect(gone).toMatchObject({ exitCode: 2, deleted: 0 });
		expect(gone.stderr).toContain("can't reassign to user 2: user not found; nothing was sent");
		const there = await deleting(json(200, { id: 6 }), json(200, [{ id: 2 }]));
		expect(there).toMatchObject({ exitCode: 0, deleted: 1 });
	});
});

describe('user delete by name', () => {
	/** Names are found until their user is deleted; `broken` ids fail. */
	async function desk(broken: number[] = []) {
		const users: Record<string, number> = { ada: 1, grace: 8, lin: 9, mary: 10 };
		const gone = new Set<number>();
		const recorder = await startRecorder((request) => {
			const id = Number(/users\/(\d+)/.exec(request.url)?.[1]);
			if (request.url.endsWith('/username')) {
				const found = users[(JSON.parse(request.body) as { username: string }).username];
				if (found === undefined || gone.has(found)) return json(400, { code: 'invalid_username', message: 'Unknown.' });
				return json(200, { id: found });
			}
			const refusal = withoutLists(request);
			if (refusal !== undefined) return refusal;
			if (request.method !== 'DELETE') return json(200, { id });
			if (broken.includes(id)) return json(401, { code: 'rest_no', message: 'No.' });
			gone.add(id);
			return json(200, { deleted: true, previous: { id } });
		});
		const work = createWorkplace(recorder.env);
		const deleted = () =>
			recorder.requests.filter(({ method }) => method === 'DELETE').map(({ url }) => url.split('/users/')[1]);
		return { work, deleted, broken, users };
	}

	it('deletes the users that have the names', async () => {
		const { work, deleted } = await desk();
		const args = 'user delete grace lin --reassign mary --yes -q -j 1'.split(' ');
		expect((await work.run(args)).exitCode).toBe(0);
		expect(deleted()).toEqual(['8?force=true&reassign=10', '9?force=true&reassign=10']);
	});

	it('deletes no user where a name is unknown, and says on which line', async () => {
		const { work, deleted } = await desk();
		work.write('x.csv', 'username,reassign\ngrace,mary\nnobody,mary\n');
		const result = await work.run('user delete --input x.csv --yes'.split(' '));
		expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining('row 2 (x.csv line 3)')]);
		expect(result.stderr).toContain('user "nobody" not found');
		expect(deleted()).toEqual([]);
	});

	it.each([
		['grace lin --reassign lin', 'who is also being deleted'],
		['grace --reassign nobody', 'user "nobody" not found'],
		['ada grace --reassign 10', 'is your own account'],
	])('%s is refused', async (names, why) => {
		const { work, deleted } = await desk();
		const result = await work.run(`user delete ${names} --yes`.split(' '));
		expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining(why)]);
		expect(deleted()).toEqual([]);
	});

	it('names the users before it asks', async () => {
		const { work } = await desk();
		const prompts = scriptedPrompts([/./, false]);
		const result = await work.run('user delete grace lin --reassign 10', { prompts });
		expect(result.stderr).toContain('  user 8 "grace": permanently deleted; posts go to ');
		expect(result.stderr).toContain('  user 9 "lin": permanently deleted; posts go to ');
	});

	it('asks without what a name in the input would do to the terminal', async () => {
		const { work, users } = await desk();
		users['gr\x1b[2Kace'] = 8;
		work.write('x.csv', 'username,reassign\ngr\x1b[2Kace,10\n');
		const prompts = scriptedPrompts([/./, false]);
		const { stderr } = await work.run('user delete --input x.csv', { prompts });
		expect(stderr).toContain('\n  user 8 "gr\\u001b[2Kace": permanently deleted; posts go to user 10\n');
	});

	it('takes @me for who receives', async () => {
		const { work, deleted, users } = await desk();
		work.write('x.csv', 'id,reassign\n8,@me\n9,10\n');
		expect((await work.run('user delete --input x.csv --yes -q -j 1'.split(' '))).exitCode).toBe(0);
		expect(deleted()).toEqual([`8?force=true&reassign=${users.ada}`, '9?force=true&reassign=10']);
		work.write('x.csv', `id,reassign\n8,@me\n${users.ada},10\n`);
		const own = await work.run('user delete --input x.csv --yes'.split(' '));
		expect([own.exitCode, own.stderr]).toEqual([2, expect.stringContaining('who is also being deleted')]);
	});

	it('takes an id and the name of who receives', async () => {
		const { work, deleted } = await desk();
		work.write('x.csv', 'id,reassign\n8,mary\n9,nobody\n');
		const result = await work.run('user delete --input x.csv --skip-invalid --yes -q'.split(' '));
		expect([result.exitCode, deleted()]).toEqual([3, ['8?force=true&reassign=10']]);
		expect(result.stderr).toContain('user "nobody" not found');
	});

	it('resumes with the ids that it found, though a deleted user has no name any more', async () => {
		const { work, deleted, broken } = await desk([9]);
		const args = 'user delete grace lin --reassign mary --yes -q -j 1'.split(' ');
		expect((await work.run(args)).exitCode).toBe(4);
		broken.length = 0;
		const resumed = await work.run('run resume last --yes -q'.split(' '));
		expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
		expect(deleted()).toEqual(['8', '9', '9'].map((id) => `${id}?force=true&reassign=10`));
	});

	it('resumes with the names that it did not find, though there is such a user by now', async () => {
		const { work, deleted, users } = await desk();
		work.write('x.csv', 'username,reassign\ngrace,10\neve,10\nlin,10\n');
		const args = 'user delete --input x.csv --skip-invalid --first 1 --yes -q'.split(' ');
		expect((await work.run(args)).exitCode).toBe(0);
		users.eve = 12;
		expect((await work.run('run resume last --yes -q'.split(' '))).exitCode).toBe(3);
		expect(deleted()).toEqual(['8', '9'].map((id) => `${id}?force=true&reassign=10`));
	});
});
