/** What a command is: a description as data, from which parsing, help, completion and docs/reference.md derive, and a function that runs it. */

import type { Endpoint } from '../api/endpoints.js';
import type { ExitCode } from '../errors.js';
import type { Context } from '../io/context.js';
import type { Completes, OptionSpec, OptionValues, ValuesOf } from './options/option.js';
import type { connectionOptions, outputOptions } from './options/shared.js';

export interface ArgumentSpec {
	readonly name: string;
	readonly help: string;
	readonly required: boolean;
	readonly variadic?: boolean;
	/** Allowed values; another is a usage error that lists them. */
	readonly choices?: readonly string[];
	/** Values that help lists and completion offers, though others may be allowed. */
	readonly suggests?: readonly string[];
	readonly completes?: Completes;
}

export type RequestSpec = Pick<Endpoint, 'method' | 'path' | 'documented'>;

/** What each call does, a short phrase. */
export type Examples = Readonly<Record<string, string>>;

/** The flags that most commands share; a command without one of them has no value for it. */
export type SharedValues = ValuesOf<typeof outputOptions> & ValuesOf<typeof connectionOptions>;

export interface Invocation<
	Values extends OptionValues = SharedValues & OptionValues,
	Arguments extends readonly string[] = readonly string[],
> {
	readonly context: Context;
	/** The positional arguments, in order; a variadic one is spread into the rest. */
	readonly args: Arguments;
	readonly options: Values;
	/** The command's words, for instance ['ticket', 'update']. */
	readonly words: readonly string[];
}

/** Required arguments have a text; the others may be missing. */
type ArgumentTexts<Specs extends readonly ArgumentSpec[]> = Specs extends readonly [
	infer First extends { readonly required: true },
	...infer Rest extends readonly ArgumentSpec[],
]
	? readonly [
			First extends { readonly choices: readonly (infer Choice extends string)[] } ? Choice : string,
			...ArgumentTexts<Rest>,
		]
	: readonly string[];

interface CommandDescription<Options, Arguments> {
	readonly description?: string;
	readonly examples: Examples;
	/** What it sends, for help: paths below /support-api/v1; several where they depend on an argument. */
	readonly requests?: readonly RequestSpec[];
	/** Its exit codes, where they do not follow from its requests. */
	readonly exitCodes?: readonly ExitCode[];
	readonly arguments: Arguments;
	readonly options: Options;
}

/** Any command, as the parser, help and completion see it. */
export interface CommandSpec extends CommandDescription<readonly OptionSpec[], readonly ArgumentSpec[]> {
	run(invocation: Invocation): Promise<ExitCode>;
}

/** A command whose function gets the types that its options and arguments say. */
export function defineCommand<
	const Options extends readonly OptionSpec[],
	const Arguments extends readonly ArgumentSpec[],
>(
	command: CommandDescription<Options, Arguments> & {
		run(invocation: Invocation<ValuesOf<Options>, ArgumentTexts<Arguments>>): Promise<ExitCode>;
	},
): CommandSpec {
	return command as CommandSpec;
}
