import { expect, test } from 'vitest';
import { jsonLines, runHere } from '../../support/cli.js';
import { json, startRecorder } from '../../support/recorder.js';
import type { TestSandbox } from '../../support/sandbox.js';
import { startUserOf300 } from '../../support/sandbox-user.js';

const rowsOf = (ids: readonly string[], status: string): string =>
	`id,status\n${ids.map((id) => `${id},${status}\n`).join('')}`;

const reads = ({ requests }: TestSandbox) => requests.filter(({ method }) => method === 'GET');
const alone = (service: TestSandbox) => reads(service).filter(({ path }) => !path.includes('include='));

test('a run that keeps old values reads a hundred objects with one request', async () => {
	const { service, run, ids } = await startUserOf300();
	const rows = ids.slice(0, 200);
	const { exitCode, stderr } = await run('ticket update --input - --snapshot', rowsOf(rows, 'hold'));
	expect(exitCode, stderr).toBe(0);
	expect(service.requests.length / rows.length, stderr).toBeLessThanOrEqual(1.03);
	const undone = await run('run undo last --yes --format ndjson');
	expect(undone.exitCode, undone.stderr).toBe(0);
});

test('a run with nothing to do costs three requests for a hundred rows at most', async () => {
	const { service, run, ids } = await startUserOf300();
	await run('ticket update --input -', rowsOf(ids, 'hold'));
	service.requests.length = 0;
	const { stdout, stderr } = await run('ticket update --input - --only-changed --format ndjson', rowsOf(ids, 'hold'));
	expect(
		jsonLines(stdout).filter(({ code }) => code === 'unchanged'),
		stderr,
	).toHaveLength(ids.length);
	expect(service.requests.length / ids.length).toBeLessThanOrEqual(0.03);
});

test('a diff costs one request for a hundred rows', async () => {
	const { service, run, ids } = await startUserOf300();
	const { exitCode, stderr } = await run('ticket update --input - --dry-run --diff', rowsOf(ids, 'hold'));
	expect(exitCode, stderr).toBe(0);
	expect(service.requests).toHaveLength(Math.ceil(ids.length / 100));
});

test('items are added to what an earlier row of the same object left there', async () => {
	const { service, run, ids } = await startUserOf300();
	const [id = ''] = ids;
	const tags = (await run('term list ticket-tag --format ids')).stdout.trim().split('\n').slice(0, 2);
	await service.call('POST', `/tickets/${id}`, { 'ticket-tag': [] });
	const input = `id,title\n${id},a\n${ids[1]},x\n${id},b\n`;
	const { exitCode, stderr } = await run(`ticket update --input - --add-ticket-tag ${tags[0]} -j 1`, input);
	expect(exitCode, stderr).toBe(0);
	const { body } = await service.call('GET', `/tickets/${id}?context=edit`);
	expect(body).toMatchObject({ 'ticket-tag': [Number(tags[0])], title: { raw: 'b' } });
	expect(reads(service).filter(({ path }) => path.includes(`/tickets/${id}?`)).length).toBeGreaterThan(1);
});

test('conditions and undo read each object right before its write', async () => {
	const { service, run, ids } = await startUserOf300();
	const rows = ids.slice(0, 10);
	await run('ticket update --input - --snapshot', rowsOf(rows, 'hold'));
	service.requests.length = 0;
	await run('ticket update --input - --if status=hold --no-snapshot', rowsOf(rows, 'read'));
	expect(alone(service).length).toBeGreaterThanOrEqual(rows.length);
	expect(reads(service).length).toBe(alone(service).length);
});

/** The requests for each ticket, in their order: `GET /tickets/14`, `POST /tickets/14` … */
const inPairs = ({ requests }: TestSandbox): string[] =>
	requests.flatMap(({ method, path }) => {
		const ticket = /\/tickets\/\d+/.exec(path)?.[0];
		return ticket === undefined ? [] : [`${method} ${ticket}`];
	});

test.each([
	['--if', 'ticket update --input read.csv --if status=hold'],
	['--if-unmodified', 'ticket update --input exported.csv --if-unmodified --status read'],
	['an undo', 'run undo last --yes'],
	['an apply', 'run apply read.plan --yes'],
	['a resumed apply', 'run resume last --yes'],
])('%s reads each object right before its write', async (what, words) => {
	const { service, run, file, ids } = await startUserOf300();
	const rows = ids.slice(0, 10);
	for (const id of rows) await service.call('POST', `/tickets/${id}`, { status: 'queued' });
	await run('ticket update --input -', rowsOf(rows, 'hold'));
	file('read.csv', rowsOf(rows, 'read'));
	file('exported.csv', (await run('ticket list --status hold --fields id,modified_gmt --format csv')).stdout);
	await run('ticket update --input read.csv --plan read.plan');
	if (what === 'a resumed apply') await run('run apply read.plan --yes --for 0s');
	service.requests.length = 0;
	const { exitCode, stderr } = await run(`${words} -j 1`);
	expect(exitCode, stderr).toBe(0);
	const pairs = inPairs(service);
	const writes = [...pairs.entries()].filter(([, request]) => request.startsWith('POST'));
	expect(writes.length).toBeGreaterThanOrEqual(rows.length);
	for (const [at, request] of writes) expect(pairs[at - 1]).toBe(request.replace('POST', 'GET'));
});

// With so many at a time, more than a hundred written rows wait for their reads.
test.each(['', '--verify -j 64', '-n', '--plan p.plan'])(
	'no list is asked for more than 100 objects: %s',
	async (flags) => {
		const { service, run, ids } = await startUserOf300();
		const { exitCode, stderr } = await run(`ticket update --input - -q ${flags}`.trim(), rowsOf(ids, 'hold'));
		expect(exitCode, stderr).toBe(0);
		const asked = service.requests.flatMap(({ path }) => {
			const include = new URL(path, 'http://desk').searchParams.get('include');
			return include === null ? [] : [include.split(',').length];
		});
		expect(Math.max(...asked)).toBe(100);
	},
);

test('a service whose lists ignore the IDs is read object by object', async () => {
	const { service, env } = await startUserOf300();
	const paths: string[] = [];
	const recorder = await startRecorder((request, response) => {
		paths.push(`${request.method} ${request.url}`);
		const [path = '', query = ''] = request.url.slice(request.url.indexOf('/tickets')).split('?');
		const id = new URLSearchParams(query).has('include') ? '' : `?${query}`;
		void service.call(request.method, path + id, request.body === '' ? undefined : request.body).then((found) => {
			json(found.status, found.body)(request, response, 0);
		});
	});
	const ids = ['14', '15', '16'];
	const at = { ...env, SUPPORTCTL_BASE_URL: recorder.baseUrl };
	const words = ['ticket', 'update', '--input', '-', '--snapshot'];
	const { exitCode, stderr } = await runHere(words, { env: at, input: rowsOf(ids, 'hold') });
	expect(exitCode, stderr).toBe(0);
	for (const id of ids)
		expect(paths.filter((each) => each.startsWith('GET') && each.includes(`/tickets/${id}?`))).not.toEqual([]);
	expect(paths.filter((each) => each.includes('include='))).toHaveLength(1);
});
