/** Whether to colour, decided once from flags, environment and terminal, and the few styles that the program uses. */

export interface ColourQuestion {
	/** `--no-color` gives false, `--color` true; undefined without either. */
	flag?: boolean | undefined;
	env: Readonly<Record<string, string | undefined>>;
	/** Whether the stream that is written to is a terminal. */
	isTTY: boolean;
}

function isSet(value: string | undefined): boolean {
	return value !== undefined && value !== '';
}

/** A flag beats NO_COLOR, which beats FORCE_COLOR, which beats TERM=dumb, CI and what the stream is. */
export function wantsColour({ flag, env, isTTY }: ColourQuestion): boolean {
	if (flag !== undefined) return flag;
	if (isSet(env.NO_COLOR)) return false;
	if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
	if (!isTTY || env.TERM === 'dumb') return false;
	return !isSet(env.CI) || env.CI === 'false';
}

/** Styles text that has been sanitised already. */
export type Style = (text: string) => string;

export interface Palette {
	readonly enabled: boolean;
	/** Column headers and keys. */
	readonly heading: Style;
	readonly strong: Style;
	readonly faint: Style;
	readonly good: Style;
	readonly bad: Style;
	readonly doubtful: Style;
	/** What a person can type. */
	readonly command: Style;
}

const same: Style = (text) => text;

/** Text as it is. */
export const plainPalette: Palette = {
	enabled: false,
	heading: same,
	strong: same,
	faint: same,
	good: same,
	bad: same,
	doubtful: same,
	command: same,
};

/** The styles; chalk is loaded only where there is colour. */
export async function loadPalette(enabled: boolean): Promise<Palette> {
	if (!enabled) return plainPalette;
	const { Chalk } = await import('chalk');
	const chalk = new Chalk({ level: 1 });
	return {
		enabled,
		heading: (text) => chalk.dim(text),
		strong: (text) => chalk.bold(text),
		faint: (text) => chalk.dim(text),
		good: (text) => chalk.green(text),
		bad: (text) => chalk.red(text),
		doubtful: (text) => chalk.yellow(text),
		command: (text) => chalk.cyan(text),
	};
}

/** The style of an outcome's name, or of a check's: green for done, red for refused, yellow for anything open. */
export function outcomeStyle(palette: Palette, name: string): Style {
	if (name === 'ok' || name === 'pass') return palette.good;
	if (name === 'failed' || name === 'invalid' || name === 'fail') return palette.bad;
	if (name === 'skipped') return palette.faint;
	return palette.doubtful;
}
