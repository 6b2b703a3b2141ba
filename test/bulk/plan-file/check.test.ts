/** A plan may come from elsewhere: each line is checked like a command line. */

import { describe, expect, test } from 'vitest';
import { endpoints } from '../../../src/api/endpoints.js';
import type { RunPlan } from '../../../src/bulk/plan.js';
import { valueProblem } from '../../../src/bulk/plan-file/check.js';
import { plannedChanges } from '../../../src/bulk/plan-file/read.js';
import { type PlanLine, planned, planWith } from '../../support/forged-plan.js';

function refusalOf(lines: readonly PlanLine[], more: Partial<RunPlan> = {}): string {
	const { path, plan } = planWith(lines, more);
	try {
		for (const _ of plannedChanges(path, plan));
	} catch (error) {
		return (error as Error).message.slice(`can't use the plan ${path}: `.length);
	}
	return 'none';
}

const CALLED = { values: { title: 'Printer', slug: 'printer' }, absent: [] };
const DELETE = { endpoint: 'ticket.delete' } as const;
const FIELD = planned({
	ids: { ticket_id: '14' },
	fields: { size: 'L' },
	before: { values: { size: 'M' }, absent: [] },
});
const SET = { endpoint: 'ticket.fields.set' } as const;
const LEAVER = { endpoint: 'user.delete' } as const;

describe('a line of a plan', () => {
	test.each<[string, PlanLine, Partial<RunPlan>?]>([
		['an update', planned()],
		['a delete', planned({ fields: {}, force: true, before: CALLED }), DELETE],
		['a delete with a receiver', planned({ fields: {}, force: true, reassign: '3', before: CALLED }), LEAVER],
		['a custom field', { ...FIELD, label: undefined }, SET],
		[
			'a custom field that is not there yet',
			{ ...FIELD, label: undefined, before: { values: {}, absent: ['size'] } },
			SET,
		],
		['a name', { type: 'called', of: 'users', id: '3', name: 'jose.kaya' }],
		[
			'a name of an undocumented taxonomy',
			{ type: 'called', of: 'mood', id: '3', name: 'Sad' },
			{ undocumented: true },
		],
		['a row that is left', { type: 'left', row: 1, ids: {}, outcome: 'skipped', code: 'condition', message: 'no' }],
	])('is good as %s', (_, line, more) => {
		expect(refusalOf([line], more)).toBe('none');
	});

	test.each<[string, PlanLine, Partial<RunPlan>?]>([
		['it has a "cc"', planned({ cc: 'eve' })],
		['it is out of order', planned({ row: 0 })],
		['it is out of order', planned({ row: '1' })],
		['it is out of order', planned({ row: 1.5 })],
		['it is out of order', planned({ row: 1e300 })],
		["its line isn't a number", planned({ line: '<script>' })],
		["its line isn't a number", planned({ line: -5 })],
		['its command takes no "username"', planned({ label: undefined, ids: { id: '14', username: 'Test' } })],
		['its command takes no "slug"', planned({ ids: { id: '14', slug: 'test' } })],
		['it is incomplete', planned({ fields: 'status' })],
		['it is incomplete', planned({ before: 7 })],
		['it is incomplete', planned({ before: { values: {}, absent: 'x' } })],
		['one of its labels is not text', planned({ label: 7 })],
		["its ID isn't one", planned({ ids: { id: '14/../../users/1' } })],
		['its force is not true', planned({ fields: {}, force: 'yes' }), DELETE],
		["its receiver isn't an ID", planned({ fields: {}, force: true, reassign: '../3' }), LEAVER],
		['its command has no reassign', planned({ fields: {}, reassign: '3' }), DELETE],
		['reassign is missing', planned({ fields: {}, force: true }), LEAVER],
		['a delete has no fields', planned({ fields: { status: 'hold' } }), DELETE],
		['its label is not one of its old values', planned({ fields: {} }), DELETE],
		['it changes nothing', planned({ fields: {} })],
		['"role" isn\'t a field', planned({ fields: { role: 'x' } })],
		['it has no old value of "title"', planned({ fields: { status: 'hold', title: 'x' } })],
		['it has no old values', planned({ fields: {}, label: undefined, before: { values: {}, absent: [] } }), DELETE],
		['its label is that of a ticket', FIELD, SET],
		['status "hodl"', planned({ fields: { status: 'hodl' } })],
	])('is refused: %s', (why, line, more) => {
		expect(refusalOf([line], more)).toContain(`row ${line.row} can't be sent: ${why}`);
	});

	test.each<[string, PlanLine, Partial<RunPlan>?]>([
		["a name in it can't be read", { type: 'called', of: 'mood', id: '3', name: 'Sad' }],
		["a name in it can't be read", { type: 'called', of: '../x', id: '3', name: 'Sad' }, { undocumented: true }],
		["a name in it can't be read", { type: 'called', of: 'users', id: '-3', name: 'Sad' }],
		["a name in it can't be read", { type: 'called', of: 'users', id: '3', name: 7 }],
		["its entry for row 1 can't be read", { type: 'left', row: 1, ids: { id: 14 }, outcome: 'skipped' }],
		["its entry for row 1 can't be read", { type: 'left', row: 1, ids: {}, outcome: 'gone' }],
		["its entry for row 1 can't be read", { type: 'left', row: 1, line: {}, ids: {}, outcome: 'skipped' }],
	])('is refused as well: %s', (why, line, more) => {
		expect(refusalOf([line], more)).toContain(why);
	});
});

describe('a value of a plan', () => {
	const undocumented = { undocumented: true };
	test.each<[string | undefined, 'ticket.update' | 'ticket.fields.set' | 'user.update', string, unknown, object?]>([
		[undefined, 'ticket.update', 'title', 'x'],
		[undefined, 'ticket.update', 'ticket-tag', [1, 2]],
		[undefined, 'user.update', 'meta', { note: 'x' }],
		[undefined, 'ticket.update', 'own', { any: 'x' }, undocumented],
		[undefined, 'ticket.fields.set', 'size', 7, undocumented],
		['custom field "size" isn\'t a text', 'ticket.fields.set', 'size', 7],
		["title has a value that can't be shown", 'ticket.update', 'title', { raw: 'x' }],
		["ticket-tag has a value that can't be shown", 'ticket.update', 'ticket-tag', [{ id: 1 }]],
		['password is secret', 'user.update', 'password', 'hunter2'],
		['nested more than 100 deep', 'ticket.update', 'own', JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`)],
	])('is refused where it could not be shown: %s', (problem, name, field, value, more) => {
		const found = valueProblem(endpoints[name], field, value, { undocumented: false, ...more });
		if (problem === undefined) expect(found).toBeUndefined();
		else expect(found).toContain(problem);
	});
});
