/** One object in an editor: read it, show its fields as YAML, send those that changed. */

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Endpoint } from '../api/endpoints.js';
import type { Field, FieldKind } from '../api/fields.js';
import { nameRow } from '../api/names.js';
import { chooseEndpoint } from '../api/plan.js';
import type { EditNoun } from '../api/reads.js';
import { didYouMean } from '../api/suggest.js';
import { checkTyped, findField, isObject, isProblem, nestingProblem, quote, type ValueRules } from '../api/values.js';
import { createSheet } from '../bulk/lists/sheet.js';
import { type Held, heldOf, isNothing, isUnchanged } from '../bulk/run/held.js';
import { withIds } from '../bulk/run/names.js';
import { withCleared } from '../bulk/run/read-back.js';
import { ExitCode, FailedError, fileProblem, InterruptedError, SupportctlError, UsageError } from '../errors.js';
import { readSmallFile } from '../folder.js';
import type { Context } from '../io/context.js';
import { createRedactor } from '../output/redact.js';
import {
	createRead,
	type Ids,
	type ReadInvocation,
	type Reading,
	readId,
	readObjectId,
	readOwner,
	withReading,
} from './lists/reading.js';
import { say, warn } from './notices.js';
import { openDirectories } from './own-account.js';
import { wantsJson } from './results.js';
import { confirmWrite } from './runs/checks.js';
import { type RunInvocation, suggestedValues } from './runs/options.js';
import { jobOf, withoutSecrets } from './runs/plan.js';
import { openSession, type Session } from './session.js';

const MAX_BYTES = 64 * 1024 * 1024;

