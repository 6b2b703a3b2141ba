/** What a person is asked before a write. */

import { describe, expect, it } from 'vitest';
import { startDesk } from '../../support/desk.js';
import { done, json, type Responder } from '../../support/recorder.js';
import { scriptedPrompts } from '../../support/scripted-prompts.js';
import { hastyClock, startWorkplace } from '../../support/workplace.js';

/** Accepts an update of any ticket, and shows what was sent. */
const ok: Responder = (request, response, count) => {
	const sent = request.body === '' ? { title: 'x' } : JSON.parse(request.body);
	return json(200, { ...sent, id: Number(/tickets\/(\d+)/.exec(request.url)?.[1]) })(request, response, count);
};

describe('an update of more than 50 objects', () => {
	it('asks once on a terminal: how many, which fields, where, and whether it can be undone', async () => {
		const { recorder, work } = await startDesk(ok);
		work.edits(51);
		const prompts = scriptedPrompts([/./, false]);
		const refused = await work.run('ticket update --input edits.csv', { prompts });
		expect(refused.exitCode).toBe(2);
		expect(prompts.asked).toEqual(['Continue?']);
		expect(refused.stderr.replace(/:\d+\n/, '\n')).toBe(
			[
				'Update 51 tickets on 127.0.0.1',
				'  51 statuses: hold',
				'Note: fields that already have the new value are not sent.',
				'Note: run undo can restore the old values.',
				'error: canceled; nothing was sent\n',
			].join('\n'),
		);
		expect(recorder.writes).toEqual([]);
		const agreed = scriptedPrompts([/Continue/, true]);
		await work.run('ticket update --input edits.csv', { prompts: agreed });
		expect(recorder.writes).toHaveLength(51);
	});

	it('is not asked about with --yes, without a terminal, for 50 objects, or in a dry run', async () => {
		const { recorder, work } = await startWorkplace(done());
		work.edits(51);
		const prompts = scriptedPrompts();
		await work.run('ticket update --input edits.csv --yes', { prompts });
		await work.run('ticket update --input edits.csv');
		await work.run('ticket update --input edits.csv -n', { prompts });
		work.edits(50);
		await work.run('ticket update --input edits.csv', { prompts });
		expect(recorder.requests.filter(({ method }) => method === 'POST')).toHaveLength(152);
	});

	it('is asked about again when the rest of it is resumed', async () => {
		const { recorder, work } = await startDesk(ok);
		work.edits(60);
		await work.run('ticket update --input edits.csv --first 5');
		const prompts = scriptedPrompts([/./, false]);
		const resumed = await work.run('run resume last', { prompts });
		expect([resumed.exitCode, resumed.stderr]).toEqual([
			2,
			expect.stringMatching(/^Update 55 tickets on .*\n {2}55 statuses: hold\n/),
		]);
		expect(recorder.writes).toHaveLength(5);
	});
});

describe('a delete', () => {
	const desk = () =>
		startWorkplace((request, response, count) => {
			const id = Number(/users\/(\d+)/.exec(request.url)?.[1]);
			if (request.url.endsWith('/passwords'))
				return json(200, [{ slug: 'abc', name: 'Phone' }])(request, response, count);
			const users = /include=([\d%C,]+)/.exec(request.url)?.[1]?.split('%2C') ?? [];
			if (request.method === 'GET') {
				return json(
					200,
					users.map((each) => ({ id: Number(each), username: `user${each}` })),
				)(request, response, count);
			}
			return json(200, { deleted: true, id })(request, response, count);
		});

	it('of users names them and who receives their posts', async () => {
		const { work } = await desk();
		const prompts = scriptedPrompts([/./, false]);
		const { stderr } = await work.run('user delete 7 --reassign 2', { prompts, clock: hastyClock(100) });
		expect(stderr).toMatch(
			/\nPermanently delete 1 user on .*\n {2}user 7 "user7": permanently deleted; posts go to user2\n/,
		);
	});

	it('of terms names their taxonomies', async () => {
		const { work } = await desk();
		const prompts = scriptedPrompts([/./, false]);
		const { stderr } = await work.run('term delete product 7 8 --force', { prompts });
		expect(stderr).toMatch(/^Permanently delete 2 terms on .*\n {2}product term 7.*\n {2}product term 8/);
	});

	it('of passwords names them', async () => {
		const { work } = await desk();
		const prompts = scriptedPrompts([/./, false]);
		const { stderr } = await work.run('user password delete 7 abc', { prompts });
		expect(stderr).toContain('  application password abc of user 7 "Phone": permanently deleted\n');
	});
});

