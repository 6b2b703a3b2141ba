/** An export is an import: what a list writes, an update reads back, and finds nothing to change. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { taxonomies } from '../../src/api/fields.js';
import { textOf } from '../support/any-text.js';
import { runCli, runHere } from '../support/cli.js';
import { type ListService, type Stored, startListService, ticket } from '../support/list-service.js';
import { done, json } from '../support/recorder.js';
import { startSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';
import { createWorkplace } from '../support/workplace.js';

const changes = (service: ListService) => service.requests.filter(({ method }) => method === 'POST');

/** Lists to a file, and gives the file to an update. */
async function feedBack(service: ListService, format: string, ...flags: string[]) {
	const exported = await service.run(['ticket', 'list', '--format', format]);
	const file = join(temporaryFolder(), `t.${format}`);
	writeFileSync(file, exported.stdout);
	const updated = await service.run(['ticket', 'update', '--input', file, ...flags]);
	return { exported, updated };
}

const hostile = fc.oneof(
	fc.constantFrom(
		'',
		' ',
		'  both  ',
		'tail ',
		'\t',
		'\n',
		'a\r\nb',
		'a\rb',
		'"',
		'""',
		"'",
		'=1+1',
		'@SUM(A1)',
		'-1',
		'+49',
		'a,b',
		'a;b',
		'Fish & Chips',
		'Fish &amp; Chips',
		'<p>x</p>',
		'😀👩‍👧',
		'\u0000',
		'\ufeffbom',
		'\ud800',
		'null',
		'true',
		'007',
		'[redacted]',
		'{"a":1}',
		'@me',
		'@file',
		'\u2028',
	),
	textOf(),
);

const anyOf = <T>(...values: T[]) => fc.constantFrom<T>(...values);

const hostileTicket = fc.record(
	{
		title: hostile,
		content: hostile,
		slug: hostile,
		'time-notes': hostile,
		status: fc.oneof(anyOf('hold', 'queued', 'publish', 'trash', 'made-up'), hostile),
		state: hostile,
		date: fc.oneof(
			anyOf<unknown>('2026-11-01T10:00:00', '2026-11-01 10:00:00', '0000-00-00T00:00:00', null, ''),
			hostile,
		),
		date_gmt: anyOf<unknown>('2026-11-01T10:00:00', null),
		author: anyOf<unknown>(0, 7, '7', '', null, -1, 1.5),
		assignee: anyOf<unknown>(0, 7, '7', '', null, '@me'),
		'ticket-tag': fc.oneof(
			fc.array(fc.nat(99)),
			anyOf<unknown>(['a,b'], [' a '], ['007'], '', null, [[1]], [{}]),
			fc.array(hostile, { maxLength: 3 }),
		),
		product: fc.oneof(anyOf<unknown>('', '5', 5, null, 'alpha'), hostile),
		'time-adjustments': anyOf<unknown>(0, 5, '5', '', null),
		'time-adjustments-type': anyOf<unknown>('+', '-', 'positive', '', null, 'odd'),
		'customer-reply-count': fc.nat(9),
		guid: hostile,
		link: hostile,
	},
	{ requiredKeys: [] },
);

describe('an unedited export', () => {
	for (const format of ['csv', 'tsv', 'json', 'ndjson']) {
		test(`as ${format} that is fed back changes nothing, whatever its values`, async () => {
			const service = await startListService({ objects: [] });
			await fc.assert(
				fc.asyncProperty(fc.array(hostileTicket, { minLength: 12, maxLength: 20 }), async (fields) => {
					service.objects.splice(0, Number.POSITIVE_INFINITY, ...fields.map((each, at) => ticket(at + 1, each)));
					const stored = structuredClone(service.objects);
					service.requests.length = 0;
					const changed = await feedBack(service, format, '--only-changed');
					expect([changed.updated.exitCode, changed.updated.stderr].join()).toMatch(/^0,/);
					expect(changes(service)).toEqual([]);
					// Every value is written back as it is, where all are sent.
					const all = await feedBack(service, format);
					expect([all.updated.exitCode, all.updated.stderr].join()).toMatch(/^[06],/);
					for (const [at, before] of stored.entries()) expectSame(service.objects[at] as Stored, before);
				}),
				{ numRuns: 12 },
			);
		});
	}
});

/** A number may be written back for its digits, and a list for one value; texts are the same to the letter. */
function expectSame(now: Stored, before: Stored): void {
	const plain = (value: unknown): string =>
		value === null || value === 0 ? '' : Array.isArray(value) ? value.join(',') : String(value);
	for (const name of Object.keys(before)) {
		if (typeof before[name] === 'string' && typeof now[name] === 'string') expect(now[name]).toBe(before[name]);
		else expect(plain(now[name])).toBe(plain(before[name]));
	}
}

