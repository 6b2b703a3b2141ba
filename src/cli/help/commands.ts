/** The help page of a command, also as JSON. */

import { ticketStatuses } from '../../api/statuses.js';
import { ExitCode } from '../../errors.js';
import { capitalized } from '../../text.js';
import type { CommandSpec } from '../command.js';
import type { CommandEntry } from '../manifest.js';
import { longName, type OptionSpec, shownOptions } from '../options/option.js';
import { allOptions } from '../runs/options.js';
import { code, entry, parts, section } from './page.js';
import { describeCommand } from './topics.js';

/** Groups of flags that many commands take. */
const shared = Object.entries({
	Input: 'For commands that accept many IDs or rows.',
	Checks: 'For updates. Deletes accept --verify, --if, --no-snapshot and --ignore-missing.',
	Guards: 'For writes. Reads of many IDs accept --dry-run.',
	Run: 'For commands that accept many IDs or rows; the first of them also work with run resume, retry and undo.',
	Output: 'For commands that print results.',
	Connection: 'For commands that send requests.',
}).map(([group, takenBy]) => ({
	group,
	takenBy,
	flags: shownOptions(allOptions).filter((each) => each.group === group),
}));

/** A command's own page leaves out groups of which it has at least half. */
export function splitOptions(options: readonly OptionSpec[]) {
	const left = shared.filter(({ flags }) => flags.filter((each) => options.includes(each)).length * 2 >= flags.length);
	const hidden: readonly OptionSpec[] = left.flatMap(({ flags }) => flags);
	return { own: options.filter((option) => !hidden.includes(option)), groups: left.map(({ group }) => group) };
}

function flagList(group: string, options: readonly OptionSpec[], note = ''): string {
	const listed = options.filter((option) => option.group === group);
	const lines = listed.map(({ flags, help, choices, suggests, repeatable, defaultText }) => {
		const values = choices ?? suggests ?? [];
		let text = capitalized(help);
		if (values === ticketStatuses) text += ' (supportctl help statuses)';
		// `<true|false>` says it.
		else if (values.length > 0 && !flags.includes(values.join('|'))) text += `: {${values.join('|')}}`;
		if (repeatable === true) text += ' (repeatable)';
		if (defaultText !== undefined) text += ` (default: ${defaultText})`;
		return entry(flags, text);
	});
	return section(group, parts(note, lines.join('\n')));
}

export const sharedFlags = (): string =>
	parts(...shared.map(({ group, flags, takenBy }) => flagList(group, flags, takenBy)));

function usageOf(name: string, { arguments: specs, options }: CommandSpec): string[] {
	const given = specs.map((each) => {
		const text = `<${each.name}>${each.variadic === true ? '...' : ''}`;
		return each.required ? text : `[${text}]`;
	});
	const usage = [name, ...given, ...(options.length === 0 ? [] : ['[flags]'])].join(' ');
	if (!takesRows(options)) return [usage];
	return [usage, `${name} --input <file> [flags]`, ['... |', name, ...given.slice(0, -1), '- [flags]'].join(' ')];
}

const takesRows = (options: readonly OptionSpec[]): boolean => splitOptions(options).groups.includes('Input');

export function commandText({ words }: CommandEntry, spec: CommandSpec): string {
	const { summary, description, examples } = describeCommand(words);
	const requests = spec.requests ?? [];
	const { own } = splitOptions(shownOptions(spec.options));
	const groups = [...new Set(own.map(({ group }) => group))];
	const argumentLines = spec.arguments.map(({ name, help, choices, suggests }) => {
		const values = choices ?? suggests;
		return entry(`<${name}>`, help + (values === undefined ? '' : `: {${values.join('|')}}`));
	});
	return parts(
		`${summary}.`,
		description,
		section('Usage', code(usageOf(['supportctl', ...words].join(' '), spec))),
		section(
			requests.every(({ documented }) => documented) ? 'Request' : 'Request (undocumented)',
			code(requests.map(({ method, path }) => `${method} /support-api/v1${path}`)),
		),
		section('Examples', code(examples.flatMap(({ command, note }) => [`# ${note}`, `$ ${command}`]))),
		section('Arguments', argumentLines.join('\n')),
		...groups.map((group) => flagList(group, own)),
	);
}

export function commandPage(command: CommandEntry, spec: CommandSpec): string {
	const hidden = splitOptions(spec.options).groups.join(', ').toLowerCase();
	const more = [
		...(hidden === '' ? [] : [entry('supportctl help flags', `Shared flags: ${hidden}`)]),
		...(takesRows(spec.options) ? [entry('supportctl help bulk', 'Edit many objects')] : []),
	];
	return parts(commandText(command, spec), section('Learn more', more.join('\n')));
}

export async function commandView({ words, load }: CommandEntry): Promise<object> {
	const spec = await load();
	const { own } = splitOptions(spec.options);
	return {
		name: words.join(' '),
		...describeCommand(words),
		requests: spec.requests?.map(({ method, path, documented }) => ({ method, path, documented })) ?? [],
		arguments: spec.arguments.map((each) => ({ ...each, variadic: each.variadic === true, completes: undefined })),
		flags: shownOptions(spec.options).map((option) => flagView(option, !own.includes(option))),
		exitCodes: exitCodesOf(spec),
	};
}

function flagView(option: OptionSpec, isShared: boolean): object {
	const { flags, help, group, repeatable = false, choices, suggests, defaultText, conflicts } = option;
	return {
		name: `--${longName(option)}`,
		short: /^-\w/.exec(flags)?.[0],
		type: typeOf(option),
		placeholder: /<[^>]*>/.exec(flags)?.[0],
		help,
		group,
		shared: isShared,
		repeatable,
		choices,
		suggests,
		default: defaultText,
		conflicts: conflicts?.map((name) => `--${name}`),
	};
}

function typeOf({ flags, counted, bare, completes }: OptionSpec): string {
	if (counted === true) return 'count';
	if (bare !== undefined) return 'optional';
	if (completes === 'files') return 'file';
	if (/<(?:n|ms|seconds|p)>/.test(flags)) return 'number';
	return flags.includes('<') ? 'string' : 'flag';
}

function exitCodesOf({ exitCodes, requests, options }: CommandSpec): readonly number[] {
	if (exitCodes !== undefined) return exitCodes;
	const { ok, failed, usage, partial, refused, unknown, differs, interrupted } = ExitCode;
	if (requests !== undefined) {
		const ofWrites = requests.some(({ method }) => method !== 'GET') ? [differs] : [];
		return [ok, failed, usage, partial, refused, unknown, ...ofWrites, interrupted];
	}
	const ofService = options.some((option) => longName(option) === 'base-url') ? [refused] : [];
	return [ok, failed, usage, ...ofService, interrupted];
}
