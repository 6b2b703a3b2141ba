/** What a run promises, checked against every state that the desk's objects ever had. */

import { isDeepStrictEqual } from 'node:util';
import { pathOf, type Shown } from '../../support/objects.js';
import type { RecordedRequest } from '../../support/recorder.js';
import {
	type Asked,
	type Condition,
	expectThat,
	holds,
	isBySomeRow,
	isSameValue,
	isUnchanged,
	leavesOut,
	type ModelRun,
	mayBeWritten,
	meets,
	namesOf,
	type Part,
	type Recorded,
	statesOf,
	valueAfter,
} from './asked.js';
import { isLookUp, type ModelDesk } from './desk.js';

/** Also a part of what it asks for. After a kill, its own write may be what moved the time of the last change: a conflict. */
function mayHaveLeft(recorded: Recorded | undefined): boolean {
	const isTried = recorded?.outcome === 'failed' || ['conflict', 'condition'].includes(recorded?.code ?? '');
	return isTried || mayBeWritten(recorded);
}

/** Fields that a later row of the same object has set: the earlier row leaves them out. */
function superseded(run: ModelRun, row: Asked): Set<string> {
	const later = run.rows.filter(
		(each) => each.path === row.path && each.row > row.row && mayBeWritten(run.outcomes.get(each.row)),
	);
	return new Set(later.flatMap(namesOf));
}

function wasSent({ requests }: ModelDesk, { id }: ModelRun, path: string): boolean {
	return requests.some((each) => each.method !== 'GET' && each.headers['x-request-id'] === id && pathOf(each) === path);
}

/** Each outcome says what the desk did. */
export function checkOutcomes(desk: ModelDesk, run: ModelRun): void {
	for (const row of run.rows) {
		const recorded = run.outcomes.get(row.row);
		if (recorded === undefined) continue;
		const states = statesOf(desk, run, row.path);
		const facts = { run: run.id, row, recorded, states: states.map(({ by, sent }) => ({ by, sent })) };
		const without = leavesOut(recorded) ? superseded(run, row) : undefined;
		const hasHeld = states.some(({ held }) => holds(held, row, without));
		const { outcome, code } = recorded;
		if (outcome === 'ok') {
			expectThat(hasHeld, 'a row that is ok was written', facts);
			// A killed process may have sent what never arrived, and what is gone needs no delete.
			const isSent = run.wasKilled || row.isDelete === true || wasSent(desk, run, row.path);
			expectThat(isSent, 'a row that is ok was sent', facts);
		}
		if (isUnchanged(recorded)) expectThat(hasHeld, 'a row that is unchanged had its values', facts);
		else if (code === 'superseded') {
			const later = superseded(run, row);
			const isCovered = namesOf(row).every((name) => later.has(name));
			expectThat(isCovered, 'a row is superseded by a later one that was written', facts);
		} else if (code === 'left_out') {
			const isUntouched = states.every(({ by }) => by !== run.id);
			expectThat(isUntouched && run.part?.paths.has(row.path) === false, 'what is left out is not written', facts);
		} else if (['failed', 'not-sent', 'invalid', 'skipped'].includes(outcome)) {
			if (code === 'condition') {
				const wasMet = states.every(({ held }) => meets(held, run.condition));
				expectThat(!wasMet, 'a row whose condition was met is not skipped', facts);
			}
			const wrote = states.filter(({ by, isPart }) => by === run.id && isPart !== true);
			// Another row may have asked for the same.
			const own = wrote.filter(
				(state) =>
					isBySomeRow(state, row) &&
					holds(state.held, row) &&
					!run.rows.some(
						(each) =>
							each.row !== row.row &&
							each.path === row.path &&
							mayBeWritten(run.outcomes.get(each.row)) &&
							isBySomeRow(state, each) &&
							holds(state.held, each, superseded(run, each)),
					),
			);
			expectThat(own.length === 0, `a row that is ${outcome} was not written`, facts);
		}
	}
}

