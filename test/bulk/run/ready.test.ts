/** What the service is asked before the first write, without a command line. */

import { describe, expect, it } from 'vitest';
import { neutralDialect } from '../../../src/api/dialect.js';
import { endpoints } from '../../../src/api/endpoints.js';
import { createPlanner, type Request } from '../../../src/api/request.js';
import { LeftRows } from '../../../src/bulk/left.js';
import { createDirectories } from '../../../src/bulk/lists/directory.js';
import { checkWrite } from '../../../src/bulk/run/ready.js';
import type { RunRow } from '../../../src/bulk/run/rows.js';
import type { Limits } from '../../../src/bulk/run/setup.js';
import { checkSet, Survey } from '../../../src/bulk/run/survey.js';
import { Totals } from '../../../src/bulk/totals.js';
import type { Client } from '../../../src/http/client.js';
import type { Outcome } from '../../../src/http/outcome.js';
import { planOf } from '../../support/journal.js';

const ok = (body: unknown): Outcome => ({ outcome: 'ok', status: 200, body, attempts: 1, ms: 1 });
const refused: Outcome = { outcome: 'failed', status: 403, code: 'no', message: 'No.', attempts: 1, ms: 1 };

/** Deletes user 7, whose posts go to user 2. */
async function deleteUser(respond: (request: Request) => Outcome, max?: number) {
	const asked: (readonly string[])[] = [];
	const warnings: string[] = [];
	const directories = createDirectories({
		dialect: neutralDialect,
		send: async (request) => respond(request),
		account: async () => ({ username: 'admin' }),
		tell: () => undefined,
	});
	const request = createPlanner(endpoints['user.delete'])({ ids: { id: '7' }, reassign: '2' });
	const row: RunRow = { row: 1, request, reassign: '2' };
	const plan = planOf({ endpoint: 'user.delete' });
	const limits: Limits = {
		tuning: { concurrency: 1, auto: false },
		demands: { max },
		rules: { requireNote: false },
		snapshotByDefault: false,
		isAsked: true,
		ask: async (_survey, _plan, doubts) => void asked.push(doubts),
		moveTickets: async () => undefined,
	};
	const means = {
		dialect: neutralDialect,
		directories,
		// Nothing is sent but by the directories.
		sending: {} as never,
		warn: (text: string) => void warnings.push(text),
	};
	const survey = new Survey(plan);
	survey.add(row);
	checkSet(survey, limits.demands);
	const describe = async () => ({ changes: [], totals: new Totals(), left: new LeftRows() });
	await checkWrite(plan, means, limits, survey, {} as Client, describe);
	return { asked, warnings };
}

const users = (...ids: number[]): Outcome => ({
	...ok(ids.map((id) => ({ id, username: `user${id}` }))),
	headers: { 'x-wp-total': String(ids.length) },
});

describe('a delete of a user', () => {
	it('is asked about once the receiver is there and the account is not the own one', async () => {
		const found = await deleteUser(({ path }) => {
			if (path.startsWith('/support-api/v1/tickets')) return { ...ok([]), headers: { 'x-wp-total': '0' } };
			return path.endsWith('/username') ? ok({ id: 1 }) : users(2, 7);
		});
		expect(found).toEqual({ asked: [[]], warnings: [] });
	});

	it('is refused if nobody would receive the posts, or if it is the own account', async () => {
		const missing = deleteUser(({ path }) => (path.endsWith('/username') ? ok({ id: 1 }) : users(7)));
		await expect(missing).rejects.toMatchObject({ code: 'no_such_user', exitCode: 2 });
		const own = deleteUser(({ path }) => (path.endsWith('/username') ? ok({ id: 7 }) : users(2, 7)));
		await expect(own).rejects.toThrow('user 7 is your own account (admin); nothing was sent');
	});

	it('is refused if the list leaves the receiver out without a count, and a read does not show the user', async () => {
		const unseen = deleteUser(({ path }) => (path.endsWith('/username') ? ok({ id: 1 }) : ok([])));
		await expect(unseen).rejects.toThrow("can't reassign to user 2: the service shows users, but not this one");
	});

	it('is asked about with what could not be checked', async () => {
		const { asked, warnings } = await deleteUser(() => refused);
		const own = 'could not check whether this deletes your own account';
		const tickets = 'could not count the tickets assigned to user 7: No';
		expect(asked).toEqual([['could not check that user 2 exists', own, tickets]]);
		expect(warnings).toEqual([`${own}: No.`]);
	});

	it('is not asked about if it is more than the caller wants', async () => {
		await expect(deleteUser(() => users(2, 7), 0)).rejects.toMatchObject({ code: 'max' });
	});
});
