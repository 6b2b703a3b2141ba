import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCounts } from '../../../src/bulk/journal/counts.js';
import { summariseRun } from '../../../src/bulk/journal/folder.js';
import { UnderWay } from '../../../src/bulk/journal/history.js';
import { openRecords, scanJournal } from '../../../src/bulk/journal/read.js';
import { differences, reasonOf, recordIn, sealed } from '../../../src/bulk/journal/records.js';
import type { RunPlan } from '../../../src/bulk/plan.js';
import type { OutcomeName } from '../../../src/http/outcome.js';
import { headerOf, lineOf, outcomeOf, planOf, startJournal } from '../../support/journal.js';
import { temporaryFolder } from '../../support/temporary.js';

/** A journal with these lines behind its header. */
function journalWith(
	lines: readonly (string | Record<string, unknown>)[],
	rows = 10,
	more: Partial<RunPlan> = { endpoint: 'ticket.delete' },
): string {
	const path = join(temporaryFolder(), 'run.ndjson');
	const header = { type: 'plan', version: 3, ...headerOf(rows, more) };
	const texts = [header, ...lines].map((each) => (typeof each === 'string' ? each : lineOf(each)));
	writeFileSync(path, `${texts.join('\n')}\n`);
	return path;
}

const row = (number: number, outcome: OutcomeName, more: Record<string, unknown> = {}) => ({
	type: 'row',
	row: number,
	outcome,
	attempts: 1,
	ms: 12,
	...more,
});
const lost = (number: number) => ({ type: 'attempt', row: number, attempt: 1, lost: true });
const end = { type: 'end', at: 'x', exit: 0, counts: createCounts() };

describe('what a row’s records say', () => {
	it('an attempt that the service failed may have been applied in part', async () => {
		const attempt = { type: 'attempt', row: 1, attempt: 1, partly: true };
		const { states } = await scanJournal(journalWith([attempt, row(1, 'not-sent'), end]));
		expect(states.history(1)).toEqual({ mayBeApplied: false, mayBePartly: true });
		expect(states.mayBeWritten(1)).toBe(true);
	});

	it.each<[string, Record<string, unknown>[], { done: boolean; maybeSent: boolean }]>([
		['nothing', [], { done: false, maybeSent: false }],
		['ok', [row(1, 'ok')], { done: true, maybeSent: false }],
		['skipped', [row(1, 'skipped')], { done: true, maybeSent: false }],
		['invalid', [row(1, 'invalid')], { done: true, maybeSent: false }],
		['failed', [row(1, 'failed', { status: 400 })], { done: true, maybeSent: false }],
		['refused for its rights', [row(1, 'failed', { status: 403 })], { done: true, maybeSent: false }],
		['refused for the credentials', [row(1, 'failed', { status: 401 })], { done: false, maybeSent: false }],
		['not sent', [row(1, 'not-sent')], { done: false, maybeSent: false }],
		['unknown', [row(1, 'unknown')], { done: false, maybeSent: true }],
		[
			'an attempt that was answered',
			[{ type: 'attempt', row: 1, attempt: 1, lost: false }],
			{ done: false, maybeSent: false },
		],
		['an attempt without an answer', [lost(1)], { done: false, maybeSent: true }],
		['lost and then not sent', [lost(1), row(1, 'not-sent')], { done: false, maybeSent: true }],
		['lost, and then refused', [lost(1), row(1, 'failed', { status: 401 })], { done: false, maybeSent: true }],
		['unknown, then ok', [row(1, 'unknown'), row(1, 'ok')], { done: true, maybeSent: true }],
		['ok, and then lost', [row(1, 'ok'), lost(1)], { done: true, maybeSent: true }],
		['failed in part', [{ type: 'attempt', row: 1, attempt: 1, partly: true }], { done: false, maybeSent: false }],
	])('%s', async (_, records, expected) => {
		const { states, done, inFlight } = await scanJournal(journalWith([...records, end]));
		expect({ done: states.isDone(1), maybeSent: states.maybeSent(1) }).toEqual(expected);
		expect({ done, inFlight }).toEqual({
			done: expected.done ? 1 : 0,
			inFlight: !expected.done && expected.maybeSent ? 1 : 0,
		});
	});

	it('is kept apart for rows far from each other', async () => {
		const far = [1, 65_535, 65_536, 65_537, 4_000_000];
		const { states } = await scanJournal(
			journalWith([...far.map((each) => row(each, 'ok')), lost(4_000_002)], 5_000_000),
		);
		const seen = [2, 65_534, 65_538, 131_073, 4_000_001, 4_000_002, ...far].filter((each) => states.isDone(each));
		expect(seen).toEqual(far);
	});
});

