/** The answers that are not a resource: the service's errors in its own shape, and the pages that are not the service's at all. */

/** What goes back: a value for JSON, or a page. */
export interface Answer {
	status: number;
	body: unknown;
	/** Set for an answer that is not JSON. */
	html?: string;
	headers?: Record<string, string>;
}

/** A refusal in the service's words: `{code, message, data: {status, params?, details?}}`. */
export class ServiceError extends Error {
	readonly status: number;
	readonly code: string;
	readonly data: Record<string, unknown>;
	readonly headers: Record<string, string>;

	constructor(
		status: number,
		code: string,
		message: string,
		data: Record<string, unknown> = {},
		headers: Record<string, string> = {},
	) {
		super(message);
		this.status = status;
		this.code = code;
		this.data = { status, ...data };
		this.headers = headers;
	}

	answer(): Answer {
		return {
			status: this.status,
			body: { code: this.code, message: this.message, data: this.data },
			headers: this.headers,
		};
	}
}

/** Why a value was not taken. */
export interface Reason {
	code: string;
	message: string;
}

/** 400 with the reason for each parameter, by name. */
export function invalidParameters(reasons: ReadonlyMap<string, Reason>): ServiceError {
	const params: [string, string][] = [];
	const details: [string, unknown][] = [];
	for (const [name, reason] of reasons) {
		params.push([name, reason.message]);
		details.push([name, { code: reason.code, message: reason.message, data: null }]);
	}
	return new ServiceError(400, 'rest_invalid_param', `Invalid parameter(s): ${[...reasons.keys()].join(', ')}`, {
		params: Object.fromEntries(params),
		details: Object.fromEntries(details),
	});
}

export function invalidParameter(name: string, message: string, code = 'rest_invalid_param'): ServiceError {
	return invalidParameters(new Map([[name, { code, message }]]));
}

export function missingParameters(names: readonly string[]): ServiceError {
	return new ServiceError(400, 'rest_missing_callback_param', `Missing parameter(s): ${names.join(', ')}`, {
		params: names,
	});
}

export function noRoute(): ServiceError {
	return new ServiceError(404, 'rest_no_route', 'No route was found matching the URL and request method.');
}

export function noPost(): ServiceError {
	return new ServiceError(404, 'rest_post_invalid_id', 'Invalid post ID.');
}

export function trashNotSupported(noun: string): ServiceError {
	return new ServiceError(
		501,
		'rest_trash_not_supported',
		`${noun} do not support trashing. Set 'force=true' to delete.`,
	);
}

export function alreadyTrashed(): ServiceError {
	return new ServiceError(410, 'rest_already_trashed', 'The post has already been deleted.');
}

function page(title: string, text: string): string {
	return `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>\n<body><h1>${title}</h1><p>${text}</p></body></html>\n`;
}

const html = (status: number, title: string, text: string, headers?: Record<string, string>): Answer => ({
	status,
	body: null,
	html: page(title, text),
	...(headers === undefined ? {} : { headers }),
});

/** The site around the service, which answers in HTML whatever it is asked. */
export const pages = {
	home: html(200, 'Example Help Desk', 'Welcome. The interface of this desk lives elsewhere.'),
	notFound: html(404, 'Page not found', 'It looks like nothing was found at this location.'),
	tooLarge: html(413, '413 Request Entity Too Large', 'nginx', { Connection: 'close' }),
	badGateway: html(502, '502 Bad Gateway', 'nginx'),
	unavailable: html(503, '503 Service Temporarily Unavailable', 'nginx'),
};
