/** Journals whose lines have right checksums and odd values: every command reads them or says what is wrong. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunHeader } from '../../src/bulk/plan.js';
import { headerOf, lineOf } from '../support/journal.js';
import { done, startRecorder } from '../support/recorder.js';
import { createWorkplace } from '../support/workplace.js';

/** Where a path leads in a header, and what stands there. */
type Oddity = readonly [path: string, value: unknown];

function withOddity(header: RunHeader, [path, value]: Oddity): Record<string, unknown> {
	const copy = JSON.parse(JSON.stringify({ type: 'plan', version: 3, ...header })) as Record<string, unknown>;
	const names = path.split('.');
	const last = names.pop() ?? '';
	let parent = copy;
	for (const name of names) {
		parent[name] ??= {};
		parent = parent[name] as Record<string, unknown>;
	}
	parent[last] = value;
	return copy;
}

async function place() {
	const recorder = await startRecorder(done());
	const work = createWorkplace(recorder.env);
	const ids = ['1', '2', '3'];
	const source = { from: 'ids', ids } as const;
	const values = { ids: {}, fields: { status: 'hold' }, withheld: [], force: false, add: {}, remove: {} };
	const service = { ...headerOf(0).plan.service, baseUrl: recorder.baseUrl, profile: undefined };
	const header = headerOf(3, { source, values, service });
	const write = (oddity: Oddity | undefined, records: readonly Record<string, unknown>[] = []): void => {
		const first = oddity === undefined ? { type: 'plan', version: 3, ...header } : withOddity(header, oddity);
		const lines = [first, ...records].map((each) => lineOf(each));
		writeFileSync(join(work.folder, 'j.ndjson'), `${lines.join('\n')}\n`);
	};
	return { recorder, work, write };
}

const COMMANDS = [
	'run show ./j.ndjson --json',
	'run show ./j.ndjson --outcome ok,failed,skipped,unknown',
	'run show ./j.ndjson --report html:run.html --report junit:run.xml --report markdown:run.md',
	'run rejects ./j.ndjson',
	'run undo ./j.ndjson --yes',
	'run retry ./j.ndjson --dry-run',
	'run resume ./j.ndjson --dry-run',
];

const odd: readonly unknown[] = [null, 5, -1, 1.5, 4_000_000_000, 'x', '', true, [], [{}], {}, { a: {} }];

const PARTS = [
	...['id', 'started', 'tool', 'concurrency', 'note', 'reports', 'who', 'who.user', 'who.host', 'who.account'],
	...['input', 'input.sha256', 'input.rows', 'input.last', 'input.own', 'input.copied', 'plan', 'plan.endpoint'],
	...['plan.source', 'plan.source.from', 'plan.source.ids', 'plan.columns', 'plan.columns.map', 'plan.columns.ignore'],
	...['plan.columns.ignoreOther', 'plan.columns.blank', 'plan.values', 'plan.values.ids', 'plan.values.fields'],
	...['plan.values.fields.status', 'plan.values.withheld', 'plan.values.force', 'plan.values.reassign'],
	...['plan.values.add', 'plan.values.remove', 'plan.values.add.ticket-tag', 'plan.checks', 'plan.checks.verify'],
	...['plan.checks.conditions', 'plan.checks.allowDiffers', 'plan.checks.snapshot', 'plan.stop.maxFailures'],
	...['plan.stop', 'plan.shard', 'plan.shard.index', 'plan.shard.count', 'plan.service', 'plan.service.baseUrl'],
	...['plan.service.prefixes', 'plan.service.profile', 'plan.service.protected', 'plan.skipInvalid'],
];

