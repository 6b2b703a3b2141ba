/** Journals that are looked at together: one, or those of the shards of one input. */

import { statSync } from 'node:fs';
import { UsageError } from '../../errors.js';
import { formatShard, type RunHeader } from '../plan.js';
import { type Counts, openRows, stepsAfter, sumOf, withUnsent } from './counts.js';
import { type RunSummary, runStates, summariseRun } from './folder.js';
import { openRecords, type RecordFile } from './read.js';

interface OpenRun extends RecordFile {
	summary: RunSummary;
}

export type OpenRuns = readonly [OpenRun, ...OpenRun[]];

export type Whole = ReturnType<typeof combine>;

/** @param paths at least one @throws FailedError */
export async function openRuns(paths: Iterable<string>): Promise<OpenRuns> {
	const runs: OpenRun[] = [];
	try {
		for (const path of paths) {
			const file = await openRecords(path);
			runs.push({ ...file, summary: await summariseRun(path, file.scan.header.id, file.scan) });
		}
		return runs as [OpenRun, ...OpenRun[]];
	} catch (error) {
		closeRuns(runs);
		throw error;
	}
}

export function closeRuns(runs: readonly OpenRun[]): void {
	for (const { close } of runs) close();
}

/** Several runs as one. @throws UsageError unless they are shards of one input */
export function combine(runs: OpenRuns) {
	const [first, ...others] = runs;
	const isOne = others.length === 0;
	const header = isOne ? first.scan.header : commonHeader(runs.map(({ scan }) => scan.header));
	const ended = runs.filter(({ summary }) => runStates[summary.state].hasEnded);
	return {
		header,
		summary: isOne ? first.summary : summaryOf(runs, header),
		files: runs,
		counts: sumOf(runs.map(allCounts)),
		ms: durationOf(runs, header),
		next: ended.flatMap((run) => {
			const counts = allCounts(run);
			return stepsAfter(run.scan.header, counts, openRows(counts) > 0);
		}),
		...(isOne ? { missing: [], twice: [] } : gapsIn(runs)),
	};
}

function allCounts({ scan: { header, counts } }: OpenRun): Counts {
	return withUnsent(header, counts);
}

function commonHeader(headers: readonly RunHeader[]): RunHeader {
	const [first, ...others] = headers as [RunHeader, ...RunHeader[]];
	for (const other of others) checkTogether(first, other);
	return {
		...first,
		id: headers.map(({ id }) => id).join(','),
		started: headers.map(({ started }) => started).sort()[0] ?? first.started,
		plan: { ...first.plan, shard: undefined },
		input: { ...first.input, own: headers.reduce((sum, { input }) => sum + input.own, 0) },
	};
}

function checkTogether(first: RunHeader, other: RunHeader): void {
	const runs = `runs ${first.id} and ${other.id}`;
	if (other.input.sha256 !== first.input.sha256) {
		throw new UsageError(`${runs} have different inputs`, { code: 'input_changed' });
	}
	const count = first.plan.shard?.count;
	if (count !== undefined && other.plan.shard?.count === count) return;
	const message = `${runs} are not shards of one run: rows would be counted twice`;
	throw new UsageError(message, { code: 'shards_overlap' });
}

function summaryOf(runs: OpenRuns, header: RunHeader): RunSummary {
	return {
		id: header.id,
		header,
		path: runs.map(({ summary }) => summary.path).join(','),
		state: runs.every(({ summary }) => summary.state === 'finished') ? 'finished' : 'stopped',
		counts: sumOf(runs.map(({ summary, scan }) => summary.counts ?? scan.counts)),
	};
}

function durationOf(runs: OpenRuns, { started }: RunHeader): number {
	const ends = runs.map(({ scan: { end }, summary }) => {
		return end === undefined ? statSync(summary.path).mtimeMs : Date.parse(end.at);
	});
	return Math.max(0, Math.max(...ends) - Date.parse(started)) || 0;
}

function gapsIn(runs: OpenRuns): { missing: string[]; twice: string[] } {
	const shards = runs.flatMap(({ scan }) => scan.header.plan.shard ?? []);
	const given = shards.map(formatShard);
	const count = shards[0]?.count ?? 0;
	const all = Array.from({ length: count }, (_, at) => formatShard({ index: at + 1, count }));
	return {
		missing: all.filter((shard) => !given.includes(shard)),
		twice: all.filter((shard) => given.indexOf(shard) !== given.lastIndexOf(shard)),
	};
}
