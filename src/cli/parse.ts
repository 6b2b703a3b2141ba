/** Descriptions of commands → commander's, and commander's complaints → ours. */

import { Argument, Command, type CommanderError, Option } from 'commander';
import { didYouMean } from '../api/suggest.js';
import { quote } from '../api/values.js';
import { UsageError } from '../errors.js';
import { isSecretName } from '../output/redact.js';
import type { CommandSpec } from './command.js';
import { camelCase, longFlag, type OptionSpec, takesValue } from './options/option.js';

/** A command that throws what it has to say; commands below it do the same. */
export function silentCommand(name: string): Command {
	return new Command(name)
		.exitOverride()
		.configureOutput({ writeOut() {}, writeErr() {} })
		.configureHelp({ formatHelp: () => '' })
		.helpCommand(false)
		.showSuggestionAfterError(false)
		.enablePositionalOptions();
}

/** Gives a command the options and arguments of its description. */
export function addSpec(command: Command, spec: Pick<CommandSpec, 'options' | 'arguments'>): void {
	for (const option of spec.options) command.addOption(toOption(option));
	for (const { name, required, variadic, choices } of spec.arguments) {
		const argument = new Argument(
			`${required ? '<' : '['}${name}${variadic === true ? '...' : ''}${required ? '>' : ']'}`,
		);
		command.addArgument(choices === undefined ? argument : argument.choices(choices));
	}
}

function toOption(spec: OptionSpec): Option {
	const option = new Option(spec.flags.replace('[=', ' ['), spec.help).conflicts((spec.conflicts ?? []).map(camelCase));
	if (spec.counted === true) return option.argParser((_text, count: number | undefined) => (count ?? 0) + 1);
	if (!takesValue(spec) && spec.bare === undefined) return option;
	if (spec.choices !== undefined) option.choices(spec.choices);
	if (spec.parse !== undefined) option.argParser(spec.parse);
	const read = option.parseArg ?? ((text: string) => text);
	if (spec.repeatable === true) {
		return option.argParser((text, before: unknown[] | undefined) => [...(before ?? []), read(text, undefined)]);
	}
	return option.argParser((text, before: unknown) => {
		if (before !== undefined) {
			throw new UsageError(`${longFlag(spec)} is given twice; it takes one value`, { code: 'repeated_flag' });
		}
		return read(text, undefined);
	});
}

/** Gives a flag without its optional value the one that it stands for: commander would take the next word, an id. */
export function withBareValues(options: readonly OptionSpec[], words: readonly string[]): string[] {
	const bare = new Map(options.flatMap((each) => (each.bare === undefined ? [] : [[longFlag(each), each.bare]])));
	const end = words.includes('--') ? words.indexOf('--') : words.length;
	return words.map((word, index) => (index < end && bare.has(word) ? `${word}=${bare.get(word)}` : word));
}

/** Why commander did not take a command line. @param path the words of `command` */
export function toUsageError(error: CommanderError, command: Command, path: readonly string[]): UsageError {
	const name = ['supportctl', ...path].join(' ');
	const hint = `${name} --help lists the flags`;
	switch (error.code) {
		case 'commander.unknownOption':
			return unknownFlag(/'(-[^']*)'/.exec(error.message)?.[1] ?? '', command, path);
		case 'commander.excessArguments': {
			const takes = command.registeredArguments.length;
			const extra = command.args[takes] ?? '';
			return new UsageError(`unexpected argument ${quote(extra)}: ${name} takes ${countOf(takes)}`, {
				code: 'excess_argument',
				hint: `${name} --help shows the usage`,
			});
		}
		case 'commander.missingArgument':
			return new UsageError(`missing <${/'([^']*)'/.exec(error.message)?.[1] ?? ''}>`, {
				code: 'missing_argument',
				hint: `${name} --help shows the usage`,
			});
		case 'commander.invalidArgument':
			return new UsageError(messageOf(error), { code: 'invalid_value' });
		case 'commander.conflictingOption':
			return new UsageError(messageOf(error), { code: 'conflicting_flags' });
		default:
			return new UsageError(messageOf(error), { hint });
	}
}

const countOf = (count: number): string => (count === 0 ? 'no arguments' : count === 1 ? 'one' : String(count));

/** commander's sentences, in our words. */
function messageOf({ message }: CommanderError): string {
	const text = message.replace(/^error: /, '').trim();
	const refused =
		/^option '(?:-\w, )?(--[\w-]+).*?' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s.exec(text) ??
		/^command-argument value '()(.*)' is invalid for argument '.*'\. Allowed choices are (.*)\.$/s.exec(text);
	if (refused === null) return text.replaceAll("option '", "flag '");
	const [, flag = '', value = '', choices = ''] = refused;
	const known = choices.split(', ');
	return `${flag === '' ? '' : `${flag}: `}${quote(value)} is not allowed${didYouMean(value, known) || ';'} it takes ${known.join(', ')}`;
}

/** @param path the words of `command` */
export function unknownFlag(given: string, command: Command, path: readonly string[]): UsageError {
	const flag = given.split('=')[0] as string;
	if (isSecretName(flag.replace(/^-+/, ''))) {
		return new UsageError(`a secret never comes from a flag, where other users of the machine could read it: ${flag}`, {
			code: 'secret_on_command_line',
			hint: 'use --password-stdin where the command has it, or leave it out to be asked',
		});
	}
	const field = path.join(' ') === 'ticket fields set' ? flag.replace(/^-+/, '') : '';
	if (field !== '' && !command.options.some((option) => didYouMean(flag, [option.long ?? '']) !== '')) {
		return new UsageError(`unknown flag ${flag.slice(0, 60)}`, {
			code: 'unknown_flag',
			hint: `--set ${field.slice(0, 60)}=VALUE sets a custom field`,
		});
	}
	if (flag === '--set' && path[0] === 'ticket') {
		return new UsageError('unknown flag --set', {
			code: 'unknown_flag',
			hint: 'supportctl ticket fields set sets custom fields',
		});
	}
	const known = [...command.options.map((option) => option.long ?? ''), '--help'];
	const help = `supportctl ${[...path, '--help'].join(' ')} lists the`;
	return new UsageError(`unknown flag ${flag.slice(0, 60)}${didYouMean(flag, known)}`, {
		code: 'unknown_flag',
		hint:
			command.commands.length === 0 ? `${help} flags` : `${help} commands; a command takes its flags behind its name`,
	});
}
