/** `--move-tickets`: the runs that give tickets of users to others before the users are deleted. */

import { endpoints } from '../../api/endpoints.js';
import { jobOf, type RunJob } from './job.js';

/** A ticket that somebody else got meanwhile is left alone. */
export function moveJob(job: RunJob, field: string, ids: readonly string[], from: string, to: string): RunJob {
	const { session, options } = job;
	// Results are those of the users.
	const stdout = {
		write: () => undefined,
		isTTY: false,
		columns: undefined,
		flush: async () => undefined,
		closed: false,
	};
	const context = { ...job.context, stdout };
	const { confirm, verify, debug, verbose, note } = options;
	const name = 'ticket.update';
	const values = { ids: {}, fields: { [field]: Number(to) }, withheld: [], force: false, add: {}, remove: {} };
	const given = { endpoint: endpoints[name], source: { from: 'ids' as const, ids: [...ids] }, values, secrets: {} };
	// The answer to the question about the users counts for their tickets.
	const own = {
		confirm,
		verify,
		debug,
		verbose,
		note,
		if: [[field, from] as [string, string]],
		yes: true,
		quiet: true,
	};
	return jobOf(name, given, { args: [], context, options: own }, session);
}