describe('rows that can have been under way when a process was killed', () => {
	const resume = { type: 'resume', at: 'y', tool: '1', concurrency: 2 };
	const keys = (number: number) => `ticket ${number === 4 ? 3 : number}`;

	it.each<[string, Record<string, unknown>[], number[]]>([
		['none, where its process ended by itself', [row(1, 'ok'), end], []],
		['the first ones, as many as could be under way', [], [1, 2, 3, 5]],
		['those without an outcome, one of each object', [row(2, 'ok'), row(5, 'failed')], [1, 3, 6, 7]],
		['as many as the last resume said', [row(1, 'ok'), end, resume], [2, 3]],
		['also of those that had an outcome before', [row(1, 'ok'), row(2, 'unknown'), end, resume], [2, 3]],
		['none that has an outcome since', [row(2, 'unknown'), end, resume, row(1, 'ok'), row(2, 'not-sent')], [3, 5]],
	])('are %s', async (_, records, expected) => {
		const scan = await scanJournal(journalWith(records));
		const underWay = new UnderWay(scan);
		const rows = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].filter((number) => !scan.states.isDone(number));
		expect(rows.filter((number) => underWay.has(number, { key: keys(number), permanent: false }))).toEqual(expected);
	});

	it('are, where old values are kept, only those whose old values are in the journal, and permanent deletes', async () => {
		const before = { type: 'before', row: 2, ids: { id: '2' }, values: {}, sent: {} };
		const checks = { ...planOf().checks, snapshot: true };
		const underWay = new UnderWay(await scanJournal(journalWith([before], 10, { checks })));
		const rows = [1, 2, 3].filter((number) => underWay.has(number, { key: keys(number), permanent: number === 3 }));
		expect(rows).toEqual([2, 3]);
	});
});

describe('rows that a retry sends again', () => {
	const retry = { type: 'resume', at: 'y', tool: '1', concurrency: 4, again: ['failed'] };
	const failed = row(1, 'failed', { status: 500 });

	it.each<[string, Record<string, unknown>[], boolean]>([
		['are open', [failed, end, retry], false],
		['are open for a resume where the retry was killed', [failed, end, retry, { ...retry, again: undefined }], false],
		['are done where the retry ended without them', [failed, end, retry, end], true],
		['are done again with an outcome', [failed, end, retry, row(1, 'failed')], true],
	])('%s', async (_, records, isDone) => {
		const { states } = await scanJournal(journalWith(records));
		expect([states.isDone(1), states.history(1).mayBePartly, states.mayBeWritten(1)]).toEqual([isDone, true, true]);
	});
});

describe('old values', () => {
	it('that were kept are counted, and say nothing of their row', async () => {
		const before = (number: number) => ({ type: 'before', row: number, ids: { ticket_id: '1' }, values: {}, sent: {} });
		const { snapshots, states, corrupt } = await scanJournal(journalWith([before(1), before(2)]));
		expect([snapshots, states.isDone(1), states.maybeSent(1), corrupt]).toEqual([2, false, false, []]);
		expect((await scanJournal(journalWith([]))).snapshots).toBe(0);
	});
});

describe('a row number', () => {
	it.each([0, -1, 1.5, '1', null, true, 4e9, 1e300])('%j is damage in a run of ten rows', async (number) => {
		const { corrupt, done } = await scanJournal(journalWith([{ ...row(1, 'ok'), row: number }, row(10, 'ok')]));
		expect(corrupt).toEqual([{ line: 2, reason: expect.stringContaining('row') }]);
		expect(done).toBe(1);
	});

	it('beyond the input is damage, and takes no room', async () => {
		const { corrupt } = await scanJournal(journalWith([row(11, 'ok')]));
		expect(corrupt).toEqual([{ line: 2, reason: "a row that isn't in the input" }]);
	});

	it('may be any up to what the header says: room is taken by rows that have a record', async () => {
		const most = 4_000_000_000_000;
		const path = journalWith([row(7, 'ok'), row(4_000_000_000, 'failed'), row(most, 'ok'), row(2, 'unknown')], most);
		const file = await openRecords(path);
		expect([...file.records()].map((record) => record.row)).toEqual([2, 7, 4_000_000_000, most]);
		expect(file.scan.counts).toMatchObject({ ok: 2, failed: 1, unknown: 1 });
		file.close();
	});
});