export async function editObject(noun: EditNoun, given: ReadInvocation): Promise<ExitCode> {
	const invocation = given as unknown as RunInvocation;
	const { context, options, args } = invocation;
	const { env, stderr } = context;
	const editor = editorOf(context);
	const undocumented = options.undocumented === true;
	const { endpoint } = chooseEndpoint(`${noun}.update`, noun === 'term' ? args[0] : undefined, undocumented);
	const id = args.at(-1) as string;
	if (noun !== 'user' && noun !== 'term') readId('id', id);
	const session = await openSession(given);
	const { connection, host, dialect } = session;
	const service = { profile: connection.profileName, protected: connection.settings.protected };
	await confirmWrite(invocation, { service, host, action: `edit ${noun} ${id}`, asks: false });

	const { ids, object, sheet } = await readObject(noun, given, session);
	const exported = sheet.exported(object);
	const held = heldOf(endpoint, object) as Held;
	const rules = { undocumented, statusIn: dialect.statusIn };
	// Fields that the service shows and an update can write back; one without a value is shown empty.
	const fields = endpoint.fields
		.filter(({ name }) => sheet.columns.includes(name))
		.filter(({ name }) => Object.hasOwn(exported, name) || (held.has(name) && isNothing(held.get(name))));
	const what = nameRow(ids, noun);
	const original = await yamlOf(fields, exported, `${what} on ${host}`);
	warn(context, sheet.warnings());

	const temporary = join(env.TMPDIR || tmpdir(), 'supportctl-edit-');
	const folder = withFile('the temporary file', () => mkdtempSync(temporary));
	const path = join(folder, `${Object.values(ids).join('-')}.yaml`);
	let isKept = false;
	const sayKept = (): void => {
		stderr.write(`${wantsJson(options) ? JSON.stringify({ edit: { file: path } }) : `your edit is kept in ${path}`}\n`);
	};
	/** One that is left at once by a signal keeps the edit, too. */
	function abandon(exitCode: number): void {
		sayKept();
		context.abandon(exitCode);
	}
	const afterEdit = { ...given, context: { ...context, abandon } };
	try {
		let changed: Readonly<Record<string, unknown>> | undefined;
		let problem = '';
		for (let text = original; changed === undefined; ) {
			const comment = problem === '' ? '' : `${problem.replace(/^/gm, '# error: ')}\n`;
			withFile(path, () => writeFileSync(path, comment + text, { mode: 0o600 }));
			const failure = await runEditor(editor, path, context);
			const edited = withFile(path, () => {
				// An editor may have put another file in its place.
				chmodSync(path, 0o600);
				return new TextDecoder('utf-8', { fatal: true }).decode(readSmallFile(path, MAX_BYTES));
			});
			const now = edited.replace(/^(?:# error: .*\r?\n)+/, '');
			isKept = now !== original && now.trim() !== '';
			if (failure !== undefined) throw failure;
			if (problem !== '' && now === text) {
				throw new UsageError(`the edit was not changed and has the same problem: ${problem}; nothing was sent`, {
					code: 'invalid_edit',
				});
			}
			const changes = await changesIn(now, original, { fields, endpoint, held, rules });
			if (changes === undefined) {
				isKept = false;
				throw new UsageError('cancelled: the file is empty; nothing was sent', { code: 'cancelled' });
			}
			if (typeof changes !== 'string') changed = changes;
			// A script makes the same mistake each time.
			else if (problem !== '' && !context.prompts.available) {
				throw new UsageError(`${changes}; nothing was sent`, { code: 'invalid_edit' });
			} else [text, problem] = [now, changes];
		}
		isKept = Object.keys(changed).length > 0;
		if (!isKept) {
			say(invocation, 'no changes; nothing was sent');
			return ExitCode.ok;
		}

		const current = sheet.exported((await readObject(noun, afterEdit, session, ids)).object);
		const differs = (name: string): boolean => JSON.stringify(exported[name]) !== JSON.stringify(current[name]);
		const others = Object.keys({ ...exported, ...current }).filter(differs);
		if (others.length > 0) {
			throw new FailedError(`${what} was changed meanwhile (${others.join(', ')}); nothing was sent`, {
				code: 'conflict',
				hint: 'edit it again to see its fields as they are now',
			});
		}
		const { id: own = '', ...owners } = ids;
		const { secrets, ...kept } = withoutSecrets(withCleared(endpoint, held, changed));
		const values = { ids: owners, ...kept, force: false, add: {}, remove: {} };
		const source = { from: 'ids', ids: [own] } as const;
		const job = jobOf(
			`${noun}.update`,
			{ endpoint, source, values, secrets },
			afterEdit as unknown as RunInvocation,
			session,
		);
		const directories = openDirectories(session, session.sending);
		const plan = await withIds(job.plan, endpoint, directories).finally(directories.close);
		const exitCode = await (await import('./runs/one.js')).sendOne({ ...job, plan });
		isKept = exitCode !== ExitCode.ok && exitCode !== ExitCode.differs;
		return exitCode;
	} finally {
		if (!isKept) rmSync(folder, { recursive: true, force: true });
		else sayKept();
	}
}

/** Reads the object, on a connection that is not kept open during the edit. @throws SupportctlError where it can't be read */
async function readObject(noun: EditNoun, invocation: ReadInvocation, session: Session, known?: Ids) {
	const read = async (reading: Reading) => {
		const [text = ''] = reading.rest;
		const owners = await readOwner(reading);
		const ids: Ids = known ?? { ...owners, id: await readObjectId(noun, owners, text, reading) };
		const object = await createRead(reading)(ids);
		if (object instanceof SupportctlError) throw object;
		const shown = { owners: {}, asCells: false, sample: [object], redact: createRedactor() };
		return { ids, object, sheet: createSheet({ read: reading.read, dialect: session.dialect, ...shown }) };
	};
	return await withReading(noun, invocation, read, session);
}

/** What values a kind takes, where that is not a list. */
const TAKES: Partial<Record<FieldKind, string>> = {
	integer: 'a whole number',
	user: 'a username, an ID, "@me" or none',
	date: 'ISO 8601',
	term: 'an ID, slug or name',
	terms: 'a list of IDs, slugs or names',
	list: 'a list',
	map: 'names and values; a name that is removed is sent as null',
};

/** Kinds whose plain YAML values are text: `007` is not a number. */
const TEXTS: ReadonlySet<FieldKind> = new Set(['text', 'longtext', 'term', 'email', 'date', 'status', 'adjustment']);

/** The value of a field that has none, where that is not "". */
const EMPTY: Partial<Record<FieldKind, unknown>> = { terms: [], list: [], map: {}, user: 0, integer: 0 };

/** @param title what is edited: `ticket 14 on desk.example` */
async function yamlOf(
	fields: readonly Field[],
	values: Readonly<Record<string, unknown>>,
	title: string,
): Promise<string> {
	const { yamlText } = await import('../output/yaml.js');
	// Lines of about 100 characters.
	const comment = (text: string): string => text.replace(/(.{1,100})(?:\s+|$)/g, '# $1\n');
	const entries = fields.map(({ name, kind, help }) => {
		const takes = suggestedValues[kind]?.join(', ') ?? TAKES[kind];
		const value = values[name] ?? (EMPTY[kind] || '');
		return comment(takes === undefined ? help : `${help}: ${takes}`) + yamlText({ [name]: value });
	});
	const how = 'Change values, save and close the editor: only what changed is sent. An empty file cancels.';
	return [comment(`${title}. ${how}`), ...entries].join('\n');
}

/**
 * The fields that an edited text changes; those that it leaves out stay as they are.
 * @returns why it can't be used, as text; undefined where it holds nothing
 */
async function changesIn(
	text: string,
	original: string,
	{ fields, endpoint, held, rules }: { fields: readonly Field[]; endpoint: Endpoint; held: Held; rules: ValueRules },
): Promise<Readonly<Record<string, unknown>> | string | undefined> {
	const { readYamlMapping } = await import('../output/yaml.js');
	const isText = (name: string): boolean => TEXTS.has(findField(fields, name)?.kind ?? 'map');
	const before = readYamlMapping(original, isText) ?? {};
	let after: Record<string, unknown> | undefined;
	try {
		after = readYamlMapping(text, isText);
	} catch (error) {
		if (error instanceof SyntaxError) return error.message;
		throw error;
	}
	if (after === undefined) return undefined;
	const changes: [string, unknown][] = [];
	for (const [name, value] of Object.entries(after)) {
		const field = findField(fields, name);
		if (field === undefined) {
			const names = fields.map((each) => each.name);
			if (!rules.undocumented) return `there is no field ${quote(name)} here${didYouMean(name, names)}`;
			changes.push([name, value]);
			continue;
		}
		const old = before[field.name];
		if (JSON.stringify(value) === JSON.stringify(old)) continue;
		const given = value ?? EMPTY[field.kind] ?? '';
		const deep = nestingProblem(given);
		if (deep !== undefined) return `${field.name}: ${deep}`;
		const checked = checkTyped(field, given, rules);
		if (isProblem(checked)) return checked.problem;
		const wanted = field.kind === 'map' ? changedKeys(old, checked.value) : checked.value;
		if (!isUnchanged(endpoint, field.name, wanted, held)) changes.push([field.name, wanted]);
	}
	return Object.fromEntries(changes);
}

/** The entries of a map that changed: services keep those that are not sent. */
function changedKeys(old: unknown, wanted: unknown): unknown {
	if (!isObject(wanted)) return wanted;
	const before = isObject(old) ? old : {};
	const removed = Object.fromEntries(Object.keys(before).map((key) => [key, null]));
	const entries = Object.entries({ ...removed, ...wanted });
	return Object.fromEntries(entries.filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value)));
}

