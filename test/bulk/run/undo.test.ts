import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { neutralDialect } from '../../../src/api/dialect.js';
import { createCounts } from '../../../src/bulk/journal/counts.js';
import { type Journal, openJournal } from '../../../src/bulk/journal/write.js';
import type { RunPlan } from '../../../src/bulk/plan.js';
import type { RunRow } from '../../../src/bulk/run/rows.js';
import { openOldValues, undoPlan } from '../../../src/bulk/run/undo.js';
import type { RowSource } from '../../../src/bulk/sources.js';
import type { RowOutcome } from '../../../src/http/outcome.js';
import { redact } from '../../../src/output/redact.js';
import { headerOf, outcomeOf, planOf, startJournal } from '../../support/journal.js';
import { temporaryFolder } from '../../support/temporary.js';

const snapshots: Partial<RunPlan> = { checks: { ...planOf().checks, snapshot: true } };
const start = (more: Partial<RunPlan> = {}): Journal =>
	startJournal(temporaryFolder(), 9, undefined, { ...snapshots, ...more });

/** Notes what a row overwrites, and its outcome where it has one. */
async function note(
	journal: Journal,
	row: number,
	[values, sent]: [old: Record<string, unknown>, sent: Record<string, unknown>],
	outcome?: Partial<RowOutcome>,
	{ id = String(row), absent = [] as string[] } = {},
): Promise<void> {
	await journal.before(row, { id }, { values, sent, absent });
	if (outcome !== undefined) await journal.outcome(outcomeOf(row, { ids: { id }, ...outcome }));
}

/** The rows that undo a run. */
async function plannedRows(journal: Journal, overwrite = false, gone?: string[]): Promise<RunRow[]> {
	const plan = await undoPlan(journal.header, journal.path, { overwrite });
	const source = plan.source as Extract<RowSource, { from: 'snapshots' }>;
	const rows: RunRow[] = [];
	const missing = async (ids: readonly string[]) => gone?.filter((id) => ids.includes(id));
	const opened = await openOldValues(plan, source, neutralDialect, missing);
	for await (const batch of opened.read()) rows.push(...(batch as RunRow[]));
	return rows;
}

async function rowsOf(journal: Journal, overwrite = false) {
	const rows = await plannedRows(journal, overwrite);
	return rows.map(({ request, expected, remarks, kept = {} }) => {
		const stays = Object.entries(kept).map(([name, { why }]) => `${name} not restored: ${why}`);
		return [request.ids.id, request.sent, expected, remarks ?? (stays.length === 0 ? undefined : stays)];
	});
}

async function skipsOf(journal: Journal) {
	const rows = await plannedRows(journal);
	return rows.map(({ request, skip }) => [request.ids.id, skip?.message]);
}

const done = { outcome: 'ok' } as const;
const hold: [Record<string, unknown>, Record<string, unknown>] = [{ status: 'read' }, { status: 'hold' }];

describe('undoPlan', () => {
	it('keeps old values itself, writes what differs, and restores the trash by an update', async () => {
		const header = headerOf(2, { ...snapshots, endpoint: 'ticket.delete' });
		expect(await undoPlan(header, '/j', { overwrite: true })).toMatchObject({
			endpoint: 'ticket.update',
			source: { from: 'snapshots', journal: '/j', run: header.id, overwrite: true },
			checks: { snapshot: true, onlyChanged: true, verify: true },
		});
	});

	it('refuses a run that did not save old values', async () => {
		const journal = start({});
		await journal.close();
		await expect(undoPlan(headerOf(2), journal.path, { overwrite: false })).rejects.toThrow('did not save old values');
	});
});

