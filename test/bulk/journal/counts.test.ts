import { describe, expect, it } from 'vitest';
import {
	badRows,
	type Counts,
	countOutcome,
	createCounts,
	exitCodeOf,
	exitCodeOfOne,
	isDoneState,
	isToFix,
	KEPT,
	needsAttention,
	nextSteps,
	openRows,
	outcomeIn,
	stateOf,
	stepsAfter,
} from '../../../src/bulk/journal/counts.js';
import { detailNames, type OutcomeName, outcomeNames, reasons } from '../../../src/http/outcomes.js';
import { headerOf } from '../../support/journal.js';

type Row = [outcome: OutcomeName, status?: number];

const counted = (outcomes: Row[]): Counts => {
	const counts = createCounts();
	for (const [outcome, status] of outcomes) countOutcome(counts, { outcome, status });
	return counts;
};

describe('the state of a row', () => {
	it('has room for every outcome, every detail and every flag in two bytes', () => {
		expect(outcomeNames.map((outcome) => outcomeIn(stateOf({ outcome })))).toEqual(outcomeNames);
		for (const [code, { outcome }] of Object.entries(reasons))
			expect(outcomeIn(stateOf({ outcome, code }))).toBe(outcome);
		const failed = [401, 403, 400].map((status) => ({ outcome: 'failed', status }) as const);
		const skips = Object.entries(reasons).map(([code, { outcome }]) => ({ outcome, code }));
		const counts = createCounts();
		for (const each of [...failed, ...skips]) countOutcome(counts, each);
		expect(detailNames.filter((name) => counts[name] === 0)).toEqual([]);
		expect(KEPT).toBeLessThan(2 ** 16);
		expect(outcomeNames.filter((outcome) => (stateOf({ outcome }) & KEPT) !== 0)).toEqual([]);
	});
});

describe('the exit code of two rows', () => {
	/** An outcome that is not here does not compile: the contract says which exit code it gives beside others. */
	const statuses: Readonly<Record<OutcomeName, readonly number[]>> = {
		ok: [],
		differs: [],
		failed: [400, 401, 403],
		invalid: [],
		unknown: [],
		skipped: [],
		'not-sent': [],
	};
	const rows = outcomeNames.flatMap((outcome): Row[] => {
		const own = statuses[outcome];
		return own.length === 0 ? [[outcome]] : own.map((status) => [outcome, status]);
	});
	const isLeft = ([outcome]: Row): boolean => ['failed', 'invalid', 'not-sent'].includes(outcome);

	/** The order that the contract gives: 4 for a 401, 3 or 1, 5, 6, 0. */
	function expected(pair: Row[]): number {
		if (pair.some(([, status]) => status === 401)) return 4;
		if (pair.every(([, status]) => status === 403)) return 4;
		if (pair.every(isLeft)) return 1;
		if (pair.some(isLeft)) return 3;
		if (pair.some(([outcome]) => outcome === 'unknown')) return 5;
		return pair.some(([outcome]) => outcome === 'differs') ? 6 : 0;
	}

	it.each(rows.flatMap((one) => rows.map((other) => [one.join(' '), other.join(' '), [one, other]] as const)))(
		'is the first that applies: %s and %s',
		(_one, _other, pair) => {
			expect(exitCodeOf(counted([...pair]))).toBe(expected([...pair]));
			expect(exitCodeOf(counted([...pair]), true)).toBe(130);
		},
	);
});

