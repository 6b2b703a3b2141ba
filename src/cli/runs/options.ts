/** Arguments and flags of an endpoint's command. */

import { bodyKinds, type Endpoint, type PathParameter } from '../../api/endpoints.js';
import { type Field, flagName } from '../../api/fields.js';
import { kinds } from '../../api/kinds.js';
import { didYouMean } from '../../api/suggest.js';
import { quote } from '../../api/values.js';
import { type ColumnSettings, checkable, listFields, parseShard, takesUndocumented } from '../../bulk/plan.js';
import { inputFormats } from '../../bulk/sources.js';
import { UsageError } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import { type Encoding, encodingNamed, encodings } from '../../text.js';
import type { ArgumentSpec, Invocation } from '../command.js';
import { pairOf } from '../flag-values.js';
import { camelCase, longName, type OptionSpec, type OptionValues, options, type ValuesOf } from '../options/option.js';
import { connectionOptions, guardOptions, outputOptions, tuningOptions, wholeNumber } from '../options/shared.js';

export const FIELDS = 'Fields';

/** @throws UsageError */
function readBlank(text: string): Pick<ColumnSettings, 'blank' | 'clear'> {
	if (text === 'skip' || text === 'clear') return { blank: text };
	const columns = text.startsWith('clear=') ? text.slice('clear='.length).split(',') : [''];
	const clear = columns.map((each) => each.trim());
	if (!clear.includes('')) return { blank: 'clear', clear };
	const hint = didYouMean(text, ['skip', 'clear']) || ';';
	throw new UsageError(`--blank: ${quote(text)} is not allowed${hint} use skip, clear or clear=COLUMN,…`, {
		code: 'invalid_value',
	});
}

function readEncoding(text: string, flag: string): Encoding {
	const found = encodingNamed(text);
	if (found !== undefined) return found;
	throw new UsageError(`${flag}: ${quote(text)} is not allowed; use ${encodings.join(', ')}`, {
		code: 'invalid_value',
		hint: 'save the file as UTF-8 (in Excel: "CSV UTF-8 (Comma delimited)")',
	});
}

export const inputOptions = options('Input', [
	{ flags: '--input <file>', help: 'Read rows from a file, or - for stdin', completes: 'files' },
	{ flags: '--input-format <format>', help: 'Format of the input', choices: inputFormats, needsInput: true },
	{
		flags: '--encoding <name>',
		help: 'Encoding of input without a byte order mark',
		suggests: encodings,
		defaultText: 'utf-8',
		parse: readEncoding,
		needsInput: true,
	},
	{
		flags: '--map <column=field>',
		help: 'Map a column to a field, or to id',
		repeatable: true,
		parse: (text: string) => pairOf('--map', text, 'COLUMN=FIELD', text.lastIndexOf('=')),
		needsInput: true,
	},
	{ flags: '--ignore-column <column>', help: 'Ignore columns', repeatable: true, needsInput: true },
	{ flags: '--ignore-other-columns', help: "Ignore columns that don't match a field", needsInput: true },
	{
		flags: '--blank <what>',
		help: 'Empty cells: skip, clear, or clear=COLUMN,…',
		suggests: ['skip', 'clear'],
		defaultText: 'skip',
		parse: readBlank,
		needsInput: true,
	},
	{ flags: '--skip-invalid', help: 'Send the valid rows and skip the rest' },
	{ flags: '--undocumented', help: "Allow field names and values the API doesn't document" },
]);

/** A flag that could do nothing without input. @returns its long name */
export function flagForInput(values: OptionValues): string | undefined {
	const specs: readonly OptionSpec[] = inputOptions;
	return specs
		.filter(({ needsInput }) => needsInput === true)
		.map(longName)
		.find((name) => values[camelCase(name)] !== undefined);
}

