/** Questions on a terminal, asked on stderr so that stdout stays clean for results. */

import inquirer from 'inquirer';
import { PromptInterrupted, type Prompts } from './context.js';

/** Runs one inquirer question; Ctrl-C and a closed terminal become PromptInterrupted. */
async function ask<T>(question: Record<string, unknown>): Promise<T> {
	try {
		const prompt = inquirer.createPromptModule({ output: process.stderr });
		const answers = await prompt([{ ...question, name: 'answer' }] as never);
		return (answers as { answer: T }).answer;
	} catch (error) {
		if (error instanceof Error && /^(ExitPromptError|AbortPromptError|CancelPromptError)$/.test(error.name)) {
			throw new PromptInterrupted();
		}
		throw error;
	}
}

export function createTerminalPrompts(): Prompts {
	return {
		available: true,
		text: (message, options = {}) =>
			ask<string>({ type: 'input', message, default: options.initial, validate: options.check ?? (() => true) }),
		secret: (message) => ask<string>({ type: 'password', message, mask: false }),
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
