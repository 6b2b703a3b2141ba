/** `supportctl __complete SHELL …`: called by the completion scripts. Never fails. */

import { ExitCode } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { HIDDEN_CHARACTER } from '../../text.js';
import { commandsBelow, findCommand, nextWords } from '../manifest.js';
import { findOption, longFlag, longName, type OptionSpec, takesValue } from '../options/option.js';

interface Candidate {
	value: string;
	help?: string | undefined;
}

/** Values, or a path that the shell completes by itself; `behind` stands before it in the same word. */
type Offer = readonly Candidate[] | { behind: string };

export async function runCompleter(context: Context, [shell, ...given]: readonly string[]): Promise<ExitCode> {
	let before = given.slice(0, -1);
	let current: TypedWord = { text: given.at(-1) ?? '', quote: '', kept: 0 };
	if (shell === 'bash') {
		({ words: before, current } = readBashLine(given[0] ?? '', given[1] ?? ''));
		before.shift();
	} else if (shell === 'powershell') {
		// Arguments would lose empty words and quotes.
		before = (await context.stdin.text()).replace(/\r?\n$/, '').split(/\r?\n/);
		current.text = before.pop() ?? '';
	}
	const offer = await offerFor(before, current.text, context).catch(() => []);
	context.stdout.write(`${linesOf(shell, current, offer).join('\n')}\n`);
	return ExitCode.ok;
}

function linesOf(shell: string | undefined, { text, quote, kept }: TypedWord, offer: Offer): string[] {
	if ('behind' in offer) {
		return shell === 'bash' ? ['files'] : ['files', offer.behind, text.slice(offer.behind.length)];
	}
	const shown = offer.filter(({ value }) => value !== '' && !hidesText(value));
	if (shell === 'bash') {
		const fitting = shown.filter(({ value }) => value.startsWith(text));
		return ['words', ...fitting.flatMap(({ value }) => quoteForBash(value.slice(kept), quote) ?? [])];
	}
	const start = text.toLowerCase();
	const fitting = shell === 'powershell' ? shown.filter(({ value }) => value.toLowerCase().startsWith(start)) : shown;
	const described = fitting.map(({ value, help = '' }) => {
		const name = shell === 'zsh' ? value.replaceAll(':', '\\:') : value;
		return help === '' || hidesText(help) ? name : `${name}${shell === 'zsh' ? ':' : '\t'}${help}`;
	});
	return ['words', ...described];
}

/** The long expression takes 1 ms to compile. */
const hidesText = (text: string): boolean => !/^[ -~]*$/.test(text) && new RegExp(HIDDEN_CHARACTER, 'u').test(text);

async function offerFor(before: readonly string[], current: string, context: Context): Promise<Offer> {
	if (before[0] === 'help') {
		const { topics } = await import('../help/help.js');
		const shown = before.length > 1 ? [] : Object.entries(topics);
		return [...wordsBehind(before.slice(1)), ...shown.map(([value, help]) => ({ value, help }))];
	}
	const { entry, path, flags, rest } = await findCommand(before);
	if (entry === undefined && rest.length > 0) return [];
	const isFlag = current.startsWith('-') && current !== '-';
	const spec = await entry?.load();
	let options = spec?.options ?? [];
	if (spec === undefined && (isFlag || flags.length > 0)) {
		options = (await import('../options/shared.js')).leadingOptions;
	}
	const line = readWords(options, [...flags, ...rest]);
	const valuesOf = async (of: Valued, prefix = ''): Promise<Offer> => {
		if (of.completes === 'files') return { behind: prefix };
		const found = await candidatesFor(of, context);
		return found.map(({ value, help }) => ({ value: prefix + value, help }));
	};
	if (line.pending !== undefined) return valuesOf(line.pending);
	if (isFlag && !line.ended) {
		const option = findOption(options, current);
		const prefix = current.slice(0, current.indexOf('=') + 1);
		if (prefix !== '') return option !== undefined && takesValue(option) ? valuesOf(option, prefix) : [];
		if (spec !== undefined) return flagsLeft(options, line.given);
		return path.length > 0
			? [HELP]
			: [...flagsLeft(options, line.given), { value: '--version', help: 'Print the version' }];
	}
	if (spec === undefined) {
		return path.length > 0
			? wordsBehind(path)
			: [...wordsBehind(path), { value: 'help', help: 'Help on a command or a topic' }];
	}
	const argument = spec.arguments[line.args] ?? spec.arguments.findLast(({ variadic }) => variadic === true);
	const offer = argument === undefined ? [] : await valuesOf(argument);
	// IDs can't be known.
	return 'behind' in offer || offer.length > 0 || line.ended ? offer : flagsLeft(options, line.given);
}

