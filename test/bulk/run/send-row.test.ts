import { describe, expect, it } from 'vitest';
import type { TermIndex } from '../../../src/api/compare.js';
import { neutralDialect } from '../../../src/api/dialect.js';
import { endpoints } from '../../../src/api/endpoints.js';
import { createPlanner, type Request } from '../../../src/api/request.js';
import { heldOf } from '../../../src/bulk/held.js';
import type { JournalRecord, OldValues } from '../../../src/bulk/journal/records.js';
import type { Checks, RunPlan } from '../../../src/bulk/plan.js';
import { decide } from '../../../src/bulk/run/decide.js';
import type { RunRow } from '../../../src/bulk/run/rows.js';
import { RowSender, type RowSenderParts, rowOutcome } from '../../../src/bulk/run/send-row.js';
import type { Outcome } from '../../../src/http/outcome.js';
import { type SendOptions, WAIT_TOO_LONG } from '../../../src/http/send.js';
import { planOf } from '../../support/journal.js';

type Name = 'ticket.update' | 'ticket.fields.set' | 'ticket.delete' | 'user.delete' | 'term.update';

function planWith(checks: Partial<Checks> = {}, more: Partial<RunPlan> = {}): RunPlan {
	const plan = planOf(more);
	return { ...plan, checks: { ...plan.checks, ...checks } };
}

function rowOf(fields: Record<string, unknown>, more: Partial<RunRow> = {}, name: Name = 'ticket.update'): RunRow {
	const own: Record<string, string> = name === 'ticket.fields.set' ? { ticket_id: '14' } : { id: '14' };
	const ids = name === 'term.update' ? { ...own, taxonomy: 'ticket_priority' } : own;
	const request = createPlanner(endpoints[name])(endpoints[name].body === 'none' ? { ids } : { ids, fields });
	return { row: 1, request, ...more };
}

function decided(row: RunRow, body: unknown, plan: RunPlan) {
	const held = heldOf(row.request.endpoint, body);
	if (held === undefined) throw new Error('the body shows no object');
	const decision = decide(row, held, plan);
	return 'skip' in decision ? decision.skip.code : decision.fields;
}

const ok = (body: unknown, more: Partial<Outcome> = {}): Outcome => ({
	outcome: 'ok',
	status: 200,
	body,
	attempts: 1,
	ms: 1,
	...more,
});
const failed = (status: number, more: Partial<Outcome> = {}): Outcome => ({
	outcome: 'failed',
	status,
	code: 'no',
	message: 'No.',
	attempts: 1,
	ms: 1,
	...more,
});

const gone = (status: number): Outcome => failed(status, { gone: 'missing', refused: true });

/** Carries out one row; `reads` are the results of the reads, in their order. */
async function perform(
	plan: RunPlan,
	row: RunRow,
	{
		sent = ok({}),
		reads = [] as Outcome[],
		keep = true,
		maybeSent = false,
		maybePartly = false,
		times = 1,
		terms = undefined as TermIndex | undefined,
		respond = undefined as ((request: Request) => Outcome) | undefined,
		more = {} as Partial<RowSenderParts>,
	} = {},
) {
	const steps: string[] = [];
	const kept: OldValues[] = [];
	const written: Request[] = [];
	const history = { mayBeApplied: maybeSent, mayBePartly: maybePartly };
	const parts = {
		plan,
		terms,
		dialect: neutralDialect,
		options: {},
		redact: (outcome: Outcome) => outcome,
		past: { states: { history: () => history, mayBeWritten: () => true }, ownDoubt: () => undefined },
		async write(_client: unknown, request: Request) {
			steps.push('write');
			written.push(request);
			return respond?.(request) ?? { ...sent };
		},
		async read() {
			steps.push(steps.includes('write') ? 'read after' : 'read before');
			return reads.shift() ?? failed(500);
		},
		journal: {
			async before(_row: number, _ids: unknown, before: OldValues) {
				if (!keep) throw new Error('the disk is full');
				steps.push('keep');
				kept.push(before);
			},
			record: async () => undefined,
		},
		...more,
	} as unknown as RowSenderParts;
	const sender = new RowSender(parts);
	const first = await sender.send(row);
	const result = times === 1 ? first : await sender.send(row);
	const bodies = written.map((request) => request.body);
	return { first, result, steps, kept, bodies, sent: written.map((request) => request.sent) };
}

