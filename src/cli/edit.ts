/** Edits one object as YAML and sends what changed. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpoints } from '../api/endpoints.js';
import type { Field, FieldKind } from '../api/fields.js';
import { nameRow } from '../api/names.js';
import type { EditNoun } from '../api/reads.js';
import { emptyRecord, findField, isObject } from '../api/values.js';
import { objectId, ownerIds } from '../bulk/lists/ids.js';
import { createSheet } from '../bulk/lists/sheet.js';
import { heldOf, isNothing } from '../bulk/run/held.js';
import type { Fields, Ids } from '../bulk/run/plan.js';
import { ExitCode, FailedError, fileProblem, interrupted, SupportctlError, UsageError } from '../errors.js';
import type { Context } from '../io/context.js';
import { readText } from '../io/files.js';
import { createRedactor } from '../output/redact.js';
import { asksForJson } from '../output/sanitise.js';
import { type Reading, readObject, withReading } from './lists/reading.js';
import { say, warn } from './notices.js';
import { confirmWrite } from './runs/checks.js';
import { type RunInvocation, suggestedValues } from './runs/options.js';
import { checkTaxonomy } from './runs/plan.js';
import { openSession, type Session } from './session.js';

export async function editObject(noun: EditNoun, given: RunInvocation): Promise<ExitCode> {
	const draft = createDraft(given);
	const invocation = { ...given, context: { ...given.context, abandon: draft.abandon } };
	const { context, options, args } = invocation;
	const editor = editorOf(context);
	const id = args.at(-1) ?? '';
	if (noun === 'term') checkTaxonomy(endpoints['term.update'], args[0] ?? '', options.undocumented === true);
	const session = await openSession(invocation);
	await confirmWrite(invocation, session.service, `edit ${noun} ${id}`, false);
	const target = await readTarget(noun, invocation, session);
	warn(context, target.warnings);
	try {
		return await editUntilSent(draft, editor, { ...target, noun, invocation, session });
	} finally {
		draft.close();
	}
}

interface Target extends Awaited<ReturnType<typeof readTarget>> {
	noun: EditNoun;
	invocation: RunInvocation;
	session: Session;
}

/** The connection is not kept open during the edit. */
async function readTarget(noun: EditNoun, invocation: RunInvocation, session: Session) {
	const { args } = invocation;
	const endpoint = endpoints[`${noun}.update`];
	const options = { ...invocation.options, concurrency: 1 };
	const read = async (reading: Reading) => {
		const [owners = {}] = await ownerIds(args.slice(0, 1), reading);
		const ids: Ids = { ...owners, id: await objectId(owners, args.at(-1) ?? '', reading) };
		const object = await readObject(reading, ids);
		if (object instanceof SupportctlError) throw object;
		const what = nameRow(ids, noun);
		const held = heldOf(endpoint, object);
		if (held === undefined) {
			throw new FailedError(`the service returned no fields of ${what}; nothing was sent`, { code: 'nothing_shown' });
		}
		const { dialect } = session;
		const sheet = createSheet({
			read: reading.read,
			asCells: false,
			sample: [object],
			dialect,
			redact: createRedactor(),
		});
		const exported = sheet.exported(object);
		// Fields without a value can be filled.
		const isEditable = (name: string): boolean =>
			Object.hasOwn(exported, name) || (held.has(name) && isNothing(held.get(name)));
		const fields = endpoint.fields.filter(({ name }) => sheet.columns.includes(name) && isEditable(name));
		const expected = Object.fromEntries(fields.map(({ name }) => [name, [held.get(name)]]));
		return { ids, what, exported, expected, fields, warnings: sheet.warnings() };
	};
	return await withReading(noun, { ...invocation, options }, read, session);
}

