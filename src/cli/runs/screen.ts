/** What a person or a program sees of a run: results, failures, progress, signals, and the summary at its end. */

import { chooseEndpoint } from '../../api/choose.js';
import { type Counts, nextSteps, outcomeNames, totalOf } from '../../bulk/journal/counts.js';
import { differences } from '../../bulk/journal/records.js';
import type { Journal } from '../../bulk/journal/write.js';
import { outcomeAnnotation, writeAnnotation } from '../../bulk/reports/annotations.js';
import type { Ended, RunControl, Screen } from '../../bulk/run/execute.js';
import { fileOf } from '../../bulk/run/plan.js';
import type { Survey } from '../../bulk/run/survey.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import { type Outcome, wentWrong } from '../../http/outcome.js';
import type { Palette } from '../../output/colour.js';
import { renderError } from '../../output/errors.js';
import { outcomeView } from '../../output/outcome-view.js';
import { createProgress, type Progress } from '../../output/progress.js';
import { escapeJson, sanitise } from '../../output/sanitise.js';
import { stderrPalette, stdoutPalette } from '../palette.js';
import { chosenFormat, openResults, wantsJson } from '../results.js';
import { createSentResults, onlyOutputFailed, type SentResults } from '../sent-results.js';
import { FailureGroups, failureOf, nameRow, stepAfterStop, whyStopped } from './failures.js';
import type { RunJob } from './job.js';
import { outcomeShape } from './shape.js';

/** How many failed rows of a run are printed one by one, and how many warnings about others. */
const SHOWN = 20;
/** Up to so many rows, a table on a terminal shows those that went well too. */
const WHOLE_TABLE_ROWS = 50;
/** How often progress is drawn while no row ends, in milliseconds. */
const REFRESH_MS = 1000;

const noProgress: Progress = { update() {}, clear() {}, done() {} };

/** Opens what results are printed with: a column or a query that can't be used leaves no run behind. @throws UsageError */
export async function openScreen(job: RunJob, survey: Survey): Promise<RunScreen> {
	const { invocation } = job;
	const [forResults, forErrors] = await Promise.all([stdoutPalette(invocation), stderrPalette(invocation)]);
	let screen: RunScreen | undefined;
	const shape = outcomeShape(job, [...survey.fields], forResults);
	const isRead = chooseEndpoint(job.plan.endpoint, job.plan.values.ids.taxonomy, true).endpoint.replay === 'read';
	const results = await openResults(invocation, {
		...shape,
		beforeWrite: () => screen?.clear(),
		// Rows of a write are shown as they end.
		onPager: isRead ? () => screen?.endProgress() : false,
	});
	screen = new RunScreen(job, createSentResults(results), forErrors, survey.selected);
	return screen;
}

export class RunScreen implements Screen {
	/** The journal of the run, once it is begun. */
	journal: Journal | undefined;
	private progress = noProgress;
	private readonly over = new AbortController();
	private unlisten: (() => void) | undefined;
	private failures = 0;
	private readonly groups = new FailureGroups();
	private warnings = 0;
	private readonly json: boolean;
	private readonly isTable: boolean;
	private readonly hidesGood: boolean;
	private readonly listsFailures: boolean;
	private readonly annotates: boolean;
	/** A single row: its failure is the error of the call. */
	private readonly isLone: boolean;

	constructor(
		private readonly job: RunJob,
		private readonly results: SentResults,
		private readonly palette: Palette,
		rows: number,
	) {
		const { invocation, session, plan } = job;
		const { context, options } = invocation;
		const { format } = session.connection.defaults;
		const picks = options.field !== undefined || options.fields !== undefined || options.query !== undefined;
		const isTable = context.stdout.isTTY && chosenFormat(options, format) === undefined && !picks;
		this.json = wantsJson(options);
		this.annotates = context.env.GITHUB_ACTIONS === 'true';
		this.isLone = plan.source.from === 'ids' && plan.source.ids.length === 1;
		this.isTable = isTable;
		this.hidesGood = isTable && this.endpoint.replay !== 'read' && rows > WHOLE_TABLE_ROWS;
		// A table on the terminal has the failures already.
		this.listsFailures = this.isLone || this.annotates || !(this.json || isTable);
	}

