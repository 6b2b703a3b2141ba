/** Each documented command against a service that serves the documented requests and nothing else, and refuses properties that it doesn't know. */

import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runHere } from '../support/cli.js';
import { listen } from '../support/listen.js';
import { startSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';

/** What is not described is 404 everywhere, also where the path has other methods. */
async function startForwarder(target: string): Promise<string> {
	const server = createServer(async (request, response) => {
		const { method = 'GET', headers } = request;
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const body = method === 'GET' ? undefined : Buffer.concat(chunks);
		const { authorization = '', 'content-type': type = 'application/json' } = headers;
		const result = await fetch(`${new URL(target).origin}${request.url}`, {
			method,
			headers: { authorization, 'content-type': type },
			...(body !== undefined && body.length > 0 && { body }),
		});
		const isUndescribed = result.status === 405;
		const problem = { title: 'Not Found', status: 404, detail: `${method} is not described` };
		response.writeHead(isUndescribed ? 404 : result.status, {
			'content-type': isUndescribed ? 'application/problem+json' : (result.headers.get('content-type') ?? ''),
		});
		response.end(isUndescribed ? JSON.stringify(problem) : Buffer.from(await result.arrayBuffer()));
	});
	const port = await listen(server);
	const url = new URL(target);
	url.port = String(port);
	return url.href;
}

async function startStrict({ undescribed = 405, lenient = false } = {}) {
	const service = await startSandbox({ strict: true, lenient });
	onTestFinished(() => service.stop());
	const url = service.env.SUPPORTCTL_BASE_URL ?? '';
	const baseUrl = undescribed === 404 ? await startForwarder(url) : url;
	const { store } = service;
	const termOf = (wanted: string): number =>
		[...store.terms.values()].find(({ taxonomy }) => taxonomy === wanted)?.id ?? 0;
	const folder = temporaryFolder();
	const ids = {
		PLAN: join(folder, 'edits.plan'),
		REPLY: [...store.replies.values()].find(({ parent }) => parent === 14)?.id,
		ATTACHMENT: store.attachments.keys().next().value,
		PRIORITY: termOf('ticket_priority'),
		PRODUCT: termOf('product'),
		SLUG: store.users.get(3)?.passwords[0]?.slug,
	};
	const env = { ...service.env, SUPPORTCTL_BASE_URL: baseUrl, SUPPORTCTL_STATE_DIR: folder };
	const run = (line: string, input = '') => {
		const words = line.replace(/[A-Z]{4,}/g, (name) => String(ids[name as keyof typeof ids]));
		return runHere(words, { env, input });
	};
	return { service, run };
}

describe.each([405, 404])('where %i is said of what is not described', (undescribed) => {
	test.each([
		['ticket update 14 --status hold --assignee 3', 'POST /tickets/14'],
		['ticket delete 15 --yes', 'DELETE /tickets/15'],
		['ticket fields get 14', 'GET /tickets/14/custom-fields'],
		['ticket fields set 14 --set severity=major', 'POST /tickets/14/custom-fields'],
		['reply update 14 REPLY --content Hi', 'POST /tickets/14/replies/REPLY'],
		['reply delete 14 REPLY --force --yes', 'DELETE /tickets/14/replies/REPLY?force=true'],
		['user update 4 --name X', 'POST /users/4'],
		['user check admin --password-stdin', 'POST /users/check'],
		['user id admin', 'POST /users/username'],
		['user delete 7 --reassign 2 --yes', 'DELETE /users/7?force=true&reassign=2'],
		['user password delete 3 SLUG --yes', 'DELETE /users/3/passwords/SLUG'],
		['attachment update ATTACHMENT --title X', 'POST /attachments/ATTACHMENT'],
		['term update ticket_priority PRIORITY --name X', 'POST /ticket_priority/PRIORITY'],
		['term delete product PRODUCT --force --yes', 'DELETE /product/PRODUCT?force=true'],
		['term delete ticket_priority PRIORITY --force --yes', 'DELETE /ticket_priority/PRIORITY?force=true'],
	])('%s is sent as documented', async (line, expected) => {
		const { service, run } = await startStrict({ undescribed });
		const result = await run(line, 'desk-admin');
		expect(result, result.stderr).toMatchObject({ exitCode: 0 });
		const served = service.requests
			.filter(({ status }) => status === 200)
			.map(({ method, path }) => `${method} ${path}`);
		const names = expected
			.replace(/[A-Z]{5,}|SLUG/g, (name) => (name === 'DELETE' ? name : '[\\w-]+'))
			.replace('?', '\\?');
		expect(served.at(-1)).toMatch(new RegExp(`/wp-json/support-api/v1${names.replace(/^\w+ /, '')}$`));
	});
});

test('two rows with usernames that can not be looked up say why, and nothing is sent', async () => {
	const { service, run } = await startStrict();
	const result = await run('ticket update 14 15 --assignee sofia.bauer');
	expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining('can\'t look up user "sofia.bauer"')]);
	expect(service.requests.every(({ method, path }) => method === 'GET' || path.endsWith('/users/username'))).toBe(true);
});

