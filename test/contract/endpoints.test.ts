/** One request per endpoint, typed by hand from the interface document: what the program puts on the wire. */

import { describe, expect, test } from 'vitest';
import { endpointList } from '../../src/api/endpoints.js';
import { runHere } from '../support/cli.js';
import { startDesk } from '../support/desk.js';
import { pathOf, shownTo, startOf } from '../support/objects.js';
import { done, json, type RecordedRequest, type Responder, startRecorder } from '../support/recorder.js';

interface Expected {
	/** What the interface's row says, for the test's name. */
	row: string;
	args: string[];
	input?: string;
	/** Method, and path below `/support-api/v1`. */
	sends: string;
	body?: unknown;
	/** What stderr says besides. */
	warns?: string;
}

/** Rows without a body. */
const plain: readonly [row: string, line: string, sends: string][] = [
	['GET /tickets/<id>/custom-fields', 'ticket fields get 14', 'GET /tickets/14/custom-fields'],
	['DELETE /tickets/<id>', 'ticket delete 14 --yes', 'DELETE /tickets/14'],
	['DELETE /tickets/<id> with force', 'ticket delete 14 --yes --force', 'DELETE /tickets/14?force=true'],
	[
		'DELETE /tickets/<ticket_id>/replies/<id>',
		'reply delete 14 101 --yes --force',
		'DELETE /tickets/14/replies/101?force=true',
	],
	['DELETE /product/<id>', 'term delete product 9 --force --yes', 'DELETE /product/9?force=true'],
	[
		'DELETE /users/<user_id>/passwords/<slug>',
		'user password delete 21 laptop_2024 --yes',
		'DELETE /users/21/passwords/laptop_2024',
	],
	['DELETE /ticket_priority/<id>', 'term delete ticket_priority 5 --yes', 'DELETE /ticket_priority/5'],
	[
		'DELETE /ticket_priority/<id> with force',
		'term delete ticket_priority 5 --yes --force',
		'DELETE /ticket_priority/5?force=true',
	],
];