describe('the columns of an export', () => {
	test('are those that an update reads, without what the service computes', async () => {
		const service = await startListService({
			objects: [ticket(14, { title: 'Fish & Chips', 'total-reply-count': 3, guid: 'x' })],
		});
		const { stdout, stderr } = await runHere('ticket list --format csv', { env: service.env });
		expect({ stdout, stderr }).toEqual({
			stdout:
				'id,date,date_gmt,slug,status,title,content,ticket-tag,product,department,ticket_priority,ticket_channel,state,author,' +
				'assignee,secondary-assignee,tertiary-assignee,time-adjustments,time-adjustments-type,time-notes,modified_gmt\n' +
				'14,,,,hold,Fish & Chips,,,,,,,,,,,,,,,2026-11-01T00:00:00\n',
			stderr: '',
		});
	});

	test('are fewer with --fields, and the sheet still fits', async () => {
		const service = await startListService({ objects: [ticket(14, { title: ' x ', link: 'l' }), ticket(15)] });
		const { stdout } = await service.run('ticket list --format csv --fields id,title,link');
		expect(stdout).toBe('id,title,link\n14," x ",l\n15,,\n');
	});

	test('leave out a value that would not come back, and say of which', async () => {
		const service = await startListService({
			objects: [ticket(14, { status: 'trash' }), ticket(15, { 'ticket-tag': ['a,b'] })],
		});
		const { stderr } = await service.run('ticket list --format csv');
		expect(stderr).toContain('warning: status: 1 value left out (ticket 14): an update would reject or change it');
		expect(stderr).toContain('warning: ticket-tag: 1 value left out (ticket 15)');
	});

	test('stand for replies of a ticket, users and terms in the same way', async () => {
		const service = await startListService({
			objects: [],
			instead({ url }) {
				if (url.includes('/replies'))
					return json(200, [{ id: 21, content: { raw: 'Hi', rendered: '<p>Hi</p>' }, status: 'read' }]);
				if (url.includes('/users'))
					return json(200, [{ id: 7, username: 'ada', roles: ['agent', 'editor'], meta: { token: 'x' } }]);
				if (url.includes('/product')) return json(200, [{ id: 9, name: 'A & B', slug: 'a-b', count: 3 }]);
				return undefined;
			},
		});
		const csv = async (...words: string[]): Promise<string> =>
			(await service.run([...words, '--format', 'csv'])).stdout;
		expect(await csv('reply', 'list', '14')).toBe(
			'ticket_id,id,date,date_gmt,status,content,author,modified_gmt\n14,21,,,read,Hi,,\n',
		);
		expect(await csv('term', 'list', 'product')).toBe(
			'taxonomy,id,description,name,slug,parent,meta\nproduct,9,,A & B,a-b,,\n',
		);
		const users = await csv('user', 'list');
		expect(users).toContain('"agent,editor"');
		expect(users).not.toContain('password');
		// A secret in meta is not printed; the placeholder for it could be sent back.
		expect(users).not.toContain('redacted');
	});
});

describe('a row of an export', () => {
	test('is not written with --if-unmodified once the object was changed', async () => {
		const service = await startListService({ objects: [ticket(14, { title: 'A' }), ticket(15, { title: 'B' })] });
		const exported = await service.run('ticket list --format csv');
		const file = join(temporaryFolder(), 't.csv');
		writeFileSync(file, exported.stdout.replaceAll('hold', 'queued'));
		(service.objects[1] as Stored).modified_gmt = '2026-11-02T00:00:00';
		const { stdout } = await runHere(
			[
				'ticket',
				'update',
				'--input',
				file,
				'--only-changed',
				'--if-unmodified',
				'-j',
				'1',
				'--format',
				'csv',
				'--fields',
				'id,outcome,code',
			],
			{ env: service.env },
		);
		expect(stdout).toBe('id,outcome,code\n14,ok,\n15,skipped,conflict\n');
		expect(changes(service).map(({ url, body }) => [url.split('/').at(-1), body])).toEqual([
			['14', '{"status":"queued"}'],
		]);
	});
});

test('--if-unmodified needs rows that say when an object was changed', async () => {
	const service = await startListService({ objects: [ticket(14)] });
	const flags = ['--status', 'queued', '--if-unmodified'];
	const one = await service.run(['ticket', 'update', '14', ...flags]);
	expect(one).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--if-unmodified requires --input') });
	const rows = await runHere(['ticket', 'update', '-', ...flags], { env: service.env, input: '14\n' });
	expect(rows).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('modified_gmt is missing') });
	expect(service.requests).toEqual([]);
});

