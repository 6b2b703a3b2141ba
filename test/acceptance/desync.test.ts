/** A service that responds twice to one request: the second response must not become another row's. */

import { describe, expect, it } from 'vitest';
import { runHere } from '../support/cli.js';
import { credentials, outcomesOf, type PrintedOutcome } from '../support/fault.js';
import { type RawRequest, type RawServer, startRawServer } from '../support/raw-server.js';
import { temporaryFolder } from '../support/temporary.js';
import { hastyClock } from '../support/workplace.js';

async function runWith({ baseUrl }: RawServer, words: string, { env = {} }: { env?: Record<string, string> } = {}) {
	const result = await runHere(words, { env: { ...credentials(baseUrl), ...env }, clock: hastyClock(100) });
	return { ...result, outcomes: outcomesOf(result.stdout) };
}

/** The service refuses tickets whose ID ends in 4 or 9. */
const isRefused = (id: number) => id % 5 === 4;

/**
 * Responds to each request after 20 ms, and twice to ticket 5.
 * @param lateMs after how long the second response comes; 0 for at once
 */
async function startTwofold(lateMs: number) {
	const applied = new Set<number>();
	const respond = (request: RawRequest, id: number): void => {
		if (isRefused(id)) request.json(403, { code: 'rest_forbidden', message: 'not yours' });
		else request.json(200, { id, status: 'hold' });
	};
	const server = await startRawServer((request) => {
		const id = Number(/(\d+)(?:\?.*)?$/.exec(request.path)?.[1]);
		if (!isRefused(id)) applied.add(id);
		setTimeout(() => {
			request.socket.cork();
			respond(request, id);
			if (id === 5 && lateMs === 0) respond(request, id);
			request.socket.uncork();
			if (id === 5 && lateMs > 0) setTimeout(() => respond(request, id), lateMs);
		}, 20);
	});
	return { server, applied };
}

const ids = Array.from({ length: 24 }, (_, index) => index + 1);
const expected = (id: number | undefined) => (isRefused(Number(id)) ? 'failed' : 'ok');

describe.each([0, 10, 50])('with a second response %i ms after the first,', (lateMs) => {
	it.each([1, 4])('a run with -j %i takes it for no other row', async (concurrency) => {
		const { server, applied } = await startTwofold(lateMs);
		const words = `ticket update ${ids.join(' ')} --status hold --json --no-snapshot --retries 1 -j ${concurrency}`;
		const { outcomes, stderr } = await runWith(server, words);
		expect(outcomes, stderr).toHaveLength(ids.length);
		const isRight = ({ id, outcome }: PrintedOutcome) => outcome === expected(id);
		const affected = outcomes.filter((each) => !isRight(each));
		expect(affected.length, JSON.stringify(affected)).toBeLessThanOrEqual(concurrency);
		for (const { id, outcome, body } of outcomes) {
			if (outcome !== 'ok') continue;
			expect(applied).toContain(id);
			expect(body).toMatchObject({ id });
		}
	});

	it('reads of one object after the other show each its own', async () => {
		const { server } = await startTwofold(lateMs);
		const { outcomes, stderr } = await runWith(server, `ticket show ${ids.join(' ')} --json`);
		const shown = outcomes as unknown as { id?: number }[];
		const own = ids.filter((id) => !isRefused(id));
		const missing = own.filter((id) => !shown.some((each) => each.id === id));
		expect(missing.length, stderr).toBeLessThanOrEqual(1);
	});
});