/** What is read before and after a write. */
export const checkOptions = options('Checks', [
	{ flags: '--verify', help: 'Read each object back and compare' },
	{ flags: '--send-unchanged', help: 'Also send fields that already have the new value' },
	{ flags: '--only-changed', help: 'Skip fields that already have the new value', hidden: true },
	{ flags: '--snapshot', help: 'Save old values, even if the profile says no', hidden: true },
	{ flags: '--no-snapshot', help: "Don't save old values (the run can't be undone)" },
	{ flags: '--diff', help: 'Accepted with --dry-run, which shows old and new values anyway', hidden: true },
	{
		flags: '--if <field=value>',
		help: 'Write only to objects that currently have this value (FIELD= matches empty)',
		repeatable: true,
		parse: (text: string) => pairOf('--if', text, 'FIELD=VALUE'),
	},
	{
		flags: '--if-unmodified',
		help: "Skip a row if the object was modified after the row's modified_gmt (not atomic)",
	},
	{
		flags: '--allow-differs[=fields]',
		help: 'Accept different values in the response, for these fields or any field',
		repeatable: true,
		bare: '*',
		parse(text: string): string[] {
			const names = text.split(',').map((name) => name.trim());
			if (!names.includes('')) return names;
			throw new UsageError('--allow-differs= needs field names; omit = to allow all', { code: 'invalid_value' });
		},
	},
	{ flags: '--move-tickets', help: 'First move tickets of deleted users to the user who receives their posts' },
	{ flags: '--ignore-missing', help: 'Treat objects that are gone (404, 410) as deleted, and skip unknown names' },
]);

export const runOptions = options('Run', [
	{ flags: '--stop-on-error', help: 'Stop at the first row that fails' },
	{
		flags: '--max-failures <n>',
		help: 'Stop after more than N failed rows',
		parse: wholeNumber(0),
	},
	{ flags: '--shard <k/n>', help: 'Process only part K of N, assigned by row ID', parse: parseShard },
	{ flags: '--journal <file>', help: 'Path of the journal', completes: 'files' },
	{ flags: '--note <text>', help: "Why you're making this change; saved with the run" },
]);

export const partOptions = options('Rows', [
	{ flags: '--ids <ids>', help: 'Only these objects: 14,16, @file, or - for stdin', repeatable: true },
	{ flags: '--except <ids>', help: 'All but these objects', repeatable: true },
]);

/** Besides the flags of fields. */
export const valueOptions = options(FIELDS, [
	{ flags: '--data <json|@file>', help: 'JSON object to merge into the body' },
	{
		flags: '--set <name=value>',
		help: 'Custom field; the value can be @file',
		repeatable: true,
		parse: (text: string) => pairOf('--set', text, 'name=value'),
	},
	{ flags: '--password-stdin', help: 'Read a new password from stdin', conflicts: ['password-prompt'] },
	{ flags: '--password-prompt', help: 'Prompt for a new password' },
	{ flags: '--force', help: 'Delete permanently' },
	{ flags: '--reassign <user>', help: "The user who receives the deleted users' posts and links" },
]);

export const allOptions = [
	...valueOptions,
	...inputOptions,
	...checkOptions,
	...guardOptions,
	...tuningOptions,
	...runOptions,
	...outputOptions,
	...connectionOptions,
] as const;

export type RunInvocation = Omit<Invocation, 'options'> & {
	readonly options: ValuesOf<typeof allOptions> & Readonly<Record<string, unknown>>;
};

export const runArgument = {
	name: 'run',
	help: 'Run ID, its last five characters, "last", or path of a journal',
	required: true,
	completes: 'runs',
} as const satisfies ArgumentSpec;

export function outcomeOption<const Name extends OutcomeName>(
	help: string,
	names: readonly Name[],
	defaultText?: string,
) {
	return {
		flags: '--outcome <names>',
		help,
		group: 'Rows',
		repeatable: true,
		choices: names,
		defaultText,
		parse: (text: string) => text.split(',').map((part) => part.trim() as Name),
	} as const satisfies OptionSpec;
}

