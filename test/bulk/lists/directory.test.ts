/** Names of users, terms and passwords, looked up through a service that each test plays. */

import { describe, expect, test } from 'vitest';
import { neutralDialect } from '../../../src/api/dialect.js';
import { endpoints } from '../../../src/api/endpoints.js';
import type { Request } from '../../../src/api/request.js';
import { createDirectories } from '../../../src/bulk/lists/directory.js';
import type { Outcome } from '../../../src/http/outcome.js';

/** Lists say how many objects there are, as live services do. */
const ok = (body: unknown): Outcome => {
	const headers = Array.isArray(body) ? { 'x-wp-total': String(body.length) } : {};
	return { outcome: 'ok', status: 200, body, attempts: 1, ms: 1, headers };
};
const failed = (code: string, more: Partial<Outcome> = {}): Outcome => ({
	...{ outcome: 'failed', status: 400, code, attempts: 1, ms: 1 },
	...more,
});

type Account = Awaited<ReturnType<Parameters<typeof createDirectories>[0]['account']>>;

function directoriesOf(respond: (query: URLSearchParams, request: Request) => Outcome, account?: Account) {
	const sent: string[] = [];
	const told: string[] = [];
	const directories = createDirectories({
		dialect: neutralDialect,
		async send(request) {
			sent.push(request.path);
			return respond(new URL(request.path, 'http://service').searchParams, request);
		},
		account: async () => account,
		tell: (text) => told.push(text),
	});
	return { directories, sent, told };
}

const isLookup = ({ path }: Request): boolean => path.endsWith('/users/username');

