/** A command: data for parsing, help and completion, and its function. */

import type { Endpoint } from '../api/endpoints.js';
import { quote } from '../api/values.js';
import type { ExitCode } from '../errors.js';
import type { Context } from '../io/context.js';
import type { Completes, OptionSpec, OptionValues, ValuesOf } from './options/option.js';
import type { connectionOptions, outputOptions } from './options/shared.js';

export interface ArgumentSpec {
	readonly name: string;
	readonly help: string;
	readonly required: boolean;
	/** Takes the rest of the arguments. */
	readonly variadic?: boolean;
	readonly choices?: readonly string[];
	readonly suggests?: readonly string[];
	/** What is meant where it was left out in front of others. */
	readonly usual?: string;
	readonly completes?: Completes;
}

/** What the arguments that are there were read as: ` ("73" is the <ticket-id>)`. */
export function readAs(places: readonly Pick<ArgumentSpec, 'name'>[], given: readonly string[]): string {
	const texts = places.slice(0, given.length).map(({ name }, at) => {
		return `${quote(given[at] as string)} is the <${name.replaceAll('_', '-')}>`;
	});
	return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}

type SharedFlags = ValuesOf<typeof outputOptions> & ValuesOf<typeof connectionOptions>;

export interface Invocation<
	Values extends OptionValues = SharedFlags & OptionValues,
	Arguments extends readonly string[] = readonly string[],
> {
	readonly context: Context;
	/** A variadic one is spread into the rest. */
	readonly args: Arguments;
	readonly options: Values;
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
	/** For help. */
	readonly requests?: readonly Endpoint[];
	/** Where they don't follow from its requests. */
	readonly exitCodes?: readonly ExitCode[];
	readonly arguments: Arguments;
	readonly options: Options;
}

/** As the parser, help and completion see it. */
export interface CommandSpec extends CommandDescription<readonly OptionSpec[], readonly ArgumentSpec[]> {
	/** @returns undefined for success */
	run(invocation: Invocation): Promise<ExitCode | undefined>;
}

/** Gives a command's function the types of its options and arguments. */
export function defineCommand<
	const Options extends readonly OptionSpec[],
	const Arguments extends readonly ArgumentSpec[],
>(
	command: CommandDescription<Options, Arguments> & {
		run(invocation: Invocation<ValuesOf<Options>, ArgumentTexts<Arguments>>): Promise<ExitCode | undefined>;
	},
): CommandSpec {
	return command as CommandSpec;
}