describe('a write whose response shows a different object', () => {
	/** Carries out what it is asked for. The first `wrong` writes get the response of ticket 99. */
	async function startConfused(wrong: number) {
		const held = new Map<string, string>();
		let writes = 0;
		const server = await startRawServer((request) => {
			const id = /tickets\/(\d+)/.exec(request.path)?.[1] ?? '';
			if (request.method !== 'POST') return request.json(200, { id: Number(id), status: held.get(id) ?? 'open' });
			held.set(id, 'hold');
			request.json(200, { id: ++writes > wrong ? Number(id) : 99, status: 'hold' });
		});
		const posts = () => server.requests.filter(({ method }) => method === 'POST').length;
		return { server, posts };
	}

	it('is sent once and its outcome is unknown', async () => {
		const { server, posts } = await startConfused(1);
		const { outcomes, exitCode } = await runWith(server, 'ticket update 14 --status hold --json --retries 3');
		expect(outcomes).toMatchObject([{ outcome: 'unknown', code: 'another_object' }]);
		expect(exitCode).toBe(5);
		expect(posts()).toBe(1);
	});

	it('is ok with --verify if the object holds what was sent', async () => {
		const { server, posts } = await startConfused(1);
		const words = 'ticket update 14 15 --status hold --json --verify -j 1';
		const { outcomes, exitCode, stderr } = await runWith(server, words);
		expect(
			outcomes.map(({ id, outcome }) => `${id} ${outcome}`),
			stderr,
		).toEqual(['14 ok', '15 ok']);
		expect(exitCode).toBe(0);
		expect(posts()).toBe(2);
	});

	it('is settled by a resume', async () => {
		const { server } = await startConfused(1);
		const env = { SUPPORTCTL_STATE_DIR: temporaryFolder() };
		const first = await runWith(server, 'ticket update 14 15 --status hold --json -j 1', { env });
		expect(first.exitCode).toBe(5);
		const { exitCode, stderr } = await runWith(server, 'run resume last --json', { env });
		expect(exitCode, stderr).toBe(0);
	});
});

describe('responses that name no object', () => {
	/** Custom fields of tickets. The second response to a read of ticket 11 comes `lateMs` after the first. */
	async function startFields(lateMs: number) {
		const held = new Map([11, 12, 13].map((id) => [id, `old ${id}`]));
		const server = await startRawServer((request) => {
			const id = Number(/tickets\/(\d+)/.exec(request.path)?.[1]);
			const shown = { note: { name: 'note', value: held.get(id) } };
			if (request.method === 'POST') {
				held.set(id, JSON.parse(request.body).custom_fields.note);
			}
			const respond = (): void => request.json(200, request.method === 'POST' ? null : shown);
			setTimeout(respond, 20);
			if (id === 11) setTimeout(respond, 20 + lateMs);
		});
		return { server, held };
	}

	it.each([0, 5, 30])('are not taken for those of another ticket if they come again after %i ms', async (lateMs) => {
		const { server, held } = await startFields(lateMs);
		const env = { SUPPORTCTL_STATE_DIR: temporaryFolder() };
		const words = ['ticket', 'fields', 'set', '11', '12', '13', '--set', 'note=new', '--snapshot', '--json'];
		const set = await runWith(server, [...words, '-j', '1'].join(' '), { env });
		expect(set.exitCode, set.stderr).toBe(0);
		const undone = await runWith(server, 'run undo last --yes --json -j 1', { env });
		expect(undone.exitCode, undone.stderr).toBe(0);
		expect([...held]).toEqual([
			[11, 'old 11'],
			[12, 'old 12'],
			[13, 'old 13'],
		]);
	});

	it('count for a delete only on a connection of its own once one came', async () => {
		const server = await startRawServer((request) => {
			const id = Number(/tickets\/(\d+)/.exec(request.path)?.[1]);
			if (id === 12) return void setTimeout(() => request.json(403, { code: 'no', message: 'no' }), 60);
			request.answer(204);
			if (id === 11) setTimeout(() => request.answer(204), 10);
		});
		const words = 'ticket delete 11 12 13 --yes --no-snapshot --json -j 1';
		const { outcomes, stderr } = await runWith(server, words);
		expect(
			outcomes.map(({ id, outcome }) => `${id} ${outcome}`),
			stderr,
		).toEqual(['11 ok', '12 failed', '13 ok']);
	});
});