describe('an undo', () => {
	it('asks with the command, its file and age, and what each object gets back', async () => {
		const { recorder, work } = await startDesk(ok);
		work.write('night.csv', 'id,title,status\n7,new,hold\n8,new,hold\n');
		await work.run('ticket update --input night.csv');
		const writes = recorder.writes.length;
		const prompts = scriptedPrompts([/./, false], [/./, false]);
		const { stderr } = await work.run('run undo last', { prompts });
		expect(
			stderr
				.replace(/run \S+/, 'run RUN')
				.replace(/just now|\d+ min ago/, 'AGE')
				.replace(/:\d+\n/, '\n'),
		).toBe(
			[
				'Undo run RUN (ticket update of night.csv, AGE, 2 tickets) on 127.0.0.1',
				'  2 titles: old · 2 statuses: queued',
				'  ticket 7 "new": title new → old; status hold → queued',
				'  ticket 8 "new": title new → old; status hold → queued',
				'error: canceled; nothing was sent\n',
			].join('\n'),
		);
		const part = await work.run('run undo last --ids 7', { prompts });
		expect(part.stderr).toContain('Not sent: 1 left out: ticket 8\n');
		expect(recorder.writes).toHaveLength(writes);
	});
});

describe('--max', () => {
	it('is a setting of the profile, which a flag replaces', async () => {
		const { recorder, work } = await startDesk(ok);
		const env = { ...work.env };
		await work.run(`profile set desk --base-url ${recorder.baseUrl} --scheme none --max 3`);
		work.edits(4);
		const refused = await work.run('ticket update --input edits.csv --profile desk', { env });
		expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('at most 3 rows, but there are 4')]);
		expect((await work.run('ticket update --input edits.csv --profile desk --max 4', { env })).exitCode).toBe(0);
	});
});

describe('--for and --until', () => {
	it('begin no row after that time, exit with 3 and name the resume, which sends the rest', async () => {
		const { recorder, work } = await startDesk((request, response, count) => {
			setTimeout(() => ok(request, response, count), 100);
		});
		work.edits(40);
		const result = await work.run('ticket update --input edits.csv -j 2 --for 0.5s');
		expect(result.exitCode).toBe(3);
		const sent = recorder.writes.length;
		expect(sent).toBeGreaterThan(1);
		expect(sent).toBeLessThan(40);
		expect(result.stderr).toMatch(/^stopped at .*: time is up\nSend the rest: supportctl run resume /m);
		expect(result.stderr).toMatch(new RegExp(`: ${sent} ok, ${40 - sent} not sent\\n$`));
		expect((await work.run('run resume last --for 1h')).exitCode).toBe(0);
		expect(recorder.writes).toHaveLength(40);
	});

	it('that has passed already is not a failure: nothing is sent, and all rows are left', async () => {
		const { recorder, work } = await startDesk(ok);
		work.edits(3);
		const { exitCode, stderr } = await work.run('ticket update --input edits.csv --for 0s');
		expect([exitCode, recorder.writes.length]).toEqual([3, 0]);
		expect(stderr).toMatch(/time is up\nSend the rest: supportctl run resume /);
	});

	it('say nothing where the run ends before', async () => {
		const { work } = await startDesk(ok);
		work.edits(3);
		const result = await work.run('ticket update --input edits.csv --until 2999-01-01T00:00');
		expect([result.exitCode, result.stderr]).toEqual([0, expect.not.stringContaining('stopped')]);
	});

	it('are refused together', async () => {
		const { work } = await startDesk(ok);
		expect((await work.run('ticket update 1 2 --title x --for 1h --until 06:00')).exitCode).toBe(2);
	});
});

describe('--rate', () => {
	it('that is close to zero waits without overflowing a timer', async () => {
		const { recorder, work } = await startDesk(ok);
		work.edits(3);
		await work.run('ticket update --input edits.csv --rate 0.0000001 --no-snapshot --for 1s');
		expect(recorder.writes).toHaveLength(1);
	});
});

describe('--add-ticket-tag', () => {
	it('is enough for a sheet of IDs alone', async () => {
		const { recorder, work } = await startWorkplace((request, response, count) =>
			json(200, { id: 1, 'ticket-tag': [4] })(request, response, count),
		);
		work.write('ids.csv', 'id\n1\n');
		const result = await work.run('ticket update --input ids.csv --add-ticket-tag 5');
		expect(recorder.requests.at(-1)?.body, result.stderr).toContain('[4,5]');
		const dry = await work.run('ticket update --input ids.csv --add-ticket-tag 5 -n');
		expect(dry.stderr).toMatch(/: 1 ticket would change: 1 tag; nothing was sent\n$/);
	});
});

describe('after a run with --snapshot', () => {
	it('the command that undoes it is printed', async () => {
		const { work } = await startDesk(({ method, url }) =>
			json(200, { id: Number(/\d+$/.exec(url.split('?')[0] ?? '')), title: method === 'GET' ? 'old' : 'x' }),
		);
		const { stderr } = await work.run('ticket update 1 2 --title x --snapshot');
		expect(stderr).toMatch(/^Undo: supportctl run undo \d{8}-\d{6}-\w+\nrun /);
		expect((await work.run('ticket update 1 2 --title x')).stderr).toMatch(/^run /);
	});
});
