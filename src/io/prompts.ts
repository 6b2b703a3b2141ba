/** Questions on a terminal, asked on stderr so that stdout stays clean for results. */

import inquirer from 'inquirer';
import { PromptInterrupted, type Prompts } from './context.js';

/** Calls back once for Ctrl-D, or when the terminal goes away; inquirer would wait for ever. */
function onEndOfInput(callback: () => void): () => void {
	const onKey = (_text: string | undefined, key: { ctrl?: boolean; name?: string } | undefined): void => {
		if (key?.ctrl === true && key.name === 'd') callback();
	};
	process.stdin.on('keypress', onKey);
	process.stdin.once('end', callback);
	return () => {
		process.stdin.off('keypress', onKey);
		process.stdin.off('end', callback);
	};
}

/** Runs one inquirer question; Ctrl-C, Ctrl-D and a closed terminal become PromptInterrupted. */
async function ask<T>(question: Record<string, unknown>): Promise<T> {
	const stop = new AbortController();
	const done = onEndOfInput(() => stop.abort());
	try {
		const prompt = inquirer.createPromptModule({ output: process.stderr, signal: stop.signal });
		const answers = await prompt([{ ...question, name: 'answer' }] as never);
		return (answers as { answer: T }).answer;
	} catch (error) {
		if (error instanceof Error && /^(ExitPromptError|AbortPromptError|CancelPromptError)$/.test(error.name)) {
			throw new PromptInterrupted();
		}
		throw error;
	} finally {
		done();
	}
}

export function createTerminalPrompts(): Prompts {
	return {
		available: true,
		text: (message, options = {}) =>
			ask<string>({ type: 'input', message, default: options.initial, validate: options.check ?? (() => true) }),
		secret: (message) => ask<string>({ type: 'password', message, mask: false, toggleMask: false }),
		choice: (message, choices, initial) =>
			ask<string>({
				type: 'select',
				message,
				default: initial,
				choices: choices.map(({ value, label }) => ({ value, name: label })),
			}),
		confirm: (message) => ask<boolean>({ type: 'confirm', message, default: false }),
	};
}
