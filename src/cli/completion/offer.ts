/** What completion offers for the word that is typed: commands, flags and values, from the descriptions of the commands. */

import type { ArgumentSpec } from '../command.js';
import { commands, startsWith } from '../manifest.js';
import { type Completes, camelCase, longFlag, longName, type OptionSpec, takesValue } from '../options/option.js';
import { findFlag, findRoute, type ReadLine, readLine } from './line.js';

export interface Candidate {
	/** The whole word that it would become. */
	value: string;
	help?: string | undefined;
}

export interface Offer {
	candidates: Candidate[];
	/** More is to be typed behind the word: no blank after it. */
	open: boolean;
	/** The word ends in a path, before which this much of it stands: the shell completes it by itself. */
	files?: string;
}

/** Names that are not in the commands' descriptions. */
export interface Sources {
	profiles(): Promise<Candidate[]>;
	runs(): Promise<Candidate[]>;
	/** Columns of an input file. */
	columns(file: string, format: string | undefined): Promise<string[]>;
	topics(): Promise<Candidate[]>;
	/** The flags that may stand before a command. */
	leadingOptions(): Promise<readonly OptionSpec[]>;
}

const NOTHING: Offer = { candidates: [], open: false };

const words = (candidates: Candidate[]): Offer => ({ candidates, open: false });

/** Works out the offer for `current`, the last word, behind the words before it. */
export async function offerFor(before: readonly string[], current: string, sources: Sources): Promise<Offer> {
	if (before[0] === 'help') return offerHelp(before.slice(1), sources);
	const leading = await sources.leadingOptions();
	const route = findRoute(before, leading);
	if (route.lost) return NOTHING;
	if (route.pending !== undefined) return offerValue(route.pending, '', current, undefined, sources);
	if (route.entry === undefined) return offerCommands(route.words, current, leading, sources);
	const command = await route.entry.load();
	const line = readLine(route.entry, command, route.rest);
	if (line.pending !== undefined) return offerValue(line.pending, '', current, line, sources);
	if (!line.flagsEnded && current.startsWith('-') && current !== '-') {
		const at = current.indexOf('=');
		if (at === -1) return words(offerFlags(line));
		const option = findFlag(command.options, current.slice(0, at));
		if (option === undefined || !takesValue(option)) return NOTHING;
		return offerValue(option, current.slice(0, at + 1), current.slice(at + 1), line, sources);
	}
	const offer = await offerArgument(line, current, sources);
	if (offer.files !== undefined || offer.candidates.length > 0 || line.flagsEnded) return offer;
	// Ids can't be known: what else can come is more use than nothing.
	return words(offerFlags(line));
}

/** The words that go on from here, each with what it leads to. */
async function offerCommands(
	path: readonly string[],
	current: string,
	leading: readonly OptionSpec[],
	sources: Sources,
): Promise<Offer> {
	if (current.startsWith('-')) {
		const flags =
			path.length === 0 ? [...leading.map(flagCandidate), { value: '--version', help: 'Print the version' }] : [];
		return words([...flags, helpFlag]);
	}
	const at = path.length;
	const under = commands.filter((entry) => startsWith(entry, path));
	const names = new Map<string, string>();
	for (const entry of under) {
		const name = entry.words[at] as string;
		const isGroup = entry.words.length > at + 1;
		const siblings = under.filter((each) => each.words[at] === name).map((each) => each.words.slice(at + 1).join(' '));
		names.set(name, isGroup ? siblings.join(', ') : entry.summary);
	}
	const candidates: Candidate[] = [...names].map(([value, help]) => ({ value, help }));
	if (at === 0) {
		const topics = (await sources.topics()).map((topic) => topic.value).join(', ');
		candidates.push({ value: 'help', help: `Help on a command or a topic: ${topics}` });
	}
	return words(candidates);
}

async function offerHelp(path: readonly string[], sources: Sources): Promise<Offer> {
	if (path.length > 0 && !commands.some((entry) => startsWith(entry, path))) return NOTHING;
	const names = new Map<string, string | undefined>();
	for (const entry of commands.filter((each) => startsWith(each, path) && each.words.length > path.length)) {
		names.set(entry.words[path.length] as string, entry.words.length === path.length + 1 ? entry.summary : undefined);
	}
	const topics = path.length === 0 ? await sources.topics() : [];
	return words([...[...names].map(([value, help]) => ({ value, help })), ...topics]);
}

