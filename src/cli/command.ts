/** What a command is: a description as data, from which parsing, help, completion and the README derive, and a function that runs it. */

import type { ExitCode } from '../errors.js';
import type { Context } from '../io/context.js';

export interface ArgumentSpec {
	readonly name: string;
	readonly help: string;
	readonly required: boolean;
	/** Takes the rest of the arguments. */
	readonly variadic?: boolean;
	/** Allowed values, listed in help and offered by completion. */
	readonly choices?: readonly string[];
	/** Values that completion offers, though others may be allowed. */
	readonly suggests?: readonly string[];
	/** What completion offers: a fixed kind of names. */
	readonly completes?: Completes;
}

/** Kinds of names that completion finds out for itself; `reports` are `format:file`. */
export type Completes = 'profiles' | 'files' | 'columns' | 'runs' | 'reports';

export interface OptionSpec {
	/** As commander takes it: `-j, --concurrency <n>`, `--force`, `--no-color`. */
	readonly flags: string;
	readonly help: string;
	/** The heading under which help lists it. */
	readonly group: string;
	/** May be given several times; the values come as an array. */
	readonly repeatable?: boolean;
	/** Of a flag `--name[=value]`: the value that the flag alone stands for. */
	readonly bare?: string;
	/** A flag that counts how often it is given. */
	readonly counted?: boolean;
	/** Allowed values; another is a usage error that names the nearest. */
	readonly choices?: readonly string[];
	/** Values that help lists and completion offers, though others may be allowed. */
	readonly suggests?: readonly string[];
	/** Turns the text into a value; throws UsageError. */
	readonly parse?: (text: string) => unknown;
	/** Shown in help; the command applies it itself. */
	readonly defaultText?: string;
	/** What completion offers: a fixed kind of names. */
	readonly completes?: Completes;
	/** Other options (long names without dashes) that can't be given with it. */
	readonly conflicts?: readonly string[];
}

export interface Example {
	readonly command: string;
	/** What it does, a short phrase. */
	readonly note: string;
}

/** A command as data plus the function that runs it. */
export interface CommandSpec {
	/** One sentence that opens its help. */
	readonly summary: string;
	readonly description?: string;
	readonly examples: readonly Example[];
	readonly arguments: readonly ArgumentSpec[];
	readonly options: readonly OptionSpec[];
	run(invocation: Invocation): Promise<ExitCode>;
}

/** Options by camel-cased long name, as commander gives them: `--retry-after` is `retryAfter`. */
export type OptionValues = Readonly<Record<string, unknown>>;

/** One call of a command. */
export interface Invocation {
	readonly context: Context;
	/** The positional arguments, in order; a variadic one is spread into the rest. */
	readonly args: readonly string[];
	readonly options: OptionValues;
	/** The command's words, for instance ['ticket', 'update']. */
	readonly words: readonly string[];
}