/** @throws FailedError where a file can't be used */
function withFile<T>(what: string, work: () => T): T {
	try {
		return work();
	} catch (cause) {
		const message = `${what} can't be used: ${fileProblem(cause)}; nothing was sent`;
		throw new FailedError(message, { code: 'edit_file', cause });
	}
}

/** The command of the editor, as a shell reads it. @throws UsageError where there is none and no terminal */
function editorOf({ env, prompts }: Context): string {
	const editor = env.VISUAL || env.EDITOR;
	if (editor) return editor;
	if (prompts.available) return process.platform === 'win32' ? 'notepad' : 'vi';
	throw new UsageError('there is no terminal for an editor; nothing was sent', {
		code: 'no_editor',
		hint: 'set VISUAL or EDITOR to a command that edits the file without a terminal, or use update with flags',
	});
}

/** Opens a file in the editor and waits until it has ended. @returns an error where it did not end well */
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
		// What an editor prints is no result.
		stdio: ['inherit', stdout.isTTY ? 'inherit' : 2, 'inherit'],
	});
	// Ctrl-C is a key of the editor.
	const unlisten = signals.listen((signal) => {
		if (signal !== 'SIGINT') child.kill(signal);
	});
	const ended = new Promise<string | undefined>((resolve) => {
		child.on('error', (error) => resolve(fileProblem(error)));
		child.on('close', (code, signal) =>
			resolve(code === 0 ? undefined : signal === null ? `it ended with exit code ${code}` : `${signal} ended it`),
		);
	});
	const problem = await ended.finally(unlisten);
	if (problem === undefined) return undefined;
	if (/^SIG(?:INT|TERM|HUP) | 130$/.test(problem)) return new InterruptedError('interrupted; nothing was sent');
	return new FailedError(`the editor ${JSON.stringify(editor)} failed: ${problem}; nothing was sent`, {
		code: 'editor_failed',
		hint: 'VISUAL and EDITOR name the editor',
	});
}
