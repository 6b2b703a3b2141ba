/** How a run ended: what its summary, its reports and its journal are told. */

import type { Counts } from '../../bulk/counts.js';
import type { StopReason } from '../../bulk/stop.js';
import type { ExitCode } from '../../errors.js';

/** How a run went, for its summary, its reports and its journal. */
export interface Ended {
	counts: Counts;
	exitCode: ExitCode;
	stopped: StopReason | undefined;
	/** How long this process worked on it. */
	ms: number;
	resumable: boolean;
}
