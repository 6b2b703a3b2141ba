/** Checks before a write that is sent again: what an earlier attempt of the run wrote is not somebody else's. */

import { expect, test } from 'vitest';
import { idOf, json, withoutLists } from '../support/recorder.js';
import { startWorkplace } from '../support/workplace.js';

const EXPORTED = '2026-11-01T08:00:00';

/** Tickets whose writes fail after they saved some fields, until they are let go. */
async function desk(saves: readonly string[]) {
	const tickets = new Map<number, Record<string, unknown>>();
	const ticket = (id: number): Record<string, unknown> => {
		const known = tickets.get(id) ?? { id, status: 'read', title: `title ${id}`, modified_gmt: EXPORTED };
		tickets.set(id, known);
		return known;
	};
	const now = { isBroken: true };
	let writes = 0;
	const { work } = await startWorkplace((request) => {
		const held = ticket(idOf(request));
		if (request.method === 'GET') return withoutLists(request) ?? json(200, held);
		const sent: Record<string, unknown> = JSON.parse(request.body);
		const saved = Object.entries(sent).filter(([name]) => !now.isBroken || saves.includes(name));
		Object.assign(held, Object.fromEntries(saved), { modified_gmt: `2026-11-02T00:00:0${++writes}` });
		return now.isBroken ? json(500, { code: 'db_error', message: 'Oops.' }) : json(200, held);
	});
	const edit = (fields: object): unknown => Object.assign(ticket(5), fields, { modified_gmt: '2026-11-03T00:00:00' });
	/** Field and outcome of each change that the run lists. */
	const changes = async (): Promise<unknown[]> => {
		const { stdout } = await work.run('run show last --changes');
		const { stdout: history } = await work.run('ticket history 5');
		const shown = stdout
			.trimEnd()
			.split('\n')
			.filter((line) => line !== '')
			.map((line) => line.split('\t'));
		const known = history
			.trimEnd()
			.split('\n')
			.filter((line) => line !== '')
			.map((line) => line.split('\t'));
		expect(known.map((line) => line[3]).sort()).toEqual(shown.map((line) => line[3]).sort());
		return shown.map(([row, , , field, , , outcome]) => [row, field, outcome]);
	};
	return { work, ticket, now, edit, changes };
}

const UPDATE = 'ticket update --input edits.csv --if-unmodified --retries 0 -j 1';

test('a partly applied row of --if-unmodified is in doubt when it is retried, and nobody else is blamed', async () => {
	const { work, ticket, now, changes } = await desk(['status']);
	work.write('edits.csv', `id,status,title,modified_gmt\n5,hold,new,${EXPORTED}\n`);
	expect((await work.run(UPDATE)).exitCode).toBe(1);
	now.isBroken = false;
	for (const flags of ['--dry-run', '', '']) {
		const { exitCode, stdout, stderr } = await work.run(`run retry last ${flags}`.trim());
		expect(exitCode, stderr).toBe(1);
		expect(stdout + stderr).toMatch(/modified at 2026-11-02T00:00:01 .* perhaps by this run/);
		expect(stdout + stderr).not.toContain('someone else');
		if (flags === '') expect(stderr).toMatch(/Fix and resend: supportctl run rejects/);
	}
	expect(ticket(5)).toMatchObject({ status: 'hold', title: 'title 5' });
	expect(await changes()).toEqual([
		['1', 'status', 'failed'],
		['1', 'title', 'failed'],
	]);
	const { stdout } = await work.run('run rejects last --format csv');
	expect(stdout).toContain('5,hold,new');
});

test('it has nothing left to do if it was applied, and the run still lists what it changed', async () => {
	const { work, now, changes } = await desk(['status']);
	work.write('edits.csv', `id,status,modified_gmt\n5,hold,${EXPORTED}\n`);
	await work.run(UPDATE);
	now.isBroken = false;
	const { exitCode, stderr } = await work.run('run retry last');
	expect([exitCode, stderr]).toEqual([0, expect.stringContaining('1 skipped')]);
	expect(await changes()).toEqual([['1', 'status', 'skipped']]);
});

