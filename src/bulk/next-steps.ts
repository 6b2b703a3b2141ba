/** What a person can do about a run's rows after its end. */

import { type Counts, openRows, rowsToMend } from './counts.js';
import type { RunHeader } from './records.js';

/** What can be done about a run's rows, each with its command. */
export function nextSteps({
	header,
	counts,
}: {
	header: Pick<RunHeader, 'id'>;
	counts: Counts;
}): [text: string, command: string][] {
	const steps: [string, string][] = [];
	const open = openRows(counts);
	if (open > 0)
		steps.push([
			open === 1 ? 'send the row that is not done' : `send the ${open} rows that are not done`,
			`supportctl run resume ${header.id}`,
		]);
	if (rowsToMend(counts) > 0) {
		steps.push(['get the failed rows to mend', `supportctl run rejects ${header.id} --format csv`]);
	}
	return steps;
}
