import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Words } from '../support/cli.js';
import { json, startRecorder } from '../support/recorder.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';
import { createWorkplace, startWorkplace } from '../support/workplace.js';

/** A desk that writes acme for support, wc for shop and wcm for shopm, and a profile that says so. */
let desk: TestSandbox;
beforeAll(async () => {
	desk = await startSandbox({ seed: 20, prefixes: { product: 'acme', shop: 'wc', membership: 'wcm' } });
});
afterAll(() => desk.stop());

/** Signed in once through `login`; returns a function that runs commands. */
async function signIn(...flags: string[]) {
	const work = createWorkplace();
	const run = (args: Words, stdin = '') => work.run(args, { stdin });
	const login = await run(
		['login', '--username', desk.username, '--password-stdin', '--no-input', '--insecure-storage', ...flags],
		desk.password,
	);
	return { run, login };
}

const flags = () => [
	'--base-url',
	desk.baseUrl,
	'--product-prefix',
	'acme',
	'--shop-prefix',
	'wc',
	'--membership-prefix',
	'wcm',
];
const status = (id: number) => desk.store.tickets.get(id)?.status;
const afterReply = async (id: number) =>
	((await desk.call('GET', `/users/${id}`)).body as Record<string, unknown>).acme_after_reply;

describe("a deployment's own words", () => {
	it.each([
		['a flag', ['ticket', 'update', '14', '--status'], ''],
		['--data', ['ticket', 'update', '14', '--data'], ''],
		['CSV', ['ticket', 'update', '--input', '-', '--input-format', 'csv'], 'id,status\n14,STATUS\n'],
		['NDJSON', ['ticket', 'update', '--input', '-', '--input-format', 'ndjson'], '{"id":14,"status":"STATUS"}\n'],
	])('are taken as statuses from %s, beside the neutral ones, and shown as neutral ones', async (_, argv, stdin) => {
		const { run } = await signIn(...flags());
		const cases = [
			['wc-on-hold', 'wc-on-hold', 'shop-on-hold'],
			['shop-active', 'wc-active', 'shop-active'],
			['wcm-paused', 'wcm-paused', 'shopm-paused'],
		];
		for (const [given, sent, shown] of cases as [string, string, string][]) {
			const word =
				argv.at(-1) === '--data' ? [JSON.stringify({ status: given })] : argv.at(-1) === '--status' ? [given] : [];
			const { exitCode, stdout, stderr } = await run([...argv, ...word, '--json'], stdin.replace('STATUS', given));
			expect(exitCode, stderr).toBe(0);
			expect(desk.requests.at(-1)).toMatchObject({ method: 'POST', status: 200 });
			expect(status(14)).toBe(shown);
			expect((await desk.call('GET', '/tickets/14')).body).toMatchObject({ status: sent });
			expect(JSON.parse(stdout)[0]).toMatchObject({ outcome: 'ok', differs: [], body: { status: shown } });
		}
		const { exitCode, stderr } = await run('ticket update 14 --status wc-nonsense');
		expect(exitCode).toBe(2);
		expect(stderr).toContain('"wc-nonsense" is unknown');
	});

	it('are taken as user fields in columns, keys and --data, beside the neutral ones', async () => {
		const { run } = await signIn(...flags());
		const ways: [string[], string, string][] = [
			[['--support-after-reply', 'ask'], '', 'ask'],
			[['--data', '{"acme_after_reply": "back"}'], '', 'back'],
			[['--data', '{"support_after_reply": "ask"}'], '', 'ask'],
			[['--input', '-', '--input-format', 'csv'], 'id,acme_after_reply\n3,stay\n', 'stay'],
			[['--input', '-', '--input-format', 'csv'], 'id,support_after_reply\n3,back\n', 'back'],
			[['--input', '-', '--input-format', 'ndjson'], '{"id":3,"acme_after_reply":"ask"}\n', 'ask'],
		];
		for (const [argv, stdin, expected] of ways) {
			const ids = argv.includes('--input') ? [] : ['3'];
			const { exitCode, stdout, stderr } = await run(['user', 'update', ...ids, ...argv, '--json'], stdin);
			expect(exitCode, stderr).toBe(0);
			expect(await afterReply(3)).toBe(expected);
			expect(JSON.parse(stdout)[0].body).toMatchObject({ support_after_reply: expected });
		}
		const clash = await run(
			'user update --input - --input-format csv',
			'id,acme_after_reply,support_after_reply\n3,a,b\n',
		);
		expect(clash.exitCode).toBe(2);
		expect(clash.stderr).toContain('are the same field');
	});

	it('are in the path of every command', async () => {
		const { run } = await signIn(...flags());
		const before = desk.requests.length;
		await run('ticket fields get 14');
		await run(['user', 'id', desk.username]);
		await run('reply update 14 1 --content x');
		await run('term update ticket_priority 22 --name x');
		await run('api GET tickets');
		const paths = desk.requests.slice(before).map(({ path }) => path);
		// The priorities are listed, and the color of one is read before.
		expect(paths).toHaveLength(7);
		for (const path of paths) expect(path).toMatch(/\/acme-api\/v1\//);
	});

	it('are asked for where the neutral ones lead nowhere', async () => {
		const { login } = await signIn('--base-url', desk.baseUrl);
		expect(login.exitCode).toBe(1);
		expect(login.stderr).toContain('--product-prefix');
	});
});

describe('custom fields with names that are words of the deployment, too', () => {
	const words = ['--product-prefix', 'acme', '--shop-prefix', 'wc', '-q'];

	/** Tickets that hold these fields, in the shape that has no wrapper. */
	async function service(fields: Record<string, string>) {
		const written: unknown[] = [];
		const recorder = await startRecorder((request, response, count) => {
			if (request.method === 'POST') {
				const { custom_fields: sent } = JSON.parse(request.body) as { custom_fields: Record<string, string> };
				written.push(sent);
				Object.assign(fields, sent);
			}
			const shown = Object.entries(fields).map(([name, value]) => [name, { name, value }]);
			json(200, Object.fromEntries(shown))(request, response, count);
		});
		return { work: createWorkplace(recorder.env), written };
	}

	it.each(['acme_after_reply', 'support_after_reply'])('keep them: %s', async (name) => {
		const { work, written } = await service({ [name]: 'old' });
		work.write('fields.csv', `id,${name}\n14,new\n`);
		const set = ['ticket', 'fields', 'set', '--input', 'fields.csv', '--verify', ...words];
		expect((await work.run(set)).exitCode).toBe(0);
		const { stdout } = await work.run(['ticket', 'fields', 'get', '14', '--json', ...words]);
		expect(JSON.parse(stdout)).toMatchObject([{ body: { [name]: { value: 'new' } } }]);
		expect(written).toEqual([{ [name]: 'new' }]);
	});

	it('keep their values, also through an undo', async () => {
		const { work, written } = await service({ status: 'wc-active' });
		const set = ['ticket', 'fields', 'set', '14', '--set', 'status=wc-expired', '--snapshot', ...words];
		expect((await work.run(set)).exitCode).toBe(0);
		expect((await work.run('run undo --yes last -q')).exitCode).toBe(0);
		expect(written).toEqual([{ status: 'wc-expired' }, { status: 'wc-active' }]);
	});
});

it('rows that were not reached are read in the words of their run', async () => {
	const { work } = await startWorkplace(json(400, { code: 'no', message: 'no' }));
	work.write('edits.csv', 'id,status\n1,wc-active\n2,wc-active\n3,wc-active\n');
	const update = 'ticket update --input edits.csv -j 1 --stop-on-error --shop-prefix wc -q'.split(' ');
	expect((await work.run(update)).exitCode).toBe(1);
	const { stdout } = await work.run('run rejects last --outcome not-sent --format csv');
	expect(stdout).toBe(
		[
			'id,status,error',
			'2,wc-active,the run ended before this row',
			'3,wc-active,the run ended before this row',
			'',
		].join('\n'),
	);
});

describe('a site without pretty URLs', () => {
	it.each(['/?rest_route=', '/?rest_route=/', '/?rest_route=/acme-api/v1/tickets'])(
		'takes requests at a base URL that ends in %s',
		async (end) => {
			const place = new URL(end, desk.baseUrl).href;
			const { run, login } = await signIn(...flags().slice(2), '--base-url', place);
			expect(login.exitCode).toBe(0);
			const listed = await run('ticket list --status hold --format ids');
			const all = await run('ticket list --format csv --fields id,status');
			const held = all.stdout.split('\n').filter((line) => line.endsWith(',hold'));
			expect(listed.stdout).toBe(held.map((line) => `${line.split(',')[0]}\n`).join(''));
			expect(await run('ticket update 7 --status processing --format ids')).toMatchObject({
				stdout: '7\n',
			});
			expect(status(7)).toBe('processing');
			const pages = await run(
				'api GET tickets?status=any&state=any&assignee=0&author=0&per_page=6 --paginate --query length(@)',
			);
			expect(pages.stdout).toBe('20\n');
			expect((await run('api GET tickets/7 -f method=DELETE')).exitCode).toBe(0);
			expect((await run('api GET tickets/7 -f rest_route=/x')).exitCode).toBe(2);
			expect(status(7)).toBe('processing');
		},
	);
});
