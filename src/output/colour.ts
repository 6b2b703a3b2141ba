/** Whether to color, and the few styles. */

import type { Context, Output } from '../io/context.js';

const styles = {
	heading: 'dim',
	strong: 'bold',
	faint: 'dim',
	good: 'green',
	bad: 'red',
	doubtful: 'yellow',
	/** What a person can type. */
	command: 'cyan',
} as const;

export type StyleName = keyof typeof styles;

export type Palette = Readonly<Record<StyleName, (text: string) => string>>;

function makePalette(styleOf: (colour: (typeof styles)[StyleName]) => Palette[StyleName]): Palette {
	const entries = Object.entries(styles).map(([name, colour]) => [name, styleOf(colour)]);
	return Object.fromEntries(entries) as Palette;
}

export const plainPalette: Palette = makePalette(() => (text) => text);

/** `--no-color`, then NO_COLOR, FORCE_COLOR, TERM=dumb, CI, and the stream. */
export async function openPalette(
	{ env, argv }: Pick<Context, 'env' | 'argv'>,
	{ isTTY }: Pick<Output, 'isTTY'>,
): Promise<Palette> {
	if (env.NO_COLOR || argv.includes('--no-color')) return plainPalette;
	const isForced = env.FORCE_COLOR !== undefined && !['0', 'false'].includes(env.FORCE_COLOR);
	const isOff = !isTTY || env.FORCE_COLOR !== undefined || env.TERM === 'dumb' || !['', 'false'].includes(env.CI ?? '');
	if (isOff && !isForced) return plainPalette;
	const { Chalk } = await import('chalk');
	const chalk = new Chalk({ level: 1 });
	return makePalette((name) => (text) => chalk[name](text));
}
