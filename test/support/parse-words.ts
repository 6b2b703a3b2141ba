/** A command's own words → its arguments and flags, without the program around it. */

import { CommanderError } from 'commander';
import type { CommandSpec } from '../../src/cli/command.js';
import type { OptionValues } from '../../src/cli/options/option.js';
import { addSpec, silentCommand, toUsageError, withBareValues } from '../../src/cli/parse.js';

/** The arguments and flags of words that stand behind a command's own. @throws UsageError */
export function parseWords(
	spec: Pick<CommandSpec, 'options' | 'arguments'>,
	path: readonly string[],
	words: readonly string[],
): { args: readonly string[]; options: OptionValues } {
	const command = silentCommand(path.join(' '));
	addSpec(command, spec);
	try {
		command.parse(withBareValues(spec.options, words), { from: 'user' });
	} catch (error) {
		throw error instanceof CommanderError ? toUsageError(error, command, path) : error;
	}
	return { args: command.args, options: command.opts() };
}
