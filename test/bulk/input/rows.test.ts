import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Endpoint, endpoints } from '../../../src/api/endpoints.js';
import { createPlanner, type RowValues } from '../../../src/api/request.js';
import { type CompileOptions, type Complaint, compileColumns, formatComplaint } from '../../../src/bulk/input/rows.js';
import { SupportctlError, UsageError } from '../../../src/errors.js';

const rules = { undocumented: false };

function compile(endpoint: Endpoint, columns: readonly string[] | undefined, more: Partial<CompileOptions> = {}) {
	const format = columns === undefined ? 'ndjson' : 'csv';
	return compileColumns({ name: 'edits.csv', format, endpoint, columns, rules, ...more });
}

/** Reads one CSV row. */
function readCells(
	endpoint: Endpoint,
	cells: Record<string, string>,
	more: Partial<CompileOptions> = {},
): RowValues | string[] {
	const result = compile(endpoint, Object.keys(cells), more).read({ row: 1, line: 2, cells: Object.values(cells) });
	return Array.isArray(result) ? result.map((each) => each.message) : result;
}

function readObject(
	endpoint: Endpoint,
	object: Record<string, unknown>,
	more: Partial<CompileOptions> = {},
): RowValues | string[] {
	const result = compile(endpoint, undefined, more).read({ row: 1, line: 1, object });
	return Array.isArray(result) ? result.map((each) => each.message) : result;
}

const headerProblem = (endpoint: Endpoint, columns: string[], more: Partial<CompileOptions> = {}): string => {
	try {
		compile(endpoint, columns, more);
	} catch (error) {
		expect(error).toBeInstanceOf(UsageError);
		return [(error as UsageError).message, ...(error as UsageError).details].join(' | ');
	}
	return expect.fail('the header was taken');
};

const update = endpoints['ticket.update'];
const setFields = endpoints['ticket.fields.set'];

