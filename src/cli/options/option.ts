/** What an option is: a description as data, from which parsing, help, completion and the type of its value derive. */

/** Kinds of names that completion looks up for itself. */
export type Completes = 'profiles' | 'files' | 'runs';

export interface OptionSpec {
	/** As commander takes it: `-j, --concurrency <n>`, `--force`, `--no-color`. */
	readonly flags: string;
	readonly help: string;
	readonly group: string;
	/** May be given several times; the values come as an array. */
	readonly repeatable?: boolean;
	/** Of a flag `--name[=value]`: the value that the flag alone stands for. */
	readonly bare?: string;
	readonly counted?: boolean;
	/** Allowed values; another is a usage error that lists them. */
	readonly choices?: readonly string[];
	/** Values that help lists and completion offers, though others may be allowed. */
	readonly suggests?: readonly string[];
	/** Turns the text into a value; throws UsageError. */
	readonly parse?: (text: string) => unknown;
	/** Shown in help; the command applies it itself. */
	readonly defaultText?: string;
	readonly completes?: Completes;
	/** Other options (long names without dashes) that can't be given with it. */
	readonly conflicts?: readonly string[];
}

/** Options by camel-cased long name, as commander gives them: `--retry-after` is `retryAfter`. */
export type OptionValues = Readonly<Record<string, unknown>>;

type FirstWord<Text extends string> = Text extends `${infer Word}${' ' | '['}${string}` ? Word : Text;

type LongName<Flags extends string> = Flags extends `${string}--no-${infer Rest}`
	? FirstWord<Rest>
	: Flags extends `${string}--${infer Rest}`
		? FirstWord<Rest>
		: never;

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
	? `${Head}${Capitalize<CamelCase<Tail>>}`
	: Name;

type OneValue<Spec> = Spec extends { parse: (text: string) => infer Value }
	? Value
	: Spec extends { choices: readonly (infer Choice)[] }
		? Choice
		: string;

type ValueOf<Spec extends OptionSpec> = Spec extends { counted: true }
	? number
	: Spec['flags'] extends `${string}${'<' | '[='}${string}`
		? Spec extends { repeatable: true }
			? OneValue<Spec>[]
			: OneValue<Spec>
		: boolean;

export type ValuesOf<Specs extends readonly OptionSpec[]> = {
	readonly [Spec in Specs[number] as CamelCase<LongName<Spec['flags']>>]?: ValueOf<Spec> | undefined;
};

/** Options under one heading of help; their values keep their types. */
export function options<const Specs extends readonly Omit<OptionSpec, 'group'>[]>(group: string, specs: Specs) {
	return specs.map((spec) => ({ ...spec, group })) as unknown as {
		readonly [At in keyof Specs]: Specs[At] & { readonly group: string };
	};
}

type Named<Spec, Name> = Spec extends OptionSpec ? (LongName<Spec['flags']> extends Name ? Spec : never) : never;

/** The options of these long names, in their own order. */
export function pick<Spec extends OptionSpec, const Name extends string>(
	specs: readonly Spec[],
	...names: Name[]
): Named<Spec, Name>[] {
	return specs.filter((spec): spec is Named<Spec, Name> => (names as string[]).includes(longName(spec)));
}

/** All options but those of these long names. */
export function allBut<Spec extends OptionSpec, const Name extends string>(
	specs: readonly Spec[],
	...names: Name[]
): Exclude<Spec, Named<Spec, Name>>[] {
	return specs.filter(
		(spec): spec is Exclude<Spec, Named<Spec, Name>> => !(names as string[]).includes(longName(spec)),
	);
}

/** The long name without dashes and value: `--dry-run` of `-n, --dry-run` is `dry-run`. */
export function longName(option: OptionSpec): string {
	return (/--(?:no-)?([a-z0-9-]+)/.exec(option.flags)?.[1] ?? option.flags) as string;
}

/** The long flag as it is typed: `--no-color`. */
export function longFlag(option: OptionSpec): string {
	return (/--[a-z0-9-]+/.exec(option.flags)?.[0] ?? option.flags) as string;
}

/** `-j` of `-j, --concurrency <n>`. */
export function shortFlag(option: OptionSpec): string | undefined {
	return /^(-[A-Za-z0-9]),/.exec(option.flags)?.[1];
}

/** Whether an option takes the next word as its value; that of `--name[=value]` stands behind the = alone. */
export function takesValue(option: OptionSpec): boolean {
	return option.flags.includes('<');
}

/** The option that a typed word is, with or without its value: `--rate`, `--rate=3`, `-j`, `-j4`. */
export function findOption<Spec extends OptionSpec>(options: readonly Spec[], word: string): Spec | undefined {
	const flag = word.startsWith('--') ? word.split('=')[0] : word.slice(0, 2);
	return options.find((option) => longFlag(option) === flag || shortFlag(option) === flag);
}

/** `dry-run` → `dryRun`, as the values are named. */
export function camelCase(name: string): string {
	return name.replace(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
