/** What a person or a program sees of a run: results, failures, progress, signals, and the summary at its end. */

import { nameRow } from '../../api/names.js';
import { type Counts, exitCodeOf, nextSteps, outcomeNames, totalOf } from '../../bulk/journal/counts.js';
import type { Journal } from '../../bulk/journal/write.js';
import type { Ended, Screen } from '../../bulk/run/execute.js';
import type { StopReason } from '../../bulk/run/stop.js';
import type { Survey } from '../../bulk/run/survey.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import { type RowOutcome, wentWrong } from '../../http/outcome.js';
import { renderError } from '../../output/errors.js';
import { createProgress, type Progress } from '../../output/progress.js';
import { escapeJson, sanitise } from '../../output/sanitise.js';
import { paletteFor } from '../notices.js';
import { createSentResults, isOwnTable, openResults, wantsJson } from '../results.js';
import { lostResults, nextStep, outcomeShape, outcomeView, printTrouble, warningsOf } from './outcomes.js';
import type { RunJob } from './plan.js';

/** How many failed rows of a run are printed one by one, and how many warnings about others. */
const SHOWN = 20;
/** Up to so many rows, a table on a terminal shows those that went well too. */
const WHOLE_TABLE_ROWS = 50;
/** How often progress is drawn while no row ends, in milliseconds. */
const REFRESH_MS = 1000;

export interface RunScreen extends Screen {
	/** The journal of the run, once there is one. */
	journal: Journal | undefined;
	end(ended: Ended): Promise<ExitCode>;
}

