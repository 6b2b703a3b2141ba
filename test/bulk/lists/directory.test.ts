/** Names of users, terms and passwords, looked up through a service that each test plays. */

import { expect, test } from 'vitest';
import { neutralDialect } from '../../../src/api/dialect.js';
import { endpoints } from '../../../src/api/endpoints.js';
import type { Request } from '../../../src/api/plan.js';
import { createDirectories } from '../../../src/bulk/lists/directory.js';
import type { Outcome } from '../../../src/http/outcome.js';

const ok = (body: unknown): Outcome => ({ outcome: 'ok', status: 200, body, attempts: 1, ms: 1 });
const failed = (code: string, more: Partial<Outcome> = {}): Outcome => ({
	...{ outcome: 'failed', status: 400, code, attempts: 1, ms: 1 },
	...more,
});

type Account = Awaited<ReturnType<Parameters<typeof createDirectories>[0]['account']>>;

function directoriesOf(respond: (query: URLSearchParams, request: Request) => Outcome, account?: Account) {
	const sent: string[] = [];
	const directories = createDirectories({
		dialect: neutralDialect,
		async send(request) {
			sent.push(request.path);
			return respond(new URL(request.path, 'http://service').searchParams, request);
		},
		account: async () => account,
	});
	return { directories, sent };
}

const isLookup = ({ path }: Request): boolean => path.endsWith('/users/username');

test('a username that the service looks up costs one request, however often it is asked for', async () => {
	const { directories, sent } = directoriesOf(() => ok({ id: 7 }));
	const found = await Promise.all([1, 2, 3].map(() => directories.users.id('jdoe')));
	expect(found).toEqual([{ id: '7' }, { id: '7' }, { id: '7' }]);
	expect(sent).toHaveLength(1);
	expect([...directories.memory.records]).toEqual([{ of: 'users', name: 'jdoe', id: '7' }]);
});

test('none is 0, and digits are an ID', async () => {
	const { directories, sent } = directoriesOf(() => ok({ id: 7 }));
	const id = (text: string) => directories.users.id(text);
	expect([await id('none'), await id('31')]).toEqual([{ id: '0' }, { id: '31' }]);
	expect(sent).toEqual([]);
});

test('@me is the account that the service finds by its username, or shows as your own', async () => {
	const byName = directoriesOf(() => ok({ id: 7 }), { username: 'jdoe' });
	expect(await byName.directories.users.id('@me')).toEqual({ id: '7' });
	expect(byName.sent).toEqual(['/support-api/v1/users/username']);
	const respond = (_: unknown, request: Request) => (isLookup(request) ? failed('invalid_username') : ok({ id: 8 }));
	const byEmail = directoriesOf(respond, { username: 'jdoe@desk.example' });
	expect(await byEmail.directories.users.id('@me')).toEqual({ id: '8' });
	expect(byEmail.sent).toEqual(['/support-api/v1/users/username', '/support-api/v1/users/me?context=edit']);
	const byToken = directoriesOf(respond, {});
	expect(await byToken.directories.users.id('@me')).toEqual({ id: '8' });
	expect(byToken.sent).toEqual(['/support-api/v1/users/me?context=edit']);
});

test('@me without credentials, or of a service that shows no account, is refused with the reason', async () => {
	const refusing = () => failed('x', { message: 'No such route.' });
	const nobody = directoriesOf(refusing);
	await expect(nobody.directories.users.id('@me')).rejects.toThrow('you are not signed in');
	expect(nobody.sent).toEqual([]);
	const hidden = directoriesOf(refusing, {});
	await expect(hidden.directories.users.id('@me')).rejects.toThrow(/user ID: No such route\.; nothing was sent/);
	expect(await hidden.directories.users.own()).toEqual({ why: 'No such route.' });
});