describe('the end', () => {
	it('is the end only where nothing follows', async () => {
		expect((await scanJournal(journalWith([row(1, 'ok'), end]))).end).toEqual({
			type: 'end',
			at: 'x',
			exit: 0,
			counts: createCounts(),
		});
		const resumed = await scanJournal(journalWith([end, { type: 'resume', at: 'y', tool: '1', concurrency: 4 }]));
		expect([resumed.end, resumed.resumes]).toEqual([undefined, 1]);
		expect((await scanJournal(journalWith([end, row(1, 'ok')]))).end).toBeUndefined();
	});
});

describe('damage', () => {
	it('leaves open whether the rows without a record were sent', async () => {
		const { states } = await scanJournal(journalWith([row(1, 'ok'), 'x', end]));
		expect([states.isDone(1), states.maybeSent(2)]).toEqual([true, true]);
	});

	it.each([
		['file not found', () => join(temporaryFolder(), 'none')],
		['it is a directory', () => temporaryFolder()],
	])('of the file itself is told: %s', async (reason, pathOf) => {
		await expect(scanJournal(pathOf())).rejects.toMatchObject({
			code: 'unreadable_journal',
			message: expect.stringContaining(reason),
		});
	});
});

describe('a row’s record', () => {
	it('keeps ids apart', () => {
		const line = lineOf({ ...row(1, 'ok'), id: 5, ticket_id: '14', attempts: 2, ms: 7, status: 200 });
		expect(recordIn(line)).toMatchObject({
			type: 'row',
			row: 1,
			outcome: 'ok',
			attempts: 2,
			ms: 7,
			status: 200,
			ids: { id: '5', ticket_id: '14' },
		});
		expect(recordIn(lineOf({ type: 'sent', row: 1 }))).toEqual({ type: 'other' });
	});
});

describe('a record with a part of another type', () => {
	const before = { type: 'before', row: 1, ids: { id: '1' }, values: { title: 'a' }, sent: { title: 'b' } };
	const resume = { type: 'resume', at: 'x', tool: '1', concurrency: 4 };
	const attempt = { type: 'attempt', row: 1, attempt: 1 };
	const name = { type: 'name', of: 'users', name: 'ada', id: '3' };
	const differs = [{ field: 'title', sent: 'a', shown: 'b' }];
	const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => [inner], 0);
	const odd: readonly unknown[] = [null, true, -1, 1.5, 'x', [], {}, [null], { a: null }, deep, 1e300];

	/** Parts that every record of the type has, and those that it may have. */
	const records: readonly (readonly [record: Record<string, unknown>, more: Record<string, unknown>])[] = [
		[
			row(1, 'ok', { id: '1' }),
			{ line: 1, status: 200, code: 'c', message: 'm', reasons: { a: 'b' }, warnings: ['w'], differs, link: 'l' },
		],
		[before, { absent: ['a'], withheld: ['b'] }],
		[attempt, { status: 200, code: 'c', lost: true, partly: true }],
		[name, {}],
		[{ type: 'name', of: 'users', name: 'ada', problem: 'not found' }, {}],
		[{ type: 'tick', ms: 5 }, {}],
		[resume, { again: ['failed'] }],
		[end, { interrupted: true }],
	];

	it.each(records)('is good as it is written: %j', async (record, more) => {
		for (const each of [record, { ...record, ...more }, { ...record, later: [1] }]) {
			expect(recordIn(lineOf(each))).toMatchObject({ type: record.type });
		}
	});

	it.each(records)('is damage, or is read as it is by everything: %j', async (record, more) => {
		const whole = { ...record, ...more };
		for (const part of Object.keys(whole).filter((each) => each !== 'type')) {
			for (const value of [...odd, undefined]) {
				const path = journalWith([row(2, 'ok'), { ...whole, [part]: value }, row(3, 'failed')]);
				const file = await openRecords(path);
				for (const facts of [...file.records()]) {
					expect(typeof [reasonOf(facts), ...differences(facts)].join()).toBe('string');
				}
				expect(file.scan.counts.ok).toBeGreaterThanOrEqual(1);
				expect(file.ticks.every(({ ms, end: at }) => Number.isFinite(ms + at))).toBe(true);
				file.close();
				expect((await summariseRun(path, 'x')).state).not.toBe('damaged');
				const last = journalWith([{ ...whole, [part]: value }]);
				expect(Object.values((await summariseRun(last, 'x')).counts ?? {}).every(Number.isSafeInteger)).toBe(true);
			}
		}
	});

	it.each(['null', '[1]', '"x"', '7', '{"type":', '{}', '{"type":["row"]}', ''])('is damage as %s', (json) => {
		const record = recordIn(sealed(json));
		expect(typeof record === 'string' || record.type === 'other').toBe(true);
	});
});

