/**
 * A saved plan: a run that was checked and not sent. Its file is a journal of what each row would change: the header of
 * a run, a line for each row, those that are left out too, the names behind IDs, and a digest of all lines before it.
 * Its rows are sent while objects have the old values.
 */

import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, statSync } from 'node:fs';
import type { Dialect } from '../../api/dialect.js';
import { bodyKinds, type Endpoint, endpoints, mustBeGiven, ownId } from '../../api/endpoints.js';
import { taxonomies } from '../../api/fields.js';
import { checkTyped, kinds, namesUsers } from '../../api/kinds.js';
import { createPlanner } from '../../api/request.js';
import { isId, isObject, isProblem, nestingProblem, parseId, parseSlug } from '../../api/values.js';
import { FailedError, fileProblem, UsageError } from '../../errors.js';
import { Draft, openRegularFile, readStart } from '../../folder.js';
import { type OutcomeName, outcomeNames } from '../../http/outcomes.js';
import { Called, type CalledRecord } from '../called.js';
import { type Change, changeOf, leftChange } from '../change.js';
import { heldIn, isUnchanged, namesOf } from '../held.js';
import { mayBeSent } from '../journal/header.js';
import { lineReader } from '../journal/read.js';
import { headerIn, type Json, parseRecord, type Redact, sealed, VERSION } from '../journal/records.js';
import { isListed, LeftRows } from '../left.js';
import type { Directories } from '../lists/directory.js';
import { Chosen, LEFT_OUT, type Part } from '../part.js';
import { canBeUndone, type Fields, type RunHeader, type RunPlan, type SavedPlan, withoutInput } from '../plan.js';
import type { Planned, PlannedWrite } from '../planned.js';
import type { RowSource } from '../sources.js';
import { Totals } from '../totals.js';
import { KeySet } from './key-set.js';
import { inBatches, type PlannedRows, type RunRow } from './rows.js';
import { areIds, objectKey } from './undo.js';

const START = '{"type":"saved-plan"';

export function isPlanFile(path: string): boolean {
	try {
		return statSync(path).isFile() && readStart(path).startsWith(START);
	} catch {
		return false;
	}
}

/** Of its first line alone, which may have been edited; undefined if it is no plan. */
export function planHeader(path: string): RunHeader | undefined {
	if (!isPlanFile(path)) return undefined;
	const [first = ''] = readStart(path).split('\n');
	const header = headerIn(first);
	return typeof header === 'string' ? undefined : header;
}

export class PlanWriter {
	readonly #draft: Draft;
	readonly #hash = createHash('sha256');
	#rows = 0;
	/** Rows that were left out and are not listed, by code. */
	readonly #quiet = new Map<string, number>();

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

	add({ row, line, change, write }: Planned): void {
		if (write !== undefined) this.#addWrite(write);
		else if (change?.left !== undefined) {
			const { left, object } = change;
			if (isListed(left)) this.#write({ type: 'left', row, line, ids: object.ids, label: object.label, ...left });
			else this.#quiet.set(`${left.code}`, (this.#quiet.get(`${left.code}`) ?? 0) + 1);
		}
	}

	/** What its maker was warned of, which reviewers must see, too. */
	addWarnings(texts: readonly string[]): void {
		for (const text of texts) this.#write({ type: 'warning', text });
	}

	/** Names come before the rows that need them. */
	addNames(names: Iterable<CalledRecord>): void {
		for (const name of names) this.#write({ type: 'called', ...name });
	}

