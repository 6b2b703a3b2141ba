/** `help`, `--help` and `supportctl` alone: prints a page; with --json the command tree. */

import { didYouMean } from '../../api/suggest.js';
import { ExitCode, UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { openPager } from '../../io/pager.js';
import { openPalette } from '../../output/colour.js';
import { version } from '../../version.js';
import { type CommandEntry, commands, commandsBelow } from '../manifest.js';
import { helpWidth, pageText, parts, section, typed } from './page.js';

export const topics = {
	agents: 'Use supportctl from programs and agents',
	bulk: 'Edit many objects: input, checks, resume, undo',
	environment: 'Environment variables',
	'exit-codes': 'Exit codes',
	flags: 'Flags shared by many commands',
	formats: 'Output formats, columns and queries',
	plan: 'Plan, review and apply changes',
	profiles: 'Profiles, settings and secrets',
	safety: 'What protects you from mistakes',
	statuses: 'Ticket statuses',
};

export async function runHelp(context: Context, words: readonly string[]): Promise<ExitCode> {
	const { stdout, argv } = context;
	const path = words.filter((word) => word !== 'help' && !word.startsWith('-'));
	const inside = commandsBelow(path);
	if (argv.includes('--json')) {
		if (inside.length === 0) throw unknownPage(path);
		const [{ commandView }, { texts }] = await Promise.all([import('./commands.js'), import('./topics.js')]);
		const tree = {
			name: 'supportctl',
			version,
			commands: await Promise.all(inside.map(commandView)),
			topics: Object.entries(topics).map(([name, summary]) => ({ name, summary })),
			exitCodes: [...texts['exit-codes'].matchAll(/^- `(\d+)`: (.*)$/gm)].map(([, code, meaning]) => ({
				code: Number(code),
				meaning,
			})),
		};
		stdout.write(`${JSON.stringify(tree, null, 2)}\n`);
		return ExitCode.ok;
	}
	const text = argv.length === 0 ? orientation : await findPage(path, inside);
	const palette = await openPalette(context, stdout.isTTY, argv.includes('--no-color'));
	const pager = openPager(context, { enabled: !argv.includes('--no-pager') });
	pager.write(pageText(text, helpWidth(stdout.columns), palette));
	await pager.end();
	return ExitCode.ok;
}

async function findPage(path: readonly string[], inside: readonly CommandEntry[]): Promise<string> {
	const [entry] = inside;
	if (entry?.words.length === path.length) {
		return (await import('./commands.js')).commandPage(entry, await entry.load());
	}
	if (entry !== undefined) return listPage(path, inside);
	const topic = path.join(' ');
	if (topic === 'flags' || topic === 'statuses') return (await import('./commands.js')).madeTopics[topic]();
	const { texts } = await import('./topics.js');
	if (!Object.hasOwn(texts, topic)) throw unknownPage(path);
	return texts[topic as keyof typeof texts];
}

function unknownPage(path: readonly string[]): UsageError {
	const asked = path.join(' ').slice(0, 80);
	const names = Object.keys(topics);
	const known = [...names, ...commands.flatMap(({ words }) => [words[0] as string, words.join(' ')])];
	return new UsageError(`unknown help topic ${JSON.stringify(asked)}${didYouMean(asked, known)}`, {
		code: 'unknown_topic',
		hint: `topics: ${names.join(', ')}; for commands: supportctl --help`,
	});
}

const INTRODUCTION = 'Work with your help desk from the command line, one ticket or thousands.';

export const orientation = `${INTRODUCTION}

## Start
supportctl login :: Sign in to your help desk
supportctl sandbox :: Or try it with a local mock API

## Use
supportctl ticket list :: List tickets
supportctl ticket update 14 --status hold :: Update a ticket
supportctl ticket update --input edits.csv -n :: Preview the changes in a file
supportctl run resume last :: Resume a run
supportctl doctor :: Find out why something isn't working

## Learn more
supportctl --help :: List all commands
supportctl ticket update --help :: Show help and examples for a command
supportctl help bulk :: Edit many objects`;

/** All commands come with topics and examples. */
function listPage(path: readonly string[], inside: readonly CommandEntry[]): string {
	const isAll = path.length === 0;
	const name = ['supportctl', ...path].join(' ');
	const groups = [...new Set(inside.map(({ group }) => group))].map((group) => {
		const entries = inside.filter((each) => each.group === group);
		return section(group, entries.map(({ words, summary }) => `${words.join(' ')} :: ${summary}`).join('\n'));
	});
	const examples = [
		'$ supportctl ticket update 14 15 --status hold --assignee 7',
		'$ supportctl ticket update --input edits.csv --dry-run',
		'$ supportctl user delete 31 --reassign 7',
	];
	const more = `Use "${name} <command> --help" for flags and examples`;
	return parts(
		isAll ? INTRODUCTION : `Commands for ${path.join(' ')}.`,
		section('Usage', typed([`${name} <command> [arguments] [flags]`])),
		...groups,
		isAll ? section('Examples', typed(examples)) : '',
		isAll
			? section(
					'Help topics',
					Object.entries(topics)
						.map((each) => `help ${each.join(' :: ')}`)
						.join('\n'),
				)
			: '',
		section('Learn more', isAll ? `${more}, and "supportctl help --json" for the whole command tree.` : `${more}.`),
	);
}
