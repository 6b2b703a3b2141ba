/**
 * A saved plan: a run that was checked and not sent. Its file is a journal of what each row would change: the header of
 * a run, a line for each row, and a digest of all lines before it. Its rows are sent while objects have the old values.
 */

import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, statSync } from 'node:fs';
import type { Dialect } from '../../api/dialect.js';
import { endpoints, ownId } from '../../api/endpoints.js';
import { kinds } from '../../api/kinds.js';
import { createPlanner } from '../../api/request.js';
import { isObject, isProblem, parseId } from '../../api/values.js';
import { FailedError, fileProblem, UsageError } from '../../errors.js';
import { Draft, openRegularFile, readStart } from '../../folder.js';
import { heldIn, isUnchanged } from '../held.js';
import { mayBeSent } from '../journal/header.js';
import { lineReader } from '../journal/read.js';
import { headerIn, type Json, parseRecord, type Redact, sealed, VERSION } from '../journal/records.js';
import { Chosen, LEFT_OUT, type Part } from '../part.js';
import { canBeUndone, type RunHeader, type RunPlan, type SavedPlan, withoutInput } from '../plan.js';
import type { RowSource } from '../sources.js';
import type { FieldChange, PlannedWrite } from './events.js';
import { inBatches, type PlannedRows, type RunRow } from './rows.js';
import { areIds } from './undo.js';

const START = '{"type":"saved-plan"';

export function isPlanFile(path: string): boolean {
	try {
		return statSync(path).isFile() && readStart(path).startsWith(START);
	} catch {
		return false;
	}
}

export class PlanWriter {
	readonly #draft: Draft;
	readonly #hash = createHash('sha256');
	#rows = 0;

	/**
	 * @param onDraft is told the path of the unfinished file
	 * @throws UsageError for a file that is something else, FailedError
	 */
	constructor(
		private readonly given: string,
		header: RunHeader,
		private readonly redact: Redact,
		onDraft: (path: string) => void,
	) {
		if (existsSync(given) && !isPlanFile(given)) {
			throw new UsageError(`--plan ${given}: the file exists and isn't a plan; nothing was written`, {
				code: 'plan_place',
				hint: 'choose a different file',
			});
		}
		this.#draft = this.#attempt(() => new Draft(given, { onDraft }));
		this.#write({ type: 'saved-plan', version: VERSION, ...header });
	}

	add({ before, ...planned }: PlannedWrite): void {
		this.#rows++;
		const values = Object.entries(before.values).filter((entry) => {
			const own = Object.fromEntries([entry]);
			return this.redact(own) === own;
		});
		this.#write({ type: 'planned', ...planned, before: { ...before, values: Object.fromEntries(values) } });
	}

	finish(): SavedPlan {
		const sha256 = this.#hash.copy().digest('hex');
		this.#write({ type: 'digest', sha256, rows: this.#rows });
		this.#attempt(() => this.#draft.finish());
		return { path: this.#draft.place, sha256, rows: this.#rows };
	}

	/** Removes the draft of a plan that was not finished. */
	close(): void {
		this.#draft.close();
	}

	#write(record: object): void {
		const line = `${sealed(JSON.stringify(record))}\n`;
		this.#hash.update(line);
		this.#attempt(() => this.#draft.write(line));
	}

	#attempt<T>(step: () => T): T {
		try {
			return step();
		} catch (error) {
			throw new FailedError(`can't write the plan ${this.given}: ${fileProblem(error)}`, {
				code: 'plan_failed',
				cause: error,
			});
		}
	}
}

function refused(path: string, why: string): UsageError {
	return new UsageError(`can't use the plan ${path}: ${why}`, { code: 'bad_plan', hint: 'make the plan again' });
}

/** Its rows, and then the plan itself. @throws UsageError unless it is whole and unchanged */
function* readRows(path: string): Generator<Json, SavedPlan & { readonly header: RunHeader }> {
	if (existsSync(path) && !isPlanFile(path)) throw refused(path, "it isn't a plan");
	let fd: number | undefined;
	try {
		fd = openRegularFile(path);
		const lineAt = lineReader(fd);
		const hash = createHash('sha256');
		let line = lineAt(0);
		const header = headerIn(line?.text ?? '');
		if (typeof header === 'string') throw refused(path, header);
		for (let rows = 0; line !== undefined; rows++) {
			hash.update(`${line.text}\n`);
			line = lineAt(line.end);
			const record = line && parseRecord(line.text);
			if (record?.type === 'planned') {
				yield record;
				continue;
			}
			const sha256 = hash.digest('hex');
			if (record?.sha256 !== sha256 || fstatSync(fd).size !== line?.end) break;
			return { path, header, sha256, rows };
		}
		throw refused(path, 'it was changed after it was made, or its end is missing');
	} catch (error) {
		throw error instanceof UsageError ? error : refused(path, fileProblem(error));
	} finally {
		if (fd !== undefined) closeSync(fd);
	}
}

export function readPlan(path: string) {
	const rows = readRows(path);
	for (;;) {
		const { done, value } = rows.next();
		if (done) return value;
	}
}