	#addWrite({ before, ...planned }: PlannedWrite): void {
		this.#rows++;
		const values = Object.entries(before.values).filter((entry) => {
			const own = Object.fromEntries([entry]);
			return this.redact(own) === own;
		});
		this.#write({ type: 'planned', ...planned, before: { ...before, values: Object.fromEntries(values) } });
	}

	finish(): SavedPlan {
		for (const [code, rows] of this.#quiet) this.#write({ type: 'unlisted', code, rows });
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

const LINES: ReadonlySet<unknown> = new Set(['planned', 'left', 'called', 'unlisted', 'warning']);

/** Its lines, and then the plan itself. @throws UsageError unless it is whole and unchanged */
function* readLines(path: string): Generator<Json, SavedPlan & { readonly header: RunHeader }> {
	if (existsSync(path) && !isPlanFile(path)) throw refused(path, "it isn't a plan");
	let fd: number | undefined;
	try {
		fd = openRegularFile(path);
		const lineAt = lineReader(fd);
		const hash = createHash('sha256');
		let line = lineAt(0);
		const header = headerIn(line?.text ?? '');
		if (typeof header === 'string') throw refused(path, header);
		let rows = 0;
		while (line !== undefined) {
			hash.update(`${line.text}\n`);
			line = lineAt(line.end);
			const record = line && parseRecord(line.text);
			if (record !== undefined && LINES.has(record.type)) {
				if (record.type === 'planned') rows++;
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

/** @throws UsageError unless it is whole, unchanged, and sends nothing but what a command line could */
export function readPlan(path: string) {
	const lines = readLines(path);
	for (;;) {
		const { done, value } = lines.next();
		if (done) return value;
	}
}

type Item =
	| { readonly is: 'planned'; readonly write: PlannedWrite }
	| { readonly is: 'left'; readonly left: LeftLine }
	| { readonly is: 'called'; readonly called: CalledRecord }
	| { readonly is: 'unlisted'; readonly code: string; readonly rows: number }
	| { readonly is: 'warning'; readonly text: string };

interface LeftLine extends Pick<Planned, 'row' | 'line'> {
	readonly ids: Readonly<Record<string, string>>;
	readonly label: string | undefined;
	readonly outcome: OutcomeName;
	readonly code: string | undefined;
	readonly message: string | undefined;
}

/** A plan may come from elsewhere: each line is checked like input. @throws UsageError */
function* itemsIn(path: string, plan: RunPlan): Generator<Item> {
	let last = 0;
	for (const record of readLines(path)) {
		switch (record.type) {
			case 'planned': {
				const problem = plannedProblem(record, plan, last);
				if (problem !== undefined) throw refused(path, `row ${record.row} can't be sent: ${problem}`);
				const write = plannedWrite(record);
				last = write.row;
				yield { is: 'planned', write };
				break;
			}
			case 'left':
				if (!isLeft(record)) throw refused(path, `its entry for row ${record.row} can't be read`);
				yield { is: 'left', left: leftLine(record) };
				break;
			case 'called':
				if (!isCalled(record, plan)) throw refused(path, "a name in it can't be read");
				yield { is: 'called', called: { of: `${record.of}`, id: `${record.id}`, name: `${record.name}` } };
				break;
			case 'warning':
				if (!isText(record.text)) throw refused(path, "a warning in it can't be read");
				yield { is: 'warning', text: record.text };
				break;
			default: {
				const { code, rows } = record;
				if (!isText(code) || !isCount(rows)) throw refused(path, "its count of left-out rows can't be read");
				yield { is: 'unlisted', code, rows };
			}
		}
	}
}

function isCalled({ of, id, name }: Json, { undocumented }: RunPlan): boolean {
	const isPlace = of === 'users' || taxonomies.some((each) => each === of);
	return (isPlace || (undocumented && !isProblem(parseSlug(`${of}`)))) && isId(id) && isText(name);
}

/** Users may be named beside their ID; for anything else a username would pass for what it is called. */
function idNamesOf({ parameters }: Endpoint): string[] {
	const names = parameters.map(({ name }) => name);
	return parameters.at(-1)?.names === 'users' ? [...names, 'username'] : names;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
const isCountOrNone = (value: unknown): value is number | undefined => value === undefined || isCount(value);
const isTextOrNone = (value: unknown): value is string | undefined => value === undefined || isText(value);

/** What its lines may have; anything else would be sent, or not, without being shown. */
const PLANNED_KEYS: ReadonlySet<string> = new Set([
	'type',
	'row',
	'line',
	'ids',
	'label',
	'force',
	'reassign',
	'modified',
	'fields',
	'before',
]);

function plannedProblem(record: Json, plan: RunPlan, last: number): string | undefined {
	const { row, line, ids, label, force, reassign, modified, fields, before } = record;
	const endpoint = endpoints[plan.endpoint];
	const { values, absent } = isObject(before) ? before : {};
	const strange = Object.keys(record).find((name) => !PLANNED_KEYS.has(name));
	if (strange !== undefined) return `it has a ${JSON.stringify(strange)}`;
	if (!isCount(row) || row <= last) return 'it is out of order';
	if (!isCountOrNone(line)) return "its line isn't a number";
	if (!isObject(ids) || !isObject(fields) || !isObject(values)) return 'it is incomplete';
	if (!Array.isArray(absent) || !absent.every(isText)) return 'it is incomplete';
	if (!isTextOrNone(label) || !isTextOrNone(modified)) return 'one of its labels is not text';
	if (!areIds(ids, endpoint, plan)) return "its ID isn't one";
	const other = Object.keys(ids).find((name) => !idNamesOf(endpoint).includes(name));
	if (other !== undefined) return `its command takes no ${JSON.stringify(other)}`;
	return (
		queryProblem(endpoint, ids, force, reassign) ??
		fieldsProblem(endpoint, fields, plan) ??
		oldProblem(endpoint, fields, { values, absent }) ??
		labelProblem(endpoint, label, values)
	);
}

/** An apply compares old values: a field without one would be sent whatever the object has. */
function oldProblem(
	endpoint: Endpoint,
	fields: Fields,
	{ values, absent }: PlannedWrite['before'],
): string | undefined {
	const untold = Object.keys(fields).find((name) => !Object.hasOwn(values, name) && !absent.includes(name));
	if (untold !== undefined) return `it has no old value of ${JSON.stringify(untold)}`;
	const isEmpty = Object.keys(values).length === 0;
	return endpoint.deletes && isEmpty && !isPassword(endpoint) ? 'it has no old values' : undefined;
}

/** Apply compares a label with the object; nothing that it reads shows this one. */
function labelProblem(endpoint: Endpoint, label: string | undefined, values: Fields): string | undefined {
	if (label === undefined || isPassword(endpoint)) return undefined;
	if (bodyKinds[endpoint.body].areListed) return 'its label is that of a ticket, which is not read';
	return endpoint.deletes && label !== namesOf(values)[0] ? 'its label is not one of its old values' : undefined;
}

function queryProblem(
	{ query }: Endpoint,
	ids: Readonly<Record<string, string>>,
	force: unknown,
	reassign: unknown,
): string | undefined {
	const given: Readonly<Record<string, unknown>> = { force, reassign };
	if (force !== undefined && force !== true) return 'its force is not true';
	if (reassign !== undefined && (!isText(reassign) || isProblem(parseId(reassign)))) return "its receiver isn't an ID";
	for (const name of ['force', 'reassign'] as const) {
		const parameter = query.find((each) => each.name === name);
		if (parameter === undefined && given[name] !== undefined) return `its command has no ${name}`;
		if (parameter !== undefined && given[name] === undefined && mustBeGiven(parameter, ids)) {
			return `${name} is missing`;
		}
	}
	return undefined;
}

function fieldsProblem(endpoint: Endpoint, fields: Fields, plan: RunPlan): string | undefined {
	const names = Object.keys(fields);
	if (!bodyKinds[endpoint.body].isSent) return names.length === 0 ? undefined : 'a delete has no fields';
	if (names.length === 0) return 'it changes nothing';
	for (const name of names) {
		if (!mayBeSent(endpoint, name, plan)) return `${JSON.stringify(name)} isn't a field`;
		const problem = valueProblem(endpoint, name, fields[name], plan);
		if (problem !== undefined) return problem;
	}
	return undefined;
}

const isPlain = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** Undefined for a value that a plan can show, and that a command line could have. */
export function valueProblem(
	endpoint: Endpoint,
	name: string,
	value: unknown,
	{ undocumented }: Pick<RunPlan, 'undocumented'>,
): string | undefined {
	const tooDeep = nestingProblem(value);
	if (tooDeep !== undefined) return `${name}: ${tooDeep}`;
	if (bodyKinds[endpoint.body].areTexts) {
		return isText(value) || undocumented ? undefined : `custom field ${JSON.stringify(name)} isn't a text`;
	}
	const field = endpoint.fields.find((each) => each.name === name);
	// Those that updates would clear are sent as they were shown.
	if (field === undefined) return undefined;
	const { many, isSecret } = kinds[field.kind];
	if (isSecret) return `${name} is secret`;
	const shapes = {
		items: isPlain(value) || (Array.isArray(value) && value.every(isPlain)),
		entries: isPlain(value) || isObject(value) || Array.isArray(value),
		one: isPlain(value),
	};
	if (!shapes[many ?? 'one']) return `${name} has a value that can't be shown`;
	const checked = checkTyped(field, value, { undocumented });
	return isProblem(checked) ? checked.problem : undefined;
}

function plannedWrite({ row, line, ids, label, force, reassign, modified, fields, before }: Json): PlannedWrite {
	const { values, absent } = before as PlannedWrite['before'];
	return {
		row: row as number,
		line: line as number | undefined,
		ids: ids as PlannedWrite['ids'],
		label: label as string | undefined,
		force: force === true ? true : undefined,
		reassign: reassign as string | undefined,
		modified: modified as string | undefined,
		fields: fields as Fields,
		before: { values, absent },
	};
}

function isLeft({ row, line, ids, label, outcome, code, message }: Json): boolean {
	const areTexts = [label, code, message].every(isTextOrNone);
	const hasIds = isObject(ids) && Object.values(ids).every(isText);
	return isCount(row) && isCountOrNone(line) && areTexts && hasIds && outcomeNames.includes(outcome as OutcomeName);
}

function leftLine({ row, line, ids, label, outcome, code, message }: Json): LeftLine {
	return {
		row: row as number,
		line: line as number | undefined,
		ids: ids as LeftLine['ids'],
		label: label as string | undefined,
		outcome: outcome as OutcomeName,
		code: code as string | undefined,
		message: message as string | undefined,
	};
}

/** @param more which of its rows, and how */
export function applyPlan(
	{ plan, who, note, started }: RunHeader,
	{ path, sha256 }: SavedPlan,
	more: Pick<Extract<RowSource, { from: 'plan' }>, 'allowDrift' | 'part' | 'taken'>,
): RunPlan {
	const { force } = plan.values;
	const endpoint = endpoints[plan.endpoint];
	const bare = withoutInput(plan);
	const made = { started, who, note };
	return {
		...bare,
		source: { from: 'plan', path, sha256, made, ...more },
		values: { ...bare.values, force },
		checks: {
			...plan.checks,
			snapshot: canBeUndone(endpoint, force),
			// Where the plan was applied before, its deletes are done.
			ignoreMissing: endpoint.deletes || plan.checks.ignoreMissing,
		},
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
		const names = namesGiven(path, plan);
		for (const { row, line, ids, label, force, reassign, modified, fields, before } of writesIn(path, plan)) {
			if (isTaken.has(String(ownId(ids)))) continue;
			yield {
				row,
				line,
				label,
				renamed: names.get(objectKey(ids)),
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

function* writesIn(path: string, plan: RunPlan): Generator<PlannedWrite> {
	for (const item of itemsIn(path, plan)) if (item.is === 'planned') yield item.write;
}

/** Of objects with several rows: a later row finds the name that an earlier one gave. */
function namesGiven(path: string, plan: RunPlan): ReadonlyMap<string, readonly string[]> {
	const names = new Map<string, string[]>();
	if (!endpoints[plan.endpoint].updates) return names;
	const seen = new KeySet();
	for (const { ids } of writesIn(path, plan)) if (seen.add(objectKey(ids))) names.set(objectKey(ids), []);
	if (names.size === 0) return names;
	for (const { ids, fields, before } of writesIn(path, plan)) {
		names.get(objectKey(ids))?.push(...namesOf(before.values), ...namesOf(fields));
	}
	return names;
}

function expectedOf({ values, absent }: PlannedWrite['before']): RunRow['expected'] {
	const old = Object.entries(values).map(([name, value]) => [name, [value]]);
	const none = absent.map((name) => [name, [null]]);
	return Object.fromEntries([...old, ...none]);
}

const isPassword = ({ parameters }: Endpoint): boolean => parameters.at(-1)?.names === 'passwords';

/** Names in a plan are only what its maker says: those that the service shows otherwise refuse it. @throws UsageError */
export async function checkNames(path: string, plan: RunPlan, directories: Directories): Promise<void> {
	const called = new Called();
	for (const item of itemsIn(path, plan)) if (item.is === 'called') called.add(item.called);
	const all = [...called.entries()];
	for (const field of new Set(all.map((each) => each.field))) {
		const ids = all.filter((each) => each.field === field).map(({ id }) => ({ [field.name]: id }));
		await directories.learn([field], ids);
	}
	for (const { field, id, name } of all) {
		const shown = directories.nameOf(field, id);
		if (shown === undefined || shown === name) continue;
		const what = namesUsers(field) ? 'user' : `${field.name} term`;
		throw misnamed(path, `${what} ${id}`, name, shown);
	}
	await checkObjects(path, plan, directories);
}

/** Users that were named and application passwords: no old value says what they are called. */
async function checkObjects(path: string, plan: RunPlan, { users, passwords }: Directories): Promise<void> {
	const named: string[] = [];
	for (const { ids } of writesIn(path, plan))
		if (ids.username !== undefined && ids.id !== undefined) named.push(ids.id);
	await users.learn(named);
	const isOfPassword = isPassword(endpoints[plan.endpoint]);
	for (const { ids, label } of writesIn(path, plan)) {
		const { id = '', username, user_id: owner = '', slug = '' } = ids;
		const name = isOfPassword ? await passwords(owner).name(slug) : users.name(id);
		const called = isOfPassword ? label : username;
		if (called === undefined || name === undefined || name.toLowerCase() === called.toLowerCase()) continue;
		throw misnamed(path, isOfPassword ? `application password ${slug}` : `user ${id}`, called, name);
	}
}

function misnamed(path: string, what: string, name: string, shown: string): UsageError {
	return refused(path, `it calls ${what} ${JSON.stringify(name)}; the service shows ${JSON.stringify(shown)}`);
}

/** What a plan does, row by row, and what it leaves out. @throws UsageError */
export function* plannedChanges(path: string, plan: RunPlan, dialect?: Dialect): Generator<Planned> {
	const endpoint = endpoints[plan.endpoint];
	const request = createPlanner(endpoint, dialect);
	const called = new Called();
	const { nameOf } = called;
	for (const item of itemsIn(path, plan)) {
		if (item.is === 'called') called.add(item.called);
		if (item.is === 'left') {
			const { row, line, ids, label, ...left } = item.left;
			yield { row, line, change: leftChange({ endpoint, ids, permanent: false, sent: {} }, left, { label, nameOf }) };
		}
		if (item.is !== 'planned') continue;
		const { row, line, ids, force, reassign, fields } = item.write;
		yield {
			row,
			line,
			request: request({ ids, force, reassign, fields }),
			change: changeIn(item.write, endpoint, nameOf),
			write: item.write,
		};
	}
}

export function changeIn(
	{ ids, label, force, reassign, fields, before }: PlannedWrite,
	endpoint: Endpoint,
	nameOf: Called['nameOf'],
): Change {
	const { permanent, sent } = createPlanner(endpoint)({ ids, force, reassign, fields });
	const held = heldIn(endpoint, before.values);
	const stays = (name: string): boolean => isUnchanged(endpoint, name, fields[name], held);
	return changeOf({ endpoint, ids, permanent, sent, reassign }, before, { label, nameOf, stays });
}

/** What an apply sends: its totals, the first changes, and what the plan left out. @throws UsageError */
export function chosenChanges(plan: RunPlan, source: Extract<RowSource, { from: 'plan' }>, most: number) {
	const chosen = new Chosen(source.part);
	const isTaken = new Set(source.taken);
	const totals = new Totals();
	const left = new LeftRows();
	const changes: Change[] = [];
	const { noun } = endpoints[plan.endpoint];
	for (const { row, change, write } of plannedChanges(source.path, plan)) {
		if (change?.left !== undefined) left.add({ row, ids: change.object.ids, ...change.left }, noun);
		if (change === undefined || write === undefined) continue;
		if (isTaken.has(String(ownId(write.ids))) || !chosen.has(write.ids)) continue;
		totals.add(change);
		if (changes.length < most) changes.push(change);
	}
	return { totals, changes, left };
}

/** What its rows come to, and what its maker was warned of. @throws UsageError */
export function sumUp(path: string, plan: RunPlan) {
	const totals = new Totals();
	const left = new LeftRows();
	const warnings: string[] = [];
	const { noun } = endpoints[plan.endpoint];
	for (const { row, change } of plannedChanges(path, plan)) {
		if (change === undefined) continue;
		totals.add(change);
		if (change.left !== undefined) left.add({ row, ids: change.object.ids, ...change.left }, noun);
	}
	for (const item of itemsIn(path, plan)) {
		if (item.is === 'unlisted') left.add({ ids: {}, outcome: 'skipped', code: item.code }, noun, item.rows);
		if (item.is === 'warning') warnings.push(item.text);
	}
	return { totals, left, warnings };
}

/** What an apply is to take of a plan that earlier runs applied in part. */
export function openPart(path: string, part: Part, earlier: readonly RunHeader[]) {
	const chosen = new Chosen(part);
	const runs = earlier.flatMap(({ id, plan: { source } }) => {
		return source.from === 'plan' ? [{ id, chosen: new Chosen(source.part), taken: new Set(source.taken) }] : [];
	});
	const taken = new Set<string>();
	const by = new Set<string>();
	let rows = 0;
	for (const { type, ids } of readLines(path)) {
		if (type !== 'planned' || !isIds(ids)) continue;
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
