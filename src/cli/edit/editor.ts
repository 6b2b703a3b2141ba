/** The caller's editor, and the private file that it is given. */

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FailedError, fileProblem, UsageError } from '../../errors.js';
import { readSmallFile } from '../../folder.js';
import type { Context } from '../../io/context.js';

const MAX_BYTES = 64 * 1024 * 1024;

/** The command of the editor, as a shell reads it. @throws UsageError where there is none and no terminal */
export function editorOf({ env, prompts }: Pick<Context, 'env' | 'prompts'>): string {
	const editor = env.VISUAL || env.EDITOR;
	if (editor) return editor;
	if (prompts.available) return process.platform === 'win32' ? 'notepad' : 'vi';
	throw new UsageError('there is no terminal for an editor; nothing was sent', {
		code: 'no_editor',
		hint: 'set VISUAL or EDITOR to a command that edits the file without a terminal, or use update with flags',
	});
}

/** A file that only this user can read. */
export class EditFile {
	readonly path: string;

	/** @throws FailedError */
	constructor(name: string, { TMPDIR }: Context['env']) {
		try {
			this.path = join(mkdtempSync(join(TMPDIR || tmpdir(), 'supportctl-edit-')), name);
		} catch (error) {
			throw unusable('the temporary file', error);
		}
	}

	/** @throws FailedError */
	write(text: string): void {
		try {
			writeFileSync(this.path, text, { mode: 0o600 });
		} catch (error) {
			throw unusable(this.path, error);
		}
	}

	/** @throws FailedError */
	read(): string {
		try {
			// An editor may have put another file in its place.
			chmodSync(this.path, 0o600);
			return new TextDecoder('utf-8', { fatal: true }).decode(readSmallFile(this.path, MAX_BYTES));
		} catch (error) {
			throw unusable(this.path, error);
		}
	}

	/** Removes the file and its folder. */
	remove(): void {
		rmSync(dirname(this.path), { recursive: true, force: true });
	}
}

function unusable(what: string, cause: unknown): FailedError {
	return new FailedError(`${what} can't be used: ${fileProblem(cause)}; nothing was sent`, {
		code: 'edit_file',
		cause,
	});
}

/** Opens a file in the editor and waits until it has ended. @throws FailedError where it did not end well */
export async function runEditor(editor: string, path: string, { env, stdout, signals }: Context): Promise<void> {
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
	if (problem === undefined) return;
	throw new FailedError(`the editor ${JSON.stringify(editor)} failed: ${problem}; nothing was sent`, {
		code: 'editor_failed',
		hint: 'VISUAL and EDITOR name the editor',
	});
}
