import { describe, expect, it } from 'vitest';
import { type EndpointName, endpoints } from '../../../src/api/endpoints.js';
import { outcomeShape, outcomeView } from '../../../src/cli/runs/outcomes.js';
import type { RowOutcome } from '../../../src/http/outcome.js';
import type { RenderOptions } from '../../../src/output/columns.js';
import { testRenderer } from '../../support/renderer.js';

function outcome(over: Partial<RowOutcome> = {}): RowOutcome {
	return { row: 1, ids: { id: '14' }, outcome: 'ok', status: 200, attempts: 1, ms: 12.4, ...over };
}

/** What a command prints of outcomes. @param fields that its rows set */
async function print(
	name: EndpointName,
	outcomes: readonly RowOutcome[],
	options: Partial<RenderOptions> = {},
	fields: readonly string[] = [],
): Promise<string> {
	const shape = outcomeShape(
		{
			endpoint: endpoints[name],
			plan: { endpoint: name },
			session: { connection: { settings: {} } },
		} as never,
		fields,
	);
	let text = '';
	const renderer = await testRenderer({ isTTY: true, width: 100, ...shape, ...options }, (piece) => {
		text += piece;
	});
	for (const each of outcomes) renderer.row(outcomeView(each));
	await renderer.end();
	return text;
}

describe('outcomeView', () => {
	it('has its keys in the order of the command line’s page, and all of them always', () => {
		const view = outcomeView(outcome({ ids: { ticket_id: '3', id: '14' }, body: { id: 14 } }));
		expect(JSON.stringify(view)).toBe(
			'{"row":1,"ticket_id":3,"id":14,"outcome":"ok","status":200,"code":null,"message":null,"attempts":1,"ms":12,"differs":[],"body":{"id":14}}',
		);
		expect(outcomeView(outcome({ outcome: 'not-sent', status: undefined })).status).toBeNull();
	});

	it('keeps ids that a number can’t hold, and slugs, as text', () => {
		const view = outcomeView(outcome({ ids: { id: '9007199254740993', slug: '007', username: '12' } }));
		expect([view.id, view.slug, view.username]).toEqual(['9007199254740993', '007', '12']);
	});
});

describe('the table of an update', () => {
	it('has the changed fields as the service has them now, and no message column while all is well', async () => {
		const body = {
			status: 'hold',
			title: { raw: 'A', rendered: '<b>A</b>' },
			'ticket-tag': [1, 2],
			password: 'marker',
		};
		const fields = ['status', 'title', 'ticket-tag', 'password'];
		expect(await print('ticket.update', [outcome({ body })], {}, fields)).toBe(
			'ID  OUTCOME  STATUS  TITLE  TICKET-TAG\n14  ok       hold    A      1,2\n',
		);
	});

	it('says why a row failed, field by field, what differs and what was odd', async () => {
		const outcomes = [
			outcome({
				outcome: 'failed',
				status: 400,
				message: 'Invalid parameter(s): status',
				reasons: { status: 'status is not one of publish' },
			}),
			outcome({
				row: 2,
				body: { status: 'read' },
				differs: [{ field: 'status', sent: 'hold', shown: 'read' }],
				warnings: ['text before the JSON'],
			}),
		];
		expect((await print('ticket.update', outcomes, { width: 200 }, ['status'])).split('\n').slice(1, 3)).toEqual([
			'14  failed           Invalid parameter(s): status (status: status is not one of publish)',
			'14  ok       read    text before the JSON; status is "read", not "hold"',
		]);
	});
});

describe('the table of custom fields', () => {
	const shapes = [
		{ order: { name: 'Order', value: '7', markup: '<input>' }, colour: { name: 'Colour', value: 'red', markup: '' } },
		{ order: { name: 'Order', value: '8' }, size: { name: 'Size', value: 'XL' } },
	];

	it('has a column per field', async () => {
		const outcomes = shapes.map((body, index) => outcome({ row: index + 1, ids: { id: String(index + 1) }, body }));
		expect(await print('ticket.fields.get', outcomes)).toBe(
			['ID  OUTCOME  ORDER  COLOUR  SIZE', '1   ok       7      red', '2   ok       8              XL', ''].join('\n'),
		);
	});

	it('lets --fields and --field name custom fields beside the keys of an outcome', async () => {
		const outcomes = shapes.map((body, index) => outcome({ row: index + 1, ids: { id: String(index + 1) }, body }));
		const options = { isTTY: false };
		expect(await print('ticket.fields.get', outcomes, { ...options, fields: 'id,order,status,body.size' })).toBe(
			'1\t7\t200\t\n2\t8\t200\t{"name":"Size","value":"XL"}\n',
		);
		expect(await print('ticket.fields.get', outcomes, { ...options, field: 'order' })).toBe('7\n8\n');
		expect(await print('ticket.fields.get', outcomes, { ...options, fields: 'order', format: 'csv' })).toBe(
			'order\n7\n8\n',
		);
	});

	it('takes the names of fields as they are, __proto__ too', async () => {
		const body = JSON.parse('{"__proto__": {"name": "", "value": "x"}, "constructor": {"name": "", "value": "y"}}');
		expect(await print('ticket.fields.get', [outcome({ body }), outcome({ body: {} })])).toBe(
			'ID  OUTCOME  __PROTO__  CONSTRUCTOR\n14  ok       x          y\n14  ok\n',
		);
	});

	it('has no columns for responses without fields, nor for rows that failed', async () => {
		const outcomes = [null, 'text', [1]].map((body) => outcome({ body }));
		const failed = outcome({ outcome: 'failed', status: 404, body: { code: 'rest_post_invalid_id' } });
		expect(await print('ticket.fields.get', [...outcomes, failed])).toMatch(/^ID {2}OUTCOME\n/);
	});
});

describe('the lookup of usernames', () => {
	it('prints the ids that were found', async () => {
		const outcomes = [outcome({ ids: { username: 'ann', id: '7' }, body: { user_id: 7 } })];
		expect(await print('user.id', outcomes)).toBe('USERNAME  ID  OUTCOME\nann       7   ok\n');
		const failed = outcome({ ids: { username: 'bob' }, outcome: 'failed', body: { code: 'invalid_username' } });
		expect(await print('user.id', [failed, ...outcomes], { format: 'ids' })).toBe('7\n');
	});
});
