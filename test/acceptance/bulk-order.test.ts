/** Rows of the same id: one after another, also where a run is resumed. */

import { describe, expect, it } from 'vitest';
import { idOf, json } from '../support/recorder.js';
import { startWorkplace } from '../support/workplace.js';

const ok = json(200, { id: 1 });
const refused = json(401, { code: 'rest_no', message: 'Sorry.', data: { status: 401 } });

describe('rows of one id', () => {
	it.each([
		['application passwords of one user', ['user', 'password', 'delete', '--yes'], 'user_id,slug', '7,a', '7,b', '8,c'],
		['one reply under several tickets', ['reply', 'update', '--status', 'read'], 'ticket_id,id', '1,7', '2,7', '2,8'],
	])('go one after another: %s', async (_what, command, ...input) => {
		const underWay: string[] = [];
		const together = new Set<string>();
		const { work } = await startWorkplace((request, response, count) => {
			underWay.push(request.url);
			if (underWay.length > 1) together.add([...underWay].sort().join(' and '));
			setTimeout(() => {
				underWay.splice(underWay.indexOf(request.url), 1);
				json(200, { deleted: true })(request, response, count);
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

	it('keep their order through a resume: what overtook a row that is sent again is sent again after it', async () => {
		let lost = true;
		const held = new Map<number, string>();
		const { recorder, work } = await startWorkplace((request, response) => {
			const { status } = JSON.parse(request.body) as { status: string };
			if (lost && status === 'hold' && idOf(request) === 5) return void response.destroy();
			held.set(idOf(request), status);
			return ok;
		});
		work.write('edits.csv', 'id,status\n5,hold\n6,hold\n5,publish\n6,publish\n7,hold\n');
		const args = ['ticket', 'update', '--input', 'edits.csv', '--retries', '0', '-j', '1', '-q'];
		expect((await work.run(args)).exitCode).toBe(5);
		lost = false;
		recorder.requests.length = 0;
		const resumed = await work.run('run resume last');
		expect(resumed).toMatchObject({ exitCode: 0 });
		expect(recorder.requests.map((each) => [idOf(each), JSON.parse(each.body)])).toEqual([
			[5, { status: 'hold' }],
			[5, { status: 'publish' }],
		]);
		expect(held.get(5)).toBe('publish');
		expect(resumed.stderr).toMatch(/: 5 rows in .*: 5 ok\n$/);
		expect((await work.run('run resume last')).stderr).toMatch(/there is nothing to send/);
	});

	it('count once what differs of a row that is sent again', async () => {
		let lost = true;
		const { work } = await startWorkplace((request, response) => {
			const { status } = JSON.parse(request.body) as { status: string };
			if (lost && status === 'hold') return void response.destroy();
			return json(200, { id: 5, status: 'read' });
		});
		work.write('edits.csv', 'id,status\n5,hold\n5,publish\n');
		await work.run('ticket update --input edits.csv --retries 0 -q');
		lost = false;
		const resumed = await work.run('run resume last');
		expect(resumed.stderr).toMatch(/: 2 rows in .*: 2 differs\n$/);
	});

	it('are all open until the last of them was sent again', async () => {
		let responses: 'lost' | 'refused' | 'ok' = 'lost';
		const { recorder, work } = await startWorkplace((request, response) => {
			const { status } = JSON.parse(request.body) as { status: string };
			if (responses === 'lost' && status === 'hold') return void response.destroy();
			if (responses === 'refused' && status === 'publish') return refused;
			return ok;
		});
		work.write('edits.csv', 'id,status\n5,hold\n5,publish\n');
		await work.run('ticket update --input edits.csv --retries 0 -q');
		responses = 'refused';
		expect((await work.run('run resume last -q')).exitCode).toBe(4);
		responses = 'ok';
		recorder.requests.length = 0;
		expect((await work.run('run resume last -q')).exitCode).toBe(0);
		expect(recorder.requests.map(({ body }) => body)).toEqual(['{"status":"publish"}']);
	});

	it('are open in the journal before anything is sent, so that a resume which is stopped too forgets none', async () => {
		let stage: 'lost' | 'refused' | 'ok' = 'lost';
		let release = (): void => undefined;
		const isStopped = new Promise<void>((resolve) => {
			release = resolve;
		});
		let held = '';
		const { work } = await startWorkplace((request, response, count) => {
			const { status } = JSON.parse(request.body) as { status: string };
			if (stage === 'lost' && status === 'hold') return void response.destroy();
			if (stage === 'refused' && idOf(request) === 9) {
				response.on('close', release);
				return refused;
			}
			if (idOf(request) === 5) held = status;
			if (stage !== 'refused') return ok;
			// Responds when the other row has stopped the run.
			void isStopped.then(() => setImmediate(() => ok(request, response, count)));
		});
		work.write('edits.csv', 'id,status\n5,hold\n9,hold\n5,publish\n');
		await work.run('ticket update --input edits.csv --retries 0 -j 1 -q');
		stage = 'refused';
		const stopped = await work.run('run resume last --json -j 2');
		expect(stopped.exitCode).toBe(4);
		// What overtook the first row was carried out.
		const counts = { ok: 1, unknown: 2 };
		expect(JSON.parse(stopped.stderr.split('\n')[1] as string).summary.counts).toMatchObject(counts);
		expect(JSON.parse((await work.run('run show last --json')).stdout)).toMatchObject(counts);
		stage = 'ok';
		expect((await work.run('run resume last -q')).exitCode).toBe(0);
		expect(held).toBe('publish');
	});
});
