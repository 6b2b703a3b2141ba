/** Lists and objects on a real terminal. */

import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { startListService, ticket } from '../../support/list-service.js';
import { json } from '../../support/recorder.js';
import { startSandbox } from '../../support/sandbox.js';
import { runInTerminal as run } from '../../support/terminal.js';

const hours = 3_600_000;
const before = (ms: number): string => new Date(Date.now() - ms).toISOString().slice(0, 19);

const fields = { state: 'open', assignee: 3, ticket_priority: 'urgent', status: 'in-progress' };
const title = 'The printer on the second floor is on fire again, and nobody knows why';

test.each([
	[60, 20],
	[80, 25],
])(
	'a list of tickets at %i columns gives the title at least %i of them, and tells times in words',
	async (columns, least) => {
		const service = await startListService({
			objects: [
				ticket(1234, { ...fields, title, modified_gmt: before(2.5 * hours) }),
				ticket(1235, { ...fields, title: 'R & D', modified_gmt: before(72 * hours) }),
			],
		});
		const { lines, exitCode } = await run('ticket list --no-color -q', { columns, env: service.env });
		expect(exitCode).toBe(0);
		const [head = '', first = '', second = ''] = lines;
		const wide = /^ID +TITLE +STATUS +STATE +ASSIGNEE +PRIORITY +MODIFIED$/;
		expect(head).toMatch(columns === 60 ? /^ID +TITLE +STATUS +ASSIGNEE +MODIFIED$/ : wide);
		expect(head.indexOf('STATUS') - head.indexOf('TITLE')).toBeGreaterThan(least);
		expect(first).toMatch(/^1234 +The print.*… .* 2 h ago$/);
		expect(second).toMatch(/^1235 +R & D .* 3 d ago$/);
		expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
	},
);

test('a list begins with the newest on a terminal, and with --sort as that says', async () => {
	const service = await startListService({ objects: [ticket(14), ticket(15)] });
	await run('ticket list', { env: service.env });
	await run('ticket list --sort title', { env: service.env });
	const orders = service.requests.map(({ url }) => {
		const query = new URL(url, 'http://x').searchParams;
		return `${query.get('orderby')} ${query.get('order')}`;
	});
	expect(orders).toEqual(['id desc', 'title asc']);
});

test('a list without objects says so', async () => {
	const service = await startListService({ objects: [] });
	expect((await run('ticket list --state open', { env: service.env })).raw).toMatch(/no tickets match\r\n$/);
});

test('formats for programs print exact times, also on a terminal', async () => {
	const service = await startListService({ objects: [ticket(14)] });
	const { raw } = await run('ticket list --format csv --fields id,modified_gmt', { env: service.env });
	expect(raw).toContain('14,2026-11-01T00:00:00');
});

test('lists and objects show usernames and terms by name, and programs get IDs', async () => {
	const sandbox = await startSandbox({ seed: 20 });
	const { env } = sandbox;
	const users = Object.entries(Object.fromEntries([...sandbox.store.users.values()].map((user) => [user.id, user])));
	const ticket = [...sandbox.store.tickets.values()].find(({ assignee }) => assignee > 0);
	const assignee = users.find(([id]) => id === String(ticket?.assignee))?.[1].username ?? '?';
	const priority = sandbox.store.terms.get(ticket?.ticket_priority ?? 0);
	const before = sandbox.requests.length;
	const { lines } = await run('ticket list --no-color -q', { columns: 110, env });
	const row = lines.find((line) => line.startsWith(`${ticket?.id} `)) ?? '';
	expect(row).toContain(` ${assignee} `);
	expect(row).toContain(` ${priority?.name} `);
	expect(sandbox.requests.slice(before).map(({ path }) => path.replace(/\?.*/, ''))).toEqual([
		expect.stringMatching(/\/tickets$/),
		expect.stringMatching(/\/users$/),
		expect.stringMatching(/\/ticket_priority$/),
	]);
	const one = await run(`ticket get ${ticket?.id} --no-color`, { env });
	expect(one.lines).toContainEqual(expect.stringMatching(new RegExp(`^assignee +${assignee}$`)));
	const from = sandbox.requests.length;
	// No keys of the API, no empty fields, each moment once.
	expect(one.raw).not.toMatch(/_|^(?:secondary|tertiary)|^slug|^date|\b0$/m);
	expect(one.raw).toMatch(/^created +.+ ago \(\d{4}-\d\d-\d\d \d\d:\d\d GMT\)$/m);
	await run('ticket get 1 2 3 4 5 6 7 8', { env });
	expect(sandbox.requests.slice(from).filter(({ path }) => path.includes('/users?'))).toHaveLength(1);
	const json = await run(`ticket get ${ticket?.id} --json --no-color`, { env });
	expect(json.raw).toContain(`"assignee": ${ticket?.assignee}`);
	await sandbox.stop();
});

test('where a service has no lists of users and terms, IDs are shown', async () => {
	const service = await startListService({
		objects: [ticket(14, { assignee: 3, ticket_priority: 'urgent' })],
		instead: ({ url }) =>
			url.includes('/tickets') ? undefined : json(404, { code: 'rest_no_route', message: 'No route.', data: null }),
	});
	const { lines, exitCode } = await run('ticket list --no-color -q', { env: service.env });
	expect(exitCode).toBe(0);
	expect(lines[1]).toMatch(/^14 +hold +3 +urgent +/);
});
