/** A random walk: a run, with faults, kills and edits by others between its parts, to its end and back. */

import { readFileSync } from 'node:fs';
import type { CliResult } from '../../support/cli.js';
import { chances } from '../../support/small-host.js';
import { createWorkplace, type Workplace } from '../../support/workplace.js';
import {
	type Asked,
	checkOrder,
	checkOutcomes,
	checkTouched,
	checkUndone,
	exitCodeOf,
	expectThat,
	type ModelRun,
	type Recorded,
} from './checks.js';
import { type Kind, type ModelDesk, startModelDesk, type Weather } from './desk.js';

const TICKETS = [11, 12, 13, 14, 15, 16];

type Line = { readonly type: string } & Record<string, unknown>;

const FAULTS: Readonly<Record<Kind, readonly string[]>> = {
	write: [
		...['reset before', 'reset after', '502 before', '502 after', 'cut after', '{} before', '{} after'],
		...['another before', 'another after', 'late', '403', '409', '303 before', '303 after', '429 0', '429 1'],
		...['part', 'page before', 'page after'],
	],
	read: ['reset', '502', 'cut', '{}', '[]', 'another', 'late', '403', '409', '303', '429 0', 'page'],
	list: ['reset', '502', 'cut', '{}', '[]', '403', '409', '303', '429 0', 'page', 'fewer', 'twice'],
	lookup: ['reset', '502', 'cut', '{}', '[]', 'another', 'late', '403', '409', '303', '429 0', 'page'],
};

/** What became of one command. */
interface Command extends CliResult {
	readonly isKilled: boolean;
	/** How many states the desk had before it. */
	readonly from: number;
}

class Walk {
	readonly #random: () => number;
	readonly story: string[] = [];
	readonly #work: Workplace;
	#commands = 0;

	constructor(
		readonly seed: number,
		readonly desk: ModelDesk,
	) {
		this.#random = chances(seed);
		this.#work = createWorkplace(desk.env);
	}