describe('compileColumns for an update', () => {
	it('clears the empty cells of those columns alone that --blank names', () => {
		const cells = { id: '1', Title: '', status: '', content: '' };
		const row = readCells(update, cells, { blank: 'clear', clear: ['title', 'CONTENT'] }) as RowValues;
		expect(row.fields).toEqual({ title: '', content: '' });
		expect(headerProblem(update, ['id', 'title'], { blank: 'clear', clear: ['titel'] })).toContain(
			'--blank clear=titel: no such column; did you mean "title"?',
		);
	});

	it('takes an ID or a username for one user, and not both', () => {
		const user = endpoints['user.delete'];
		const both = { id: '7', username: 'jdoe', reassign: '2' };
		expect(readCells(user, both)).toEqual(['has both id and username']);
		expect(readCells(user, { ...both, id: '' })).toMatchObject({ names: { id: '@jdoe' } });
		expect(readCells(user, { ...both, username: '' })).toMatchObject({ ids: { id: '7' } });
		expect(readCells(user, { ...both, id: '', username: '' })).toEqual(['id is missing']);
	});

	it('turns cells into wire values under the names of the interface', () => {
		const cells = {
			ID: '14',
			status: ' hold ',
			'ticket-priority': 'high',
			Ticket_Tag: '3, blue,4',
			assignee: '7',
			title: ' as written ',
			date: '2026-03-31',
		};
		expect(readCells(update, cells)).toEqual({
			ids: { id: '14' },
			force: undefined,
			reassign: undefined,
			fields: {
				status: 'hold',
				ticket_priority: 'high',
				'ticket-tag': ['3', 'blue', '4'],
				assignee: 7,
				title: ' as written ',
				date: '2026-03-31',
			},
			mayName: new Set(['ticket_priority', 'ticket-tag', 'assignee']),
		});
	});

	it('words a complaint as the house does', () => {
		const { read } = compile(update, ['id', 'status']);
		const complaints = read({ row: 812, line: 813, cells: ['14', 'hodl'] }) as Complaint[];
		expect(complaints).toEqual([
			{
				row: 812,
				line: 813,
				column: 'status',
				message: 'status "hodl" is unknown; did you mean "hold"?',
				ids: { id: '14' },
			},
		]);
		expect(formatComplaint(complaints[0] as Complaint, 'edits.csv')).toBe(
			'row 812 (edits.csv line 813): status "hodl" is unknown; did you mean "hold"?',
		);
	});

	it('names all that is wrong with a row, each with its column', () => {
		const { read } = compile(update, ['id', 'status', 'assignee']);
		const complaints = read({ row: 3, line: 4, cells: ['../users/1', 'open', '-1'] }) as Complaint[];
		expect(complaints.map((each) => each.column)).toEqual(['id', 'status', 'assignee']);
	});

	it('gives every row the values of flags, which its own cells beat and empty cells leave', () => {
		const flags = { fields: { status: 'hold', assignee: 1, title: 'x' } };
		expect(readCells(update, { id: '1', status: 'read', assignee: ' ' }, { flags })).toMatchObject({
			fields: { status: 'read', assignee: 1, title: 'x' },
		});
		expect(readCells(update, { id: '1', status: '', assignee: '5' }, { flags, blank: 'clear' })).toMatchObject({
			fields: { status: '', assignee: 5, title: 'x' },
		});
		expect(flags.fields).toEqual({ status: 'hold', assignee: 1, title: 'x' });
	});

	it('takes a row that leaves every field alone as it is', () => {
		const nothing = { ids: { id: '1' }, force: undefined, reassign: undefined, fields: {} };
		expect(readCells(update, { id: '1', status: ' ', title: '' })).toEqual(nothing);
		expect(readObject(update, { id: 1 })).toEqual(nothing);
		expect(readCells(update, { id: '1', status: ' ', title: '' }, { blank: 'clear' })).toMatchObject({
			fields: { status: '', title: '' },
		});
	});

	it('takes a header without any field for a mistake, unless flags give one', () => {
		const nothing = 'nothing to send: no column matches a field, and no flag sets one';
		expect(headerProblem(update, ['id'])).toBe(`edits.csv line 1: ${nothing}`);
		expect(headerProblem(update, ['id', 'note', 'error'], { ignore: ['note'] })).toBe(`edits.csv line 1: ${nothing}`);
		expect(headerProblem(setFields, ['ticket_id', 'outcome', 'message'])).toBe(`edits.csv line 1: ${nothing}`);
		expect(readCells(update, { id: '1' }, { flags: { fields: { status: 'hold' } } })).toMatchObject({
			fields: { status: 'hold' },
		});
	});

	it('says the same of a cell each time that it comes', () => {
		const { read } = compile(update, ['id', 'status', 'ticket-tag']);
		const results = ['hodl', 'hodl', 'hold', 'hold', 'hodl'].map((status, index) =>
			read({ row: index + 1, line: 2, cells: ['1', status, '1,2'] }),
		);
		expect(results.map((each) => Array.isArray(each))).toEqual([true, true, false, false, true]);
		expect(results[2]).toEqual(results[3]);
		const [left, right] = [results[2], results[3]] as RowValues[];
		expect(left?.fields?.['ticket-tag']).not.toBe(right?.fields?.['ticket-tag']);
	});

	it('says how many cells a ragged row has', () => {
		const { read } = compile(update, ['id', 'status']);
		expect(read({ row: 1, line: 2, cells: ['14'] })).toMatchObject([
			{ message: '1 cell where the header has 2 columns' },
		]);
	});

	it('keeps values as they were given: formulas, escape sequences, and text that looks like numbers', () => {
		const title = '=HYPERLINK("x")\u001b[2J\t+1';
		expect(readCells(update, { id: '1', title, slug: '007' })).toMatchObject({ fields: { title, slug: '007' } });
	});

	it.each(['0', '-1', '1.5', '1e3', '٣', '../1', '1/2', '9007199254740993', '', ' '])('refuses the id %j', (id) => {
		expect(readCells(update, { id, status: 'hold' })).toHaveLength(1);
	});

	it('understands ticket_id and user_id where the path has one id only', () => {
		expect(readCells(update, { ticket_id: '4', status: 'hold' })).toMatchObject({ ids: { id: '4' } });
		expect(readCells(setFields, { id: '4', color: 'red' })).toMatchObject({ ids: { ticket_id: '4' } });
		expect(readCells(endpoints['user.update'], { user_id: '4', name: 'x' })).toMatchObject({ ids: { id: '4' } });
		expect(headerProblem(endpoints['attachment.update'], ['ticket_id', 'title'])).toContain('unknown column');
	});

	it('reads meta as an object and as key=value, and adds it to that of flags', () => {
		const user = endpoints['user.update'];
		const flags = { fields: { meta: { a: 'flag', c: 'flag' } } };
		expect(readCells(user, { id: '1', meta: '{"a":1}' }, { flags })).toMatchObject({
			fields: { meta: { a: 1, c: 'flag' } },
		});
		expect(readCells(user, { id: '1', meta: 'a=b=c' })).toMatchObject({ fields: { meta: { a: 'b=c' } } });
		expect(readCells(user, { id: '1', meta: '[1' })).toEqual(['meta "[1" is not key=value']);
		expect(flags.fields.meta).toEqual({ a: 'flag', c: 'flag' });
	});

	it('reads reply ids from both columns, or the ticket from a flag', () => {
		const reply = endpoints['reply.update'];
		expect(readCells(reply, { ticket_id: '1', id: '2', status: 'read' })).toMatchObject({
			ids: { ticket_id: '1', id: '2' },
		});
		const flags = { ids: { ticket_id: '9' } };
		expect(readCells(reply, { id: '2', status: 'read' }, { flags })).toMatchObject({
			ids: { ticket_id: '9', id: '2' },
		});
		expect(readCells(reply, { ticket_id: '3', id: '2', status: 'read' }, { flags })).toMatchObject({
			ids: { ticket_id: '3' },
		});
		expect(headerProblem(reply, ['id', 'status'])).toContain('missing column "ticket_id"');
	});
});