describe('decide', () => {
	const changed = planWith({ onlyChanged: true });

	it.each([
		[{ status: 'hold' }, { status: 'hold' }, 'unchanged'],
		[{ status: 'hold', assignee: 7 }, { status: 'read', assignee: '7' }, { status: 'hold' }],
		[{ title: 'a ' }, { title: { raw: 'a', rendered: 'a' } }, { title: 'a ' }],
		[{ title: 'a' }, { title: { rendered: 'a' } }, { title: 'a' }],
	])('sends of %j what differs from %j', (fields, body, expected) => {
		expect(decided(rowOf(fields), body, changed)).toEqual(expected);
	});

	it('finds a custom field with and without the prefix of the deployment, and compares its text exactly', () => {
		const row = rowOf({ xx_severity: 'high', color: 'red ', __proto__x: 'p' }, {}, 'ticket.fields.set');
		const body = {
			severity: { name: 'Severity', value: 'high', markup: '<input name="xx_severity">' },
			color: { name: 'Color', value: 'red' },
		};
		expect(decided(row, body, changed)).toEqual({ color: 'red ', __proto__x: 'p' });
	});

	it.each([
		['status', 'hold', { status: 'hold' }, true],
		['status', 'hold', { status: 'read' }, false],
		['assignee', '', { assignee: 0 }, true],
		['assignee', '', { assignee: 7 }, false],
		['assignee', '0', { assignee: 0 }, true],
		['assignee', '0', { assignee: 7 }, false],
		['ticket-tag', '2,1', { 'ticket-tag': [1, 2] }, true],
		['ticket-tag', '1', { 'ticket-tag': [1, 2] }, false],
		['product', '31', { product: '' }, false],
		['date_gmt', '2026-11-22T01:00:00', { date_gmt: '' }, false],
	])('under --if %s=%s, of %j', (field, value, body, holds) => {
		const plan = planWith({ conditions: [{ field, value }] });
		expect(decided(rowOf({ title: 'x' }), body, plan)).toEqual(holds ? { title: 'x' } : 'condition');
	});

	it('skips an object that was modified since the row was made, or whose row does not say when that was', () => {
		const plan = planWith({ ifUnmodified: true });
		const body = { modified_gmt: '2026-11-22T01:00:00' };
		expect(decided(rowOf({ title: 'x' }, { modified: body.modified_gmt }), body, plan)).toEqual({ title: 'x' });
		expect(decided(rowOf({ title: 'x' }, { modified: '2026-11-21T01:00:00' }), body, plan)).toBe('conflict');
		expect(decided(rowOf({ title: 'x' }), body, plan)).toBe('conflict');
	});

	it('skips an object that no longer holds what an undone run wrote, unless it is restored already', () => {
		const row = rowOf({ status: 'read' }, { expected: { status: ['hold', 'draft'] } });
		const source = { from: 'snapshots', journal: '/j', run: 'r', overwrite: false } as const;
		const undo = planWith({ onlyChanged: true }, { source });
		expect(decided(row, { status: 'draft' }, undo)).toEqual({ status: 'read' });
		expect(decided(row, { status: 'hold' }, undo)).toEqual({ status: 'read' });
		expect(decided(row, { status: 'pending' }, undo)).toBe('changed_since');
		expect(decided(row, { status: 'read' }, undo)).toBe('unchanged');
	});

	it('adds items to a list and removes some, is unchanged where that changes nothing, and needs to see the list', () => {
		const { values } = planOf();
		const plan = planWith({}, { values: { ...values, add: { 'ticket-tag': [3, 1] }, remove: { 'ticket-tag': [2] } } });
		expect(decided(rowOf({}), { 'ticket-tag': [1, 2] }, plan)).toEqual({ 'ticket-tag': [1, 3] });
		expect(decided(rowOf({}), { 'ticket-tag': [3, 1] }, plan)).toBe('unchanged');
		expect(decided(rowOf({}), { id: 14 }, plan)).toBe('not_shown');
	});

	it('removes a term by name only where it can tell which one that is', () => {
		const { values } = planOf();
		const plan = planWith({}, { values: { ...values, remove: { 'ticket-tag': ['vip'] } } });
		expect(decided(rowOf({}), { 'ticket-tag': [5, 6] }, plan)).toBe('not_shown');
		expect(decided(rowOf({}), { 'ticket-tag': ['vip', 'slow'] }, plan)).toEqual({ 'ticket-tag': ['slow'] });
		expect(decided(rowOf({}), { 'ticket-tag': [] }, plan)).toBe('unchanged');
	});
});