describe('old values', () => {
	it('are written back, each object once, where it still holds what the run wrote', async () => {
		const journal = start();
		await note(journal, 1, hold, done);
		await note(journal, 2, [{ title: 'old' }, { title: 'new' }], done);
		await journal.close();
		expect(await rowsOf(journal)).toEqual([
			['1', { status: 'read' }, { status: ['hold'] }, undefined],
			['2', { title: 'old' }, { title: ['new'] }, undefined],
		]);
		expect((await rowsOf(journal, true)).map((row) => row[2])).toEqual([undefined, undefined]);
	});

	it('are those before the run, and every written one is expected, however often and in how many parts it wrote', async () => {
		const journal = start();
		await note(journal, 1, [{ status: 'read' }, { status: 'hold' }], done, { id: '5' });
		await journal.close();
		const { journal: resumed } = await openJournal(journal.path, redact);
		await note(
			resumed,
			2,
			[
				{ status: 'hold', title: 'a' },
				{ status: 'unread', title: 'b' },
			],
			done,
			{ id: '5' },
		);
		await resumed.close();
		expect(await rowsOf(resumed)).toEqual([
			['5', { status: 'read', title: 'a' }, { status: ['hold', 'unread'], title: ['b'] }, undefined],
		]);
	});

	it('that are one of more than a hundred users are looked up, each of them', async () => {
		const journal = startJournal(temporaryFolder(), 101, undefined, snapshots);
		for (let row = 1; row <= 101; row++) await note(journal, row, [{ assignee: 1000 + row }, { assignee: 5 }], done);
		await journal.close();
		const rows = await plannedRows(journal, false, ['1101']);
		expect(rows.filter(({ skip }) => skip !== undefined).map(({ request }) => request.ids.id)).toEqual(['101']);
	});

	it('are expected as they were sent and as the service showed them', async () => {
		const journal = start();
		const differs = [{ field: 'slug', sent: 'A B', shown: 'a-b' }];
		await note(journal, 1, [{ slug: 'old' }, { slug: 'A B' }], { outcome: 'differs', differs });
		await journal.close();
		expect(await rowsOf(journal)).toEqual([['1', { slug: 'old' }, { slug: ['A B', 'a-b'] }, undefined]]);
	});

	it.each<[string, Partial<RowOutcome>, boolean]>([
		['ok', done, true],
		['unknown', { outcome: 'unknown', status: undefined }, true],
		['a server error', { outcome: 'failed', status: 500 }, true],
		['a refusal', { outcome: 'failed', status: 400 }, false],
		['not sent', { outcome: 'not-sent', status: undefined }, false],
		['skipped', { outcome: 'skipped', status: undefined }, false],
	])('of a row that came to %s', async (_, outcome, isRestored) => {
		const journal = start();
		await note(journal, 1, hold, outcome);
		await note(journal, 2, hold, done);
		await journal.close({ at: 'x', counts: createCounts(), exit: 0 });
		expect((await rowsOf(journal)).map(([id]) => id)).toEqual(isRestored ? ['1', '2'] : ['2']);
	});

	it('of a row whose process was killed are written back, also after a resume that was refused', async () => {
		const journal = start();
		await note(journal, 1, hold);
		await journal.close();
		expect((await rowsOf(journal)).map(([id]) => id)).toEqual(['1']);
		const { journal: resumed } = await openJournal(journal.path, redact);
		await resumed.record({ type: 'attempt', row: 1, attempt: 0, lost: true });
		await note(resumed, 1, hold, { outcome: 'failed', status: 400 });
		await resumed.close();
		expect((await rowsOf(resumed)).map(([id]) => id)).toEqual(['1']);
	});

	it('that are secret or were absent stay, and a remark says why', async () => {
		const journal = start({ endpoint: 'ticket.fields.set' });
		const old = { color: 'red', api_token: 'old' };
		await journal.before(
			1,
			{ ticket_id: '1' },
			{ values: old, sent: { color: 'blue', api_token: 'new' }, absent: ['size'] },
		);
		await journal.outcome(outcomeOf(1, { ids: { ticket_id: '1' } }));
		await journal.close();
		const [[, sent, expected, remarks] = []] = await rowsOf(journal);
		expect([sent, expected]).toEqual([{ color: 'red' }, { color: ['blue'] }]);
		expect(remarks).toEqual([
			expect.stringMatching(/^size not restored: it had no value before/),
			expect.stringMatching(/^api_token not restored: its old value was not saved/),
		]);
	});

	it('of what went to the trash restore its status', async () => {
		const journal = start({ endpoint: 'ticket.delete' });
		await note(journal, 1, [{ status: 'hold' }, { status: 'trash' }], done);
		await journal.close();
		expect(await rowsOf(journal)).toEqual([['1', { status: 'hold' }, { status: ['trash'] }, undefined]]);
	});

	it('that the API can not restore are left out with a remark, and the rest is written back', async () => {
		const journal = start();
		const old = { product: '', title: 'old', 'total-reply-count': 3 };
		await note(journal, 1, [old, { product: '7', title: 'new', 'total-reply-count': 5 }], done);
		await note(journal, 2, [{ department: 0 }, { department: '7' }], done);
		await journal.close();
		expect(await rowsOf(journal)).toEqual([
			[
				'1',
				{ title: 'old' },
				{ title: ['new'] },
				[
					"product not restored: it was empty, and the API can't empty it",
					'total-reply-count not restored: the service computes it',
				],
			],
			['2', {}, {}, ["department not restored: it was empty, and the API can't empty it"]],
		]);
	});

	it('that are a user who was deleted since are left out, and what stands there is compared with nothing', async () => {
		const journal = start();
		await note(
			journal,
			1,
			[
				{ title: 'old', assignee: 2 },
				{ title: 'new', assignee: 3 },
			],
			done,
		);
		await journal.close();
		const [row] = await plannedRows(journal, false, ['2']);
		expect([row?.request.sent, row?.expected]).toEqual([{ title: 'old' }, { title: ['new'] }]);
		expect(Object.keys(row?.kept ?? {})).toEqual(['assignee']);
	});

	it('of several rows of an object are all expected: also of one that a server error left in doubt', async () => {
		const journal = start();
		await note(journal, 1, [{ status: 'read' }, { status: 'hold' }], done, { id: '5' });
		await note(journal, 2, hold, done);
		await note(journal, 3, [{ status: 'hold' }, { status: 'draft' }], { outcome: 'failed', status: 500 }, { id: '5' });
		await journal.close();
		expect(await rowsOf(journal)).toEqual([
			['5', { status: 'read' }, { status: ['hold', 'draft'] }, undefined],
			['2', { status: 'read' }, { status: ['hold'] }, undefined],
		]);
	});

	it.each([
		['an ID in place of a field', { id: '1' }, { id: 7 }],
		['another path', { id: '../../users/1' }, { title: 'old' }],
		['a field that the API does not have', { id: '1' }, { role: 'admin' }],
	])('that name %s are not sent', async (_, ids, values) => {
		const journal = start();
		await journal.before(1, ids, { values, sent: values, absent: [] });
		await journal.outcome(outcomeOf(1, { ids }));
		await note(journal, 2, hold, done);
		await journal.close();
		const sent = (await rowsOf(journal)).map(([, body]) => body);
		expect(sent.filter((body) => Object.keys(body as object).length > 0)).toEqual([{ status: 'read' }]);
	});

	it('that are damaged leave their object as it is, also where other rows of it have theirs', async () => {
		const journal = start();
		await note(journal, 1, hold, done, { id: '5' });
		await note(journal, 2, hold, done, { id: '6' });
		await note(journal, 3, [{ status: 'hold' }, { status: 'draft' }], done, { id: '5' });
		await note(journal, 4, hold, { outcome: 'failed', status: 500 }, { id: '7' });
		await note(journal, 5, hold, { outcome: 'failed', status: 400 }, { id: '8' });
		await journal.close();
		const lines = readFileSync(journal.path, 'utf8').split('\n');
		const damaged = lines.map((line) => (/"before","row":[145]/.test(line) ? line.replace('"read"', '"draft"') : line));
		writeFileSync(journal.path, damaged.join('\n'));
		expect(await skipsOf(journal)).toEqual([
			['5', 'the journal has no old values of row 1'],
			['6', undefined],
			['7', 'the journal has no old values of row 4'],
		]);
	});

	it('are refused where the run wrote nothing', async () => {
		const journal = start();
		await note(journal, 1, hold, { outcome: 'failed', status: 400 });
		await journal.close();
		await expect(rowsOf(journal)).rejects.toThrow('wrote nothing that can be restored');
	});
});
