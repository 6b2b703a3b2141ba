/** A random walk: runs, with faults, kills and edits by others between their parts, to their ends and back. */

import { readFileSync } from 'node:fs';
import type { CliResult } from '../../support/cli.js';
import type { Shown } from '../../support/objects.js';
import { createWorkplace, type Workplace } from '../../support/workplace.js';
import {
	checkFair,
	checkKept,
	checkOrder,
	checkOutcomes,
	checkPlan,
	checkTouched,
	checkUndone,
	checkVerified,
	exitCodeOf,
	expectThat,
	isLeftOpen,
	type ModelRun,
} from './checks.js';
import { isLookUp, type ModelDesk, startModelDesk } from './desk.js';
import { Dice } from './dice.js';
import { type Job, randomJob, TICKETS } from './jobs.js';
import { announcedIn, linesIn, outcomesIn, plannedIn, rowsIn } from './records.js';
import { randomTrouble, type Trouble, weatherOf } from './trouble.js';

/** No input names it. */
const OTHER = 17;

const SECRETS = ['s3cret pass', 's3cret%20pass', Buffer.from('ada:s3cret pass').toString('base64')];

interface Command extends CliResult {
	/** How many states the desk had before it. */
	readonly from: number;
	/** No request failed, and nothing else stood against it. */
	readonly isFair: boolean;
}

/** A run that its first command has begun. */
interface Begun {
	readonly job: Job;
	readonly run: ModelRun;
	readonly path: string;
	/** Whether it reads each object right before its write. */
	readonly looksFirst: boolean;
	/** States from which on others' edits have to be noticed. */
	readonly since: number;
}

/** How a run is started. */
interface Start {
	readonly job: Job;
	readonly words: readonly string[];
	/** How many requests a preview announced, if nothing came in between. */
	readonly announced?: number | undefined;
	readonly isApply: boolean;
	readonly since: number;
}

/** What holds for one command. */
interface Limits {
	readonly first?: number | undefined;
	/** -j */
	readonly slots: number;
}

class Walk {
	readonly #dice: Dice;
	readonly #work: Workplace;
	#commands = 0;

	constructor(
		readonly seed: number,
		readonly desk: ModelDesk,
	) {
		this.#dice = new Dice(seed);
		this.#work = createWorkplace(desk.env);
		// Some services have small pages.
		desk.most = this.#dice.is(0.2) ? 2 : 100;
	}

	async go(): Promise<void> {
		const runs = this.#dice.is(0.2) ? 2 : 1;
		for (let number = 1; number <= runs; number++) {
			const isHealthy = this.#dice.is(0.3);
			const start = await this.#start(`input${number}`, isHealthy);
			const begun = start && (await this.#begin(start, isHealthy));
			if (begun === undefined) continue;
			if (!isHealthy) await this.#goOn(begun);
			await this.#finish(begun);
			await this.#undo(begun);
		}
	}

	/** Chooses a command, and perhaps plans it first. @returns undefined if there is nothing to send */
	async #start(name: string, isHealthy: boolean): Promise<Start | undefined> {
		const dice = this.#dice;
		const job = randomJob(dice, name, (path) => this.desk.held(path)?.modified_gmt);
		const { input, rows, flags, sendFlags } = job;
		if (input !== undefined) {
			this.#work.write(input.name, `${input.lines.join('\n')}\n`);
			this.desk.log.push(...input.lines.map((line) => `  ${input.name}: ${line}`));
		}
		const since = this.desk.states.length;
		const trouble = isHealthy ? {} : randomTrouble(dice);
		const direct = [...job.words, ...flags, ...sendFlags];
		if (job.canBePlanned && dice.is(0.35)) {
			const plan = await this.#command([...job.words, ...flags, '--plan', `${name}.plan`, '--json'], trouble);
			expectThat(this.desk.states.length === plan.from, 'a plan writes nothing', plan.exitCode);
			if (plan.exitCode !== 0) return undefined;
			const planned = plannedIn(plan.stdout, rows);
			checkPlan(this.desk, planned, rows);
			const announced = dice.is(0.4) && this.#edit() ? undefined : planned.length;
			const words = ['run', 'apply', `${name}.plan`, '--yes', ...sendFlags];
			// A plan has the old values.
			const applied = { ...job, rows: planned, canBeUndone: true };
			return planned.length === 0 ? undefined : { job: applied, words, announced, isApply: true, since };
		}
		if (!dice.is(0.15)) return { job, words: direct, isApply: false, since };
		const dry = await this.#command([...direct, '--dry-run', '--json'], trouble);
		expectThat(this.desk.states.length === dry.from, 'a dry run writes nothing', dry.exitCode);
		return { job, words: direct, announced: announcedIn(dry.stderr), isApply: false, since };
	}

