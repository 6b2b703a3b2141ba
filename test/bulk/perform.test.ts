import { describe, expect, it } from 'vitest';
import { endpoints } from '../../src/api/endpoints.js';
import { createPlanner, type RowValues } from '../../src/api/plan.js';
import type { RunRow } from '../../src/bulk/engine.js';
import {
	type CustomFieldOptions,
	changedFields,
	createCustomFieldPerform,
	createPerform,
	type HeldBefore,
	type PerformOptions,
} from '../../src/bulk/perform.js';
import type { Outcome } from '../../src/http/outcome.js';
import { instantClock, testClient } from '../support/delivery.js';
import { type Answer, json, type Recorder, startRecorder } from '../support/recorder.js';

const update = createPlanner(endpoints['ticket.update']);
const remove = createPlanner(endpoints['ticket.delete']);
const setFields = createPlanner(endpoints['ticket.fields.set']);

const updateRow = (fields: Record<string, unknown>): RunRow => ({
	row: 7,
	line: 8,
	request: update({ ids: { id: '14' }, fields }),
});
const deleteRow: RunRow = { row: 3, request: remove({ ids: { id: '14' } }) };
const fieldsRow = (fields: Record<string, unknown>): RunRow => ({
	row: 2,
	line: 3,
	request: setFields({ ids: { ticket_id: '14' }, fields }),
});

async function optionsFor(recorder: Recorder, more: Partial<PerformOptions> = {}): Promise<PerformOptions> {
	const clock = instantClock();
	return {
		client: await testClient(recorder.baseUrl),
		delivery: { retries: 1, clock, random: () => 0.5 },
		hooks: () => ({}),
		allowsDifference: () => false,
		...more,
	};
}

/** Performs one row against a service that answers so. */
async function perform(row: RunRow, answer: Answer, more: Partial<PerformOptions> = {}): Promise<Outcome> {
	const recorder = await startRecorder(answer);
	return createPerform(await optionsFor(recorder, more))(row);
}

describe('a delete', () => {
	const permanent: RunRow = { row: 3, request: remove({ ids: { id: '14' }, force: true }) };

	it('is compared with what the response shows', async () => {
		const trashed = json(200, { id: 14, status: 'trash' });
		const differs = [{ field: 'status', sent: 'deleted for good', shown: 'trash' }];
		expect(await perform(permanent, trashed)).toMatchObject({ outcome: 'differs', differs });
		expect(await perform(deleteRow, trashed)).not.toHaveProperty('differs');
		expect(await perform(deleteRow, json(200, { id: 14, status: 'publish' }))).toMatchObject({
			differs: [{ field: 'status', sent: 'trash', shown: 'publish' }],
		});
	});
});

describe('a row that is one request', () => {
	it('has the place and the ids of the row, and what the delivery came to', async () => {
		expect(await perform(updateRow({ status: 'hold' }), json(200, { id: 14, status: 'hold' }))).toEqual({
			row: 7,
			line: 8,
			ids: { id: '14' },
			outcome: 'ok',
			status: 200,
			attempts: 1,
			ms: expect.any(Number),
			body: { id: 14, status: 'hold' },
		});
	});

	it('names no line where the input has none', async () => {
		expect(Object.keys(await perform(deleteRow, json(200, { id: 14 })))).not.toContain('line');
	});

	it('tells what the answer shows otherwise than it was sent', async () => {
		const sent = updateRow({ status: 'hold', title: 'a', assignee: 3, 'ticket-tag': [2, 1] });
		const shown = { status: 'read', title: { raw: 'a', rendered: '<b>a</b>' }, assignee: '3', 'ticket-tag': [1, 2] };
		const outcome = await perform(sent, json(200, shown));
		expect(outcome.outcome).toBe('differs');
		expect(outcome.differs).toEqual([{ field: 'status', sent: 'hold', shown: 'read' }]);
	});

	it('differs unless every field that differs is allowed to, naming the fields', async () => {
		const row = updateRow({ status: 'hold', assignee: 3 });
		const shown = json(200, { status: 'read', assignee: 4 });
		const allowing = (...names: string[]) =>
			perform(row, shown, { allowsDifference: (field) => names.includes(field) });
		const outcome = await allowing('status');
		expect(outcome).toMatchObject({
			outcome: 'differs',
			code: 'differs',
			message: 'the service shows another value: status, assignee',
			status: 200,
		});
		expect(outcome.differs).toHaveLength(2);
		expect(await allowing('status', 'assignee')).toMatchObject({ outcome: 'ok', differs: outcome.differs });
	});

	it('is not compared where it failed, nor where it deletes', async () => {
		const refused = await perform(updateRow({ status: 'hold' }), json(400, { code: 'no', message: 'no', status: 'x' }));
		expect(refused).toMatchObject({ outcome: 'failed', code: 'no' });
		expect(refused.differs).toBeUndefined();
		expect((await perform(deleteRow, json(200, { id: 99 }))).outcome).toBe('ok');
	});

	it('passes on what the journal knows of it', async () => {
		const seen: unknown[] = [];
		const outcome = await perform(deleteRow, json(404, { code: 'rest_post_invalid_id', message: 'Invalid post ID.' }), {
			hooks: (row) => {
				seen.push(row);
				return { maybeSent: true };
			},
		});
		expect(outcome.outcome).toBe('ok');
		expect(seen).toEqual([deleteRow]);
	});
});

