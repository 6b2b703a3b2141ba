/** A desk as live services are, which keeps every state that its objects ever had, and says of each request what goes wrong. */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pathOf, type Shown, shownTo, startOf } from '../../support/objects.js';
import { httpResponse } from '../../support/raw-server.js';
import { json, type RecordedRequest, type Recorder, startRecorder, text } from '../../support/recorder.js';

/** What an object held, from one write to the next. */
export interface State {
	readonly path: string;
	/** Undefined where it is gone. Terms are IDs. */
	readonly held: Shown | undefined;
	/** The run's ID; `start`, or `others` for an edit that no run made. */
	readonly by: string;
	/** What the write asked for. */
	readonly sent: Shown;
	/** The service failed after it had saved some fields. */
	readonly isPart?: boolean;
	/** How many requests had come. */
	readonly at: number;
}

export type Kind = 'write' | 'read' | 'list' | 'lookup';

/** @param tries how often the same was asked for before */
export type Weather = (kind: Kind, request: RecordedRequest, tries: number) => string | undefined;

export interface ModelDesk extends Recorder {
	/** In the order of time; the first ones are those that each object starts with. */
	readonly states: readonly State[];
	readonly log: string[];
	weather: Weather;
	/** Objects on a page. */
	most: number;
	/** Whether lists say how many objects there are. */
	counts: boolean;
	/** Called before a request is looked at. @param path of its object */
	onRequest: ((path: string) => void) | undefined;
	/** What reaches the desk from now on gets no response. */
	isSilent: boolean;
	/** Somebody else's edit. */
	edit(path: string, fields: Shown): void;
	held(path: string, at?: number): Shown | undefined;
	/** Resolves once no request can be under way. */
	quiet(): Promise<void>;
}

export const USERS: Readonly<Record<string, number>> = { ada: 1, ben: 2, 'jose.kaya': 3, '77': 4 };

/** One has the ID of another as its slug, one no slug that is shown, and two have one name. */
const TERMS: Readonly<Record<string, Readonly<Record<number, Shown>>>> = {
	'ticket-tag': {
		30: { slug: 'spam', name: 'Twin' },
		31: { slug: 'vip', name: 'VIP' },
		32: { slug: 'bug', name: 'Bug' },
		33: { slug: '31', name: 'Late' },
		34: { slug: 'spam-2', name: 'Twin' },
	},
	product: { 126: { slug: 'basic', name: 'Basic' }, 170: { slug: '126', name: 'Pro' } },
	department: { 41: { slug: '', name: '支持' }, 42: { slug: 'sales', name: 'Sales' } },
	ticket_priority: {
		51: { slug: 'low', name: 'Low', color: '#00ff00' },
		52: { slug: 'high', name: 'High', color: '#ff0000' },
	},
};

/** Of a ticket, one each. */
const SINGLE = ['product', 'department', 'ticket_priority'];

/** Saved before the service looks at terms and agents. */
const SAVED_FIRST = new Set(['title', 'content', 'status', 'ticket-tag', 'severity', 'note', 'first_name', 'alt_text']);

/** Kept as a number, also where the service got digits. */
const PERSON = new Set(['assignee', 'author']);

const LISTED = new Set(['tickets', 'users', 'attachments']);

const START: Readonly<Record<string, Shown>> = {
	tickets: {
		...{ product: '126', department: '41', ticket_priority: '51', 'ticket-tag': [31] },
		...{ assignee: 2, author: 1, status: 'queued' },
	},
};

const CUSTOM = { severity: '', note: 'old' };

const noRoute = json(404, { code: 'rest_no_route', message: 'No route was found.', data: { status: 404 } });
const error = (status: number, code: string, headers?: Record<string, string>) =>
	json(status, { code, message: `Refused: ${code}.`, data: { status } }, headers);
const page = (status: number) => text(status, '<html><head><title>Gateway</title></head><body>x</body></html>');

function goneCode(path: string): string {
	const [, noun = ''] = path.split('/');
	if (noun === 'users') return 'rest_user_invalid_id';
	return noun in TERMS ? 'rest_term_invalid' : 'rest_post_invalid_id';
}

export const isLookUp = ({ url }: RecordedRequest): boolean => url.endsWith('/users/username');