describe('@me', () => {
	const me = {
		instead: ({ url }: { url: string }) => (url.endsWith('/users/username') ? json(200, { id: 42 }) : undefined),
	};

	test('is the caller in a flag of an update', async () => {
		const service = await startListService({ objects: [ticket(14, { assignee: 0 })], ...me });
		const { exitCode } = await service.run('ticket update 14 --assignee @me');
		expect({ exitCode, body: service.requests.at(-1)?.body }).toEqual({ exitCode: 0, body: '{"assignee":42}' });
	});

	test('is the caller where something goes to a user', async () => {
		const service = await startListService({
			objects: [],
			instead({ url, method }) {
				if (!url.includes('/users')) return undefined;
				if (url.endsWith('/users/username')) return json(200, { id: 42 });
				if (method === 'DELETE') return done();
				const user = (id: string | undefined) => ({ id: Number(id), nickname: 'old' });
				const listed = new URL(url, 'http://service').searchParams.get('include')?.split(',').map(user);
				return json(200, listed ?? user(/users\/(\d+)/.exec(url)?.[1]), { 'x-wp-total': `${listed?.length}` });
			},
		});
		const { exitCode, stderr } = await service.run('user delete 9 --reassign @me --yes');
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(service.requests.at(-1)?.url).toContain('/users/9?force=true&reassign=42');
		await service.run('user get @me');
		expect(service.requests.at(-1)?.url).toContain('/users/42?');
		for (const ids of [['@me'], ['7', '@me', '-j', '1']]) {
			await service.run(['user', 'update', ...ids, '--nickname', 'x']);
			expect(service.requests.at(-1)?.url).toMatch(/\/users\/42$/);
		}
	});

	test('is the caller in cells, and asked for once', async () => {
		const service = await startListService({ objects: [14, 15, 16].map((id) => ticket(id, { assignee: 0 })), ...me });
		const input = 'id,assignee\n14,@me\n15,7\n16,@me\n';
		await service.run('ticket update --input - --input-format csv -j 1', { input });
		expect(service.requests.flatMap(({ body }) => (body === '' ? [] : [body])).slice(1)).toEqual([
			'{"assignee":42}',
			'{"assignee":7}',
			'{"assignee":42}',
		]);
		expect(service.requests[0]?.url).toContain('/users/username');
	});
});

test('exports of the sandbox fit for every kind of object', async () => {
	const sandbox = await startSandbox({ seed: 130 });
	const cases = [['ticket'], ['user'], ['attachment'], ['reply', '5'], ['term', 'ticket_priority']] as const;
	for (const [noun, ...owner] of cases) {
		const exported = await runHere([noun, 'list', ...owner, '--format', 'csv'], { env: sandbox.env });
		expect({ noun, stderr: exported.stderr }).toEqual({ noun, stderr: '' });
		const flags = ['--input', '-', '--input-format', 'csv', '--only-changed', '--format', 'csv', '--fields', 'outcome'];
		const updated = await runHere([noun, 'update', ...flags], { env: sandbox.env, input: exported.stdout });
		const [, ...outcomes] = updated.stdout.trim().split('\n');
		expect({ noun, outcomes: [...new Set(outcomes)], exitCode: updated.exitCode }).toEqual({
			noun,
			outcomes: ['skipped'],
			exitCode: 0,
		});
	}
	expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	await sandbox.stop();
});

test('a priority keeps the color that a service clears with an update, and an undo changes nothing else', async () => {
	const sandbox = await startSandbox({ seed: 5 });
	const env = { ...sandbox.env, SUPPORTCTL_STATE_DIR: temporaryFolder() };
	const colors = async () => {
		const { stdout } = await runHere(
			['api', 'GET', 'ticket_priority?orderby=id&order=asc', '--query', '[].[name, color]', '--json'],
			{
				env,
			},
		);
		return JSON.parse(stdout) as [string, string][];
	};
	const before = await colors();
	const update = ['term', 'update', 'ticket_priority', '23', '24', '--description', 'x', '-q'];
	for (const flag of ['--only-changed', '--snapshot']) {
		const name = ['--name', flag.slice(2)];
		expect((await runHere([...update, ...name, flag], { env })).exitCode).toBe(0);
		expect((await colors()).map(([, color]) => color)).toEqual(before.map(([, color]) => color));
		if (flag === '--only-changed') continue;
		expect((await runHere(['run', 'undo', 'last', '--yes'], { env })).exitCode).toBe(0);
		expect((await colors()).filter(([each]) => each === 'only-changed')).toHaveLength(2);
		expect((await colors()).map(([, color]) => color)).toEqual(before.map(([, color]) => color));
	}
	await sandbox.stop();
});

