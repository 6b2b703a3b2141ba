/** `help`, `--help` and `supportctl` alone: finds the page that is meant and prints it. */

import { didYouMean } from '../../api/suggest.js';
import { ExitCode, UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { loadPalette, wantsColour } from '../../output/colour.js';
import { commands, startsWith } from '../manifest.js';
import { helpWidth } from './layout.js';
import { type Page, pageText, readPage } from './page.js';
import { topics } from './topics.js';

/** Prints the help of a command, a group of commands or a topic; of everything without words. */
export async function runHelp(context: Context, words: readonly string[]): Promise<ExitCode> {
	return print(
		context,
		await findPage(
			context,
			words.filter((word) => !word.startsWith('-')),
		),
	);
}

async function findPage(context: Context, words: readonly string[]): Promise<Page> {
	if (words.length === 0) {
		const { orientation, overviewPage } = await import('./overview.js');
		return context.argv.length === 0 ? orientation : overviewPage(commands);
	}
	const entry = commands.find((each) => each.words.length === words.length && startsWith(each, words));
	if (entry !== undefined) {
		const [{ command }, { commandPage }] = await Promise.all([entry.load(), import('./command-page.js')]);
		return commandPage(command, entry.words);
	}
	if (commands.some((each) => startsWith(each, words))) {
		return (await import('./overview.js')).groupPage(commands, words);
	}
	const topic = words.length === 1 ? topics.find((each) => each.name === words[0]) : undefined;
	if (topic === undefined) throw unknownPage(words);
	return readPage((await topic.load()).text);
}

function unknownPage(words: readonly string[]): UsageError {
	const asked = words.join(' ').slice(0, 80);
	const groups = commands.map((entry) => entry.words[0] as string);
	const known = new Set([
		...topics.map((topic) => topic.name),
		...groups,
		...commands.map((entry) => entry.words.join(' ')),
	]);
	return new UsageError(`there is no help for ${JSON.stringify(asked)}${didYouMean(asked, known)}`, {
		code: 'unknown_topic',
		hint: `Topics are ${topics.map((topic) => topic.name).join(', ')}; "supportctl --help" lists the commands`,
	});
}

async function print(context: Context, page: Page): Promise<ExitCode> {
	const { stdout, env, argv } = context;
	const flag = argv.includes('--no-color') ? false : undefined;
	const palette = await loadPalette(wantsColour({ flag, env, isTTY: stdout.isTTY }));
	stdout.write(pageText(page, helpWidth(stdout.columns), palette));
	return ExitCode.ok;
}