	/** Sends the rows. @returns undefined if the run did not begin */
	async #begin({ job, words, announced, isApply, since }: Start, isHealthy: boolean): Promise<Begun | undefined> {
		const { desk } = this;
		const dice = this.#dice;
		const looksFirst = isApply || job.isUnmodified;
		const isEdited = isHealthy && looksFirst && dice.is(0.5);
		// Nothing else may come between a read and its write, where somebody edits meanwhile.
		const slots = isEdited ? 1 : dice.to(4);
		const trouble = isHealthy
			? { editAt: isEdited ? 4 + dice.to(12) : undefined }
			: randomTrouble(dice, job.most !== undefined);
		const before = new Set(this.#work.journals());
		const asked = desk.requests.length;
		const command = await this.#command([...words, ...tuning(slots)], trouble);
		const path = this.#journalOf(command, before);
		if (path === undefined) {
			expectThat(command.exitCode !== 0, 'a run without a journal fails', command.exitCode);
			return undefined;
		}
		const id = this.#idOf(path);
		const run: ModelRun = { id, rows: job.rows, start: command.from, outcomes: new Map(), lines: 0 };
		const begun = { job, run, path, looksFirst, since };
		this.#look(begun, command, { first: job.first, slots });
		if (announced !== undefined && isHealthy && !isEdited) {
			const writes = desk.requests.slice(asked).filter((each) => each.method !== 'GET' && !isLookUp(each)).length;
			expectThat(writes === announced, 'a preview counts the requests that are sent', { writes, announced });
		}
		return begun;
	}

