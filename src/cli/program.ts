/** argv → the command that is meant, loaded by itself, and run. */

import { didYouMean } from '../api/suggest.js';
import { ExitCode, UsageError } from '../errors.js';
import type { Context } from '../io/context.js';
import { version } from '../version.js';
import { type CommandEntry, commands, startsWith } from './manifest.js';

/** What the words of a command line lead to, and what stands behind them. */
export type Target =
	| { kind: 'command'; entry: CommandEntry; rest: readonly string[] }
	| { kind: 'group'; words: readonly string[]; rest: readonly string[] }
	| { kind: 'overview'; rest: readonly string[] }
	| { kind: 'version'; rest: readonly string[] };

/** The word by which completion scripts ask; it is in no list of commands. */
const COMPLETER = '__complete';

const HELP_FLAGS = new Set(['-h', '--help']);
const VERSION_FLAGS = new Set(['-V', '--version']);

/** Finds the command that `argv` begins with. @throws UsageError that names the nearest command. */
export function findCommand(argv: readonly string[]): Target {
	const words: string[] = [];
	for (const word of argv) {
		if (word.startsWith('-')) break;
		const longer = [...words, word];
		if (!commands.some((each) => startsWith(each, longer))) {
			const exact = commands.find((each) => each.words.length === words.length && startsWith(each, words));
			if (exact !== undefined) break;
			throw unknownCommand(words, word);
		}
		words.push(word);
	}
	const rest = argv.slice(words.length);
	const entry = commands.find((each) => each.words.length === words.length && startsWith(each, words));
	if (entry !== undefined) return { kind: 'command', entry, rest };
	return words.length === 0 ? { kind: 'overview', rest } : { kind: 'group', words, rest };
}

/** The words that can stand behind `words`. */
function wordsBehind(words: readonly string[]): Set<string> {
	const next = commands.filter((each) => startsWith(each, words)).map((each) => each.words[words.length]);
	return new Set(next.filter((each): each is string => each !== undefined));
}

function unknownCommand(words: readonly string[], word: string): UsageError {
	const under = words.length === 0 ? '' : ` under "${words.join(' ')}"`;
	return new UsageError(
		`unknown command ${JSON.stringify(word.slice(0, 60))}${under}${didYouMean(word, wordsBehind(words))}`,
		{
			code: 'unknown_command',
			hint: `supportctl ${[...words, '--help'].join(' ')} lists the commands`,
		},
	);
}

/** A flag without the command that it is for: nothing was done, which no script may take for done. */
function missingCommand(words: readonly string[]): UsageError {
	return new UsageError(
		`${JSON.stringify(words.join(' '))} alone is no command; it goes on with one of ${[...wordsBehind(words)].join(', ')}`,
		{ code: 'missing_command', hint: `supportctl ${words.join(' ')} --help lists the commands` },
	);
}

/** Tells how many words a shared flag takes, with its value. What is given throws UsageError for any other flag. */
async function flagMeasure(): Promise<(word: string, words: readonly string[]) => number> {
	const [{ outputOptions }, { connectionOptions }, { longFlag, takesValue }] = await Promise.all([
		import('./options/output.js'),
		import('./options/connection.js'),
		import('./option-names.js'),
	]);
	const known = [...outputOptions, ...connectionOptions];
	return (word, words) => {
		const flag = word.split('=')[0] as string;
		const spec = known.find((each) => longFlag(each) === flag || each.flags.startsWith(`${flag},`));
		if (spec === undefined && !/^-v+$/.test(flag) && !HELP_FLAGS.has(flag)) {
			throw new UsageError(
				`unknown flag ${flag.slice(0, 60)}${didYouMean(flag, [...known.map(longFlag), '--help', '--version'])}`,
				{
					code: 'unknown_flag',
					hint: `supportctl ${[...words, '--help'].join(' ')} lists the commands; a command takes its flags behind its name`,
				},
			);
		}
		return spec !== undefined && takesValue(spec) && !word.includes('=') ? 2 : 1;
	};
}

/**
 * What `argv` asks for: shared flags that stand before the command or between its words belong to it, and are moved
 * behind them. One that asks for the version is all that is left. @throws UsageError for flags that no command follows
 */
export async function findTarget(argv: readonly string[]): Promise<Target> {
	const direct = findCommand(argv);
	const [first] = direct.rest;
	if (direct.kind === 'command' || first === undefined) return direct;
	if (direct.rest.length === 1 && HELP_FLAGS.has(first)) return direct;
	const measure = await flagMeasure();
	const flags: string[] = [];
	let words: readonly string[] = [];
	let leading = 0;
	let at = 0;
	while (at < argv.length) {
		const word = argv[at] as string;
		if (!word.startsWith('-')) {
			// Whoever asks for help on a group gets it, whatever else is typed.
			if (words.length > 0 && flags.some((flag) => HELP_FLAGS.has(flag)) && !wordsBehind(words).has(word)) break;
			const target = findCommand([...words, ...argv.slice(at)]);
			if (target.kind === 'command') return { ...target, rest: [...flags, ...target.rest] };
			if (words.length === 0) leading = flags.length;
			words = target.kind === 'group' ? target.words : words;
			at = argv.length - target.rest.length;
		} else if (words.length === 0 && VERSION_FLAGS.has(word)) {
			return { kind: 'version', rest: [] };
		} else {
			const length = measure(word, words);
			flags.push(...argv.slice(at, at + length));
			at += length;
		}
	}
	if (words.length === 0) return { kind: 'overview', rest: flags };
	if (flags.length > leading && !flags.some((flag) => HELP_FLAGS.has(flag))) throw missingCommand(words);
	return { kind: 'group', words, rest: flags };
}

/** Runs what the context's argv asks for. */
export async function runProgram(context: Context): Promise<ExitCode> {
	if (context.argv[0] === COMPLETER) {
		return (await import('./completion/complete.js')).runCompleter(context, context.argv.slice(1));
	}
	const { argv } = context;
	if (argv[0] === 'help') return (await import('./help/command.js')).runHelp(context, argv.slice(1));
	const target = await findTarget(argv);
	if (target.kind === 'version') {
		context.stdout.write(`${version}\n`);
		return ExitCode.ok;
	}
	if (target.kind !== 'command') {
		const { runHelp } = await import('./help/command.js');
		return runHelp(context, target.kind === 'group' ? target.words : []);
	}
	const { entry, rest } = target;
	const [{ command }, { parseLine }] = await Promise.all([entry.load(), import('./parse.js')]);
	const { args, options, help } = parseLine(command, entry.words, rest);
	if (help) return (await import('./help/command.js')).runHelp(context, entry.words);
	return command.run({ context, args, options, words: entry.words });
}