/** The last row of an object that was written is the one whose values it has. */
export function checkOrder(desk: ModelDesk, run: ModelRun): void {
	for (const path of new Set(run.rows.map((row) => row.path))) {
		const states = statesOf(desk, run, path);
		const [first] = states;
		const rows = run.rows.filter((row) => row.path === path);
		for (const name of new Set(rows.flatMap(namesOf))) {
			const isOurs = states.slice(1).every(({ by, sent }) => by === run.id || !Object.hasOwn(sent, name));
			if (!isOurs || first?.held === undefined) continue;
			let possible: unknown[] = [first.held[name]];
			for (const row of rows) {
				const recorded = run.outcomes.get(row.row);
				const after = possible.map((value) => valueAfter(row, name, value));
				if (after[0] === undefined) continue;
				const isLeftOut = leavesOut(recorded);
				const isSure = recorded !== undefined && (recorded.outcome === 'ok' || isUnchanged(recorded)) && !isLeftOut;
				if (isSure) possible = after;
				else if (isLeftOut || mayHaveLeft(recorded)) possible = [...possible, ...after];
			}
			const held = desk.held(path)?.[name];
			const isFine = desk.held(path) === undefined || possible.some((value) => isSameValue(name, value, held));
			const outcomes = rows.map(({ row, fields }) => [row, fields[name], run.outcomes.get(row)?.outcome]);
			expectThat(isFine, 'the last row that was written wins', { run: run.id, path, name, held, possible, outcomes });
		}
	}
}

/** Which fields of which objects rows may write. */
export function fieldsOf(rows: readonly Asked[], part?: Part): Map<string, Set<string>> {
	const fields = new Map<string, Set<string>>();
	for (const row of rows) {
		if (part?.paths.has(row.path) === false) continue;
		const names = namesOf(row).filter((name) => part?.fields?.has(name) ?? true);
		fields.set(row.path, new Set([...(fields.get(row.path) ?? []), ...names]));
	}
	return fields;
}

/** Nothing is written to what no row names, object or field. @param from the states that the command made */
export function checkTouched(desk: ModelDesk, fields: ReadonlyMap<string, ReadonlySet<string>>, from: number): void {
	for (const [at, { path, held, by }] of desk.states.entries()) {
		if (at < from || by === 'others') continue;
		const own = fields.get(path);
		expectThat(own !== undefined, 'only objects of the input are written', { path, held, by });
		const before = desk.held(path, at);
		const changed = Object.keys(held ?? {}).filter((name) => !isSameValue(name, before?.[name], held?.[name]));
		const strange = changed.filter((name) => name !== 'modified_gmt' && own?.has(name) !== true);
		expectThat(strange.length === 0, 'only fields of the input are written', { path, strange, before, held, by });
	}
}

/** With `--if`, each write finds its condition met, or is sent once more. */
export function checkConditions(desk: ModelDesk, { id, start, condition }: ModelRun): void {
	const started = new Map<string, Shown[]>();
	for (const [at, { path, held, sent, by }] of desk.states.entries()) {
		if (at < start || by !== id) continue;
		const before = desk.held(path, at);
		const earlier = started.get(path) ?? [];
		const isAgain = earlier.some((each) => isDeepStrictEqual(each, sent));
		const facts = { path, sent, before, held, condition };
		expectThat(isAgain || meets(before, condition), 'only what meets the condition is written', facts);
		started.set(path, [...earlier, sent]);
	}
}

/** A preview or a plan reads. */
export function checkSentNothing(requests: readonly RecordedRequest[]): void {
	const writes = requests.filter((each) => each.method !== 'GET' && !isLookUp(each));
	const facts = writes.map(({ method, url, body }) => `${method} ${url} ${body}`);
	expectThat(writes.length === 0, 'what sends nothing sends nothing', facts);
}

/** A healthy service refuses only what is gone, such as a second delete; and a row may not be sure who modified its object. */
export function checkFair(
	desk: ModelDesk,
	run: ModelRun,
	recorded: readonly (Recorded & { readonly row: number })[],
): void {
	const isSent = (row: number): boolean => wasSent(desk, run, run.rows.find((each) => each.row === row)?.path ?? '');
	const isGone = ({ status }: Recorded): boolean => status === 404 || status === 410;
	const isFine = ({ outcome, code }: Recorded): boolean => ['ok', 'skipped'].includes(outcome) || code === 'left_out';
	const isInDoubt = ({ row, code }: { readonly row: number; readonly code?: string }): boolean =>
		code === 'modified_in_doubt' && isSent(row);
	const bad = recorded.filter((each) => !isGone(each) && !isFine(each) && !isInDoubt(each));
	expectThat(bad.length === 0, 'no row fails on a healthy service', bad);
}

