/** A folder in which a test runs several commands one after another: files, settings and journals stay between them. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../src/io/context.js';
import { runMain } from '../../src/main.js';
import { type CliOptions, type CliResult, jsonLines, type RunningCli, startCli, type Words, wordsOf } from './cli.js';
import { type MemoryContext, type MemoryOptions, memoryContext } from './context.js';
import { noteCommand } from './ran.js';
import { type Recorder, type Responder, startRecorder } from './recorder.js';
import { temporaryFolder } from './temporary.js';

export type JournalLine = Record<string, unknown> & { type: string };

export interface Workplace {
	readonly folder: string;
	readonly env: Record<string, string>;
	write(name: string, content: string | Uint8Array): string;
	/** Writes CSV: a header and so many rows. */
	sheet(name: string, header: string, rows: number, row: (index: number) => string): void;
	/** Writes edits.csv, which gives so many tickets the status hold. */
	edits(rows: number): void;
	read(name: string): string;
	/** Runs the program in the test's own process. */
	run(args: Words, options?: MemoryOptions): Promise<CliResult>;
	/** The same, without waiting for its end. */
	begin(args: Words, options?: MemoryOptions): { context: MemoryContext; ended: Promise<CliResult> };
	/** Runs the built binary as a process of its own. */
	spawn(args: Words, options?: Omit<CliOptions, 'cwd'>): RunningCli;
	/** Journals of the state folder, the oldest first. */
	journals(): string[];
	/** The records of a journal, without their checksums; the newest journal where none is named. */
	records(path?: string): JournalLine[];
	/** What is left of standard inputs. */
	spooled(): string[];
}

export function createWorkplace(service: Record<string, string> = {}): Workplace {
	const folder = temporaryFolder();
	const state = join(folder, 'state');
	const env = { ...service, SUPPORTCTL_CONFIG_DIR: join(folder, 'config'), SUPPORTCTL_STATE_DIR: state };
	const list = (name: string): string[] =>
		existsSync(join(state, name)) ? readdirSync(join(state, name)).map((each) => join(state, name, each)) : [];

	function begin(args: Words, options: MemoryOptions = {}) {
		const context = memoryContext({ cwd: folder, ...options, argv: wordsOf(args), env: { ...env, ...options.env } });
		const ended = runMain(context).then((exitCode) => {
			const result = { exitCode, stdout: context.stdout.text, stderr: context.stderr.text };
			noteCommand(context.argv, result);
			return result;
		});
		return { context, ended };
	}

	const journals = (): string[] =>
		list('runs')
			.filter((path) => path.endsWith('.ndjson'))
			.sort();

	function write(name: string, content: string | Uint8Array): string {
		writeFileSync(join(folder, name), content);
		return join(folder, name);
	}

	return {
		folder,
		env,
		write,
		sheet: (name, header, rows, row) => void write(name, csv(header, rows, row)),
		edits: (rows) =>
			void write(
				'edits.csv',
				csv('id,status', rows, (row) => `${row},hold`),
			),
		read: (name) => readFileSync(join(folder, name), 'utf8'),
		run: (args, options) => begin(args, options).ended,
		begin,
		spawn: (args, options = {}) => startCli(args, { ...options, cwd: folder, env: { ...env, ...options.env } }),
		journals,
		records(path = journals().at(-1)) {
			if (path === undefined) throw new Error('there is no journal');
			const lines = jsonLines<JournalLine>(readFileSync(path, 'utf8'));
			return lines.map(({ crc: _, ...record }) => record as JournalLine);
		},
		spooled: () => list('spool'),
	};
}

/** A workplace and the service that its commands reach. */
export async function startWorkplace(
	responder?: Responder,
): Promise<{ recorder: Recorder; work: Workplace; host: string }> {
	const recorder = await startRecorder(responder);
	return { recorder, work: createWorkplace(recorder.env), host: new URL(recorder.baseUrl).host };
}

/** A clock on which everything takes a fraction of the time, for runs that wait; a service has to hurry as much. */
export function hastyClock(factor: number): Clock {
	return {
		now: () => Date.now(),
		monotonic: () => performance.now() * factor,
		sleep: (ms, signal) =>
			new Promise((resolve) => {
				const timer = setTimeout(done, ms / factor);
				function done(): void {
					clearTimeout(timer);
					signal?.removeEventListener('abort', done);
					resolve();
				}
				if (signal?.aborted) done();
				else signal?.addEventListener('abort', done);
			}),
	};
}

/** CSV with these columns and rows. */
export function csv(header: string, count: number, row: (index: number) => string): string {
	const lines = [header];
	for (let index = 1; index <= count; index++) lines.push(row(index));
	return `${lines.join('\n')}\n`;
}