	private get endpoint() {
		const { plan } = this.job;
		return chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true).endpoint;
	}

	start(total: number, counts: Counts, control: RunControl): void {
		const { invocation, tuning } = this.job;
		const { stderr, clock, env, signals } = invocation.context;
		if (total > 1 && !tuning.quiet && !this.json) {
			const redraws = stderr.isTTY && env.TERM !== 'dumb';
			this.progress = createProgress({ stderr, redraws, clock, total, start: totalOf(counts), palette: this.palette });
			void this.refresh(counts, control);
		}
		let received = 0;
		this.unlisten = signals.listen((signal) => {
			this.clear();
			if (++received > 1) return this.leave();
			const open = control.open();
			const rows = `${open} ${open === 1 ? 'row' : 'rows'}`;
			stderr.write(`${signal}: stopping (${rows} open), waiting for requests under way; again to leave at once\n`);
			control.stop({ kind: 'signal' });
		});
	}

	outcome(outcome: Outcome, counts: Counts): Promise<void> | void {
		const isBad = wentWrong(outcome) || outcome.outcome === 'differs';
		const hasWarning = isBad || warningsOf(outcome).length > 0;
		if (hasWarning) this.report(outcome, isBad);
		if (isBad) this.groups.add(outcome, this.endpoint.noun);
		const isShown = hasWarning && (isBad ? this.failures : this.warnings) <= SHOWN;
		const isPrinted = this.isLone && this.isTable ? !isBad : !this.hidesGood || isShown;
		const printed = isPrinted ? this.results.row(outcomeView(outcome)) : undefined;
		this.draw(counts);
		return printed;
	}

	/** Removes the progress bar before something else is written. */
	clear(): void {
		this.progress.clear();
	}

	/** Ends the progress bar for good. */
	endProgress(): void {
		this.over.abort();
		this.progress.done();
		this.progress = noProgress;
	}

	done(): void {
		this.unlisten?.();
		this.over.abort();
		this.progress.done();
	}

	/** Prints what is left, the reports and the summary, each whatever became of the others. @throws what failed first */
	async end(ended: Ended): Promise<ExitCode> {
		let { failure } = ended;
		let trouble: SupportctlError | undefined;
		const steps = [
			async () => {
				trouble = await this.results.end();
			},
			() => this.endFailures(ended),
			() => this.writeSummary(ended),
			() => this.writeReports(ended),
		];
		for (const step of steps) {
			try {
				await step();
			} catch (error) {
				failure ??= error;
			}
		}
		if (failure !== undefined) throw failure;
		if (trouble === undefined) return ended.exitCode;
		if (ended.exitCode !== ExitCode.ok)
			throw onlyOutputFailed(trouble, 'the outcomes of the rows stand', ended.exitCode);
		// What was only read can be read again.
		throw this.endpoint.replay === 'read' ? trouble : onlyOutputFailed(trouble, 'every row is ok', ended.exitCode);
	}

	private draw(counts: Counts, note?: string): void {
		this.progress.update({
			done: totalOf(counts),
			failed: counts.failed,
			unknown: counts.unknown,
			...(note === undefined ? {} : { note }),
		});
	}

	/** Draws the time and the reason of a pause while no row ends. */
	private async refresh(counts: Counts, control: RunControl): Promise<void> {
		const { clock } = this.job.invocation.context;
		while (!this.over.signal.aborted) {
			await clock.sleep(REFRESH_MS, this.over.signal);
			const seconds = Math.round(control.pauseMs() / 1000);
			if (!this.over.signal.aborted)
				this.draw(counts, seconds < 1 ? undefined : `waiting ${seconds} s for the service`);
		}
	}

	private leave(): void {
		const { context } = this.job.invocation;
		const id = this.journal?.header.id;
		context.stderr.write(`leaving at once${id === undefined ? '' : `; to go on: supportctl run resume ${id}`}\n`);
		context.abandon(ExitCode.interrupted);
	}

	private report(outcome: Outcome, isBad: boolean): void {
		const { context, options } = this.job.invocation;
		const count = isBad ? ++this.failures : ++this.warnings;
		if (!this.listsFailures || (count > SHOWN && !this.isLone)) return;
		this.clear();
		if (this.annotates) {
			const annotation = outcomeAnnotation(outcome, fileOf(this.job.plan));
			if (annotation !== undefined) writeAnnotation(context.stderr, annotation);
		}
		// A program gets one object at the end.
		if (this.json && !this.isLone) return;
		if (isBad) {
			const error = failureOf(outcome, this.endpoint, this.job.session.connection);
			context.stderr.write(
				renderError(error, { json: this.json, debug: options.debug === true, palette: this.palette }),
			);
		} else {
			const name = nameRow(outcome.ids, this.endpoint.noun);
			const where = this.isLone ? name : `row ${outcome.row} (${name})`;
			for (const warning of warningsOf(outcome)) {
				context.stderr.write(`warning: ${sanitise(`${where}: ${warning}`)}\n`);
			}
		}
	}

	private endFailures({ counts, exitCode, stopped, resumable }: Ended): void {
		if (exitCode === ExitCode.ok || this.isLone) return;
		const { context, options } = this.job.invocation;
		const id = this.journal?.header.id;
		const bad = counts.failed + counts.unknown + counts['not-sent'] + counts.invalid + counts.differs;
		if (this.json) {
			const why = stopped === undefined ? '' : `${whyStopped(stopped)}; `;
			const steps = [
				stopped === undefined ? undefined : stepAfterStop(stopped, this.job.session.connection),
				resumable && id !== undefined ? `supportctl run resume ${id} sends the rest` : undefined,
			].filter((each) => each !== undefined);
			const error = new SupportctlError(`${why}${bad} of ${totalOf(counts)} rows did not succeed`, exitCode, {
				code: 'rows_failed',
				...(steps.length === 0 ? {} : { hint: steps.join('; ') }),
				data: { run: id, stopped: stopped?.kind, counts },
			});
			context.stderr.write(renderError(error, { json: true, debug: options.debug === true, palette: this.palette }));
		} else if (this.failures > SHOWN && (this.listsFailures || this.hidesGood)) {
			const outcomes = (['failed', 'differs', 'invalid', 'unknown'] as const).filter((name) => counts[name] > 0);
			const which = outcomes.map((name) => ` --outcome ${name}`).join('');
			const lines = this.groups.lines().map((line) => `  ${sanitise(line)}\n`);
			context.stderr.write(`${this.failures} rows did not go well:\n${lines.join('')}`);
			context.stderr.write(
				`… and ${this.failures - SHOWN} more; supportctl run show ${id ?? 'last'}${which} lists them\n`,
			);
		}
	}

	private async writeReports(ended: Ended): Promise<void> {
		const { options, context } = this.job.invocation;
		const { journal } = this;
		if (options.report === undefined || journal === undefined) return;
		const { parseReport, writeReports } = await import('../../bulk/reports/write.js');
		await writeReports(
			options.report.map(parseReport),
			{
				header: journal.header,
				journals: [journal.path],
				counts: ended.counts,
				exit: ended.exitCode,
				ended: new Date(context.clock.now()).toISOString(),
				ms: ended.ms,
			},
			context.cwd,
		);
	}

	/** The last lines: why it stopped, the next step, counts and time. */
	private writeSummary({ counts, exitCode, stopped, resumable, ms }: Ended): void {
		const { invocation, session, tuning } = this.job;
		const { stderr } = invocation.context;
		const id = this.journal?.header.id;
		const quiet = tuning.quiet && stopped === undefined;
		if (this.json && !this.isLone && !quiet) {
			const steps = id === undefined ? [] : nextSteps(id, counts, resumable).map(([, command]) => command);
			const { host } = session;
			const summary = {
				run: id ?? null,
				host,
				rows: totalOf(counts),
				ms: Math.round(ms),
				counts,
				exitCode,
				next: steps,
			};
			stderr.write(`${escapeJson(JSON.stringify({ summary }))}\n`);
		}
		if (this.json || id === undefined || quiet) return;
		const { palette } = this;
		if (stopped !== undefined) {
			stderr.write(`${palette.bad(sanitise(whyStopped(stopped)))}\n`);
			const step = stepAfterStop(stopped, this.job.session.connection);
			if (step !== undefined) stderr.write(`  ${step}\n`);
		}
		for (const [text, command] of nextSteps(id, counts, resumable))
			stderr.write(`${text}: ${palette.command(command)}\n`);
		const total = totalOf(counts);
		stderr.write(
			`run ${id} on ${session.host}: ${total} ${total === 1 ? 'row' : 'rows'} in ${seconds(ms)}: ${countsText(counts)}\n`,
		);
	}
}

/** What a person has to know of a row that went well; differences are those that --allow-differs allows. */
function warningsOf(outcome: Outcome): string[] {
	return [...differences(outcome), ...(outcome.warnings ?? [])];
}

export function countsText(counts: Counts): string {
	const parts = outcomeNames
		.filter((name) => counts[name] > 0)
		.map((name) => `${counts[name]} ${name.replace('-', ' ')}`);
	return parts.length === 0 ? 'no rows' : parts.join(', ');
}

function seconds(ms: number): string {
	return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
