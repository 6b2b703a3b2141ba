/**
 * A saved plan: a run that was checked and not sent. Its file is a journal of what each row would change:
 * the header of a run, a line for each row, and a digest of all lines before it.
 */

import { createHash, randomBytes } from 'node:crypto';
import {
	closeSync,
	existsSync,
	fstatSync,
	fsyncSync,
	openSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { isObject, isProblem, parseId } from '../../api/values.js';
import { FailedError, fileProblem, UsageError } from '../../errors.js';
import { openRegularFile, readStart } from '../../folder.js';
import { headerProblem } from '../journal/header.js';
import { lineReader } from '../journal/read.js';
import { type Json, parseRecord, type Redact, sealed, VERSION } from '../journal/records.js';
import type { PlannedWrite } from './events.js';
import type { RunHeader, RunPlan, SavedPlan } from './plan.js';
import { endpointFinder } from './rows.js';
import { areIds, mayBeSent } from './undo.js';

const START = '{"type":"saved-plan"';

/** The longest line that is read, in bytes. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Whether a path leads to a saved plan, going by how it starts. */
export function isPlanFile(path: string): boolean {
	try {
		return statSync(path).isFile() && readStart(path).startsWith(START);
	} catch {
		return false;
	}
}

/** Writes beside the plan's place: the file is there whole or not at all. */
export class PlanWriter {
	readonly #path: string;
	readonly #draft: string;
	readonly #fd: number;
	readonly #hash = createHash('sha256');
	#rows = 0;
	#isOpen = true;

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
		this.#path = existsSync(given) ? realpathSync(given) : resolve(given);
		if (existsSync(this.#path) && !isPlanFile(this.#path)) {
			throw new UsageError(`--plan ${given}: the file exists and isn't a plan; nothing was written`, {
				code: 'plan_place',
				hint: 'choose a different file',
			});
		}
		this.#draft = `${this.#path}.${randomBytes(4).toString('hex')}.tmp`;
		onDraft(this.#draft);
		this.#fd = this.#attempt(() => openSync(this.#draft, 'wx', 0o600));
		this.#write({ type: 'saved-plan', version: VERSION, ...header });
	}

	/** Leaves out old values that are secret. */
	add({ before, ...planned }: PlannedWrite): void {
		this.#rows++;
		const values = Object.entries(before.values).filter((entry) => {
			const own = Object.fromEntries([entry]);
			return this.redact(own) === own;
		});
		this.#write({ type: 'planned', ...planned, before: { ...before, values: Object.fromEntries(values) } });
	}

	/** Puts the plan into its place. */
	finish(): SavedPlan {
		const sha256 = this.#hash.copy().digest('hex');
		this.#write({ type: 'digest', sha256, rows: this.#rows });
		this.#attempt(() => {
			fsyncSync(this.#fd);
			renameSync(this.#draft, this.#path);
		});
		this.discard();
		return { path: this.#path, sha256, rows: this.#rows };
	}

	/** Removes the draft if it isn't finished. */
	discard(): void {
		if (!this.#isOpen) return;
		this.#isOpen = false;
		closeSync(this.#fd);
		rmSync(this.#draft, { force: true });
	}

	#write(record: object): void {
		const line = `${sealed(JSON.stringify(record))}\n`;
		this.#hash.update(line);
		this.#attempt(() => writeFileSync(this.#fd, line));
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

const refused = (path: string, why: string, hint?: string): UsageError =>
	new UsageError(`can't use the plan ${path}: ${why}`, { code: 'bad_plan', hint });

/** Each record of a file, with the digest of all lines before it. */
function* records(path: string): Generator<{ record: Json; sha256(): string; isLast: boolean }> {
	let fd: number | undefined;
	try {
		fd = openRegularFile(path);
		const { size } = fstatSync(fd);
		const lineAt = lineReader(fd, MOST_BYTES);
		const hash = createHash('sha256');
		for (let place = 0; place < size; ) {
			const found = lineAt(place);
			if (found === undefined) throw refused(path, 'its last line is cut off');
			const record = parseRecord(found.text);
			if (typeof record === 'string') throw refused(path, `a line was changed or damaged (${record})`);
			yield { record, sha256: () => hash.copy().digest('hex'), isLast: found.end === size };
			hash.update(`${found.text}\n`);
			place = found.end;
		}
	} catch (error) {
		throw error instanceof UsageError ? error : refused(path, fileProblem(error));
	} finally {
		if (fd !== undefined) closeSync(fd);
	}
}

/** A plan's header and digest; the whole file was checked. @throws UsageError */
export function readPlan(path: string): SavedPlan & { readonly header: RunHeader } {
	if (existsSync(path) && !isPlanFile(path)) throw refused(path, "it isn't a plan");
	let header: RunHeader | undefined;
	let rows = 0;
	for (const { record, sha256, isLast } of records(path)) {
		if (header === undefined) header = headerOf(record, path);
		else if (record.type === 'planned') rows++;
		else {
			const digest = sha256();
			const isWhole = record.type === 'digest' && isLast && record.sha256 === digest && record.rows === rows;
			if (!isWhole) throw refused(path, 'it was changed after it was made', 'make the plan again');
			return { path, header, sha256: digest, rows };
		}
	}
	throw refused(path, header === undefined ? 'it is empty' : 'its end is missing', 'make the plan again');
}

function headerOf({ type, version, ...header }: Json, path: string): RunHeader {
	if (type !== 'saved-plan') throw refused(path, "it isn't a plan");
	if (version !== VERSION) {
		throw refused(path, `it has format version ${version}; this supportctl reads version ${VERSION}`);
	}
	const problem = headerProblem(header);
	if (problem !== undefined) throw refused(path, problem);
	return header as unknown as RunHeader;
}

/** The rows of a plan, each checked like input. @throws UsageError */
export function* plannedWrites(path: string, plan: RunPlan): Generator<PlannedWrite> {
	let last = 0;
	for (const { record } of records(path)) {
		if (record.type !== 'planned') continue;
		const { type: _, ...planned } = record;
		const row = Number(planned.row);
		if (!(row > last) || !isValid(planned, plan)) throw refused(path, `row ${row} is not valid`);
		last = row;
		yield planned as unknown as PlannedWrite;
	}
}

/** Its IDs become a path, and its fields a body. */
function isValid(record: Json, plan: RunPlan): boolean {
	const { line, ids, fields, before, force, reassign, modified } = record;
	if (!isObject(ids) || !isObject(fields) || !isObject(before)) return false;
	const endpoint = endpointFinder(plan)(ids as Record<string, string>);
	const secrets = endpoint.fields.filter(({ kind }) => kind === 'secret').map(({ name }) => name);
	const names = Object.keys(fields);
	return (
		(line === undefined || typeof line === 'number') &&
		(modified === undefined || typeof modified === 'string') &&
		(force === undefined || force === true) &&
		(reassign === undefined || !isProblem(parseId(String(reassign)))) &&
		areIds(ids, endpoint) &&
		(endpoint.body !== 'none' || names.length === 0) &&
		names.every((name) => mayBeSent(endpoint, name, plan) && !secrets.includes(name)) &&
		isObject(before.values) &&
		Array.isArray(before.absent) &&
		before.absent.every((name) => typeof name === 'string')
	);
}
