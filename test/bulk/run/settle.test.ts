/** What a read says about a write. */

import { describe, expect, test } from 'vitest';
import { endpoints } from '../../../src/api/endpoints.js';
import { createPlanner } from '../../../src/api/request.js';
import { heldOf } from '../../../src/bulk/held.js';
import { notRead, settledRefusal, verified } from '../../../src/bulk/run/settle.js';
import type { Outcome } from '../../../src/http/outcome.js';
import { planOf } from '../../support/journal.js';

const outcome = (name: Outcome['outcome'], more: Partial<Outcome> = {}): Outcome => ({
	...{ outcome: name, attempts: 1, ms: 1 },
	...more,
});

/** A read, and what it shows. */
function seen(body?: object, more: Partial<Outcome> = {}) {
	const held = body && heldOf(endpoints['ticket.update'], body);
	return { result: outcome(body === undefined ? 'failed' : 'ok', { body, ...more }), held };
}

const update = createPlanner(endpoints['ticket.update'])({ ids: { id: '14' }, fields: { status: 'hold' } });
const both = createPlanner(endpoints['ticket.update'])({
	ids: { id: '14' },
	fields: { status: 'hold', title: 'new' },
});
const trash = createPlanner(endpoints['ticket.delete'])({ ids: { id: '14' } });
const forced = createPlanner(endpoints['ticket.delete'])({ ids: { id: '14' }, force: true });

describe('a refusal of what may have been applied', () => {
	const refused = outcome('unknown', { status: 403, message: 'No.' });
	test.each([
		['failed', update, { id: 14, status: 'read' }, 'No., but it has a different status'],
		['unknown', update, { id: 14, status: 'hold' }, 'No.'],
		['failed', forced, { id: 14, status: 'trash' }, 'No., but it is still there'],
		['failed', trash, { id: 14, status: 'hold' }, 'No., but it is still there'],
		['unknown', trash, { id: 14, status: 'trash' }, 'No.'],
	] as const)('is %s', (name, request, body, message) => {
		expect(settledRefusal(request, refused, seen(body))).toMatchObject({ outcome: name, message });
	});
});

describe('a page in place of a response, under --verify', () => {
	const page = outcome('failed', { status: 403, code: 'html_response', message: 'A page.' });
	const old = heldOf(endpoints['ticket.update'], { status: 'read', title: 'old' });
	const sameStatus = heldOf(endpoints['ticket.update'], { status: 'hold', title: 'old' });
	test.each([
		['ok: all is there', { status: 'hold', title: 'new' }, old, { outcome: 'ok' }],
		['differs: some of it is there now', { status: 'hold', title: 'old' }, old, { outcome: 'differs' }],
		[
			'unknown: some of it is there, perhaps from before',
			{ status: 'hold', title: 'old' },
			undefined,
			{ outcome: 'unknown', message: 'A page.; it may be partly applied' },
		],
		['failed: what is there was there before', { status: 'hold', title: 'old' }, sameStatus, { outcome: 'failed' }],
	] as const)('is %s', (_, body, before, expected) => {
		expect(verified(both, page, seen(body), before)).toMatchObject(expected);
	});

	test('stays as it is where the write would have changed nothing', () => {
		const there = heldOf(endpoints['ticket.update'], { status: 'hold', title: 'new' });
		expect(verified(both, page, seen({ status: 'hold', title: 'new' }), there)).toMatchObject({ outcome: 'failed' });
	});
});

describe('a delete, read back', () => {
	const ok = outcome('ok');
	const gone = { result: outcome('failed', { gone: 'missing' }), held: undefined };
	test.each([
		['ok: in the trash', trash, ok, seen({ id: 14, status: 'trash' }), 'ok'],
		['ok: gone for good', forced, ok, gone, 'ok'],
		['differs: gone, in place of the trash', trash, ok, gone, 'differs'],
		['differs: in the trash, in place of gone', forced, ok, seen({ id: 14, status: 'trash' }), 'differs'],
		['differs: still there', forced, ok, seen({ id: 14 }), 'differs'],
		['as it was: nothing is known', trash, outcome('unknown'), seen(), 'unknown'],
		['as it was: still there after a failure', trash, outcome('failed'), seen({ id: 14, status: 'hold' }), 'failed'],
		['ok: gone after no response', trash, outcome('unknown'), gone, 'ok'],
	] as const)('is %s', (_, request, result, reading, name) => {
		expect(verified(request, result, reading).outcome).toBe(name);
	});
});

test('a delete to the trash is ok with a warning where the status is not shown', () => {
	expect(verified(trash, outcome('ok'), seen({ id: 14, title: 'x' }))).toMatchObject({
		outcome: 'ok',
		warnings: ['could not be verified: status'],
	});
});

test('a read with wrong credentials says so, not that the object could not be read', () => {
	const refused = outcome('failed', { status: 401, code: 'rest_not_logged_in', message: 'No.', signedOut: true });
	expect(notRead(update, refused, false, planOf())).toEqual(refused);
});

test('an object that can not be read is not written, and the outcome says what is known', () => {
	const plan = planOf();
	const page = outcome('failed', { status: 200, code: 'html_response' });
	expect(notRead(update, page, false, plan)).toMatchObject({
		outcome: 'failed',
		code: 'not_read',
		message: "couldn't read the ticket, so nothing was written: html_response",
	});
	expect(notRead(update, page, true, plan)).toMatchObject({ outcome: 'unknown' });
	const gone = outcome('failed', { status: 404, gone: 'missing' });
	expect(notRead(trash, gone, true, plan)).toMatchObject({ outcome: 'ok' });
	expect(notRead(trash, gone, false, plan)).toMatchObject({
		outcome: 'failed',
		message: expect.stringContaining('not found'),
	});
	expect(notRead(update, { ...gone, gone: 'trashed' }, true, plan)).toMatchObject({
		message: expect.stringContaining('trash'),
	});
	const saving = { ...plan, checks: { ...plan.checks, snapshot: true } };
	expect(notRead(update, page, false, saving).message).toContain('--no-snapshot');
});
