/** Questions before something is changed for good. */

import { UsageError } from '../errors.js';
import type { Context } from '../io/context.js';

/** @param action `remove profile "desk"` @param kept `nothing was removed` @throws UsageError unless a person agrees */
export async function askToConfirm(
	{ prompts }: Context,
	action: string,
	kept: string,
	question = `${action.charAt(0).toUpperCase()}${action.slice(1)}?`,
): Promise<void> {
	if (!prompts.available) {
		throw new UsageError(`refusing to ${action} without confirmation; pass --yes`, { code: 'needs_yes' });
	}
	if (await prompts.confirm(question)) return;
	throw new UsageError(`canceled; ${kept}`, { code: 'cancelled' });
}
