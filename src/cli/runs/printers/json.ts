/** A run's messages for a program: one error object and one summary. */

import { formatComplaint } from '../../../bulk/input/rows.js';
import { totalOf } from '../../../bulk/journal/counts.js';
import type { Ended } from '../../../bulk/run/events.js';
import { fileOf } from '../../../bulk/run/plan.js';
import { ExitCode, SupportctlError, UsageError } from '../../../errors.js';
import type { Palette } from '../../../output/colour.js';
import { renderError } from '../../../output/errors.js';
import { escapeJson } from '../../../output/sanitise.js';
import { warn } from '../../notices.js';
import type { RunJob } from '../plan.js';
import { adviceAfter, BAD, invalidNote, stepsAfter, whyStopped } from './ending.js';
import type { Messages, Seen, View } from './view.js';

export function jsonMessages(job: RunJob, view: View, seen: Seen, palette: Palette): Messages {
	const { plan, tuning, session, invocation } = job;
	const { context, options } = invocation;

	function writeError(error: SupportctlError): void {
		context.stderr.write(renderError(error, { json: true, debug: options.debug === true, palette }));
	}

	function complaints(): object[] {
		const fromArguments = plan.source.from === 'ids';
		return seen.complaints.map((complaint) => {
			const { row, line, column } = complaint;
			const message = fromArguments ? complaint.message : formatComplaint(complaint, seen.inputName);
			return { row, line, column, file: fileOf(plan), message };
		});
	}

	function failureOf({ counts, exitCode, stopped, resumable }: Ended): SupportctlError {
		const run = seen.header?.id;
		const count = BAD.reduce((sum, name) => sum + counts[name], 0);
		const why = stopped === undefined ? '' : `${whyStopped(stopped)}; `;
		const rest = resumable && run !== undefined ? `to send the rest: supportctl run resume ${run}` : undefined;
		const hints = [adviceAfter(stopped, session.connection), rest].filter((text) => text !== undefined);
		return new SupportctlError(`${why}${count} of ${totalOf(counts)} rows did not succeed`, exitCode, {
			code: 'rows_failed',
			hint: hints.length === 0 ? undefined : hints.join('; '),
			data: { run, stopped: stopped?.kind, counts },
		});
	}

	return {
		beforeError(error) {
			if (error instanceof SupportctlError && seen.complaints.length > 0) error.data.complaints = complaints();
		},
		invalid(survey) {
			const note = invalidNote(plan, survey);
			if (plan.skipInvalid) warn(context, [note]);
			else writeError(new UsageError(note, { code: 'invalid_input', data: { complaints: complaints() } }));
		},
		ended(ended) {
			if (view.isLone) return;
			const { counts, exitCode, stopped, ms } = ended;
			if (exitCode !== ExitCode.ok) writeError(failureOf(ended));
			if (tuning.quiet && stopped === undefined) return;
			const { header } = seen;
			const summary = {
				run: header?.id ?? null,
				host: session.host,
				rows: totalOf(counts),
				ms: Math.round(ms),
				counts,
				exitCode,
				next: header === undefined ? [] : stepsAfter(ended, header).map(([, command]) => command),
			};
			context.stderr.write(`${escapeJson(JSON.stringify({ summary }))}\n`);
		},
	};
}
