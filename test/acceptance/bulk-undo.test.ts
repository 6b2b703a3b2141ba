/** `run undo`: what it restores field by field, and what it says of the rest. */

import { readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { idOf, json, withoutLists } from '../support/recorder.js';
import { startWorkplace } from '../support/workplace.js';

/** A service with one ticket for each ID, which may fail a write after it was applied. */
async function desk(isBroken: (sent: Record<string, unknown>) => boolean = () => false) {
	const tickets = new Map<number, Record<string, unknown>>();
	const ticket = (id: number): Record<string, unknown> => {
		const known = tickets.get(id) ?? { id, status: 'read', title: `title ${id}`, product: '' };
		tickets.set(id, known);
		return known;
	};
	const { recorder, work } = await startWorkplace((request) => {
		const refusal = withoutLists(request);
		if (refusal !== undefined) return refusal;
		const held = ticket(idOf(request));
		if (request.method === 'GET') return json(200, held);
		const sent = JSON.parse(request.body) as Record<string, unknown>;
		Object.assign(held, sent);
		return isBroken(sent) ? json(500, { code: 'incorrect', message: 'Oops.' }) : json(200, held);
	});
	return { recorder, work, ticket };
}

describe('run undo', () => {
	it('restores an object although a later row of it failed halfway', async () => {
		const { work, ticket } = await desk(({ status }) => status === 'draft');
		work.write('edits.csv', 'id,status\n5,hold\n5,draft\n');
		expect((await work.run('ticket update --input edits.csv --snapshot -j 1 -q')).exitCode).toBe(3);
		expect(ticket(5).status).toBe('draft');
		const { exitCode, stderr } = await work.run('run undo last --yes -q');
		expect(exitCode, stderr).toBe(0);
		expect(ticket(5).status).toBe('read');
	});

	it('says how to put back into the trash what an update took out of it, restores the rest, and exits 6', async () => {
		const { recorder, work, ticket } = await desk();
		ticket(5).status = 'trash';
		await work.run('ticket update 5 --status hold --title new -q');
		recorder.requests.length = 0;
		const { exitCode, stderr } = await work.run('run undo last --yes -q');
		expect([exitCode, stderr]).toEqual([6, expect.stringMatching(/status not restored: .*supportctl ticket delete/)]);
		expect(ticket(5)).toMatchObject({ status: 'hold', title: 'title 5' });
		const sent = recorder.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));
		expect(sent).toEqual([{ title: 'title 5' }]);
	});

	it('leaves out a field that someone changed since, restores the others, and exits 6', async () => {
		const { recorder, work, ticket } = await desk();
		await work.run('ticket update 5 --status hold --title new --snapshot -q');
		ticket(5).title = 'by someone else';
		recorder.requests.length = 0;
		const { exitCode, stderr } = await work.run('run undo last --yes -q');
		expect([exitCode, stderr]).toEqual([
			6,
			expect.stringContaining('someone changed title to "by someone else" after the run'),
		]);
		expect(ticket(5)).toMatchObject({ status: 'read', title: 'by someone else' });
		expect(recorder.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
	});

	it('leaves an object whose fields were all changed since, and does not exit 0', async () => {
		const { work, ticket } = await desk();
		await work.run('ticket update 5 6 --status hold --snapshot -q');
		ticket(5).status = 'pending';
		const { exitCode, stderr } = await work.run('run undo last --yes');
		expect(exitCode, stderr).toBe(3);
		expect([ticket(5).status, ticket(6).status]).toEqual(['pending', 'read']);
	});

	it('leaves a row whose old values are damaged in the journal, and exits 3', async () => {
		const { work, ticket } = await desk();
		await work.run('ticket update 5 6 --status hold --snapshot -q');
		const [path] = work.journals() as [string];
		const text = readFileSync(path, 'utf8');
		writeFileSync(path, text.replace(/("type":"before","row":1,.*?)"read"/, '$1"draft"'));
		const { exitCode, stdout, stderr } = await work.run('run undo last --yes');
		expect(exitCode, stderr).toBe(3);
		expect(stderr).toContain('1 skipped');
		expect(stdout.match(/the journal has no old values of row 1/g)).toHaveLength(1);
		expect([ticket(5).status, ticket(6).status]).toEqual(['hold', 'read']);
	});

	it('leaves out a term that was empty, says so, and restores the rest', async () => {
		const { recorder, work, ticket } = await desk();
		await work.run('ticket update 5 --status hold --product 7 --snapshot -q');
		recorder.requests.length = 0;
		const { exitCode, stderr } = await work.run('run undo last --yes -q');
		expect([exitCode, stderr]).toEqual([
			6,
			expect.stringContaining('product not restored: the service did not show its old value'),
		]);
		const writes = recorder.requests.filter(({ method }) => method === 'POST');
		expect(writes.map(({ body }) => JSON.parse(body))).toEqual([{ status: 'read' }]);
		expect(ticket(5)).toMatchObject({ status: 'read', product: '7' });
	});

	it('does not exit 0 after a resume that finds all the rest restored', async () => {
		let isLost = false;
		const { work, ticket } = await desk();
		const { recorder } = await startWorkplace((request, response) => {
			const held = ticket(idOf(request));
			if (request.method === 'POST') Object.assign(held, JSON.parse(request.body));
			const hears = !isLost || (request.method === 'GET' && held.status === 'hold');
			return withoutLists(request) ?? (hears ? json(200, held) : void response.destroy());
		});
		const run = (line: string) => work.run(line, { env: recorder.env });
		await run('ticket update 5 --status hold --product 7 --snapshot -q');
		isLost = true;
		expect((await run('run undo last --yes -q --retries 0')).exitCode).toBe(5);
		isLost = false;
		const { exitCode, stderr } = await run('run resume last --yes -q');
		expect([exitCode, stderr]).toEqual([6, expect.stringContaining('product not restored')]);
		expect(ticket(5)).toMatchObject({ status: 'read', product: '7' });
	});

	describe('where a field of an object can not be read', () => {
		/** Tickets 5 and 6 with another status and title; whatever reads them then misses some fields of ticket 5. */
		async function written() {
			const hidden = new Set<string>();
			const { work, ticket } = await desk();
			const { recorder } = await startWorkplace((request) => {
				const refusal = withoutLists(request);
				if (refusal !== undefined) return refusal;
				const held = ticket(idOf(request));
				if (request.method === 'POST') Object.assign(held, JSON.parse(request.body));
				const isSeen = ([name]: [string, unknown]) => request.method === 'POST' || held.id !== 5 || !hidden.has(name);
				return json(200, Object.fromEntries(Object.entries(held).filter(isSeen)));
			});
			const run = (line: string) => work.run(line, { env: recorder.env });
			await run('ticket update 5 6 --status hold --title new --snapshot -q');
			const [original = ''] = work.journals();
			return { run, ticket, hidden, work, original };
		}

		it.each(['run retry last', 'run undo FIRST'])(
			'restores the others, fails that row, and says so; then %s restores it',
			async (command) => {
				const { run, ticket, hidden, work, original } = await written();
				hidden.add('title');
				const undone = await run('run undo last --yes --json');
				expect(undone.exitCode, undone.stderr).toBe(3);
				expect(undone.stderr).toMatch(/"next":\["supportctl run retry [\w-]+"/);
				expect(JSON.parse(undone.stdout)[0]).toMatchObject({
					outcome: 'failed',
					code: 'partly_restored',
					message: 'title not restored: the service does not show title',
				});
				expect(ticket(5)).toMatchObject({ status: 'read', title: 'new' });
				expect(ticket(6)).toMatchObject({ status: 'read', title: 'title 6' });
				const { stdout: shown } = await run(`run show ${work.journals().at(-1)} --changes --json`);
				expect(JSON.parse(shown)).toMatchObject([
					{ row: 1, outcome: 'failed', changes: [{ field: 'status', old: 'hold', new: 'read', outcome: 'ok' }] },
					{ row: 2, outcome: 'ok' },
				]);
				hidden.clear();
				const again = await run(`${command.replace('FIRST', original)} --yes`);
				expect(again.exitCode, again.stderr).toBe(0);
				expect(ticket(5)).toMatchObject({ status: 'read', title: 'title 5' });
				if (command === 'run undo FIRST') return;
				// All that the two parts put back can be taken back.
				const back = await run(`run undo ${work.journals().at(-1)} --yes`);
				expect(back.exitCode, back.stderr).toBe(0);
				expect(ticket(5)).toMatchObject({ status: 'hold', title: 'new' });
			},
		);

		it.each(['run retry last', 'run undo FIRST'])(
			'writes nothing if that is all there is to restore; then %s restores it',
			async (command) => {
				const { run, ticket, hidden, original } = await written();
				hidden.add('title').add('status');
				const undone = await run('run undo last --yes --json');
				expect(undone.exitCode, undone.stderr).toBe(3);
				expect(JSON.parse(undone.stdout)[0]).toMatchObject({
					outcome: 'failed',
					code: 'not_shown',
					message: expect.stringMatching(/status not restored: .*; title not restored: .*; nothing was written$/),
				});
				expect(ticket(5)).toMatchObject({ status: 'hold', title: 'new' });
				hidden.clear();
				const again = await run(`${command.replace('FIRST', original)} --yes`);
				expect(again.exitCode, again.stderr).toBe(0);
				expect(ticket(5)).toMatchObject({ status: 'read', title: 'title 5' });
			},
		);
	});

	it('does not exit 0 if nothing of a row can be restored', async () => {
		const { work } = await desk();
		await work.run('ticket update 5 --product 7 --snapshot -q');
		const { exitCode, stderr } = await work.run('run undo last --yes -q');
		expect(exitCode, stderr).not.toBe(0);
		expect(stderr).toContain('product not restored');
	});

	it.each([
		['gets no response', (response: ServerResponse) => void response.destroy()],
		['gets a page of a gateway', (response: ServerResponse) => void response.writeHead(502).end('<html>Bad Gateway')],
	])(
		'puts back all but a deleted term after a first write that %s, and a retry says that it failed',
		async (_, fail) => {
			const ticket: Record<string, unknown> = { id: 5, status: 'read', state: 'open', assignee: 2, product: 'old' };
			const old = { ...ticket };
			let isTermThere = true;
			let isBroken = false;
			const { work } = await startWorkplace((request, response) => {
				const refusal = withoutLists(request);
				if (refusal !== undefined) return refusal;
				if (request.method === 'GET') return json(200, ticket);
				if (isBroken) {
					isBroken = false;
					return fail(response);
				}
				// As live services do: the status is saved before the term is looked at.
				const { status, product, ...others } = JSON.parse(request.body) as Record<string, unknown>;
				if (status !== undefined) ticket.status = status;
				if (product === 'old' && !isTermThere) return json(500, { code: 'invalid_term', message: 'Invalid term.' });
				Object.assign(ticket, product === undefined ? others : { ...others, product });
				return json(200, ticket);
			});
			await work.run('ticket update 5 --status hold --state closed --assignee 7 --product new -q');
			isTermThere = false;
			isBroken = true;
			expect((await work.run('run undo last --yes -q --retries 0')).exitCode).toBe(5);
			for (const attempt of ['first', 'second']) {
				const { exitCode, stderr } = await work.run('run retry last --yes -q');
				expect([attempt, exitCode, stderr]).toEqual([attempt, 1, expect.stringContaining('Invalid term')]);
				expect(ticket).toEqual({ ...old, product: 'new' });
				const { stdout } = await work.run('ticket history 5');
				const fields = stdout.split('\n').slice(0, 4);
				const said = Object.fromEntries(fields.map((line) => [3, 6].map((at) => line.split('\t')[at])));
				expect(said).toEqual({ status: 'ok', state: 'ok', assignee: 'ok', product: 'failed' });
			}
			isTermThere = true;
			const { exitCode, stderr } = await work.run('run retry last --yes -q');
			expect(exitCode, stderr).toBe(0);
			expect(ticket).toEqual(old);
		},
	);

	it('writes nothing to an object that can not be read', async () => {
		const { recorder, work } = await startWorkplace((request, _, count) => {
			if (request.method === 'GET')
				return count > 2 ? json(403, { code: 'no', message: 'No.' }) : json(200, { id: 5, title: 'old' });
			return json(200, { id: 5, title: 'new' });
		});
		await work.run('ticket update 5 --title new --snapshot -q');
		recorder.requests.length = 2;
		expect((await work.run('run undo last --yes -q')).exitCode).not.toBe(0);
		expect(recorder.requests.slice(2).filter(({ method }) => method === 'POST')).toEqual([]);
	});
});
