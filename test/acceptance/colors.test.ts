/** An update of a priority clears its color unless it is sent again: it is known, or nothing is written. */

import { describe, expect, it } from 'vitest';
import { json, type Responder, text } from '../support/recorder.js';
import { startWorkplace } from '../support/workplace.js';

type Shown = Record<string, unknown>;

const withColor = (id: number): Shown => ({ id, name: `old ${id}`, slug: `s${id}`, color: '#ff0000' });
const plain = (id: number): Shown => ({ id, name: `old ${id}`, slug: `s${id}` });
const terms = (shown: (id: number) => Shown): ((ids: number[]) => Responder) => {
	return (ids) => json(200, ids.map(shown), { 'x-wp-total': String(ids.length) });
};
const refused = (): Responder => json(403, { code: 'rest_forbidden', message: 'No.', data: { status: 403 } });
const notServed = (): Responder => json(404, { code: 'rest_no_route', message: 'No.', data: { status: 404 } });

/** @param alone what one term shows @param list what a list of terms shows */
async function service(alone: (id: number) => Shown, list: (ids: number[]) => Responder) {
	const colors: unknown[] = [];
	const { work } = await startWorkplace(({ method, url, body }) => {
		const id = Number(/ticket_priority\/(\d+)/.exec(url)?.[1]);
		if (method === 'POST') {
			const sent = JSON.parse(body) as Shown;
			colors.push(sent.color);
			return json(200, { ...withColor(id), ...sent, color: sent.color ?? '' });
		}
		if (!Number.isNaN(id)) return json(200, alone(id));
		const include = new URL(url, 'http://127.0.0.1').searchParams.get('include');
		return include === null ? notServed() : list(include.split(',').map(Number));
	});
	return { work, colors };
}

describe.each([
	['one term', '5', ''],
	['two terms', '5 6', ''],
	['one term without old values', '5', ' --no-snapshot'],
])('an update of %s', (_, ids, flags) => {
	const line = `term update ticket_priority ${ids} --name new${flags} -q`;
	const count = ids.split(' ').length;

	it.each([
		['the term alone', withColor, notServed],
		['the list alone', plain, terms(withColor)],
		['the term, and not the list,', withColor, terms(plain)],
	])('sends the color that %s shows', async (_what, alone, list) => {
		const { work, colors } = await service(alone, list);
		const { exitCode, stderr } = await work.run(line);
		expect([exitCode, colors], stderr).toEqual([0, Array(count).fill('#ff0000')]);
	});

	it.each([
		['is refused', refused],
		['is a page', () => text(200, '<html><title>Wait</title>')],
		['leaves the terms out', terms(() => plain(99))],
	])('writes nothing where the term shows no color and the list %s', async (_what, list) => {
		const { work, colors } = await service(plain, list);
		const { exitCode, stderr } = await work.run(`${line} --retries 0`);
		expect([exitCode !== 0, colors], stderr).toEqual([true, []]);
		expect(stderr).toContain('nothing was written');
	});

	it.each([
		['in the list either', terms(plain)],
		['and there is no list', notServed],
	])('is sent without one where the service shows no colors, %s', async (_what, list) => {
		const { work, colors } = await service(plain, list);
		const { exitCode, stderr } = await work.run(line);
		expect([exitCode, colors], stderr).toEqual([0, Array(count).fill(undefined)]);
	});
});

it.each(['', ' --no-snapshot'])('a service without reads may clear it, which is said%s', async (flags) => {
	const { work, recorder } = await startWorkplace((request) =>
		request.method === 'GET' ? notServed() : json(200, { ...plain(5), name: 'new' }),
	);
	const { exitCode, stderr } = await work.run(`term update ticket_priority 5 --name new${flags}`);
	expect([exitCode, stderr]).toEqual([0, expect.stringContaining('the color may be cleared')]);
	recorder.requests.length = 0;
	const { stderr: quiet } = await work.run([
		...['term', 'update', 'ticket_priority', '5', '--undocumented'],
		...['--data', '{"name":"new","color":"#fff"}'],
	]);
	expect(quiet).not.toContain('may be cleared');
});

it('a plan sends the color that the list alone shows', async () => {
	const { work, colors } = await service(plain, terms(withColor));
	expect((await work.run('term update ticket_priority 5 6 --name new --plan p.plan -q')).exitCode).toBe(0);
	const { exitCode, stderr } = await work.run('run apply p.plan --yes -q');
	expect([exitCode, colors], stderr).toEqual([0, ['#ff0000', '#ff0000']]);
});
