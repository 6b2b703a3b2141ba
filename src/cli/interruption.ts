/** Signals to commands without a journal: they end at once, with 130. */

import { plural } from '../api/names.js';
import { ExitCode, InterruptedError } from '../errors.js';
import type { Outcome } from '../http/outcome.js';
import { type Sendable, type SendOptions, send } from '../http/send.js';
import type { Client } from '../http/types.js';
import type { Context } from '../io/context.js';
import { renderError } from '../output/errors.js';
import type { Invocation } from './command.js';
import { notify } from './notices.js';
import { wantsJson } from './results.js';

/** Quits at the first signal, for requests that only read. */
export function leaveOnSignal({ context, options }: Invocation, says: string, before?: () => void): () => void {
	return context.signals.listen(() => {
		before?.();
		const error = new InterruptedError(`interrupted; ${says}`);
		context.stderr.write(renderError(error, { json: wantsJson(options) }));
		context.abandon(error.exitCode);
	});
}

export interface Stoppable {
	stop(): void;
	open(): number;
	/** Clears the screen's last line. */
	clear?(): void;
	resume?: string | undefined;
}

/** The first signal lets requests under way finish, the second quits. Before `started` the first one quits. @param before cleans up if nothing was sent */
export function listenForStop({ context, options }: Invocation, before: () => void = () => undefined) {
	const { stderr, signals, abandon } = context;
	let work: Stoppable | undefined;
	let isStopping = false;
	const end = signals.listen(() => {
		if (work === undefined) {
			before();
			const error = new InterruptedError('interrupted; nothing was sent');
			stderr.write(renderError(error, { json: wantsJson(options) }));
			return abandon(error.exitCode);
		}
		work.clear?.();
		if (isStopping) {
			const resume = work.resume === undefined ? '' : `; to send the rest: ${work.resume}`;
			notify(context, 'message', `quitting now${resume}`);
			return abandon(ExitCode.interrupted);
		}
		isStopping = true;
		const open = work.open();
		const rows = `${open} ${plural('row', open)} unfinished`;
		notify(context, 'message', `Stopping (${rows})… waiting for requests in flight. Press Ctrl-C again to quit now.`);
		work.stop();
	});
	return {
		started(stoppable: Stoppable): void {
			work = stoppable;
		},
		end,
	};
}

/** A signal closes the connection of the request under way and throws InterruptedError, unless the response was quicker. @param says what is known of the request */
export function createInterruptibleSend(
	{ signals, abandon }: Context,
	client: Client,
	says: (delivery: Outcome, request: Sendable) => string,
) {
	const stop = new AbortController();

	function giveUp(): void {
		// A connection that does not close.
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