const helpFlag: Candidate = { value: '--help', help: 'Show help' };

const flagCandidate = (option: OptionSpec): Candidate => ({ value: longFlag(option), help: option.help });

/** Flags that can still be given. */
function offerFlags({ spec, given }: ReadLine): Candidate[] {
	const excluded = (option: OptionSpec): boolean => {
		if (given.has(longName(option))) return option.repeatable !== true && option.counted !== true;
		const conflicts = (one: OptionSpec, other: string): boolean =>
			(one.conflicts ?? []).some((each) => camelCase(each) === camelCase(other));
		return [...given.keys()].some((name) => {
			const other = spec.options.find((each) => longName(each) === name);
			return conflicts(option, name) || (other !== undefined && conflicts(other, longName(option)));
		});
	};
	return [...spec.options.filter((option) => !excluded(option)).map(flagCandidate), helpFlag];
}

async function offerArgument(line: ReadLine, current: string, sources: Sources): Promise<Offer> {
	const { arguments: specs } = line.spec;
	const last = specs.at(-1);
	const argument: ArgumentSpec | undefined = specs[line.args.length] ?? (last?.variadic === true ? last : undefined);
	if (argument === undefined) return NOTHING;
	const values = argument.choices ?? argument.suggests;
	if (values !== undefined) return words(values.map((value) => ({ value })));
	return argument.completes === undefined ? NOTHING : offerNames(argument.completes, '', current, line, sources);
}

/** Values of an option; `prefix` is what of the word stands before the value. */
async function offerValue(
	option: OptionSpec,
	prefix: string,
	typed: string,
	line: ReadLine | undefined,
	sources: Sources,
): Promise<Offer> {
	const values = option.choices ?? option.suggests;
	if (values !== undefined) return words(values.map((value) => ({ value: prefix + value })));
	if (option.completes !== undefined) {
		return offerNames(option.completes, prefix, typed, line, sources, option.flags.includes('='));
	}
	return NOTHING;
}

async function offerNames(
	kind: Completes,
	prefix: string,
	typed: string,
	line: ReadLine | undefined,
	sources: Sources,
	isPair = false,
): Promise<Offer> {
	const prefixed = (candidates: readonly Candidate[]): Candidate[] =>
		candidates.map((each) => ({ ...each, value: prefix + each.value }));
	switch (kind) {
		case 'files':
			return { ...NOTHING, files: prefix };
		case 'profiles':
			return words(prefixed(await sources.profiles()));
		case 'runs':
			return words(prefixed(await sources.runs()));
		case 'columns':
			return offerColumns(prefix, typed, line, sources, isPair);
	}
}

/** Columns of the input that is on the line; for `--map` then the fields that they can stand for. */
async function offerColumns(
	prefix: string,
	typed: string,
	line: ReadLine | undefined,
	sources: Sources,
	isPair: boolean,
): Promise<Offer> {
	if (line === undefined) return NOTHING;
	const file = line.given.get('input')?.at(-1);
	const columns =
		file === undefined || file === '-' ? [] : await sources.columns(file, line.given.get('input-format')?.at(-1));
	const column = isPair ? columns.find((each) => typed.startsWith(`${each}=`)) : undefined;
	if (isPair && (column !== undefined || (columns.length === 0 && typed.includes('=')))) {
		const stem = prefix + (column === undefined ? typed.slice(0, typed.lastIndexOf('=') + 1) : `${column}=`);
		return words((line.spec.fieldNames ?? []).map((value) => ({ value: stem + value })));
	}
	const used = [
		...(line.given.get('ignore-column') ?? []),
		...(line.given.get('map') ?? []).map((each) => each.slice(0, each.lastIndexOf('='))),
	];
	const left = columns.filter((each) => !used.includes(each));
	return { candidates: left.map((each) => ({ value: `${prefix}${each}${isPair ? '=' : ''}` })), open: isPair };
}
