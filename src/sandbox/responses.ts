/** Responses of the service, and faults instead of them. */

export interface SandboxResponse {
	status: number;
	body?: unknown;
	/** Of RFC 9457, as gateways and strict services send them. */
	problem?: { title: string; status: number; detail: string };
	html?: string;
	headers?: Record<string, string>;
}

export function ok(body: unknown, headers: Record<string, string> = {}): SandboxResponse {
	return { status: 200, body, headers };
}

/** An error in the service's words: `{code, message, data: {status, params?}}`. */
export class ServiceError extends Error {
	readonly response: SandboxResponse;

	constructor(status: number, code: string, message: string, data: Record<string, unknown> = {}, headers = {}) {
		super(message);
		this.response = { status, body: { code, message, data: { status, ...data } }, headers };
	}
}

export function problem(status: number, title: string, detail: string): SandboxResponse {
	return { status, problem: { title, status, detail } };
}

const unserved = 'No route was found matching the URL and request method.';
export const noRoute = new ServiceError(404, 'rest_no_route', unserved);
export const noPost = new ServiceError(404, 'rest_post_invalid_id', 'Invalid post ID.');
export const noUser = new ServiceError(404, 'rest_user_invalid_id', 'Invalid user ID.');

export function page(status: number, title: string): SandboxResponse {
	const html = `<!DOCTYPE html>\n<html lang="en"><title>${title}</title><body><h1>${title}</h1></body></html>\n`;
	return { status, html };
}

/** A failed request: how much of its work is done, and what is sent in place of the response. */
export interface Fault {
	/** `part` saves the first half of the fields. */
	readonly work: 'none' | 'part' | 'all';
	/** Undefined drops the connection. */
	readonly response?: SandboxResponse;
}

const badGateway = page(502, '502 Bad Gateway');
const gatewayTimeout = page(504, '504 Gateway Time-out');
const unavailable = page(503, '503 Service Temporarily Unavailable');
const critical = new ServiceError(500, 'internal_server_error', 'There has been a critical error on this website.');
const partial = new ServiceError(500, 'support_save_failed', 'The ticket could not be saved.');

function tooMany(headers = {}): SandboxResponse {
	return new ServiceError(429, 'rest_too_many_requests', 'Too many requests.', {}, headers).response;
}

/** Their order decides what a draw gives. */
export const faultKinds = {
	'bad-gateway': { work: 'none', response: badGateway },
	'gateway-timeout': { work: 'none', response: gatewayTimeout },
	unavailable: { work: 'none', response: unavailable },
	'too-many': { work: 'none', response: tooMany() },
	'retry-after': { work: 'none', response: tooMany({ 'Retry-After': '1' }) },
	page: { work: 'none', response: page(200, 'Please wait') },
	empty: { work: 'none', response: ok({}) },
	critical: { work: 'none', response: critical.response },
	'drop-before': { work: 'none' },
	'drop-after': { work: 'all' },
	'critical-after': { work: 'all', response: critical.response },
	'bad-gateway-after': { work: 'all', response: badGateway },
	partial: { work: 'part', response: partial.response },
} as const satisfies Record<string, Fault>;

export type FaultKind = keyof typeof faultKinds;

export interface FaultOptions {
	/** Milliseconds before each response. */
	latencyMs?: number | undefined;
	/** Share of requests that fail, 0 to 1. */
	failRate?: number | undefined;
	/** By default all. */
	failKinds?: readonly FaultKind[] | undefined;
	/** Requests a second before they are refused. */
	rateLimit?: number | undefined;
}

/** @param chance 0 ≤ x < 1; the same numbers make the same failures */
export function createFaults(
	options: FaultOptions,
	chance: () => number,
	monotonic: () => number,
): () => Fault | undefined {
	const { failRate = 0, rateLimit: limit } = options;
	const kinds = options.failKinds ?? (Object.keys(faultKinds) as FaultKind[]);
	// Up to a second's worth may come at once.
	let room = limit ?? 0;
	let filled = monotonic();

	return () => {
		if (limit !== undefined) {
			const now = monotonic();
			room = Math.min(limit, room + ((now - filled) / 1000) * limit);
			filled = now;
			if (room < 1) {
				const headers = { 'Retry-After': String(Math.ceil((1 - room) / limit)) };
				return { work: 'none', response: tooMany(headers) };
			}
			room--;
		}
		if (failRate === 0 || chance() >= failRate) return undefined;
		return faultKinds[kinds[Math.floor(chance() * kinds.length)] as FaultKind];
	};
}
