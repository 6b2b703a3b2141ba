/** Words for a person on stderr: warnings always, confirmations unless --quiet; and the colours of both streams. */

import type { Context } from '../io/context.js';
import { openPalette, type Palette } from '../output/colour.js';
import { sanitise } from '../output/sanitise.js';
import type { Invocation } from './command.js';

export function paletteFor(
	{ context, options }: Pick<Invocation, 'context' | 'options'>,
	stream: 'stdout' | 'stderr',
): Promise<Palette> {
	return openPalette(context, context[stream].isTTY, options.color === false);
}

/** Each on a line of its own, made safe for a terminal. */
export function warn(context: Context, warnings: readonly string[]): void {
	for (const warning of warnings) context.stderr.write(`warning: ${sanitise(warning)}\n`);
}

/** What was done, for a person; programs look at the exit code or ask for --json. */
export function say({ context, options }: Pick<Invocation, 'context' | 'options'>, text: string): void {
	if (options.quiet !== true) context.stderr.write(`${sanitise(text)}\n`);
}

/** Shows on a terminal what a request waits for; undefined where no person sees it. */
export function waitNotice({
	context: { stderr },
	options,
}: Pick<Invocation, 'context' | 'options'>): ((what: string) => void) | undefined {
	if (stderr.isTTY !== true || options.quiet === true || options.json === true) return undefined;
	return (what) => stderr.write(`waiting ${sanitise(what)} …\n`);
}
