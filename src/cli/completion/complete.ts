/** `supportctl __complete SHELL …`: called by the completion scripts. Never fails. */

import { ExitCode } from '../../errors.js';
import type { Context } from '../../io/context.js';
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
		const [line = '', breaks = ''] = given;
		({ words: before, current } = readBashLine(line, breaks));
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

const CONTROL = /\p{Cc}/u;

/** `files` or `words`, then what the shell needs of each. */
function linesOf(shell: string | undefined, { text, quote, kept }: TypedWord, offer: Offer): string[] {
	if ('behind' in offer) {
		return shell === 'bash' ? ['files'] : ['files', offer.behind, text.slice(offer.behind.length)];
	}
	const shown = offer.filter(({ value, help = '' }) => value !== '' && !CONTROL.test(value + help));
	if (shell === 'bash') {
		const fitting = shown.filter(({ value }) => value.startsWith(text));
		return ['words', ...fitting.flatMap(({ value }) => quoteForBash(value.slice(kept), quote) ?? [])];
	}
	if (shell === 'zsh') {
		return ['words', ...shown.map(({ value, help }) => withHelp(value.replaceAll(':', '\\:'), ':', help))];
	}
	const start = shell === 'powershell' ? text.toLowerCase() : '';
	const fitting = shown.filter(({ value }) => value.toLowerCase().startsWith(start));
	return ['words', ...fitting.map(({ value, help }) => withHelp(value, '\t', help))];
}

function withHelp(value: string, separator: string, help = ''): string {
	return help === '' ? value : value + separator + help;
}

async function offerFor(before: readonly string[], current: string, context: Context): Promise<Offer> {
	if (before[0] === 'help') {
		const { topics } = await import('../help/topics.js');
		const shown = before.length > 1 ? [] : topics.map(({ name, summary }) => ({ value: name, help: summary }));
		return [...(await wordsBehind(before.slice(1))), ...shown];
	}
	const { entry, path, flags, rest } = await findCommand(before);
	if (entry === undefined && rest.length > 0) return [];
	const spec = await entry?.load();
	const leading = async () => (await import('../options/shared.js')).leadingOptions;
	const options = spec?.options ?? (current.startsWith('-') || flags.length > 0 ? await leading() : []);
	const { args, given, pending, isEnded } = readWords(options, [...flags, ...rest]);
	if (pending !== undefined) return await valuesOf(pending, context);
	if (current.startsWith('-') && current !== '-' && !isEnded) {
		const [flag = ''] = current.split('=', 1);
		if (flag === current) return flagsLeft(options, given);
		const option = findOption(options, flag);
		return option !== undefined && takesValue(option) ? await valuesOf(option, context, `${flag}=`) : [];
	}
	if (spec === undefined) {
		const help = { value: 'help', help: 'Help on a command or a topic' };
		return [...(await wordsBehind(path)), ...(path.length > 0 ? [] : [help])];
	}
	const argument = spec.arguments[args] ?? spec.arguments.findLast(({ variadic }) => variadic === true);
	const offer = argument === undefined ? [] : await valuesOf(argument, context);
	// IDs can't be known.
	return 'behind' in offer || offer.length > 0 || isEnded ? offer : flagsLeft(options, given);
}

async function wordsBehind(path: readonly string[]): Promise<Candidate[]> {
	const { describeCommand } = await import('../help/describe.js');
	return nextWords(path).map((value) => {
		const under = commandsBelow([...path, value]);
		const names = under.map(({ words }) => words.slice(path.length + 1).join(' '));
		return { value, help: names[0] === '' ? describeCommand([...path, value]).summary : names.join(', ') };
	});
}

/** @returns `pending`: the option whose value comes next */
function readWords(options: readonly OptionSpec[], words: readonly string[]) {
	const given: OptionSpec[] = [];
	let args = 0;
	let isEnded = false;
	let pending: OptionSpec | undefined;
	for (const word of words) {
		const option = isEnded || pending !== undefined ? undefined : findOption(options, word);
		// A value may look like a flag.
		if (pending !== undefined) pending = undefined;
		else if (isEnded || !word.startsWith('-') || word === '-') args++;
		else if (word === '--') isEnded = true;
		if (option === undefined) continue;
		given.push(option);
		const isAttached = /^(?:--[^=]*=|-[^-])./s.test(word);
		if (takesValue(option) && !isAttached) pending = option;
	}
	return { args, given, pending, isEnded };
}

function flagsLeft(options: readonly OptionSpec[], given: readonly OptionSpec[]): Candidate[] {
	const conflict = (one: OptionSpec, other: OptionSpec): boolean => one.conflicts?.includes(longName(other)) === true;
	const left = options.filter((option) => {
		if (option.repeatable === true || option.counted === true) return true;
		return !given.some(
			(each) => longName(each) === longName(option) || conflict(each, option) || conflict(option, each),
		);
	});
	return [
		...left.map((option) => ({ value: longFlag(option), help: option.help })),
		{ value: '--help', help: 'Show help' },
	];
}

type Valued = Pick<OptionSpec, 'choices' | 'suggests' | 'completes'>;

const RUNS_SHOWN = 50;

/** @param behind what stands before the value in the same word */
async function valuesOf(of: Valued, context: Context, behind = ''): Promise<Offer> {
	if (of.completes === 'files') return { behind };
	const found = await candidatesFor(of, context);
	return found.map(({ value, help }) => ({ value: behind + value, help }));
}

async function candidatesFor({ choices, suggests, completes }: Valued, context: Context): Promise<Candidate[]> {
	if (completes === undefined) return (choices ?? suggests ?? []).map((value) => ({ value }));
	const { configFolder, stateFolder } = await import('../../profile/settings.js');
	if (completes === 'profiles') {
		const { readStore } = await import('../../profile/store.js');
		const { profiles } = readStore(configFolder(context)).store;
		return Object.entries(profiles).map(([value, { baseUrl }]) => ({ value, help: String(baseUrl ?? '') }));
	}
	const { runIds } = await import('../../bulk/journal/folder.js');
	const ids = runIds(stateFolder(context)).slice(-RUNS_SHOWN).reverse();
	const newest = ids.slice(0, 1).map((help) => ({ value: 'last', help }));
	return [...newest, ...ids.map((value) => ({ value }))];
}

interface TypedWord {
	text: string;
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