/** @param paths of what there is */
export async function startModelDesk(paths: readonly string[]): Promise<ModelDesk> {
	const states: State[] = [];
	const current = new Map<string, Shown | undefined>();
	const tries = new Map<string, number>();
	/** What each request got last. */
	const faults = new Map<string, string | undefined>();
	const sockets = new Set<Socket>();
	/** What comes again, while the next write on its connection waits. */
	const owed = new WeakMap<Socket, Buffer>();
	let moment = 0;
	let asked = 0;

	function put(path: string, held: Shown | undefined, by: string, sent: Shown, isPart?: boolean): void {
		current.set(path, held);
		states.push({ path, held, by, sent, at: asked, ...(isPart && { isPart }) });
	}

	for (const path of paths) {
		const noun = path.split('/')[1] ?? '';
		const start = path.endsWith('/custom-fields') ? CUSTOM : { ...startOf(path), ...START[noun] };
		put(path, start, 'start', {});
	}
	for (const [username, id] of Object.entries(USERS)) {
		put(`/users/${id}`, { ...startOf(`/users/${id}`), username, slug: username.replace('.', '-') }, 'start', {});
	}

	for (const [taxonomy, terms] of Object.entries(TERMS)) {
		for (const [id, term] of Object.entries(terms)) {
			put(`/${taxonomy}/${id}`, { description: 'old', parent: 0, taxonomy, ...term }, 'start', {});
		}
	}

	/** Each write moves the time of the last change, where an object has one. */
	function touched(held: Shown | undefined): Shown {
		if (held === undefined || !('modified_gmt' in held)) return {};
		return { modified_gmt: new Date(Date.UTC(2026, 10, 2, 0, 0, ++moment)).toISOString().slice(0, 19) };
	}

	/** The ID of what a write names by ID or slug. */
	function termOf(taxonomy: string, value: unknown): string | undefined {
		const wanted = String(value);
		if (current.get(`/${taxonomy}/${wanted}`) !== undefined) return wanted;
		const found = Object.keys(TERMS[taxonomy] ?? {}).find((id) => current.get(`/${taxonomy}/${id}`)?.slug === wanted);
		return wanted === '' ? undefined : found;
	}

	function show(path: string): Shown | undefined {
		const held = current.get(path);
		if (held === undefined) return undefined;
		if (path.endsWith('/custom-fields')) {
			return Object.fromEntries(Object.entries(held).map(([name, value]) => [name, { name, value }]));
		}
		const shown = shownTo(held, Number(path.split('/').at(-1)));
		if (path.startsWith('/tickets/')) {
			for (const name of SINGLE) shown[name] = current.get(`/${name}/${shown[name]}`)?.slug ?? '';
		}
		return shown;
	}

	/** What a service refuses to save. */
	function wrongField(sent: Shown): string | undefined {
		return Object.keys(sent).find((name) => {
			const value = sent[name];
			if (name === 'ticket-tag')
				return !(Array.isArray(value) && value.every((each) => termOf(name, each) === String(each)));
			if (name in TERMS) return termOf(name, value) === undefined;
			return name === 'assignee' && !Object.values(USERS).includes(Number(value));
		});
	}

	function stored(name: string, value: unknown): unknown {
		if (SINGLE.includes(name)) return termOf(name, value);
		return PERSON.has(name) ? Number(value) : value;
	}

	/** @returns a refusal */
	function remove({ url }: RecordedRequest, held: Shown, by: string): ReturnType<typeof json> | undefined {
		const path = pathOf({ url });
		if (url.includes('force=true')) put(path, undefined, by, {});
		else if (held.status === undefined) return error(501, 'rest_trash_not_supported');
		else if (held.status === 'trash') return error(410, 'rest_already_trashed');
		else put(path, { ...held, status: 'trash', ...touched(held) }, by, { status: 'trash' });
		return undefined;
	}

	/** Does what it asks for. @returns a refusal */
	function carryOut(request: RecordedRequest, isPart = false): ReturnType<typeof json> | undefined {
		const path = pathOf(request);
		const held = current.get(path);
		const by = String(request.headers['x-request-id'] ?? 'nobody');
		const isTerm = (path.split('/')[1] ?? '') in TERMS;
		if (held === undefined) return error(404, goneCode(path));
		if (request.method === 'DELETE') return remove(request, held, by);
		const body = JSON.parse(request.body) as Shown;
		const isCustom = path.endsWith('/custom-fields');
		const sent = (isCustom ? body.custom_fields : body) as Shown;
		const wrong = isCustom || isTerm ? undefined : wrongField(sent);
		const isCut = isPart || wrong !== undefined;
		const saved = Object.entries(sent)
			.filter(([name]) => !isCut || SAVED_FIRST.has(name))
			.filter(([name]) => !isCustom || name in held)
			.map(([name, value]) => [name, stored(name, value)]);
		if (saved.length > 0 || !isCut) {
			// An update without the color clears it, and one with it leaves it as it is.
			const { color, ...asked } = sent;
			const isKept = color === undefined || color === held.color;
			const cleared = path.startsWith('/ticket_priority/') ? { color: '' } : {};
			const after = { ...held, ...cleared, ...Object.fromEntries(saved), ...touched(held) };
			put(path, after, by, isKept ? asked : sent, isCut);
		}
		if (wrong !== undefined) return error(500, wrong === 'assignee' ? 'incorrect_agent' : 'invalid_term');
		return isPart ? error(500, 'rest_failed') : undefined;
	}

	function lookUp({ body }: RecordedRequest): ReturnType<typeof json> {
		const { username } = JSON.parse(body) as { username: string };
		if (username !== 'ada') return error(400, 'invalid_username_access');
		return json(200, { id: USERS.ada });
	}

	const isAny = (wanted: string | null, id: unknown): boolean =>
		wanted === null || wanted === '0' || wanted === String(id);

	function listed(request: RecordedRequest): { objects: Shown[]; total: number } | undefined {
		const path = pathOf(request);
		const query = new URL(request.url, 'http://desk').searchParams;
		const post = query.get('post');
		const include = query.get('include')?.split(',');
		const size = Math.min(Number(query.get('per_page') ?? 10), desk.most);
		const from = (Number(query.get('page') ?? 1) - 1) * size;
		const noun = path.slice(1);
		if (!LISTED.has(noun) && !(noun in TERMS) && !/^\/tickets\/\d+\/replies$/.test(path)) return undefined;
		const own = post === null ? undefined : [current.get(`/tickets/${post}`)?.[noun]].flat().map(String);
		const search = query.get('search')?.toLowerCase() ?? '';
		const all: Shown[] = [...current.keys()]
			.filter((each) => each.startsWith(`${path}/`) && /^\d+$/.test(each.slice(path.length + 1)))
			.flatMap((each): Shown[] => [show(each) ?? []].flat())
			.filter(({ status }) => status !== 'trash' || include !== undefined)
			.filter(({ id }) => (include ?? own)?.includes(String(id)) ?? true)
			.filter(({ username = '' }) => String(username).toLowerCase().includes(search))
			.filter(({ slug }) => (query.get('slug') ?? slug) === slug)
			.filter(({ assignee }) => assignee === undefined || isAny(query.get('assignee'), assignee));
		return { objects: all.slice(from, from + size), total: all.length };
	}

	/** What a write or read of one object gets once it is done. */
	function success(request: RecordedRequest): ReturnType<typeof json> {
		const path = pathOf(request);
		const shown = show(path);
		if (request.method === 'DELETE' && shown === undefined) return json(200, { deleted: true, previous: {} });
		if (shown === undefined) return error(404, goneCode(path));
		return json(200, path.endsWith('/custom-fields') && request.method === 'POST' ? null : shown);
	}

	/** Another object of the same kind. */
	function another(path: string): Shown {
		const kind = (each: string): string => each.replaceAll(/\d+/g, 'N');
		const own = path.replace(/\/me$/, `/${USERS.ada}`);
		const other = [...current.keys()].find((each) => each !== own && kind(each) === kind(own));
		return (other !== undefined && show(other)) || { id: 999 };
	}

	/** The connection ends, once what was written is sent. */
	function cut(response: ServerResponse, body: unknown): void {
		const whole = httpResponse(200, JSON.stringify(body), { 'content-type': 'application/json' });
		response.socket?.end(whole.subarray(0, whole.length - 5));
	}

	/** A second response behind the first. */
	function late(response: ServerResponse, body: unknown): void {
		const { socket } = response;
		response.on('finish', () => {
			if (socket?.destroyed === false) {
				socket.write(httpResponse(200, JSON.stringify(body), { 'content-type': 'application/json' }));
			}
		});
	}

	function kindOf(request: RecordedRequest): Kind {
		const { method, url } = request;
		if (isLookUp(request)) return 'lookup';
		if (method !== 'GET') return 'write';
		return /\/(?:\d+|me|custom-fields)(?:\?|$)/.test(url) ? 'read' : 'list';
	}

	/** What is asked for, without faults. */
	function fair(kind: Kind, request: RecordedRequest): ReturnType<typeof json> {
		if (kind === 'lookup') return lookUp(request);
		if (kind === 'write') return carryOut(request) ?? success(request);
		if (kind === 'read') return request.url.includes('/users/me') ? json(200, show('/users/1')) : success(request);
		return showList(listed(request), (objects) => objects);
	}

	type List = { readonly objects: readonly Shown[]; readonly total: number };

	function showList(list: List | undefined, change: (objects: readonly Shown[]) => readonly Shown[]) {
		if (list === undefined) return noRoute;
		return json(200, change(list.objects), desk.counts ? { 'x-wp-total': String(list.total) } : {});
	}

	/** Only a count tells that something is missing. */
	function showLess(request: RecordedRequest, change: (objects: readonly Shown[]) => readonly Shown[]) {
		return desk.counts ? showList(listed(request), change) : page(502);
	}

	function foul(fault: string, kind: Kind, request: RecordedRequest, response: ServerResponse) {
		const [what, when] = fault.split(' ');
		const path = pathOf(request);
		// A write that fails without having been carried out, or after it.
		if (when === 'after') {
			const refusal = carryOut(request);
			if (refusal !== undefined) return refusal;
		}
		switch (what) {
			case 'reset':
				response.socket?.resetAndDestroy();
				return () => undefined;
			case '502':
				return page(502);
			case 'page':
				return page(200);
			case 'cut':
				cut(response, kind === 'list' ? (listed(request)?.objects ?? []) : (show(path) ?? { id: 1 }));
				return () => undefined;
			case '{}':
				return json(200, {});
			case '[]':
				return json(200, []);
			case 'another':
				return kind === 'lookup' ? json(200, { id: USERS['jose.kaya'] }) : json(200, another(path));
			case 'late':
				late(response, kind === 'lookup' ? { id: USERS['jose.kaya'] } : another(path));
				return fair(kind, request);
			case 'again': {
				const { socket } = response;
				const isNull = path.endsWith('/custom-fields') && kind === 'write';
				// One that no command asks for: nothing tells an old response for the next write's object from its own.
				const body = JSON.stringify(isNull ? null : { ...another(path), id: 999 });
				if (socket !== null) owed.set(socket, httpResponse(200, body, { 'content-type': 'application/json' }));
				return fair(kind, request);
			}
			case '403':
				return error(403, 'rest_forbidden');
			case '409':
				return error(409, 'rest_conflict');
			case '303':
				return json(303, {}, { location: 'http://127.0.0.1/elsewhere' });
			case '401':
				return error(401, 'rest_not_logged_in');
			case '429':
				return error(429, 'too_many', { 'retry-after': when ?? '0' });
			case 'part':
				return carryOut(request, true) ?? success(request);
			case 'fewer':
				return showLess(request, (objects) => (when === 'first' ? objects.slice(1) : objects.slice(0, -1)));
			case 'twice':
				return showLess(request, (objects) => [...objects.slice(0, -1), ...objects.slice(0, 1)]);
			case 'repeated': {
				const first = request.url.replace(/([?&]page=)\d+/, '$11');
				return fair(kind, { ...request, url: first });
			}
			default:
				throw new Error(`no such fault: ${fault}`);
		}
	}

	const recorder = await startRecorder((request, response) => {
		const { socket } = response;
		if (socket !== null && !sockets.has(socket)) {
			sockets.add(socket);
			socket.on('close', () => sockets.delete(socket));
		}
		asked++;
		desk.onRequest?.(pathOf(request));
		const kind = kindOf(request);
		const earlier = socket === null || kind !== 'write' ? undefined : owed.get(socket);
		if (socket !== null && earlier !== undefined) {
			owed.delete(socket);
			socket.write(earlier);
		}
		const name = `${request.method} ${request.url.replace(/^.*-api\/v1/, '')}`;
		const count = tries.get(name) ?? 0;
		tries.set(name, count + 1);
		const given = desk.weather(kind, request, count);
		// Without a count, a list that is empty twice is empty: nothing could tell otherwise.
		const fault = given === '[]' && kind === 'list' && faults.get(name) === '[]' ? undefined : given;
		faults.set(name, fault);
		const what = `${name} ${request.body}`.trimEnd();
		if (desk.isSilent) {
			const isDone = kind === 'write' && fault === undefined;
			if (isDone) carryOut(request);
			desk.log.push(`  ${what} → (killed; ${isDone ? 'done' : 'nothing done'})`);
			return undefined;
		}
		desk.log.push(`  ${what} → ${fault ?? 'fair'}`);
		return fault === undefined ? fair(kind, request) : foul(fault, kind, request, response);
	});
	const desk: ModelDesk = {
		...recorder,
		states,
		log: [],
		weather: () => undefined,
		most: 100,
		counts: true,
		onRequest: undefined,
		isSilent: false,
		edit(path, fields) {
			const held = current.get(path);
			put(path, { ...held, ...fields, ...touched(held) }, 'others', fields);
		},
		held: (path, at = states.length) => states.slice(0, at).findLast((each) => each.path === path)?.held,
		async quiet() {
			// What a killed process wrote before it ended is read in the next rounds of the loop.
			for (let round = 0; round < 20; round++) await new Promise(setImmediate);
			while (sockets.size > 0) await new Promise(setImmediate);
		},
	};
	return desk;
}