describe('a journal with an odd header', () => {
	it.each(PARTS)('is read or refused, and never a bug: %s', async (part) => {
		const { work, write } = await place();
		for (const value of odd) {
			write([part, value]);
			for (const command of COMMANDS) {
				const { exitCode, stderr } = await work.run(command);
				const shown = `${command} with ${part} ${JSON.stringify(value)} (exit ${exitCode}): ${stderr}`;
				expect(shown).not.toMatch(/unexpected error|undefined|NaN|\[object/);
			}
		}
	});

	it('of four billion rows takes no room for them', async () => {
		const { work, write } = await place();
		write(['input.rows', 4_000_000_000]);
		const { exitCode, stdout } = await work.run('run show ./j.ndjson --field input_rows');
		expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '4000000000\n' });
	});

	it.each(['#s3cr3t', '?token=s3cr3t', '?rest_route=/a&token=s3cr3t'])(
		'of a base URL with %s is refused, and nothing of it is printed',
		async (more) => {
			const { recorder, work, write } = await place();
			for (const url of [recorder.baseUrl + more, recorder.baseUrl.replace('//', '//ada:s3cr3t@')]) {
				write(['plan.service.baseUrl', url]);
				for (const command of [...COMMANDS, 'run undo ./j.ndjson --yes --base-url http://127.0.0.1:1']) {
					const { exitCode, stdout, stderr } = await work.run(command);
					expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/no valid .*plan\.service\.baseUrl/)]);
					expect(stdout + stderr).not.toContain('s3cr3t');
				}
			}
		},
	);

	it('of a site without pretty URLs is read', async () => {
		const { work, write } = await place();
		write(['plan.service.baseUrl', 'https://desk.example.com/?rest_route=/api']);
		const { exitCode, stdout, stderr } = await work.run('run show ./j.ndjson --field service');
		expect([exitCode, stdout], stderr).toEqual([0, 'https://desk.example.com/?rest_route=/api\n']);
	});

	it('of a shard that is not there is refused', async () => {
		const { work, write } = await place();
		write(['plan.shard', { index: 3, count: 2 }]);
		expect(await work.run('run show ./j.ndjson')).toMatchObject({
			exitCode: 1,
			stderr: expect.stringContaining('shard 3 of 2 does not exist'),
		});
	});
});

describe('a journal with odd records', () => {
	const row = { type: 'row', row: 1, id: '1', outcome: 'failed', attempts: 1, ms: 5 };
	const end = { type: 'end', at: '2026-11-21T07:46:00.000Z', exit: 1 };

	it.each([
		['no object', null],
		['a text of another type', { ...row, message: 5 }],
		['reasons that are none', { ...row, reasons: 'x' }],
		['differences that are none', { ...row, outcome: 'differs', differs: [5] }],
		['an outcome of no kind', { ...row, outcome: 'fine' }],
		['an ID that is an object', { ...row, id: { a: 1 } }],
		['no time', { ...row, ms: null }],
		['an end without counts', end],
		['an end of odd counts', { ...end, counts: { ok: 'x' } }],
		['old values that are none', { type: 'before', row: 1, ids: 5, values: [], sent: null }],
		['a tick without a time', { type: 'tick', ms: 'x' }],
	])('is read by every command: %s', async (_, record) => {
		const { work, write } = await place();
		write(undefined, [row, record as Record<string, unknown>, { ...row, row: 2, id: '2', outcome: 'ok' }]);
		for (const command of [...COMMANDS, 'run list --json']) {
			const { exitCode, stderr, stdout } = await work.run(command);
			expect(`${command} (exit ${exitCode}): ${stderr}`).not.toMatch(/unexpected error|undefined|NaN|\[object/);
			if (command === 'run show ./j.ndjson --json') {
				expect(JSON.parse(stdout)).toMatchObject({ ok: 1, failed: 1, damaged_lines: 1, state: 'crashed' });
			}
		}
	});
});

describe('a journal whose end disagrees with its records', () => {
	it('is believed row by row: by run show, its reports, run resume and run retry', async () => {
		const { recorder, work } = await place();
		await work.run('ticket update 1 2 3 --status hold --no-snapshot -q');
		const [path = ''] = work.journals();
		const records = work.records(path).filter(({ type, row }) => type !== 'row' || row !== 3);
		const failed = { outcome: 'failed', status: 409, code: 'no' };
		const edited = records.map((each) => (each.type === 'row' && each.row === 2 ? { ...each, ...failed } : each));
		writeFileSync(path, edited.map((each) => `${lineOf(each)}\n`).join(''));
		const show = async () => JSON.parse((await work.run('run show last --json --report junit:run.xml')).stdout);
		const view = await show();
		expect(view).toMatchObject({ state: 'stopped', ok: 1, failed: 1, not_sent: 1, open: 1 });
		expect(view.damage).toEqual(['its end says 3 ok, but its records say 1 ok, 1 failed, 1 not sent']);
		expect(view.next[0]).toMatch(/^supportctl run retry/);
		expect(work.read('run.xml')).toContain('failures="1"');
		for (const [command, id] of [
			['resume', '3'],
			['retry', '2'],
		]) {
			recorder.requests.length = 0;
			await work.run(`run ${command} last`);
			const writes = recorder.requests.filter(({ method }) => method === 'POST');
			expect(writes.map(({ url }) => url.split('/').at(-1))).toEqual([id]);
		}
		const after = await show();
		expect(after).toMatchObject({ state: 'finished', ok: 3, failed: 0 });
		expect(after).not.toHaveProperty('damage');
	});
});
