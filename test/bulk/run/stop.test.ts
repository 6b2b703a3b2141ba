import { describe, expect, it } from 'vitest';
import type { StopRules } from '../../../src/bulk/plan.js';
import { StopWatch } from '../../../src/bulk/run/stop.js';
import type { RowOutcome } from '../../../src/http/outcome.js';
import { outcomeOf } from '../../support/journal.js';

const watch = (rules: Partial<StopRules> = {}, concurrency = 4): StopWatch =>
	new StopWatch({ onError: false, ...rules }, concurrency);

const failed = (row: number, more: Partial<RowOutcome> = {}): RowOutcome =>
	outcomeOf(row, { outcome: 'failed', status: 400, code: 'rest_invalid_param', ...more });

function unanswered(row: number, outcome: 'unknown' | 'not-sent' = 'unknown'): RowOutcome {
	const { status: _, ...rest } = outcomeOf(row, {
		outcome,
		code: 'connection_lost',
		message: 'the connection was reset',
	});
	return rest;
}

describe('a run goes on', () => {
	it('after failures of any kind but a 401, where no rule says otherwise', () => {
		const rules = watch();
		for (let row = 1; row <= 1000; row++) {
			expect(rules.look(failed(row, { status: row % 2 === 0 ? 403 : 500 }))).toBeUndefined();
		}
	});

	it('after rows that were not to be sent', () => {
		const rules = watch({ onError: true, maxFailures: 0 });
		expect(rules.look(outcomeOf(1, { outcome: 'skipped' }))).toBeUndefined();
		expect(rules.look(outcomeOf(2, { outcome: 'invalid' }))).toBeUndefined();
		expect(rules.look(outcomeOf(3))).toBeUndefined();
	});

	it('after any number of lost answers that others come between', () => {
		const rules = watch();
		for (let row = 1; row <= 200; row++) {
			expect(rules.look(row % 14 === 0 ? outcomeOf(row) : unanswered(row))).toBeUndefined();
		}
	});
});

