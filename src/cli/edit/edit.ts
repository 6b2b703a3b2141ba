/** One object in an editor: read it, show its fields as YAML, send those that changed. */

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chooseEndpoint } from '../../api/choose.js';
import { isObject, OWN_ID } from '../../api/values.js';
import type { ListedObject } from '../../bulk/lists/pages.js';
import { createSheet, type Sheet } from '../../bulk/lists/sheet.js';
import { ExitCode, FailedError, fileProblem, InterruptedError, SupportctlError, UsageError } from '../../errors.js';
import { readSmallFile } from '../../folder.js';
import type { Context } from '../../io/context.js';
import { createRedactor } from '../../output/redact.js';
import type { ReadInvocation } from '../lists/call.js';
import { createRead, failureOfRead, readId, readUserId, withReading } from '../lists/reading.js';
import { say, warn } from '../notices.js';
import { wantsJson } from '../results.js';
import { confirmWrite } from '../runs/checks.js';
import { nameRow } from '../runs/failures.js';
import type { RunInvocation } from '../runs/options.js';
import { jobOf, withoutSecrets } from '../runs/plan.js';
import { openSession, type Session } from '../session.js';
import { changesIn, type EditableObject, type EditNoun, fieldsAsYaml, withoutProblem, withProblem } from './fields.js';

type Ids = Readonly<Record<string, string>>;

/** @throws UsageError, RefusedError, SupportctlError */
export async function editObject(noun: EditNoun, given: ReadInvocation): Promise<ExitCode> {
	const invocation = given as unknown as RunInvocation;
	const { context, options, args } = invocation;
	const editor = editorOf(context);
	const { endpoint } = chooseEndpoint(
		`${noun}.update`,
		noun === 'term' ? args[0] : undefined,
		options.undocumented === true,
	);
	const id = args.at(-1) as string;
	if (noun !== 'user' || id !== OWN_ID) readId('id', id);
	const session = await openSession(given);
	const { connection, host } = session;
	const service = { profile: connection.profileName, protected: connection.settings.protected };
	await confirmWrite(invocation, { service, host, action: `edit ${noun} ${id}`, asks: false });

	const { ids, body: before, sheet } = await readObject(noun, given, session);
	const what = nameRow(ids, noun);
	const state = stateOf(sheet, before);
	const object: EditableObject = {
		endpoint,
		exported: sheet.exported(before),
		whole: before,
		columns: sheet.columns,
		rules: { undocumented: options.undocumented === true, statusIn: session.dialect.statusIn },
	};
	warn(context, sheet.warnings());
	const file = createEditFile(`${Object.values(ids).join('-')}.yaml`, context);
	const edit = { isWorthKeeping: false };
	try {
		const fields = await edited(object, `${what} on ${session.host}`, editor, file, context, edit);
		if (fields === undefined) {
			say(invocation, 'no changes; nothing was sent');
			return ExitCode.ok;
		}
		const now = stateOf(sheet, (await readObject(noun, given, session, ids)).body);
		const changed = Object.keys({ ...state, ...now }).filter((name) => state[name] !== now[name]);
		if (changed.length > 0) {
			throw new FailedError(`${what} was changed meanwhile (${changed.join(', ')}); nothing was sent`, {
				code: 'conflict',
				hint: 'edit it again to see its fields as they are now',
			});
		}
		const { id: own = '', ...owners } = ids;
		const { secrets, ...kept } = withoutSecrets(fields);
		const values = { ids: owners, ...kept, force: false, add: {}, remove: {} };
		const source = { from: 'ids', ids: [own] } as const;
		const job = jobOf(`${noun}.update`, { endpoint, source, values, secrets }, invocation, session);
		const exitCode = await (await import('../runs/one.js')).sendOne(job);
		edit.isWorthKeeping = exitCode !== ExitCode.ok && exitCode !== ExitCode.differs;
		const text = wantsJson(options) ? JSON.stringify({ edit: { file: file.path } }) : keptIn(file.path);
		if (edit.isWorthKeeping) context.stderr.write(`${text}\n`);
		return exitCode;
	} catch (error) {
		const isExplained = edit.isWorthKeeping && error instanceof SupportctlError && !(error instanceof InterruptedError);
		if (!isExplained) throw error;
		const { message, exitCode, code, hint, details, data, cause } = error;
		throw new SupportctlError(message, exitCode, {
			code,
			hint,
			details: [...details, keptIn(file.path)],
			data: { ...data, file: file.path },
			cause,
		});
	} finally {
		if (!edit.isWorthKeeping) file.remove();
	}
}