function wordsBehind(path: readonly string[]): Candidate[] {
	return nextWords(path).map((value) => {
		const under = commandsBelow([...path, value]);
		const names = under.map(({ words }) => words.slice(path.length + 1).join(' '));
		return { value, help: names[0] === '' ? under[0]?.summary : names.join(', ') };
	});
}

const HELP: Candidate = { value: '--help', help: 'Show help' };

/** @returns `pending`: the option whose value comes next; `ended` by `--` */
function readWords(options: readonly OptionSpec[], words: readonly string[]) {
	const given = new Set<string>();
	let [args, ended] = [0, false];
	let pending: OptionSpec | undefined;
	for (let at = 0; at < words.length; at++) {
		const word = words[at] as string;
		const option = findOption(options, word);
		if (ended || !word.startsWith('-') || word === '-') args++;
		else if (word === '--') ended = true;
		else if (option !== undefined) {
			given.add(longName(option));
			// Attached as in --rate=4 and -j4, or the next word.
			if (!takesValue(option) || /^(?:--[^=]*=|-[^-])(.+)$/s.test(word)) continue;
			if (++at === words.length) pending = option;
		}
	}
	return { args, given, pending, ended };
}

function flagsLeft(options: readonly OptionSpec[], given: ReadonlySet<string>): Candidate[] {
	const excluded = new Set(options.flatMap((each) => (given.has(longName(each)) ? (each.conflicts ?? []) : [])));
	const left = options.filter((option) => {
		const name = longName(option);
		if (given.has(name)) return option.repeatable === true || option.counted === true;
		return !excluded.has(name) && option.conflicts?.some((other) => given.has(other)) !== true;
	});
	return [...left.map((option) => ({ value: longFlag(option), help: option.help })), HELP];
}

type Valued = Pick<OptionSpec, 'choices' | 'suggests' | 'completes'>;

const RUNS_SHOWN = 50;

async function candidatesFor(of: Valued, context: Context): Promise<Candidate[]> {
	const known = of.choices ?? of.suggests;
	if (known !== undefined) return known.map((value) => ({ value }));
	const { configFolder, stateFolder } = await import('../../profile/settings.js');
	switch (of.completes) {
		case 'profiles': {
			const { readStore } = await import('../../profile/store.js');
			const { profiles } = readStore(configFolder(context)).store;
			return Object.entries(profiles).map(([value, { baseUrl }]) => ({ value, help: String(baseUrl ?? '') }));
		}
		case 'runs': {
			const { runIds } = await import('../../bulk/journal/folder.js');
			const ids = runIds(stateFolder(context)).slice(-RUNS_SHOWN).reverse();
			return [...(ids.length === 0 ? [] : [{ value: 'last', help: ids[0] }]), ...ids.map((value) => ({ value }))];
		}
		default:
			return [];
	}
}

interface TypedWord {
	text: string;
	/** Still open. */
	quote: string;
	/** How much of `text` readline keeps: it breaks words at `=` and `:` too. */
	kept: number;
}

/** Space, quoted text with its closing quote, an escaped character, any other. */
const PIECE = /\s+|"((?:\\.|[^"])*)("?)|'([^']*)('?)|\\.|./gs;

/** Nothing of the line is evaluated. @param breaks COMP_WORDBREAKS */
export function readBashLine(line: string, breaks: string): { words: string[]; current: TypedWord } {
	const words: TypedWord[] = [];
	let isApart = true;
	for (const [piece, double, endOfDouble, single, endOfSingle] of line.matchAll(PIECE)) {
		const isSpace = /^\s/.test(piece);
		if (isApart && !isSpace) words.push({ text: '', quote: '', kept: 0 });
		isApart = isSpace;
		const word = words.at(-1);
		if (word === undefined || isSpace) continue;
		const quoted = double?.replace(/\\(["\\$`])/g, '$1') ?? single;
		if (quoted !== undefined) {
			word.kept = word.text.length;
			word.quote = (endOfDouble ?? endOfSingle) === '' ? piece.charAt(0) : '';
			word.text += quoted;
		} else if (piece.length > 1) {
			word.text += piece.slice(1);
		} else {
			word.text += piece;
			// At an @ readline breaks the word too, but replaces it.
			if (breaks.includes(piece)) word.kept = word.text.length - (piece === '@' ? 1 : 0);
		}
	}
	const current = (isApart ? undefined : words.pop()) ?? { text: '', quote: '', kept: 0 };
	return { words: words.map(({ text }) => text), current };
}

/** Undefined if the open quote can't contain it. */
export function quoteForBash(text: string, quote: string): string | undefined {
	if (quote === "'") return text.includes("'") ? undefined : text;
	if (quote === '"') return text.replace(/["\\$`]/g, '\\$&');
	return text.replace(/[^A-Za-z0-9_@%+=:,./~-]/g, (character) => (character > '\x7f' ? character : `\\${character}`));
}
