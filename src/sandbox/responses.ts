/** Responses: those of the service, its errors in their own shape, and the HTML pages around it. */

/** What is sent: a value as JSON, nothing for undefined, or a page. */
export interface SandboxResponse {
	status: number;
	body?: unknown;
	/** Set for a response that is not JSON. */
	html?: string;
	headers?: Record<string, string>;
}

export const ok = (body: unknown, headers: Record<string, string> = {}): SandboxResponse => ({
	status: 200,
	body,
	headers,
});

/** An error in the service's words: `{code, message, data: {status, params?, details?}}`. */
export class ServiceError extends Error {
	readonly response: SandboxResponse;

	constructor(status: number, code: string, message: string, data: Record<string, unknown> = {}, headers = {}) {
		super(message);
		this.response = { status, body: { code, message, data: { status, ...data } }, headers };
	}
}

/** Why a value was refused. */
export interface Reason {
	code: string;
	message: string;
}

/** 400 with the reason for each argument, by name. */
export function invalidArguments(reasons: readonly [name: string, reason: Reason][]): ServiceError {
	const names = reasons.map(([name]) => name).join(', ');
	return new ServiceError(400, 'rest_invalid_param', `Invalid parameter(s): ${names}`, {
		params: Object.fromEntries(reasons.map(([name, { message }]) => [name, message])),
		details: Object.fromEntries(reasons.map(([name, reason]) => [name, { ...reason, data: null }])),
	});
}

export function missingArguments(names: readonly string[]): ServiceError {
	return new ServiceError(400, 'rest_missing_callback_param', `Missing parameter(s): ${names.join(', ')}`, {
		params: names,
	});
}

export const badRequest = (code: string, message: string): ServiceError => new ServiceError(400, code, message);

export const noRoute = (): ServiceError =>
	new ServiceError(404, 'rest_no_route', 'No route was found matching the URL and request method.');

export const noPost = (): ServiceError => new ServiceError(404, 'rest_post_invalid_id', 'Invalid post ID.');

export const notSignedIn = (): ServiceError =>
	new ServiceError(401, 'rest_not_logged_in', 'You are not currently logged in.');

export const forbidden = (code: string): ServiceError =>
	new ServiceError(403, code, 'Sorry, you are not allowed to do that.');

export const noTrash = (nouns: string): ServiceError =>
	new ServiceError(501, 'rest_trash_not_supported', `${nouns} do not support trashing. Set 'force=true' to delete.`);

function page(status: number, title: string, text: string): SandboxResponse {
	const head = `<head><meta charset="utf-8"><title>${title}</title></head>`;
	const html = `<!DOCTYPE html>\n<html lang="en">${head}\n<body><h1>${title}</h1><p>${text}</p></body></html>\n`;
	return { status, html };
}

/** The web site around the service and the proxy in front of it. */
export const pages = {
	home: page(200, 'Example Help Desk', 'Welcome. The API of this site has another address.'),
	notFound: page(404, 'Page not found', 'It looks like nothing was found at this location.'),
	badGateway: page(502, '502 Bad Gateway', 'nginx'),
	unavailable: page(503, '503 Service Temporarily Unavailable', 'nginx'),
};