/** Opens what results are printed with: a column or a query that can't be used leaves no run behind. @throws UsageError */
export async function openScreen(job: RunJob, survey: Survey): Promise<RunScreen> {
	const { endpoint, plan, tuning, session, invocation } = job;
	const { context, options } = invocation;
	const { stderr, clock, env, signals } = context;
	const palette = await paletteFor(invocation, 'stderr');
	const json = wantsJson(options);
	const isTable = isOwnTable(invocation, session.connection.settings.format);
	/** A single row: its failure is the error of the call. */
	const isLone = plan.source.from === 'ids' && plan.source.ids.length === 1;
	const isRead = endpoint.replay === 'read';
	const hidesGood = isTable && !isRead && survey.selected > WHOLE_TABLE_ROWS;
	// A table on the terminal has the failures already.
	const listsFailures = isLone || env.GITHUB_ACTIONS === 'true' || !(json || isTable);
	const groups = createGroups(endpoint.noun);
	const over = new AbortController();
	let progress: Progress | undefined;
	let soFar: Counts | undefined;
	let failures = 0;
	let warnings = 0;

	const endProgress = (): void => {
		over.abort();
		progress?.done();
		progress = undefined;
	};
	const results = createSentResults(
		await openResults(invocation, {
			...(await outcomeShape(job, [...survey.fields])),
			beforeWrite: () => progress?.clear(),
			// Rows of a write are shown as they end.
			onPager: isRead && endProgress,
			exitCodeSoFar: () => (soFar === undefined ? ExitCode.ok : exitCodeOf(soFar)),
		}),
	);

	function draw(counts: Counts, pauseMs = 0): void {
		const { failed, unknown } = counts;
		const note = pauseMs < 500 ? {} : { note: `waiting ${Math.round(pauseMs / 1000)} s for the service` };
		progress?.update({ done: totalOf(counts), failed, unknown, ...note });
	}

	/** The last lines: what did not go well, why it stopped, the next steps, counts and time. */
	function writeEnd({ counts, exitCode, stopped, resumable, ms }: Ended): void {
		const id = screen.journal?.header.id;
		const { host, connection } = session;
		const rows = totalOf(counts);
		const bad = BAD.filter((name) => counts[name] > 0);
		const why = stopped && whyStopped(stopped);
		let step = stopped && 'outcome' in stopped ? nextStep(stopped.outcome, {}, connection) : undefined;
		if (stopped?.kind === 'unreachable') step = 'supportctl doctor checks the way to the service';
		const steps = id === undefined ? [] : nextSteps(id, counts, resumable);
		const isQuiet = tuning.quiet && stopped === undefined;
		if (json) {
			if (isLone) return;
			if (exitCode !== ExitCode.ok) {
				const count = bad.reduce((sum, name) => sum + counts[name], 0);
				const message = `${why === undefined ? '' : `${why}; `}${count} of ${rows} rows did not succeed`;
				const rest = resumable && id !== undefined ? [`supportctl run resume ${id} sends the rest`] : [];
				const hint = [...(step === undefined ? [] : [step]), ...rest].join('; ');
				const data = { run: id, stopped: stopped?.kind, counts };
				const details = { code: 'rows_failed', ...(hint === '' ? {} : { hint }), data };
				const error = new SupportctlError(message, exitCode, details);
				stderr.write(renderError(error, { json, debug: options.debug === true, palette }));
			}
			const next = steps.map(([, command]) => command);
			const summary = { run: id ?? null, host, rows, ms: Math.round(ms), counts, exitCode, next };
			if (!isQuiet) stderr.write(`${escapeJson(JSON.stringify({ summary }))}\n`);
			return;
		}
		if (failures > SHOWN && (listsFailures || hidesGood)) {
			const which = bad.filter((name) => name !== 'not-sent').map((name) => ` --outcome ${name}`);
			const list = `supportctl run show ${id ?? 'last'}${which.join('')} lists them`;
			const lines = groups.lines().map((line) => `  ${sanitise(line)}\n`);
			stderr.write(`${failures} rows did not go well:\n${lines.join('')}… and ${failures - SHOWN} more; ${list}\n`);
		}
		if (isQuiet || id === undefined) return;
		if (why !== undefined) stderr.write(`${palette.bad(sanitise(why))}\n`);
		if (step !== undefined) stderr.write(`  ${step}\n`);
		for (const [text, command] of steps) stderr.write(`${text}: ${palette.command(command)}\n`);
		const time = ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000);
		const parts = outcomeNames
			.filter((name) => counts[name] > 0)
			.map((name) => `${counts[name]} ${name.replace('-', ' ')}`);
		const all = `${rows} ${rows === 1 ? 'row' : 'rows'} in ${time} s: ${parts.join(', ') || 'no rows'}`;
		stderr.write(`run ${id} on ${host}: ${all}\n`);
	}

	async function writeReports({ counts, exitCode, ms }: Ended): Promise<void> {
		const { journal } = screen;
		if (options.report === undefined || journal === undefined) return;
		const reports = await import('../../bulk/reports/write.js');
		const ended = new Date(clock.now()).toISOString();
		const facts = { header: journal.header, journals: [journal.path], counts, exit: exitCode, ms, ended };
		await reports.writeReports(options.report.map(reports.parseReport), facts, context.cwd);
	}

	let unlisten: (() => void) | undefined;
	const screen: RunScreen = {
		journal: undefined,
		start(total, counts, control) {
			soFar = counts;
			if (total > 1 && !tuning.quiet && !json) {
				progress = createProgress(context, { total, start: totalOf(counts), palette, verbose: options.verbose });
				// The time and the reason of a pause are drawn while no row ends.
				void (async () => {
					while (!over.signal.aborted) {
						await clock.sleep(REFRESH_MS, over.signal);
						draw(counts, control.pauseMs());
					}
				})();
			}
			let received = 0;
			unlisten = signals.listen((signal) => {
				progress?.clear();
				if (++received > 1) {
					const id = screen.journal?.header.id;
					stderr.write(`leaving at once${id === undefined ? '' : `; to go on: supportctl run resume ${id}`}\n`);
					return context.abandon(ExitCode.interrupted);
				}
				const open = control.open();
				const rows = `${open} ${open === 1 ? 'row' : 'rows'}`;
				stderr.write(`${signal}: stopping (${rows} open), waiting for requests under way; again to leave at once\n`);
				control.stop({ kind: 'signal' });
			});
		},
		outcome(outcome, counts) {
			const isBad = wentWrong(outcome) || outcome.outcome === 'differs';
			const hasWarning = isBad || warningsOf(outcome).length > 0;
			const count = isBad ? ++failures : hasWarning ? ++warnings : 0;
			if (hasWarning && listsFailures && (count <= SHOWN || isLone)) {
				progress?.clear();
				printTrouble(job, outcome, palette, isLone);
			}
			if (isBad) groups.add(outcome);
			const isPrinted = isLone && isTable ? !isBad : !hidesGood || (hasWarning && count <= SHOWN);
			const printed = isPrinted ? results.row(outcomeView(outcome)) : undefined;
			draw(counts);
			return printed;
		},
		done() {
			unlisten?.();
			endProgress();
		},
		async end(ended) {
			let { failure } = ended;
			let unprinted: SupportctlError | undefined;
			const writeResults = async (): Promise<void> => {
				unprinted = await results.end();
			};
			for (const write of [writeResults, writeEnd, writeReports]) {
				try {
					await write(ended);
				} catch (error) {
					failure ??= error;
				}
			}
			if (failure !== undefined) throw failure;
			if (unprinted !== undefined) throw lostResults(unprinted, job, ended.exitCode);
			return ended.exitCode;
		},
	};
	return screen;
}

