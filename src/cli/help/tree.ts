/** The command tree for programs: what `help --json` prints. */

import { ExitCode } from '../../errors.js';
import { version } from '../../version.js';
import type { CommandSpec } from '../command.js';
import type { CommandEntry } from '../manifest.js';
import { longFlag, type OptionSpec, shortFlag, takesValue } from '../options/option.js';
import { ownOptions } from './flags.js';
import { readPage } from './page.js';
import { exitCodes } from './topics/texts.js';
import { topics } from './topics.js';

/** Commands with all that help shows of them, the topics of help, and the exit codes. */
export async function commandTree(entries: readonly CommandEntry[]): Promise<object> {
	const meanings = readPage(exitCodes).find((block) => block.kind === 'list')?.entries ?? [];
	return {
		name: 'supportctl',
		version,
		commands: await Promise.all(entries.map(async (entry) => commandView(entry, await entry.load()))),
		topics: topics.map(({ name, summary }) => ({ name, summary })),
		exitCodes: meanings.map(({ name, text }) => ({ code: Number(name), meaning: text })),
	};
}

function commandView({ words, group }: CommandEntry, spec: CommandSpec): object {
	const own = ownOptions(spec);
	return {
		name: words.join(' '),
		summary: spec.summary,
		...(spec.description === undefined ? {} : { description: spec.description }),
		group,
		requests: spec.requests ?? [],
		arguments: spec.arguments.map(({ name, help, required, variadic, choices, suggests }) => ({
			name,
			help,
			required,
			variadic: variadic === true,
			...(choices === undefined ? {} : { choices }),
			...(suggests === undefined ? {} : { suggests }),
		})),
		flags: spec.options.map((option) => flagView(option, !own.includes(option))),
		examples: spec.examples,
		exitCodes: exitCodesOf(spec),
	};
}

function flagView(option: OptionSpec, shared: boolean): object {
	const short = shortFlag(option);
	return {
		name: longFlag(option),
		...(short === undefined ? {} : { short }),
		type: typeOf(option),
		...(takesValue(option) ? { placeholder: /<[^>]*>/.exec(option.flags)?.[0] } : {}),
		help: option.help,
		group: option.group,
		shared,
		repeatable: option.repeatable === true,
		...(option.choices === undefined ? {} : { choices: option.choices }),
		...(option.suggests === undefined ? {} : { suggests: option.suggests }),
		...(option.defaultText === undefined ? {} : { default: option.defaultText }),
		...(option.conflicts === undefined ? {} : { conflicts: option.conflicts.map((name) => `--${name}`) }),
	};
}

/** `flag` takes no value, `optional` one behind `=` alone. */
function typeOf(option: OptionSpec): string {
	if (option.counted === true) return 'count';
	if (option.bare !== undefined) return 'optional';
	if (!takesValue(option)) return 'flag';
	if (/<(?:n|ms|seconds|p)>/.test(option.flags)) return 'number';
	return /<(?:[a-z]+\|)*file>/.test(option.flags) ? 'file' : 'string';
}

function exitCodesOf({ exitCodes: own, requests, options }: CommandSpec): readonly number[] {
	if (own !== undefined) return own;
	const { ok, failed, usage, partial, refused, unknown, differs, interrupted } = ExitCode;
	if (requests === undefined) {
		const connects = options.some((option) => longFlag(option) === '--base-url');
		return connects ? [ok, failed, usage, refused, interrupted] : [ok, failed, usage, interrupted];
	}
	const writes = requests.some(({ method }) => method !== 'GET');
	return [ok, failed, usage, partial, refused, unknown, ...(writes ? [differs] : []), interrupted];
}
