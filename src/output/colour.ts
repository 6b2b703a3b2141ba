/** Whether to colour, decided once from flags, environment and terminal, and the few styles that the program uses. */

export interface ColourQuestion {
	/** `--no-color` gives false, `--color` true; undefined without either. */
	flag?: boolean | undefined;
	env: Readonly<Record<string, string | undefined>>;
	/** Whether the stream that is written to is a terminal. */
	isTTY: boolean;
}

/** A flag beats NO_COLOR, which beats FORCE_COLOR, which beats TERM=dumb, CI and what the stream is. */
export function wantsColour({ flag, env, isTTY }: ColourQuestion): boolean {
	if (flag !== undefined) return flag;
	if (env.NO_COLOR) return false;
	if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
	return isTTY && env.TERM !== 'dumb' && (!env.CI || env.CI === 'false');
}

/** Styles text that has been sanitised already. */
export type Style = (text: string) => string;

const styles = {
	/** Column headers and keys. */
	heading: 'dim',
	strong: 'bold',
	faint: 'dim',
	good: 'green',
	bad: 'red',
	doubtful: 'yellow',
	/** What a person can type. */
	command: 'cyan',
} as const;

export type Palette = { readonly enabled: boolean } & Readonly<Record<keyof typeof styles, Style>>;

function makePalette(enabled: boolean, styleOf: (name: (typeof styles)[keyof typeof styles]) => Style): Palette {
	const entries = Object.entries(styles).map(([name, colour]) => [name, styleOf(colour)]);
	return { enabled, ...Object.fromEntries(entries) };
}

/** Text as it is. */
export const plainPalette: Palette = makePalette(false, () => (text) => text);

/** The styles; chalk is loaded only where there is colour. */
export async function loadPalette(enabled: boolean): Promise<Palette> {
	if (!enabled) return plainPalette;
	const { Chalk } = await import('chalk');
	const chalk = new Chalk({ level: 1 });
	return makePalette(true, (name) => (text) => chalk[name](text));
}

/** The style of an outcome's name, or of a check's: green for done, red for refused, yellow for anything open. */
export function outcomeStyle(palette: Palette, name: string): Style {
	if (name === 'ok' || name === 'pass') return palette.good;
	if (name === 'failed' || name === 'invalid' || name === 'fail') return palette.bad;
	return name === 'skipped' ? palette.faint : palette.doubtful;
}
