/** What help shows of a command: its page, its flags, and the same as JSON for programs. */

import { ticketStatuses } from '../../api/fields.js';
import { ExitCode } from '../../errors.js';
import type { ArgumentSpec, CommandSpec } from '../command.js';
import type { CommandEntry } from '../manifest.js';
import { longFlag, type OptionSpec, shortFlag, takesValue } from '../options/option.js';
import { connectionOptions, guardOptions, outputOptions, tuningOptions } from '../options/shared.js';
import { checkOptions, ignoreMissingOptions, inputOptions, journalOptions, stopOptions } from '../runs/options.js';
import { parts, section, typed } from './page.js';

/** Flags that mean the same for every command that takes them, by the heading under which help lists them. */
const sharedOptions: readonly OptionSpec[] = [
	...inputOptions,
	...checkOptions,
	...ignoreMissingOptions,
	...guardOptions,
	...tuningOptions,
	...stopOptions,
	...journalOptions,
	...outputOptions,
	...connectionOptions,
];

/** Which commands take the flags of a heading. */
const TAKEN_BY: Readonly<Record<string, string>> = {
	Input: 'Commands that take many ids or rows.',
	Checks: 'Updates; --verify, --if and --snapshot also deletes, --ignore-missing deletes alone.',
	Guards: 'Commands that write; --dry-run also reads of many ids, --yes only what asks: deletes and run commands.',
	Run: 'Commands that take many ids or rows, and run resume, retry and undo.',
	Output: 'Every command that prints results.',
	Connection: 'Every command that sends requests.',
};

const isShared = ({ flags, help }: OptionSpec): boolean =>
	sharedOptions.some((each) => each.flags === flags && each.help === help);

const groupsOf = (options: readonly OptionSpec[]): string[] => [...new Set(options.map(({ group }) => group))];

/** The headings of "help flags" of which a command takes at least half of the flags. */
export function sharedGroups({ options }: Pick<CommandSpec, 'options'>): string[] {
	const count = (list: readonly OptionSpec[], group: string): number =>
		list.filter((option) => option.group === group && isShared(option)).length;
	return groupsOf(sharedOptions).filter((group) => count(options, group) * 2 >= count(sharedOptions, group));
}

/** The flags that the help of a command shows: all but those of such a heading. */
export function ownOptions(spec: Pick<CommandSpec, 'options'>): OptionSpec[] {
	const shared = sharedGroups(spec);
	return spec.options.filter((option) => !isShared(option) || !shared.includes(option.group));
}

/** Flags under their headings; those without a short form line up with those that have one. */
export function flagLists(options: readonly OptionSpec[], notes: Readonly<Record<string, string>> = {}): string {
	const lists = groupsOf(options).map((group) => {
		const inside = options.filter((option) => option.group === group);
		const indent = inside.some(({ flags }) => !flags.startsWith('--')) ? '    ' : '';
		const line = (option: OptionSpec): string =>
			`${option.flags.startsWith('--') ? indent : ''}${option.flags} :: ${flagText(option)}`;
		return section(group, parts(notes[group] ?? '', inside.map(line).join('\n')));
	});
	return parts(...lists);
}

function flagText({ flags, help, choices, suggests, repeatable, defaultText }: OptionSpec): string {
	const values = choices ?? suggests ?? [];
	let text = help.charAt(0).toUpperCase() + help.slice(1);
	if (values === ticketStatuses) text += ' (supportctl help statuses)';
	// `<true|false>` shows its values itself.
	else if (values.length > 0 && !flags.includes(values.join('|'))) text += `: {${values.join('|')}}`;
	if (repeatable === true) text += ' (repeatable)';
	return defaultText === undefined ? text : `${text} (default: ${defaultText})`;
}

/** The shared flags under their headings. */
export const sharedFlags = (): string => flagLists(sharedOptions, TAKEN_BY);

type CommandTitle = Pick<CommandEntry, 'words' | 'summary'>;

