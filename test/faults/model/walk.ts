/** A random walk: runs, with faults, kills and edits by others between their parts, to their ends and back. */

import { readFileSync } from 'node:fs';
import type { CliResult } from '../../support/cli.js';
import type { Shown } from '../../support/objects.js';
import { createWorkplace, type Workplace } from '../../support/workplace.js';
import { expectThat, type ModelRun, namesOf, type Part } from './asked.js';
import {
	checkConditions,
	checkFair,
	checkKept,
	checkOrder,
	checkOutcomes,
	checkPlan,
	checkSentNothing,
	checkTouched,
	checkVerified,
	exitCodeOf,
	fieldsOf,
	isLeftOpen,
} from './checks.js';
import { isLookUp, type ModelDesk, startModelDesk } from './desk.js';
import { Dice } from './dice.js';
import { type Job, jobOfKind, PATHS, randomJob, randomPart } from './jobs.js';
import { announcedIn, idIn, type Line, linesIn, outcomesIn, ownRowsIn, plannedIn, rowsIn, shownIn } from './records.js';
import { randomTrouble, type Trouble, weatherOf } from './trouble.js';
import { checkUndone } from './undone.js';
import { checkChanges, checkHistory, historyWords, type ShownChange } from './views.js';

/** No input names them. */
const OTHERS = ['/tickets/17', '/tickets/17/custom-fields', '/tickets/11/replies/29', '/attachments/69'];

const SECRETS = ['s3cret pass', 's3cret%20pass', Buffer.from('ada:s3cret pass').toString('base64')];

interface Command extends CliResult {
	/** How many states the desk had before it. */
	readonly from: number;
	/** No request failed, and nothing else stood against it. */
	readonly isFair: boolean;
}

/** A run that its first command has begun. */
interface Begun {
	readonly start: Start;
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
	/** Its plan, if that is applied. */
	readonly plan?: string;
	/** Of the plan. */
	readonly part?: Part | undefined;
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
	#edits = 0;
	/** Whether something may be gone for good. */
	#isGone = false;

	constructor(
		readonly seed: number,
		readonly desk: ModelDesk,
	) {
		this.#dice = new Dice(seed);
		this.#work = createWorkplace(desk.env);
		// Some services have small pages, and some don't count.
		desk.most = this.#dice.is(0.2) ? 2 : 100;
		desk.counts = this.#dice.is(0.85);
	}

