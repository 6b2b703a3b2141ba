/** What can be done about the rows of a run after its end. */

import type { Counts } from './counts.js';

/** Each step with its command. @param resumable whether rows are open */
export function nextSteps(id: string, counts: Counts, resumable: boolean): [text: string, command: string][] {
	const steps: [string, string][] = [];
	if (resumable) steps.push(['to send the rest', `supportctl run resume ${id}`]);
	// What the service refused would be refused again; an overloaded service or a conflict may let the same row pass.
	if (counts.failed - counts.unauthorized - counts.refused > 0)
		steps.push(['to retry the failed rows', `supportctl run retry ${id}`]);
	if (counts.invalid + counts.differs + counts.refused + counts.conflicts > 0) {
		steps.push(['to export the rows that need a fix', `supportctl run rejects ${id} --format csv`]);
	}
	return steps;
}