/** With `--verify`, what is ok was read after its write. @param from the states of the command @param rows that it recorded */
export function checkVerified(
	desk: ModelDesk,
	run: ModelRun,
	from: number,
	rows: Iterable<{ readonly row: number }>,
): void {
	for (const { row } of rows) {
		const asked = run.rows.find((each) => each.row === row);
		if (asked === undefined || run.outcomes.get(row)?.outcome !== 'ok') continue;
		const written = desk.states.findLast(
			(each, at) => at >= from && each.path === asked.path && each.by === run.id && isBySomeRow(each, asked),
		);
		if (written === undefined || !holds(written.held, asked)) continue;
		const later = desk.requests.slice(written.at).filter(({ method }) => method === 'GET');
		const isRead = later.some(({ url }) => pathOf({ url }) === asked.path || isListOf(url, asked.path));
		expectThat(isRead, 'what is verified was read after it was written', { run: run.id, asked });
	}
}

function isListOf(url: string, path: string): boolean {
	const at = path.lastIndexOf('/');
	const include = new URL(url, 'http://desk').searchParams.get('include')?.split(',');
	return pathOf({ url }) === path.slice(0, at) && include?.includes(path.slice(at + 1)) === true;
}

/** What others wrote is not written over, where the run looks right before it writes. @param isAnyField or a planned one */
export function checkKept(desk: ModelDesk, run: Pick<ModelRun, 'id'>, isAnyField: boolean, since: number): void {
	for (const [at, { path, sent, held, by }] of desk.states.entries()) {
		if (at < since || by !== run.id) continue;
		const theirs = desk.states.slice(since, at).filter((each) => each.path === path && each.by === 'others');
		const isLost = (name: string): boolean => !isSameValue(name, held?.[name], desk.held(path, at)?.[name]);
		const over = theirs.filter(
			(each) => isAnyField || Object.keys(each.sent).some((name) => name in sent && isLost(name)),
		);
		expectThat(over.length === 0, "somebody else's edit is not written over", { run: run.id, path, sent, over });
	}
}

/** Whether a resume would send rows. */
export function isLeftOpen({ rows, outcomes }: ModelRun): boolean {
	const all = [...outcomes.values()];
	const isOpen = ({ outcome, status, code }: Recorded): boolean =>
		outcome === 'unknown' ||
		(outcome === 'not-sent' && code !== 'left_out') ||
		(outcome === 'failed' && status === 401);
	return all.some(isOpen) || all.length < rows.length;
}

/** The first that applies. @param rows how many were asked for */
export function exitCodeOf(rows: number, outcomes: ModelRun['outcomes']): number {
	const all = [...outcomes.values()];
	const count = (test: (each: Recorded) => boolean): number => all.filter(test).length;
	if (count(({ outcome, status }) => outcome !== 'ok' && status === 401) > 0) return 4;
	const left = count(
		({ outcome, code = '' }) =>
			outcome === 'skipped' && ['drift', 'conflict', 'changed_since', 'not_restorable'].includes(code),
	);
	const total = rows - count(({ code }) => code === 'left_out');
	const bad =
		left +
		(rows - all.length) +
		count(({ outcome }) => ['failed', 'not-sent', 'invalid'].includes(outcome)) -
		count(({ code }) => code === 'left_out');
	if (count(({ status, outcome }) => outcome === 'failed' && status === 403) === total && total > 0) return 4;
	const isSent = count(({ outcome }) => ['ok', 'differs', 'unknown', 'failed'].includes(outcome)) > 0;
	if (bad > 0) return bad === total || (left > 0 && !isSent) ? 1 : 3;
	if (count(({ outcome }) => outcome === 'unknown') > 0) return 5;
	return count(({ outcome }) => outcome === 'differs') > 0 ? 6 : 0;
}

/** Rows of a plan, one after another, leave what the rows of its input leave. */
export function checkPlan(
	desk: ModelDesk,
	planned: readonly Asked[],
	{ rows, condition }: { readonly rows: readonly Asked[]; readonly condition?: Condition },
): void {
	for (const path of new Set(rows.map((row) => row.path))) {
		const before = desk.held(path) ?? {};
		const [left, right] = [planned, rows].map((all) => {
			let held = before;
			for (const row of all.filter((each) => each.path === path)) {
				if (!meets(held, condition)) continue;
				const after = namesOf(row).map((name) => [name, valueAfter(row, name, held[name])]);
				held = { ...held, ...Object.fromEntries(after) };
			}
			return held;
		});
		const isSame = Object.keys({ ...left, ...right }).every((name) => isSameValue(name, left?.[name], right?.[name]));
		expectThat(isSame, 'a plan leaves what its input asks for', { path, left, right });
	}
}
