/**
 * Each place that takes a user or a term × each way to write one: the service gets the same ID. The places come from the
 * tables of endpoints, fields and filters; a new spelling is one row.
 */

import { describe, expect, test } from 'vitest';
import { type Endpoint, endpointList } from '../../src/api/endpoints.js';
import { flagName, taxonomies } from '../../src/api/fields.js';
import { kinds } from '../../src/api/kinds.js';
import { reads } from '../../src/api/reads.js';
import { type Desk, startDesk } from '../support/desk.js';
import { pathOf } from '../support/objects.js';
import { done, json, type RecordedRequest, type Responder } from '../support/recorder.js';

type Named = 'users' | 'terms';

const me = { id: 1, username: 'ada', name: 'Ada Byron', email: 'ada@desk.example' };
const user = { id: 7, username: 'jose.kaya', name: 'José Kaya', email: 'jk@desk.example' };
const receiver = { id: 3, username: 'sofia', name: 'Sofia', email: 'sofia@desk.example' };
const term = { id: 31, slug: 'vip', name: 'Very Important' };
const others = {
	users: { ...user, id: 8, username: '2024', name: 'K', email: 'k@desk.example' },
	terms: { ...term, id: 32, slug: 'x', name: 'X' },
};

/** What each spelling means. */
const spellings: Readonly<Record<Named, Readonly<Record<string, { text: string; id: number }>>>> = {
	users: {
		'an ID': { text: '7', id: user.id },
		'#ID': { text: '#7', id: user.id },
		'id:ID': { text: 'id:7', id: user.id },
		'a username': { text: user.username, id: user.id },
		'@ and a username': { text: `@${user.username}`, id: user.id },
		'@ and a username of digits': { text: '@2024', id: others.users.id },
		'an email': { text: user.email, id: user.id },
		'a display name': { text: user.name, id: user.id },
		'@me': { text: '@me', id: me.id },
	},
	terms: {
		'an ID': { text: '31', id: term.id },
		'#ID': { text: '#31', id: term.id },
		'id:ID': { text: 'id:31', id: term.id },
		'a slug': { text: term.slug, id: term.id },
		'a name': { text: term.name, id: term.id },
		'@ and a name': { text: `@${term.name}`, id: term.id },
	},
};

interface Place {
	readonly where: string;
	readonly takes: Named;
	readonly words: readonly string[];
	/** In place of what is spelled in `words`: a file that has it. */
	readonly column?: readonly [header: string, cells: string];
	/** Whether a request of the command says the ID. */
	says(request: RecordedRequest, id: number): boolean;
	/** A field of ticket 14 that has to hold it. */
	readonly holds?: string;
	/** Nobody deletes the own account. */
	readonly isNotMe?: boolean;
}

const NAME = '<name>';
const OTHER_IDS: Readonly<Record<string, string>> = { id: '14', ticket_id: '14', user_id: '3', slug: 'abc' };