/** A ticket's custom fields behind a real socket; POST changes the ones that it has. */
async function desk(fields: Record<string, unknown>, also?: (method: string) => Answer | undefined) {
	const recorder = await startRecorder((request, response, count) => {
		const special = also?.(request.method);
		if (special !== undefined) return special(request, response, count);
		if (request.method === 'GET') return json(200, fields)(request, response, count);
		const { custom_fields: sent } = JSON.parse(request.body) as { custom_fields: Record<string, unknown> };
		for (const name of Object.keys(sent)) if (Object.hasOwn(fields, name)) fields[name] = sent[name];
		json(200, null)(request, response, count);
	});
	const calls = () => recorder.requests.map(({ method, body }) => (body === '' ? method : `${method} ${body}`));
	const run = async (row: RunRow, more: Partial<CustomFieldOptions> = {}): Promise<Outcome> =>
		createCustomFieldPerform({
			...(await optionsFor(recorder)),
			planRead: createPlanner(endpoints['ticket.fields.get']),
			planWrite: setFields,
			onlyChanged: false,
			verify: false,
			...more,
		})(row);
	return { recorder, calls, run };
}

describe('custom fields', () => {
	it('are one write where nothing else is asked for', async () => {
		const { run, calls } = await desk({ colour: 'red' });
		expect(await run(fieldsRow({ colour: 'blue' }))).toMatchObject({
			outcome: 'ok',
			ids: { ticket_id: '14' },
			line: 3,
		});
		expect(calls()).toEqual(['POST {"custom_fields":{"colour":"blue"}}']);
	});

	it('are sent as far as they differ under --only-changed', async () => {
		const { run, calls } = await desk({ colour: 'red', size: { label: 'Size', value: 'xl' } });
		expect((await run(fieldsRow({ colour: 'blue', size: 'xl', fresh: '1' }), { onlyChanged: true })).outcome).toBe(
			'ok',
		);
		expect(calls()).toEqual(['GET', 'POST {"custom_fields":{"colour":"blue","fresh":"1"}}']);
	});

	it('are skipped where all of them are there already', async () => {
		const { run, calls } = await desk({ colour: 'red', count: 3, off: false });
		expect(await run(fieldsRow({ colour: 'red', count: '3', off: '' }), { onlyChanged: true })).toEqual({
			row: 2,
			line: 3,
			ids: { ticket_id: '14' },
			outcome: 'skipped',
			code: 'unchanged',
			message: 'every field has its value already',
			attempts: 0,
			ms: 0,
		});
		expect(calls()).toEqual(['GET']);
	});

	it('are snapshot before they are written, and not written where that fails', async () => {
		const { run, calls } = await desk({ colour: 'red', size: 'xl', other: 'x' });
		const kept: HeldBefore[] = [];
		await run(fieldsRow({ colour: 'blue', size: 'xl', fresh: '1', ['__proto__']: '2' }), {
			async snapshot(_row, held) {
				expect(calls()).toEqual(['GET']);
				kept.push(held);
			},
		});
		expect(kept.map(({ values, absent }) => ({ values: Object.entries(values), absent }))).toEqual([
			{
				values: [
					['colour', 'red'],
					['size', 'xl'],
				],
				absent: ['fresh', '__proto__'],
			},
		]);
		const failure = run(fieldsRow({ colour: 'green' }), { snapshot: () => Promise.reject(new Error('disk full')) });
		await expect(failure).rejects.toThrow('disk full');
		expect(calls().filter((call) => call.startsWith('POST'))).toHaveLength(1);
	});

	it('are snapshot only as far as they are written', async () => {
		const { run } = await desk({ colour: 'red', size: 'xl' });
		const kept: HeldBefore[] = [];
		const snapshot = async (_row: RunRow, held: HeldBefore) => void kept.push(held);
		await run(fieldsRow({ colour: 'blue', size: 'xl' }), { onlyChanged: true, snapshot });
		expect(kept.map(({ values }) => Object.keys(values))).toEqual([['colour']]);
	});

	it.each([
		['a refusal', json(403, { code: 'rest_cannot_create', message: 'Sorry.' }), 'failed', 403],
		[
			'an error that leaves nothing open',
			json(404, { code: 'rest_post_invalid_id', message: 'Sorry.' }),
			'failed',
			404,
		],
		['a service that is away', json(503, { code: 'busy', message: 'Sorry.' }), 'failed', 503],
		['a bare gateway error', ((_, response) => response.writeHead(502).end()) as Answer, 'not-sent', 502],
		['no answer', ((request) => request && undefined) as Answer, 'not-sent', undefined],
		['an answer that is no list of fields', json(200, [1, 2]), 'not-sent', 200],
		['a shape that nobody knows', json(200, { custom_fields: 'none' }), 'failed', 200],
	])('are not written where they can not be read: %s', async (_name, answer, outcome, status) => {
		const drop: Answer = (_request, response) => response.destroy();
		const { run, calls } = await desk({}, (method) =>
			method === 'GET' ? (status === undefined ? drop : answer) : undefined,
		);
		const result = await run(fieldsRow({ colour: 'blue' }), { onlyChanged: true });
		expect(result).toMatchObject({ outcome, row: 2 });
		expect(result.status).toBe(status);
		expect(result.message).toMatch(/^the old values could not be read, nothing was written: /);
		expect(result.body).toBeUndefined();
		expect(calls().filter((call) => call !== 'GET')).toEqual([]);
	});

	it('are compared with what the response shows of them', async () => {
		const { run, calls } = await desk({}, () => json(200, { custom_fields: { a: 'other' } }));
		const differs = [{ field: 'a', sent: '1', shown: 'other' }];
		expect(await run(fieldsRow({ a: '1', b: '2' }))).toMatchObject({ outcome: 'differs', differs });
		expect(calls()).toHaveLength(1);
	});

	it('are read back under --verify; what is not there differs', async () => {
		const { run, calls } = await desk({ colour: 'red' });
		const outcome = await run(fieldsRow({ colour: ' blue ', fresh: '1' }), { verify: true });
		expect(outcome).toMatchObject({ outcome: 'differs', differs: [{ field: 'fresh', sent: '1', shown: null }] });
		expect(calls()).toEqual(['POST {"custom_fields":{"colour":" blue ","fresh":"1"}}', 'GET']);
	});

	it('are not read back where the write failed', async () => {
		const { run, calls } = await desk({}, (method) =>
			method === 'POST' ? json(400, { code: 'no', message: 'no' }) : undefined,
		);
		expect((await run(fieldsRow({ colour: 'x' }), { verify: true })).outcome).toBe('failed');
		expect(calls()).toHaveLength(1);
	});

	it('that can not be read back are unknown', async () => {
		const failing = (method: string): Answer | undefined =>
			method === 'GET' ? json(500, { code: 'broken', message: 'Broken.' }) : undefined;
		const { run } = await desk({}, failing);
		expect(await run(fieldsRow({ colour: 'x' }), { verify: true })).toMatchObject({
			outcome: 'unknown',
			code: 'not_verified',
			message: 'written, but it could not be read back: Broken.',
		});
	});

	it('are read back also when the run is told to stop while they are written', async () => {
		const stop = new AbortController();
		const { run, calls, recorder } = await desk({ colour: 'red' }, (method) => {
			if (method === 'POST') stop.abort();
			return undefined;
		});
		const { delivery } = await optionsFor(recorder);
		const outcome = await run(fieldsRow({ colour: 'blue' }), {
			verify: true,
			delivery: { ...delivery, stop: stop.signal },
		});
		expect(outcome).toMatchObject({ outcome: 'ok', status: 200 });
		expect(calls()).toEqual(['POST {"custom_fields":{"colour":"blue"}}', 'GET']);
	});

	it('are untouched where the run stops between reading and writing', async () => {
		const stop = new AbortController();
		const { run, calls, recorder } = await desk({ colour: 'red' }, () => {
			stop.abort();
			return undefined;
		});
		const { delivery } = await optionsFor(recorder);
		const outcome = await run(fieldsRow({ colour: 'blue' }), {
			onlyChanged: true,
			delivery: { ...delivery, stop: stop.signal },
		});
		expect(outcome).toMatchObject({ outcome: 'not-sent', attempts: 0 });
		expect(calls()).toEqual(['GET']);
	});
});

describe('changedFields', () => {
	it('compares texts exactly, blanks and all, and takes what it can not compare for changed', () => {
		const sent: RowValues['fields'] = { a: 'x', b: 'x ', c: '', d: '1', e: '5', f: 'y', g: 'z', ['__proto__']: 'p' };
		const held = { a: 'x', b: 'x', c: null, d: true, e: 5, f: ['y'] };
		expect(Object.entries(changedFields(sent, held))).toEqual([
			['b', 'x '],
			['f', 'y'],
			['g', 'z'],
			['__proto__', 'p'],
		]);
		expect(Object.keys(changedFields({ list: ['a'], shown: ['a'] }, { shown: ['a'] }))).toEqual(['list', 'shown']);
	});
});
