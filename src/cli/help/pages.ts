/** Pages of help: of a command, from its description, and the pages that list commands. */

import type { ArgumentSpec, CommandSpec, RequestSpec } from '../command.js';
import { type CommandEntry, startsWith } from '../manifest.js';
import { optionBlocks, ownOptions, sharedGroups } from './flags.js';
import { type Block, code, type Entry, entries, heading, type Page, prose } from './page.js';
import { topics } from './topics.js';

/** The whole page of a command; it fits a screen. */
export function commandPage(spec: CommandSpec, words: readonly string[]): Page {
	const shared = sharedGroups(spec.options);
	const more = [
		...(shared.length === 0
			? []
			: [{ name: 'supportctl help flags', text: `Shared: ${shared.join(', ').toLowerCase()}` }]),
		...(takesRows(spec) ? [BULK] : []),
	];
	return [
		...openingBlocks(spec, words),
		...optionBlocks(ownOptions(spec)),
		...(more.length === 0 ? [] : [heading('Learn more'), entries(more)]),
	];
}

const BULK: Entry = { name: 'supportctl help bulk', text: 'Many rows: input, guards, journals' };

/** What a command does, how it is called, its requests, examples and arguments. */
export function openingBlocks(spec: CommandSpec, words: readonly string[]): Block[] {
	return [
		prose(spec.summary),
		...(spec.description ?? '')
			.split(/\n\s*\n/)
			.filter((text) => text !== '')
			.map(prose),
		heading('Usage'),
		code(...usageLines(spec, words)),
		...(spec.requests === undefined ? [] : requestBlocks(spec.requests)),
		...(spec.examples.length === 0 ? [] : [heading('Examples'), code(...spec.examples.flatMap(exampleLines))]),
		...(spec.arguments.length === 0 ? [] : [heading('Arguments'), entries(spec.arguments.map(argumentEntry))]),
	];
}

function usageLines(spec: CommandSpec, words: readonly string[]): string[] {
	const name = ['supportctl', ...words].join(' ');
	const flags = spec.options.length === 0 ? [] : ['[flags]'];
	const lines = [[name, ...spec.arguments.map(argumentText), ...flags].join(' ')];
	if (takesRows(spec)) {
		lines.push(`${name} --input <file> [flags]`);
		const fixed = spec.arguments.slice(0, -1).map(argumentText);
		lines.push(['... |', name, ...fixed, '- [flags]'].join(' '));
	}
	return lines;
}

/** Whether a command takes rows: as arguments, from a file or from stdin. */
function takesRows(spec: CommandSpec): boolean {
	const takesMany = spec.arguments.at(-1)?.variadic === true;
	return takesMany && spec.options.some((option) => option.flags.startsWith('--input '));
}

function argumentText({ name, required, variadic }: ArgumentSpec): string {
	const text = `<${name}>${variadic === true ? '...' : ''}`;
	return required ? text : `[${text}]`;
}

/** Undocumented requests are reads, which not every service has. */
function requestBlocks(requests: readonly RequestSpec[]): Block[] {
	return [
		heading(requests.some(({ documented }) => !documented) ? 'Request (undocumented)' : 'Request'),
		code(...requests.map(({ method, path }) => `${method} /support-api/v1${path}`)),
	];
}

function exampleLines({ command, note }: CommandSpec['examples'][number]): string[] {
	return [`# ${note}`, `$ ${command}`];
}

function argumentEntry({ name, help, choices, suggests }: ArgumentSpec): Entry {
	const values = choices ?? suggests;
	return { name: `<${name}>`, text: values === undefined ? help : `${help}: {${values.join('|')}}` };
}

const INTRODUCTION = 'supportctl edits a help desk from the shell: one ticket, or many thousand from a spreadsheet.';

/** What `supportctl` alone prints: where to begin. */
export const orientation: Page = [
	prose(INTRODUCTION),
	heading('Start'),
	entries([
		{ name: 'supportctl login', text: 'Sign in to your help desk' },
		{ name: 'supportctl sandbox', text: 'Or run a local mock API with sample data' },
	]),
	heading('Then'),
	entries([
		{ name: 'supportctl ticket update 14 --status hold', text: 'Change a ticket' },
		{ name: 'supportctl ticket update --input edits.csv -n', text: 'Show what a file would change' },
		{ name: 'supportctl run resume last', text: 'Resume a run' },
		{ name: 'supportctl doctor', text: 'Check settings, network and credentials' },
	]),
	heading('Learn more'),
	entries([
		{ name: 'supportctl --help', text: 'Every command' },
		{ name: 'supportctl ticket update --help', text: 'Help of a command, with examples' },
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
		prose(
			'"supportctl <command> --help" shows the flags and examples of a command, "supportctl help --json" the whole command tree.',
		),
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
		prose(`"${name} <command> --help" shows the flags and examples of a command.`),
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
