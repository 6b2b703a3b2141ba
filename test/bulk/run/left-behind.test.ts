import { describe, expect, it } from 'vitest';
import { neutralDialect } from '../../../src/api/dialect.js';
import { endpoints } from '../../../src/api/endpoints.js';
import { createPlanner } from '../../../src/api/request.js';
import { createDirectories } from '../../../src/bulk/lists/directory.js';
import {
	countLeft,
	leavesOf,
	leavesTexts,
	leftNotes,
	movedBeforeKill,
	movedBy,
	ticketsOf,
} from '../../../src/bulk/run/left-behind.js';
import { Survey } from '../../../src/bulk/run/survey.js';
import type { Outcome } from '../../../src/http/outcome.js';
import { headerOf, outcomeOf, planOf, startJournal } from '../../support/journal.js';
import { temporaryFolder } from '../../support/temporary.js';

/** A list of one page with so many objects in all. */
const listed = (total: number | undefined, ...objects: object[]): Outcome => ({
	outcome: 'ok',
	status: 200,
	body: objects,
	headers: total === undefined ? {} : { 'x-wp-total': String(total) },
	attempts: 1,
	ms: 1,
});

const noRoute: Outcome = {
	outcome: 'failed',
	status: 404,
	code: 'rest_no_route',
	message: 'No route.',
	attempts: 1,
	ms: 1,
};

async function look(respond: (query: URLSearchParams) => Outcome, { users = ['7'], moveTickets = false } = {}) {
	const asked: string[] = [];
	const directories = createDirectories({
		dialect: neutralDialect,
		async send({ path }) {
			asked.push(path);
			return respond(new URLSearchParams(path.split('?')[1]));
		},
		account: async () => undefined,
		tell: () => undefined,
	});
	const base = planOf({ endpoint: 'user.delete' });
	const plan = { ...base, checks: { ...base.checks, moveTickets } };
	const survey = new Survey(plan);
	for (const [at, id] of users.entries()) {
		const request = createPlanner(endpoints['user.delete'])({ ids: { id }, reassign: '2' });
		survey.add({ row: at + 1, request, reassign: '2' });
	}
	const left = await countLeft(plan, { directories, dialect: neutralDialect, concurrency: 4 }, survey);
	return { asked, notes: leftNotes(plan, left, users.length), after: leavesTexts(leavesOf(left), users.length) };
}

describe('tickets of a user are counted', () => {
	it('with one object of a list that is narrowed to the user', async () => {
		const { asked, notes, after } = await look((query) => {
			const isFirst = query.get('assignee') === '7';
			return isFirst ? listed(5, { id: 14, assignee: 7 }) : listed(0);
		});
		expect(asked[0]).toContain('assignee=7');
		expect(asked[0]).toContain('per_page=1');
		expect(notes).toEqual([
			'5 tickets assigned to user 7 stay with the deleted user; to move them first: --move-tickets',
		]);
		expect(after[0]).toContain('5 tickets stay assigned to user 7; to move them: supportctl ticket list --assignee 7');
	});

	it('as second and third assignee, where the list shows that it was narrowed', async () => {
		const { notes } = await look((query) => {
			if (query.get('secondary-assignee') === '7') return listed(2, { id: 15, 'secondary-assignee': 7 });
			return query.get('assignee') === '7' ? listed(1, { id: 14, assignee: 7 }) : listed(0);
		});
		expect(notes).toEqual([
			'1 ticket assigned to user 7, and 2 as second or third assignee, stay with the deleted user; to move them first: --move-tickets',
		]);
	});

	it('not by a list that ignores the parameter, as its first object is one of another user', async () => {
		const { asked, notes, after } = await look(() => listed(2014, { id: 1, assignee: 3 }));
		expect(asked).toHaveLength(1);
		expect(notes).toEqual([expect.stringContaining('could not count the tickets assigned to user 7')]);
		expect(after).toEqual([]);
	});

	it('not by a list that ignores the parameter, though its first object is one of theirs', async () => {
		const { notes } = await look(() => listed(2014, { id: 1, assignee: 7 }, { id: 2, assignee: 3 }));
		expect(notes).toEqual([expect.stringContaining('could not count the tickets assigned to user 7')]);
	});

	it.each([
		['ignores the parameter', 3],
		['gives no total', undefined],
	])('one by one where the list %s, if they are to be moved', async (_what, total) => {
		const all = [
			{ id: 1, assignee: 7 },
			{ id: 2, assignee: 3 },
			{ id: 3, assignee: 7 },
		];
		const { notes } = await look((query) => (query.get('page') === '2' ? listed(total) : listed(total, ...all)), {
			moveTickets: true,
		});
		expect(notes).toEqual(['2 tickets assigned to user 7 are moved first, to the user who receives the posts']);
	});

	it('not by a list that does not show whose they are, if they are to be moved', async () => {
		await expect(look(() => listed(1, { id: 1 }), { moveTickets: true })).rejects.toThrow(
			'could not count the tickets assigned to user 7: the service does not show their assignee; nothing was sent',
		);
	});

	it.each([
		['without a total', listed(undefined, { id: 14, assignee: 7 })],
		[
			'by a page',
			{ outcome: 'failed', code: 'html_response', message: 'a page', attempts: 1, ms: 1 } satisfies Outcome,
		],
		['by a 403', { outcome: 'failed', status: 403, code: 'rest_forbidden', attempts: 1, ms: 1 } satisfies Outcome],
	])('not %s', async (_what, outcome) => {
		expect((await look(() => outcome)).notes).toEqual([expect.stringContaining('could not count')]);
		await expect(look(() => outcome, { moveTickets: true })).rejects.toThrow('nothing was sent');
	});

	it('not again where the service has no such list', async () => {
		const { asked, notes } = await look(() => noRoute, { users: ['7', '8', '9'] });
		expect(asked).toHaveLength(1);
		expect(notes).toEqual(['could not count the tickets assigned to user 7: No route']);
	});

	it('together for several users, of whom a hundred are counted, and all if their tickets move', async () => {
		const users = Array.from({ length: 120 }, (_, at) => String(at + 10));
		const tickets = (query: URLSearchParams) => {
			const id = Number(query.get('assignee'));
			return id > 0 && id % 2 === 0 ? listed(1, { id: 14, assignee: id }) : listed(0);
		};
		const { notes } = await look(tickets, { users });
		expect(notes[0]).toContain('50 tickets assigned to 50 of the first 100 users stay with the deleted user');
		const { notes: moving } = await look(tickets, { users, moveTickets: true });
		expect(moving[0]).toContain(
			'60 tickets assigned to 60 of these 120 users are moved first, to the user who receives the posts',
		);
	});
});

