/** `--data`: ids never travel in the body, whatever they are called. */

import { expect, test } from 'vitest';
import { runHere } from '../../support/cli.js';
import { json, startRecorder } from '../../support/recorder.js';

test.each(['id', 'ID', 'Id', 'ticket_id', 'user_id'])('%s in --data never travels in the body', async (name) => {
	const recorder = await startRecorder(json(200, { id: 1 }));
	const run = (id: number) =>
		runHere(['ticket', 'update', '14', '--data', JSON.stringify({ [name]: id, title: 'x' })], { env: recorder.env });
	expect((await run(14)).exitCode).toBe(0);
	expect(recorder.requests.map(({ body }) => body)).toEqual(['{"title":"x"}']);
	expect(await run(15)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('but the path says 14') });
	expect(recorder.requests).toHaveLength(1);
});

test('the ticket of a reply in --data is held against the ticket, not the reply', async () => {
	const recorder = await startRecorder(json(200, { id: 101 }));
	const run = (ticket_id: number) =>
		runHere(['reply', 'update', '14', '101', '--data', JSON.stringify({ ticket_id, id: 101, content: 'x' })], {
			env: recorder.env,
		});
	expect((await run(14)).exitCode).toBe(0);
	expect((await run(101)).exitCode).toBe(2);
	expect(recorder.requests).toHaveLength(1);
});
