/** What unknown words and flags may mean: the command to type. */

import { type Read, reads } from '../api/reads.js';
import { nearest } from '../api/suggest.js';
import { quote } from '../api/values.js';
import { UsageError } from '../errors.js';
import { isSecretName } from '../output/redact.js';
import { shellWord } from '../profile/settings.js';
import { commands, nextWords, ourWord } from './manifest.js';
import { flagsMeant, nouns, verbs } from './words.js';

const isCommand = (words: readonly string[]): boolean => commands.some((each) => each.words.join() === words.join());

/** @param rest begins with the unknown word */
export function unknownCommand(path: readonly string[], rest: readonly string[]): UsageError {
	const [word = ''] = rest;
	const under = path.length === 0 ? '' : ` under "${path.join(' ')}"`;
	const meant = meantCommand(path, rest);
	let hint = `run "supportctl ${[...path, '--help'].join(' ')}" to see the commands`;
	if (meant !== undefined) hint = `did you mean: supportctl ${meant}`;
	else if (['create', 'new', 'add'].includes(word)) {
		hint = 'the API documents no way to create objects; send any request with "supportctl api POST"';
	}
	return new UsageError(`unknown command ${quote(word)}${under}`, { code: 'unknown_command', hint });
}

function meantCommand(path: readonly string[], rest: readonly string[]): string | undefined {
	const [word = '', ...args] = rest;
	const isTop = path.length === 0;
	if (isTop) {
		const [second = '', ...others] = args;
		const noun = nounOf(word);
		if (noun !== undefined) return commandLine([noun], args);
		// `show ticket 14`
		const named = nounOf(second);
		if (named !== undefined) return commandLine([named], isCommand([named]) ? others : [word, ...others]);
	}
	for (const group of [isTop ? ['ticket'] : path, []]) {
		for (const template of verbs.get(word.toLowerCase()) ?? []) {
			const end = template.search(/ [{-]|$/);
			const words = [...group, ...template.slice(0, end).split(' ')];
			if (isCommand(words)) return words.join(' ') + fill(template.slice(end), args);
		}
	}
	const read = new Map<string, Read>(Object.entries(reads)).get(path.join(' '));
	if (read !== undefined && /^\d+$/.test(word)) {
		return commandLine([...path, rest.length <= read.owners.length ? 'list' : 'get'], rest);
	}
	const near = nearest(word, nextWords(path));
	return near === undefined ? undefined : commandLine([...path, near], args);
}

function nounOf(word: string): string | undefined {
	return nouns.get(word.toLowerCase().replace(/s$/, '')) ?? ourWord([], word);
}

function commandLine(group: readonly string[], rest: readonly string[]): string {
	const [word = '', ...args] = rest;
	if (isCommand(group)) return [...group, ...shown(rest)].join(' ');
	const ours = ourWord(group, word);
	if (ours !== undefined) return [...group, ours, ...shown(args)].join(' ');
	return (word === '' ? undefined : meantCommand(group, rest)) ?? `${group.join(' ')} --help`;
}

/** Up to the first flag, since a flag's value may be secret. */
function shown(words: readonly string[]): string[] {
	const end = words.findIndex((each) => each.startsWith('-'));
	return (end === -1 ? words : words.slice(0, end)).slice(0, 5).map((each) => shellWord(each.slice(0, 60)));
}

function fill(template: string, args: readonly string[]): string {
	const words = shown(args);
	const [first = 'ID', last = '…'] = words;
	return template.replace('{first}', first).replace('{last}', last).replace('{}', words.join(' ')).trimEnd();
}

/** A script must not treat that as success. */
export function missingCommand(path: readonly string[]): UsageError {
	const name = path.join(' ');
	return new UsageError(`"${name}" needs a command: ${nextWords(path).join(', ')}`, {
		code: 'missing_command',
		hint: `run "supportctl ${name} --help" to see them`,
	});
}

export function unknownFlag(
	given: string,
	path: readonly string[],
	known: readonly string[],
	hint: string,
): UsageError {
	const flag = (given.split('=')[0] as string).slice(0, 60);
	if (isSecretName(flag.replace(/^-+/, ''))) {
		return new UsageError(`${flag} is not supported: flags are visible to other users`, {
			code: 'secret_on_command_line',
			hint: 'use --password-stdin or the prompt',
		});
	}
	const own = flagsMeant.get(flag);
	const isKnown = own !== undefined && known.includes(own.split(' ')[0] as string);
	const near = isKnown ? own : nearest(flag, known);
	return new UsageError(`unknown flag ${flag}`, {
		code: 'unknown_flag',
		hint: near === undefined ? hint : `did you mean: ${['supportctl', ...path, near].join(' ')}`,
	});
}
