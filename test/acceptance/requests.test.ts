/** How many requests a run costs, with the product's defaults: one a row, and hardly more for what is read. */

import { expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.js';
import { createWorkplace } from '../support/workplace.js';

const ROWS = 300;

const isLookup = ({ path }: { path: string }): boolean =>
	/\/users(?:\?|\/username|\/me)|\/(?:ticket-tag|product|department|ticket_priority|ticket_channel)\?/.test(path);

test.each([
	['with old values', 'ticket update --input t.csv -q', 1.03],
	['read back', 'ticket update --input t.csv -q --verify', 1.05],
	['in two parts', 'ticket update --input t.csv -q --first 150; run resume last -q', 1.03],
	['in two parts, read back', 'ticket update --input t.csv -q --verify --first 150; run resume last -q', 1.05],
	['only its first part', 'ticket update --input t.csv -q --first 300', 1.03],
])('a run %s', async (_what, lines, most) => {
	const desk = await startSandbox({ seed: ROWS + 20 });
	const work = createWorkplace(desk.env);
	// A term whose slug is shown empty costs a request a ticket: GET /ticket_priority?post=ID.
	const normal = [...desk.store.terms.values()].find(({ name }) => name === 'Normal')?.id ?? 0;
	for (const ticket of desk.store.tickets.values()) ticket.ticket_priority = normal;
	const people = [...desk.store.users.values()].filter(({ roles }) => roles.includes('agent'));
	const nameOf = (row: number): string => people[row % people.length]?.username ?? '';
	work.sheet('t.csv', 'id,title,ticket_priority,ticket-tag,assignee', ROWS, (row) =>
		[row, `New ${row}`, row % 2 === 0 ? 'Low' : 'High', 'VIP', nameOf(row)].join(','),
	);
	for (const line of lines.split('; ')) {
		const { exitCode, stderr } = await work.run(line);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
	}
	await desk.stop();
	expect([...desk.store.tickets.values()].filter(({ title }) => title.startsWith('New '))).toHaveLength(ROWS);
	const lookups = desk.requests.filter(isLookup);
	expect((desk.requests.length - lookups.length) / ROWS, summary(desk.requests)).toBeLessThanOrEqual(most);
	// Each taxonomy once a part, and the users.
	expect(lookups.length, summary(lookups)).toBeLessThanOrEqual(16);
});

test('a term whose slug is shown empty is asked for with one request, kept and restored', async () => {
	const desk = await startSandbox({ seed: 20 });
	const work = createWorkplace(desk.env);
	const hidden = [...desk.store.terms.values()].find(
		({ taxonomy, slug }) => taxonomy === 'ticket_priority' && slug.startsWith('%'),
	);
	const ticket = desk.store.tickets.get(14);
	Object.assign(ticket ?? {}, { ticket_priority: hidden?.id });
	const { exitCode, stderr } = await work.run('ticket update 14 --ticket-priority Low');
	expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
	expect(desk.requests.filter(({ path }) => path.includes('?post=14'))).toHaveLength(1);
	const undone = await work.run('run undo last --yes');
	await desk.stop();
	expect([undone.exitCode, desk.store.tickets.get(14)?.ticket_priority]).toEqual([0, hidden?.id]);
});

function summary(requests: readonly { method: string; path: string }[]): string {
	const kinds = requests.map(({ method, path }) => `${method} ${path.replace(/\d+/g, 'N').slice(0, 80)}`);
	const counts = new Map<string, number>();
	for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
	return [...counts].map(([kind, count]) => `${count} × ${kind}`).join('\n');
}
