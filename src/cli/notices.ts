/** Notices on stderr, as lines or as JSON objects, and questions. */

import { UsageError } from '../errors.js';
import type { Context } from '../io/context.js';
import { asksForJson, escapeJson, sanitise } from '../output/sanitise.js';
import { capitalized } from '../text.js';
import type { Invocation } from './command.js';

export function notify({ argv, stderr }: Context, kind: 'warning' | 'message', text: string): void {
	const label = kind === 'warning' ? 'warning: ' : '';
	const line = asksForJson(argv) ? escapeJson(JSON.stringify({ [kind]: text })) : label + sanitise(text);
	stderr.write(`${line}\n`);
}

export function writeSummary({ stderr }: Context, summary: object): void {
	stderr.write(`${escapeJson(JSON.stringify({ summary }))}\n`);
}

export function warn(context: Context, warnings: readonly string[]): void {
	for (const warning of warnings) notify(context, 'warning', warning);
}

export function say({ context, options }: Invocation, text: string): void {
	if (options.quiet !== true) notify(context, 'message', text);
}

/** @param action `remove profile "desk"` @param kept `nothing was removed` @throws UsageError unless a person agrees */
export async function askToConfirm(
	{ prompts }: Context,
	action: string,
	kept: string,
	question = `${capitalized(action)}?`,
): Promise<void> {
	if (!prompts.available) {
		throw new UsageError(`refusing to ${action} without confirmation; pass --yes`, { code: 'needs_yes' });
	}
	if (await prompts.confirm(question)) return;
	throw new UsageError(`canceled; ${kept}`, { code: 'cancelled' });
}
