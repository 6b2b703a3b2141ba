/** Rows of the same ID: one after another, also if a run is resumed or retried. */

import { describe, expect, it } from 'vitest';
import { startDesk } from '../support/desk.js';
import { done, idOf, json } from '../support/recorder.js';

describe('rows of one id', () => {
	it.each([
		['application passwords of one user', ['user', 'password', 'delete', '--yes'], 'user_id,slug', '7,a', '7,b', '8,c'],
		['one reply under several tickets', ['reply', 'update', '--status', 'read'], 'ticket_id,id', '1,7', '2,7', '2,8'],
	])('go one after another: %s', async (_what, command, ...input) => {
		const underWay: string[] = [];
		const together = new Set<string>();
		const { work } = await startDesk((request, response, count) => {
			underWay.push(request.url);
			if (underWay.length > 1) together.add([...underWay].sort().join(' and '));
			setTimeout(() => {
				underWay.splice(underWay.indexOf(request.url), 1);
				done()(request, response, count);
			}, 50);
		});
		work.write('rows.csv', input.join('\n'));
		const result = await work.run([...command, '--input', 'rows.csv', '-j', '4', '-q']);
		expect(result.exitCode).toBe(0);
		const pairs = [...together].map((urls) => urls.replaceAll('/wp-json/support-api/v1', ''));
		expect(pairs.length).toBeGreaterThan(0);
		for (const pair of pairs) expect(pair).toMatch(/^\S+ and \S+$/);
		expect(pairs.filter((pair) => !/users\/8|replies\/8/.test(pair))).toEqual([]);
	});

	/** A service that refuses or loses the status `hold` of ticket 5 until it is let go. */
	async function desk(instead: 'lost' | 'refused') {
		let isOpen = false;
		const held = new Map<number, Record<string, unknown>>();
		const { recorder, work } = await startDesk((request, response) => {
			const sent = JSON.parse(request.body) as Record<string, unknown>;
			if (!isOpen && sent.status === 'hold' && idOf(request) === 5) {
				return instead === 'lost' ? void response.destroy() : json(403, { code: 'rest_no', message: 'Sorry.' });
			}
			held.set(idOf(request), { ...held.get(idOf(request)), ...sent });
			return json(200, { id: idOf(request), ...held.get(idOf(request)) });
		});
		const open = (): void => {
			isOpen = true;
			recorder.writes.length = 0;
		};
		return { recorder, work, held, open };
	}

	it.each([
		['lost', 'resume'],
		['lost', 'retry'],
		['refused', 'retry'],
	] as const)(
		'keep their order: an earlier row that was %s is not written over a later one by run %s',
		async (what, verb) => {
			const { recorder, work, held, open } = await desk(what);
			work.write('edits.csv', 'id,status\n5,hold\n6,hold\n5,pending\n6,pending\n');
			await work.run('ticket update --input edits.csv --retries 0 -j 1 -q');
			open();
			const dry = await work.run(`run ${verb} last --dry-run`);
			expect(dry.stdout).toMatch(/^5\t.*row 3 set the same object later/);
			expect(dry.stderr).toContain('nothing to send; nothing was sent');
			const { exitCode, stderr } = await work.run(`run ${verb} last`);
			expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/: 4 rows in .*: 3 ok, 1 skipped\n$/)]);
			expect(recorder.writes).toEqual([]);
			expect(held.get(5)).toEqual({ status: 'pending' });
			const shown = await work.run('run show last --outcome skipped --json');
			expect(JSON.parse(shown.stdout)).toMatchObject([{ row: 1, id: 5, code: 'superseded' }]);
			expect((await work.run(`run ${verb} last`)).stderr).toMatch(/^nothing to send/);
		},
	);

	it('list as a change of an earlier row only what a later row did not set', async () => {
		const { work, open } = await desk('lost');
		work.write('edits.csv', 'id,status,title\n5,hold,first\n5,pending,\n');
		await work.run('ticket update --input edits.csv --retries 0 -j 1 -q');
		open();
		expect((await work.run('run resume last -q')).exitCode).toBe(0);
		const { stdout } = await work.run('run show last --changes');
		const changes = stdout
			.trimEnd()
			.split('\n')
			.map((line) => line.split('\t'));
		expect(changes.map(([row, , , field, , value]) => [row, field, value])).toEqual([
			['1', 'title', 'first'],
			['2', 'status', 'pending'],
		]);
		const history = JSON.parse((await work.run('ticket history 5 --json')).stdout);
		expect(history.map(({ changes: all }: { changes: { field: string }[] }) => all.map(({ field }) => field))).toEqual([
			['status'],
			['title'],
		]);
	});

	it('send the fields of an earlier row that no later row set', async () => {
		const { recorder, work, held, open } = await desk('refused');
		work.write('edits.csv', 'id,status,title\n5,hold,new\n5,pending,\n');
		await work.run('ticket update --input edits.csv -j 1 -q');
		open();
		const { exitCode, stderr } = await work.run('run retry last');
		expect(exitCode).toBe(0);
		expect(stderr).toContain('row 1 (ticket 5): status not sent: row 2 set it later');
		expect(recorder.writes.map(({ body }) => JSON.parse(body))).toEqual([{ title: 'new' }]);
		expect(held.get(5)).toEqual({ status: 'pending', title: 'new' });
	});

	it('are sent again in order if the later one is open too', async () => {
		let isDown = true;
		let status: unknown;
		const { work } = await startDesk((request, response) => {
			if (isDown) return void response.destroy();
			({ status } = JSON.parse(request.body) as { status: string });
			return json(200, { id: 5, status });
		});
		work.write('edits.csv', 'id,status\n5,hold\n5,pending\n');
		await work.run('ticket update --input edits.csv --retries 0 -q');
		isDown = false;
		expect((await work.run('run resume last -q')).exitCode).toBe(0);
		expect(status).toBe('pending');
	});
});