/** What a command does, how it is called, its requests, examples, arguments and own flags. */
export function commandText({ words, summary }: CommandTitle, spec: CommandSpec): string {
	const name = ['supportctl', ...words].join(' ');
	const flags = spec.options.length === 0 ? [] : ['[flags]'];
	const given = spec.arguments.map(argumentText);
	const usage = [[name, ...given, ...flags].join(' ')];
	if (takesRows(spec)) {
		usage.push(`${name} --input <file> [flags]`, ['... |', name, ...given.slice(0, -1), '- [flags]'].join(' '));
	}
	const requests = spec.requests ?? [];
	// Undocumented requests are reads, which not every service has.
	const isDocumented = requests.every(({ documented }) => documented);
	const argumentLines = spec.arguments.map((argument) => {
		const values = argument.choices ?? argument.suggests;
		return `<${argument.name}> :: ${argument.help}${values === undefined ? '' : `: {${values.join('|')}}`}`;
	});
	return parts(
		`${summary}.`,
		spec.description ?? '',
		section('Usage', typed(usage)),
		section(
			isDocumented ? 'Request' : 'Request (undocumented)',
			typed(requests.map(({ method, path }) => `${method} /support-api/v1${path}`)),
		),
		section(
			'Examples',
			typed(Object.entries(spec.examples).flatMap(([command, note]) => [`# ${note}`, `$ ${command}`])),
		),
		section('Arguments', argumentLines.join('\n')),
		flagLists(ownOptions(spec)),
	);
}

/** The whole page of a command; it fits a screen. */
export function commandPage(title: CommandTitle, spec: CommandSpec): string {
	const shared = sharedGroups(spec).join(', ').toLowerCase();
	const more = [
		...(shared === '' ? [] : [`supportctl help flags :: Shared: ${shared}`]),
		...(takesRows(spec) ? ['supportctl help bulk :: Many rows: input, guards, journals'] : []),
	];
	return parts(commandText(title, spec), section('Learn more', more.join('\n')));
}

/** Whether a command takes rows: as arguments, from a file or from stdin. */
const takesRows = ({ arguments: given, options }: CommandSpec): boolean =>
	given.at(-1)?.variadic === true && options.some(({ flags }) => flags.startsWith('--input '));

function argumentText({ name, required, variadic }: ArgumentSpec): string {
	const text = `<${name}>${variadic === true ? '...' : ''}`;
	return required ? text : `[${text}]`;
}

/** A command with all that help shows of it, for programs. */
export async function commandView({ words, summary, group, load }: CommandEntry): Promise<object> {
	const spec = await load();
	const own = ownOptions(spec);
	return {
		name: words.join(' '),
		summary,
		description: spec.description,
		group,
		requests: spec.requests ?? [],
		arguments: spec.arguments.map((each) => ({ ...each, variadic: each.variadic === true, completes: undefined })),
		flags: spec.options.map((option) => flagView(option, !own.includes(option))),
		examples: Object.entries(spec.examples).map(([command, note]) => ({ command, note })),
		exitCodes: exitCodesOf(spec),
	};
}

function flagView(option: OptionSpec, shared: boolean): object {
	return {
		name: longFlag(option),
		short: shortFlag(option),
		type: typeOf(option),
		placeholder: takesValue(option) ? /<[^>]*>/.exec(option.flags)?.[0] : undefined,
		help: option.help,
		group: option.group,
		shared,
		repeatable: option.repeatable === true,
		choices: option.choices,
		suggests: option.suggests,
		default: option.defaultText,
		conflicts: option.conflicts?.map((name) => `--${name}`),
	};
}

/** `flag` takes no value, `optional` one behind `=` alone. */
function typeOf(option: OptionSpec): string {
	if (option.counted === true) return 'count';
	if (option.bare !== undefined) return 'optional';
	if (!takesValue(option)) return 'flag';
	if (/<(?:n|ms|seconds|p)>/.test(option.flags)) return 'number';
	return /<(?:[a-z]+\|)*file>/.test(option.flags) ? 'file' : 'string';
}

function exitCodesOf({ exitCodes: own, requests, options }: CommandSpec): readonly number[] {
	if (own !== undefined) return own;
	const { ok, failed, usage, partial, refused, unknown, differs, interrupted } = ExitCode;
	if (requests === undefined) {
		const connects = options.some((option) => longFlag(option) === '--base-url');
		return connects ? [ok, failed, usage, refused, interrupted] : [ok, failed, usage, interrupted];
	}
	const writes = requests.some(({ method }) => method !== 'GET');
	return [ok, failed, usage, partial, refused, unknown, ...(writes ? [differs] : []), interrupted];
}
