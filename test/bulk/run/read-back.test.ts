import { describe, expect, it } from 'vitest';
import { neutralDialect } from '../../../src/api/dialect.js';
import { endpoints } from '../../../src/api/endpoints.js';
import { createPlanner, type Request } from '../../../src/api/plan.js';
import { parseExact } from '../../../src/api/values.js';
import type { OldValues } from '../../../src/bulk/journal/records.js';
import { heldOf } from '../../../src/bulk/run/held.js';
import type { Checks, RunPlan } from '../../../src/bulk/run/plan.js';
import { checkReadable, createPerform, decide } from '../../../src/bulk/run/read-back.js';
import { outcomeOf, type RunRow } from '../../../src/bulk/run/rows.js';
import type { Outcome } from '../../../src/http/outcome.js';
import { planOf } from '../../support/journal.js';

type Name = 'ticket.update' | 'ticket.fields.set' | 'ticket.delete' | 'user.delete';

function planWith(checks: Partial<Checks> = {}, more: Partial<RunPlan> = {}): RunPlan {
	const plan = planOf(more);
	return { ...plan, checks: { ...plan.checks, ...checks } };
}

function rowOf(fields: Record<string, unknown>, more: Partial<RunRow> = {}, name: Name = 'ticket.update'): RunRow {
	const ids: Record<string, string> = name === 'ticket.fields.set' ? { ticket_id: '14' } : { id: '14' };
	const request = createPlanner(endpoints[name])(endpoints[name].body === 'none' ? { ids } : { ids, fields });
	return { row: 1, request, ...more };
}

function decided(row: RunRow, body: unknown, plan: RunPlan) {
	const held = heldOf(row.request.endpoint, body, 'xx');
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

/** Carries out one row; `reads` are the results of the reads, in their order. */
async function perform(
	plan: RunPlan,
	row: RunRow,
	{ sent = ok({}), reads = [] as Outcome[], keep = true, maybeSent = false } = {},
) {
	const steps: string[] = [];
	const kept: OldValues[] = [];
	const written: Request[] = [];
	const run = createPerform(plan, neutralDialect, {
		async send(_, request) {
			steps.push('write');
			written.push(request);
			return sent;
		},
		async read(_, request, afterStop) {
			steps.push(`${request.method} ${afterStop ? 'after' : 'before'}`);
			return reads.shift() ?? failed(500);
		},
		async keep(_, before) {
			if (!keep) throw new Error('the disk is full');
			steps.push('keep');
			kept.push(before);
		},
		maybeSent: () => maybeSent,
	});
	return { result: await run(row), steps, kept, sent: written.map((request) => request.sent) };
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
		const body = { severity: { name: 'Severity', value: 'high' }, color: { name: 'Color', value: 'red' } };
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

	it.each([{ ifUnmodified: true }, { conditions: [{ field: 'title', value: 'old' }] }])(
		'takes what an interrupted part of the run may have written for done, under %j',
		(checks) => {
			const body = { title: 'x', modified_gmt: '2026-11-22T01:00:00' };
			const held = heldOf({ body: 'fields' }, body, '');
			if (held === undefined) throw new Error('the body shows no object');
			const codes = [false, true].map((maybeSent) => {
				const decision = decide(rowOf({ title: 'x' }, { modified: 'then' }), held, planWith(checks), maybeSent);
				return 'skip' in decision && decision.skip.code;
			});
			expect(codes).toEqual([checks.ifUnmodified === true ? 'conflict' : 'condition', 'unchanged']);
		},
	);

	it('skips nothing of what an interrupted run did not write', () => {
		const held = heldOf({ body: 'fields' }, { title: 'old' }, '');
		if (held === undefined) throw new Error('the body shows no object');
		const plan = planWith({ conditions: [{ field: 'title', value: 'old' }] });
		expect(decide(rowOf({ title: 'x' }), held, plan, true)).toEqual({ fields: { title: 'x' }, left: [] });
	});

	it('skips an object that no longer holds what an undone run wrote, unless it is restored already', () => {
		const expected = { values: { status: ['hold', 'draft'] }, byField: true, code: 'changed_since', hint: '' };
		const row = rowOf({ status: 'read' }, { expected });
		expect(decided(row, { status: 'draft' }, changed)).toEqual({ status: 'read' });
		expect(decided(row, { status: 'hold' }, changed)).toEqual({ status: 'read' });
		expect(decided(row, { status: 'pending' }, changed)).toBe('changed_since');
		expect(decided(row, { status: 'read' }, changed)).toBe('unchanged');
	});

	it('adds items to a list and removes some, is unchanged where that changes nothing, and needs to see the list', () => {
		const { values } = planOf();
		const plan = planWith({}, { values: { ...values, add: { 'ticket-tag': [3, 1] }, remove: { 'ticket-tag': [2] } } });
		expect(decided(rowOf({}), { 'ticket-tag': [1, 2] }, plan)).toEqual({ 'ticket-tag': [1, 3] });
		expect(decided(rowOf({}), { 'ticket-tag': [3, 1] }, plan)).toBe('unchanged');
		expect(decided(rowOf({}), { id: 14 }, plan)).toBe('not_shown');
	});
});