const isWrite = ({ method }: RecordedRequest): boolean => method !== 'GET';
const queryOf = ({ url }: RecordedRequest): URLSearchParams => new URLSearchParams(url.split('?')[1]);
const bodyOf = ({ body }: RecordedRequest) => (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>;

/** What a command needs besides its arguments. */
function flagsOf({ updates, fields, query, deletes }: Endpoint): string[] {
	const field = fields.find(({ kind }) => kinds[kind].names === undefined && kinds[kind].isText);
	const receiver = query.some(({ name }) => name === 'reassign') ? ['--reassign', '3'] : [];
	return [
		...(updates && field !== undefined ? [`--${flagName(field.name)}`, 'new'] : []),
		...receiver,
		...(deletes ? ['--yes'] : []),
	];
}

const commandOf = ({ name }: Pick<Endpoint, 'name'>): string[] => name.split('.');
const takesRows = ({ updates, deletes }: Endpoint): boolean => updates || deletes;

/** The path that the endpoint has with an ID in the place of a parameter. */
const pathWith = ({ path }: Endpoint, parameter: string, id: number): RegExp =>
	new RegExp(`^${path.replace(`<${parameter}>`, `${id}`).replace(/<\w+>/g, '[^/]+')}$`);

const readEndpoints = Object.values(reads).flatMap((read) => ('get' in read ? [read.list, read.get] : [read.list]));

const isNamed = (names: string | undefined): names is Named => names === 'users' || names === 'terms';

const argumentPlaces: Place[] = [...endpointList, ...readEndpoints].flatMap((endpoint) =>
	endpoint.parameters.flatMap(({ name, names, choices = [] }): Place[] => {
		if (!isNamed(names)) return [];
		const cellOf = (each: string): string =>
			each === name ? NAME : (OTHER_IDS[each] ?? choices[0] ?? 'ticket_priority');
		const says: Place['says'] = (request, id) =>
			(isWrite(request) || !takesRows(endpoint)) && pathWith(endpoint, name, id).test(pathOf(request));
		const ids = endpoint.parameters.map((each) => cellOf(each.name));
		const words = [...commandOf(endpoint), ...flagsOf(endpoint)];
		const argument: Place = {
			where: `an argument of ${endpoint.name}`,
			takes: names,
			words: [...commandOf(endpoint), ...ids, ...flagsOf(endpoint)],
			says,
			isNotMe: endpoint.name === 'user.delete',
		};
		if (!takesRows(endpoint)) return [argument];
		const header = endpoint.parameters.map((each) => each.name).join(',');
		return [argument, { ...argument, where: `a cell of ${endpoint.name}`, words, column: [header, ids.join(',')] }];
	}),
);

const receiverPlaces: Place[] = endpointList
	.filter(({ query }) => query.some(({ name }) => name === 'reassign'))
	.flatMap((endpoint): Place[] => {
		const words = [...commandOf(endpoint), '--yes'];
		const says: Place['says'] = (request, id) => queryOf(request).get('reassign') === `${id}`;
		return [
			{ where: `--reassign of ${endpoint.name}`, takes: 'users', words: [...words, '14', '--reassign', NAME], says },
			{ where: `a receiver of ${endpoint.name}`, takes: 'users', words, column: ['id,reassign', `14,${NAME}`], says },
		];
	});

const fieldPlaces: Place[] = endpointList.filter(takesRows).flatMap((endpoint) =>
	endpoint.fields.flatMap(({ name, kind }): Place[] => {
		const { names, many } = kinds[kind];
		if (names === undefined || !endpoint.updates) return [];
		const ids = endpoint.parameters.map((each) => OTHER_IDS[each.name] ?? each.choices?.[0] ?? '');
		const header = endpoint.parameters.map((each) => each.name).join(',');
		const base = [...commandOf(endpoint), ...ids];
		const takes = names.of;
		const says: Place['says'] = (request, id) => isWrite(request) && String(bodyOf(request)[name]) === `${id}`;
		const flag = flagName(name);
		const places: Place[] = [
			{ where: `--${flag} of ${endpoint.name}`, takes, words: [...base, `--${flag}`, NAME], says },
			{
				where: `${name} in a cell of ${endpoint.name}`,
				takes,
				words: commandOf(endpoint),
				column: [`${header},${name}`, `${ids},${NAME}`],
				says,
			},
		];
		if (many === 'items') {
			places.push({ where: `--add-${flag} of ${endpoint.name}`, takes, words: [...base, `--add-${flag}`, NAME], says });
			const removes: Place['says'] = (request) => isWrite(request) && String(bodyOf(request)[name]) === '';
			places.push({
				where: `--remove-${flag} of ${endpoint.name}`,
				takes,
				words: [...base, `--remove-${flag}`, NAME],
				says: removes,
				holds: name,
			});
		}
		if (endpoint.name === 'ticket.update') {
			const words = ['ticket', 'update', '14', '--title', 'new', '--if', `${name}=${NAME}`];
			places.push({ where: `--if ${name} of ${endpoint.name}`, takes, words, says: isWrite, holds: name });
		}
		return places;
	}),
);

const filterPlaces: Place[] = Object.values(reads).flatMap(({ list, filters, owners }) =>
	filters.flatMap(({ parameter, kind, asks = parameter }): Place[] => {
		if (kind !== 'user' && kind !== 'term') return [];
		const ids = (owners as readonly string[]).map((each) => OTHER_IDS[each] ?? 'ticket_priority');
		const words = [...commandOf(list), ...ids, `--${flagName(parameter)}`, NAME];
		const says: Place['says'] = (request, id) => queryOf(request).get(asks) === `${id}`;
		return [
			{ where: `--${flagName(parameter)} of ${list.name}`, takes: kind === 'user' ? 'users' : 'terms', words, says },
		];
	}),
);

const places = [...argumentPlaces, ...receiverPlaces, ...fieldPlaces, ...filterPlaces];

/** Lists of everything, look-ups of the own name only, as live services have them. */
async function startService() {
	const list = (found: readonly object[]): Responder =>
		json(200, found, { 'x-wp-total': `${found.length}`, 'x-wp-totalpages': '1' });
	const people = [me, user, others.users, receiver];
	const toWrites: Responder = (request) => {
		if (pathOf(request) !== '/users/username') return done();
		if (bodyOf(request).username === me.username) return json(200, { id: me.id });
		return json(400, { code: 'invalid_username_access', message: 'You may not ask for others.', data: null });
	};
	return await startDesk(toWrites, (request) => {
		const path = pathOf(request);
		const query = queryOf(request);
		const [, noun = '', id = ''] = path.split('/');
		if (noun === 'users' && id === '') {
			const search = query.get('search')?.toLowerCase() ?? '';
			const include = query.get('include')?.split(',');
			return list(
				people.filter(
					(each) => JSON.stringify(each).toLowerCase().includes(search) && include?.includes(`${each.id}`) !== false,
				),
			);
		}
		const person = people.find((each) => `${each.id}` === id || (id === 'me' && each === me));
		if (noun === 'users' && path.split('/').length === 3 && person !== undefined) return json(200, person);
		const isTaxonomy = (taxonomies as readonly string[]).includes(noun);
		if (isTaxonomy && id === '') return list([term, others.terms]);
		if (path.endsWith('/passwords')) return list([{ slug: OTHER_IDS.slug, name: 'Laptop' }]);
		const isList = !/\/\d+$/.test(path) && query.get('include') === null;
		return isList ? list([]) : undefined;
	});
}

async function hold({ baseUrl }: Desk, values: object): Promise<void> {
	await fetch(`${baseUrl}/support-api/v1/tickets/14`, { method: 'POST', body: JSON.stringify(values) });
}

describe.each(places)('$where', ({ takes, words, column, says, holds, isNotMe }) => {
	const own = Object.entries(spellings[takes]).filter(([, { id }]) => !(isNotMe && id === me.id));
	test.each(own)('takes %s', async (_spelling, { text, id }) => {
		const { recorder, work } = await startService();
		const isList = holds === 'ticket-tag';
		if (holds !== undefined) await hold(recorder, { [holds]: isList ? [id] : id });
		else await hold(recorder, { product: '', department: '', ticket_priority: '', ticket_channel: '' });
		const filled = words.map((word) => word.replace(NAME, () => text));
		if (column !== undefined) {
			const [header, cells] = column;
			work.write('rows.csv', `${header}\n${cells.replace(NAME, () => text)}\n`);
			filled.push('--input', 'rows.csv');
		}
		recorder.requests.length = 0;
		const { exitCode, stderr } = await work.run(filled);
		const seen = recorder.requests.map(({ method, url, body }) => `${method} ${url} ${body}`);
		const facts = [filled.join(' '), `exit code ${exitCode}`, stderr, ...seen].join('\n');
		expect(
			recorder.requests.some((request) => says(request, id)),
			facts,
		).toBe(true);
	});
});
