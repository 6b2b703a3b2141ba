/** Questions before something is changed for good. */

import { UsageError } from '../errors.js';
import type { Context } from '../io/context.js';

/** @param action what is refused if no one can be asked: `remove profile "desk"` @throws UsageError unless a person agrees */
export async function askToConfirm(
	{ prompts }: Context,
	{ action, question, otherwise }: { action: string; question: string; otherwise: string },
): Promise<void> {
	if (!prompts.available) {
		throw new UsageError(`refusing to ${action} without confirmation; pass --yes`, { code: 'needs_yes' });
	}
	if (await prompts.confirm(question)) return;
	throw new UsageError(`canceled; ${otherwise}`, { code: 'cancelled' });
}
