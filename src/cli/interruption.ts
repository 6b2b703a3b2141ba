/** Signals to commands that keep no journal: they end at once, with 130 and a line on what is known by then. */

import { ExitCode, InterruptedError } from '../errors.js';
import type { Outcome } from '../http/outcome.js';
import { type Sendable, type SendOptions, send } from '../http/send.js';
import type { Client } from '../http/types.js';
import type { Context } from '../io/context.js';
import { renderError } from '../output/errors.js';
import type { Invocation } from './command.js';
import { wantsJson } from './results.js';

/**
 * Ends the program at the first signal, until the returned function is called. For commands whose requests only read:
 * not even a name that is being resolved is waited for.
 * @param before what is still done
 */
export function leaveOnSignal(
	{ context, options }: Pick<Invocation, 'context' | 'options'>,
	says: string,
	before?: () => void,
): () => void {
	return context.signals.listen(() => {
		before?.();
		const error = new InterruptedError(`interrupted; ${says}`);
		context.stderr.write(renderError(error, { json: wantsJson(options) }));
		context.abandon(error.exitCode);
	});
}

/**
 * Delivers requests, of which a signal gives up the one under way by closing its connection: only so it is known whether
 * it was sent. The function throws InterruptedError then, unless the response was quicker.
 * @param says What is known of the request that was given up.
 */
export function createInterruptibleSend(
	{ signals, abandon }: Context,
	client: Client,
	says: (delivery: Outcome, request: Sendable) => string,
) {
	const stop = new AbortController();

	function giveUp(): void {
		// A connection that does not close is not waited for.
		if (stop.signal.aborted) abandon(ExitCode.interrupted);
		stop.abort();
		void client.close();
	}

	return async (request: Sendable, options: SendOptions): Promise<Outcome> => {
		const unlisten = signals.listen(giveUp);
		try {
			const delivery = await send(client, request, { ...options, stop: stop.signal });
			const isOpen = delivery.outcome === 'unknown' || delivery.outcome === 'not-sent';
			if (stop.signal.aborted && isOpen) throw new InterruptedError(`interrupted; ${says(delivery, request)}`);
			return delivery;
		} finally {
			unlisten();
		}
	};
}