test('a username that the service looks up costs a lookup and a read, however often it is asked for', async () => {
	const { directories, sent } = directoriesOf((_, request) =>
		isLookup(request) ? ok({ id: 7 }) : ok([{ id: 7, username: 'jdoe' }]),
	);
	const found = await Promise.all([1, 2, 3].map(() => directories.users.id('jdoe')));
	expect(found).toEqual([{ id: '7' }, { id: '7' }, { id: '7' }]);
	expect(sent).toHaveLength(2);
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

/** Lists users by `search` (in usernames, emails and names), `slug`, `include` and `page`. */
function listing(users: readonly Record<string, unknown>[]) {
	const wholly = { context: 'edit', orderby: 'id' };
	return (query: URLSearchParams, request: Request): Outcome => {
		if (isLookup(request)) return failed('invalid_username_access', { message: 'Not allowed.' });
		const [search, slugs, ids] = ['search', 'slug', 'include'].map((name) => query.get(name) ?? undefined);
		const found = users.filter((user) => {
			const text = [user.username, user.email, user.name, user.slug].join(' ').toLowerCase();
			const isFound = search === undefined || text.includes(search.toLowerCase());
			const isOf = slugs === undefined || slugs.split(',').includes(String(user.slug));
			return isFound && isOf && (ids === undefined || ids.split(',').includes(String(user.id)));
		});
		const from = (Number(query.get('page') ?? 1) - 1) * 100;
		expect(Object.fromEntries(query)).toMatchObject(ids === undefined ? wholly : {});
		return {
			...ok(found.slice(from, from + 100)),
			headers: { 'x-wp-total': String(found.length), 'x-wp-totalpages': String(Math.ceil(found.length / 100)) },
		};
	};
}

const people = [
	{ id: 1, username: 'ada', email: 'boss@desk.example', name: 'Ada' },
	{ id: 2, username: 'jdoe', email: 'Jane@desk.example', name: 'Jane Doe' },
	{ id: 3, username: 'sam', email: 'sam@desk.example', name: 'Sam' },
	{ id: 4, username: 'sam2', email: 'sam2@desk.example', name: 'Sam' },
	{ id: 5, username: 'jane doe', email: 'other@desk.example', name: 'Other' },
	{ id: 6, username: 'a.b@example.com', email: 'ab@desk.example', name: 'Anna' },
	{ id: 7, username: 'x', email: 'ada', name: 'jdoe' },
	{ id: 8, username: 'twin', email: 't@desk.example', name: 'Alone' },
];

describe('a user is found', () => {
	test.each<[string, string, object]>([
		['by username', 'JDoe', { id: '2' }],
		['by username before an email and a name', 'ada', { id: '1' }],
		['by username before a display name', 'Jane Doe', { id: '5' }],
		['by a username with @ that is no email', 'a.b@example.com', { id: '6' }],
		['by email', 'jane@desk.example', { id: '2' }],
		['by a display name that is the only one', 'alone', { id: '8' }],
		['not by one of two', 'Sam Two', { problem: expect.stringContaining('not found'), missing: true }],
		['by @ and the username', '@jdoe', { id: '2' }],
		[
			'not by @ and an email',
			'@jane@desk.example',
			{ problem: 'user "jane@desk.example" not found; did you mean "jdoe"?', missing: true },
		],
		[
			'not by @ and a display name',
			'@Alone',
			{ problem: expect.stringContaining('did you mean "twin"?'), missing: true },
		],
	])('%s', async (_, text, found) => {
		const { directories, told } = directoriesOf(listing(people));
		expect(await directories.users.id(text)).toEqual(found);
		expect(told).toEqual([]);
	});

	test('by a display name only if nobody shares it', async () => {
		const { directories } = directoriesOf(
			listing(people.filter(({ id }) => id !== 3).concat({ ...people[3], id: 9 } as never)),
		);
		expect(await directories.users.id('Sam')).toEqual({
			problem: '"Sam" is ambiguous (2 users); use the ID: 4 or 9',
		});
	});

	test('by username on a later page, and not by email or name if a page is missing', async () => {
		const many = Array.from({ length: 250 }, (_, at) => ({
			id: at + 10,
			username: `ann.${at}`,
			name: 'Ann',
			email: 'x',
		}));
		const respond = listing([...many, { id: 999, username: 'Ann.B', name: 'Ann B', email: 'ann@desk.example' }]);
		const whole = directoriesOf(respond);
		expect(await whole.directories.users.id('ann.b')).toEqual({ id: '999' });
		expect(await whole.directories.users.id('ann b')).toEqual({ id: '999' });
		const broken = directoriesOf((query, request) =>
			query.get('page') === '2' ? failed('rest_forbidden', { status: 403 }) : respond(query, request),
		);
		expect(await broken.directories.users.id('ann.5')).toEqual({ id: '15' });
		const problem = expect.stringContaining("the service's list of users is not complete");
		expect(await broken.directories.users.id('ann@desk.example')).toEqual({ problem });
	});
});

describe('an account that sees no usernames', () => {
	const hidden = [
		{ id: 1, username: 'agent1', slug: 'agent1', name: 'Me', email: 'me@desk.example' },
		{ id: 12, slug: 'agent7', name: 'Agent Seven' },
		{ id: 13, slug: 'jose-kaya', name: 'José' },
		{ id: 14, slug: 'a-bexample-com', name: 'Anna' },
		{ id: 15, slug: 'two-names', name: 'Two' },
		{ id: 16, slug: 'two-names-2', name: 'Names' },
	];

	test.each([
		['agent7', { id: '12' }, ['agent7 by slug: user 12 (your account may not see usernames)']],
		['@agent7', { id: '12' }, [expect.stringContaining('by slug')]],
		['jose.kaya', { id: '13' }, [expect.stringContaining('jose.kaya by slug: user 13')]],
		['a.b@example.com', { id: '14' }, [expect.stringContaining('by slug')]],
		['agent1', { id: '1' }, []],
		['two.names', { problem: '"two.names" is ambiguous (2 users); use the ID: 15 or 16' }, []],
		[
			'Agent Seven',
			{
				problem: `can't look up user "Agent Seven": your account may not see usernames, and no user that it can see has this slug; did you mean "agent7"?`,
			},
			[],
		],
		[
			'nobody',
			{
				problem: `can't look up user "nobody": your account may not see usernames, and no user that it can see has this slug; use the ID`,
			},
			[],
		],
	])('finds %s by slug, or says that it is a matter of rights', async (text, found, tells) => {
		const { directories, told } = directoriesOf(listing(hidden));
		expect(await directories.users.id(text)).toEqual(found);
		expect(told).toEqual(tells);
	});

	test('does not say that an ID which it does not see is missing', async () => {
		const { directories } = directoriesOf(listing(hidden));
		expect(await directories.users.missing(['12', '99'])).toBeUndefined();
	});
});

describe('many names', () => {
	const many = (count: number) =>
		Array.from({ length: count }, (_, at) => ({
			id: at + 1,
			username: `u${at}x`,
			name: `N${at}`,
			email: `u${at}@x.example`,
		}));
	const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `u${at}x`);

	test.each([
		[143, 143, 1 + 5 + 2],
		// Twelve more are looked up until the list costs less.
		[143, 1200, 1 + 12 + 1 + 12],
		[6, 5000, 1 + 6 + 1],
	])('%i of %i users cost about a request for a hundred users', async (asked, users, most) => {
		const { directories, sent } = directoriesOf(listing(many(users)));
		for (const [at, name] of names(asked).entries())
			expect(await directories.users.id(name)).toEqual({ id: `${at + 1}` });
		expect(sent.length).toBeLessThanOrEqual(most);
		expect(directories.memory.records).toHaveLength(asked);
	});

	test('are looked up one by one where nobody is listed', async () => {
		const { directories, sent } = directoriesOf((_, request) =>
			isLookup(request) ? ok({ id: 7 }) : failed('rest_no_route', { status: 404 }),
		);
		for (const name of names(8)) expect(await directories.users.id(name)).toEqual({ id: '7' });
		expect(sent.filter((path) => path.endsWith('/username'))).toHaveLength(8);
	});

	test('without usernames are told by slug a few times', async () => {
		const respond = listing(many(20).map(({ id, username }) => ({ id, slug: username })));
		const { directories, told } = directoriesOf(respond);
		for (const name of names(20)) expect(await directories.users.id(name)).toMatchObject({ id: expect.any(String) });
		expect([told.length, told.at(-1)]).toEqual([6, 'more users by slug']);
	});
});

test('without a user list, the message says why a name was not found', async () => {
	const withCode = directoriesOf((_, request) =>
		failed(isLookup(request) ? 'invalid_username' : 'rest_no_route', { refused: true }),
	);
	expect(await withCode.directories.users.id('jdoe')).toEqual({
		problem: 'user "jdoe" not found: invalid_username',
		missing: true,
	});
	for (const more of [{ forbidden: true }, { signedOut: true }, { notServed: true }]) {
		const without = directoriesOf((_, request) =>
			isLookup(request) ? failed('rest_no', { refused: true, ...more }) : failed('rest_forbidden', { status: 403 }),
		);
		expect(await without.directories.users.id('jdoe')).toEqual({
			problem: 'couldn\'t look up user "jdoe": rest_no; use the ID',
		});
	}
	const silent = directoriesOf((_, request) =>
		isLookup(request) ? ok({ exists: 1 }) : failed('rest_no_route', { status: 404 }),
	);
	expect(await silent.directories.users.id('jdoe')).toEqual({
		problem: 'couldn\'t look up user "jdoe": the response shows no ID; use the ID',
	});
	const refusing = directoriesOf((_, request) =>
		failed(isLookup(request) ? 'invalid_username_access' : 'rest_no_route'),
	);
	expect(await refusing.directories.users.id('jdoe')).toEqual({
		problem: `can't look up user "jdoe": your account may only look up itself, and can't list users; use the ID`,
	});
});

test('only the first unknown names cost a search for suggestions', async () => {
	const { directories, sent } = directoriesOf((_, request) =>
		isLookup(request) ? failed('invalid_username_access') : ok([]),
	);
	for (let at = 0; at < 8; at++) await directories.users.id(`nobody${at}`);
	expect(sent.filter((path) => path.includes('search=no&') || path.endsWith('search=no'))).toHaveLength(5);
	// Where nobody is shown at all, nobody is known to be missing.
	expect(await directories.users.id('nobody0')).toEqual({
		problem: 'user "nobody0" not found; list users: supportctl user list',
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

test.each([
	['at its start', 1],
	['behind its first page', 2],
])('a user whose lookup was refused is not missing if the list of users breaks off %s', async (_, last) => {
	const hundred = Array.from({ length: 100 }, (_, at) => ({ id: at + 1, username: `u${at + 1}` }));
	const { directories } = directoriesOf((query, request) => {
		if (isLookup(request)) return failed('invalid_username', { refused: true, message: 'No such user.' });
		if (Number(query.get('page') ?? 1) < last) return { ...ok(hundred), headers: { 'x-wp-total': '150' } };
		return { outcome: 'unknown', retry: 'lost', code: 'http_502', attempts: 5, ms: 1 };
	});
	await expect(directories.users.id('jdoe')).rejects.toThrow(
		'could not look up user "jdoe": http_502; nothing was sent',
	);
});

test('users that a service does not have are named, and none are asked for without IDs', async () => {
	const { directories, sent } = directoriesOf(() => ok([{ id: 3, username: 'ada' }]));
	expect(await directories.users.missing([])).toEqual({ gone: [], unseen: [] });
	expect(sent).toEqual([]);
	expect(await directories.users.missing(['3', '999'])).toEqual({ gone: ['999'], unseen: [] });
	expect(directories.users.name('3')).toBe('ada');
	const unlisted = directoriesOf(() => failed('rest_no_route', { status: 404 }));
	expect(await unlisted.directories.users.missing(['3'])).toBeUndefined();
});

describe('a lookup is confirmed by the account behind its ID', () => {
	const bob = (list: Outcome, single: Outcome) =>
		directoriesOf((_, request) => {
			if (isLookup(request)) return ok({ id: 3 });
			return request.path.includes('/users/3') ? single : list;
		}).directories.users.id('bob');
	const noRoute = failed('rest_no_route', { status: 404 });
	const missing = ok([]);
	const alice = { id: 3, username: 'alice' };

	test.each<[string, Outcome, Outcome, object]>([
		['the list shows the name', ok([{ id: 3, username: 'Bob' }]), noRoute, { id: '3' }],
		['no reads are served', noRoute, noRoute, { id: '3' }],
		['the account shows the name', missing, ok({ id: 3, username: 'bob' }), { id: '3' }],
		['only its slug is shown', ok([{ id: 3, slug: 'bob' }]), ok({ id: 3, slug: 'bob' }), { id: '3' }],
	])('and counts: %s', async (_, list, single, found) => {
		expect(await bob(list, single)).toEqual(found);
	});

	test.each<[string, Outcome, Outcome, string]>([
		['the list shows another name', ok([alice]), noRoute, 'who is "alice"'],
		['the list leaves it out', missing, ok(alice), 'who is "alice"'],
		['the list ignores include', ok([{ id: 1, username: 'bob' }]), ok(alice), 'who is "alice"'],
		['the list shows no usernames', ok([{ id: 3 }]), ok(alice), 'who is "alice"'],
		['only single reads are served', noRoute, ok(alice), 'who is "alice"'],
		[
			'nothing shows it',
			missing,
			failed('rest_forbidden', { status: 403, message: 'No.' }),
			"doesn't show that account: No",
		],
		['another slug is shown', ok([{ id: 3, slug: 'alice' }]), ok({ id: 3, slug: 'alice' }), "can't be confirmed"],
	])('and does not count: %s', async (_, list, single, problem) => {
		expect(await bob(list, single)).toEqual({ problem: expect.stringContaining(problem) });
	});
});

describe('a taxonomy is known if its list is whole', () => {
	const page = (from: number, count: number, total?: number): Outcome => ({
		...ok(Array.from({ length: count }, (_, at) => ({ id: from + at, slug: `s${from + at}`, name: 'VIP' }))),
		headers: total === undefined ? {} : { 'x-wp-total': String(total) },
	});
	const billion: Outcome = { ...page(1, 100), headers: { 'x-wp-totalpages': '1000000000' } };
	const listed = async (...pages: Outcome[]) => {
		const { directories } = directoriesOf(
			(query) => pages[Number(query.get('page')) - 1] ?? failed('rest_post_invalid_page_number'),
		);
		return (await directories.terms('product').list())?.length;
	};

	test('by its total, by a page past the end, or by a shorter last page', async () => {
		expect(await listed(page(1, 3, 3))).toBe(3);
		expect(await listed(page(1, 50, 80), page(51, 30, 80))).toBe(80);
		expect(await listed(page(1, 50), page(51, 50))).toBe(100);
		expect(await listed(page(1, 100), page(101, 20))).toBe(120);
		expect(await listed(page(1, 0))).toBe(0);
		expect(await listed(failed('rest_no_route', { status: 404 }))).toBeUndefined();
	});

	test.each<[string, Outcome[]]>([
		['a page is refused', [page(1, 100, 150), failed('rest_forbidden', { status: 403 })]],
		['a page is odd', [page(1, 100, 150), failed('html_response', { status: 200 })]],
		['a page is repeated', [page(1, 50), page(1, 50)]],
		['a page is repeated, of a billion', [billion, billion]],
		['fewer come than the total says', [page(1, 3, 80), page(1, 0, 80)]],
		['the first one is odd', [ok({})]],
		['the first one is refused', [failed('rest_forbidden', { status: 403 })]],
	])('and an error otherwise: %s', async (_, pages) => {
		await expect(listed(...pages)).rejects.toThrow(/could not list the product terms/);
	});
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
		problem: '"Party" is ambiguous (2 ticket-tag terms); use the ID: 33 or 34',
	});
	expect(await found('')).toEqual({ problem: expect.stringContaining('not found'), missing: true });
	expect(await found('a;b')).toMatchObject({ problem: expect.stringContaining('separate several with commas') });
	expect([await found('99'), await found('id:99'), await found('#31')]).toEqual([
		{ asGiven: true },
		{ id: '99' },
		{ id: '31' },
	]);
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

test.each<[string, unknown, string | undefined, unknown]>([
	['one', [{ id: 41 }], undefined, { is: 'shown', value: '41' }],
	['none, where the whole list has none', [], undefined, { is: 'shown', value: '' }],
	['not known, where the list lacks what it counts', [], '1', { is: 'unknown', why: { code: 'incomplete_list' } }],
	['not known, where the list has several', [{ id: 41 }, { id: 42 }], undefined, { is: 'unknown' }],
	['not known, where there is no list', { id: 41 }, undefined, { is: 'unknown' }],
])('the term of an object is %s', async (_name, body, total, expected) => {
	const { directories } = directoriesOf(() => {
		const outcome = ok(body);
		return total === undefined ? outcome : { ...outcome, headers: { 'x-wp-total': total } };
	});
	expect(await directories.terms('department').ofObject('14')).toMatchObject(expected as object);
});

test('a number is the ID of a term, the only name like it, or refused as both', async () => {
	const { directories } = directoriesOf(() =>
		ok([
			{ id: 5, slug: '5', name: '5' },
			{ id: 6, slug: '9', name: '7' },
			{ id: 7, slug: '007', name: 'Seven' },
			{ id: 8, slug: 'a', name: '1999' },
			{ id: 9, slug: '1999', name: 'b' },
		]),
	);
	const found = async (text: string) => await directories.terms('product').id(text);
	expect([await found('5'), await found('@5'), await found('id:7'), await found('@7')]).toEqual([
		{ id: '5' },
		{ id: '5' },
		{ id: '7' },
		{ id: '6' },
	]);
	expect(await found('7')).toEqual({
		problem:
			'7 is the ID of one of the product terms ("Seven") and the name of another (ID 6): write id:7 for the first, @7 for the other',
	});
	const several = { problem: '"1999" is ambiguous (2 product terms); use the ID: 8 or 9' };
	expect([await found('1999'), await found('@1999')]).toEqual([several, several]);
	expect(await found('@12')).toEqual({
		problem: expect.stringContaining('"@12" not found'),
		missing: true,
	});
	// What an export writes leads back to the same term.
	const exported = ['5', '9', '007', 'a', '1999'].map((slug) => directories.terms('product').exported(slug));
	expect(exported).toEqual(['5', '6', 'id:7', 'a', '9']);
	expect(await found('id:0')).toEqual({ problem: expect.stringContaining('invalid ID "0"') });
});

test('a number is an ID where the list of terms can not be read, which is told, and a name is refused', async () => {
	const { directories, told } = directoriesOf(() => failed('rest_forbidden', { status: 403 }));
	for (const text of ['7', '8']) expect(await directories.terms('product').id(text)).toEqual({ asGiven: true });
	expect(told).toEqual(['could not list the product terms, so numbers were read as IDs, not as names']);
	await expect(directories.terms('product').id('vip')).rejects.toThrow('could not list the product terms');
});

test('without a list, terms are sent as they are given', async () => {
	const { directories } = directoriesOf(() => failed('rest_no_route', { status: 404 }));
	expect(await directories.terms('product').id('lamp')).toEqual({ asGiven: true });
	expect(await directories.terms('product').id('@12')).toEqual({
		problem: `"@12": this service doesn't list its product terms; use the ID`,
	});
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
	expect(sent).toEqual([expect.stringContaining('include=8%2C7'), expect.stringContaining('/ticket-tag?')]);
	expect(directories.nameOf(field('assignee'), 7)).toBe('jdoe');
	expect(directories.nameOf(field('author'), 8)).toBeUndefined();
	expect(directories.nameOf(field('ticket-tag'), 31)).toBe('VIP & co');
});

test('without a user list, names are asked for once', async () => {
	const { directories, sent } = directoriesOf(() => failed('rest_no_route', { status: 404 }));
	const [assignee] = endpoints['ticket.update'].fields.filter(({ name }) => name === 'assignee');
	for (const id of [7, 8]) await directories.learn(assignee === undefined ? [] : [assignee], [{ assignee: id }]);
	expect(sent).toHaveLength(1);
});

/** As a gateway makes them. */
const bare: Outcome = { ...ok([]), headers: {} };

describe('an empty list without a count', () => {
	const answered = (...lists: Outcome[]) => directoriesOf(() => lists.shift() ?? bare);

	test('is asked for once more before a name is not found', async () => {
		const { directories, sent } = answered(bare, ok([{ id: 41, slug: 'a', name: 'A' }]));
		expect(await directories.terms('department').id('A')).toEqual({ id: '41' });
		expect(sent).toHaveLength(2);
	});

	test('says that there is none if it comes twice', async () => {
		const { directories, sent } = answered();
		expect(await directories.terms('department').id('A')).toMatchObject({ missing: true });
		expect(sent).toHaveLength(2);
	});

	test('does not say that a ticket which shows no slug has no term', async () => {
		const [bareList, countedList] = [answered(), directoriesOf(() => ok([]))];
		for (const { directories } of [bareList, countedList]) await directories.terms('department').list();
		expect(bareList.directories.terms('department').hasHidden).toBe(true);
		expect(countedList.directories.terms('department').hasHidden).toBe(false);
	});
});

test.each<[string, Outcome, gone: string[], unseen: string[]]>([
	['says that it does not exist', failed('rest_user_invalid_id', { status: 404, gone: 'missing' }), ['999'], []],
	['shows it', ok({ id: 999, username: 'theo' }), [], []],
	['shows a page', failed('not_json', { status: 200 }), [], ['999']],
	['may not be made', failed('rest_forbidden', { status: 403 }), [], ['999']],
])(
	'whom a list without a count leaves out is gone only if the read of the user %s',
	async (_, single, gone, unseen) => {
		const { directories } = directoriesOf((query) =>
			query.has('include') ? { ...ok([{ id: 3, username: 'ada' }]), headers: {} } : single,
		);
		expect(await directories.users.missing(['3', '999'])).toEqual({ gone, unseen });
	},
);

describe('of a service that counts, an empty list without a count', () => {
	const ben = [{ id: 2, username: 'ben' }];

	test('of a search does not hide a user whom the list of all shows', async () => {
		const { directories } = directoriesOf((query, request) =>
			query.has('search') ? bare : listing(ben)(query, request),
		);
		expect(await directories.users.id('ben')).toEqual({ id: '2' });
	});

	test('does not say that there is no such user', async () => {
		const users = [...ben, { id: 3, username: 'cleo' }, { id: 4, username: 'benny' }];
		const { directories } = directoriesOf((query, request) =>
			query.get('search') === 'cleo' ? bare : listing(users)(query, request),
		);
		expect(await directories.users.id('ben')).toEqual({ id: '2' });
		const found = await directories.users.id('cleo');
		expect(found).toEqual({ problem: expect.stringContaining("the service's list of users is not complete") });
	});

	test('does not say that an object has no term', async () => {
		const { directories } = directoriesOf((query) =>
			query.has('post') ? bare : ok([{ id: 41, slug: '', name: 'A' }]),
		);
		await directories.terms('department').id('A');
		expect(await directories.terms('department').ofObject('14')).toMatchObject({ is: 'unknown' });
	});
});

describe('the term of an object that shows no readable slug is asked for', () => {
	const asked = async (outcome: Outcome) => {
		const { directories, sent } = directoriesOf(() => outcome);
		const known = await directories.terms('product').ofObject('14');
		expect(sent).toEqual([expect.stringMatching(/\/product\?.*post=14/)]);
		return known;
	};

	test('by ?post=: one, or none', async () => {
		expect(await asked(ok([{ id: 33, slug: '' }]))).toEqual({ is: 'shown', value: '33' });
		expect(await asked(ok([]))).toEqual({ is: 'shown', value: '' });
	});

	test.each<[string, Outcome]>([
		['ignores the parameter', ok([{ id: 33 }, { id: 34 }])],
		['shows no ID', ok([{ slug: 'vip' }])],
		['shows no list', ok({})],
		['refuses', failed('rest_forbidden', { status: 403 })],
	])('and is not known where the service %s', async (_, outcome) => {
		expect(await asked(outcome)).toMatchObject({ is: 'unknown' });
	});
});
