/** A text in the person's editor. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FailedError, fileProblem, interrupted, UsageError } from '../errors.js';
import { PRIVATE } from '../folder.js';
import type { Context } from './context.js';
import { readText } from './files.js';

/** @throws UsageError */
export function findEditor({ env, prompts }: Context): string {
	const editor = env.VISUAL || env.EDITOR;
	if (editor) return editor;
	if (prompts.available) return process.platform === 'win32' ? 'notepad' : 'vi';
	throw new UsageError("can't open an editor without a terminal", {
		code: 'no_editor',
		hint: 'set VISUAL or EDITOR to a command that edits the file by itself, or use update with flags',
	});
}

/** A private file for an editor. A text that was changed is kept until it is dropped. */
export function createDraft(context: Context) {
	let folder: string | undefined;
	let path = '';
	let isKept = false;

	function write(name: string, text: string): void {
		try {
			folder ??= mkdtempSync(join(context.env.TMPDIR || tmpdir(), 'supportctl-edit-'));
			path = join(folder, name);
			writeFileSync(path, text, { mode: PRIVATE });
		} catch (cause) {
			const message = `can't write a temporary file: ${fileProblem(cause)}; nothing was sent`;
			throw new FailedError(message, { code: 'edit_file', cause });
		}
	}

	return {
		kept: (): string | undefined => (isKept ? path : undefined),
		async edit(name: string, text: string, editor: string): Promise<string> {
			write(name, text);
			const wasKept = isKept;
			let now = text;
			try {
				await runEditor(editor, path, context);
			} finally {
				isKept = existsSync(path);
				// An editor may have replaced the file.
				if (isKept) chmodSync(path, PRIVATE);
				now = await readText(path, context);
				isKept = (wasKept || now !== text) && now.trim() !== '';
			}
			return now;
		},
		drop(): void {
			isKept = false;
		},
		close(): void {
			if (!isKept && folder !== undefined) rmSync(folder, { recursive: true, force: true });
		},
	};
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
	const unlisten = signals.listen((signal) => child.kill(signal), true);
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