const keptIn = (path: string): string => `your edit is kept in ${path}`;

/** Reads the object, on a connection that is not kept open during the edit. @throws SupportctlError where it can't be read */
async function readObject(noun: EditNoun, invocation: ReadInvocation, session: Session, known?: Ids) {
	const work = withReading(
		noun,
		invocation,
		async (reading) => {
			const { read, owners, rest } = reading;
			const [text = ''] = rest;
			const ids: Ids = known ?? { ...owners, id: noun === 'user' ? await readUserId('id', text, reading) : text };
			const endpoint = read.get ?? read.list;
			const result = await createRead(reading, endpoint)(ids);
			if (result.outcome !== 'ok' || !isObject(result.body)) throw failureOfRead(reading, endpoint, ids, result);
			const { body } = result;
			const { dialect } = session;
			const redact = createRedactor();
			return { ids, body, sheet: createSheet({ read, owners: {}, asCells: false, sample: [body], dialect, redact }) };
		},
		session,
	);
	return await work;
}

/** What is compared to find out whether the object was changed meanwhile. */
function stateOf(sheet: Sheet, object: ListedObject): Record<string, string> {
	const entries = Object.entries(sheet.exported(object));
	return Object.fromEntries(entries.map(([name, value]) => [name, JSON.stringify(value)]));
}

/**
 * Opens the editor until the file can be used.
 * @param edit notes whether the file holds changes
 * @returns the fields that changed; undefined where none did
 * @throws UsageError where the file still has the problem that was shown, or nothing in it
 */
async function edited(
	object: EditableObject,
	title: string,
	editor: string,
	file: EditFile,
	context: Context,
	edit: { isWorthKeeping: boolean },
): Promise<Readonly<Record<string, unknown>> | undefined> {
	const original = await fieldsAsYaml(object, title);
	let text = original;
	let problem: string | undefined;
	for (;;) {
		file.write(withProblem(text, problem));
		const failure = await runEditor(editor, file.path, context);
		const now = withoutProblem(file.read());
		edit.isWorthKeeping = now !== original && now.trim() !== '';
		if (failure !== undefined) throw failure;
		if (problem !== undefined && now === text) {
			throw new UsageError(`the edit was not changed and has the same problem: ${problem}; nothing was sent`, {
				code: 'invalid_edit',
			});
		}
		const changes = await changesIn(object, original, now);
		if (changes !== undefined && 'problem' in changes) {
			text = now;
			problem = changes.problem;
			continue;
		}
		if (changes !== undefined && Object.keys(changes.fields).length > 0) return changes.fields;
		edit.isWorthKeeping = false;
		if (changes !== undefined) return undefined;
		throw new UsageError('cancelled: the file is empty; nothing was sent', { code: 'cancelled' });
	}
}

const MAX_BYTES = 64 * 1024 * 1024;

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

type EditFile = ReturnType<typeof createEditFile>;

/** A file that only this user can read. @throws FailedError */
function createEditFile(name: string, { env: { TMPDIR } }: Context) {
	const attempt = <T>(what: string, work: () => T): T => {
		try {
			return work();
		} catch (cause) {
			const message = `${what} can't be used: ${fileProblem(cause)}; nothing was sent`;
			throw new FailedError(message, { code: 'edit_file', cause });
		}
	};
	const folder = attempt('the temporary file', () => mkdtempSync(join(TMPDIR || tmpdir(), 'supportctl-edit-')));
	const path = join(folder, name);
	return {
		path,
		write: (text: string): void => attempt(path, () => writeFileSync(path, text, { mode: 0o600 })),
		read: (): string =>
			attempt(path, () => {
				// An editor may have put another file in its place.
				chmodSync(path, 0o600);
				return new TextDecoder('utf-8', { fatal: true }).decode(readSmallFile(path, MAX_BYTES));
			}),
		remove: (): void => rmSync(dirname(path), { recursive: true, force: true }),
	};
}

/** Opens a file in the editor and waits until it has ended. @returns an error where it did not end well */
async function runEditor(
	editor: string,
	path: string,
	{ env, stdout, signals }: Context,
): Promise<FailedError | undefined> {
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
	return new FailedError(`the editor ${JSON.stringify(editor)} failed: ${problem}; nothing was sent`, {
		code: 'editor_failed',
		hint: 'VISUAL and EDITOR name the editor',
	});
}
