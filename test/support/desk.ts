/** A desk that keeps what is written to it and shows it to every read; a test says what its writes get. */

import type { ServerResponse } from 'node:http';
import { arrivals } from './listen.js';
import { pathOf, type Shown, shownTo, startOf } from './objects.js';
import {
	CUSTOM_FIELDS,
	done,
	json,
	type RecordedRequest,
	type Recorder,
	type Responder,
	startRecorder,
	withoutLists,
} from './recorder.js';
import { createWorkplace, type Workplace } from './workplace.js';

export interface Desk extends Recorder {
	/** What the test's responder was asked: every request but reads and look-ups of usernames. */
	writes: RecordedRequest[];
	/** Resolves once so many writes have come. */
	wrote(count: number): Promise<void>;
	/** What is stored below a path such as `/tickets/14`; undefined where it is gone. */
	object(path: string): Shown | undefined;
}

/** An object or null, where a response is that in JSON. */
function shownIn(text: string): Shown | null | undefined {
	try {
		return /^(?:\{|null)/.test(text) ? (JSON.parse(text) as Shown | null) : undefined;
	} catch {
		return undefined;
	}
}

/** Calls `then` where a response says, in JSON, that the request was carried out. */
function onceDone(response: ServerResponse, then: (shown: Shown | null) => void): void {
	const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
	response.end = ((...given: unknown[]) => {
		// A request whose connection is gone by then has not been carried out here.
		const isHeard = response.socket?.destroyed === false;
		const shown = isHeard && response.statusCode < 300 ? shownIn(String(given[0] ?? '')) : undefined;
		if (shown !== undefined) then(shown);
		return end(...given);
	}) as typeof response.end;
}

/**
 * Starts a desk on which every ID exists, and a workplace that reaches it.
 * @param toWrites what writes get; what succeeds is stored
 * @param toReads what a read gets in place of what is stored
 */
export async function startDesk(
	toWrites: Responder = done(),
	toReads: (request: RecordedRequest) => Responder | undefined = () => undefined,
): Promise<{ recorder: Desk; work: Workplace; host: string }> {
	const stored = new Map<string, Shown | undefined>();
	const writes: RecordedRequest[] = [];
	const written = arrivals();

	function object(path: string): Shown | undefined {
		if (stored.has(path)) return stored.get(path);
		return startOf(path);
	}

	/** They exist before they are written, as a service ignores others. */
	const customFields = (path: string): Shown =>
		stored.get(path) ?? Object.fromEntries(CUSTOM_FIELDS.map((name) => [name, '']));

	function read(request: RecordedRequest): Responder | undefined {
		const own = toReads(request);
		if (own !== undefined) return own;
		const path = pathOf(request);
		if (path.endsWith('/custom-fields')) {
			const fields = Object.entries(customFields(path)).map(([name, value]) => [name, { name, value }]);
			return json(200, Object.fromEntries(fields));
		}
		const query = new URLSearchParams(request.url.slice(request.url.indexOf(path) + path.length + 1));
		const include = query.get('include');
		if (include !== null && /^\/(?:tickets|users|attachments|tickets\/\d+\/replies)$/.test(path)) {
			const found = include.split(',').flatMap((id) => {
				const each = object(`${path}/${id}`);
				return each === undefined ? [] : [shownTo(each, Number(id))];
			});
			return json(200, found, { 'x-wp-total': String(found.length), 'x-wp-totalpages': '1' });
		}
		const id = Number(/\/(\d+)$/.exec(path)?.[1]);
		if (Number.isNaN(id)) return withoutLists(request) ?? json(404, { code: 'rest_no_route', message: 'No route.' });
		const each = object(path);
		if (each === undefined)
			return json(404, { code: 'rest_post_invalid_id', message: 'Invalid ID.', data: { status: 404 } });
		return json(200, shownTo(each, id));
	}

	function store({ method, url, body }: RecordedRequest, shown: Shown | null): void {
		const path = pathOf({ url });
		const sent = (method === 'POST' && body !== '' ? JSON.parse(body) : {}) as Shown;
		if (path.endsWith('/custom-fields')) stored.set(path, { ...customFields(path), ...(sent.custom_fields as Shown) });
		else if (path === '/users/username') {
			// Whoever was found shows that name from now on.
			const user = `/users/${shown?.id}`;
			stored.set(user, { ...object(user), username: sent.username });
		} else if (!/\/\d+$/.test(path)) return;
		else if (method === 'POST') stored.set(path, { ...object(path), ...sent });
		else stored.set(path, /[?&]force=true/.test(url) ? undefined : { ...object(path), status: 'trash' });
	}

	const recorder = await startRecorder((request, response) => {
		if (request.method === 'GET') return read(request);
		writes.push(request);
		written.note();
		onceDone(response, (shown) => store(request, shown));
		let next: unknown = toWrites;
		const count = writes.length;
		while (typeof next === 'function') next = next(request, response, count);
	});

	const work = createWorkplace(recorder.env);
	const desk = { ...recorder, writes, wrote: written.reached, object };
	return { recorder: desk, work, host: new URL(recorder.baseUrl).host };
}