/** A private file, kept if the edit was not sent. */
function createDraft({ context }: RunInvocation) {
	const { env, stderr } = context;
	let folder: string | undefined;
	let path = '';
	let isKept = false;
	function sayKept(): void {
		if (!isKept) return;
		const text = asksForJson(context.argv) ? JSON.stringify({ edit: { file: path } }) : `your edit is kept in ${path}`;
		stderr.write(`${text}\n`);
	}
	return {
		abandon(exitCode: number): void {
			sayKept();
			context.abandon(exitCode);
		},
		async edit(name: string, text: string, problem: string, editor: string): Promise<string> {
			const comment = problem === '' ? '' : `${problem.replace(/^/gm, '# error: ')}\n`;
			try {
				folder ??= mkdtempSync(join(env.TMPDIR || tmpdir(), 'supportctl-edit-'));
				path = join(folder, `${name}.yaml`);
				writeFileSync(path, comment + text, { mode: 0o600 });
			} catch (cause) {
				const message = `can't write a temporary file: ${fileProblem(cause)}; nothing was sent`;
				throw new FailedError(message, { code: 'edit_file', cause });
			}
			let now = text;
			try {
				await runEditor(editor, path, context);
			} finally {
				isKept = existsSync(path);
				// An editor may have replaced the file.
				if (isKept) chmodSync(path, 0o600);
				now = (await readText(path, context)).replace(/^(?:# error: .*\r?\n)+/, '');
				isKept = (now !== text || problem !== '') && now.trim() !== '';
			}
			return now;
		},
		drop(): void {
			isKept = false;
		},
		close(): void {
			sayKept();
			if (!isKept && folder !== undefined) rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Mistakes of the text, for which the editor opens again. */
const MISTAKES: readonly string[] = ['invalid_value', 'unknown_field', 'unknown_name'];

async function editUntilSent(draft: ReturnType<typeof createDraft>, editor: string, target: Target): Promise<ExitCode> {
	const { ids, fields, invocation } = target;
	const original = await yamlOf(target);
	let text = original;
	let problem = '';
	for (;;) {
		const now = await draft.edit(Object.values(ids).join('-'), text, problem, editor);
		try {
			const changes = await changesIn(now, original, fields);
			const exitCode = await update(target, changes);
			if (exitCode === ExitCode.ok || exitCode === ExitCode.differs) draft.drop();
			return exitCode;
		} catch (error) {
			const isMistake = error instanceof UsageError && MISTAKES.includes(error.code);
			if (!(error instanceof SyntaxError || isMistake)) throw error;
			const { message, details = [] } = error as UsageError;
			const isAgain = problem !== '';
			problem = [message.replace(/; nothing was sent$/, ''), ...details].join('\n');
			// A script makes the same mistake each time.
			if (isAgain && (now === text || !invocation.context.prompts.available)) {
				throw new UsageError(`${problem}; nothing was sent`, { code: 'invalid_edit' });
			}
			text = now;
		}
	}
}

async function update(target: Target, fields: Fields): Promise<ExitCode> {
	const { noun, ids, expected, invocation, session } = target;
	if (Object.keys(fields).length === 0) {
		say(invocation, 'no change; nothing was sent');
		return ExitCode.ok;
	}
	const { startCommand } = await import('./runs/one.js');
	// As a flag of edit, --username is the connection's.
	const options = { ...invocation.options, username: undefined, onlyChanged: true, snapshot: false };
	const command = { ...invocation, args: Object.values(ids), options };
	return await startCommand(`${noun}.update`, command, { session, expected, fields });
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

async function yamlOf({ what, fields, exported, session }: Target): Promise<string> {
	const { yamlText } = await import('../output/yaml.js');
	const comment = (text: string): string => text.replace(/(.{1,100})(?:\s+|$)/g, '# $1\n');
	const entries = fields.map(({ name, kind, help }) => {
		const takes = suggestedValues[kind]?.join(', ') ?? TAKES[kind];
		const value = exported[name] ?? (EMPTY[kind] || '');
		return comment(takes === undefined ? help : `${help}: ${takes}`) + yamlText({ [name]: value });
	});
	const how = 'Change values, save and close the editor: only changed fields are sent. An empty file cancels.';
	return [comment(`${what} on ${session.host}. ${how}`), ...entries].join('\n');
}

/** Fields that are left out stay. @throws SyntaxError */
async function changesIn(text: string, original: string, fields: readonly Field[]): Promise<Fields> {
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
	const changes = emptyRecord<unknown>();
	for (const [name, value] of Object.entries(after)) {
		const field = findField(fields, name);
		const old = before[field?.name ?? name];
		if (JSON.stringify(value) === JSON.stringify(old)) continue;
		const given = value ?? EMPTY[field?.kind ?? 'text'] ?? '';
		changes[field?.name ?? name] = field?.kind === 'map' ? changedKeys(old, given) : given;
	}
	return changes;
}

/** Services keep entries that are not sent. */
function changedKeys(old: unknown, wanted: unknown): unknown {
	if (!isObject(wanted)) return wanted;
	const before = isObject(old) ? old : {};
	const removed = Object.fromEntries(Object.keys(before).map((key) => [key, null]));
	const entries = Object.entries({ ...removed, ...wanted });
	return Object.fromEntries(entries.filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value)));
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

async function runEditor(editor: string, path: string, { env, stdout, signals }: Context): Promise<void> {
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
	const problem = await once(child, 'close')
		.then(([code, signal]) => {
			if (code === 130 || ['SIGINT', 'SIGTERM', 'SIGHUP'].includes(signal)) {
				throw interrupted('interrupted; nothing was sent');
			}
			return code === 0 ? undefined : `it ended with ${signal ?? `exit code ${code}`}`;
		}, fileProblem)
		.finally(unlisten);
	if (problem === undefined) return;
	throw new FailedError(`the editor ${JSON.stringify(editor)} failed: ${problem}; nothing was sent`, {
		code: 'editor_failed',
		hint: 'set VISUAL or EDITOR to a different editor',
	});
}
