import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RowReader } from '../../../src/bulk/input/rows.js';
import { type LookUp, UserNames } from '../../../src/bulk/run/names.js';
import { startJournal } from '../../support/journal.js';
import { temporaryFolder } from '../../support/temporary.js';

type Names = { id?: string; reassign?: string };

/** Plans rows that name these users, and gives what each row became: id and receiver, or what is wrong. */
async function plan(names: UserNames, rows: readonly (Names | undefined)[]): Promise<unknown[]> {
	const batch = rows.map((_, index) => ({ row: index + 1, line: index + 2, cells: [] })) as never;
	const read = ((raw: { row: number }) => {
		const given = rows[raw.row - 1];
		return given === undefined ? { ids: { id: '7' }, fields: {} } : { ids: {}, fields: {}, names: given };
	}) as never as RowReader;
	const finish = ((place: { row: number }, found: unknown) => ({ ...place, found })) as never;
	const planned = (await names.plan(batch, read, finish)) as never as {
		complaints?: { column: string; message: string; ids: unknown }[];
		found?: { ids: { id?: string }; reassign?: string };
	}[];
	return planned.map(({ complaints, found }) =>
		complaints === undefined ? [found?.ids.id, found?.reassign] : [complaints[0]?.column, complaints[0]?.ids],
	);
}

function service(users: Record<string, number>): { lookUp: LookUp; asked: string[] } {
	const asked: string[] = [];
	const lookUp: LookUp = async (name) => {
		asked.push(name);
		const id = users[name];
		return id === undefined ? { problem: `no user "${name}"` } : { id: String(id) };
	};
	return { lookUp, asked };
}

describe('user names of rows', () => {
	it('become ids, each name asked for once; rows without names stay as they are', async () => {
		const { lookUp, asked } = service({ ada: 4, lin: 9 });
		const rows = [{ id: 'ada', reassign: 'lin' }, undefined, { reassign: 'lin' }];
		expect(await plan(new UserNames(lookUp, 1), rows)).toEqual([
			['4', '9'],
			['7', undefined],
			[undefined, '9'],
		]);
		expect(asked).toEqual(['ada', 'lin']);
	});

	it('that no user has make their rows invalid, by the column that names them', async () => {
		const { lookUp } = service({ ada: 4 });
		const rows = [{ id: 'eve' }, { id: 'ada', reassign: 'eve' }, { reassign: 'eve' }];
		expect(await plan(new UserNames(lookUp, 2), rows)).toEqual([
			['username', { username: 'eve' }],
			['reassign_username', { id: '4', username: 'ada' }],
			['reassign_username', {}],
		]);
	});

	it('are asked for again only after a thousand others', async () => {
		const users = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`u${index}`, index + 1]));
		const { lookUp, asked } = service(users);
		const names = new UserNames(lookUp, 1);
		await plan(
			names,
			[...Object.keys(users), 'u1000', 'u0'].map((id) => ({ id })),
		);
		expect(asked).toEqual([...Object.keys(users), 'u0']);
	});

	it('that a journal holds are not asked for again; damaged records are passed over', async () => {
		const journal = startJournal(temporaryFolder(), 3);
		const { lookUp } = service({ ada: 4, lin: 9 });
		const first = new UserNames(lookUp, 1);
		const rows = [
			{ id: 'ada', reassign: 'lin' },
			{ id: 'lin' },
			{ reassign: 'lin' },
			{ id: 'eve' },
			{ reassign: 'eve' },
		];
		const found = await plan(first, rows);
		await first.keep(journal, 5);
		await journal.close();
		appendFileSync(journal.path, '{"type":"user","row":-1,"id":5}\n{"type":"user","row":4,"id":"x"}\n{"type":"user"\n');
		expect(found.slice(3)).toEqual([
			['username', { username: 'eve' }],
			['reassign_username', {}],
		]);
		const later = service({ eve: 5 });
		const resumed = new UserNames(later.lookUp, 1);
		await resumed.remember(journal.path);
		expect([await plan(resumed, rows), later.asked]).toEqual([found, []]);
	});
});