test('what such a service says about a refusal is shown: title and detail', async () => {
	const { run } = await startStrict();
	const read = await run('ticket get 14');
	expect(read.stderr).toContain('Method Not Allowed: GET /tickets/14 is not described');
	const refused = await run('ticket update 14 --data {"sticky":true} --undocumented --json');
	expect(refused.stderr + refused.stdout).toContain('additional property not allowed: sticky');
});

test('the color of a priority is sent only where the service shows one, and -v says so', async () => {
	const { service, run } = await startStrict();
	const strict = await run('term update ticket_priority PRIORITY --name X -v');
	expect(strict.stderr).toMatch(/> POST \S+\/ticket_priority\/\d+ \(name\)/);
	const desk = await startSandbox();
	onTestFinished(() => desk.stop());
	const id = [...service.store.terms.values()].find(({ taxonomy }) => taxonomy === 'ticket_priority')?.id;
	const shown = await runHere(`term update ticket_priority ${id} --name X -v`, { env: desk.env });
	expect(shown.stderr).toMatch(/> POST \S+\/ticket_priority\/\d+ \(name, color\)/);
});

test.each([
	['ticket list', 'this service has no lists (404 http_404: Not Found: /tickets is not described)'],
	['user list', 'this service has no lists (404 http_404: Not Found: /users is not described)'],
	['ticket get 14', 'this service has no reads of a single ticket (405 http_405: Method Not Allowed: GET'],
	['ticket update 14 --status hold --plan PLAN', 'drop the flags that need reads: --plan,'],
])('%s says that the service has no such reads, and how to go on', async (line, says) => {
	const { run } = await startStrict();
	const result = await run(line);
	expect(result.exitCode).not.toBe(0);
	expect(result.stderr).toContain(says);
	expect(result.stderr).toContain('hint: ');
});

test('whoami finds the ID of the account', async () => {
	const { run } = await startStrict();
	const result = await run('whoami --field id');
	expect(result, result.stderr).toMatchObject({ exitCode: 0, stdout: '1\n' });
});

test.each([405, 404])(
	'slugs and usernames are sent where nothing is listed, and undescribed is %i',
	async (undescribed) => {
		const { service, run } = await startStrict({ undescribed, lenient: true });
		const sent = await run('ticket update 14 --product harbor-crm --assignee sofia.bauer');
		expect(sent, sent.stderr).toMatchObject({ exitCode: 0 });
		const product = [...service.store.terms.values()].find(({ slug }) => slug === 'harbor-crm')?.id;
		expect(service.store.tickets.get(14)).toMatchObject({ product, assignee: 3 });
		const dry = await run('ticket update 14 15 --status hold -n');
		expect(dry, dry.stderr).toMatchObject({ exitCode: 0 });
		expect(dry.stderr).toContain('the dry run prints requests, not changes');
	},
);

test('a ticket that does not exist fails by its write where reads are not described', async () => {
	const { run } = await startStrict({ undescribed: 404 });
	const result = await run('ticket update 999 --status hold');
	expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('ticket 999 not found') });
});
