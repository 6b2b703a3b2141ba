/** An option as data: parsing, help, completion and its type derive from it. */

/** What completion looks up by itself. */
export type Completes = 'profiles' | 'files' | 'runs' | 'plans';

export interface OptionSpec {
	/** `-j, --concurrency <n>` */
	readonly flags: string;
	readonly help: string;
	/** The heading in help. */
	readonly group: string;
	/** Its values are an array. */
	readonly repeatable?: boolean;
	/** What the flag alone stands for, in `--name[=value]`. */
	readonly bare?: string;
	readonly counted?: boolean;
	readonly choices?: readonly string[];
	readonly suggests?: readonly string[] | undefined;
	readonly parse?: (text: string, flag: string) => unknown;
	readonly defaultText?: string | undefined;
	readonly completes?: Completes;
	/** Long names, without dashes. */
	readonly conflicts?: readonly string[];
	/** It says how input is read, so it could do nothing for IDs on the command line. */
	readonly needsInput?: boolean;
	/** Accepted for scripts that have it, since it became the default; help and completion leave it out. */
	readonly hidden?: boolean;
}

/** By camel-cased long names, as commander gives them: `--retry-after` is `retryAfter`. */
export type OptionValues = Readonly<Record<string, unknown>>;

type FirstWord<Text extends string> = Text extends `${infer Word}${' ' | '['}${string}` ? Word : Text;

type LongName<Flags extends string> = Flags extends `${string}--${infer Rest}` ? FirstWord<Rest> : never;

type Positive<Name extends string> = Name extends `no-${infer Rest}` ? Rest : Name;

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
	? `${Head}${Capitalize<CamelCase<Tail>>}`
	: Name;

type OneValue<Spec> = Spec extends { parse: (text: string, flag: string) => infer Value }
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
	readonly [Spec in Specs[number] as CamelCase<Positive<LongName<Spec['flags']>>>]?: ValueOf<Spec> | undefined;
};

export function options<const Specs extends readonly Omit<OptionSpec, 'group'>[]>(group: string, specs: Specs) {
	return specs.map((spec: Specs[number]) => ({ ...spec, group }));
}

type Named<Spec, Name> = Spec extends OptionSpec ? (LongName<Spec['flags']> extends Name ? Spec : never) : never;

/** In their own order. */
export function pick<Spec extends OptionSpec, const Name extends string>(specs: readonly Spec[], ...names: Name[]) {
	const isNamed = (spec: Spec): spec is Named<Spec, Name> => names.some((name) => name === longName(spec));
	return specs.filter(isNamed);
}

export function allBut<Spec extends OptionSpec, const Name extends string>(specs: readonly Spec[], ...names: Name[]) {
	const isOther = (spec: Spec): spec is Exclude<Spec, Named<Spec, Name>> =>
		names.every((name) => name !== longName(spec));
	return specs.filter(isOther);
}

export function shownOptions(options: readonly OptionSpec[]): OptionSpec[] {
	return options.filter(({ hidden }) => hidden !== true);
}

/** `dry-run` of `-n, --dry-run`. */
export function longName({ flags }: OptionSpec): string {
	return /--([a-z0-9-]+)/.exec(flags)?.[1] ?? flags;
}

/** In the next word; that of `--name[=value]` is in the same. */
export function takesValue({ flags }: OptionSpec): boolean {
	return flags.includes('<');
}

/** `word` may hold a value: `--rate=3`, `-j4`. */
export function findOption(options: readonly OptionSpec[], word: string): OptionSpec | undefined {
	const flag = word.startsWith('--') ? (word.split('=')[0] as string) : word.slice(0, 2);
	return options.find(({ flags }) => flags.split(/[ ,[]+/).includes(flag));
}

/** `dry-run` → `dryRun`, as the values are named. */
export function camelCase(name: string): string {
	return name.replace(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