	#is(chance: number): boolean {
		return this.#random() < chance;
	}

	#to(most: number): number {
		return 1 + Math.floor(this.#random() * most);
	}

	#of<T>(all: readonly T[]): T {
		return all[Math.floor(this.#random() * all.length)] as T;
	}

	/** Each request's fault is a matter of the seed, the command and the request, not of the order in which they come. */
	#weather(share: number): Weather {
		const command = this.#commands;
		return (kind, { method, url, body }, tries) => {
			const chance = chances(hashOf(`${this.seed} ${command} ${method} ${url} ${body} ${tries}`));
			return chance() < share ? FAULTS[kind][Math.floor(chance() * FAULTS[kind].length)] : undefined;
		};
	}

	async command(words: readonly string[], { faults = 0, kills = 0 } = {}): Promise<Command> {
		const { desk } = this;
		this.#commands++;
		desk.weather = this.#weather(faults);
		const from = desk.states.length;
		const said = `$ supportctl ${words.join(' ')}`;
		desk.log.push(said);
		const running = this.#work.spawn(words);
		let left = kills;
		desk.onRequest = () => {
			if (kills === 0 || --left > 0) return;
			desk.isSilent = true;
			running.child.kill('SIGKILL');
		};
		const result = await running.ended;
		await desk.quiet();
		desk.isSilent = false;
		desk.onRequest = undefined;
		const end = result.exitCode === null ? 'killed' : `exit ${result.exitCode}`;
		desk.log.push(`  (${end}) ${result.stderr.trim().split('\n').slice(-6).join('\n  ')}`);
		return { ...result, isKilled: result.exitCode === null, from };
	}

	#linesOf(path: string): Line[] {
		const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
		return lines.map((line) => JSON.parse(line) as Line);
	}

	#update(): { words: string[]; rows: Asked[] } {
		const rows: Asked[] = [];
		const lines = ['id,title,status,assignee'];
		const count = 2 + this.#to(8);
		for (let row = 1; row <= count; row++) {
			const id = this.#of(TICKETS);
			const fields: Record<string, unknown> = {};
			const cells = [String(id)];
			const add = (name: string, value: unknown, cell = String(value)): void => {
				fields[name] = value;
				cells.push(cell);
			};
			if (this.#is(0.8)) add('title', `t${this.#commands}-${row}`);
			else cells.push('');
			if (this.#is(0.5)) add('status', this.#of(['hold', 'queued', 'read', 'unread']));
			else cells.push('');
			if (this.#is(0.4)) {
				const [cell, user] = this.#of([
					['ben', 2],
					['jose.kaya', 3],
					['3', 3],
					['@77', 4],
					['ada', 1],
				] as const);
				add('assignee', user, cell);
			} else cells.push('');
			lines.push(cells.join(','));
			rows.push({ row, path: `/tickets/${id}`, fields });
		}
		this.#work.write('edits.csv', `${lines.join('\n')}\n`);
		this.desk.log.push(...lines.map((line) => `  edits.csv: ${line}`));
		return { words: ['ticket', 'update', '--input', 'edits.csv'], rows };
	}

	#flags(): string[] {
		const flags = ['-j', String(this.#to(4)), '--retries', '1'];
		if (this.#is(0.3)) flags.push('--verify');
		return flags;
	}

	/** Looks at what a command left behind. */
	#look(run: ModelRun, path: string, command: Command): void {
		const { desk } = this;
		const lines = this.#linesOf(path);
		const outcomes = new Map<number, Recorded>();
		for (const line of lines) if (line.type === 'row') outcomes.set(line.row as number, line as unknown as Recorded);
		run.outcomes = outcomes;
		desk.log.push(
			`  journal: ${[...outcomes].map(([row, { outcome, code }]) => `${row} ${outcome}${code ? ` ${code}` : ''}`).join(', ')}`,
		);
		const text = readFileSync(path, 'utf8');
		for (const secret of ['s3cret pass', 's3cret%20pass', Buffer.from('ada:s3cret pass').toString('base64')]) {
			expectThat(!text.includes(secret), 'no secret is in the journal', path);
		}
		checkTouched(desk, run, command.from);
		checkOutcomes(desk, run);
		checkOrder(desk, run);
		const [end] = lines.slice(-1);
		if (command.isKilled || end?.type !== 'end') return;
		const expected = exitCodeOf(run.rows.length, outcomes, false);
		expectThat(command.exitCode === expected, `the exit code is ${expected}`, command.exitCode);
	}

	async run(): Promise<void> {
		const { desk } = this;
		const { words, rows } = this.#update();
		const before = new Set(this.#work.journals());
		const start = desk.states.length;
		const bad = () => ({ faults: this.#is(0.7) ? this.#of([0.1, 0.3]) : 0, kills: this.#is(0.6) ? this.#to(14) : 0 });
		let command = await this.command([...words, ...this.#flags()], bad());
		const path = this.#work.journals().find((each) => !before.has(each));
		if (path === undefined) {
			expectThat(desk.states.length === start, 'a run without a journal writes nothing', command.exitCode);
			expectThat(command.isKilled || command.exitCode !== 0, 'a run without a journal fails', command.exitCode);
			return;
		}
		const id = String((this.#linesOf(path)[0] as { id?: unknown } | undefined)?.id);
		const run: ModelRun = { id, rows, start, outcomes: new Map() };
		this.#look(run, path, command);
		for (let part = this.#to(3) - 1; part > 0; part--) {
			const again = this.#of(['resume', 'resume', 'retry']);
			command = await this.command(['run', again, id, '-j', String(this.#to(4)), '--retries', '1'], bad());
			this.#look(run, path, command);
		}
		for (let part = 0; part < 2 && this.#isOpen(run); part++) {
			command = await this.command(['run', 'resume', id]);
			this.#look(run, path, command);
		}
		expectThat(!this.#isOpen(run), 'resumes against a healthy service leave nothing open', [...run.outcomes]);
		if (this.#is(0.3)) this.#edit();
		const undone = await this.command(['run', 'undo', id, '--yes']);
		checkTouched(desk, run, undone.from);
		checkUndone(desk, run, undone.from, undone.exitCode);
	}

	#edit(): void {
		const path = `/tickets/${this.#of(TICKETS)}`;
		const fields = this.#of([{ title: 'theirs' }, { status: 'read' }, { assignee: 4 }, { content: 'theirs' }]);
		this.desk.log.push(`  others: ${path} ${JSON.stringify(fields)}`);
		this.desk.edit(path, fields);
	}

	#isOpen(run: ModelRun): boolean {
		const outcomes = [...run.outcomes.values()];
		const isLeft = outcomes.some(({ outcome }) => outcome === 'unknown' || outcome === 'not-sent');
		return isLeft || outcomes.length < run.rows.length;
	}
}

/** FNV-1a. */
function hashOf(text: string): number {
	let hash = 0x811c9dc5;
	for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
	return hash >>> 0;
}

const SHOWN = 150;

export async function walk(seed: number): Promise<void> {
	const desk = await startModelDesk([...TICKETS, 17].map((id) => `/tickets/${id}`));
	try {
		await new Walk(seed, desk).run();
	} catch (error) {
		if (error instanceof Error) {
			error.message = `${error.message}\n\nFAULTS_SEED=${seed} MODEL_WALKS=1\n${desk.log.slice(-SHOWN).join('\n')}`;
		}
		throw error;
	}
}