describe('the header', () => {
	it.each([
		[['id', 'asignee'], 'edits.csv line 1: unknown column "asignee"; did you mean "assignee"?'],
		[['id', 'constructor'], 'edits.csv line 1: unknown column "constructor"'],
		[['id', '__proto__'], 'edits.csv line 1: unknown column "__proto__"'],
		[['id', 'meta.x'], 'edits.csv line 1: unknown column "meta.x"'],
		[['id', 'force', 'status'], 'edits.csv line 1: unknown column "force"'],
		[['status'], 'edits.csv line 1: missing column "id"'],
		[
			['id', 'ticket_priority', 'ticket-priority'],
			'edits.csv line 1: columns "ticket_priority" and "ticket-priority" are the same field',
		],
		[['id', 'ticket_id', 'title'], 'edits.csv line 1: columns "id" and "ticket_id" are the same field'],
		[['id', 'title', 'id'], 'edits.csv line 1: column "id" appears twice in the header'],
		[['id', '', 'title'], 'edits.csv line 1: column 2 has no name in the header'],
	])('%j is refused', (columns, message) => {
		expect(headerProblem(update, columns)).toBe(message);
	});

	it('names every unknown column at once', () => {
		expect(headerProblem(update, ['id', 'foo', 'statuss'])).toBe(
			'edits.csv line 1: unknown column "foo" | unknown column "statuss"; did you mean "status"?',
		);
	});

	it('renames with map, leaves out with ignore, and finds ids under another header', () => {
		const more = { map: { Agent: 'assignee', 'Ticket No': 'id' }, ignore: ['note'] };
		const cells = { 'Ticket No': '4', Agent: '7', note: 'x' };
		expect(readCells(update, cells, more)).toMatchObject({ ids: { id: '4' }, fields: { assignee: 7 } });
		expect(headerProblem(update, ['id', 'status'], { map: { agent: 'assignee' } })).toContain(
			'--map agent=assignee: no such column',
		);
		expect(headerProblem(update, ['id', 'x'], { map: { x: 'asignee' } })).toContain(
			'column "x" is mapped to "asignee", which is not a field of ticket; did you mean "assignee"?',
		);
	});

	it('leaves out the column that rejects add, and says so', () => {
		const { read, ignored } = compile(update, ['id', 'status', 'error']);
		expect(ignored).toEqual(['error']);
		expect(read({ row: 1, line: 2, cells: ['1', 'hold', 'HTTP 500'] })).toMatchObject({ fields: { status: 'hold' } });
	});
});

