/** Signals to commands without a journal: they end at once, with 130. */

import { counted } from '../api/names.js';
import { ExitCode, interrupted } from '../errors.js';
import { renderError } from '../output/errors.js';
import { asksForJson } from '../output/sanitise.js';
import type { Invocation } from './command.js';
import { notify } from './notices.js';

/** @param says what becomes of the requests */
export function leaveOnSignal(invocation: Invocation, says: string): () => void {
	return invocation.context.signals.listen(() => leave(invocation, says));
}

function leave({ context }: Invocation, says: string): void {
	const error = interrupted(`interrupted; ${says}`);
	context.stderr.write(renderError(error, { json: asksForJson(context.argv) }));
	context.abandon(error.exitCode);
}

interface Stoppable {
	stop(): void;
	open(): number;
	clear?(): void;
	/** The command that sends the rest. */
	resume?: string | undefined;
}

/** The first signal stops the work, the second quits. Without work the first one quits. @param before cleans up if nothing was sent */
export function listenForStop(invocation: Invocation, before?: () => void) {
	const { context } = invocation;
	let isStopping = false;
	const end = context.signals.listen(() => {
		const { work } = listening;
		if (work === undefined) {
			before?.();
			return leave(invocation, 'nothing was sent');
		}
		work.clear?.();
		if (isStopping) {
			const resume = work.resume === undefined ? '' : `; to send the rest: ${work.resume}`;
			notify(context, 'message', `quitting now${resume}`);
			return context.abandon(ExitCode.interrupted);
		}
		isStopping = true;
		const open = work.open();
		const rows = `${counted(open, 'row')} unfinished`;
		notify(context, 'message', `Stopping (${rows})… waiting for requests in flight. Press Ctrl-C again to quit now.`);
		work.stop();
	});
	const listening: { work?: Stoppable; end(): void } = { end };
	return listening;
}
