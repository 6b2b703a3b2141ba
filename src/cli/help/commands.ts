/** The help page of a command, also as JSON. */

import { ticketStatuses, ticketStatusGroups } from '../../api/fields.js';
import { ExitCode } from '../../errors.js';
import type { CommandSpec } from '../command.js';
import type { CommandEntry } from '../manifest.js';
import { longFlag, type OptionSpec, shortFlag } from '../options/option.js';
import { connectionOptions, guardOptions, outputOptions, tuningOptions } from '../options/shared.js';
import { checkOptions, inputOptions, runOptions } from '../runs/options.js';
import pages from './commands.md' with { type: 'text' };
import { parts, section, typed } from './page.js';

const shared: readonly { group: string; takenBy: string; flags: readonly OptionSpec[] }[] = [
	{ group: 'Input', takenBy: 'For commands that accept many IDs or rows.', flags: inputOptions },
	{
		group: 'Checks',
		takenBy: 'For updates. Deletes accept --verify, --if, --snapshot and --ignore-missing.',
		flags: checkOptions,
	},
	{
		group: 'Guards',
		takenBy: 'For writes. Reads of many IDs accept --dry-run.',
		flags: guardOptions,
	},
	{
		group: 'Run',
		takenBy: 'For commands that accept many IDs or rows; the first ones also for run resume, retry and undo.',
		flags: [...tuningOptions, ...runOptions],
	},
	{ group: 'Output', takenBy: 'For commands that print results.', flags: outputOptions },
	{ group: 'Connection', takenBy: 'For commands that send requests.', flags: connectionOptions },
];

/** A command's own help leaves out groups of which it has at least half. */
const sharedBy = ({ options }: Pick<CommandSpec, 'options'>) =>
	shared.filter(({ flags }) => flags.filter((each) => options.includes(each)).length * 2 >= flags.length);

export const sharedGroups = (spec: CommandSpec): string[] => sharedBy(spec).map(({ group }) => group);

export function ownOptions(spec: Pick<CommandSpec, 'options'>): OptionSpec[] {
	const hidden = sharedBy(spec).flatMap(({ flags }) => flags);
	return spec.options.filter((option) => !hidden.includes(option));
}

function flagList(group: string, options: readonly OptionSpec[], note = ''): string {
	const indent = options.some(({ flags }) => !flags.startsWith('--')) ? '    ' : '';
	const lines = options.map(({ flags, help, choices, suggests, repeatable, defaultText }) => {
		const values = choices ?? suggests ?? [];
		let text = help.charAt(0).toUpperCase() + help.slice(1);
		if (values === ticketStatuses) text += ' (supportctl help statuses)';
		// `<true|false>` shows its values itself.
		else if (values.length > 0 && !flags.includes(values.join('|'))) text += `: {${values.join('|')}}`;
		if (repeatable === true) text += ' (repeatable)';
		if (defaultText !== undefined) text += ` (default: ${defaultText})`;
		return `${flags.startsWith('--') ? indent : ''}${flags} :: ${text}`;
	});
	return section(group, parts(note, lines.join('\n')));
}

export const sharedFlags = (): string =>
	parts(...shared.map(({ group, flags, takenBy }) => flagList(group, flags, takenBy)));

export const madeTopics = {
	flags: (): string =>
		parts(
			'These flags work the same in every command that accepts them. For other flags: supportctl COMMAND --help',
			sharedFlags(),
		),
	statuses: (): string =>
		parts(
			'Values for --status and for the column "status" of tickets. Use --undocumented for others.',
			section('General', ticketStatusGroups.general.join(', ')),
			section('Shop orders', ticketStatusGroups.shop.join(', ')),
			section('Memberships', ticketStatusGroups.membership.join(', ')),
			'## Custom prefixes\nIf your deployment uses other prefixes than "shop" and "shopm", set them once: supportctl profile set NAME --shop-prefix PREFIX --membership-prefix PREFIX',
		),
};

type CommandTitle = Pick<CommandEntry, 'words' | 'summary'>;

