/** `--move-tickets`: the runs that give tickets of users to others before the users are deleted. */

import { endpoints } from '../../api/endpoints.js';
import { jobOf, type RunJob } from './job.js';

interface Moving {
	readonly field: string;
	readonly tickets: readonly string[];
	/** Of the user who has them. */
	readonly id: string;
	readonly label: string;
	readonly receiver: string;
}

/** A ticket that somebody else got meanwhile is left alone. */
export function moveJob(job: RunJob, { field, tickets, id, label, receiver }: Moving): RunJob {
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
	const values = { ids: {}, fields: { [field]: Number(receiver) }, withheld: [], force: false, add: {}, remove: {} };
	const given = { endpoint: endpoints[name], source: { from: 'ids' as const, ids: [...tickets] }, values, secrets: {} };
	// The answer to the question about the users counts for their tickets.
	const own = {
		confirm,
		verify,
		debug,
		verbose,
		note,
		if: [[field, id] as [string, string]],
		yes: true,
		quiet: true,
	};
	const moving = jobOf(name, given, { args: [], context, options: own }, session);
	return { ...moving, partOf: options.quiet === true ? undefined : `moving tickets of ${label}` };
}
