/** A service that lists, reads and stores tickets, and whose lists shift, lie and refuse as a test says. */

import { taxonomies } from '../../src/api/fields.js';
import { type CliOptions, type CliResult, runHere, type Words } from './cli.js';
import { json, type RecordedRequest, type Recorder, type Responder, startRecorder } from './recorder.js';

export type Stored = Record<string, unknown> & { id: number };

export interface ListService extends Recorder {
	/** Runs the program against it, in the test's own process. */
	run(words: Words, options?: CliOptions): Promise<CliResult>;
	/** In the order of ids; change it while it is read. */
	objects: Stored[];
	/** The pages that were asked for, in order; also those that were asked for again. */
	pages(): number[];
}

export interface ListOptions {
	objects: Stored[];
	/** Called when a page was sent. @param count of the pages that were sent */
	afterPage?(page: number, service: ListService, count: number): void;
	/** What the headers say instead of the truth; null leaves one out. */
	total?: number | null;
	totalPages?: number | null;
	/** A page is sent so many milliseconds later. */
	delayMs?: number;
	/** A responder in place of the service’s own. */
	instead?(request: RecordedRequest, count: number): Responder | undefined;
	/** What the service shows of an object. */
	show?(object: Stored, query: URLSearchParams): unknown;
}

/** The least that a service shows of a ticket. */
export function ticket(id: number, fields: Record<string, unknown> = {}): Stored {
	return { id, status: 'hold', modified_gmt: '2026-11-01T00:00:00', ...fields };
}

export function tickets(count: number): Stored[] {
	// Ids with gaps, as services have them.
	return Array.from({ length: count }, (_, at) => ticket(10 + at * 3));
}

const SHOWN_AS_TEXT = new Set(['title', 'content', 'caption']);

/** As the live service shows text. */
export function shown(object: Stored, query: URLSearchParams): unknown {
	return Object.fromEntries(
		Object.entries(object).map(([name, value]) => {
			if (!SHOWN_AS_TEXT.has(name)) return [name, value];
			const rendered = `<p>${String(value).replaceAll('&', '&#038;')}</p>`;
			return [name, query.get('context') === 'edit' ? { raw: value, rendered } : { rendered }];
		}),
	);
}

export async function startListService(options: ListOptions): Promise<ListService> {
	const { show = shown } = options;
	let count = 0;
	const recorder = await startRecorder((request, response, number) => {
		const own = options.instead?.(request, number);
		if (own !== undefined) return own(request, response, number);
		const url = new URL(request.url, 'http://service');
		const query = url.searchParams;
		const id = /\/(\d+)$/.exec(url.pathname)?.[1];
		const reply = (status: number, body: unknown, headers = {}): void => {
			const send = (): void => {
				json(status, body, headers)(request, response, number);
				if (Array.isArray(body)) options.afterPage?.(Number(query.get('page') ?? 1), service, ++count);
			};
			if (options.delayMs === undefined) send();
			else setTimeout(send, options.delayMs);
		};
		if (id !== undefined) {
			const object = service.objects.find((each) => each.id === Number(id));
			if (object === undefined) return reply(404, { code: 'rest_post_invalid_id', message: 'Invalid.', data: null });
			if (request.method === 'POST') Object.assign(object, JSON.parse(request.body));
			return reply(200, show(object, new URLSearchParams('context=edit')));
		}
		if (taxonomies.some((each) => url.pathname.endsWith(`/${each}`))) {
			return reply(404, { code: 'rest_no_route', message: 'No route.', data: { status: 404 } });
		}
		const size = Number(query.get('per_page') ?? 10);
		const page = Number(query.get('page') ?? 1);
		const pages = Math.ceil(service.objects.length / size);
		if (page > pages && page > 1) {
			return reply(400, { code: 'rest_post_invalid_page_number', message: 'No such page.', data: { status: 400 } });
		}
		const found = service.objects.slice((page - 1) * size, page * size).map((each) => show(each, query));
		const total = options.total === undefined ? service.objects.length : options.total;
		const totalPages = options.totalPages === undefined ? pages : options.totalPages;
		reply(200, found, {
			...(total === null ? {} : { 'x-wp-total': String(total) }),
			...(totalPages === null ? {} : { 'x-wp-totalpages': String(totalPages) }),
			link: '<http://127.0.0.1:1/wp/v2/elsewhere?page=2>; rel="next"',
		});
	});
	const service: ListService = {
		...recorder,
		run: (words, runOptions = {}) => runHere(words, { ...runOptions, env: recorder.env }),
		objects: options.objects,
		pages: () =>
			recorder.requests.map(({ url }) => Number(new URL(url, 'http://service').searchParams.get('page') ?? 1)),
	};
	return service;
}