describe('a row', () => {
	const row = rowOf({ status: 'hold', title: 'x' });
	const shown = { status: 'hold', title: { raw: 'x' } };

	it('is one write where no check is asked for', async () => {
		expect(await perform(planWith(), row)).toMatchObject({ steps: ['write'], result: { outcome: 'ok' } });
	});

	it('that differs is ok if that is allowed', async () => {
		const differs = [{ field: 'status', sent: 'hold', shown: 'read' }];
		const sent = ok({}, { outcome: 'differs', code: 'differs', message: 'x', differs });
		expect((await perform(planWith(), row, { sent })).result).toMatchObject({ outcome: 'differs', differs });
		for (const allowDiffers of [true, ['status']]) {
			const { result } = await perform(planWith({ allowDiffers }), row, { sent });
			expect(result).toMatchObject({ outcome: 'ok', differs });
			expect(result.code).toBeUndefined();
		}
		const other = await perform(planWith({ allowDiffers: ['title'] }), row, { sent });
		expect(other.result.outcome).toBe('differs');
		const both = { ...sent, differs: [...differs, { field: 'title', sent: 'x', shown: 'y' }] };
		const one = await perform(planWith({ allowDiffers: ['title'] }), row, { sent: both });
		expect(one.result.outcome).toBe('differs');
	});

	it('of a priority sends its color along, also where no old values are kept', async () => {
		const plan = planWith({}, { endpoint: 'term.update' });
		const term = rowOf({ name: 'High' }, {}, 'term.update');
		const { steps, sent } = await perform(plan, term, { reads: [ok({ id: 14, name: 'Low', color: '#f00' })] });
		expect([steps, sent]).toEqual([['read before', 'write'], [{ name: 'High', color: '#f00' }]]);
	});

	it('of a priority is written where the service serves no reads of it, and warns of its color', async () => {
		const plan = planWith({}, { endpoint: 'term.update' });
		const reads = [failed(404, { code: 'rest_no_route', notServed: true })];
		const { result, steps, sent } = await perform(plan, rowOf({ name: 'High' }, {}, 'term.update'), { reads });
		expect([result.outcome, steps, sent]).toEqual(['ok', ['read before', 'write'], [{ name: 'High' }]]);
		expect(result.warnings).toEqual([expect.stringContaining('the color may be cleared')]);
	});

	it('that deletes what is gone already is ok with --ignore-missing, and if an attempt failed halfway', async () => {
		const plan = planWith({ snapshot: true }, { endpoint: 'ticket.delete' });
		const ignoring = planWith({ snapshot: true, ignoreMissing: true }, { endpoint: 'ticket.delete' });
		const deletion = rowOf({}, {}, 'ticket.delete');
		for (const [outcome, given, maybePartly] of [
			['failed', plan, false],
			['ok', plan, true],
			['ok', ignoring, false],
		] as const) {
			const { result, steps } = await perform(given, deletion, { reads: [gone(404)], maybePartly });
			expect([result.outcome, steps]).toEqual([outcome, ['read before']]);
		}
	});

	it('that may have been sent, and is refused now, is settled by a read', async () => {
		const sent = failed(403, { outcome: 'unknown', refused: true });
		for (const [status, outcome] of [
			['read', 'failed'],
			['hold', 'ok'],
		]) {
			const reads = [ok({ id: 14, status, title: 'x' })];
			const { result } = await perform(planWith(), rowOf({ status: 'hold' }), { sent, reads, maybeSent: true });
			expect(result.outcome).toBe(outcome);
		}
	});

	it('is not done because of a field that had its value before', async () => {
		const plan = planWith({ verify: true, snapshot: true, sendUnchanged: true });
		const before = ok({ status: 'hold', title: { raw: 'old' } });
		const page = failed(403, { notServed: true });
		const { result, steps } = await perform(plan, row, { sent: page, reads: [before, before] });
		expect([result.outcome, steps.at(-1)]).toEqual(['failed', 'read after']);
	});

	it('is read back although the run stops: once, and without waiting for a pause', async () => {
		const stop = AbortSignal.abort();
		const options: Partial<SendOptions>[] = [];
		const read: RowSenderParts['read'] = async (_client, _request, given) => {
			options.push(given);
			return ok(shown);
		};
		const more = { options: { stop, retries: 4, pace: {} } as SendOptions, read };
		const { result } = await perform(planWith({ verify: true }), row, { more });
		expect(result.outcome).toBe('ok');
		expect(options).toEqual([expect.objectContaining({ retries: 0, stop: undefined, pace: undefined })]);
	});

	it('keeps the old values of what it writes before the write, and is not written where that fails', async () => {
		const plan = planWith({ snapshot: true, onlyChanged: true });
		const reads = () => [ok({ status: 'read', title: { raw: 'x' } })];
		const { steps, kept, sent } = await perform(plan, row, { reads: reads() });
		expect(steps).toEqual(['read before', 'keep', 'write']);
		expect(kept).toEqual([
			{ values: { status: 'read' }, absent: [], untold: [], label: 'x', sent: { status: 'hold' } },
		]);
		expect(sent).toEqual([{ status: 'hold' }]);
		await expect(perform(plan, row, { reads: reads(), keep: false })).rejects.toThrow('the disk is full');
	});

	it('keeps the status of what goes to the trash, and nothing of what is deleted permanently', async () => {
		const plan = planWith({ snapshot: true }, { endpoint: 'ticket.delete' });
		const trash = await perform(plan, rowOf({}, {}, 'ticket.delete'), { reads: [ok({ status: 'hold' })] });
		expect(trash.kept).toEqual([{ values: { status: 'hold' }, absent: [], untold: [], sent: { status: 'trash' } }]);
		const request = createPlanner(endpoints['ticket.delete'])({ ids: { id: '14' }, force: true });
		const gone = await perform(plan, { row: 1, request }, { reads: [ok({ status: 'hold' })] });
		expect(gone.steps).toEqual(['read before', 'write']);
	});

	it.each([
		['a refusal', failed(403), 'failed'],
		['a lost response', { outcome: 'unknown', attempts: 2, ms: 1 } as Outcome, 'not-sent'],
		['a shape that is not known', ok('text'), 'failed'],
	])('is not written after a read with %s', async (_, read, outcome) => {
		const { result, steps } = await perform(planWith({ onlyChanged: true }), row, { reads: [read] });
		expect(steps).toEqual(['read before']);
		expect(result.outcome).toBe(outcome);
	});

	it('is not written with a number that can not be held exactly', async () => {
		const fields = JSON.parse('{"time-adjustments":12345678901234567890}');
		const { result, steps } = await perform(planWith(), rowOf(fields));
		expect([result.code, steps]).toEqual(['inexact_number', []]);
	});

	it.each<[string, Outcome, Outcome, Partial<Outcome>]>([
		['ok, and it is there', ok({}), ok(shown), { outcome: 'ok' }],
		['ok, and one field is not there', ok({}), ok({ ...shown, status: 'read' }), { outcome: 'differs' }],
		['ok, and it can not be read', ok({}), failed(503), { outcome: 'unknown', code: 'not_verified' }],
		['unknown, and it is there', { outcome: 'unknown', attempts: 1, ms: 1 }, ok(shown), { outcome: 'ok' }],
		[
			'unknown, and it can not be read',
			{ outcome: 'unknown', attempts: 1, ms: 1 },
			failed(503),
			{ outcome: 'unknown' },
		],
		[
			'unknown, and one field is not there',
			{ outcome: 'unknown', attempts: 1, ms: 1 },
			ok({ ...shown, status: 'read' }),
			{ outcome: 'unknown' },
		],
		['500, and it is there', failed(500), ok(shown), { outcome: 'ok' }],
		[
			'500, and half of it is there, perhaps from before',
			failed(500),
			ok({ ...shown, status: 'read' }),
			{ outcome: 'unknown' },
		],
		[
			'500, and nothing is there',
			failed(500),
			ok({ status: 'read', title: { raw: 'y' } }),
			{ outcome: 'failed', code: 'no' },
		],
	])('under --verify is settled by what is seen: %s', async (_, sent, read, expected) => {
		const { result, steps } = await perform(planWith({ verify: true }), row, { sent, reads: [read] });
		expect(steps).toEqual(['write', 'read after']);
		expect(result).toMatchObject(expected);
		if (expected.outcome === 'ok') expect([result.code, result.message]).toEqual([undefined, undefined]);
	});

	it('is not written where the read shows an object without a field, as if it had no values', async () => {
		const plan = planWith({ snapshot: true, conditions: [{ field: 'assignee', value: '' }] });
		const { result, steps } = await perform(plan, row, {
			reads: [{ ...ok({}), outcome: 'unknown', code: 'unexpected_shape' }],
		});
		expect([result.outcome, result.code, steps]).toEqual(['failed', 'not_read', ['read before']]);
	});

	it('is not read back where the service asks to wait for longer than a run waits', async () => {
		const sent = failed(429, { code: WAIT_TOO_LONG });
		const { result, steps } = await perform(planWith({ verify: true }), row, { sent, reads: [ok(shown)] });
		expect([result.code, steps]).toEqual([WAIT_TOO_LONG, ['write']]);
	});

	it('has in the journal whether a try that failed may have been applied, wholly or partly', async () => {
		const tries: JournalRecord[] = [];
		const more: Partial<RowSenderParts> = {
			journal: {
				record: async (record) => void tries.push(record),
				before: async () => undefined,
			},
			async write(_client, _request, { onRetry }, own) {
				onRetry?.(failed(502, { mayBeApplied: true }), 0, own);
				onRetry?.(failed(500, { mayBePartly: true, attempts: 2 }), 0, own);
				return ok({});
			},
		};
		await perform(planWith(), row, { more });
		expect(tries).toEqual([
			{ type: 'attempt', row: 1, attempt: 1, status: 502, code: 'no', lost: true },
			{ type: 'attempt', row: 1, attempt: 2, status: 500, code: 'no', partly: true },
		]);
	});

	it('is in time where it gives the time of the first row of its object, or the one that the last row left', async () => {
		const times = [0, 1, 2, 3].map((hour) => `2026-11-22T0${hour}:00:00`);
		const [first, second] = times;
		let hour = 0;
		const parts = {
			plan: planWith({ ifUnmodified: true }),
			dialect: neutralDialect,
			options: {},
			redact: (outcome: Outcome) => outcome,
			read: async () => ok({ id: 14, modified_gmt: times[hour] }),
			write: async () => ok({ id: 14, modified_gmt: times[++hour] }),
		} as unknown as RowSenderParts;
		const sender = new RowSender(parts);
		const outcomes: string[] = [];
		for (const modified of [first, second, first, second]) {
			outcomes.push((await sender.send(rowOf({ status: 'hold' }, { modified }))).outcome);
		}
		expect(outcomes).toEqual(['ok', 'ok', 'ok', 'skipped']);
	});

	it('is not read back after a refusal of the service, and is after a page', async () => {
		const refused = failed(400, { refused: true });
		expect((await perform(planWith({ verify: true }), row, { sent: refused })).steps).toEqual(['write']);
		const page = failed(403, { notServed: true });
		const { result, steps } = await perform(planWith({ verify: true }), row, { sent: page, reads: [ok(shown)] });
		expect([result.outcome, steps]).toEqual(['ok', ['write', 'read after']]);
	});

	it.each([
		['500', failed(500), 'failed'],
		['no response', { outcome: 'unknown', attempts: 1, ms: 1 } as Outcome, 'unknown'],
		['the object', ok({}), 'ok'],
	])('whose password is not shown is under --verify what the response said: %s', async (_, sent, outcome) => {
		const withPassword = rowOf({ password: 'sesam' });
		const { result } = await perform(planWith({ verify: true }), withPassword, { sent, reads: [ok({ id: 14 })] });
		expect(result.outcome).toBe(outcome);
		const again = await perform(planWith({ verify: true }), withPassword, {
			sent,
			reads: [ok({ id: 14 }), ok({ id: 14 })],
			maybeSent: true,
		});
		expect(again.steps).toEqual(['read before', 'write', 'read after']);
	});

	it('with a term that is not comparable is sent again after a kill, and ok once terms are listed', async () => {
		const withTerm = rowOf({ product: '8888' });
		const reads = (): Outcome[] => [ok({ id: 14, product: 'vip' }), ok({ id: 14, product: 'vip' })];
		const failedWrite = failed(500);
		const unlisted = await perform(planWith({ verify: true }), withTerm, { sent: failedWrite, reads: reads() });
		expect(unlisted.result.outcome).toBe('failed');
		const idOf = (text: string): string => (text === 'vip' ? '8888' : text);
		const mayShowAs = (): boolean => false;
		const terms = () => ({
			isListed: true,
			hasHidden: false,
			ofSlug: idOf,
			exported: idOf,
			exportedId: String,
			mayShowAs,
		});
		const listed = await perform(planWith({ verify: true }), withTerm, { reads: reads(), maybeSent: true, terms });
		expect([listed.result.outcome, listed.steps]).toEqual(['ok', ['read before']]);
	});

	it('differs under --verify where a custom field is not there after the write', async () => {
		const plan = planWith({ verify: true }, { endpoint: 'ticket.fields.set' });
		const set = rowOf({ color: 'red', size: 'xl' }, {}, 'ticket.fields.set');
		const shownFields = ok({ color: { name: 'Color', value: 'red' } });
		const { result } = await perform(plan, set, { sent: ok(null), reads: [shownFields, shownFields] });
		expect(result).toMatchObject({ outcome: 'differs', differs: [{ field: 'size' }] });
	});

	it('of custom fields is written under the name in the markup, after one read per run', async () => {
		const plan = planWith({}, { endpoint: 'ticket.fields.set' });
		const markup = '<input name="xx_severity">';
		const reads = [ok({ severity: { name: 'Severity', value: '', markup } })];
		const set = rowOf({ severity: 'high' }, {}, 'ticket.fields.set');
		const { result, steps, bodies } = await perform(plan, set, { sent: ok(null), reads, times: 2 });
		expect(result.outcome).toBe('ok');
		expect(steps).toEqual(['read before', 'write', 'write']);
		expect(bodies).toEqual(Array(2).fill('{"custom_fields":{"xx_severity":"high"}}'));
	});

	it('that sets a custom field which does not exist is read back, and differs', async () => {
		const plan = planWith({}, { endpoint: 'ticket.fields.set' });
		const fields = ok({ color: { name: 'Color', value: 'red' } });
		const set = rowOf({ colour: 'red' }, {}, 'ticket.fields.set');
		const { result, steps } = await perform(plan, set, { sent: ok(null), reads: [fields, fields] });
		expect(steps).toEqual(['read before', 'write', 'read after']);
		expect(result).toMatchObject({ outcome: 'differs', differs: [{ field: 'colour', sent: 'red', shown: null }] });
	});

	it('of custom fields says once that nothing was confirmed where they can not be read', async () => {
		const plan = planWith({}, { endpoint: 'ticket.fields.set' });
		const set = rowOf({ color: 'red' }, {}, 'ticket.fields.set');
		const { first, result, steps } = await perform(plan, set, { sent: ok(null), reads: [failed(403)], times: 2 });
		expect(first).toMatchObject({ outcome: 'ok', warnings: [expect.stringContaining('nothing confirms')] });
		expect(result.warnings).toBeUndefined();
		expect(steps).toEqual(['read before', 'write', 'write']);
	});

	it.each<[string, boolean, Outcome, Outcome, string]>([
		['in the trash', false, ok({}), ok({ status: 'trash' }), 'ok'],
		['still there', false, ok({}), ok({ status: 'hold' }), 'differs'],
		['gone for good', false, ok({}), gone(410), 'differs'],
		[
			'gone already, which --ignore-missing takes for ok',
			false,
			ok({}, { status: 404, gone: 'missing' }),
			gone(404),
			'ok',
		],
		['gone', true, ok({}), gone(404), 'ok'],
		['gone after a lost response', true, { outcome: 'unknown', attempts: 1, ms: 1 }, gone(404), 'ok'],
		['still there', true, ok({}), ok({ status: 'hold' }), 'differs'],
		[
			'still there after a lost response',
			true,
			{ outcome: 'unknown', attempts: 1, ms: 1 },
			ok({ status: 'hold' }),
			'unknown',
		],
		['unreadable', true, { outcome: 'unknown', attempts: 1, ms: 1 }, failed(503), 'unknown'],
	])('that was deleted is looked for under --verify: %s', async (_, force, sent, read, outcome) => {
		const request = createPlanner(endpoints['ticket.delete'])({ ids: { id: '14' }, ...(force ? { force } : {}) });
		const plan = planWith({ verify: true }, { endpoint: 'ticket.delete' });
		expect((await perform(plan, { row: 1, request }, { sent, reads: [read] })).result.outcome).toBe(outcome);
	});

	it.each<[string, Outcome, string]>([
		['in the trash', ok({ status: 'trash' }), 'ok'],
		['unreadable', failed(503), 'unknown'],
		['still there', ok({ status: 'read' }), 'skipped'],
	])('that may have been deleted before is read once, whatever is asked of it: %s', async (_, read, outcome) => {
		const request = createPlanner(endpoints['ticket.delete'])({ ids: { id: '14' } });
		const conditions = [{ field: 'status', value: 'hold' }];
		const plan = planWith({ conditions }, { endpoint: 'ticket.delete' });
		const reads = [read, ok({ status: 'trash' })];
		const { result, steps } = await perform(plan, { row: 1, request }, { reads, maybeSent: true });
		expect([result.outcome, steps]).toEqual([outcome, ['read before']]);
	});

	it('carries its remarks whatever its outcome is', () => {
		for (const result of [ok({}), failed(400, { warnings: ['odd'] })]) {
			const { warnings } = rowOutcome({ ...row, remarks: ['size stays'] }, { ...result });
			expect(warnings).toEqual([...(result.warnings ?? []), 'size stays']);
		}
	});
});

