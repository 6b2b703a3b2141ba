/** What arguments and flags make of a run: its plan, how it is carried out, and the secrets that no plan holds. */

import { describe, expect, it } from 'vitest';
import { neutralDialect } from '../../../src/api/dialect.js';
import type { EndpointName } from '../../../src/api/endpoints.js';
import type { RunPlan } from '../../../src/bulk/plan.js';
import { commands } from '../../../src/cli/manifest.js';
import { jobOf, readGiven } from '../../../src/cli/runs/job.js';
import type { RunInvocation } from '../../../src/cli/runs/options.js';
import type { Session } from '../../../src/cli/session.js';
import { resolveSettings } from '../../../src/profile/settings.js';
import { memoryContext } from '../../support/context.js';
import { parseWords } from '../../support/parse-words.js';

const service = { baseUrl: 'https://desk.example/wp-json', prefixes: neutralDialect.prefixes };
const session = {
	dialect: neutralDialect,
	connection: { baseUrl: service.baseUrl, profileName: 'live' },
	service: { ...service, profile: 'live', protected: true },
} as unknown as Session;

/** Reads `ticket update 14 --status hold`. */
async function read(line: string, stdin = '') {
	const all = line.split(' ');
	const entry = commands.find(({ words }) => words.every((word, at) => all[at] === word));
	if (entry === undefined) throw new Error(`no command: ${line}`);
	const command = await entry.load();
	const words = [...entry.words];
	const context = memoryContext({ cwd: '/here', stdin });
	const invocation = { context, words, ...parseWords(command, words, all.slice(words.length)) } as RunInvocation;
	const name = words.join('.') as EndpointName;
	const profile = { name: 'live', values: { protected: true, concurrency: 7, rate: 3 }, file: 'config.json' };
	const flags = Object.fromEntries(Object.entries(invocation.options).filter(([, value]) => value !== 'auto'));
	const { settings } = resolveSettings({ env: {}, cwd: '/here' }, flags, profile);
	const connection = { ...session.connection, settings };
	return jobOf(name, await readGiven(name, invocation), invocation, { ...session, connection } as Session);
}

const planFor = async (line: string): Promise<RunPlan> => (await read(line)).plan;