/** The section of a command in commands.md. */
export function describeCommand(words: readonly string[]) {
	const name = `${words.join(' ')}\n`;
	const text = pages.split(/^## /m).find((each) => each.startsWith(name)) ?? name;
	const [description = ''] = text.slice(name.length).split(/^- /m);
	const examples = [...text.matchAll(/^- `(.+)`: (.*)$/gm)].map(([, command = '', note = '']) => ({ command, note }));
	return { description: description.trim(), examples };
}

export function commandText({ words, summary }: CommandTitle, spec: CommandSpec): string {
	const name = ['supportctl', ...words].join(' ');
	const { description, examples } = describeCommand(words);
	const flags = spec.options.length === 0 ? [] : ['[flags]'];
	const given = spec.arguments.map(({ name, required, variadic }) => {
		const text = `<${name}>${variadic === true ? '...' : ''}`;
		return required ? text : `[${text}]`;
	});
	const usage = [[name, ...given, ...flags].join(' ')];
	if (takesRows(spec)) {
		usage.push(`${name} --input <file> [flags]`, ['... |', name, ...given.slice(0, -1), '- [flags]'].join(' '));
	}
	const requests = spec.requests ?? [];
	const own = ownOptions(spec);
	const flagsOf = (group: string): OptionSpec[] => own.filter((option) => option.group === group);
	const groups = [...new Set(own.map(({ group }) => group))];
	const isDocumented = requests.every(({ documented }) => documented);
	const argumentLines = spec.arguments.map((argument) => {
		const values = argument.choices ?? argument.suggests;
		return `<${argument.name}> :: ${argument.help}${values === undefined ? '' : `: {${values.join('|')}}`}`;
	});
	return parts(
		`${summary}.`,
		description,
		section('Usage', typed(usage)),
		section(
			isDocumented ? 'Request' : 'Request (undocumented)',
			typed(requests.map(({ method, path }) => `${method} /support-api/v1${path}`)),
		),
		section('Examples', typed(examples.flatMap(({ command, note }) => [`# ${note}`, `$ ${command}`]))),
		section('Arguments', argumentLines.join('\n')),
		...groups.map((group) => flagList(group, flagsOf(group))),
	);
}

export function commandPage(title: CommandTitle, spec: CommandSpec): string {
	const hidden = sharedGroups(spec).join(', ').toLowerCase();
	const more = [
		...(hidden === '' ? [] : [`supportctl help flags :: Shared flags: ${hidden}`]),
		...(takesRows(spec) ? ['supportctl help bulk :: Edit many objects'] : []),
	];
	return parts(commandText(title, spec), section('Learn more', more.join('\n')));
}

const takesRows = ({ arguments: given, options }: CommandSpec): boolean =>
	given.at(-1)?.variadic === true && options.some(({ flags }) => flags.startsWith('--input '));

export async function commandView({ words, summary, group, load }: CommandEntry): Promise<object> {
	const spec = await load();
	const own = ownOptions(spec);
	return {
		name: words.join(' '),
		summary,
		...describeCommand(words),
		group,
		requests: spec.requests?.map(({ method, path, documented }) => ({ method, path, documented })) ?? [],
		arguments: spec.arguments.map((each) => ({ ...each, variadic: each.variadic === true, completes: undefined })),
		flags: spec.options.map((option) => flagView(option, !own.includes(option))),
		exitCodes: exitCodesOf(spec),
	};
}

function flagView(option: OptionSpec, isShared: boolean): object {
	const { flags, help, group, repeatable, choices, suggests, defaultText, conflicts } = option;
	const placeholder = /<([^>]*)>/.exec(flags);
	// `optional`: a value only after `=`.
	let type = option.bare === undefined ? 'flag' : 'optional';
	if (option.counted === true) type = 'count';
	else if (/^(?:n|ms|seconds|p)$/.test(placeholder?.[1] ?? '')) type = 'number';
	else if (/^(?:[a-z]+\|)*file$/.test(placeholder?.[1] ?? '')) type = 'file';
	else if (placeholder !== null) type = 'string';
	return {
		name: longFlag(option),
		short: shortFlag(option),
		type,
		placeholder: placeholder?.[0],
		help,
		group,
		shared: isShared,
		repeatable: repeatable === true,
		choices,
		suggests,
		default: defaultText,
		conflicts: conflicts?.map((name) => `--${name}`),
	};
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
