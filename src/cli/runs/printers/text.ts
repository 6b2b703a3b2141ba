/** A run's messages for a person. */

import { nameRow, plural } from '../../../api/names.js';
import { type Complaint, formatComplaint } from '../../../bulk/input/rows.js';
import { outcomeNames, totalOf } from '../../../bulk/journal/counts.js';
import type { Ended } from '../../../bulk/run/events.js';
import { fileOf } from '../../../bulk/run/plan.js';
import type { RowOutcome } from '../../../http/outcome.js';
import type { Palette } from '../../../output/colour.js';
import { annotate, sanitise } from '../../../output/sanitise.js';
import type { RunJob } from '../plan.js';
import { adviceAfter, BAD, invalidNote, stepsAfter, undoObstacle, whyStopped } from './ending.js';
import type { Group } from './groups.js';
import { type Messages, type Seen, SHOWN, type View } from './view.js';

const MOST_ADVICES = 2;

export function textMessages(job: RunJob, view: View, seen: Seen, palette: Palette): Messages {
	const { endpoint, plan, tuning, session, invocation } = job;
	const { context } = invocation;
	const fromArguments = plan.source.from === 'ids';

	function write(line: string): void {
		context.stderr.write(`${line}\n`);
	}

	function writeComplaints(): void {
		const reasons = seen.reasons.all();
		for (const reason of reasons.slice(0, SHOWN)) {
			const { row, line, message } = reason.named[0];
			const isOne = fromArguments && reason.count === 1;
			write(`error: ${sanitise(isOne ? message : reasonText(reason, seen.inputName))}`);
			annotate(context, { file: fileOf(plan), line, title: `row ${row} is invalid`, message });
		}
		const hidden = reasons.length - SHOWN;
		if (hidden <= 0) return;
		const all = plan.skipInvalid ? 'supportctl run rejects last' : '--json';
		write(`… and ${hidden} more; to print all: ${all}`);
	}

	function writeFailures({ counts }: Ended): void {
		const { failures, groups, header } = seen;
		if (failures <= SHOWN || !(view.listsFailures || seen.hidesGood)) return;
		write(`${failures} rows need attention:`);
		const largestFirst = groups.all().sort((one, other) => other.count - one.count);
		for (const group of largestFirst.slice(0, SHOWN)) write(`  ${sanitise(failureText(group, endpoint.noun))}`);
		const bad = BAD.filter((name) => counts[name] > 0 && name !== 'not-sent');
		const list = `supportctl run show ${header?.id ?? 'last'}${bad.map((name) => ` --outcome ${name}`).join('')}`;
		write(`… and ${failures - SHOWN} more; to list them: ${list}`);
	}

	return {
		beforeError() {
			if (!seen.isSurveyed) writeComplaints();
		},
		invalid(survey) {
			writeComplaints();
			if (fromArguments) return;
			const canSkip = !plan.skipInvalid && survey.invalid < survey.rows;
			write(`${invalidNote(plan, survey)}${canSkip ? '; pass --skip-invalid to send the others' : ''}`);
		},
		ended(ended) {
			writeFailures(ended);
			const { stopped } = ended;
			const { header } = seen;
			if (header === undefined || (tuning.quiet && stopped === undefined)) return;
			if (stopped !== undefined) write(palette.bad(sanitise(whyStopped(stopped))));
			const advice = adviceAfter(stopped, session.connection);
			if (advice !== undefined) seen.advices.add(advice);
			for (const each of [...seen.advices].slice(0, MOST_ADVICES)) {
				write(`${palette.strong('hint:')} ${sanitise(each)}`);
			}
			for (const [text, command] of stepsAfter(ended, header)) write(`${text}: ${palette.command(command)}`);
			// Who passes --no-snapshot knows.
			const obstacle = invocation.options.snapshot === false ? undefined : undoObstacle(ended, header.plan);
			if (obstacle !== undefined) write(`can't be undone: ${obstacle}`);
			write(`run ${header.id} on ${session.host}: ${summaryOf(ended)}`);
		},
	};
}

/** `row 3 (edits.csv line 4): status "hodl" …; 311 more: lines 5, 9, …` */
function reasonText({ count, named: [first, ...others] }: Group<Complaint>, inputName: string): string {
	const message = formatComplaint(first, inputName);
	const more = count - 1;
	if (more === 0) return message;
	const kind = first.line === undefined ? 'row' : 'line';
	const places = others.map(({ row, line }) => line ?? row);
	return `${message} (${more} more: ${plural(kind, more)} ${places.join(', ')}${more > places.length ? ', …' : ''})`;
}

/** `26 failed (HTTP 400 rest_no: Sorry.): ticket 1, ticket 2, …` */
function failureText({ count, named }: Group<RowOutcome>, noun: string): string {
	const [{ outcome, status, code, message }] = named;
	const http = [status === undefined ? '' : `HTTP ${status}`, code].filter(Boolean).join(' ');
	const why = [http, message].filter(Boolean).join(': ');
	const rows = named.slice(0, 3).map(({ ids }) => nameRow(ids, noun));
	const reason = why === '' ? outcome : `${outcome} (${why})`;
	return `${count} ${reason}: ${rows.join(', ')}${count > rows.length ? ', …' : ''}`;
}

/** `26 rows in 3.4 s: 20 ok, 6 failed` */
function summaryOf({ counts, ms }: Ended): string {
	const rows = totalOf(counts);
	const time = ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000);
	const parts = outcomeNames
		.filter((name) => counts[name] > 0)
		.map((name) => `${counts[name]} ${name.replace('-', ' ')}`);
	return `${rows} ${plural('row', rows)} in ${time} s: ${parts.join(', ') || 'no rows'}`;
}