test('an email address is no username, and the message says whose it is', async () => {
	const { directories } = directoriesOf((_, request) =>
		isLookup(request)
			? failed('invalid_username')
			: ok([{ id: 7, username: 'jdoe', email: 'Jane@desk.example' }, { id: 'x' }]),
	);
	expect(await directories.users.id('jane@desk.example')).toEqual({
		problem: 'user "jane@desk.example" not found; did you mean "jdoe"?',
	});
});

test('a username among more matches than a page holds is found by its slug', async () => {
	const many = Array.from({ length: 100 }, (_, at) => ({ id: at + 10, username: `ann.${at}` }));
	const { directories } = directoriesOf((query, request) => {
		if (isLookup(request)) return failed('invalid_username_access');
		return ok(query.get('slug') === 'ann-b' ? [{ id: 7, username: 'Ann.B' }] : many);
	});
	expect(await directories.users.id('ann.b')).toEqual({ id: '7' });
});

test('without a user list, the message says why a name was not found', async () => {
	const withCode = directoriesOf((_, request) => failed(isLookup(request) ? 'invalid_username' : 'rest_no_route'));
	expect(await withCode.directories.users.id('jdoe')).toEqual({ problem: 'user "jdoe" not found: invalid_username' });
	const silent = directoriesOf((_, request) => (isLookup(request) ? ok({ exists: 1 }) : failed('rest_no_route')));
	expect(await silent.directories.users.id('jdoe')).toEqual({ problem: 'user "jdoe" not found' });
	const refusing = directoriesOf((_, request) =>
		failed(isLookup(request) ? 'invalid_username_access' : 'rest_no_route'),
	);
	expect(await refusing.directories.users.id('jdoe')).toEqual({
		problem: 'can\'t look up user "jdoe" here: use the ID',
	});
});

test('only the first unknown names cost a search for suggestions', async () => {
	const { directories, sent } = directoriesOf((_, request) =>
		isLookup(request) ? failed('invalid_username_access') : ok([]),
	);
	for (let at = 0; at < 8; at++) await directories.users.id(`nobody${at}`);
	expect(sent.filter((path) => path.includes('search=no&') || path.endsWith('search=no'))).toHaveLength(5);
	expect(await directories.users.id('nobody0')).toEqual({
		problem: 'user "nobody0" not found (find it with: supportctl user list)',
	});
});

test.each([
	['with a message', { message: 'Bad gateway' }, 'could not look up user "jdoe": Bad gateway; nothing was sent'],
	['with a code alone', { code: 'http_502' }, 'could not look up user "jdoe": http_502; nothing was sent'],
	['without either', {}, 'could not look up user "jdoe": unknown; nothing was sent'],
])('a lookup that gets no response ends the run, %s', async (_, more, message) => {
	const { directories } = directoriesOf(() => ({
		...{ outcome: 'unknown', retry: 'lost', attempts: 5, ms: 1 },
		...more,
	}));
	await expect(directories.users.id('jdoe')).rejects.toThrow(message);
});

test('users that a service does not have are named, and none are asked for without IDs', async () => {
	const { directories, sent } = directoriesOf(() => ok([{ id: 3, username: 'ada' }]));
	expect(await directories.users.missing([])).toEqual([]);
	expect(sent).toEqual([]);
	expect(await directories.users.missing(['3', '999'])).toEqual(['999']);
	expect(directories.users.name('3')).toBe('ada');
	const unlisted = directoriesOf(() => failed('rest_no_route'));
	expect(await unlisted.directories.users.missing(['3'])).toBeUndefined();
});

test('an account with a different username than was looked up is a conflict', async () => {
	const { directories } = directoriesOf(() => ok([{ id: 1, username: 'admin' }]));
	expect(await directories.users.conflict('1', '@me')).toBeUndefined();
	expect(await directories.users.conflict('1', 'Admin')).toBeUndefined();
	expect(await directories.users.conflict('1', '@jdoe')).toBe('the lookup of "jdoe" returned user 1, who is "admin"');
});