describe('a run stops', () => {
	it('at a 401, also where the row says so for another reason than the credentials', () => {
		const outcome = failed(3, { status: 401, code: 'rest_forbidden', signedOut: true });
		expect(watch().look(outcome)).toEqual({ kind: 'unauthorized', outcome });
		expect(watch().look({ ...outcome, outcome: 'unknown' })).toMatchObject({ kind: 'unauthorized' });
	});

	it.each(['failed', 'unknown', 'not-sent'] as const)(
		'at the first row that is %s, with --stop-on-error',
		(outcome) => {
			const bad = outcomeOf(5, { outcome });
			const rules = watch({ onError: true });
			expect(rules.look(outcomeOf(4))).toBeUndefined();
			expect(rules.look(bad)).toEqual({ kind: 'failure', outcome: bad });
		},
	);

	it('at one failure more than --max-failures', () => {
		const rules = watch({ maxFailures: 2 });
		expect(rules.look(failed(1))).toBeUndefined();
		expect(rules.look(outcomeOf(2))).toBeUndefined();
		expect(rules.look(outcomeOf(3, { outcome: 'unknown' }))).toBeUndefined();
		expect(rules.look(failed(4))).toEqual({ kind: 'too-many-failures', limit: 2 });
		expect(watch({ maxFailures: 0 }).look(failed(1))).toEqual({ kind: 'too-many-failures', limit: 0 });
	});

	it.each([
		['redirect', 302],
		['login_form', 200],
		['html_response', 404],
		['http_404', 404],
		['rest_no_route', 404],
		['rest_forbidden', 403],
		['rest_invalid_param', 400],
		['internal_error', 500],
	])('after twenty first rows that all failed for %s', (code, status) => {
		const rules = watch({}, 16);
		const notServed = status < 400 || status === 404;
		for (let row = 1; row < 20; row++) {
			expect(rules.look(failed(row, { code, status, notServed, message: `No ${row}.` }))).toBeUndefined();
		}
		const last = failed(20, { code, status, notServed, message: 'No 20.' });
		expect(rules.look(last)).toEqual({ kind: 'same-refusal', outcome: last, rows: 20 });
	});

	it.each([404, 409, 410, 412])('not for objects that the service refuses one by one: %i', (status) => {
		const rules = watch();
		for (let row = 1; row < 100; row++) expect(rules.look(failed(row, { status, code: 'gone' }))).toBeUndefined();
	});

	it.each([
		['for another reason', failed(7, { code: 'rest_other' })],
		['for another reason in words', failed(7, { message: 'Not today.' })],
		['served', outcomeOf(7)],
		['served with other values', outcomeOf(7, { outcome: 'differs' })],
	])('not for refusals around a row that is %s', (_what, other) => {
		const rules = watch();
		for (let row = 1; row < 7; row++) rules.look(failed(row));
		rules.look(other);
		for (let row = 8; row < 100; row++) expect(rules.look(failed(row))).toBeUndefined();
	});

	it.each([
		['a success', outcomeOf(1)],
		['a refusal of the service itself', failed(1)],
	])('not for any number of pages after %s', (_what, first) => {
		const rules = watch();
		rules.look(first);
		for (let row = 2; row < 50; row++) {
			expect(rules.look(failed(row, { code: 'html_response', status: 404, notServed: true }))).toBeUndefined();
		}
	});

	it('after eight seconds without a connection, whatever rows gave up meanwhile', () => {
		const rules = watch();
		expect(rules.lookAttempt({ retry: 'unsent' }, 0)).toBeUndefined();
		expect(rules.look(unanswered(1, 'not-sent'))).toBeUndefined();
		expect(rules.lookAttempt({ retry: 'unsent' }, 8000)).toMatchObject({ kind: 'unreachable' });
	});

	it('where the service asks to wait longer than anybody would', () => {
		const outcome = outcomeOf(1, { outcome: 'not-sent', status: 429, code: 'wait_too_long' });
		expect(watch().look(outcome)).toEqual({ kind: 'asked-to-wait', outcome });
	});

	it('after ten rows without any answer beyond those under way', () => {
		const rules = watch({}, 6);
		for (let row = 1; row < 16; row++) expect(rules.look(unanswered(row))).toBeUndefined();
		expect(rules.look(unanswered(16, 'not-sent'))).toEqual({ kind: 'unreachable', why: 'the connection was reset' });
	});

	it('after rows without a word of why', () => {
		const rules = watch({}, 1);
		const mute = (row: number): RowOutcome => {
			const { status: _, ...rest } = outcomeOf(row, { outcome: 'unknown' });
			return rest;
		};
		for (let row = 1; row < 11; row++) expect(rules.look(mute(row))).toBeUndefined();
		expect(rules.look(mute(11))).toEqual({ kind: 'unreachable', why: 'no response' });
	});

	it.each([408, 425, 429, 502, 503, 504, 520, 522, 524, 598])(
		'after as many that were all refused for now or lost behind a gateway, each after all its retries: %i',
		(status) => {
			const rules = watch({}, 6);
			const busy = (row: number): RowOutcome =>
				failed(row, { status, code: `http_${status}`, message: 'busy', busy: true });
			for (let row = 1; row < 16; row++) expect(rules.look(busy(row))).toBeUndefined();
			expect(rules.look(busy(16))).toEqual({ kind: 'unreachable', why: 'busy' });
		},
	);

	it('after eight seconds without a connection, where there never was one', () => {
		const rules = watch();
		const away = { retry: 'unsent' as const, code: 'connect_refused' };
		expect(rules.lookAttempt(away, 100_000)).toBeUndefined();
		expect(rules.lookAttempt(away, 107_999)).toBeUndefined();
		expect(rules.lookAttempt(away, 108_000)).toEqual({ kind: 'unreachable', why: 'connect_refused' });
	});

	it('after five minutes without a connection, where there was one before', () => {
		for (const reach of [
			(rules: StopWatch) => rules.look(failed(1)),
			(rules: StopWatch) => rules.lookAttempt({ retry: 'later' }, 0),
		]) {
			const rules = watch();
			reach(rules);
			expect(rules.lookAttempt({ retry: 'unsent' }, 1000)).toBeUndefined();
			expect(rules.lookAttempt({ retry: 'unsent' }, 300_000)).toBeUndefined();
			expect(rules.lookAttempt({ retry: 'unsent' }, 301_000)).toEqual({ kind: 'unreachable', why: 'no connection' });
		}
	});

	it('after five minutes in which there was no usable response, as nothing else ends the probes of a run', () => {
		const rules = watch();
		for (let minute = 0; minute < 5; minute++) {
			expect(rules.lookAttempt({ retry: 'lost', code: 'http_502' }, minute * 60_000)).toBeUndefined();
			expect(rules.look(failed(minute + 1, { status: 502, busy: true }))).toBeUndefined();
		}
		expect(rules.lookAttempt({ retry: 'lost', code: 'http_502' }, 300_000)).toMatchObject({ why: 'http_502' });
	});

	it.each(['unsent', 'lost'] as const)('not for what was %s now and then', (retry) => {
		const rules = watch();
		for (let minute = 0; minute < 60; minute++) {
			expect(rules.lookAttempt({ retry }, minute * 60_000)).toBeUndefined();
			expect(rules.look(outcomeOf(minute + 1, { outcome: 'ok', status: 200 }))).toBeUndefined();
		}
	});
});