test('a reply of another ticket than the path names is not moved where it is read first', async () => {
	const sandbox = await startSandbox({ seed: 20 });
	const env = { ...sandbox.env, SUPPORTCTL_STATE_DIR: temporaryFolder() };
	const id = (await runHere(['reply', 'list', '5', '--limit', '1', '--format', 'ids'], { env })).stdout.trim();
	const result = await runHere(['reply', 'update', '6', id, '--status', 'read', '--snapshot', '--json'], { env });
	expect(result.exitCode).toBe(1);
	expect(JSON.parse(result.stdout)).toMatchObject([
		{ outcome: 'failed', code: 'not_read', message: expect.stringContaining('parent 5, not 6') },
	]);
	expect((await runHere(['api', 'GET', `tickets/5/replies/${id}`, '--field', 'parent'], { env })).stdout).toBe('5\n');
	await sandbox.stop();
});

test('what a list shows can be edited in one go', async () => {
	const service = await startListService({ objects: [ticket(14), ticket(15)] });
	const { stdout } = await runCli('ticket list --format ids', { env: service.env });
	await runCli('ticket update - --status queued', { env: service.env, input: stdout });
	expect(service.objects.map(({ status }) => status)).toEqual(['queued', 'queued']);
});

describe('where an ID is also what another one is called', () => {
	/** Each taxonomy has a term that is named like the ID of the one that ticket 14 has, and one whose slug is. */
	async function ambiguous() {
		const { store, env } = await startSandbox();
		const ticket = store.tickets.get(14);
		if (ticket === undefined) throw new Error('no ticket 14');
		const held: Record<string, number> = {};
		for (const taxonomy of taxonomies) {
			const [own, named, slugged] = [...store.terms.values()].filter((term) => term.taxonomy === taxonomy);
			if (own === undefined || named === undefined || slugged === undefined) throw new Error(`few ${taxonomy} terms`);
			held[taxonomy] = own.id;
			named.name = String(own.id);
			slugged.slug = String(own.id);
		}
		Object.assign(ticket, held, { 'ticket-tag': [held['ticket-tag']] });
		const agent = store.users.get(3);
		Object.assign(agent ?? {}, { username: '4' });
		Object.assign(ticket, { assignee: 3, author: 4 });
		return { store, held, ticket, work: createWorkplace(env) };
	}

	test.each(['csv', 'tsv', 'json', 'ndjson'])('an unedited export as %s changes nothing', async (format) => {
		const { store, held, ticket, work } = await ambiguous();
		const exported = await work.run(`ticket list --format ${format}`);
		expect(exported.stderr).not.toMatch(/left out/);
		work.write(`t.${format}`, exported.stdout);
		const before = structuredClone([...store.tickets.values()]);
		const updated = await work.run(`ticket update --input t.${format} --note again`);
		expect(updated.exitCode, updated.stderr).toBe(0);
		expect([...store.tickets.values()]).toEqual(before);
		const all = await work.run(`ticket update --input t.${format} --send-unchanged --first 20`);
		expect(all.exitCode, all.stderr).toBe(0);
		for (const taxonomy of taxonomies) expect([ticket[taxonomy]].flat()).toEqual([held[taxonomy]]);
		expect(ticket).toMatchObject({ assignee: 3, author: 4 });
	});

	test('an unedited export of terms changes nothing', async () => {
		const { store, work } = await ambiguous();
		work.write('terms.csv', (await work.run('term list ticket_priority --format csv')).stdout);
		const before = structuredClone([...store.terms.values()]);
		const updated = await work.run('term update ticket_priority --input terms.csv');
		expect(updated.exitCode, updated.stderr).toBe(0);
		expect([...store.terms.values()]).toEqual(before);
	});

	test('tags that the first page of a list does not show are exported in the same way', async () => {
		const { store, held, ticket, work } = await ambiguous();
		for (let id = 1000; id < 1150; id++) store.tickets.set(id, { ...ticket, id, 'ticket-tag': [], product: 0 });
		const exported = await work.run('ticket list --format csv --sort -id --fields id,ticket-tag,product');
		const row = exported.stdout.split('\n').find((line) => line.startsWith('14,'));
		expect(row).toBe(`14,id:${held['ticket-tag']},aurora-router`);
	});
});