	async go(): Promise<void> {
		const runs = this.#dice.is(0.2) ? 2 : 1;
		for (let number = 1; number <= runs; number++) {
			const isHealthy = this.#dice.is(0.3);
			const start = await this.#start(`input${number}`, isHealthy, number === runs);
			const trouble = isHealthy ? undefined : () => randomTrouble(this.#dice, start?.job.most !== undefined);
			const begun = start && (await this.#begin(start, trouble));
			if (begun === undefined) continue;
			if (!isHealthy) await this.#goOn(begun);
			await this.#finish(begun);
			const rest = await this.#applyRest(begun);
			if (rest !== undefined) await this.#undoAll(rest);
			await this.#undoAll(begun);
		}
	}

	/** One job, planned first where it can be, whose first part meets one trouble; the parts behind it have to settle all of it. */
	async press(kind: number, trouble: Trouble, isPlanned: boolean): Promise<void> {
		const job = jobOfKind(this.#means('input'), kind);
		this.#write(job);
		const since = this.desk.states.length;
		const direct = { job, words: [...job.words, ...job.flags, ...job.sendFlags], since };
		const start = isPlanned && job.canBePlanned ? await this.#plan(job, 'input.plan', {}, since) : direct;
		const begun = start && (await this.#begin(start, () => ({ ...trouble, edited: pathsOf(job) })));
		if (begun === undefined) return;
		await this.#finish(begun);
		await this.#undoAll(begun);
	}

	#means(name: string) {
		return { dice: this.#dice, name, modifiedOf: (path: string): unknown => this.desk.held(path)?.modified_gmt };
	}

	/** Its input. */
	#write({ input, isPermanent }: Job): void {
		this.#isGone = isPermanent === true;
		if (input === undefined) return;
		this.#work.write(input.name, `${input.lines.join('\n')}\n`);
		this.desk.log.push(...input.lines.map((line) => `  ${input.name}: ${line}`));
	}

	/** Chooses a command, and perhaps plans it first. @returns undefined if there is nothing to send */
	async #start(name: string, isHealthy: boolean, isLast: boolean): Promise<Start | undefined> {
		const dice = this.#dice;
		const job = randomJob(this.#means(name), isLast);
		const { flags, sendFlags } = job;
		this.#write(job);
		const since = this.desk.states.length;
		const trouble = isHealthy ? {} : randomTrouble(dice);
		const direct = [...job.words, ...flags, ...sendFlags];
		if (job.canBePlanned && dice.is(0.35)) {
			const start = await this.#plan(job, `${name}.plan`, trouble, since);
			if (start === undefined) return undefined;
			const paths = pathsOf(start.job);
			const part = dice.is(0.35) ? randomPart(dice, paths) : undefined;
			const count = paths.filter((path) => part?.paths.has(path) !== false).length;
			const announced = dice.is(0.4) && this.#edit(paths) ? undefined : count;
			return { ...start, words: [...start.words, ...(part?.words ?? [])], announced, part };
		}
		if (!dice.is(0.15)) return { job, words: direct, since };
		const dry = await this.#preview([...direct, '--dry-run', '--json'], trouble);
		return { job, words: direct, announced: announcedIn(dry.stderr), since };
	}

	/** @returns its apply; undefined if there is nothing to send */
	async #plan(job: Job, file: string, trouble: Trouble, since: number): Promise<Start | undefined> {
		const plan = await this.#preview([...job.words, ...job.flags, '--plan', file, '--json'], trouble);
		if (plan.exitCode !== 0) return undefined;
		const planned = plannedIn(plan.stdout, job.rows);
		checkPlan(this.desk, planned, job);
		if (planned.length === 0) return undefined;
		// A plan has the old values.
		const applied = { ...job, rows: planned, canBeUndone: job.isPermanent !== true };
		return { job: applied, words: ['run', 'apply', file, '--yes', ...job.sendFlags], plan: file, since };
	}

	/** Sends the rows. @param given undefined on a healthy service @returns undefined if the run did not begin */
	async #begin(start: Start, given: (() => Trouble) | undefined): Promise<Begun | undefined> {
		const { job, words, announced, part, since } = start;
		const { desk } = this;
		const dice = this.#dice;
		const isHealthy = given === undefined;
		const looksFirst = start.plan !== undefined || job.isUnmodified === true || job.condition !== undefined;
		const isEdited = isHealthy && looksFirst && dice.is(0.5);
		// Nothing else may come between a read and its write, where somebody edits meanwhile.
		const drawn = isEdited ? 1 : dice.to(4);
		const trouble = given?.() ?? { editAt: isEdited ? 4 + dice.to(12) : undefined, edited: pathsOf(job) };
		const slots = trouble.editAt === undefined ? drawn : 1;
		const before = new Set(this.#work.journals());
		const asked = desk.requests.length;
		const command = await this.#command([...words, ...tuning(slots)], trouble);
		const path = this.#journalOf(command, before);
		if (path === undefined) {
			expectThat(command.exitCode !== 0, 'a run without a journal fails', command.exitCode);
			return undefined;
		}
		const id = this.#idOf(path);
		const { rows, condition } = job;
		const run: ModelRun = {
			...{ id, rows, start: command.from, condition, part },
			...{ outcomes: new Map(), lines: 0, wasKilled: false },
		};
		const begun = { start, job, run, path, looksFirst, since };
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
			if (begun.looksFirst && dice.is(0.3)) this.#edit(pathsOf(begun.job));
			const slots = isToStop ? 1 : dice.to(4);
			const words = ['run', dice.of(['resume', 'resume', 'retry']), begun.run.id, '--yes', ...tuning(slots)];
			this.#look(begun, await this.#command(words, randomTrouble(dice, isToStop)), { slots });
		}
	}

	/** Repeated resumes against a healthy service leave nothing that a read can settle. */
	async #finish(begun: Begun): Promise<void> {
		const { run, job, since } = begun;
		for (let part = 0; part < run.rows.length + 2 && isLeftOpen(run); part++) {
			this.#look(begun, await this.#command(['run', 'resume', run.id, '--yes']), { slots: 4 });
		}
		expectThat(!isLeftOpen(run), 'resumes against a healthy service leave nothing open', [...run.outcomes]);
		const isRefused = [...run.outcomes.values()].some(({ outcome }) => outcome === 'failed');
		if (this.#dice.is(0.5) && isRefused) {
			this.#look(begun, await this.#command(['run', 'retry', run.id, '--yes']), { slots: 4 });
		}
		if (begun.start.plan !== undefined || job.isUnmodified) checkKept(this.desk, run, job.isUnmodified === true, since);
		await this.#compareViews(begun);
	}