	async #goOn(begun: Begun): Promise<void> {
		const dice = this.#dice;
		const isToStop = begun.job.most !== undefined;
		for (let part = dice.to(3) - (isToStop ? 0 : 1); part > 0; part--) {
			if (begun.looksFirst && dice.is(0.3)) this.#edit();
			const slots = isToStop ? 1 : dice.to(4);
			const words = ['run', dice.of(['resume', 'resume', 'retry']), begun.run.id, '--yes', ...tuning(slots)];
			this.#look(begun, await this.#command(words, randomTrouble(dice, isToStop)), { slots });
		}
	}

	/** Repeated resumes against a healthy service leave nothing that a read can settle. */
	async #finish(begun: Begun): Promise<void> {
		const { run, job, looksFirst, since } = begun;
		for (let part = 0; part < run.rows.length + 2 && isLeftOpen(run); part++) {
			this.#look(begun, await this.#command(['run', 'resume', run.id, '--yes']), { slots: 4 });
		}
		expectThat(!isLeftOpen(run), 'resumes against a healthy service leave nothing open', [...run.outcomes]);
		if (looksFirst) checkKept(this.desk, run, job.isUnmodified, since);
	}

	async #undo({ job, run }: Begun): Promise<void> {
		const { desk } = this;
		const dice = this.#dice;
		if (dice.is(0.3)) this.#edit();
		const isHealthy = dice.is(0.6);
		const editAt = isHealthy && dice.is(0.3) ? 2 + dice.to(6) : undefined;
		const slots = editAt === undefined ? dice.to(4) : 1;
		const from = desk.states.length;
		const before = new Set(this.#work.journals());
		const words = ['run', 'undo', run.id, '--yes', ...tuning(slots)];
		let undone = await this.#command(words, isHealthy ? { editAt } : randomTrouble(dice));
		const look = (): void => {
			checkTouched(desk, run.rows, from);
			checkUndone(desk, run, from, undone.exitCode);
		};
		const path = this.#journalOf(undone, before);
		look();
		const wrote = desk.states.slice(run.start, from).some(({ by, isPart }) => by === run.id && isPart !== true);
		if (path === undefined) {
			if (isHealthy && wrote) expectThat(!job.canBeUndone, 'what was written can be undone', undone.exitCode);
			return;
		}
		expectThat(job.canBeUndone, 'what has no old values is not undone', undone.exitCode);
		for (let part = 0; part < 4 && undone.exitCode !== 0 && !isHealthy; part++) {
			undone = await this.#command(['run', part % 2 === 0 ? 'resume' : 'retry', this.#idOf(path), '--yes']);
			look();
		}
		const isAlone = desk.states.slice(run.start).every(({ by }) => by !== 'others');
		if (isAlone) expectThat(undone.exitCode === 0, 'an undo that nothing stands against ends well', undone.exitCode);
	}

	async #command(words: readonly string[], trouble: Trouble = {}): Promise<Command> {
		const { desk } = this;
		const { killAt, editAt } = trouble;
		desk.weather = weatherOf(trouble, `${this.seed} ${++this.#commands}`);
		const from = desk.states.length;
		desk.log.push(`$ supportctl ${words.join(' ')}`);
		const running = this.#work.spawn(words);
		let count = 0;
		let before = '';
		let isEdited = false;
		desk.onRequest = (path) => {
			count++;
			// Nobody can see an edit between a read and the write behind it.
			if (editAt !== undefined && count >= editAt && !isEdited) isEdited = this.#edit([path, before]);
			before = path;
			if (killAt === undefined || count < killAt) return;
			desk.isSilent = true;
			running.child.kill('SIGKILL');
		};
		const result = await running.ended;
		await desk.quiet();
		desk.isSilent = false;
		desk.onRequest = undefined;
		const end = result.exitCode === null ? 'killed' : `exit ${result.exitCode}`;
		desk.log.push(`  (${end}) ${result.stderr.trim().split('\n').slice(-6).join('\n  ')}`);
		const isFair = trouble.faults === undefined && editAt === undefined;
		return { ...result, from, isFair };
	}

	/** Somebody else's. @param not what they leave alone @returns whether they found something to edit */
	#edit(not: readonly string[] = []): boolean {
		const path = this.#dice.of(TICKETS.map((id) => `/tickets/${id}`).filter((each) => !not.includes(each)));
		const held = this.desk.held(path);
		if (held === undefined || held.status === 'trash') return false;
		const fields = this.#dice.of<Shown>([
			{ title: `theirs ${this.#commands}` },
			{ content: `theirs ${this.#commands}` },
			{ status: 'read' },
			{ assignee: 4 },
			{ product: '170' },
			{ 'ticket-tag': [32, 33] },
		]);
		this.desk.log.push(`  others: ${path} ${JSON.stringify(fields)}`);
		this.desk.edit(path, fields);
		return true;
	}

	/** Compares what a command left behind with what its journal says. */
	#look({ job, run, path }: Begun, command: Command, { first, slots }: Limits): void {
		const { desk } = this;
		const text = readFileSync(path, 'utf8');
		const lines = linesIn(text);
		const added = lines.slice(run.lines);
		const recorded = rowsIn(added);
		run.lines = lines.length;
		run.outcomes = outcomesIn(lines);
		const said = [...run.outcomes].map(([row, { outcome, code = '' }]) => `${row} ${outcome} ${code}`.trimEnd());
		desk.log.push(`  journal: ${said.join(', ')}`);
		expectThat(!SECRETS.some((secret) => text.includes(secret)), 'no secret is in the journal', path);
		checkTouched(desk, run.rows, command.from);
		checkOutcomes(desk, run);
		checkOrder(desk, run);
		if (command.isFair) checkFair(recorded);
		if (job.isVerified) checkVerified(desk, run, command.from, recorded);
		if (job.most !== undefined) {
			const wrong = recorded.filter(({ outcome }) => outcome === 'failed' || outcome === 'unknown');
			expectThat(wrong.length <= job.most + slots, `a run stops after ${job.most} failures`, wrong);
		}
		if (command.exitCode === null || added.at(-1)?.type !== 'end') return;
		const isFirst = first !== undefined && run.outcomes.size >= Math.min(run.rows.length, first);
		const expected = exitCodeOf(run, isFirst);
		expectThat(command.exitCode === expected, `the exit code is ${expected}`, command.exitCode);
	}

	/** @returns the journal that the command began, if it did */
	#journalOf(command: Command, before: ReadonlySet<string>): string | undefined {
		const path = this.#work.journals().find((each) => !before.has(each));
		const written = this.desk.states.slice(command.from).filter(({ by }) => by !== 'others');
		if (path === undefined) expectThat(written.length === 0, 'a run without a journal writes nothing', written);
		return path;
	}

	#idOf(journal: string): string {
		return String(linesIn(readFileSync(journal, 'utf8'))[0]?.id);
	}
}

const tuning = (slots: number): string[] => ['-j', String(slots), '--retries', '1'];

/** Lines of the story that a failure shows. */
const SHOWN = 150;

export async function walk(seed: number): Promise<void> {
	const tickets = [...TICKETS, OTHER].map((id) => `/tickets/${id}`);
	const desk = await startModelDesk([...tickets, ...tickets.map((path) => `${path}/custom-fields`)]);
	try {
		await new Walk(seed, desk).go();
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		error.message += `\n\nFAULTS_SEED=${seed} MODEL_WALKS=1\n${desk.log.slice(-SHOWN).join('\n')}`;
		throw error;
	}
}
