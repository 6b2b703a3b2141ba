/** What a plan was made with holds when it is applied, and nothing but its rows is asked about and sent. */

import { describe, expect, test } from 'vitest';
import { jsonLines } from '../support/cli.js';
import { startDesk } from '../support/desk.js';
import { shownTo, startOf } from '../support/objects.js';
import { done, json, type Responder } from '../support/recorder.js';
import { scriptedPrompts } from '../support/scripted-prompts.js';

const ok = done();
const outcomes = (stdout: string): [id: number, outcome: string][] =>
	jsonLines<{ id: number; outcome: string; code: string | null }>(stdout)
		.map(({ id, outcome, code }): [number, string] => [id, outcome === 'ok' ? outcome : (code ?? outcome)])
		.sort();

describe('an apply', () => {
	test('checks the condition that its plan was made with, and reads its objects back', async () => {
		const { recorder, work } = await startDesk(ok);
		const made = await work.run('ticket update 1 2 --status hold --if title=old --verify --plan p.plan');
		expect(made.exitCode, made.stderr).toBe(0);
		// The condition comes before drift.
		await work.run('ticket update 2 --title new');
		recorder.requests.length = 0;
		const { stdout, stderr } = await work.run('run apply p.plan --yes -j 1 -q --format ndjson');
		expect(outcomes(stdout), stderr).toEqual([
			[1, 'ok'],
			[2, 'condition'],
		]);
		const { requests } = recorder;
		expect(requests.at(-1)?.method).toBe('GET');
		expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
	});

	test('stops where its plan was told to', async () => {
		let isBroken = false;
		const no: Responder = json(400, { code: 'no', message: 'No.' });
		const { recorder, work } = await startDesk(() => (isBroken ? no : ok));
		await work.run('ticket update 1 2 3 --status hold --stop-on-error --plan p.plan');
		isBroken = true;
		const { stderr } = await work.run('run apply p.plan --yes -j 1');
		expect(stderr).toContain('(--stop-on-error)');
		expect(recorder.writes).toHaveLength(1);
	});

	test('of permanent deletes says that they can not be undone', async () => {
		const { recorder, work } = await startDesk(ok);
		await work.run('ticket delete 1 2 --force --plan p.plan');
		const { exitCode, stderr } = await work.run('run apply p.plan --yes');
		expect([exitCode, recorder.writes.length]).toEqual([0, 2]);
		expect(stderr).not.toMatch(/^Undo:/m);
		const undone = await work.run('run undo last --yes');
		expect([undone.exitCode, undone.stderr]).toEqual([2, expect.stringContaining('its deletes were permanent')]);
	});

	test('leaves alone a custom field that somebody filled since', async () => {
		const fields: Record<string, string> = {};
		const { work } = await startDesk(
			({ body }) => {
				Object.assign(fields, JSON.parse(body).custom_fields);
				return json(200, null);
			},
			() => json(200, Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { name, value }]))),
		);
		fields.size = 'L';
		await work.run('ticket fields set 1 --set note=ours --plan p.plan');
		fields.note = 'theirs';
		const { stdout, stderr } = await work.run('run apply p.plan --yes -q --format ndjson');
		expect(jsonLines(stdout), stderr).toMatchObject([{ outcome: 'skipped', code: 'drift' }]);
		expect(fields).toEqual({ size: 'L', note: 'theirs' });
	});

	test.each([
		['ticket update 1 2 --status hold', 'unchanged'],
		['ticket delete 1 2', 'unchanged'],
		['ticket delete 1 2 --force', 'ok'],
		['ticket fields set 1 2 --set note=ours', 'unchanged'],
		['reply delete 11 1 2', 'unchanged'],
		['user update 1 2 --nickname ours', 'unchanged'],
	])('of a plan that was applied before has nothing left to do: %s', async (line, outcome) => {
		const { recorder, work } = await startDesk(ok);
		await work.run([...line.split(' '), '--plan', 'p.plan']);
		expect((await work.run('run apply p.plan --yes -q')).exitCode).toBe(0);
		const written = recorder.writes.length;
		const { exitCode, stdout, stderr } = await work.run('run apply p.plan --again --yes -q --format ndjson');
		expect(
			outcomes(stdout).map(([, found]) => found),
			stderr,
		).toEqual([outcome, outcome]);
		expect([exitCode, recorder.writes.length]).toEqual([0, written]);
	});

	test('writes nothing over a field that the service does not show any more', async () => {
		let isHidden = false;
		const { recorder, work } = await startDesk(ok, (request) => {
			const { status: _, ...rest } = shownTo(startOf('/tickets/1'), 1);
			if (!isHidden) return undefined;
			return json(200, /[?&]include=/.test(request.url) ? [rest] : rest);
		});
		await work.run('ticket update 1 --title ours --status hold --plan p.plan');
		isHidden = true;
		const { exitCode, stdout, stderr } = await work.run('run apply p.plan --yes -q --format ndjson');
		expect(outcomes(stdout), stderr).toEqual([[1, 'not_shown']]);
		expect([exitCode, recorder.writes]).toEqual([1, []]);
	});

	test('leaves a whole row alone if one of its fields was changed since', async () => {
		const { recorder, work } = await startDesk(ok);
		await work.run('ticket update 1 --title ours --status hold --plan p.plan');
		await work.run('ticket update 1 --title theirs -q');
		const { stdout, stderr } = await work.run('run apply p.plan --yes -q --format ndjson');
		expect(outcomes(stdout), stderr).toEqual([[1, 'drift']]);
		expect(recorder.writes).toHaveLength(1);
	});

	test('sends a custom field that its ticket still does not have', async () => {
		const { recorder, work } = await startDesk(ok, () => json(200, { size: { name: 'size', value: 'L' } }));
		await work.run('ticket fields set 1 --set note=ours --plan p.plan');
		await work.run('run apply p.plan --yes -q');
		expect(recorder.writes.map(({ body }) => JSON.parse(body))).toEqual([{ custom_fields: { note: 'ours' } }]);
	});

	test('of the rest of a plan, whose rows keep their numbers, can be shown and undone as a whole', async () => {
		const { recorder, work } = await startDesk(ok);
		await work.run('ticket update 1 2 3 --status hold --plan p.plan');
		await work.run('run apply p.plan --ids 1 --yes -q');
		expect((await work.run('run apply p.plan --yes -q')).exitCode).toBe(0);
		const shown = await work.run('run show last --json');
		expect(JSON.parse(shown.stdout), shown.stderr).toMatchObject({ ok: 2 });
		const { exitCode, stderr } = await work.run('run undo last --yes -q');
		expect(exitCode, stderr).toBe(0);
		const statuses = [1, 2, 3].map((id) => recorder.object(`/tickets/${id}`)?.status);
		expect(statuses).toEqual(['hold', 'queued', 'queued']);
	});

	test('of a part asks about that part', async () => {
		const { recorder, work } = await startDesk(ok);
		await work.run('ticket update 1 2 3 --status hold --plan p.plan');
		const prompts = scriptedPrompts([/./, true]);
		const { exitCode, stderr } = await work.run('run apply p.plan --ids 2 -q', { prompts });
		expect(exitCode, stderr).toBe(0);
		expect(stderr).toMatch(/update 1 ticket .*\n {2}ticket 2 .* → hold\n$/);
		expect(recorder.writes.map(({ url }) => url.split('/').at(-1))).toEqual(['2']);
		const rest = await work.run('run apply p.plan -q', { prompts: scriptedPrompts([/./, false]) });
		expect(rest.stderr).toMatch(/update 2 tickets .*\n {2}ticket 1 .* → hold\n {2}ticket 3 .* → hold\n/);
		expect(recorder.writes).toHaveLength(1);
	});
});

test.each(['-n', '--plan p.plan'])(
	'%s finds for a later row of an object the entries that an earlier one did not send',
	async (flag) => {
		const { work } = await startDesk(ok, ({ url }) => {
			const user = shownTo({ ...startOf('/users/7'), meta: { zone: 'north' } }, 7);
			return json(200, url.includes('include=') ? [user] : user);
		});
		work.write('meta.ndjson', '{"id":7,"meta":{"tier":"gold"}}\n{"id":7,"meta":{"zone":"north"}}\n');
		const { stderr } = await work.run(`user update --input meta.ndjson ${flag} --json`);
		expect(JSON.parse(stderr)).toMatchObject({ summary: { skipped: 1, left: [{ rows: 1, what: 'unchanged' }] } });
	},
);