	/** A later apply of a plan takes what the first one left out. */
	async #applyRest({ start, job, run }: Begun): Promise<Begun | undefined> {
		const { plan, part } = start;
		const rows = job.rows.filter(({ path }) => part?.paths.has(path) === false);
		if (plan === undefined || rows.length === 0) return undefined;
		const words = ['run', 'apply', plan, '--yes', ...job.sendFlags];
		const rest = await this.#begin({ job: { ...job, rows }, words, plan, since: start.since }, undefined);
		expectThat(rest !== undefined, 'what a part leaves out can be applied', run.id);
		if (rest !== undefined) await this.#finish(rest);
		return rest;
	}

	/** What the journal shows of the run's changes. */
	async #compareViews({ run, job }: Begun): Promise<void> {
		const { desk } = this;
		desk.weather = () => undefined;
		const shown = await this.#read<ShownChange>(['run', 'show', run.id, '--changes', '--json']);
		checkChanges(desk, run, shown, job.canBeUndone);
		const path = this.#dice.of(run.rows).path;
		const history = await this.#read<ShownChange & { run: string }>([...historyWords(path), '--json']);
		checkHistory(run, path, history, shown);
	}

	/** What a command prints that only reads, in this process. */
	async #read<T>(words: readonly string[]): Promise<T[]> {
		const { exitCode, stdout, stderr } = await this.#work.run(words);
		expectThat(exitCode === 0, `${words.join(' ')} ends well`, stderr);
		return stdout.trim() === '' ? [] : JSON.parse(stdout);
	}

	/** Puts back a part, perhaps, and then the rest. */
	async #undoAll(begun: Begun): Promise<void> {
		const part = this.#dice.is(0.35) ? this.#partOf(begun) : undefined;
		if (part !== undefined) await this.#undo(begun, part);
		await this.#undo(begun);
	}

	/** Of what a run wrote. */
	#partOf({ run }: Begun): Part | undefined {
		const dice = this.#dice;
		const written = this.desk.states.slice(run.start).filter(({ by, held }) => by === run.id && held !== undefined);
		if (written.length === 0) return undefined;
		const paths = written.map(({ path }) => path);
		const part = dice.is(0.6) ? randomPart(dice, paths) : { words: [], paths: new Set(paths) };
		const asked = new Set(run.rows.flatMap(namesOf));
		const names = [...new Set(written.flatMap(({ sent }) => Object.keys(sent)))].filter((name) => asked.has(name));
		const fields = names.filter(() => dice.is(0.5));
		if (fields.length === 0) return part.words.length === 0 ? undefined : part;
		return { ...part, words: [...part.words, '--fields', fields.join(',')], fields: new Set(fields) };
	}

	async #undo({ job, run, path: journal }: Begun, part?: Part): Promise<void> {
		const { desk } = this;
		const shown = shownIn(linesIn(readFileSync(journal, 'utf8')), run.rows);
		const dice = this.#dice;
		if (dice.is(0.3)) this.#edit(pathsOf(job));
		const isHealthy = dice.is(0.6);
		const editAt = isHealthy && dice.is(0.3) ? 2 + dice.to(6) : undefined;
		const slots = editAt === undefined ? dice.to(4) : 1;
		const words = ['run', 'undo', run.id, '--yes', ...(part?.words ?? [])];
		if (dice.is(0.1)) await this.#preview([...words, '--dry-run'], {});
		const from = desk.states.length;
		const before = new Set(this.#work.journals());
		const trouble = isHealthy ? { editAt, edited: pathsOf(job) } : randomTrouble(dice);
		let undone = await this.#command([...words, ...tuning(slots)], trouble);
		const path = this.#journalOf(undone, before);
		let seen = 0;
		const look = (): void => {
			checkTouched(desk, fieldsOf(run.rows, part), from);
			checkUndone(desk, run, from, undone.exitCode, part, shown);
			if (path === undefined) return;
			const lines = linesIn(readFileSync(path, 'utf8'));
			if (lines.length > seen) this.#checkExit(undone, lines, ownRowsIn(lines));
			seen = lines.length;
		};
		look();
		const wrote = desk.states.slice(run.start, from).some(({ by, isPart }) => by === run.id && isPart !== true);
		if (path === undefined) {
			if (isHealthy && wrote) expectThat(!job.canBeUndone, 'what was written can be undone', undone.exitCode);
			return;
		}
		expectThat(job.canBeUndone, 'what has no old values is not undone', undone.exitCode);
		for (let tries = 0; tries < 4 && undone.exitCode !== 0 && !isHealthy; tries++) {
			undone = await this.#command(['run', tries % 2 === 0 ? 'resume' : 'retry', this.#idOf(path), '--yes']);
			look();
		}
		const isAlone = desk.states.slice(run.start).every(({ by }) => by !== 'others');
		if (isAlone) expectThat(undone.exitCode === 0, 'an undo that nothing stands against ends well', undone.exitCode);
	}

	/** Of what sends nothing. */
	async #preview(words: readonly string[], trouble: Trouble): Promise<Command> {
		const asked = this.desk.requests.length;
		const command = await this.#command(words, trouble);
		checkSentNothing(this.desk.requests.slice(asked));
		return command;
	}

	async #command(words: readonly string[], trouble: Trouble = {}): Promise<Command> {
		const { desk } = this;
		const { killAt, editAt, edited = [] } = trouble;
		desk.weather = weatherOf(trouble, `${this.seed} ${++this.#commands}`);
		const from = desk.states.length;
		desk.log.push(`$ supportctl ${words.join(' ')}`);
		// Only a process can be killed; without one, a walk takes half the time.
		const killed = killAt === undefined ? undefined : this.#work.spawn(words);
		let count = 0;
		let before = '';
		let isEdited = false;
		desk.onRequest = (path) => {
			count++;
			// Nobody can see an edit between a read and the write behind it.
			if (editAt !== undefined && count >= editAt && !isEdited) isEdited = this.#edit(edited, [path, before]);
			before = path;
			if (killAt === undefined || count < killAt) return;
			desk.isSilent = true;
			killed?.child.kill('SIGKILL');
		};
		const result = await (killed?.ended ?? this.#work.run(words));
		await desk.quiet();
		desk.isSilent = false;
		desk.onRequest = undefined;
		const end = result.exitCode === null ? 'killed' : `exit ${result.exitCode}`;
		desk.log.push(`  (${end}) ${result.stderr.trim().split('\n').slice(-6).join('\n  ')}`);
		// All that an input names is there until a job deletes it for good.
		const missing = /(?:user|ticket-tag|product|department|ticket_priority) \\?"[^"]*" not found/.exec(result.stderr);
		expectThat(missing === null || this.#isGone, 'what is there is found', missing?.[0]);
		const isFair = trouble.faults === undefined && editAt === undefined;
		return { ...result, from, isFair };
	}

	/** Somebody else's. @param some of these, mostly @param not what they leave alone @returns whether they edited */
	#edit(some: readonly string[], not: readonly string[] = []): boolean {
		// How many requests come in between must not change what comes behind.
		const dice = new Dice(`${this.seed} ${this.#commands} ${++this.#edits}`);
		const all = dice.is(0.7) ? some : PATHS;
		const path = dice.of(all.filter((each) => !not.includes(each)));
		const held = path === undefined ? undefined : this.desk.held(path);
		if (path === undefined || held === undefined || held.status === 'trash') return false;
		const own = THEIRS.filter((fields) => Object.keys(fields).every((name) => name in held));
		const fields = dice.of<Shown>([
			...own,
			...TEXTS.filter((name) => name in held).map((name) => ({ [name]: `theirs ${this.#commands}` })),
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
		run.wasKilled ||= command.exitCode === null;
		const said = [...run.outcomes].map(([row, { outcome, code = '' }]) => `${row} ${outcome} ${code}`.trimEnd());
		desk.log.push(`  journal: ${said.join(', ')}`);
		expectThat(!SECRETS.some((secret) => text.includes(secret)), 'no secret is in the journal', path);
		checkTouched(desk, fieldsOf(run.rows, run.part), command.from);
		checkOutcomes(desk, run);
		checkOrder(desk, run);
		if (run.condition !== undefined) checkConditions(desk, run);
		if (command.isFair) checkFair(desk, run, recorded);
		if (job.isVerified) checkVerified(desk, run, command.from, recorded);
		if (job.most !== undefined) {
			// What a resume did not reach was not sent.
			const sent = recorded.filter(({ code }) => code !== 'in_doubt');
			const wrong = sent.filter(({ outcome }) => outcome === 'failed' || outcome === 'unknown');
			expectThat(wrong.length <= job.most + slots, `a run stops after ${job.most} failures`, wrong);
		}
		if (added.length === 0) return;
		const isFirst = first !== undefined && run.outcomes.size >= Math.min(run.rows.length, first);
		this.#checkExit(command, lines, isFirst ? run.outcomes.size : run.rows.length);
	}

	/** @param rows how many were asked for */
	#checkExit({ exitCode }: Command, lines: readonly Line[], rows: number): void {
		if (exitCode === null || lines.at(-1)?.type !== 'end') return;
		const outcomes = outcomesIn(lines);
		const expected = exitCodeOf(rows, outcomes);
		expectThat(exitCode === expected, `the exit code is ${expected}`, { exitCode, rows, outcomes: [...outcomes] });
	}

	/** @returns the journal that the command began, if it did */
	#journalOf(command: Command, before: ReadonlySet<string>): string | undefined {
		// A process can be killed before it has written the first line.
		const isBegun = (path: string): boolean => linesIn(readFileSync(path, 'utf8')).length > 0;
		const path = this.#work.journals().find((each) => !before.has(each) && isBegun(each));
		const written = this.desk.states.slice(command.from).filter(({ by }) => by !== 'others');
		if (path === undefined) expectThat(written.length === 0, 'a run without a journal writes nothing', written);
		return path;
	}

	#idOf(journal: string): string {
		return idIn(linesIn(readFileSync(journal, 'utf8')));
	}
}

