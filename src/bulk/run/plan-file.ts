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
	writeSync,
} from 'node:fs';
import { resolve } from 'node:path';
import type { Endpoint } from '../../api/endpoints.js';
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

/** Lines are written in pieces of at least this many characters. */
const PIECE = 256 * 1024;

/** Whether a path leads to a saved plan, going by how it starts. */
export function isPlanFile(path: string): boolean {
	try {
		return statSync(path).isFile() && readStart(path).startsWith(START);
	} catch {
		return false;
	}
}

export type PlanWriter = ReturnType<typeof createPlanFile>;

/**
 * Starts a plan beside its place: the file is there whole or not at all.
 * @param onDraft Is given what removes the unfinished file
 * @throws UsageError for a file that is something else, FailedError
 */
export function createPlanFile({
	path: given,
	header,
	redact,
	onDraft,
}: {
	path: string;
	header: RunHeader;
	redact: Redact;
	onDraft(remove: () => void): void;
}) {
	const path = existsSync(given) ? realpathSync(given) : resolve(given);
	if (existsSync(path) && !isPlanFile(path)) {
		throw new UsageError(`--plan ${given}: the file exists and isn't a plan; nothing was written`, {
			code: 'plan_place',
			hint: 'choose a different file',
		});
	}
	const draft = `${path}.${randomBytes(4).toString('hex')}.tmp`;
	const hash = createHash('sha256');
	let text = '';
	let rows = 0;
	let fd: number | undefined;
	const discard = (): void => {
		if (fd === undefined) return;
		closeSync(fd);
		fd = undefined;
		rmSync(draft, { force: true });
	};
	const attempt = <T>(step: () => T): T => {
		try {
			return step();
		} catch (error) {
			discard();
			throw new FailedError(`can't write the plan ${given}: ${fileProblem(error)}`, {
				code: 'plan_failed',
				cause: error,
			});
		}
	};
	const flush = (opened: number): void => {
		const bytes = Buffer.from(text);
		text = '';
		for (let at = 0; at < bytes.length; ) at += writeSync(opened, bytes, at);
	};
	const write = (record: object): void => {
		const line = `${sealed(JSON.stringify(record))}\n`;
		hash.update(line);
		text += line;
		if (fd !== undefined && text.length > PIECE) flush(fd);
	};
	onDraft(() => rmSync(draft, { force: true }));
	attempt(() => {
		fd = openSync(draft, 'wx', 0o600);
		write({ type: 'saved-plan', version: VERSION, ...header });
	});
	return {
		discard,
		add({ before, ...planned }: PlannedWrite): void {
			rows++;
			const names = Object.keys(before.values).filter((name) => {
				const own = { [name]: before.values[name] };
				return redact(own) === own;
			});
			const values = Object.fromEntries(names.map((name) => [name, before.values[name]]));
			attempt(() => write({ type: 'planned', ...planned, before: { ...before, values } }));
		},
		/** Puts the plan into its place. */
		finish(): SavedPlan {
			const sha256 = hash.copy().digest('hex');
			attempt(() => {
				if (fd === undefined) return;
				write({ type: 'digest', sha256, rows });
				flush(fd);
				fsyncSync(fd);
				closeSync(fd);
				fd = undefined;
				renameSync(draft, path);
			});
			return { path, sha256, rows };
		},
	};
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
			const record = parseRecord(found?.text ?? '');
			if (found === undefined) throw refused(path, 'its last line is cut off');
			if (typeof record === 'string') throw refused(path, `a line was changed or damaged (${record})`);
			yield { record, sha256: () => hash.copy().digest('hex'), isLast: found.end === size };
			hash.update(`${found.text}\n`);
			place = found.end;
		}
	} catch (error) {
		if (error instanceof UsageError) throw error;
		throw refused(path, fileProblem(error));
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

function headerOf(record: Json, path: string): RunHeader {
	const { type, version, ...header } = record;
	if (type !== 'saved-plan') throw refused(path, "it isn't a plan");
	if (version !== VERSION)
		throw refused(path, `it has format version ${version}; this supportctl reads version ${VERSION}`);
	const problem = headerProblem(header);
	if (problem !== undefined) throw refused(path, problem);
	return header as unknown as RunHeader;
}

/** The rows of a plan, each checked like input. @throws UsageError */
export function* plannedWrites(path: string, plan: RunPlan): Generator<PlannedWrite> {
	const endpointOf = endpointFinder(plan);
	let last = 0;
	for (const { record } of records(path)) {
		if (record.type !== 'planned') continue;
		const { row, ids } = record;
		if (typeof row !== 'number' || row <= last) throw refused(path, 'its rows are not in order');
		last = row;
		if (!isObject(ids)) throw refused(path, `row ${row} names no object`);
		const endpoint = endpointOf(ids as Record<string, string>);
		const problem = writeProblem(record, endpoint, plan);
		if (problem !== undefined) throw refused(path, `row ${row}: ${problem}`);
		const { type: _, ...planned } = record;
		yield planned as unknown as PlannedWrite;
	}
}

/** What is wrong with a row: its IDs become a path, and its fields a body. */
function writeProblem(record: Json, endpoint: Endpoint, plan: RunPlan): string | undefined {
	const { ids, line, fields, before, force, reassign, modified } = record;
	if (!isObject(ids) || !areIds(ids, endpoint)) return 'its IDs are not valid';
	if (line !== undefined && typeof line !== 'number') return 'its line is not a number';
	if (modified !== undefined && typeof modified !== 'string') return 'its date is not valid';
	if (force !== undefined && force !== true) return 'force is not valid';
	if (reassign !== undefined && isProblem(parseId(String(reassign)))) return 'reassign is not an ID';
	if (!isObject(fields)) return 'it has no fields';
	const bad = Object.keys(fields).find((name) => !mayBeSent(endpoint, name, plan) || isSecret(endpoint, name));
	if (bad !== undefined) return `${JSON.stringify(bad)} can't be sent`;
	if (endpoint.body === 'none' && Object.keys(fields).length > 0) return 'it has fields';
	if (!isObject(before) || !isObject(before.values) || !Array.isArray(before.absent)) return 'it has no old values';
	return before.absent.every((name) => typeof name === 'string') ? undefined : 'its old values are not valid';
}

function isSecret({ fields }: Endpoint, name: string): boolean {
	return fields.some((each) => each.name === name && each.kind === 'secret');
}
