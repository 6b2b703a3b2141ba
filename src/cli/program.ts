/** The program's tree of commands, from the manifest; a command's own file is loaded when the command is chosen. */

import { type Command, CommanderError, Option } from 'commander';
import { ExitCode, UsageError } from '../errors.js';
import type { Context } from '../io/context.js';
import { version } from '../version.js';
import { type CommandEntry, commands, startsWith } from './manifest.js';
import { connectionOptions } from './options/connection.js';
import { longFlag } from './options/option.js';
import { outputOptions } from './options/output.js';
import { allowDiffersOption } from './options/run.js';
import { addSpec, silentCommand, toUsageError, unknownFlag, withBareValues } from './parse.js';

/** The word by which completion scripts ask; it is in no list of commands. */
const COMPLETER = '__complete';

/** Runs what the context's argv asks for. @throws UsageError and whatever the command throws */
export async function runProgram(context: Context): Promise<ExitCode> {
	const { argv } = context;
	if (argv[0] === COMPLETER) {
		return (await import('./completion/complete.js')).runCompleter(context, argv.slice(1));
	}
	const program = new Program(context);
	try {
		await program.root.parseAsync(withBareValues([allowDiffersOption], argv), { from: 'user' });
		return program.exitCode;
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		return program.end(error);
	}
}

class Program {
	readonly root = silentCommand('supportctl').version(version, '-V, --version');
	exitCode: ExitCode = ExitCode.ok;
	/** What has to be added to a command before its words are parsed. */
	private readonly preparations = new Map<Command, () => void | Promise<void>>();
	/** The command that the words have led to. */
	private chosen: Command = this.root;

	constructor(private readonly context: Context) {
		this.addGroup(this.root);
		rememberShared(this.root);
		this.root
			.command('help')
			.argument('[words...]')
			.allowUnknownOption()
			.action(async (words: string[]) => void (await this.printHelp(words)));
		this.root.command('version').action(() => this.context.stdout.write(`${version}\n`));
		for (const entry of commands) this.addEntry(entry);
	}

	private addGroup(group: Command): Command {
		return group.hook('preSubcommand', (_group, next) => {
			this.chosen = next;
			return this.preparations.get(next)?.();
		});
	}

	private addEntry(entry: CommandEntry): void {
		let parent = this.root;
		for (const word of entry.words.slice(0, -1)) {
			const known = parent.commands.find((each) => each.name() === word);
			const group = known ?? this.addGroup(parent.command(word));
			this.preparations.set(group, () => rememberShared(group));
			parent = group;
		}
		const leaf = parent.command(entry.words.at(-1) as string).summary(entry.summary);
		this.preparations.set(leaf, async () => {
			const command = await entry.load();
			addSpec(leaf, command);
			const [flag] = leaf.parseOptions(rememberedWords(leaf)).unknown;
			if (flag !== undefined) throw unknownFlag(flag, leaf, entry.words);
			leaf.action(async () => {
				const invocation = { context: this.context, args: leaf.args, options: leaf.opts(), words: entry.words };
				this.exitCode = await command.run(invocation);
			});
		});
	}

	private async printHelp(words: readonly string[]): Promise<ExitCode> {
		this.exitCode = await (await import('./help/help.js')).runHelp(this.context, words);
		return this.exitCode;
	}

	/** What commander ends a parse with: help, the version, or a complaint. @throws UsageError */
	async end(error: CommanderError): Promise<ExitCode> {
		const words = pathOf(this.chosen);
		switch (error.code) {
			case 'commander.version':
				this.context.stdout.write(`${version}\n`);
				return ExitCode.ok;
			case 'commander.helpDisplayed':
				return this.printHelp(longestCommand([...words, ...this.chosen.args]));
			case 'commander.help':
				if (this.chosen !== this.root && ownWords(this.chosen).length > 0) throw missingCommand(this.chosen, words);
				return this.printHelp(words);
			case 'commander.unknownCommand': {
				const { unknownCommand } = await import('./unknown-command.js');
				const [word, next] = this.chosen.args as [string, ...string[]];
				throw unknownCommand(words, word, next);
			}
			default:
				throw toUsageError(error, this.chosen, words);
		}
	}
}

/** The words by which a command is called. */
function pathOf(command: Command): string[] {
	return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

/** The longest beginning of some words, flags left out, that leads to a command or a group. */
function longestCommand(given: readonly string[]): string[] {
	const words: string[] = [];
	for (const word of given.filter((each) => !each.startsWith('-'))) {
		if (!commands.some((entry) => startsWith(entry, [...words, word]))) break;
		words.push(word);
	}
	return words;
}

/**
 * Shared flags may stand before a command and between its words. Each is kept as words, for the command itself to parse.
 */
function rememberShared(command: Command): void {
	for (const spec of [...outputOptions, ...connectionOptions]) {
		const flag = longFlag(spec);
		command.addOption(
			new Option(spec.flags).argParser((text: string | undefined, before: unknown) => [
				...(Array.isArray(before) ? (before as string[]) : []),
				...(text === undefined ? [flag] : [flag, text]),
			]),
		);
	}
}

function ownWords(group: Command): string[] {
	return Object.values(group.opts<Record<string, unknown>>())
		.filter((value) => Array.isArray(value))
		.flat() as string[];
}

/** The shared flags that stand before a command's last word. */
function rememberedWords({ parent }: Command): string[] {
	return parent === null ? [] : [...rememberedWords(parent), ...ownWords(parent)];
}

/** A flag without the command that it is for: nothing was done, which no script may take for done. */
function missingCommand(group: Command, words: readonly string[]): UsageError {
	const name = words.join(' ');
	const next = group.commands.map((each) => each.name()).join(', ');
	return new UsageError(`${JSON.stringify(name)} alone is not a command; it continues with one of ${next}`, {
		code: 'missing_command',
		hint: `supportctl ${name} --help lists the commands`,
	});
}