describe('deletes', () => {
	const term = endpoints['term.delete'];
	const user = endpoints['user.delete'];

	it('need nothing but an id, and take force from the column before the flag', () => {
		const ticket = endpoints['ticket.delete'];
		expect(readCells(ticket, { id: '1' })).toEqual({
			ids: { id: '1' },
			force: undefined,
			reassign: undefined,
			fields: undefined,
		});
		expect(readCells(ticket, { id: '1', force: 'false' }, { flags: { force: true } })).toMatchObject({ force: false });
		expect(readCells(ticket, { id: '1', force: '' }, { flags: { force: true } })).toMatchObject({ force: true });
		expect(readCells(ticket, { id: '1', force: 'maybe' })).toEqual(['force: "maybe" is not true or false']);
	});

	it('of products have to be forced', () => {
		const product = { taxonomy: 'product', id: '1' };
		expect(readCells(term, product)).toEqual(["force must be true: terms can't be trashed"]);
		expect(readCells(term, product, { flags: { force: true } })).toMatchObject({ force: true });
	});

	it('of users need a user to reassign to', () => {
		expect(readCells(user, { id: '1' })).toHaveLength(1);
		expect(readCells(user, { id: '1', reassign: '2' })).toMatchObject({ ids: { id: '1' }, reassign: '2' });
		expect(readCells(user, { id: '1', reassign: 'x' })).toMatchObject({ names: { reassign: 'x' } });
		expect(readCells(user, { id: '1', reassign: '' }, { flags: { reassign: '5' } })).toMatchObject({ reassign: '5' });
		expect(readCells(user, { id: '1', reassign: '2', force: 'no' })).toEqual([
			"force can't be false: users can't be trashed",
		]);
	});

	it('of terms depend on the row’s taxonomy', () => {
		const cells = (taxonomy: string, force = '') => ({ taxonomy, id: '1', force });
		expect(readCells(term, cells('product', '1'))).toMatchObject({
			ids: { taxonomy: 'product' },
			names: { id: '1' },
			force: true,
		});
		expect(readCells(term, cells('ticket_priority'))).toMatchObject({
			ids: { taxonomy: 'ticket_priority' },
			force: undefined,
		});
		expect(readCells(term, cells('department'))).toEqual([expect.stringContaining('can\'t delete "department" terms')]);
		expect(readCells(term, cells(''))).toEqual(['taxonomy is missing']);
		const flags = { ids: { taxonomy: 'ticket_priority' } };
		expect(readCells(term, { id: '1' }, { flags })).toMatchObject({
			ids: { taxonomy: 'ticket_priority' },
			names: { id: '1' },
		});
	});

	it('of application passwords take a user and a slug, and nothing that leaves the path', () => {
		const password = endpoints['user.password.delete'];
		expect(readCells(password, { user_id: '1', slug: 'abc-1' })).toMatchObject({
			ids: { user_id: '1' },
			names: { slug: 'abc-1' },
		});
		expect(readCells(password, { user_id: '1', slug: '../2' })).toHaveLength(1);
		const { read } = compile(password, undefined, { flags: { ids: { user_id: '4' } } });
		expect(read({ row: 1, line: 1, id: 'abc' })).toMatchObject({ ids: { user_id: '4' }, names: { slug: 'abc' } });
	});
});

