/** Runs one command in the test's process, from its words to its exit code or the error that main would print. */

import type { CommandSpec } from '../../src/cli/command.js';
import type { SupportctlError } from '../../src/errors.js';
import { type MemoryContext, type MemoryOptions, memoryContext } from './context.js';
import { parseWords } from './parse-words.js';
import { noteCommand } from './ran.js';

export interface CommandResult {
	/** The exit code that the command returned, or that of the error it threw. */
	exitCode: number;
	error: SupportctlError | undefined;
	stdout: string;
	stderr: string;
	context: MemoryContext;
}

/** `words` are the command's own, `argv` what follows them. */
export async function runCommand(
	command: CommandSpec,
	words: string,
	argv: readonly string[],
	options: MemoryOptions = {},
): Promise<CommandResult> {
	const context = memoryContext({ ...options, argv: [...words.split(' '), ...argv] });
	function finish(exitCode: number, error?: SupportctlError): CommandResult {
		const { text: stderr } = context.stderr;
		noteCommand(context.argv, { exitCode, stderr: `${stderr}${error?.message ?? ''}` });
		return { exitCode, error, stdout: context.stdout.text, stderr, context };
	}
	try {
		const line = parseWords(command, words.split(' '), argv);
		return finish((await command.run({ context, args: line.args, options: line.options })) ?? 0);
	} catch (error) {
		if (typeof (error as SupportctlError).exitCode !== 'number') throw error;
		return finish((error as SupportctlError).exitCode, error as SupportctlError);
	}
}
