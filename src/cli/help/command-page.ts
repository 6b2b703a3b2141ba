/** A command's help, made from its description: what it does, how it is called, examples, fields, flags. */

import { ticketStatuses, ticketStatusGroups } from '../../api/statuses.js';
import type { ArgumentSpec, CommandSpec } from '../command.js';
import type { OptionSpec } from '../options/option.js';
import type { Entry } from './layout.js';
import { type Block, code, entries, heading, type Page, prose } from './page.js';

/** Longer lists of values have a section of their own. */
const SHORT_LIST = 60;

/** The whole page of a command. */
export function commandPage(spec: CommandSpec, words: readonly string[]): Page {
	return [
		...openingBlocks(spec, words),
		...optionBlocks(spec.options),
		heading('Learn more'),
		entries(furtherReading(spec, words)),
	];
}

/** What a command does, how it is called, examples, arguments. */
export function openingBlocks(spec: CommandSpec, words: readonly string[]): Block[] {
	return [
		prose(spec.summary),
		...(spec.description ?? '')
			.split(/\n\s*\n/)
			.filter((text) => text !== '')
			.map(prose),
		heading('Usage'),
		code(...usageLines(spec, words)),
		...(spec.examples.length === 0 ? [] : [heading('Examples'), ...exampleBlocks(spec)]),
		...(spec.arguments.length === 0 ? [] : [heading('Arguments'), entries(spec.arguments.map(argumentEntry))]),
	];
}

/** Flags under their headings, long lists of values below the heading of their flag. */
export function optionBlocks(options: readonly OptionSpec[]): Block[] {
	return groupsOf(options).flatMap(([group, inside]) => [
		heading(group),
		entries(inside.map(optionEntry)),
		...inside.flatMap(valueBlocks),
	]);
}

function usageLines(spec: CommandSpec, words: readonly string[]): string[] {
	const name = ['supportctl', ...words].join(' ');
	const lines = [[name, ...spec.arguments.map(argumentText), '[flags]'].join(' ')];
	if (takesInput(spec)) {
		lines.push(`${name} --input <file> [flags]`);
		const fixed = spec.arguments.slice(0, -1).map(argumentText);
		lines.push(['... |', name, ...fixed, '- [flags]'].join(' '));
	}
	return lines;
}

/** Whether a command takes rows: as arguments, from a file or from stdin. */
function takesInput(spec: CommandSpec): boolean {
	const takesMany = spec.arguments.at(-1)?.variadic === true;
	return takesMany && spec.options.some((option) => option.flags.startsWith('--input '));
}

function argumentText({ name, required, variadic }: ArgumentSpec): string {
	const text = `<${name}>${variadic === true ? '...' : ''}`;
	return required ? text : `[${text}]`;
}

function exampleBlocks(spec: CommandSpec): Block[] {
	return [
		code(
			...spec.examples.flatMap(({ command, note }, index) => [
				...(index === 0 ? [] : ['']),
				`# ${note}`,
				`$ ${command}`,
			]),
		),
	];
}

function argumentEntry(argument: ArgumentSpec): Entry {
	const { name, help, choices, suggests } = argument;
	const values = choices ?? suggests;
	return { name: `<${name}>`, text: values === undefined ? help : `${help}: {${values.join('|')}}` };
}

/** Options by their heading, in the order in which the headings first come. */
function groupsOf(options: readonly OptionSpec[]): [string, OptionSpec[]][] {
	const groups = new Map<string, OptionSpec[]>();
	for (const option of options) {
		const group = groups.get(option.group);
		if (group === undefined) groups.set(option.group, [option]);
		else group.push(option);
	}
	return [...groups];
}

function valuesOf(option: OptionSpec): readonly string[] {
	return option.choices ?? option.suggests ?? [];
}

function isLong(values: readonly string[]): boolean {
	return values.join('|').length > SHORT_LIST;
}

function optionEntry(option: OptionSpec): Entry {
	const values = valuesOf(option);
	let text = capital(option.help);
	if (values.length > 0 && !alreadyNamed(option.flags, values)) {
		text += isLong(values) ? ' (values below)' : `: {${values.join('|')}}`;
	}
	if (option.repeatable === true) text += ' (may be repeated)';
	if (option.defaultText !== undefined) text += ` (default: ${option.defaultText})`;
	// Flags without a short form line up with those that have one.
	return { name: option.flags.startsWith('--') ? `    ${option.flags}` : option.flags, text };
}

/** `<true|false>` says its values itself. */
function alreadyNamed(flags: string, values: readonly string[]): boolean {
	return flags.includes(values.join('|'));
}

function capital(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

const STATUS_GROUPS: Record<keyof typeof ticketStatusGroups, string> = {
	general: 'General',
	shop: 'Shop orders',
	membership: 'Memberships',
};

/** The section that a long list of values has. */
function valueBlocks(option: OptionSpec): Block[] {
	const values = valuesOf(option);
	if (!isLong(values)) return [];
	const flag = /--[a-z-]+/.exec(option.flags)?.[0] ?? option.flags;
	const title = heading(`Values of ${flag}`);
	if (values !== ticketStatuses) return [title, prose(values.join(', '))];
	const groups = Object.entries(STATUS_GROUPS).map(([group, name]) => ({
		name,
		text: ticketStatusGroups[group as keyof typeof STATUS_GROUPS].join(', '),
	}));
	return [title, entries(groups)];
}

const READING: Record<string, Entry> = {
	bulk: { name: 'supportctl help bulk', text: 'Many rows: input, guards, journals, more than one machine' },
	profiles: { name: 'supportctl help profiles', text: 'Where settings and secrets live' },
	formats: { name: 'supportctl help formats', text: 'Output formats, --fields, --query' },
	'exit-codes': { name: 'supportctl help exit-codes', text: 'What the exit code says' },
};

/** Topics that go with a command, by its first word where it takes no rows. */
const TOPIC_OF: Record<string, string> = { run: 'bulk', login: 'profiles', logout: 'profiles', profile: 'profiles' };

function furtherReading(spec: CommandSpec, words: readonly string[]): Entry[] {
	const own = takesInput(spec) ? 'bulk' : TOPIC_OF[words[0] as string];
	const names = [...(own === undefined ? [] : [own]), 'formats', 'exit-codes'];
	return names.map((name) => READING[name] as Entry);
}