describe('custom fields', () => {
	it('take every other column, whatever its name', () => {
		const cells = { ticket_id: '1', status: 'x', __proto__x: '1', constructor: 'c', 'A b': ' v ' };
		expect(readCells(setFields, cells)).toMatchObject({
			ids: { ticket_id: '1' },
			fields: { status: 'x', __proto__x: '1', constructor: 'c', 'A b': ' v ' },
		});
	});

	it('send __proto__ as a name like any other', () => {
		const { read } = compile(setFields, ['id', '__proto__']);
		const values = read({ row: 1, line: 2, cells: ['1', 'x'] }) as RowValues;
		expect(createPlanner(setFields)(values).body).toBe('{"custom_fields":{"__proto__":"x"}}');
		const typed = compile(setFields, undefined).read({
			row: 1,
			line: 1,
			object: JSON.parse('{"id":1,"__proto__":"x"}'),
		}) as RowValues;
		expect(createPlanner(setFields)(typed).body).toBe('{"custom_fields":{"__proto__":"x"}}');
	});

	it('are sent empty only under clear', () => {
		expect(readCells(setFields, { id: '1', a: '', b: 'x' })).toMatchObject({ fields: { b: 'x' } });
		expect(readCells(setFields, { id: '1', a: '', b: 'x' }, { blank: 'clear' })).toMatchObject({
			fields: { a: '', b: 'x' },
		});
	});

	it('are strings, in NDJSON too', () => {
		expect(readObject(setFields, { ticket_id: 1, color: 'red' })).toMatchObject({ fields: { color: 'red' } });
		expect(readObject(setFields, { ticket_id: 1, color: 5 })).toEqual([
			'custom field "color" is a number; custom fields must be strings',
		]);
		expect(readObject(setFields, { ticket_id: 1, color: 5 }, { rules: { undocumented: true } })).toMatchObject({
			fields: { color: 5 },
		});
	});
});

describe('NDJSON', () => {
	it('keeps the types that values have', () => {
		const object = { id: 4, assignee: '7', 'ticket-tag': [1, 'a'], title: '', 'customer-reply-count': 3 };
		expect(readObject(update, object)).toMatchObject({
			ids: { id: '4' },
			fields: { assignee: '7', 'ticket-tag': [1, 'a'], title: '', 'customer-reply-count': 3 },
		});
	});

	it.each([
		[{ id: 1, asignee: 1 }, 'unknown column "asignee"; did you mean "assignee"?'],
		[{ id: 1.5, status: 'hold' }, 'id: invalid ID "1.5" (IDs are positive integers)'],
		[{ id: true, status: 'hold' }, 'id: invalid ID "true" (IDs are positive integers)'],
		[{ id: 1, ticket_id: 2, status: 'hold' }, '"ticket_id" is the same field as another column or key'],
		[{ status: 'hold' }, 'id is missing'],
		[{ id: null, status: 'hold' }, 'id is missing'],
		[{ id: 1, assignee: 1.5 }, 'assignee 1.5 is not a username, an ID or none'],
	])('%j is refused', (object, message) => {
		expect(readObject(update, object)).toEqual([message]);
	});

	it.each([
		[update, { id: 1, time_notes: 'a', 'time-notes': 'b' }, '"time-notes" is the same field as another column or key'],
	])('keys that mean one thing are refused: %#', (endpoint, object, message) => {
		expect(readObject(endpoint, object)).toEqual([expect.stringContaining(message)]);
	});
});

describe('lookups', () => {
	it('take usernames as ids, and each is a key of its own', () => {
		const lookup = endpoints['user.id'];
		const { read } = compile(lookup, undefined);
		const values = [read({ row: 1, line: 1, id: 'anna' }), read({ row: 2, line: 2, id: 'b c' })] as RowValues[];
		expect(values[0]).toMatchObject({ ids: { username: 'anna' }, fields: { username: 'anna' } });
		const keys = values.map((each) => createPlanner(lookup)(each).key);
		expect(new Set(keys).size).toBe(2);
		expect(readCells(lookup, { username: '' })).toEqual(['username is missing']);
		expect(readCells(lookup, { login: 'x' }, { map: { login: 'username' } })).toMatchObject({ ids: { username: 'x' } });
		expect(() => compile(lookup, ['login', 'username'], { map: { login: 'username' } })).toThrow(UsageError);
	});
});

