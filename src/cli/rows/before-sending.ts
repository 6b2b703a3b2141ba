/** The time before a run's first request: a signal then ends it, and nothing is sent. */

import { ExitCode, InterruptedError } from '../../errors.js';
import type { Context } from '../../io/context.js';

export interface BeforeSending {
	/** From now on a signal ends the program with a message; before that, the system's own way will do. */
	onWait(): void;
	/** Leaves signals to somebody else. */
	end(): void;
	/** @throws InterruptedError where a signal came */
	check(): void;
}

export function watchBeforeSending(context: Context): BeforeSending {
	let interrupted = false;
	let unlisten: (() => void) | undefined;

	function leave(): void {
		interrupted = true;
		// Waiting for standard input to end would take as long as whoever writes it.
		context.stderr.write('interrupted; nothing was sent\n');
		context.abandon(ExitCode.interrupted);
	}

	return {
		onWait() {
			unlisten ??= context.signals.listen(leave);
		},
		end: () => unlisten?.(),
		check() {
			if (interrupted) throw new InterruptedError('interrupted; nothing was sent');
		},
	};
}