describe('a row', () => {
	const row = rowOf({ status: 'hold', title: 'x' });
	const shown = { status: 'hold', title: { raw: 'x' } };

	it('is one write where no check is asked for, and none without a field', async () => {
		expect(await perform(planWith(), row)).toMatchObject({ steps: ['write'], result: { outcome: 'ok' } });
		expect(await perform(planWith(), rowOf({}))).toMatchObject({ steps: [], result: { code: 'nothing_to_send' } });
	});

	it('differs where the response shows another value, unless that is allowed', async () => {
		const sent = ok({ status: 'read', title: 'x' });
		const differs = [{ field: 'status', sent: 'hold', shown: 'read' }];
		expect((await perform(planWith(), row, { sent })).result).toMatchObject({ outcome: 'differs', differs });
		for (const allowDiffers of [true, ['status']]) {
			const { result } = await perform(planWith({ allowDiffers }), row, { sent });
			expect(result).toMatchObject({ outcome: 'ok', differs });
			expect(result.code).toBeUndefined();
		}
		const other = await perform(planWith({ allowDiffers: ['title'] }), row, { sent });
		expect(other.result.outcome).toBe('differs');
		const both = await perform(planWith({ allowDiffers: ['status'] }), row, {
			sent: ok({ status: 'read', title: 'y' }),
		});
		expect(both.result.outcome).toBe('differs');
	});

	it('keeps the old values of what it writes before the write, and is not written where that fails', async () => {
		const plan = planWith({ snapshot: true, onlyChanged: true });
		const reads = () => [ok({ status: 'read', title: { raw: 'x' } })];
		const { steps, kept, sent } = await perform(plan, row, { reads: reads() });
		expect(steps).toEqual(['GET before', 'keep', 'write']);
		expect(kept).toEqual([{ values: { status: 'read' }, absent: [], sent: { status: 'hold' } }]);
		expect(sent).toEqual([{ status: 'hold' }]);
		await expect(perform(plan, row, { reads: reads(), keep: false })).rejects.toThrow('the disk is full');
	});

	it('keeps the status of what goes to the trash, and nothing of what is deleted permanently', async () => {
		const plan = planWith({ snapshot: true }, { endpoint: 'ticket.delete' });
		const trash = await perform(plan, rowOf({}, {}, 'ticket.delete'), { reads: [ok({ status: 'hold' })] });
		expect(trash.kept).toEqual([{ values: { status: 'hold' }, absent: [], sent: { status: 'trash' } }]);
		const request = createPlanner(endpoints['ticket.delete'])({ ids: { id: '14' }, force: true });
		const gone = await perform(plan, { row: 1, request }, { reads: [ok({ status: 'hold' })] });
		expect(gone.steps).toEqual(['GET before', 'write']);
	});

	it.each([
		['a refusal', failed(403), 'failed'],
		['a lost response', { outcome: 'unknown', attempts: 2, ms: 1 } as Outcome, 'not-sent'],
		['a shape that is not known', ok('text'), 'failed'],
	])('is not written after a read with %s', async (_, read, outcome) => {
		const { result, steps } = await perform(planWith({ onlyChanged: true }), row, { reads: [read] });
		expect(steps).toEqual(['GET before']);
		expect(result.outcome).toBe(outcome);
	});

	it('is not written with a number that can not be held exactly', async () => {
		const time = parseExact('{"n":12345678901234567890}') as { n: unknown };
		const { result, steps } = await perform(planWith(), rowOf({ 'time-adjustments': time.n }));
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
		['500, and half of it is there', failed(500), ok({ ...shown, status: 'read' }), { outcome: 'differs' }],
		[
			'500, and nothing is there',
			failed(500),
			ok({ status: 'read', title: { raw: 'y' } }),
			{ outcome: 'failed', code: 'no' },
		],
	])('under --verify is settled by what is seen: %s', async (_, sent, read, expected) => {
		const { result, steps } = await perform(planWith({ verify: true }), row, { sent, reads: [read] });
		expect(steps).toEqual(['write', 'GET after']);
		expect(result).toMatchObject(expected);
		if (expected.outcome === 'ok') expect([result.code, result.message]).toEqual([undefined, undefined]);
	});

	it('is neither written nor verified by a read that shows another object', async () => {
		const other = ok({ id: 15, status: 'hold', title: { raw: 'x' } });
		for (const check of ['snapshot', 'onlyChanged'] as const) {
			const { result, steps } = await perform(planWith({ [check]: true }), row, { reads: [other] });
			expect([result.outcome, result.code, steps]).toEqual(['failed', 'another_object', ['GET before']]);
		}
		const { result } = await perform(planWith({ verify: true }), row, { reads: [other] });
		expect(result).toMatchObject({ outcome: 'unknown', message: expect.stringContaining('another object, 15') });
	});

	it('is not written where the read shows an object without a field, as if it had no values', async () => {
		const plan = planWith({ snapshot: true, conditions: [{ field: 'assignee', value: '' }] });
		const { result, steps } = await perform(plan, row, { reads: [ok({})] });
		expect([result.outcome, result.code, steps]).toEqual(['failed', 'unexpected_shape', ['GET before']]);
	});

	it('is not read back where it was refused', async () => {
		expect((await perform(planWith({ verify: true }), row, { sent: failed(400) })).steps).toEqual(['write']);
	});

	it('differs under --verify where a custom field is not there after the write', async () => {
		const plan = planWith({ verify: true }, { endpoint: 'ticket.fields.set' });
		const set = rowOf({ color: 'red', size: 'xl' }, {}, 'ticket.fields.set');
		const { result } = await perform(plan, set, { sent: ok(null), reads: [ok({ color: { value: 'red' } })] });
		expect(result).toMatchObject({ outcome: 'differs', differs: [{ field: 'size' }] });
	});

	it.each<[string, boolean, Outcome, Outcome, string]>([
		['in the trash', false, ok({}), ok({ status: 'trash' }), 'ok'],
		['still there', false, ok({}), ok({ status: 'hold' }), 'differs'],
		['gone for good', false, ok({}), failed(410), 'differs'],
		['gone already, which --ignore-missing takes for ok', false, ok({}, { status: 404 }), failed(404), 'ok'],
		['gone', true, ok({}), failed(404), 'ok'],
		['gone after a lost response', true, { outcome: 'unknown', attempts: 1, ms: 1 }, failed(404), 'ok'],
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
		expect([result.outcome, steps]).toEqual([outcome, ['GET before']]);
	});

	it('carries its remarks whatever its outcome is', () => {
		for (const result of [ok({}), failed(400, { warnings: ['odd'] })]) {
			const { warnings } = outcomeOf({ ...row, remarks: ['size stays'] }, result);
			expect(warnings).toEqual([...(result.warnings ?? []), 'size stays']);
		}
	});
});

it('checks that need a read are refused where the API has none', () => {
	expect(() => checkReadable(endpoints['user.password.delete'], planWith({ verify: true }))).toThrow('no way to read');
	expect(() => checkReadable(endpoints['user.password.delete'], planWith())).not.toThrow();
	expect(() => checkReadable(endpoints['ticket.update'], planWith({ verify: true }))).not.toThrow();
});