describe('a column', () => {
	const ticket = { endpoint: update, rest: { status: 'hold' }, name: 'Ticket', map: { Ticket: 'id' } };
	const slug = { endpoint: endpoints['user.password.delete'], rest: { user_id: '5' }, name: 'slug' };
	const force = { endpoint: endpoints['ticket.delete'], rest: { id: '1' }, name: 'force' };
	const receiver = {
		endpoint: endpoints['user.delete'],
		rest: { id: '1' },
		name: 'heir',
		map: { heir: 'reassign' },
		flags: { reassign: '5' },
	};
	const term = {
		endpoint: endpoints['term.delete'],
		rest: { id: '1', force: 'yes' },
		name: 'taxonomy',
	};
	const fields = { endpoint: setFields, rest: { ticket_id: '1' }, name: 'b' };
	const ignored = { ...ticket, rest: { id: '1', status: 'hold' }, name: 'x', ignore: ['x'], map: {} };

	it.each<[{ endpoint: Endpoint; rest: object; name: string } & Partial<CompileOptions>, unknown, string | object]>([
		[ticket, '14', { ids: { id: '14' } }],
		[ticket, ' 14 ', { ids: { id: '14' } }],
		[ticket, 14, { ids: { id: '14' } }],
		[ticket, null, 'id is missing'],
		[ticket, '', 'id is missing'],
		[ticket, '  ', 'id is missing'],
		[ticket, 'x', 'Ticket: invalid ID "x" (IDs are positive integers)'],
		[ticket, -1, 'Ticket: invalid ID "-1" (IDs are positive integers)'],
		[ticket, false, 'Ticket: invalid ID "false" (IDs are positive integers)'],
		[ticket, [14], 'Ticket: invalid ID "[14]" (IDs are positive integers)'],
		[slug, 'abc-1', { ids: { user_id: '5' }, names: { slug: 'abc-1' } }],
		[slug, 'a/b', 'slug: invalid slug "a/b" (slugs contain letters, digits, "-" and "_")'],
		[term, ' product ', { ids: { taxonomy: 'product' } }],
		[
			term,
			'products',
			'taxonomy: can\'t delete "products" terms: the API documents this for product and ticket_priority only; did you mean "product"?',
		],
		[term, ' ', 'taxonomy is missing'],
		[force, true, { force: true }],
		[force, 'YES', { force: true }],
		[force, 1, { force: true }],
		[force, ' no ', { force: false }],
		[force, 0, { force: false }],
		[force, null, { force: undefined }],
		[force, 'maybe', 'force: "maybe" is not true or false'],
		[force, 'constructor', 'force: "constructor" is not true or false'],
		[force, [true], 'force: "[true]" is not true or false'],
		[receiver, ' 9 ', { reassign: '9' }],
		[receiver, 9, { reassign: '9' }],
		[receiver, null, { reassign: '5' }],
		[receiver, 0, 'heir: invalid ID "0" (IDs are positive integers)'],
		[fields, 'x', { fields: { b: 'x' } }],
		[fields, 1, 'custom field "b" is a number; custom fields must be strings'],
		[fields, null, 'custom field "b" is null; custom fields must be strings'],
		[fields, {}, 'custom field "b" is an object; custom fields must be strings'],
		[fields, ['x'], 'custom field "b" is an array; custom fields must be strings'],
		[ignored, { a: 1 }, { fields: { status: 'hold' } }],
		[ignored, 'y', { fields: { status: 'hold' } }],
	])('takes a value or says what is wrong: %#', ({ endpoint, rest, name, ...more }, value, expected) => {
		const check = (result: unknown): void => {
			if (typeof expected === 'string') expect(result).toEqual([expected]);
			else expect(result).toMatchObject(expected);
		};
		check(readObject(endpoint, { [name]: value, ...rest }, more));
		// A text means the same in a cell and in JSON.
		if (typeof value === 'string') check(readCells(endpoint, { [name]: value, ...rest } as never, more));
	});

	it.each<[Endpoint, string, unknown]>([
		[update, 'title', '[redacted]'],
		[update, 'ticket_tag', 'a,[redacted]'],
		[endpoints['user.update'], 'meta', { a: ['[redacted]'] }],
		[setFields, 'c', '[redacted]'],
	])('sends no placeholder for a secret: %#', (endpoint, name, value) => {
		const message = `${name} is the placeholder [redacted]; replace it with the actual value`;
		if (name !== 'ticket_tag') expect(readObject(endpoint, { id: 1, [name]: value })).toEqual([message]);
		if (typeof value === 'string') expect(readCells(endpoint, { id: '1', [name]: value })).toEqual([message]);
	});
});