/** What others change; a text of their own beside it. */
const THEIRS: readonly Shown[] = [
	...[{ status: 'read' }, { assignee: 4 }, { product: '170' }, { 'ticket-tag': [32, 33] }, { severity: 'theirs' }],
];
const TEXTS = ['title', 'content', 'alt_text', 'first_name', 'nickname', 'note', 'description'];

const pathsOf = ({ rows }: Pick<Job, 'rows'>): string[] => rows.map(({ path }) => path);

const tuning = (slots: number): string[] => ['-j', String(slots), '--retries', '1'];

/** Lines of the story that a failure shows. */
const SHOWN = 150;

async function onDesk(seed: number, go: (walk: Walk) => Promise<void>, how: string): Promise<void> {
	const desk = await startModelDesk([...PATHS, ...OTHERS]);
	try {
		await go(new Walk(seed, desk));
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		error.message += `\n\n${how}\n${desk.log.slice(-SHOWN).join('\n')}`;
		throw error;
	}
}

export async function walk(seed: number): Promise<void> {
	await onDesk(seed, (each) => each.go(), `FAULTS_SEED=${seed} MODEL_WALKS=1`);
}

/** @param kind of `jobKinds` */
export async function press(seed: number, kind: number, trouble: Trouble, isPlanned = false): Promise<void> {
	await onDesk(seed, (each) => each.press(kind, trouble, isPlanned), `FAULTS_SEED=${seed}, kind ${kind}`);
}
