/** The pages that list commands: the orientation of `supportctl` alone, the overview of `--help`, and groups such as `ticket`. */

import { type CommandEntry, startsWith } from '../manifest.js';
import type { Entry } from './layout.js';
import { type Block, code, entries, heading, type Page, prose } from './page.js';
import { topics } from './topics.js';

const INTRODUCTION =
	'supportctl edits a help desk from the shell: one ticket, or a hundred thousand from a spreadsheet.';

/** What `supportctl` alone prints: where to begin. */
export const orientation: Page = [
	prose(INTRODUCTION),
	heading('Begin'),
	entries([
		{ name: 'supportctl login', text: 'Sign in to your desk' },
		{ name: 'supportctl sandbox', text: 'Or try everything on a made-up desk in memory' },
	]),
	heading('Then'),
	entries([
		{ name: 'supportctl ticket update 14 --status hold', text: 'Change a ticket' },
		{ name: 'supportctl ticket update --input edits.csv -n', text: 'See what a sheet would change' },
		{ name: 'supportctl run resume last', text: 'Continue a stopped run' },
		{ name: 'supportctl doctor', text: 'Find out why nothing works' },
	]),
	heading('Find out more'),
	entries([
		{ name: 'supportctl --help', text: 'Every command' },
		{ name: 'supportctl ticket update --help', text: 'What a command takes, with examples' },
		{ name: 'supportctl help bulk', text: 'Many rows: input, guards, journals' },
	]),
];

/** Every command under its heading. */
export function overviewPage(commands: readonly CommandEntry[]): Page {
	return [
		prose(INTRODUCTION),
		heading('Usage'),
		code('supportctl <command> [arguments] [flags]'),
		...commandLists(commands),
		heading('Examples'),
		code(
			'$ supportctl ticket update 14 15 --status hold --assignee 7',
			'$ supportctl ticket update --input edits.csv --dry-run',
			'$ supportctl user delete 31 --reassign 7',
		),
		heading('Help topics'),
		entries(topics.map(({ name, summary }) => ({ name: `help ${name}`, text: summary }))),
		heading('Learn more'),
		prose('"supportctl <command> --help" shows what a command takes. "supportctl --version" prints the version.'),
	];
}

/** The commands below some words: `ticket`, `ticket fields`. */
export function groupPage(commands: readonly CommandEntry[], words: readonly string[]): Page {
	const name = ['supportctl', ...words].join(' ');
	const inside = commands.filter((entry) => startsWith(entry, words));
	return [
		prose(`Commands for ${words.join(' ')}.`),
		heading('Usage'),
		code(`${name} <command> [arguments] [flags]`),
		heading('Commands'),
		entries(inside.map(commandEntry)),
		heading('Learn more'),
		prose(`"${name} <command> --help" shows what a command takes.`),
	];
}

function commandLists(commands: readonly CommandEntry[]): Block[] {
	const groups = new Set(commands.map((entry) => entry.group));
	return [...groups].flatMap((group) => [
		heading(group),
		entries(commands.filter((entry) => entry.group === group).map(commandEntry)),
	]);
}

function commandEntry(entry: CommandEntry): Entry {
	return { name: entry.words.join(' '), text: entry.summary };
}