describe('a row without anything that can be read', () => {
	it('is a complaint of its own', () => {
		const { read } = compile(update, undefined);
		expect(read({ row: 3, line: 4 })).toMatchObject([{ row: 3, line: 4, message: 'the row is empty' }]);
		expect(read({ row: 3, line: 4, problem: 'no JSON' })).toMatchObject([{ message: 'no JSON' }]);
		expect(read({ row: 3, line: undefined, id: 'x' })).toMatchObject([{ column: 'id' }]);
		const mapped = { row: 3, line: 4, column: 'st', message: 'status "hodl" is unknown' };
		expect(formatComplaint(mapped, 'edits.csv')).toBe(
			'row 3 (edits.csv line 4): column "st": status "hodl" is unknown',
		);
		expect(formatComplaint({ row: 3, line: undefined, column: 'id', message: 'no' }, 'arguments')).toBe(
			'row 3: column "id": no',
		);
		const named = { row: 3, line: undefined, column: 'taxonomy', message: "taxonomy: can't update it" };
		expect(formatComplaint(named, 'arguments')).toBe("row 3: taxonomy: can't update it");
	});
});

describe('any header and any row', () => {
	it('give values or complaints, or an error for people', () => {
		const name = fc.oneof(
			fc.constantFrom('id', 'ticket_id', 'status', 'meta', 'meta.', 'meta.x', '__proto__', 'constructor', 'force'),
			fc.string(),
		);
		let planned = 0;
		let refused = 0;
		fc.assert(
			fc.property(
				fc.constantFrom<Endpoint>(...Object.values(endpoints)),
				fc.uniqueArray(name, { maxLength: 5 }),
				fc.array(fc.string(), { maxLength: 5 }),
				fc.dictionary(name, fc.jsonValue(), { noNullPrototype: true }),
				fc.boolean(),
				(endpoint, columns, cells, object, named) => {
					// Half of the rows have the ids of their path, so that it can be planned.
					const ids = named ? endpoint.parameters.map(({ name }) => name) : [];
					const ownIds = Object.fromEntries(ids.map((id) => [id, '14']));
					let paths: string[] = [];
					try {
						const header = [...ids, ...columns.filter((column) => !ids.includes(column))];
						const text = compile(endpoint, header).read({ row: 1, line: 1, cells: [...ids.map(() => '14'), ...cells] });
						const typed = compile(endpoint, undefined).read({ row: 1, line: 1, object: { ...object, ...ownIds } });
						paths = [text, typed].flatMap((result) =>
							Array.isArray(result) ? [] : [createPlanner(endpoint)(result).path],
						);
					} catch (error) {
						expect(error).toBeInstanceOf(SupportctlError);
						refused++;
					}
					for (const path of paths) expect(path).toMatch(/^\/support-api\/v1\/[\w/?&=-]+$/);
					planned += paths.length;
					expect(({} as Record<string, unknown>).polluted).toBeUndefined();
				},
			),
			{ numRuns: 500 },
		);
		expect(Math.min(planned, refused)).toBeGreaterThan(0);
	});
});
