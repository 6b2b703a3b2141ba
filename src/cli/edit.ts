/** Edits one object as YAML and sends what changed. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Endpoint, endpoints } from '../api/endpoints.js';
import type { Field, FieldKind } from '../api/fields.js';
import { nameRow } from '../api/names.js';
import type { EditNoun } from '../api/reads.js';
import { didYouMean } from '../api/suggest.js';
import { checkTyped, findField, isObject, isProblem, quote, type ValueRules } from '../api/values.js';
import { createSheet } from '../bulk/lists/sheet.js';
import { type Held, heldOf, isNothing, isUnchanged } from '../bulk/run/held.js';
import { findIds } from '../bulk/run/names.js';
import type { Ids } from '../bulk/run/plan.js';
import { ExitCode, FailedError, fileProblem, InterruptedError, SupportctlError, UsageError } from '../errors.js';
import { readSmallFile } from '../folder.js';
import type { Context } from '../io/context.js';
import { createRedactor } from '../output/redact.js';
import { type Reading, readId, readObject, readObjectId, readOwners, withReading } from './lists/reading.js';
import { say, warn } from './notices.js';
import { openDirectories } from './own-account.js';
import { wantsJson } from './results.js';
import { confirmWrite } from './runs/checks.js';
import { type RunInvocation, suggestedValues } from './runs/options.js';
import { checkTaxonomy, jobOf, type RunJob, withoutSecrets } from './runs/plan.js';
import { openSession, type Session } from './session.js';

interface Target {
	noun: EditNoun;
	invocation: RunInvocation;
	endpoint: Endpoint;
	session: Session;
	rules: ValueRules;
}

interface Found {
	ids: Ids;
	/** `ticket 14` */
	what: string;
	exported: Readonly<Record<string, unknown>>;
	held: Held;
	fields: readonly Field[];
	warnings: readonly string[];
}

export async function editObject(noun: EditNoun, invocation: RunInvocation): Promise<ExitCode> {
	const editor = editorOf(invocation.context);
	const target = await openTarget(noun, invocation);
	const found = await readTarget(target, invocation.context);
	warn(invocation.context, found.warnings);
	const draft = openDraft(invocation, Object.values(found.ids).join('-'));
	try {
		const job = await askForJob(draft, editor, target, found);
		if (job === undefined) {
			draft.drop();
			say(invocation, 'no change; nothing was sent');
			return ExitCode.ok;
		}
		refuseConflict(found, await readTarget(target, draft.context, found.ids));
		const exitCode = await (await import('./runs/one.js')).sendOne(job);
		if (exitCode === ExitCode.ok || exitCode === ExitCode.differs) draft.drop();
		return exitCode;
	} finally {
		draft.close();
	}
}

async function openTarget(noun: EditNoun, invocation: RunInvocation): Promise<Target> {
	const { options, args } = invocation;
	const { undocumented = false } = options;
	const endpoint = endpoints[`${noun}.update`];
	if (noun === 'term') checkTaxonomy(endpoint, args[0] ?? '', undocumented);
	const id = args.at(-1) ?? '';
	if (noun !== 'user' && noun !== 'term') readId('id', id);
	const session = await openSession(invocation);
	await confirmWrite(invocation, session.service, `edit ${noun} ${id}`, { asks: false });
	return { noun, invocation, endpoint, session, rules: { undocumented, statusIn: session.dialect.toNeutral } };
}

/** The connection is not kept open during the edit. */
async function readTarget(target: Target, context: Context, known?: Ids): Promise<Found> {
	const { noun, invocation, endpoint, session } = target;
	const options = { ...invocation.options, concurrency: 1 };
	const read = async (reading: Reading): Promise<Found> => {
		const [owners = {}] = await readOwners(invocation.args.slice(0, 1), reading);
		const ids = known ?? { ...owners, id: await readObjectId(noun, owners, invocation.args.at(-1) ?? '', reading) };
		const what = nameRow(ids, noun);
		const object = await readObject(reading, ids);
		if (object instanceof SupportctlError) throw object;
		const held = heldOf(endpoint, object);
		if (held === undefined) {
			throw new FailedError(`the service returned no fields of ${what}; nothing was sent`, { code: 'nothing_shown' });
		}
		const sheet = createSheet({
			read: reading.read,
			asCells: false,
			sample: [object],
			dialect: session.dialect,
			redact: createRedactor(),
		});
		const exported = sheet.exported(object);
		// Fields without a value can be filled.
		const isEditable = (name: string): boolean =>
			Object.hasOwn(exported, name) || (held.has(name) && isNothing(held.get(name)));
		const fields = endpoint.fields.filter(({ name }) => sheet.columns.includes(name) && isEditable(name));
		return { ids, what, exported, held, fields, warnings: sheet.warnings() };
	};
	return await withReading(noun, { ...invocation, context, options }, read, session);
}

