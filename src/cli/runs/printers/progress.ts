/** The progress of a run, drawn as its events arrive. */

import { type Counts, totalOf } from '../../../bulk/journal/counts.js';
import type { RunEvent } from '../../../bulk/run/events.js';
import type { Palette } from '../../../output/colour.js';
import { createProgress, type Progress } from '../../../output/progress.js';
import type { RunJob } from '../plan.js';
import type { View } from './view.js';

/** Worth a note. */
const PAUSE_MS = 500;

export function createProgressPrinter({ tuning, invocation }: RunJob, { json }: View, palette: Palette) {
	const { context, options } = invocation;
	let progress: Progress | undefined;

	function draw(counts: Counts, pauseMs = 0): void {
		const { failed, unknown } = counts;
		const note = pauseMs < PAUSE_MS ? {} : { note: `waiting ${Math.round(pauseMs / 1000)} s for the service` };
		progress?.update({ done: totalOf(counts), failed, unknown, ...note });
	}

	function end(): void {
		progress?.done();
		progress = undefined;
	}

	return {
		clear: (): void => progress?.clear(),
		end,
		show(event: RunEvent): void {
			switch (event.type) {
				case 'started': {
					const { total, counts } = event;
					if (total <= 1 || tuning.quiet || json) return;
					progress = createProgress(context, { total, start: totalOf(counts), palette, verbose: options.verbose });
					return;
				}
				case 'row':
					if (progress !== undefined) draw(event.counts);
					return;
				case 'tick':
					draw(event.counts, event.pauseMs);
					return;
				case 'stopped':
					progress?.clear();
					return;
				case 'settled':
					end();
					return;
				case 'complaint':
				case 'surveyed':
				case 'planned':
				case 'previewed':
				case 'retry':
				case 'ended':
					return;
				default:
					event satisfies never;
			}
		},
	};
}