describe('tickets that are to be moved are not known, so that no user is deleted,', () => {
	const failed = (code: string): Outcome => ({ outcome: 'failed', status: 502, code, attempts: 1, ms: 1 });
	const owned = (from: number, count: number, fields: object = { assignee: 7 }): object[] =>
		Array.from({ length: count }, (_, at) => ({ id: from + at, ...fields }));
	const pages = { 'x-wp-totalpages': '2' };

	it.each<[string, (page: number) => Outcome]>([
		['behind a page that fails', (page) => (page === 1 ? listed(150, ...owned(1, 100)) : failed('html_response'))],
		[
			'behind a page that fails, where nothing counts them',
			(page) => (page === 1 ? listed(undefined, ...owned(1, 100)) : failed('truncated')),
		],
		['if the first page fails', () => failed('reset')],
		['if fewer are listed than there are', () => listed(5, ...owned(1, 4))],
		['if pages come again', () => ({ ...listed(undefined, ...owned(1, 100)), headers: pages })],
		['if they do not show whose they are', () => listed(2, ...owned(1, 2, {}))],
	])('%s', async (_what, respond) => {
		const directories = createDirectories({
			dialect: neutralDialect,
			send: async ({ path }) => respond(Number(new URLSearchParams(path.split('?')[1]).get('page') ?? 1)),
			account: async () => undefined,
			tell: () => undefined,
		});
		const listing = ticketsOf({ directories, dialect: neutralDialect }, 'assignee', '7');
		await expect(listing).rejects.toThrow(/could not list the tickets of user 7: .*; no user was deleted/);
	});
});

describe('tickets that a run moved', () => {
	it('are those that it wrote, and those of which nobody knows stand apart', async () => {
		const stateDir = temporaryFolder();
		const journal = startJournal(stateDir, 5);
		await journal.outcome(outcomeOf(1));
		await journal.outcome(outcomeOf(2));
		await journal.outcome(outcomeOf(3, { outcome: 'unknown', status: 0 }));
		await journal.outcome(outcomeOf(4, { outcome: 'skipped', status: undefined, code: 'condition' }));
		await journal.outcome(outcomeOf(5, { outcome: 'differs', differs: [{ field: 'assignee', sent: 2, shown: 3 }] }));
		await journal.close();
		expect(await movedBy(headerOf(5).id, stateDir)).toEqual({ moved: 3, unknown: 1 });
	});

	it('are all that is said where no user was deleted: the others stay with somebody who is there', () => {
		const stays = { ids: { id: '7' }, label: 'user 7', field: 'assignee', count: 9, receiver: '2' };
		expect(leavesTexts([stays], 1)).toEqual([
			expect.stringMatching(/^9 tickets stay assigned to user 7; to move them: /),
		]);
		expect(leavesTexts([stays], 0)).toEqual([]);
	});

	it('are called at most so many until a resume has counted what is left', () => {
		const ids = { id: '7' };
		const began = { ids, label: 'user 7', field: 'assignee', count: 9, receiver: '2', run: '20261121-074512-k3f9x' };
		expect(leavesTexts([began], 0)[0]).toMatch(/^up to 9 tickets of user 7 moved to user 2 first; /);
		const one = { is: 'shown', value: { count: 1, children: [] } } as const;
		const left = [{ ids, label: 'user 7', receiver: '2', counts: [{ field: 'assignee', found: one }] }];
		const counted = movedBeforeKill([began], left);
		expect(leavesTexts([began, ...counted], 0)[0]).toMatch(/^8 tickets of user 7 moved to user 2 first; /);
		expect(movedBeforeKill([began, ...counted], left)).toEqual([]);
	});
});
