/** argv → the command that is meant, loaded by itself, and run. */

import { didYouMean } from '../api/suggest.js';
import { ExitCode, UsageError } from '../errors.js';
import type { Context } from '../io/context.js';
import { type CommandEntry, commands, startsWith } from './manifest.js';

/** What the words of a command line lead to. */
export type Target =
	| { kind: 'command'; entry: CommandEntry; rest: readonly string[] }
	| { kind: 'group'; words: readonly string[] }
	| { kind: 'overview' };

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
	return words.length === 0 ? { kind: 'overview' } : { kind: 'group', words };
}

function unknownCommand(words: readonly string[], word: string): UsageError {
	const siblings = commands
		.filter((each) => startsWith(each, words))
		.map((each) => each.words[words.length])
		.filter((each): each is string => each !== undefined);
	const under = words.length === 0 ? '' : ` under "${words.join(' ')}"`;
	return new UsageError(
		`unknown command ${JSON.stringify(word.slice(0, 60))}${under}${didYouMean(word, new Set(siblings))}`,
		{
			code: 'unknown_command',
			hint: `supportctl ${[...words, '--help'].join(' ')} lists the commands`,
		},
	);
}

/** Flags that stand before the command belong to it; they are moved behind its words. One that asks for the version is all that is left. */
async function moveLeadingFlags(argv: readonly string[]): Promise<readonly string[]> {
	if (!argv[0]?.startsWith('-') || (argv.length === 1 && HELP_FLAGS.has(argv[0]))) return argv;
	const [{ outputOptions }, { connectionOptions }, { longFlag, takesValue }] = await Promise.all([
		import('./options/output.js'),
		import('./connection-options.js'),
		import('./option-names.js'),
	]);
	const known = [...outputOptions, ...connectionOptions];
	let at = 0;
	while (at < argv.length && (argv[at] as string).startsWith('-')) {
		const flag = (argv[at] as string).split('=')[0] as string;
		if (VERSION_FLAGS.has(flag)) return [flag];
		const spec = known.find((each) => longFlag(each) === flag || each.flags.startsWith(`${flag},`));
		if (spec === undefined && !/^-v+$/.test(flag) && !HELP_FLAGS.has(flag)) {
			throw new UsageError(
				`unknown flag ${flag.slice(0, 60)}${didYouMean(flag, [...known.map(longFlag), '--help', '--version'])}`,
				{
					code: 'unknown_flag',
					hint: 'supportctl --help lists the commands; a command takes its flags behind its name',
				},
			);
		}
		at += spec !== undefined && takesValue(spec) && !(argv[at] as string).includes('=') ? 2 : 1;
	}
	const leading = argv.slice(0, at);
	const target = findCommand(argv.slice(at));
	if (target.kind !== 'command') return argv.slice(at);
	return [...target.entry.words, ...leading, ...target.rest];
}

/** Runs what the context's argv asks for. */
export async function runProgram(context: Context): Promise<ExitCode> {
	if (context.argv[0] === COMPLETER) {
		return (await import('./completion/complete.js')).runCompleter(context, context.argv.slice(1));
	}
	const argv = await moveLeadingFlags(context.argv);
	if (argv[0] === 'help') return (await import('./help/command.js')).runHelp(context, argv.slice(1));
	if (VERSION_FLAGS.has(argv[0] ?? '')) {
		const { version } = await import('../version.js');
		context.stdout.write(`${version}\n`);
		return ExitCode.ok;
	}
	const target = findCommand(argv);
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
