/** `help`, `--help` and `supportctl` alone: prints a page; with --json the command tree. */

import { didYouMean } from '../../api/suggest.js';
import { quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { openPager } from '../../io/pager.js';
import { openPalette } from '../../output/colour.js';
import { version } from '../../version.js';
import { type CommandEntry, commands, commandsBelow } from '../manifest.js';
import { helpWidth } from '../wrap.js';
import { code, entry, pageText, parts, section } from './page.js';
import { describeCommand, orientation, topics, topicTexts } from './topics.js';

export async function runHelp(context: Context, words: readonly string[]): Promise<undefined> {
	const { stdout, argv } = context;
	const path = words.filter((word) => word !== 'help' && !word.startsWith('-'));
	const inside = commandsBelow(path);
	if (argv.includes('--json')) {
		const found = inside.length > 0 ? await commandTree(inside) : topicView(path);
		stdout.write(`${JSON.stringify(found, null, 2)}\n`);
		return;
	}
	const text = argv.length === 0 ? orientation : await findPage(path, inside);
	const palette = await openPalette(context, stdout);
	const pager = openPager(context, { enabled: !argv.includes('--no-pager') });
	pager.write(pageText(text, helpWidth(stdout.columns), palette));
	await pager.end();
}

async function commandTree(entries: readonly CommandEntry[]): Promise<object> {
	const { commandView } = await import('./commands.js');
	const codes = topicTexts.get('exit-codes')?.matchAll(/^- `(\d+)`: (.*)$/gm) ?? [];
	return {
		name: 'supportctl',
		version,
		commands: await Promise.all(entries.map(commandView)),
		topics,
		exitCodes: [...codes].map(([, number, meaning]) => ({ code: Number(number), meaning })),
	};
}

function topicView(path: readonly string[]): object {
	const topic = topics.find(({ name }) => name === path.join(' '));
	if (topic === undefined) throw unknownPage(path);
	return { ...topic, text: topicTexts.get(topic.name) };
}

async function findPage(path: readonly string[], inside: readonly CommandEntry[]): Promise<string> {
	const [first] = inside;
	if (first?.words.length === path.length) {
		return (await import('./commands.js')).commandPage(first, await first.load());
	}
	if (first !== undefined) return listPage(path, inside);
	const topic = path.join(' ');
	const text = topicTexts.get(topic);
	if (text === undefined) throw unknownPage(path);
	return topic === 'flags' ? parts(text, (await import('./commands.js')).sharedFlags()) : text;
}

function unknownPage(path: readonly string[]): UsageError {
	const asked = path.join(' ');
	const names = topics.map(({ name }) => name);
	const known = [...names, ...commands.flatMap(({ words }) => [words[0] ?? '', words.join(' ')])];
	const pages = pagesAbout(asked).slice(0, MOST_PAGES);
	const found = pages.length === 0 ? '' : `see: ${pages.map((page) => `supportctl help ${page}`).join(', ')}; `;
	const all = `topics: ${names.join(', ')}; for commands: supportctl --help`;
	return new UsageError(`unknown help topic ${quote(asked)}${didYouMean(asked, known)}`, {
		code: 'unknown_topic',
		hint: `${found}${all}`,
	});
}

const MOST_PAGES = 3;

/** Commands with the word in their name, and the topics that mention it, most often first. */
function pagesAbout(asked: string): string[] {
	const word = asked.toLowerCase().replace(/s$/, '');
	const isIt = (each: string): boolean => each === word || each === `${word}s`;
	const named = commands.filter(({ words }) => words.some(isIt)).map(({ words }) => words.join(' '));
	if (!/^[\w-]{3,}$/.test(word)) return named;
	const mention = new RegExp(`\\b${word}s?\\b`, 'gi');
	const counts = [...topicTexts].map(([name, text]) => ({ name, count: text.match(mention)?.length ?? 0 }));
	const mentioned = counts.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
	return [...named, ...mentioned.map(({ name }) => name)];
}

function listPage(path: readonly string[], inside: readonly CommandEntry[]): string {
	const name = ['supportctl', ...path].join(' ');
	const usage = section('Usage', code([`${name} <command> [arguments] [flags]`]));
	const described = inside.map(({ words }) => ({ name: words.join(' '), ...describeCommand(words) }));
	const groups = [...new Set(described.map(({ group }) => group))].map((group) => {
		const own = described.filter((each) => each.group === group);
		return section(group, own.map((each) => entry(each.name, each.summary)).join('\n'));
	});
	const more = `Use "${name} <command> --help" for flags and examples`;
	if (path.length > 0) {
		return parts(`Commands for ${path.join(' ')}.`, usage, ...groups, section('Learn more', `${more}.`));
	}
	const examples = [
		'$ supportctl ticket update 14 15 --status hold --assignee 7',
		'$ supportctl ticket update --input edits.csv --dry-run',
		'$ supportctl user delete 31 --reassign 7',
	];
	return parts(
		'Work with your help desk from the command line, one ticket or thousands.',
		usage,
		...groups,
		section('Examples', code(examples)),
		section('Help topics', topics.map((topic) => entry(`help ${topic.name}`, topic.summary)).join('\n')),
		section('Learn more', `${more}, and "supportctl help --json" for the whole command tree.`),
	);
}
