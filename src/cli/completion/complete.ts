/** `supportctl __complete SHELL …`: what the completion scripts call at each press of Tab. Says nothing where it has nothing to say. */

import { ExitCode } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { readQuestion } from './answers.js';
import { offerFor } from './offer.js';
import { createSources } from './sources.js';

/** Never throws: an error message in the middle of somebody's typing helps nobody. */
export async function runCompleter(context: Context, words: readonly string[]): Promise<ExitCode> {
	const question = readQuestion(words[0] ?? '', words.slice(1));
	if (question === undefined) return ExitCode.usage;
	try {
		context.stdout.write(question.answer(await offerFor(question.before, question.current, createSources(context))));
		return ExitCode.ok;
	} catch {
		return ExitCode.failed;
	}
}
