/** A run's messages for a program: one error object and one summary. */

import { formatComplaint } from '../../../bulk/input/rows.js';
import { totalOf } from '../../../bulk/journal/counts.js';
import type { Ended, RunEvent, Started } from '../../../bulk/run/events.js';
import { fileOf } from '../../../bulk/run/plan.js';
import type { Survey } from '../../../bulk/run/survey.js';
import { ExitCode, SupportctlError, UsageError } from '../../../errors.js';
import type { Palette } from '../../../output/colour.js';
import { renderError } from '../../../output/errors.js';
import { escapeJson } from '../../../output/sanitise.js';
import { warn } from '../../notices.js';
import { printTrouble } from '../outcomes.js';
import type { RunJob } from '../plan.js';
import { createComplaints } from './complaints.js';
import { adviceAfter, BAD, stepsAfter, whyStopped } from './ending.js';
import { invalidNote, noteColumns } from './text.js';
import { createTroubleCount, SHOWN, type View } from './view.js';

export function createJsonPrinter(job: RunJob, view: View, palette: Palette) {
	const { plan, tuning, session, invocation } = job;
	const { context, options } = invocation;
	const { stderr } = context;
	const complaints = createComplaints();
	const troubles = createTroubleCount();
	let inputName = 'input';
	let started: Started | undefined;

	function writeError(error: SupportctlError): void {
		stderr.write(renderError(error, { json: true, debug: options.debug === true, palette }));
	}

	function places(): object[] {
		const fromArguments = plan.source.from === 'ids';
		const file = fileOf(plan);
		return complaints.all().map((complaint) => {
			const { ids: _, ...place } = complaint;
			return { ...place, file, message: fromArguments ? complaint.message : formatComplaint(complaint, inputName) };
		});
	}

	function writeSurvey(survey: Survey): void {
		if (survey.invalid === 0) return;
		if (plan.skipInvalid) {
			warn(context, [invalidNote(job, survey)]);
			return;
		}
		const data = { complaints: places() };
		writeError(new UsageError(invalidNote(job, survey), { code: 'invalid_input', data }));
	}

	function writeEnd(ended: Ended): void {
		if (view.isLone) return;
		const { counts, exitCode, stopped, resumable, ms } = ended;
		const id = started?.journal?.header.id;
		const rows = totalOf(counts);
		if (exitCode !== ExitCode.ok) {
			const count = BAD.reduce((sum, name) => sum + counts[name], 0);
			const why = stopped === undefined ? '' : `${whyStopped(stopped)}; `;
			const advice = adviceAfter(stopped, session.connection);
			const rest = resumable && id !== undefined ? `to send the rest: supportctl run resume ${id}` : undefined;
			const hint = [advice, rest].filter((text) => text !== undefined).join('; ');
			const data = { run: id, stopped: stopped?.kind, counts };
			const details = { code: 'rows_failed', ...(hint === '' ? {} : { hint }), data };
			writeError(new SupportctlError(`${why}${count} of ${rows} rows did not succeed`, exitCode, details));
		}
		if (tuning.quiet && stopped === undefined) return;
		const next = stepsAfter(started?.journal?.header.plan ?? plan, ended, id).map(([, command]) => command);
		const { host } = session;
		const summary = { run: id ?? null, host, rows, ms: Math.round(ms), counts, exitCode, next };
		stderr.write(`${escapeJson(JSON.stringify({ summary }))}\n`);
	}

	return {
		/** Before the input failed. */
		beforeError(error: unknown): void {
			if (error instanceof SupportctlError && complaints.count() > 0) error.data.complaints = places();
		},
		show(event: RunEvent): void {
			switch (event.type) {
				case 'complaint':
					complaints.add(event.complaint);
					return;
				case 'surveyed':
					inputName = event.rows.input?.name ?? inputName;
					noteColumns(job, event.rows);
					writeSurvey(event.survey);
					return;
				case 'started':
					started = event;
					return;
				case 'row': {
					const place = troubles.place(event.outcome);
					if (place > 0 && view.listsFailures && (place <= SHOWN || view.isLone)) {
						printTrouble(job, event.outcome, palette, view.isLone);
					}
					return;
				}
				case 'ended':
					writeEnd(event);
					return;
				case 'planned':
				case 'previewed':
				case 'retry':
				case 'tick':
				case 'stopped':
				case 'settled':
					return;
				default:
					event satisfies never;
			}
		},
	};
}
