/** `help`, `--help` and `supportctl` alone: finds the page that is meant and prints it; with --json the command tree. */

import { didYouMean } from '../../api/suggest.js';
import { ExitCode, UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { openPager } from '../../io/pager.js';
import { loadPalette, wantsColour } from '../../output/colour.js';
import { type CommandEntry, commands, startsWith } from '../manifest.js';
import { helpWidth, type Page, pageText } from './page.js';
import { commandPage, groupPage, orientation, overviewPage } from './pages.js';
import { topics } from './topics.js';

/** Prints the help of a command, a group of commands or a topic; of everything without words. */
export async function runHelp(context: Context, words: readonly string[]): Promise<ExitCode> {
	const path = words.filter((word) => !word.startsWith('-'));
	if (context.argv.includes('--json')) {
		const entries = commands.filter((each) => startsWith(each, path));
		if (entries.length === 0) throw unknownPage(path);
		const { commandTree } = await import('./tree.js');
		context.stdout.write(`${JSON.stringify(await commandTree(entries), null, 2)}\n`);
		return ExitCode.ok;
	}
	await print(context, await findPage(context, path));
	return ExitCode.ok;
}

async function findPage(context: Context, words: readonly string[]): Promise<Page> {
	if (words.length === 0) return context.argv.length === 0 ? orientation : overviewPage(commands);
	const isExact = (each: CommandEntry): boolean => each.words.length === words.length && startsWith(each, words);
	const entry = commands.find(isExact);
	if (entry !== undefined) return commandPage(await entry.load(), entry.words);
	if (commands.some((each) => startsWith(each, words))) return groupPage(commands, words);
	const topic = words.length === 1 ? topics.find((each) => each.name === words[0]) : undefined;
	if (topic === undefined) throw unknownPage(words);
	return topic.page();
}

function unknownPage(words: readonly string[]): UsageError {
	const asked = words.join(' ').slice(0, 80);
	const known = new Set([
		...topics.map((topic) => topic.name),
		...commands.map((entry) => entry.words[0] as string),
		...commands.map((entry) => entry.words.join(' ')),
	]);
	return new UsageError(`there is no help for ${JSON.stringify(asked)}${didYouMean(asked, known)}`, {
		code: 'unknown_topic',
		hint: `topics are ${topics.map((topic) => topic.name).join(', ')}; "supportctl --help" lists the commands`,
	});
}

async function print(context: Context, page: Page): Promise<void> {
	const { stdout, env, argv } = context;
	const flag = argv.includes('--no-color') ? false : undefined;
	const palette = await loadPalette(wantsColour({ flag, env, isTTY: stdout.isTTY }));
	const text = pageText(page, helpWidth(stdout.columns), palette);
	const pager = openPager(context, { enabled: !argv.includes('--no-pager') });
	pager.write(text);
	await pager.end();
}