describe('the last records of rows', () => {
	const differs = [{ field: 'status', sent: 'hold', shown: 'read' }];

	it('are read in the order of the rows, those with other outcomes left out, and none that was overtaken', async () => {
		const journal = startJournal(temporaryFolder(), 10);
		const note = (number: number, outcome: OutcomeName, message: string) =>
			journal.outcome(outcomeOf(number, { outcome, message }));
		await note(1, 'failed', 'one');
		await note(5, 'failed', 'five');
		await note(2, 'unknown', 'overtaken');
		await note(3, 'ok', 'fine');
		await note(4, 'unknown', 'first');
		await note(2, 'ok', 'two');
		await note(4, 'unknown', 'second');
		await journal.close();
		const file = await openRecords(journal.path);
		const messages = (names: readonly OutcomeName[]) =>
			[...file.records((outcome) => names.includes(outcome))].map(({ message }) => message);
		expect(messages(['failed', 'unknown'])).toEqual(['one', 'second', 'five']);
		expect([...file.records()].map(({ row: number }) => number)).toEqual([1, 2, 3, 4, 5]);
		expect([file.recordOf(4)?.message, file.recordOf(6)]).toEqual(['second', undefined]);
		file.close();
	});

	it('that are damaged or of no row of the input count for nothing', async () => {
		const file = await openRecords(
			journalWith([row(2, 'ok'), `${lineOf(row(2, 'failed'))} `, row(99, 'failed'), { ...row(1, 'ok'), row: 'x' }]),
		);
		expect([...file.records()].map(({ row: number, outcome }) => [number, outcome])).toEqual([[2, 'ok']]);
		file.close();
	});

	it('are read wherever the ends of lines fall, up to a line that was never finished', async () => {
		const messages = Array.from({ length: 3000 }, (_, index) => 'é'.repeat(index % 97));
		const path = journalWith(
			[...messages.map((message, index) => row(index + 1, 'ok', { message })), 'x', row(1, 'ok')],
			3000,
		);
		const { size } = statSync(path);
		appendFileSync(path, '{"type":"row"');
		const file = await openRecords(path);
		expect([...file.records()].map(({ message }) => message)).toEqual([undefined, ...messages.slice(1)]);
		expect(file.scan).toMatchObject({ corrupt: [{ line: 3002 }], validBytes: size, tornBytes: 13 });
		file.close();
	});

	it('are whole however long their lines are', async () => {
		const journal = startJournal(temporaryFolder(), 10);
		const long = 'x'.repeat(300_000);
		await journal.outcome(outcomeOf(1, { outcome: 'failed', message: long, differs }));
		await journal.outcome(outcomeOf(2));
		await journal.close();
		const file = await openRecords(journal.path);
		expect([...file.records()].map(({ message, differs: shown }) => [message, shown])).toEqual([
			[long, differs],
			[undefined, undefined],
		]);
		file.close();
	});
});

it('a difference without one of its values is said all the same', () => {
	const differs = [{ field: 'assignee', sent: undefined, shown: 2 }];
	expect(differences({ differs })).toEqual(['assignee is 2, not null']);
});