test('it is a conflict if the object shows a value that is neither the old nor the new one', async () => {
	const { work, ticket, now, edit, changes } = await desk(['status']);
	work.write('edits.csv', `id,status,title,modified_gmt\n5,hold,new,${EXPORTED}\n`);
	await work.run(UPDATE);
	now.isBroken = false;
	edit({ title: 'theirs' });
	const { exitCode, stderr } = await work.run('run retry last');
	expect([exitCode, stderr]).toEqual([1, expect.stringContaining('modified by someone else at 2026-11-03')]);
	expect(ticket(5)).toMatchObject({ status: 'hold', title: 'theirs' });
	expect(await changes()).toEqual([
		['1', 'status', 'skipped'],
		['1', 'title', 'skipped'],
	]);
});

test.each([[''], [' --first 1']])(
	'a later row of the object is in doubt, too, in the same part of the run and in the next%s',
	async (flags) => {
		const { work, now } = await desk(['status']);
		work.write('edits.csv', `id,status,title,modified_gmt\n5,hold,new,${EXPORTED}\n5,,newer,${EXPORTED}\n`);
		const first = await work.run(`${UPDATE}${flags}`);
		now.isBroken = false;
		const { stderr } = flags === '' ? first : await work.run('run resume last');
		expect(stderr).toContain('perhaps by this run');
		expect(stderr).not.toContain('someone else');
	},
);

test('a condition that the row itself has ended was met, and the rest is sent', async () => {
	const { work, ticket, now } = await desk(['status']);
	work.write('edits.csv', 'id,status,title\n5,hold,new\n');
	await work.run('ticket update --input edits.csv --if status=read --retries 0');
	expect(ticket(5)).toMatchObject({ status: 'hold', title: 'title 5' });
	now.isBroken = false;
	const { exitCode, stderr } = await work.run('run retry last');
	expect(exitCode, stderr).toBe(0);
	expect(ticket(5)).toMatchObject({ status: 'hold', title: 'new' });
});

/** A service that loses the responses of its first writes, which it carries out or not. */
async function startLossy(carriesOut: boolean) {
	let isLossy = true;
	const held: Record<string, unknown> = { id: 5, status: 'read', title: 'old' };
	const { work } = await startWorkplace((request, response) => {
		if (request.method === 'GET') return withoutLists(request) ?? json(200, held);
		if (carriesOut || !isLossy) Object.assign(held, JSON.parse(request.body));
		return isLossy ? void response.destroy() : json(200, held);
	});
	const heal = (): void => {
		isLossy = false;
	};
	return { work, heal };
}

test.each([
	['had written, though the response was lost', true, 'hold', [['status', 'title']]],
	['had not written', false, 'read', [['title']]],
] as const)(
	'a field that a later row found set is a change of the earlier row if an attempt of it %s',
	async (_what, carriesOut, later, expected) => {
		const { work, heal } = await startLossy(carriesOut);
		work.write('edits.csv', `id,status,title\n5,hold,first\n5,${later},\n`);
		const first = await work.run('ticket update --input edits.csv --retries 0 -j 1');
		expect(first.stderr).toMatch(/: 1 unknown, 1 skipped\n$/);
		heal();
		const resumed = await work.run('run resume last');
		expect([resumed.exitCode, resumed.stderr]).toEqual([
			0,
			expect.stringContaining('status not sent: row 2 set it later'),
		]);
		for (const line of ['run show last --changes --json', 'ticket history 5 --json']) {
			const shown: { changes: { field: string }[] }[] = JSON.parse((await work.run(line)).stdout);
			expect(shown.map(({ changes }) => changes.map(({ field }) => field).sort())).toEqual(expected);
		}
	},
);
