/** A run that goes on has the checks and stop rules that it began with. */

import { expect, it, test } from 'vitest';
import { defined, stopGiven } from '../../../src/cli/runs/job.js';
import { json, startRecorder } from '../../support/recorder.js';
import { createWorkplace } from '../../support/workplace.js';

it.each([
	['--stop-on-error', 'stopped at row 2: it failed (--stop-on-error)', 1],
	['--max-failures 1', 'stopped: 2 rows failed or are unknown (--max-failures 1)', 2],
])('a resume keeps %s', async (flags, why, failures) => {
	let isBroken = false;
	const { env, requests } = await startRecorder(({ method, url }) => {
		if (method === 'POST' && isBroken) return json(400, { code: 'no', message: 'No.' });
		return json(200, { id: Number(/tickets\/(\d+)/.exec(url)?.[1]), status: 'hold' });
	});
	const work = createWorkplace(env);
	work.edits(10);
	const started = await work.run(`ticket update --input edits.csv --first 1 -j 1 --no-snapshot ${flags}`);
	expect(started.exitCode, started.stderr).toBe(0);
	isBroken = true;
	requests.length = 0;
	const { stderr } = await work.run('run resume last -j 1');
	expect(stderr).toContain(why);
	expect(requests).toHaveLength(failures);
});

it('a resume keeps --verify', async () => {
	const { env, requests } = await startRecorder(({ url }) =>
		json(200, { id: Number(/tickets\/(\d+)/.exec(url)?.[1]), status: 'hold' }),
	);
	const work = createWorkplace(env);
	work.edits(2);
	await work.run('ticket update --input edits.csv --first 1 --no-snapshot --verify');
	requests.length = 0;
	await work.run('run resume last');
	expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
});

test('stop rules that a resume does not pass are kept, also rules without a flag', () => {
	const began = { onError: true, maxFailures: 3, atRow: 7 };
	expect({ ...began, ...stopGiven({}) }).toEqual(began);
	expect({ ...began, ...stopGiven({ maxFailures: 0 }) }).toEqual({ ...began, maxFailures: 0 });
	expect({ ...began, ...defined({ onError: undefined }) }).toEqual(began);
});