test('terms are found by ID, slug, name and damaged slug, and several with one name are a problem', async () => {
	const terms = [
		{ id: 31, slug: 'vip', name: 'VIP' },
		{ id: 32, slug: 'vip-2', name: 'Vip &amp; more' },
		{ id: 33, slug: 'uni-%f0%9f%8e%89-2', name: 'Party' },
		{ id: 34, slug: 'new', name: 'Party' },
		{ id: 35, slug: '%e6%94%af', name: '' },
		{ id: 'x' },
		{ id: 36 },
	];
	const { directories } = directoriesOf(() => ok(terms));
	const tags = directories.terms('ticket-tag');
	const found = async (text: string) => await tags.id(text);
	expect([await found('31'), await found('vip-2'), await found('Vip & more'), await found('uni--2')]).toEqual([
		{ id: '31' },
		{ id: '32' },
		{ id: '32' },
		{ id: '33' },
	]);
	expect(await found('Party')).toEqual({
		problem: '"Party" is the name of 2 ticket-tag terms: use one of 33, 34',
	});
	expect(await found('')).toEqual({ problem: expect.stringContaining('not found') });
	expect(await found('a;b')).toEqual({ problem: expect.stringContaining('separate several with commas') });
	expect(await found('99')).toEqual({ asGiven: true });
	expect((await tags.list())?.map(({ id }) => id)).toEqual(['31', '32', '33', '34', '35', '36']);
	expect([tags.idOf('VIP'), tags.idOf(''), tags.idOf('Party')]).toEqual(['31', undefined, undefined]);
	expect([tags.ofSlug('34'), tags.ofSlug('uni--2')]).toEqual(['34', '33']);
	expect([tags.exported('vip'), tags.exported('uni--2')]).toEqual(['vip', '33']);
	expect(tags.hasHidden).toBe(true);
	expect([tags.mayShowAs('35', ''), tags.mayShowAs('33', 'uni--2'), tags.mayShowAs('31', '')]).toEqual([
		true,
		true,
		false,
	]);
	expect([tags.isListed, directories.terms('product').isListed]).toEqual([true, false]);
});

test('without a list, terms are sent as they are given', async () => {
	const { directories } = directoriesOf(() => failed('rest_no_route'));
	expect(await directories.terms('product').id('lamp')).toEqual({ asGiven: true });
	expect(await directories.terms('product').list()).toBeUndefined();
	expect(directories.terms('product').exported('lamp')).toBe('lamp');
});

test('names that objects show cost one request for all users, and one for each taxonomy with a value', async () => {
	const { directories, sent } = directoriesOf((_, { path }) =>
		ok(path.includes('/users?') ? [{ id: 7, username: 'jdoe' }] : [{ id: 31, slug: 'vip', name: 'VIP &amp; co' }]),
	);
	const fields = endpoints['ticket.update'].fields.filter(({ kind }) => ['user', 'term', 'terms'].includes(kind));
	const field = (name: string) => fields.find((each) => each.name === name) as (typeof fields)[number];
	const objects = [
		{ assignee: 7, author: 8, 'ticket-tag': [31], product: '' },
		{ assignee: 7, author: 0 },
	];
	await directories.learn(fields, objects);
	await directories.learn(fields, objects);
	expect(sent).toEqual([
		expect.stringContaining('include=8%2C7'),
		expect.stringContaining('/ticket-tag?'),
		expect.stringContaining('include=8'),
	]);
	expect(directories.nameOf(field('assignee'), 7)).toBe('jdoe');
	expect(directories.nameOf(field('author'), 8)).toBeUndefined();
	expect(directories.nameOf(field('ticket-tag'), 31)).toBe('VIP & co');
});

test('without a user list, names are asked for once', async () => {
	const { directories, sent } = directoriesOf(() => failed('rest_no_route'));
	const [assignee] = endpoints['ticket.update'].fields.filter(({ name }) => name === 'assignee');
	for (const id of [7, 8]) await directories.learn(assignee === undefined ? [] : [assignee], [{ assignee: id }]);
	expect(sent).toHaveLength(1);
});