const requests: Expected[] = [
	...plain.map(([row, line, sends]) => ({ row, args: line.split(' '), sends })),
	{
		row: 'POST /tickets/<id>',
		args: [
			...['ticket', 'update', '14'],
			...['--date', '2026-03-01T09:00:00', '--date-gmt', '2026-03-01T08:00:00', '--slug', 'printer-on-fire'],
			...['--status', 'in-progress', '--title', 'Printer on fire', '--content', '<p>Still burning</p>'],
			...['--ticket-tag', '3,4', '--ticket-tag', '9', '--product', 'printer', '--department', 'hardware'],
			...['--ticket-priority', 'urgent', '--ticket-channel', '12', '--state', 'open', '--author', '21'],
			...['--assignee', '7', '--secondary-assignee', '8', '--tertiary-assignee', '0'],
			...['--customer-reply-count', '2', '--agent-reply-count', '3', '--total-reply-count', '5'],
			...['--time-calculated', '90', '--time-adjustments', '15', '--time-adjustments-type', 'negative'],
			...['--time-notes', 'minus the coffee'],
		],
		sends: 'POST /tickets/14',
		warns: ['product', 'department', 'ticket_priority', 'ticket_channel']
			.map(
				(name) =>
					`warning: this service doesn't list its ${name} terms, so run undo may not be able to restore the ${name}\n`,
			)
			.join(''),
		body: {
			date: '2026-03-01T09:00:00',
			date_gmt: '2026-03-01T08:00:00',
			slug: 'printer-on-fire',
			status: 'in-progress',
			title: 'Printer on fire',
			content: '<p>Still burning</p>',
			'ticket-tag': [3, 4, 9],
			product: 'printer',
			department: 'hardware',
			ticket_priority: 'urgent',
			ticket_channel: '12',
			state: 'open',
			author: 21,
			assignee: 7,
			'secondary-assignee': 8,
			'tertiary-assignee': 0,
			'customer-reply-count': 2,
			'agent-reply-count': 3,
			'total-reply-count': 5,
			'time-calculated': 90,
			'time-adjustments': 15,
			'time-adjustments-type': 'negative',
			'time-notes': 'minus the coffee',
		},
	},
	{
		row: 'POST /tickets/<ticket_id>/custom-fields',
		args: [
			...['ticket', 'fields', 'set', '14'],
			...['--set', 'order_number=A-1', '--set', 'note=a=b, c', '--set', '__proto__=x'],
		],
		sends: 'POST /tickets/14/custom-fields',
		body: JSON.parse('{"custom_fields": {"order_number": "A-1", "note": "a=b, c", "__proto__": "x"}}'),
	},
	{
		row: 'POST /users/check',
		args: ['user', 'check', 'grace', '--password-stdin'],
		input: ' päss "wörd" %40:x \n',
		sends: 'POST /users/check',
		body: { username: 'grace', password: ' päss "wörd" %40:x ' },
	},
	{
		row: 'POST /users/username',
		args: ['user', 'id', 'grace'],
		sends: 'POST /users/username',
		body: { username: 'grace' },
	},
	{
		row: 'POST /users/<id>',
		args: [
			...['user', 'update', '21', '--password-stdin'],
			...['--username', 'grace', '--name', 'Grace H.', '--first-name', 'Grace', '--last-name', 'Hopper'],
			...['--email', 'grace@desk.example', '--url', 'https://grace.example', '--description', 'Compiles'],
			...['--locale', 'en_US', '--nickname', 'amazing', '--slug', 'grace', '--roles', 'agent,editor'],
			...['--meta', 'team=navy', '--meta', 'rank=rear admiral', '--support-can-be-assigned', 'true'],
			...['--support-smart-tickets-order', 'false', '--support-after-reply', 'back'],
		],
		input: 'n3w secret',
		sends: 'POST /users/21',
		body: {
			username: 'grace',
			name: 'Grace H.',
			first_name: 'Grace',
			last_name: 'Hopper',
			email: 'grace@desk.example',
			url: 'https://grace.example',
			description: 'Compiles',
			locale: 'en_US',
			nickname: 'amazing',
			slug: 'grace',
			roles: ['agent', 'editor'],
			password: 'n3w secret',
			meta: { team: 'navy', rank: 'rear admiral' },
			support_can_be_assigned: true,
			support_smart_tickets_order: false,
			support_after_reply: 'back',
		},
	},
	{
		row: 'POST /attachments/<id>',
		args: [
			...['attachment', 'update', '31', '--date', '2026-03-01', '--date-gmt', '2026-03-01T00:00:00Z'],
			...['--slug', 'screenshot', '--status', 'inherit', '--title', 'Screenshot', '--author', '7'],
			...['--comment-status', 'closed', '--ping-status', 'closed', '--meta', 'lens=50mm', '--template', 'wide.php'],
			...['--alt-text', 'An error', '--caption', 'It says no', '--description', 'Taken at noon', '--post', '14'],
		],
		sends: 'POST /attachments/31',
		body: {
			date: '2026-03-01',
			date_gmt: '2026-03-01T00:00:00Z',
			slug: 'screenshot',
			status: 'inherit',
			title: 'Screenshot',
			author: 7,
			comment_status: 'closed',
			ping_status: 'closed',
			meta: { lens: '50mm' },
			template: 'wide.php',
			alt_text: 'An error',
			caption: 'It says no',
			description: 'Taken at noon',
			post: 14,
		},
	},
	{
		row: 'POST /tickets/<ticket_id>/replies/<id>',
		args: [
			...['reply', 'update', '14', '101', '--date', '2026-03-01T09:00:00', '--date-gmt', '2026-03-01T08:00:00'],
			...['--status', 'read', '--content', '@@home', '--author', '21'],
		],
		sends: 'POST /tickets/14/replies/101',
		body: {
			date: '2026-03-01T09:00:00',
			date_gmt: '2026-03-01T08:00:00',
			status: 'read',
			content: '@home',
			author: 21,
		},
	},
	{
		row: 'POST /ticket_priority/<id>',
		args: [
			...['term', 'update', 'ticket_priority', '5', '--description', '<b>now</b>', '--name', 'Urgent'],
			...['--slug', 'urgent', '--parent', '2', '--meta', 'color=#f00'],
		],
		sends: 'POST /ticket_priority/5',
		body: { description: '<b>now</b>', name: 'Urgent', slug: 'urgent', parent: 2, meta: { color: '#f00' } },
	},
];

