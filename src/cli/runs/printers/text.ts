/** A run's messages for a person. */

import { plural } from '../../../api/names.js';
import { outcomeNames, totalOf } from '../../../bulk/journal/counts.js';
import type { Ended, RunEvent, Started } from '../../../bulk/run/events.js';
import { fileOf } from '../../../bulk/run/plan.js';
import type { PlannedRows } from '../../../bulk/run/rows.js';
import type { Palette } from '../../../output/colour.js';
import { annotate, sanitise } from '../../../output/sanitise.js';
import { notify, warn } from '../../notices.js';
import { printTrouble } from '../outcomes.js';
import type { RunJob } from '../plan.js';
import { createComplaints, formatReason } from './complaints.js';
import { adviceAfter, BAD, createGroups, stepsAfter, undoObstacle, whyStopped } from './ending.js';
import { createTroubleCount, needsAttention, SHOWN, type View } from './view.js';

export function createTextPrinter(job: RunJob, view: View, palette: Palette, clear: () => void) {
	const { endpoint, plan, tuning, session, invocation } = job;
	const { context } = invocation;
	const { stderr } = context;
	const fromArguments = plan.source.from === 'ids';
	const complaints = createComplaints();
	const groups = createGroups(endpoint.noun);
	const troubles = createTroubleCount();
	/** Once each. */
	const advices = new Set<string>();
	let inputName = 'input';
	let hidesGood = false;
	let isSurveyed = false;
	let started: Started | undefined;

	function writeComplaints(): void {
		const reasons = complaints.reasons();
		for (const reason of reasons.slice(0, SHOWN)) {
			const { row, line, message } = reason.first;
			const isOne = fromArguments && reason.count === 1;
			stderr.write(`error: ${sanitise(isOne ? message : formatReason(reason, inputName))}\n`);
			annotate(context, { file: fileOf(plan), line, title: `row ${row} is invalid`, message });
		}
		const hidden = reasons.length - SHOWN;
		if (hidden <= 0) return;
		const all = plan.skipInvalid ? 'to print all: supportctl run rejects last' : 'to print all: --json';
		stderr.write(`… and ${hidden} more; ${all}\n`);
	}

	function writeSurvey({ survey, rows }: Extract<RunEvent, { type: 'surveyed' }>): void {
		isSurveyed = true;
		hidesGood = view.hidesGood(survey);
		inputName = rows.input?.name ?? inputName;
		noteColumns(job, rows);
		const { invalid } = survey;
		if (invalid === 0) return;
		writeComplaints();
		if (fromArguments) return;
		const canSkip = !plan.skipInvalid && invalid < survey.rows;
		stderr.write(`${invalidNote(job, survey)}${canSkip ? '; pass --skip-invalid to send the others' : ''}\n`);
	}

	function writeRow({ outcome }: Extract<RunEvent, { type: 'row' }>): void {
		const place = troubles.place(outcome);
		if (place > 0 && view.listsFailures && (place <= SHOWN || view.isLone)) {
			clear();
			const advice = printTrouble(job, outcome, palette, view.isLone);
			if (advice !== undefined && !view.isLone) advices.add(advice);
		}
		if (needsAttention(outcome)) groups.add(outcome);
	}

	function writeEnd(ended: Ended): void {
		const { counts, stopped, ms } = ended;
		const { host, connection } = session;
		const id = started?.journal?.header.id;
		const failures = troubles.failures();
		if (failures > SHOWN && (view.listsFailures || hidesGood)) {
			const bad = BAD.filter((name) => counts[name] > 0 && name !== 'not-sent');
			const list = `supportctl run show ${id ?? 'last'}${bad.map((name) => ` --outcome ${name}`).join('')}`;
			const lines = groups.lines().map((line) => `  ${sanitise(line)}\n`);
			stderr.write(
				`${failures} rows need attention:\n${lines.join('')}… and ${failures - SHOWN} more; to list them: ${list}\n`,
			);
		}
		if ((tuning.quiet && stopped === undefined) || id === undefined) return;
		if (stopped !== undefined) stderr.write(`${palette.bad(sanitise(whyStopped(stopped)))}\n`);
		const advice = adviceAfter(stopped, connection);
		if (advice !== undefined) advices.add(advice);
		for (const each of [...advices].slice(0, MOST_ADVICES))
			stderr.write(`${palette.strong('hint:')} ${sanitise(each)}\n`);
		const own = started?.journal?.header.plan ?? plan;
		for (const [text, command] of stepsAfter(own, ended, id))
			stderr.write(`${text}: ${palette.command(command)}
`);
		// Who gives --no-snapshot knows.
		const obstacle = invocation.options.snapshot === false ? undefined : undoObstacle(ended, own);
		if (obstacle !== undefined)
			stderr.write(`can't be undone: ${obstacle}
`);
		const rows = totalOf(counts);
		const time = ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000);
		const parts = outcomeNames
			.filter((name) => counts[name] > 0)
			.map((name) => `${counts[name]} ${name.replace('-', ' ')}`);
		const all = `${rows} ${plural('row', rows)} in ${time} s: ${parts.join(', ') || 'no rows'}`;
		stderr.write(`run ${id} on ${host}: ${all}\n`);
	}

	return {
		/** Before the input failed. */
		beforeError: (): void => {
			if (!isSurveyed) writeComplaints();
		},
		show(event: RunEvent): void {
			switch (event.type) {
				case 'complaint':
					complaints.add(event.complaint);
					return;
				case 'surveyed':
					writeSurvey(event);
					return;
				case 'started':
					started = event;
					return;
				case 'row':
					writeRow(event);
					return;
				case 'ended':
					writeEnd(event);
					return;
				// Shown by other printers.
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

const MOST_ADVICES = 2;

/** Says once how headers were understood, and which columns of our own are not sent. */
export function noteColumns(
	{ plan, tuning, invocation: { context } }: RunJob,
	{ ignored, matched }: Pick<PlannedRows, 'ignored' | 'matched'>,
): void {
	const pairs = matched.map(({ column, field }) => `${sanitise(column)} → ${field}`);
	if (pairs.length > 0 && !tuning.quiet) notify(context, 'message', `columns: ${pairs.join(', ')}`);
	warn(context, ignoredNotes(plan, ignored));
}

function ignoredNotes(plan: RunJob['plan'], ignored: readonly string[]): string[] {
	if (plan.endpoint !== 'ticket.fields.set') return [];
	return ignored
		.filter((name) => !plan.columns.ignore.includes(name))
		.map((column) => `column ${column} is not sent; to send it: --map ${column}=${column}`);
}

/** `2 of 9 rows are invalid; nothing was sent` */
export function invalidNote({ plan }: RunJob, { invalid, rows }: { invalid: number; rows: number }): string {
	const of = `${invalid} of ${rows} ${plural('row', rows)} ${invalid === 1 ? 'is' : 'are'} invalid`;
	return plan.skipInvalid ? `${of} and will be skipped` : `${of}; nothing was sent`;
}
