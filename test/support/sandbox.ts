/** Starts a sandbox in the test's own process, on a free port, with its store at hand. */

import { systemClock } from '../../src/io/context.js';
import { openSandbox, type SandboxOptions } from '../../src/sandbox/server.js';

/** Its store may be read or written directly, to arrange a test or to see what was changed. */
export interface TestSandbox extends Omit<Awaited<ReturnType<typeof openSandbox>>, 'close'> {
	/** Every request, in order; status 0 is a dropped connection. */
	requests: { method: string; path: string; status: number }[];
	/** `SUPPORTCTL_BASE_URL`, `SUPPORTCTL_USERNAME` and `SUPPORTCTL_PASSWORD`. */
	env: Record<string, string>;
	/** The Authorization header that signs in as the administrator. */
	authorization: string;
	/** A request below `/support-api/v1` as the administrator, or with another Authorization header; JSON in and out. */
	call(
		method: string,
		path: string,
		body?: unknown,
		as?: string,
	): Promise<{ status: number; body: unknown; headers: Headers }>;
	stop(): Promise<void>;
}

export async function startSandbox(options: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
	const requests: TestSandbox['requests'] = [];
	const { close: stop, ...sandbox } = await openSandbox({
		port: 0,
		clock: systemClock,
		random: Math.random,
		onRequest: (entry) => requests.push(entry),
		...options,
	});
	const authorization = basic(sandbox.username, sandbox.password);
	const root = `${sandbox.baseUrl}/${options.prefixes?.product ?? 'support'}-api/v1`;
	return {
		...sandbox,
		requests,
		authorization,
		env: {
			SUPPORTCTL_BASE_URL: sandbox.baseUrl,
			SUPPORTCTL_USERNAME: sandbox.username,
			SUPPORTCTL_PASSWORD: sandbox.password,
		},
		async call(method, path, body, as = authorization) {
			const response = await fetch(root + path, {
				method,
				headers: {
					...(as === '' ? {} : { authorization: as }),
					...(body === undefined ? {} : { 'content-type': 'application/json' }),
				},
				...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
			});
			const text = await response.text();
			const isJson = text !== '' && response.headers.get('content-type')?.includes('json');
			return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
		},
		stop,
	};
}

export function basic(username: string, password: string): string {
	return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