/** Each row is checked like input: its IDs become a path, and its fields a body. @throws UsageError */
function* plannedWrites(path: string, plan: RunPlan): Generator<PlannedWrite> {
	const endpoint = endpoints[plan.endpoint];
	const secrets = endpoint.fields.filter(({ kind }) => kinds[kind].isSecret).map(({ name }) => name);
	const mayBeField = (name: string): boolean => mayBeSent(endpoint, name, plan) && !secrets.includes(name);
	let last = 0;
	for (const { row, line, ids, force, reassign, modified, fields, before } of readRows(path)) {
		const { values, absent } = isObject(before) ? before : {};
		const isNext = typeof row === 'number' && row > last;
		const receiver = textIn(reassign);
		const isReceiver = receiver === undefined || !isProblem(parseId(receiver));
		const hasShape = isObject(ids) && isObject(fields) && isObject(values) && Array.isArray(absent);
		const isSafe = hasShape && isReceiver && areIds(ids, endpoint, plan) && Object.keys(fields).every(mayBeField);
		if (!isNext || !isSafe) throw refused(path, `row ${row} can't be sent`);
		last = row;
		yield {
			row,
			line: typeof line === 'number' ? line : undefined,
			ids,
			force: force === true ? true : undefined,
			reassign: receiver,
			modified: textIn(modified),
			fields,
			before: { values, absent: absent.map(String) },
		};
	}
}

function textIn(value: unknown): string | undefined {
	return value === undefined ? undefined : String(value);
}

/** @param more which of its rows, and how */
export function applyPlan(
	{ plan }: RunHeader,
	{ path, sha256 }: SavedPlan,
	more: Pick<Extract<RowSource, { from: 'plan' }>, 'allowDrift' | 'part' | 'taken'>,
): RunPlan {
	const { force } = plan.values;
	const endpoint = endpoints[plan.endpoint];
	const bare = withoutInput(plan);
	return {
		...bare,
		source: { from: 'plan', path, sha256, ...more },
		values: { ...bare.values, force },
		checks: { ...plan.checks, snapshot: canBeUndone(endpoint, force) },
	};
}

export function openPlannedRows(
	plan: RunPlan,
	source: Extract<RowSource, { from: 'plan' }>,
	dialect: Dialect,
): PlannedRows {
	const { path, sha256, allowDrift, part, taken = [] } = source;
	const chosen = new Chosen(part);
	const isTaken = new Set(taken);
	const request = createPlanner(endpoints[plan.endpoint], dialect);
	function* rows(): Generator<RunRow> {
		if (readPlan(path).sha256 !== sha256) {
			throw new UsageError(`the plan ${path} was changed; nothing more was sent`, { code: 'bad_plan' });
		}
		for (const { row, line, ids, force, reassign, modified, fields, before } of plannedWrites(path, plan)) {
			if (isTaken.has(String(ownId(ids)))) continue;
			yield {
				row,
				line,
				reassign,
				modified,
				request: request({ ids, force, reassign, fields }),
				expected: allowDrift ? undefined : expectedOf(before),
				skip: chosen.has(ids) ? undefined : LEFT_OUT,
			};
		}
	}
	return { source, sha256: () => sha256, read: () => inBatches(rows()) };
}

function expectedOf({ values, absent }: PlannedWrite['before']): RunRow['expected'] {
	const old = Object.entries(values).map(([name, value]) => [name, [value]]);
	const none = absent.map((name) => [name, [null]]);
	return Object.fromEntries([...old, ...none]);
}

export function* plannedChanges(path: string, plan: RunPlan) {
	for (const planned of plannedWrites(path, plan)) {
		const { row, line, ids } = planned;
		yield { row, line, ids, changes: changesIn(planned, plan) };
	}
}

export function changesIn({ fields, before, force }: PlannedWrite, plan: RunPlan): FieldChange[] {
	const { values } = before;
	const endpoint = endpoints[plan.endpoint];
	const changeOf = (field: string, value: unknown): FieldChange => {
		return { field, old: values[field], new: value, isShown: Object.hasOwn(values, field) };
	};
	if (endpoint.body === 'none') {
		const field = IDENTITY.find((name) => Object.hasOwn(values, name)) ?? 'status';
		return [changeOf(field, endpoint.trash && force !== true ? 'trash' : 'deleted')];
	}
	const held = heldIn(endpoint, values);
	return Object.entries(fields)
		.filter(([name, value]) => !isUnchanged(endpoint, name, value, held))
		.map(([name, value]) => changeOf(name, value));
}

/** By which people know a deleted object; the first one shows what becomes of it. */
export const IDENTITY = ['status', 'username', 'name', 'title', 'slug', 'email'];

/** What an apply is to take of a plan that earlier runs applied in part. */
export function openPart(path: string, part: Part, earlier: readonly RunHeader[]) {
	const chosen = new Chosen(part);
	const runs = earlier.flatMap(({ id, plan: { source } }) => {
		return source.from === 'plan' ? [{ id, chosen: new Chosen(source.part), taken: new Set(source.taken) }] : [];
	});
	const taken = new Set<string>();
	const by = new Set<string>();
	let rows = 0;
	for (const { ids } of readRows(path)) {
		if (!isIds(ids)) continue;
		const own = String(ownId(ids));
		const isWanted = chosen.has(ids);
		const run = runs.find((each) => each.chosen.has(ids) && !each.taken.has(own));
		if (run === undefined) rows += Number(isWanted);
		else {
			taken.add(own);
			by.add(run.id);
		}
	}
	chosen.checkSeen('the plan');
	return { rows, taken: [...taken], by: [...by] };
}

function isIds(ids: unknown): ids is Record<string, string> {
	return isObject(ids) && Object.values(ids).every((each) => typeof each === 'string');
}
