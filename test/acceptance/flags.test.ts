/** Each flag on each way to send rows: it does what it promises, or is refused before anything is sent. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CliResult } from '../support/cli.js';
import { idOf, json, type RecordedRequest } from '../support/recorder.js';
import { startWorkplace, type Workplace } from '../support/workplace.js';

type Path = 'one object' | 'a run' | 'a dry run' | 'a resume' | 'a retry' | 'an undo' | 'a list';

/** What a command did. */
interface Seen extends CliResult {
	work: Workplace;
	requests: readonly RecordedRequest[];
	/** IDs of the tickets that were written, in order. */
	written: readonly number[];
}

/** A desk of three tickets; those in `refusing` are not updated, and one in `busy` is not at its first attempt. */
async function startDesk() {
	const tickets = new Map(
		[1, 2, 3].map((id) => [id, { id, status: 'read', title: `t${id}` } as Record<string, unknown>]),
	);
	const refusing = new Set<number>();
	const busy = new Set<number>();
	const { recorder, work } = await startWorkplace((request) => {
		const { method, url, body } = request;
		const id = idOf(request);
		const ticket = tickets.get(id);
		if (ticket === undefined) {
			const include = new URL(url, 'http://desk').searchParams.get('include')?.split(',');
			const found = [...tickets.values()].filter((each) => include?.includes(String(each.id)) !== false);
			return json(200, found, { 'x-wp-total': `${found.length}`, 'x-wp-totalpages': '1' });
		}
		if (method === 'GET') return json(200, ticket);
		if (refusing.has(id)) return json(409, { code: 'rest_conflict', message: 'Locked.' });
		if (busy.delete(id)) return json(503, { code: 'busy', message: 'Later.' });
		Object.assign(ticket, JSON.parse(body));
		return json(200, ticket);
	});
	work.write('edits.csv', 'id,status\n1,hold\n2,hold\n3,hold\n');
	return { recorder, work, tickets, refusing, busy };
}

type Desk = Awaited<ReturnType<typeof startDesk>>;

const RUN = 'ticket update --input edits.csv -j 1';

/** What is run on a path, and what has to be there before. */
const paths: Record<Path, { words: string; prepare?(desk: Desk): Promise<unknown> }> = {
	'one object': { words: 'ticket update 1 --status hold' },
	'a run': { words: 'ticket update --input edits.csv' },
	'a dry run': { words: 'ticket update --input edits.csv -n' },
	'a resume': { words: 'run resume last', prepare: ({ work }) => work.run(`${RUN} --first 1 -q`) },
	'a retry': {
		words: 'run retry last',
		async prepare({ work, refusing }) {
			refusing.add(2).add(3);
			await work.run(`${RUN} -q`);
			refusing.clear();
		},
	},
	'an undo': { words: 'run undo last --yes', prepare: ({ work }) => work.run(`${RUN} --snapshot -q`) },
	'a list': { words: 'ticket list' },
};

interface Flag {
	/** Makes the desk one on which the flag matters. */
	prepare?(desk: Desk): void;
	/** Whether the command did what the flag promises. */
	shows(seen: Seen): boolean;
	/** Elsewhere it is an unknown flag. */
	on: readonly Path[];
	/** Where it is accepted and has nothing to do. */
	idleOn?: readonly Path[];
	/** Where a flag of this name means something else. */
	otherOn?: readonly Path[];
}

const updates: readonly Path[] = ['one object', 'a run'];
const runs: readonly Path[] = [...updates, 'a resume', 'a retry'];
const sends: readonly Path[] = [...runs, 'an undo'];
const everywhere: readonly Path[] = [...sends, 'a dry run', 'a list'];
const dry = { idleOn: ['a dry run'] } as const;

const isRead = ({ method }: RecordedRequest): boolean => method === 'GET';
const succeeds = ({ exitCode }: Seen): boolean => exitCode === 0;
const writesNothing = ({ written }: Seen): boolean => written.length === 0;
const isRefused = ({ exitCode, requests }: Seen): boolean => exitCode === 2 && requests.every(isRead);
const printsIds = ({ stdout }: Seen): boolean => /^(?:[123]\n)+$/.test(stdout);
const refuseAll = ({ refusing }: Desk): void => {
	for (const id of [1, 2, 3]) refusing.add(id);
};