describe('an undo', () => {
	const source = { from: 'snapshots', journal: '/j', run: 'r', overwrite: false } as const;
	const plan = planWith({ verify: true }, { source });
	const held = (more: object = {}): Outcome => ok({ id: 14, status: 'hold', product: 'seven', title: 'new', ...more });
	const expected = { status: ['hold'], product: ['seven'] };

	it('restores field by field what the service refuses together, and fails with those that are left', async () => {
		const refused = failed(500, { code: 'invalid_term', message: 'Invalid term.', mayBePartly: true });
		const row = rowOf({ status: 'read', product: 'five' }, { expected });
		const respond = ({ sent = {} }: Request): Outcome =>
			Object.hasOwn(sent, 'product') ? refused : ok({ id: 14, ...sent });
		const reads = [held(), held(), held({ status: 'read' }), held({ status: 'read' })];
		const { result, sent } = await perform(plan, row, { reads, respond });
		expect(sent).toEqual([{ status: 'read', product: 'five' }, { status: 'read' }, { product: 'five' }]);
		expect(result).toMatchObject({ outcome: 'failed', message: 'product not restored: Invalid term.' });
		const all = await perform(plan, row, {
			reads: [held(), held(), held({ status: 'read' }), held({ status: 'read', product: 'five' })],
			respond: ({ sent = {} }) => (Object.keys(sent).length > 1 ? refused : ok({ id: 14, ...sent })),
		});
		expect(all.result.outcome).toBe('ok');
		const one = await perform(plan, rowOf({ product: 'five' }, { expected: { product: ['seven'] } }), {
			reads: [held(), held()],
			respond: () => refused,
		});
		expect([one.result.outcome, one.sent]).toEqual(['failed', [{ product: 'five' }]]);
	});

	it('leaves what it can not restore or compare, and says why', async () => {
		const kept = { product: { why: 'it was empty', old: '' }, title: { why: 'nobody saw it' } };
		const row = rowOf({ status: 'read' }, { expected: { status: ['hold'] }, kept });
		const left = await perform(plan, row, {
			sent: ok({ id: 14, status: 'read' }),
			reads: [held(), held({ status: 'read' })],
		});
		expect(left.result).toMatchObject({ outcome: 'differs', code: 'not_restorable' });
		expect(left.result.message).toBe('product not restored: it was empty; title not restored: nobody saw it');
		const back = rowOf(
			{ status: 'read' },
			{ expected: { status: ['hold'] }, kept: { product: { why: 'x', old: 'seven' } } },
		);
		const fine = await perform(plan, back, {
			sent: ok({ id: 14, status: 'read' }),
			reads: [held(), held({ status: 'read' })],
		});
		expect(fine.result.outcome).toBe('ok');
		const dated = rowOf({ date: '2026-01-01' }, { expected: { date: ['2026-02-02T00:00:00Z'] } });
		const unknown = await perform(plan, dated, { reads: [ok({ id: 14, date: '2026-02-02T00:00:00' })] });
		expect([unknown.result.outcome, unknown.sent]).toEqual(['skipped', []]);
		expect(unknown.result.message).toContain("can't be compared with what the run wrote");
		const hidden = rowOf({ title: 'old' }, { expected: { title: ['new'] } });
		expect((await perform(plan, hidden, { reads: [ok({ id: 14 }), ok({ id: 14 })] })).sent).toEqual([]);
	});
});