test('every row and every field of the table is typed here by hand', () => {
	const typed = new Set(requests.map(({ row }) => row.replace(' with force', '')));
	typed.add('DELETE /users/<id>');
	const rows = endpointList.flatMap(({ taxonomies = [''], ...row }) =>
		taxonomies.map((taxonomy) => ({ ...row, path: row.path.replace('<taxonomy>', taxonomy) })),
	);
	expect([...typed].sort()).toEqual(rows.map(({ method, path }) => `${method} ${path}`).sort());
	for (const { method, path, fields } of rows) {
		const bodies = requests.filter(({ row }) => row === `${method} ${path}`).map(({ body }) => body ?? {});
		const names = new Set(bodies.flatMap((body) => Object.keys(body as object)));
		expect(
			fields.map(({ name }) => name).filter((name) => !names.has(name)),
			path,
		).toEqual([]);
	}
});

const basic = `Basic ${Buffer.from('ada:s3cret pass').toString('base64')}`;

/** Old values that no row sends: what an object has already is not sent again. */
function showOther(request: RecordedRequest): Responder | undefined {
	const path = pathOf(request);
	const id = /\/(\d+)$/.exec(path)?.[1];
	if (id === undefined) return undefined;
	const other = { 'customer-reply-count': 9, state: 'closed', support_smart_tickets_order: true, status: 'private' };
	return json(200, shownTo({ ...startOf(path), ...other }, Number(id)));
}

describe('every row of section 4 goes out as the interface writes it', () => {
	test.each(requests)('$row', async ({ args, input, sends, body, warns = '' }) => {
		const { recorder } = await startDesk(done(), showOther);
		const { exitCode, stderr } = await runHere(args, { env: recorder.env, ...(input === undefined ? {} : { input }) });
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: warns });
		// Old values are read before a write, and custom fields after it too.
		const own = recorder.requests.filter(({ method }) => sends.startsWith(method));
		expect(own).toHaveLength(1);
		const [request] = own;
		expect(`${request?.method} ${request?.url}`).toBe(sends.replace(' ', ' /wp-json/support-api/v1'));
		expect(request?.headers.authorization).toBe(basic);
		if (body === undefined) {
			expect(request?.body).toBe('');
			expect(request?.headers).not.toHaveProperty('content-type');
		} else {
			expect(JSON.parse(request?.body ?? '')).toStrictEqual(body);
			expect(request?.headers['content-type']).toBe('application/json');
		}
	});

	test('DELETE /users/<id>: force is always sent; the receiver, the own account and assigned tickets are looked up first', async () => {
		const recorder = await startRecorder((request, response) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			const users = '[{"id":2,"username":"grace"}]';
			const deleted = '{"deleted":true,"previous":{}}';
			response.end({ GET: users, POST: '{"id":1}', DELETE: deleted }[request.method]);
		});
		const { exitCode, stderr } = await runHere(['user', 'delete', '21', '--reassign', '2', '--yes'], {
			env: recorder.env,
		});
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(recorder.requests.map(({ method, url, body }) => ({ method, url, body }))).toEqual([
			{ method: 'GET', url: '/wp-json/support-api/v1/users?context=edit&per_page=100&include=2', body: '' },
			{ method: 'POST', url: '/wp-json/support-api/v1/users/username', body: '{"username":"ada"}' },
			{
				method: 'GET',
				url: expect.stringContaining('/tickets?context=edit&orderby=id&order=asc&assignee=21&'),
				body: '',
			},
			{ method: 'DELETE', url: '/wp-json/support-api/v1/users/21?force=true&reassign=2', body: '' },
		]);
	});

	test('fields that no flag can say travel through --data, and ids never do', async () => {
		const own = { ...shownTo(startOf('/tickets/14'), 14), 'x-own': [2] };
		const { recorder } = await startDesk(undefined, () => json(200, own));
		const data = '{"id": 14, "title": null, "x-own": [1]}';
		const args = ['ticket', 'update', '14', '--data', data, '--undocumented', '--slug', 's'];
		const { exitCode } = await runHere(args, { env: recorder.env });
		expect(exitCode).toBe(0);
		expect(recorder.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
		expect(JSON.parse(recorder.requests[1]?.body ?? '')).toStrictEqual({ title: null, 'x-own': [1], slug: 's' });
	});

	test('an id in --data that is not the one in the path is refused, and nothing is sent', async () => {
		const recorder = await startRecorder();
		const { exitCode, stderr } = await runHere(['ticket', 'update', '14', '--data', '{"id": 15, "title": "x"}'], {
			env: recorder.env,
		});
		expect({ exitCode, requests: recorder.requests }).toEqual({ exitCode: 2, requests: [] });
		expect(stderr).toContain('--data has id 15, but the path says 14');
	});
});
