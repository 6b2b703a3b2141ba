/** The time before a run's first request: a signal then ends it, nothing is sent, and no copy of the input stays behind. */

import { unlinkSync } from 'node:fs';
import { ExitCode, InterruptedError } from '../../errors.js';
import type { Context } from '../../io/context.js';

export interface BeforeSending {
	/** Notes a copy of the input; from the first one on, a signal removes them. Before that, the system's own handling will do. */
	onSpool(path: string): void;
	/** Leaves signals to other code. */
	end(): void;
	/** @throws InterruptedError where a signal came */
	check(): void;
}

export function watchBeforeSending(context: Context): BeforeSending {
	const copies: string[] = [];
	let interrupted = false;
	let unlisten: (() => void) | undefined;

	function leave(): void {
		interrupted = true;
		for (const path of copies) {
			try {
				unlinkSync(path);
			} catch {
				// It was not made yet, or is gone already.
			}
		}
		// Waiting for standard input to end would take as long as whoever writes it.
		context.stderr.write('interrupted; nothing was sent\n');
		context.abandon(ExitCode.interrupted);
	}

	return {
		onSpool(path) {
			copies.push(path);
			unlisten ??= context.signals.listen(leave);
		},
		end: () => unlisten?.(),
		check() {
			if (interrupted) throw new InterruptedError('interrupted; nothing was sent');
		},
	};
}
