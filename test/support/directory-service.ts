/** A service with users, terms and tickets that finds its caller's own name only, as live services do. */

import { createWorkplace } from './only-writes.js';
import { json, type RecordedRequest, startRecorder } from './recorder.js';

export interface DirectoryOptions {
	users?: Record<string, number>;
	terms?: Record<string, readonly { id: number; slug: string; name: string }[]>;
	/** Whether lists are served at all. */
	lists?: boolean;
	/** What a request is answered with instead. */
	instead?(request: RecordedRequest): ReturnType<typeof json> | undefined;
}

export const VIP = { id: 31, slug: 'vip', name: 'VIP' };
export const SUPPORT = { id: 41, slug: '', name: '支持' };
export const DIGITS = { id: 42, slug: '2024', name: 'Year 2024' };

export async function startDirectoryService({
	users = { ada: 1, jdoe: 7, 'jose.kaya': 8, '12345': 9 },
	terms = { 'ticket-tag': [VIP], department: [SUPPORT, DIGITS], product: [] },
	lists = true,
	instead,
}: DirectoryOptions = {}) {
	const objects = new Map<string, Record<string, unknown>>();
	const gone = new Set<number>();
	const recorder = await startRecorder((request) => {
		const own = instead?.(request);
		if (own !== undefined) return own;
		const { pathname, searchParams: query } = new URL(request.url, 'http://service');
		const path = pathname.replace(/^.*\/v1/, '');
		const noRoute = json(404, { code: 'rest_no_route', message: 'No route was found.', data: { status: 404 } });
		if (path === '/users/username') {
			const { username } = JSON.parse(request.body) as { username: string };
			if (username === 'ada') return json(200, { id: users.ada });
			return json(400, { code: 'invalid_username_access', message: 'You may not ask for others.', data: null });
		}
		const shown = Object.entries(users)
			.filter(([, id]) => !gone.has(id))
			.map(([username, id]) => ({ id, username, email: `${username}@desk.example`, slug: username.replace('.', '-') }));
		if (path === '/users') {
			if (!lists) return noRoute;
			const search = query.get('search')?.toLowerCase() ?? '';
			const include = query.get('include')?.split(',');
			const found = shown.filter(({ id, email }) => email.includes(search) && (include?.includes(String(id)) ?? true));
			return json(200, found);
		}
		const [, kind = '', id = ''] = path.split('/');
		const taxonomy = terms[kind];
		if (taxonomy !== undefined && id === '')
			return lists ? json(200, taxonomy, { 'x-wp-total': String(taxonomy.length) }) : noRoute;
		if (request.method === 'DELETE') {
			if (!path.includes('/passwords/')) gone.add(Number(id));
			return json(200, { deleted: true, previous: { id: Number(id) } });
		}
		if (kind === 'users' && request.method === 'GET') {
			const user = shown.find((each) => String(each.id) === id);
			return user === undefined ? json(404, { code: 'rest_user_invalid_id', message: 'Invalid.' }) : json(200, user);
		}
		const object = objects.get(path) ?? {
			id: Number(id),
			slug: 'x',
			title: 'old',
			state: 'other',
			assignee: 0,
			department: '2024',
			'ticket-tag': [],
		};
		objects.set(path, object);
		if (request.method === 'POST') Object.assign(object, JSON.parse(request.body));
		return json(200, object);
	});
	const work = createWorkplace(recorder.env);
	return {
		...work,
		requests: recorder.requests,
		/** Bodies of writes to objects, by path. */
		written: (): [string, unknown][] =>
			recorder.requests
				.filter(({ method, url }) => method === 'POST' && !url.endsWith('/username'))
				.map(({ url, body }) => [url.replace(/^.*\/v1/, ''), JSON.parse(body)]),
		/** How many requests went to a path below the version. */
		count: (start: string): number =>
			recorder.requests.filter(({ url }) => url.replace(/^.*\/v1/, '').startsWith(start)).length,
	};
}