const BAD = ['failed', 'differs', 'invalid', 'unknown', 'not-sent'] as const;

/** How many rows a group of failures names, and how many groups there are besides that of all other reasons. */
const NAMED = 3;
const MOST_GROUPS = 20;

function createGroups(noun: string) {
	const groups = new Map<string, { reason: string; count: number; rows: string[] }>();
	return {
		add({ outcome, status, code, message, ids }: RowOutcome): void {
			const known = [outcome, status, code].join(' ');
			const key = groups.has(known) || groups.size < MOST_GROUPS ? known : '';
			let group = groups.get(key);
			if (group === undefined) {
				const http = [status === undefined ? '' : `HTTP ${status}`, code].filter(Boolean).join(' ');
				const text = [http, message].filter(Boolean).join(': ');
				const reason = text === '' ? outcome : `${outcome} (${text})`;
				group = { reason: key === '' ? 'for other reasons' : reason, count: 0, rows: [] };
				groups.set(key, group);
			}
			group.count++;
			if (group.rows.length < NAMED) group.rows.push(nameRow(ids, noun));
		},
		/** A line for each reason, the most frequent first: `26 failed (HTTP 400 rest_no: Sorry.): ticket 1, ticket 2, …`. */
		lines: (): string[] =>
			[...groups.values()]
				.sort((one, other) => other.count - one.count)
				.map(({ reason, count, rows }) => `${count} ${reason}: ${rows.join(', ')}${count > rows.length ? ', …' : ''}`),
	};
}

function whyStopped(reason: StopReason): string {
	const { message, code, row } = 'outcome' in reason ? reason.outcome : ({} as Partial<RowOutcome>);
	switch (reason.kind) {
		case 'signal':
			return 'interrupted';
		case 'unauthorized':
			return `stopped: the service refused the credentials (401${message === undefined ? '' : `: ${message}`})`;
		case 'failure':
			return `stopped at row ${row}, the first that failed (--stop-on-error)`;
		case 'too-many-failures':
			return `stopped: more than ${reason.limit} rows failed (--max-failures)`;
		case 'same-refusal':
			return `stopped: the first ${reason.rows} rows failed for the same reason: ${message ?? code}`;
		case 'unreachable':
			return `stopped: the service could not be reached (${reason.why})`;
		default:
			return `stopped: ${message}`;
	}
}