describe('a field that is not known', () => {
	const snapshot = planWith({ snapshot: true });
	const index = (slugs: Record<string, string>) => () => ({
		isListed: true,
		hasHidden: true,
		ofSlug: (slug: string) => slugs[slug],
		mayShowAs: () => true,
		exported: () => undefined,
		exportedId: String,
	});

	it('keeps its row from being written, also if only a list shows the object', async () => {
		const row = rowOf({ title: 'x' });
		const take = async (): Promise<Outcome> => ok({ id: 14 });
		const ahead = { take, forget() {} } as unknown as NonNullable<RowSenderParts['ahead']>;
		const alone = await perform(snapshot, row, { reads: [ok({ id: 14, title: 'old' })], more: { ahead } });
		expect([alone.result.outcome, alone.kept.map(({ values }) => ({ ...values }))]).toEqual(['ok', [{ title: 'old' }]]);
		const refused = await perform(snapshot, row, { reads: [failed(403)], more: { ahead } });
		expect([refused.result.code, refused.sent]).toEqual(['not_read', []]);
		const tags = planWith({}, { values: { ...planOf().values, add: { 'ticket-tag': [1] } } });
		expect((await perform(tags, rowOf({}), { reads: [ok({ id: 14 }), ok({ id: 14 })] })).result.code).toBe('not_shown');
		const condition = planWith({ conditions: [{ field: 'status', value: 'hold' }] });
		expect((await perform(condition, row, { reads: [ok({ id: 14 }), ok({ id: 14 })] })).result.code).toBe('not_shown');
		const unmodified = planWith({ ifUnmodified: true });
		expect((await perform(unmodified, row, { reads: [ok({ id: 14, title: 'x' })] })).result.code).toBe('not_shown');
	});

	it('is asked for if it is a term: by ?post=, as the slug that is shown is empty or unclear', async () => {
		const row = rowOf({ product: '5' });
		const asked: string[] = [];
		const termOf = async (taxonomy: string, id: string) => {
			asked.push(`${taxonomy} ${id}`);
			return { is: 'shown', value: '170' } as const;
		};
		const terms = index({ vip: '9' });
		const found = await perform(snapshot, row, { reads: [ok({ id: 14, product: '' })], terms, more: { termOf } });
		expect([asked, found.kept.map(({ values }) => ({ ...values }))]).toEqual([['product 14'], [{ product: '170' }]]);
		const none = { is: 'unknown', why: failed(404) } as const;
		const lost = await perform(snapshot, row, {
			reads: [ok({ id: 14, product: '' })],
			terms,
			more: { termOf: async () => none },
		});
		expect([lost.result.code, lost.sent]).toEqual(['not_read', []]);
		const clear = await perform(snapshot, row, { reads: [ok({ id: 14, product: 'vip' })], terms, more: { termOf } });
		expect(clear.kept.map(({ values }) => ({ ...values }))).toEqual([{ product: '9' }]);
		const tags = await perform(snapshot, rowOf({ 'ticket-tag': [1] }), {
			reads: [ok({ id: 14, 'ticket-tag': ['vip', 3] })],
			terms,
		});
		expect(tags.kept.map(({ values }) => ({ ...values }))).toEqual([{ 'ticket-tag': ['9', 3] }]);
	});

	it('is only noted where the service has no list of terms, or shows no passwords', async () => {
		const row = rowOf({ product: '5', password: 'x' });
		const { kept } = await perform(snapshot, row, { reads: [ok({ id: 14, product: '126' })] });
		expect(kept.map(({ untold }) => untold)).toEqual([['product', 'password']]);
		const readable = await perform(snapshot, rowOf({ product: '5' }), { reads: [ok({ id: 14, product: 'lamp' })] });
		expect(readable.kept.map(({ values, untold }) => [{ ...values }, untold])).toEqual([[{ product: 'lamp' }, []]]);
	});

	it('is read once if the run has read its first row', async () => {
		const row = rowOf({ title: 'x' });
		const clock = { monotonic: () => 100_000 };
		const options = { clock } as unknown as RowSenderParts['options'];
		const first = (at: number) => ({ key: row.request.key, outcome: ok({ id: 14, title: 'old' }), at });
		const fresh = await perform(snapshot, row, { more: { options, first: first(99_000) } });
		expect(fresh.steps).toEqual(['keep', 'write']);
		const stale = await perform(snapshot, row, {
			reads: [ok({ id: 14, title: 'old' })],
			more: { options, first: first(0) },
		});
		expect(stale.steps).toEqual(['read before', 'keep', 'write']);
	});

	it('of an object that is gone says so, and a delete that may have been sent is done', async () => {
		const trashed = { ...gone(410), gone: 'trashed' } as Outcome;
		expect((await perform(snapshot, rowOf({ title: 'x' }), { reads: [trashed] })).result.message).toBe(
			'ticket 14 is in the trash; nothing was written',
		);
		const request = createPlanner(endpoints['ticket.delete'])({ ids: { id: '14' } });
		const deletes = planWith({ snapshot: true }, { endpoint: 'ticket.delete' });
		const sent = await perform(deletes, { row: 1, request }, { reads: [gone(404), gone(404)], maybeSent: true });
		expect([sent.result.outcome, sent.sent]).toEqual(['ok', []]);
	});
});
