/** A desk with users and terms that finds its caller's own name only, as live services do. */

import { startDesk } from './desk.js';
import { pathOf, type Shown, shownTo } from './objects.js';
import { done, json, type RecordedRequest, type Responder } from './recorder.js';

export interface DirectoryOptions {
	users?: Record<string, number>;
	terms?: Record<string, readonly { id: number; slug: string; name: string }[]>;
	/** Whether lists are served at all. */
	lists?: boolean;
	/** What a request is answered with instead. */
	instead?(request: RecordedRequest): Responder | undefined;
}

/** What every ticket has until it is written. */
const OLD = { id: 90, slug: 'old', name: 'Old' };
export const VIP = { id: 31, slug: 'vip', name: 'VIP' };
export const SUPPORT = { id: 41, slug: '', name: '支持' };
export const DIGITS = { id: 42, slug: '2024', name: 'Year 2024' };

export async function startDirectoryService({
	users = { ada: 1, jdoe: 7, 'jose.kaya': 8, '12345': 9 },
	terms = { 'ticket-tag': [VIP], department: [SUPPORT, DIGITS], product: [] },
	lists = true,
	instead,
}: DirectoryOptions = {}) {
	const accounts = new Map(
		Object.entries(users).map(([username, id]) => [
			`/users/${id}`,
			{ username, email: `${username}@desk.example`, slug: username.replace('.', '-') },
		]),
	);
	const noRoute = json(404, { code: 'rest_no_route', message: 'No route was found.', data: { status: 404 } });
	const noUser = json(404, { code: 'rest_user_invalid_id', message: 'Invalid.', data: { status: 404 } });

	/** A user whose name is fixed, whoever a lookup says it is. */
	function user(path: string): Shown[] {
		const stored = desk.object(path);
		const account = accounts.get(path);
		if (stored === undefined || account === undefined) return [];
		return [shownTo({ ...stored, ...account }, Number(path.slice('/users/'.length)))];
	}

	function list(path: string, query: URLSearchParams): Responder | undefined {
		if (path === '/users') {
			const search = query.get('search')?.toLowerCase() ?? '';
			const include = query.get('include')?.split(',');
			const found = [...accounts.keys()]
				.flatMap(user)
				.filter(({ id, email }) => String(email).includes(search) && (include?.includes(String(id)) ?? true));
			return json(200, found);
		}
		const taxonomy = path.slice(1);
		if (terms[taxonomy] === undefined) return undefined;
		const all = [OLD, ...terms[taxonomy]];
		const post = query.get('post');
		const held = desk.object(`/tickets/${post}`)?.[taxonomy];
		const found = post === null ? all : all.filter(({ id, slug }) => held === String(id) || held === slug);
		return json(200, found, { 'x-wp-total': String(found.length) });
	}

	function read(request: RecordedRequest): Responder | undefined {
		const own = instead?.(request);
		if (own !== undefined) return own;
		const path = pathOf(request);
		if (/^\/users\/\d+$/.test(path)) {
			const [found] = user(path);
			return found === undefined ? noUser : json(200, found);
		}
		const found = list(path, new URL(request.url, 'http://service').searchParams);
		return found !== undefined && !lists ? noRoute : found;
	}

	const finish = done();
	function write(request: RecordedRequest): Responder {
		const own = instead?.(request);
		if (own !== undefined) return own;
		const path = pathOf(request);
		const sent = request.method === 'POST' ? (JSON.parse(request.body) as Shown) : {};
		if (path === '/users/username') {
			if (sent.username === 'ada') return json(200, { id: users.ada });
			return json(400, { code: 'invalid_username_access', message: 'You may not ask for others.', data: null });
		}
		const id = Number(/\/(\d+)$/.exec(path)?.[1]);
		return request.method === 'POST' && !Number.isNaN(id)
			? json(200, shownTo({ ...desk.object(path), ...sent }, id))
			: finish;
	}

	const { recorder: desk, work } = await startDesk(write, read);
	return {
		...work,
		requests: desk.requests,
		/** Bodies of writes to objects, by path. */
		written: (): [string, unknown][] =>
			desk.writes
				.filter(({ method, url }) => method === 'POST' && !url.endsWith('/username'))
				.map((request) => [pathOf(request), JSON.parse(request.body)]),
		/** How many requests went to a path below the version. */
		count: (start: string): number =>
			desk.requests.filter(({ url }) => url.replace(/^.*\/v1/, '').startsWith(start)).length,
	};
}
