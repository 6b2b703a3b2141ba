/** An option as data: parsing, help, completion and its type derive from it. */

export type Completes = 'profiles' | 'files' | 'runs';

export interface OptionSpec {
	/** `-j, --concurrency <n>`, `--no-color`. */
	readonly flags: string;
	readonly help: string;
	readonly group: string;
	readonly repeatable?: boolean;
	/** What the flag alone stands for, in `--name[=value]`. */
	readonly bare?: string;
	readonly counted?: boolean;
	readonly choices?: readonly string[];
	readonly suggests?: readonly string[];
	readonly parse?: (text: string, flag: string) => unknown;
	/** For help; the command applies it. */
	readonly defaultText?: string;
	readonly completes?: Completes;
	/** Long names without dashes. */
	readonly conflicts?: readonly string[];
}

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
	readonly [Spec in Specs[number] as CamelCase<LongName<Spec['flags']>>]?: ValueOf<Spec> | undefined;
};

/** Under one heading of help. */
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

/** `dry-run` of `-n, --dry-run`. */
export function longName({ flags }: OptionSpec): string {
	return /--(?:no-)?([a-z0-9-]+)/.exec(flags)?.[1] ?? flags;
}

/** `--no-color`. */
export function longFlag({ flags }: OptionSpec): string {
	return /--[a-z0-9-]+/.exec(flags)?.[0] ?? flags;
}

/** `-j` of `-j, --concurrency <n>`. */
export function shortFlag({ flags }: OptionSpec): string | undefined {
	return /^(-[A-Za-z0-9]),/.exec(flags)?.[1];
}

/** In the next word: that of `--name[=value]` follows the `=`. */
export function takesValue({ flags }: OptionSpec): boolean {
	return flags.includes('<');
}

/** With or without a value: `--rate=3`, `-j4`. */
export function findOption<Spec extends OptionSpec>(options: readonly Spec[], word: string): Spec | undefined {
	const flag = word.startsWith('--') ? word.split('=')[0] : word.slice(0, 2);
	return options.find((option) => longFlag(option) === flag || shortFlag(option) === flag);
}

/** A value's name in `options`. */
export function camelCase(name: string): string {
	return name.replace(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