describe('exitCodeOf', () => {
	const withCodes = (outcomes: [OutcomeName, string?][]): Counts => {
		const counts = createCounts();
		for (const [outcome, code] of outcomes) countOutcome(counts, { outcome, code });
		return counts;
	};

	it.each(['drift', 'conflict', 'changed_since', 'not_restorable'])(
		'is 3 where a row was left for %s, and 1 if nothing was sent',
		(code) => {
			expect(exitCodeOf(withCodes([['skipped', code]]))).toBe(1);
			expect(exitCodeOf(withCodes([['skipped', code], ['ok']]))).toBe(3);
			expect(exitCodeOf(withCodes([['skipped', code], ['unknown']]))).toBe(3);
			expect(
				exitCodeOf(
					withCodes([
						['skipped', code],
						['skipped', 'unchanged'],
					]),
				),
			).toBe(1);
			expect(exitCodeOfOne({ outcome: 'skipped', code })).toBe(1);
		},
	);

	it.each(['unchanged', 'nothing_to_send', 'condition', 'superseded', 'not_found', 'of_another_version'])(
		'is 0 for a row that was skipped with %s',
		(code) => {
			expect(exitCodeOf(withCodes([['skipped', code]]))).toBe(0);
			expect(exitCodeOf(withCodes([['skipped', code], ['ok']]))).toBe(0);
		},
	);

	it('takes no notice of rows that were left out on purpose', () => {
		const leftOut = withCodes([
			['not-sent', 'left_out'],
			['not-sent', 'left_out'],
		]);
		expect(exitCodeOf(leftOut)).toBe(0);
		expect(openRows(leftOut)).toBe(0);
		expect(badRows(leftOut)).toBe(0);
		expect(exitCodeOf({ ...leftOut, ok: 1 })).toBe(0);
		expect(exitCodeOf({ ...leftOut, failed: 1 })).toBe(1);
		expect(exitCodeOf({ ...leftOut, failed: 1, forbidden: 1 })).toBe(4);
		const state = stateOf({ outcome: 'not-sent', code: 'left_out' });
		expect([isDoneState(state), isToFix(state), needsAttention(state)]).toEqual([true, false, false]);
	});

	it('reads a code only with the outcome it belongs to', () => {
		expect(exitCodeOf(withCodes([['ok', 'drift']]))).toBe(0);
		expect(exitCodeOf(withCodes([['not-sent', 'unchanged']]))).toBe(1);
		expect(exitCodeOf(withCodes([['skipped', 'left_out'], ['ok']]))).toBe(0);
		expect(exitCodeOf(withCodes([['skipped', 'constructor']]))).toBe(0);
	});

	it('counts a conflict as left and to edit, and drift as left only', () => {
		const [conflict, drift] = ['conflict', 'drift'].map((code) => stateOf({ outcome: 'skipped', code }));
		expect([conflict, drift].map((state = 0) => [isToFix(state), needsAttention(state)])).toEqual([
			[true, true],
			[false, true],
		]);
		expect(badRows(withCodes([['skipped', 'drift'], ['skipped', 'unchanged'], ['failed']]))).toBe(2);
	});

	it.each([
		['nothing at all', [], 0],
		['all ok', [['ok'], ['ok']], 0],
		['ok and skipped', [['ok'], ['skipped']], 0],
		[
			'all failed',
			[
				['failed', 500],
				['failed', 400],
			],
			1,
		],
		['all invalid', [['invalid']], 1],
		['nothing could be sent', [['not-sent'], ['not-sent']], 1],
		['some failed', [['ok'], ['failed', 500]], 3],
		['some not sent', [['ok'], ['not-sent']], 3],
		['failed and unknown', [['failed', 500], ['unknown']], 3],
		['some unknown', [['ok'], ['unknown']], 5],
		['all unknown', [['unknown']], 5],
		['a single 401', [['ok'], ['failed', 401], ['not-sent']], 4],
		[
			'all 403',
			[
				['failed', 403],
				['failed', 403],
			],
			4,
		],
		['some 403', [['ok'], ['failed', 403]], 3],
		[
			'403 and other failures',
			[
				['failed', 403],
				['failed', 500],
			],
			1,
		],
	] as [string, Row[], number][])('%s', (_, outcomes, code) => {
		expect(exitCodeOf(counted(outcomes))).toBe(code);
	});

	it('is 130 for a run that was stopped, whatever came of it', () => {
		expect(exitCodeOf(counted([['ok'], ['failed', 401]]), true)).toBe(130);
	});

	it.each([
		[[['differs'], ['ok'], ['skipped']], 6],
		[[['differs'], ['unknown']], 5],
		[[['differs'], ['failed', 403]], 3],
		[[['differs'], ['invalid']], 3],
		[[['differs'], ['failed', 401]], 4],
	] as [Parameters<typeof counted>[0], number][])('of %j is %i', (outcomes, code) => {
		expect(exitCodeOf(counted(outcomes))).toBe(code);
	});
});

it('rows are open for a resume or for a person to fix, never both', () => {
	const counts = counted([
		['ok'],
		['skipped'],
		['unknown'],
		['not-sent'],
		['not-sent'],
		['failed', 401],
		['failed', 403],
		['failed', 404],
		['invalid'],
		['differs'],
	]);
	expect(openRows(counts)).toBe(4);
});

it.each([
	['may succeed unchanged', [500, 429, 409, undefined], ['retry']],
	['need an edit', [400, 404, 410, 422], ['rejects']],
	['are of both kinds', [400, 503], ['retry', 'rejects']],
])('failed rows that %s are for run %s', (_, statuses, verbs) => {
	const counts = counted(statuses.map((status) => ['failed', status] as Row));
	expect(nextSteps('R', counts, false).map(([, command]) => command.split(' ')[2])).toEqual(verbs);
});

it('rows that somebody else changed are for run rejects', () => {
	const counts = { ...counted([['ok'], ['skipped']]), conflicts: 1 };
	expect(nextSteps('R', counts, false).map(([, command]) => command)).toEqual([
		'supportctl run rejects R --format csv',
	]);
});

it('a run of which everything differs can be undone', () => {
	const header = headerOf(1);
	const { plan } = header;
	const kept = { ...header, plan: { ...plan, checks: { ...plan.checks, snapshot: true } } };
	const steps = stepsAfter(kept, counted([['differs']]), false);
	expect(steps.map(([text]) => text)).toEqual(['Fix and resend', 'Undo']);
});

it('rows that differ or are invalid are for run rejects, and open rows for run resume', () => {
	const steps = (outcomes: Row[], resumable: boolean) =>
		nextSteps('R', counted(outcomes), resumable).map(([, command]) => command.split(' ')[2]);
	expect(steps([['differs'], ['ok']], false)).toEqual(['rejects']);
	expect(steps([['invalid'], ['unknown']], true)).toEqual(['resume', 'rejects']);
});