describe('the plan of a run', () => {
	it('holds every choice in full, as JSON keeps it', async () => {
		const plan = await planFor('ticket update 14 15 --status hold');
		expect(plan).toEqual({
			endpoint: 'ticket.update',
			source: { from: 'ids', ids: ['14', '15'] },
			columns: { map: {}, ignore: [], ignoreOther: false, blank: 'skip' },
			values: { ids: {}, fields: { status: 'hold' }, withheld: [], force: false, add: {}, remove: {} },
			checks: {
				...{ onlyChanged: false, verify: false, snapshot: true, ifUnmodified: false, conditions: [] },
				...{ allowDiffers: false, ignoreMissing: false },
			},
			stop: { onError: false, maxFailures: undefined },
			skipInvalid: false,
			undocumented: false,
			shard: undefined,
			service: { ...service, profile: 'live', protected: true },
		});
		expect(JSON.parse(JSON.stringify(plan))).toMatchObject({ source: plan.source, checks: plan.checks });
	});

	it.each([
		['--input edits.csv', { from: 'file', path: '/here/edits.csv', name: 'edits.csv' }],
		['--input edits --input-format tsv', { from: 'file', path: '/here/edits', name: 'edits', format: 'tsv' }],
		['--input -', { from: 'file', path: '-', name: 'standard input' }],
		['-', { from: 'file', path: '-', name: 'standard input', format: 'ids' }],
	])('finds rows in %s', async (flags, source) => {
		expect((await planFor(`ticket update ${flags} --title x`)).source).toEqual(source);
	});

	it.each([
		['ticket delete 1 --verify --snapshot --ignore-missing', { verify: true, snapshot: true, ignoreMissing: true }],
		['ticket update 1 --title x --only-changed --if-unmodified', { onlyChanged: true, ifUnmodified: true }],
		['ticket update 1 --title x --allow-differs', { allowDiffers: true }],
		['ticket update 1 --title x --allow-differs=slug,status', { allowDiffers: ['slug', 'status'] }],
		[
			'ticket update 1 --title x --if status=hold --if assignee=',
			{
				conditions: [
					{ field: 'status', value: 'hold' },
					{ field: 'assignee', value: '' },
				],
			},
		],
	])('keeps the checks of %s', async (line, checks) => {
		expect((await planFor(line)).checks).toMatchObject(checks);
	});

	it('keeps what columns mean, what stops it and which part it is', async () => {
		const plan = await planFor(
			'ticket update --input e.csv --map a=b=title --ignore-column x,y --ignore-other-columns --map No=id --blank clear' +
				' --skip-invalid --undocumented --shard 2/3 --stop-on-error --max-failures 5',
		);
		expect(plan.columns.map).toEqual({ 'a=b': 'title', No: 'id' });
		expect(plan.columns).toMatchObject({ ignore: ['x', 'y'], ignoreOther: true, blank: 'clear' });
		expect(plan).toMatchObject({ skipInvalid: true, undocumented: true, shard: { index: 2, count: 3 } });
		expect(plan.stop).toEqual({ onError: true, maxFailures: 5 });
	});

	it('holds path ids, force and reassign, which are no fields', async () => {
		const { endpoint, values } = await planFor('term delete product 3 --force');
		expect([endpoint, values]).toEqual([
			'term.delete',
			expect.objectContaining({ ids: { taxonomy: 'product' }, force: true }),
		]);
		expect((await planFor('reply update 14 3 4 --content x')).values.ids).toEqual({ ticket_id: '14' });
		expect((await planFor('user delete 7 --reassign 2')).values).toMatchObject({ reassign: '2', fields: {} });
	});

	it('holds custom fields of any name', async () => {
		const { values } = await planFor('ticket fields set 14 --set __proto__=x --set constructor=y');
		expect(JSON.stringify(values.fields)).toBe('{"__proto__":"x","constructor":"y"}');
	});

	it('names secret fields and holds no value of them', async () => {
		const { plan, secrets } = await read('user update 7 --locale de --password-stdin', 'hunter2hunter2\n');
		expect(plan.values).toMatchObject({ fields: { locale: 'de' }, withheld: ['password'] });
		expect(secrets).toEqual({ password: 'hunter2hunter2' });
		expect(JSON.stringify(plan)).not.toContain('hunter2');
	});

	it.each([
		['ticket update', 'missing <id>, -, or --input'],
		['ticket update 1 --input e.csv --title x', 'pass rows with --input or as arguments, not both'],
		['ticket update 1 - --title x', "- reads IDs from stdin and can't be combined with other IDs"],
		['ticket update 1', 'nothing to change'],
		['ticket update 1 --title x --map title', '--map "title" is not COLUMN=FIELD'],
		['ticket update 1 --title x --if status', '--if "status" is not FIELD=VALUE'],
		['ticket update 1 --title x --if status=hodl', 'did you mean "hold"?'],
		['ticket update 1 --title x --allow-differs=titel', 'no field "titel"; did you mean "title"?'],
		['ticket update 1 --title x --shard 3/2', '--shard "3/2" is not K/N'],
		['reply delete 73', 'missing <id>, -, or --input ("73" is the <ticket-id>)'],
		['user password delete jose', 'missing <slug>, -, or --input ("jose" is the <user-id>)'],
		['user delete 7', '--reassign USER is required'],
		['term delete product 3', '--force is required'],
	])('is refused: %s', async (line, message) => {
		await expect(read(line)).rejects.toThrow(message);
	});
});

describe('how a run is sent', () => {
	it('comes from flags, then from the profile, then from the defaults, and is no part of the plan', async () => {
		const given = await read('ticket update 1 --title x -j 2 --rate 9 --first 5 -q');
		expect(given.tuning).toEqual({ concurrency: 2, auto: false, first: 5 });
		const { plan, tuning } = await read('ticket update 1 --title x');
		expect(tuning).toEqual({ concurrency: 7, auto: false, first: undefined });
		expect(given.plan).toEqual(plan);
	});
});