export function optionsOf(endpoint: Endpoint): OptionSpec[] {
	const { updates: isUpdate, deletes: isDelete, query, body } = endpoint;
	const writes = isDelete || isUpdate;
	const fields = writes ? endpoint.fields : [];
	const parameterOf = (name: string) => query.find((each) => each.name === name);
	const hasPassword = fields.some(({ kind }) => kinds[kind].isSecret);
	/** All other flags are for every command. */
	const some: readonly [isTaken: boolean, ...names: string[]][] = [
		[fields.length > 0, 'data'],
		[bodyKinds[body].takesAnyName, 'set'],
		[hasPassword, 'password-stdin', 'password-prompt'],
		[query.length > 0, 'force'],
		[parameterOf('reassign') !== undefined, 'reassign'],
		[isUpdate, 'blank'],
		[takesUndocumented(endpoint), 'undocumented'],
		[checkable.verify(endpoint), 'verify'],
		[checkable.conditions(endpoint), 'if'],
		[checkable.snapshot(endpoint), 'snapshot', 'no-snapshot'],
		[checkable.onlyChanged(endpoint), 'only-changed', 'diff'],
		[checkable.sendUnchanged(endpoint), 'send-unchanged'],
		[checkable.allowDiffers(endpoint), 'allow-differs'],
		[checkable.ifUnmodified(endpoint), 'if-unmodified'],
		[checkable.ignoreMissing(endpoint), 'ignore-missing'],
		[checkable.moveTickets(endpoint), 'move-tickets'],
		[writes, 'yes', 'confirm', 'expect', 'max', 'plan'],
	];
	const left = some.flatMap(([isTaken, ...names]) => (isTaken ? [] : names));
	const forField = (field: Field, help: string, change = ''): OptionSpec => ({
		flags: `--${change}${flagName(field.name)} <${kinds[field.kind].placeholder}>`,
		help,
		group: FIELDS,
		repeatable: change !== '' || kinds[field.kind].many !== undefined,
	});
	// --tag, of other tools, sounds like one more.
	const helpOf = (field: Field): string =>
		listFields(endpoint).includes(field) && kinds[field.kind].names !== undefined
			? `Replace all ${field.name} terms`
			: field.help;
	const own = fields
		.filter(({ kind }) => !kinds[kind].isSecret)
		.map((field) => ({ ...forField(field, helpOf(field)), suggests: kinds[field.kind].suggests }));
	const items = listFields(endpoint).flatMap((field) => {
		const words = kinds[field.kind].names !== undefined ? 'tags' : field.name;
		const add = forField(field, `Add ${words}, keeping existing ones`, 'add-');
		return [add, forField(field, `Remove ${words}, keeping the others`, 'remove-')];
	});
	const shared = allOptions
		.filter((option) => !left.includes(longName(option)))
		.map((option) => {
			const parameter = parameterOf(longName(option));
			return parameter === undefined ? option : { ...option, help: parameter.help };
		});
	// A field's flag hides a shared one, such as --username.
	const taken = [...own, ...items].map(longName);
	return [...own, ...items, ...shared.filter((option) => !taken.includes(longName(option)))];
}

/** Fills a path ID or column; all but the last are the same for every row. */
export type Positional = Pick<ArgumentSpec, 'name' | 'help' | 'choices'> & {
	readonly kind: 'id' | 'slug' | 'taxonomy' | 'text';
	readonly names?: PathParameter['names'];
};

export function positionalsOf({ parameters, looksUp }: Endpoint): Positional[] {
	const all: Positional[] = [...parameters];
	if (looksUp !== undefined) all.push({ name: looksUp, kind: 'text', help: 'Usernames' });
	const last = all.at(-1) as Positional;
	return [...all.slice(0, -1), { ...last, help: `${last.help}, or - for stdin` }];
}