const flags: Record<string, Flag> = {
	'--verify': {
		shows: ({ requests }) => requests.findLastIndex(isRead) > requests.findLastIndex((each) => !isRead(each)),
		on: runs,
		...dry,
	},
	'--snapshot': { shows: ({ requests }) => requests[0]?.method === 'GET', on: updates, ...dry },
	'--no-snapshot': { shows: ({ requests }) => !requests.some(isRead), on: updates, ...dry },
	'--only-changed': {
		prepare({ tickets }) {
			for (const each of tickets.values()) each.status = 'hold';
		},
		shows: writesNothing,
		on: updates,
		...dry,
	},
	'--if title=other': { shows: writesNothing, on: updates, ...dry },
	'--allow-differs': { shows: succeeds, on: updates, ...dry },
	'--expect 9': { shows: isRefused, on: [...sends, 'a dry run'] },
	'--max 0': { shows: isRefused, on: [...sends, 'a dry run'] },
	'--first 1': { shows: ({ written }) => written.length === 1, on: sends, ...dry },
	'--shard 1/2': { shows: ({ written }) => written.length < 3, on: updates, ...dry },
	'-j 1': { shows: ({ written }) => String(written) === String(written.toSorted()), on: everywhere },
	'--rate 50': { shows: succeeds, on: everywhere },
	'--timeout 9': { shows: succeeds, on: everywhere },
	'--retries 0': {
		prepare({ busy }) {
			for (const id of [1, 2, 3]) busy.add(id);
		},
		shows: ({ written }) => written.length === new Set(written).size,
		on: everywhere,
	},
	'--stop-on-error': {
		prepare: refuseAll,
		shows: ({ stderr }) => stderr.includes('--stop-on-error'),
		on: ['a run'],
		idleOn: ['one object', 'a dry run'],
	},
	'--max-failures 0': {
		prepare: refuseAll,
		shows: ({ stderr }) => /stopped: .*\(--max-failures 0\)/.test(stderr),
		on: ['a run'],
		idleOn: ['one object', 'a dry run'],
	},
	'--for 1h': { shows: succeeds, on: sends, ...dry },
	'--until 2100-01-01': { shows: succeeds, on: sends, ...dry },
	'--report junit:r.xml': { shows: ({ work }) => existsSync(join(work.folder, 'r.xml')), on: sends, ...dry },
	'--journal j.ndjson': {
		shows: ({ work }) => existsSync(join(work.folder, 'j.ndjson')),
		on: [...updates, 'an undo'],
		...dry,
	},
	'--note why': {
		shows: ({ work }) => work.records()[0]?.note === 'why',
		on: [...updates, 'an undo'],
		...dry,
	},
	'--ignore-missing': { shows: succeeds, on: [] },
	'-n': { shows: writesNothing, on: [...sends, 'a dry run'] },
	'-n --diff': {
		shows: ({ written, stdout }) => written.length === 0 && stdout.includes('hold'),
		on: [...updates, 'a dry run', 'an undo'],
	},
	'--yes': { shows: succeeds, on: [...sends, 'a dry run'] },
	'--format ids': { shows: printsIds, on: everywhere },
	'--fields id': { shows: printsIds, on: everywhere.filter((path) => path !== 'an undo'), otherOn: ['an undo'] },
	'--fields status': { shows: succeeds, on: ['an undo'], otherOn: everywhere },
	'--json': { shows: ({ stdout }) => typeof JSON.parse(stdout) === 'object', on: everywhere },
	'--format csv --bom': { shows: ({ stdout }) => stdout.startsWith('\ufeff'), on: everywhere },
	'-q': { shows: ({ stderr }) => stderr === '', on: everywhere },
	'--limit 1': { shows: ({ stdout }) => stdout.trim().split('\n').length === 1, on: ['a list'] },
	'--sort -id': { shows: ({ requests }) => requests[0]?.url.includes('order=desc') === true, on: ['a list'] },
};

async function run(path: Path, name: string, { prepare }: Flag): Promise<Seen> {
	const desk = await startDesk();
	const { words, prepare: before } = paths[path];
	await before?.(desk);
	prepare?.(desk);
	desk.recorder.requests.length = 0;
	const result = await desk.work.run(`${words} ${name}`);
	const { requests } = desk.recorder;
	return { ...result, work: desk.work, requests, written: requests.filter((each) => !isRead(each)).map(idOf) };
}

describe.each(Object.entries(flags))('%s', (name, flag) => {
	test.each(flag.on)('does on %s what it promises', async (path) => {
		const seen = await run(path, name, flag);
		const { exitCode, stdout, stderr, written } = seen;
		const facts = { exitCode, stdout, stderr, written };
		expect({ ...facts, shows: flag.shows(seen) }).toEqual({ ...facts, shows: true });
	});

	test.each(flag.idleOn ?? [])('is accepted on %s', async (path) => {
		const { exitCode, stderr, written } = await run(path, name, flag);
		const isDry = path === 'a dry run';
		expect({ exitCode, stderr, written }).toMatchObject(isDry ? { exitCode: 0, written: [] } : { exitCode: 1 });
	});

	const known = [...flag.on, ...(flag.idleOn ?? []), ...(flag.otherOn ?? [])];
	const others = (Object.keys(paths) as Path[]).filter((each) => !known.includes(each));
	test.each(others)('is an unknown flag on %s', async (path) => {
		const { exitCode, stdout, stderr, requests } = await run(path, name, flag);
		const says = expect.stringMatching(/^error: unknown flag -/);
		expect({ exitCode, stdout, stderr, requests }).toEqual({ exitCode: 2, stdout: '', stderr: says, requests: [] });
	});
});
