/** Words for a person on stderr: warnings always, confirmations unless --quiet. */

import type { Context } from '../io/context.js';
import { sanitise } from '../output/sanitise.js';
import type { Invocation } from './command.js';

/** Each on a line of its own, made safe for a terminal. */
export function warn(context: Context, warnings: readonly string[]): void {
	for (const warning of warnings) context.stderr.write(`warning: ${sanitise(warning)}\n`);
}

/** What was done, for a person; programs look at the exit code or ask for --json. */
export function say({ context, options }: Pick<Invocation, 'context' | 'options'>, text: string): void {
	if (options.quiet !== true) context.stderr.write(`${sanitise(text)}\n`);
}