type Draft = ReturnType<typeof openDraft>;

const MAX_BYTES = 64 * 1024 * 1024;

/** A private file, kept if the edit was not sent. */
function openDraft({ context, options }: RunInvocation, name: string) {
	const { env, stderr } = context;
	const temporary = join(env.TMPDIR || tmpdir(), 'supportctl-edit-');
	const folder = withFile('the temporary file', () => mkdtempSync(temporary));
	const path = join(folder, `${name}.yaml`);
	let isKept = false;
	function sayKept(): void {
		const text = wantsJson(options) ? JSON.stringify({ edit: { file: path } }) : `your edit is kept in ${path}`;
		stderr.write(`${text}\n`);
	}
	/** A second signal keeps the edit too. */
	function abandon(exitCode: number): void {
		sayKept();
		context.abandon(exitCode);
	}
	return {
		context: { ...context, abandon },
		/** @returns the new text */
		async edit(text: string, problem: string, editor: string): Promise<string> {
			const comment = problem === '' ? '' : `${problem.replace(/^/gm, '# error: ')}\n`;
			withFile(path, () => writeFileSync(path, comment + text, { mode: 0o600 }));
			const failure = await runEditor(editor, path, context);
			const edited = withFile(path, () => {
				// An editor may have replaced the file.
				chmodSync(path, 0o600);
				return new TextDecoder('utf-8', { fatal: true }).decode(readSmallFile(path, MAX_BYTES));
			});
			const now = edited.replace(/^(?:# error: .*\r?\n)+/, '');
			isKept = (now !== text || problem !== '') && now.trim() !== '';
			if (failure !== undefined) throw failure;
			return now;
		},
		drop(): void {
			isKept = false;
		},
		close(): void {
			if (isKept) sayKept();
			else rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Opens the editor until the text is valid. @returns undefined without changes */
async function askForJob(draft: Draft, editor: string, target: Target, found: Found): Promise<RunJob | undefined> {
	const { invocation, session } = target;
	const original = await yamlOf(found, session.host);
	let text = original;
	let problem = '';
	for (;;) {
		const now = await draft.edit(text, problem, editor);
		if (problem !== '' && now === text) {
			throw new UsageError(`the edit has the same problem: ${problem}; nothing was sent`, { code: 'invalid_edit' });
		}
		try {
			const changes = await changesIn(now, original, target, found);
			return Object.keys(changes).length === 0 ? undefined : await jobFor(target, found, changes, draft.context);
		} catch (error) {
			if (!(error instanceof SyntaxError)) throw error;
			// A script makes the same mistake each time.
			if (problem !== '' && !invocation.context.prompts.available) {
				throw new UsageError(`${error.message}; nothing was sent`, { code: 'invalid_edit' });
			}
			text = now;
			problem = error.message;
		}
	}
}

function refuseConflict({ what, exported: before }: Found, { exported: now }: Found): void {
	const differs = (name: string): boolean => JSON.stringify(before[name]) !== JSON.stringify(now[name]);
	const others = Object.keys({ ...before, ...now }).filter(differs);
	if (others.length === 0) return;
	throw new FailedError(`${what} was changed meanwhile (${others.join(', ')}); nothing was sent`, {
		code: 'conflict',
		hint: 'edit it again to see its current fields',
	});
}

/** @throws SyntaxError for names that nobody has */
async function jobFor(
	{ noun, invocation, endpoint, session }: Target,
	{ ids: { id = '', ...ids } }: Found,
	changes: Readonly<Record<string, unknown>>,
	context: Context,
): Promise<RunJob> {
	const { secrets, ...kept } = withoutSecrets(changes);
	const values = { ids, ...kept, force: false, add: {}, remove: {} };
	const given = { endpoint, source: { from: 'ids', ids: [id] }, values, secrets } as const;
	const job = jobOf(`${noun}.update`, given, { ...invocation, context }, session);
	const directories = openDirectories(session, session.sending);
	const plan = await findIds(job.plan, endpoint, directories).finally(directories.close);
	if (Array.isArray(plan)) throw new SyntaxError(plan.join('\n'));
	return { ...job, plan };
}

const TAKES: Partial<Record<FieldKind, string>> = {
	integer: 'a whole number',
	user: 'a username, an ID, "@me" or none',
	date: 'ISO 8601',
	term: 'an ID, slug or name',
	terms: 'a list of IDs, slugs or names',
	list: 'a list',
	map: 'names and values; a name that is removed is sent as null',
};

/** Of kinds that are not text: there `007` is a number. */
const EMPTY: Partial<Record<FieldKind, unknown>> = {
	terms: [],
	list: [],
	map: {},
	user: 0,
	integer: 0,
	boolean: '',
	switch: '',
};

async function yamlOf({ what, fields, exported }: Found, host: string): Promise<string> {
	const { yamlText } = await import('../output/yaml.js');
	const comment = (text: string): string => text.replace(/(.{1,100})(?:\s+|$)/g, '# $1\n');
	const entries = fields.map(({ name, kind, help }) => {
		const takes = suggestedValues[kind]?.join(', ') ?? TAKES[kind];
		const value = exported[name] ?? (EMPTY[kind] || '');
		return comment(takes === undefined ? help : `${help}: ${takes}`) + yamlText({ [name]: value });
	});
	const how = 'Change values, save and close the editor: only changed fields are sent. An empty file cancels.';
	return [comment(`${what} on ${host}. ${how}`), ...entries].join('\n');
}

/** Fields that are left out stay. @throws SyntaxError with what is wrong */
async function changesIn(
	text: string,
	original: string,
	{ endpoint, rules }: Target,
	{ fields, held }: Found,
): Promise<Readonly<Record<string, unknown>>> {
	const { readYamlMapping } = await import('../output/yaml.js');
	const isText = (name: string): boolean => {
		const kind = findField(fields, name)?.kind;
		return kind !== undefined && !Object.hasOwn(EMPTY, kind);
	};
	const before = readYamlMapping(original, isText) ?? {};
	const after = readYamlMapping(text, isText);
	if (after === undefined) {
		throw new UsageError('canceled: the file is empty; nothing was sent', { code: 'cancelled' });
	}
	const changes: [string, unknown][] = [];
	for (const [name, value] of Object.entries(after)) {
		const field = findField(fields, name);
		if (field === undefined) {
			const names = fields.map((each) => each.name);
			if (!rules.undocumented) throw new SyntaxError(`unknown field ${quote(name)}${didYouMean(name, names)}`);
			changes.push([name, value]);
			continue;
		}
		const old = before[field.name];
		if (JSON.stringify(value) === JSON.stringify(old)) continue;
		const given = value ?? EMPTY[field.kind] ?? '';
		const checked = checkTyped(field, given, rules);
		if (isProblem(checked)) throw new SyntaxError(checked.problem);
		const wanted = field.kind === 'map' ? changedKeys(old, checked.value) : checked.value;
		if (!isUnchanged(endpoint, field.name, wanted, held)) changes.push([field.name, wanted]);
	}
	return Object.fromEntries(changes);
}

/** Services keep entries that are not sent. */
function changedKeys(old: unknown, wanted: unknown): unknown {
	if (!isObject(wanted)) return wanted;
	const before = isObject(old) ? old : {};
	const removed = Object.fromEntries(Object.keys(before).map((key) => [key, null]));
	const entries = Object.entries({ ...removed, ...wanted });
	return Object.fromEntries(entries.filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value)));
}

function withFile<T>(what: string, work: () => T): T {
	try {
		return work();
	} catch (cause) {
		const message = `${what} can't be used: ${fileProblem(cause)}; nothing was sent`;
		throw new FailedError(message, { code: 'edit_file', cause });
	}
}

function editorOf({ env, prompts }: Context): string {
	const editor = env.VISUAL || env.EDITOR;
	if (editor) return editor;
	if (prompts.available) return process.platform === 'win32' ? 'notepad' : 'vi';
	throw new UsageError("can't open an editor without a terminal", {
		code: 'no_editor',
		hint: 'set VISUAL or EDITOR to a command that edits the file by itself, or use update with flags',
	});
}

async function runEditor(
	editor: string,
	path: string,
	{ env, stdout, signals }: Context,
): Promise<SupportctlError | undefined> {
	const isWindows = process.platform === 'win32';
	const [program, args] = isWindows ? [`${editor} "${path}"`, []] : ['sh', ['-c', `${editor} "$@"`, editor, path]];
	const child = spawn(program, args, {
		env: { ...env },
		shell: isWindows,
		// An editor's output is no result.
		stdio: ['inherit', stdout.isTTY ? 'inherit' : 2, 'inherit'],
	});
	// Ctrl-C is a key of the editor.
	const unlisten = signals.listen((signal) => {
		if (signal !== 'SIGINT') child.kill(signal);
	});
	let problem: string;
	try {
		const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
		if (code === 0) return undefined;
		if (code === 130 || signal === 'SIGINT' || signal === 'SIGTERM' || signal === 'SIGHUP') {
			return new InterruptedError('interrupted; nothing was sent');
		}
		problem = signal === null ? `it ended with exit code ${code}` : `${signal} ended it`;
	} catch (error) {
		problem = fileProblem(error);
	} finally {
		unlisten();
	}
	return new FailedError(`the editor ${JSON.stringify(editor)} failed: ${problem}; nothing was sent`, {
		code: 'editor_failed',
		hint: 'set VISUAL or EDITOR to a different editor',
	});
}
