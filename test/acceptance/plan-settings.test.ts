/**
 * Each setting of a run, on each way to send its rows: what the first part was told, the next part does without being
 * told again. The service says what was done; messages count only where a part is refused.
 */

import { describe, expect, test } from 'vitest';
import type { Checks, ColumnSettings, RunPlan, RunService, SharedValues, StopRules } from '../../src/bulk/plan.js';
import type { CliResult } from '../support/cli.js';
import { type Desk, startDesk } from '../support/desk.js';
import { pathOf, type Shown } from '../support/objects.js';
import { done, json, type RecordedRequest, type Responder } from '../support/recorder.js';
import type { Workplace } from '../support/workplace.js';

interface Command {
	readonly words: string;
	readonly idColumn: string;
	/** Of each row, but for its ID. */
	readonly cells: Readonly<Record<string, string>>;
	/** What an update writes, and two more that can be emptied. */
	readonly fields: readonly string[];
	/** Where the service keeps what a row changes; # is the ID. */
	readonly place: string;
}

/** Each takes all from a file, and nothing from flags. */
const commands = {
	'ticket update': { cells: { status: 'hold' }, fields: ['status', 'title', 'content'] },
	'ticket delete': {},
	'ticket fields set': {
		idColumn: 'ticket_id',
		cells: { color: 'red' },
		fields: ['color', 'size', 'note'],
		place: '/tickets/#/custom-fields',
	},
	'user update': { cells: { nickname: 'Ada' }, fields: ['nickname', 'description', 'url'], place: '/users/#' },
	'user delete': { cells: { reassign: '9' }, place: '/users/#' },
	'term update': {
		cells: { taxonomy: 'ticket_priority', name: 'High' },
		fields: ['name', 'description', 'slug'],
		place: '/ticket_priority/#',
	},
} as const satisfies Record<string, Partial<Command>>;

const commandOf = (words: CommandName): Command => ({
	...{ words, idColumn: 'id', cells: {}, fields: [], place: '/tickets/#' },
	...commands[words],
});

type CommandName = keyof typeof commands;

const all = Object.keys(commands) as CommandName[];
const updates = ['ticket update', 'ticket fields set', 'user update', 'term update'] as const;
const ofNamedFields = ['ticket update', 'user update', 'term update'] as const;
const deletes = ['ticket delete', 'user delete'] as const;

/** A first part, and what goes on from it with rows left to send. `start` is a run of one part. */
const ways = {
	start: { first: undefined, next: '' },
	resume: { first: '--first 1', next: 'run resume last' },
	/** The service refuses all rows but the first. */
	retry: { first: '', next: 'run retry last' },
	apply: { first: '--plan edits.plan', next: 'run apply edits.plan' },
	undo: { first: '', next: 'run undo last' },
} as const;

type Way = keyof typeof ways;
type NextPart = Exclude<Way, 'start'>;

const nextParts = ['resume', 'retry', 'apply', 'undo'] as const satisfies readonly NextPart[];

/** Those of users too: 1 is who signs in. */
const ROWS = [14, 16, 18, 21];

/** What the last command did. */
interface Seen extends CliResult {
	readonly words: string;
	readonly command: Command;
	readonly requests: readonly RecordedRequest[];
	readonly writes: readonly RecordedRequest[];
	/** IDs of the objects that were written, in order. */
	readonly ids: readonly number[];
	/** Those of the rows that the part has to send. */
	readonly due: readonly number[];
	/** What their rows ended with, as the journal has it. */
	readonly outcomes: readonly unknown[];
	/** How many objects the journal has old values of. */
	readonly oldValues: number;
	/** What the objects held before the first part, and what they hold now. */
	readonly before: readonly unknown[];
	readonly after: readonly unknown[];
}

interface Setting {
	/** Given to the first part. */
	readonly flags: string | ((command: Command, service: Service) => string);
	/** Commands that have it. */
	readonly on: readonly CommandName[];
	/** Commands that take it and do nothing with it, or something else; for those in neither list it is an unknown flag. */
	readonly idleOn?: readonly CommandName[];
	/** The rows, if not the usual ones. */
	readonly input?: (command: Command) => string;
	/** IDs of the rows that it leaves to be sent. */
	readonly selects?: (command: Command) => readonly number[];
	/** Settings of the machine. */
	readonly env?: Readonly<Record<string, string | undefined>>;
	/** What the service does before the first part. */
	readonly at?: (service: Service, command: Command) => unknown;
	/** What happens at the service before the last command. */
	readonly meanwhile?: (service: Service, command: Command) => unknown;
	/** Whether the last command did as the setting says. */
	readonly shows: (seen: Seen) => boolean;
	/** Whether a run shows the same without it. */
	readonly isDefault?: true;
	/** Next parts that do without it. */
	readonly dropped?: readonly NextPart[];
	/** Next parts that can be told it, if the first was not. */
	readonly anew?: readonly NextPart[];
	/** Next parts that can be told it once more. */
	readonly again?: readonly NextPart[];
	/** Next parts that have to be told it once more, and what is said otherwise. */
	readonly needsAgain?: Partial<Record<NextPart, RegExp>>;
	/** Next parts that are refused in any case, and what is said. */
	readonly refused?: Partial<Record<NextPart, RegExp>>;
}

interface Service {
	readonly desk: Desk;
	readonly work: Workplace;
	/** Writes of these are refused. */
	readonly refusing: Set<number>;
	/** These are not found. */
	readonly gone: Set<number>;
	/** What is shown after a write in the place of what was sent. */
	rewrites: boolean;
}

const isRead = ({ method }: RecordedRequest): boolean => method === 'GET';

/** NaN for anything else. */
function idIn({ place }: Command, request: Pick<RecordedRequest, 'url'>): number {
	return Number(new RegExp(`^${place.replace('#', '(\\d+)')}$`).exec(pathOf(request))?.[1]);
}

function bodyOf({ body }: RecordedRequest): Shown {
	const sent = (body === '' ? {} : JSON.parse(body)) as Shown;
	return (sent.custom_fields as Shown | undefined) ?? sent;
}

const writesAll = ({ ids, due }: Seen): boolean => String(ids) === String(due);
const writesNothing = ({ writes }: Seen): boolean => writes.length === 0;
const writesOneOfSeveral = ({ ids, due }: Seen): boolean => due.length > 1 && ids.length === 1;
const endsWell = ({ outcomes }: Seen): boolean => outcomes.length > 0 && outcomes.every((each) => each === 'ok');
const readsLast = ({ requests }: Seen): boolean => requests.findLastIndex(isRead) === requests.length - 1;

const sends =
	(is: (sent: Shown, fields: readonly string[]) => boolean) =>
	(seen: Seen): boolean =>
		writesAll(seen) && seen.writes.every((each) => is(bodyOf(each), seen.command.fields));

const asks =
	(is: (request: RecordedRequest) => boolean) =>
	(seen: Seen): boolean =>
		writesAll(seen) && seen.writes.every(is);

function sheet(
	{ cells, idColumn }: Command,
	more: Readonly<Record<string, string>> = {},
	ids: readonly unknown[] = ROWS,
): string {
	const own = { ...cells, ...more };
	const lines = [[idColumn, ...Object.keys(own)], ...ids.map((id) => [id, ...Object.values(own)])];
	return `${lines.join('\n')}\n`;
}

function without(command: Command, column: string): Command {
	const { [column]: _, ...cells } = command.cells;
	return { ...command, cells };
}

async function post({ baseUrl }: Desk, path: string, values: Shown): Promise<void> {
	const body = JSON.stringify(path.endsWith('/custom-fields') ? { custom_fields: values } : values);
	await fetch(`${baseUrl}/support-api/v1${path}`, { method: 'POST', body });
}

/** Somebody else gives all objects these values. */
const giving =
	(valuesFor: (command: Command) => Shown) =>
	async ({ desk }: Service, command: Command): Promise<void> => {
		for (const id of ROWS) await post(desk, command.place.replace('#', `${id}`), valuesFor(command));
	};

/** The one that is assigned to a user, if any. */
const ticketOf = (user: number): number => 500 + user;

async function assignTickets({ desk }: Service): Promise<void> {
	for (const id of ROWS) await post(desk, `/tickets/${ticketOf(id)}`, { assignee: id });
}

const CUSTOM_FIELDS = { color: 'old', size: 'old', note: 'old' };

const ownValue = ({ cells, fields: [field = ''] }: Command): Shown => ({ [field]: cells[field] });

const refuseAll = ({ refusing }: Service): void => {
	for (const id of ROWS) refusing.add(id);
};

const CANT_BE_UNDONE = { undo: /can't be undone/ };

const columns = {
	map: {
		flags: ({ idColumn }) => `--map Nr=${idColumn}`,
		on: all,
		input: (command) => sheet({ ...command, idColumn: 'Nr' }),
		shows: writesAll,
	},
	ignore: {
		flags: '--ignore-column Remark',
		on: all,
		input: (command) => sheet(command, { Remark: 'x' }),
		shows: sends((sent) => !('Remark' in sent)),
	},
	ignoreOther: {
		flags: '--ignore-other-columns',
		on: ofNamedFields,
		idleOn: [...deletes, 'ticket fields set'],
		input: (command) => sheet(command, { Remark: 'x' }),
		shows: sends((sent) => !('Remark' in sent)),
	},
	blank: {
		flags: '--blank clear',
		on: updates,
		input: (command) => sheet(command, { [command.fields[1] ?? '']: '' }),
		shows: sends((sent, [, second = '']) => sent[second] === ''),
	},
	clear: {
		flags: ({ fields: [, second] }) => `--blank clear=${second}`,
		on: updates,
		input: (command) => sheet(command, { [command.fields[1] ?? '']: '', [command.fields[2] ?? '']: '' }),
		shows: sends((sent, [, second = '', third = '']) => sent[second] === '' && !(third in sent)),
	},
} satisfies Record<keyof ColumnSettings, Setting>;

const values = {
	ids: {
		flags: 'ticket_priority',
		on: ['term update'],
		idleOn: all,
		input: (command) => sheet(without(command, 'taxonomy')),
		shows: writesAll,
	},
	fields: {
		flags: ({ words, fields: [, second] }) =>
			words === 'ticket fields set' ? `--set ${second}=new` : `--${second} http://new.example`,
		on: updates,
		shows: sends((sent, [, second = '']) => /new/.test(String(sent[second]))),
	},
	withheld: {
		flags: '--password-stdin',
		on: ['user update'],
		shows: sends(({ password }) => password === 'correct horse'),
		needsAgain: {
			resume: /secret values were not saved: password/,
			retry: /secret values were not saved: password/,
		},
		refused: { apply: /edits.plan/ },
	},
	force: {
		flags: '--force',
		on: ['ticket delete'],
		idleOn: ['user delete'],
		shows: asks(({ url }) => /[?&]force=true/.test(url)),
		refused: CANT_BE_UNDONE,
	},
	reassign: {
		flags: '--reassign 8',
		on: ['user delete'],
		input: (command) => sheet(without(command, 'reassign')),
		shows: asks(({ url }) => /[?&]reassign=8/.test(url)),
		refused: CANT_BE_UNDONE,
	},
	add: {
		flags: '--add-ticket-tag 7',
		on: ['ticket update'],
		at: giving(() => ({ 'ticket-tag': [5] })),
		shows: sends((sent) => String(sent['ticket-tag']) === '5,7'),
	},
	remove: {
		flags: '--remove-ticket-tag 7',
		on: ['ticket update'],
		at: giving(() => ({ 'ticket-tag': [5, 7] })),
		shows: sends((sent) => String(sent['ticket-tag']) === '5'),
	},
} satisfies Record<keyof SharedValues, Setting>;

const checks = {
	onlyChanged: {
		flags: '--only-changed --no-snapshot',
		on: updates,
		meanwhile: giving(ownValue),
		shows: writesNothing,
		isDefault: true,
		refused: CANT_BE_UNDONE,
	},
	sendUnchanged: { flags: '--send-unchanged', on: updates, meanwhile: giving(ownValue), shows: writesAll },
	verify: {
		flags: '--verify',
		on: all,
		shows: (seen) => writesAll(seen) && readsLast(seen),
		anew: ['resume', 'retry', 'apply'],
	},
	snapshot: {
		flags: '--no-snapshot',
		on: [...updates, 'ticket delete'],
		shows: (seen) => writesAll(seen) && seen.oldValues === 0,
		// What an apply has to read anyway, it keeps.
		dropped: ['apply'],
		refused: CANT_BE_UNDONE,
	},
	ifUnmodified: {
		flags: '--if-unmodified',
		on: ['ticket update'],
		input: (command) => sheet(command, { modified_gmt: '2026-11-01T08:00:00' }),
		meanwhile: giving(() => ({ modified_gmt: '2026-11-02T08:00:00' })),
		shows: writesNothing,
	},
	conditions: {
		flags: ({ fields: [first = 'status'] }) => `--if ${first}=queued`,
		on: updates,
		idleOn: deletes,
		at: giving(({ fields: [first = ''] }) => ({ [first]: 'queued' })),
		meanwhile: giving(({ fields: [first = ''] }) => ({ [first]: 'read' })),
		shows: writesNothing,
	},
	allowDiffers: {
		flags: '--allow-differs',
		on: updates,
		meanwhile(service) {
			service.rewrites = true;
		},
		shows: (seen) => writesAll(seen) && endsWell(seen),
	},
	ignoreMissing: {
		flags: '--ignore-missing',
		on: deletes,
		meanwhile({ gone }) {
			for (const id of ROWS) gone.add(id);
		},
		shows: endsWell,
	},
	moveTickets: {
		flags: '--move-tickets',
		on: ['user delete'],
		at: assignTickets,
		meanwhile: assignTickets,
		shows: ({ due, requests }) =>
			due.every((id) =>
				requests.some(({ method, url }) => method === 'POST' && url.endsWith(`/tickets/${ticketOf(id)}`)),
			),
		refused: CANT_BE_UNDONE,
	},
	// No flag: an editor gives it, to a run of one row. test/cli/edit.test.ts has what becomes of it.
	expected: { flags: '', on: [], shows: writesAll },
} satisfies Record<keyof Checks, Setting>;

const stop = {
	onError: {
		flags: '--stop-on-error',
		on: all,
		meanwhile: refuseAll,
		shows: writesOneOfSeveral,
		anew: ['apply'],
	},
	maxFailures: {
		flags: '--max-failures 0',
		on: all,
		meanwhile: refuseAll,
		shows: writesOneOfSeveral,
		anew: ['apply'],
	},
} satisfies Record<keyof StopRules, Setting>;

const NOWHERE = 'http://127.0.0.1:9/wp-json';
const NO_VARIABLES = {
	SUPPORTCTL_BASE_URL: undefined,
	SUPPORTCTL_USERNAME: undefined,
	SUPPORTCTL_PASSWORD: undefined,
};

const basic = (user: string): string => `Basic ${Buffer.from(`${user}:pw`).toString('base64')}`;

/** For the profile's own service, which the machine does not use by itself. */
const withProfile =
	(...flags: string[]) =>
	async ({ desk, work }: Service): Promise<void> => {
		for (const [name, url] of [
			['prod', desk.baseUrl],
			['test', NOWHERE],
		] as const) {
			const words = ['profile', 'set', name, '--base-url', url, '--username', name, '--password-stdin'];
			await work.run([...words, '--insecure-storage', ...flags], { stdin: 'pw', env: NO_VARIABLES });
		}
		await work.run('profile use test', { env: NO_VARIABLES });
	};

const service = {
	baseUrl: {
		flags: (_command, { desk }) => `--base-url ${desk.baseUrl}`,
		on: all,
		env: { SUPPORTCTL_BASE_URL: NOWHERE },
		shows: writesAll,
		isDefault: true,
		needsAgain: Object.fromEntries(nextParts.map((each) => [each, /but your base URL is http:\/\/127\.0\.0\.1:9/])),
	},
	prefixes: {
		flags: '--product-prefix help',
		on: all,
		shows: asks(({ url }) => url.includes('/help-api/v1/')),
		needsAgain: { apply: /different API prefixes/ },
		again: nextParts,
	},
	profile: {
		flags: '--profile prod',
		on: all,
		env: NO_VARIABLES,
		at: withProfile(),
		shows: asks(({ headers }) => headers.authorization === basic('prod')),
		isDefault: true,
		again: nextParts,
	},
	protected: {
		flags: '--confirm prod',
		on: all,
		env: { ...NO_VARIABLES, SUPPORTCTL_PROFILE: 'prod' },
		at: withProfile('--protected'),
		shows: writesAll,
		needsAgain: Object.fromEntries(nextParts.map((each) => [each, /pass --confirm=prod/])),
	},
} satisfies Record<keyof RunService, Setting>;

/** A key of a run's plan that has no line here does not compile. */
const settings = {
	endpoint: { flags: '', on: all, shows: writesAll, isDefault: true },
	source: {
		flags: '--input moved.csv',
		on: all,
		shows: writesAll,
		isDefault: true,
		anew: ['resume', 'retry'],
	},
	columns,
	values,
	checks,
	stop,
	skipInvalid: {
		flags: '--skip-invalid',
		on: all,
		input: (command) => sheet(command, {}, [14, '-5', 16, 18, 21]),
		shows: writesAll,
	},
	undocumented: {
		flags: '--undocumented --data {"mood":"fine"}',
		on: ofNamedFields,
		idleOn: ['ticket fields set'],
		at: giving(() => ({ mood: 'sad' })),
		shows: sends(({ mood }) => mood === 'fine'),
	},
	shard: {
		flags: '--shard 1/2',
		on: all,
		// By the path of the request, the same on every machine.
		selects({ place }) {
			if (place.startsWith('/users')) return [14, 18, 21];
			return place.endsWith('/custom-fields') ? [14, 16, 21] : [14, 16, 18];
		},
		shows: writesAll,
	},
	service,
} satisfies { readonly [Name in keyof Required<RunPlan>]: Setting | Readonly<Record<string, Setting>> };

const cells = Object.entries(settings)
	.flatMap(([group, each]): [name: string, setting: Setting][] =>
		'flags' in each
			? [[group, each]]
			: Object.entries(each as Record<string, Setting>).map(([name, one]) => [`${group}.${name}`, one]),
	)
	.filter(([, { on }]) => on.length > 0);

async function startService() {
	const service: Omit<Service, 'desk' | 'work'> = { refusing: new Set(), gone: new Set(), rewrites: false };
	const notFound = json(404, { code: 'rest_post_invalid_id', message: 'Invalid ID.', data: { status: 404 } });
	const last = ({ url }: RecordedRequest): number => Number(/\/(\d+)(?:\/custom-fields)?$/.exec(pathOf({ url }))?.[1]);
	const toWrites: Responder = (request) => {
		const id = last(request);
		if (service.refusing.has(id)) return json(409, { code: 'rest_conflict', message: 'Locked.' });
		if (service.gone.has(id)) return notFound;
		if (!service.rewrites) return done();
		const shown = Object.keys(bodyOf(request)).map((name) => [name, 'rewritten']);
		if (!request.url.includes('custom-fields')) return json(200, { ...Object.fromEntries(shown), id });
		return json(200, Object.fromEntries(shown.map(([name, value]) => [name, { name, value }])));
	};
	const { recorder: desk, work } = await startDesk(toWrites, (request) => {
		if (pathOf(request) === '/tickets' && !request.url.includes('include=')) return ticketsOf(desk, request);
		return service.gone.has(last(request)) ? notFound : undefined;
	});
	return Object.assign(service, { desk, work });
}

function ticketsOf(desk: Desk, { url }: RecordedRequest): Responder {
	const assignee = Number(new URLSearchParams(url.split('?')[1]).get('assignee'));
	const all = ROWS.map((id) => ({ id: ticketOf(id), assignee: desk.object(`/tickets/${ticketOf(id)}`)?.assignee }));
	const found = all.filter((each) => each.assignee === assignee);
	return json(200, found, { 'x-wp-total': `${found.length}`, 'x-wp-totalpages': '1' });
}

const textOf = ({ flags }: Setting, command: Command, service: Service): string =>
	typeof flags === 'string' ? flags : flags(command, service);

/** Whether the setting is given to the first part, and to the last; no first part is run if that is all the same. */
interface Given {
	readonly first: boolean | 'not run';
	readonly last: boolean;
}

/** Runs what leads to a way's last command, and that. */
async function run(name: CommandName, way: Way, setting: Setting, given: Given) {
	const command = commandOf(name);
	const service = await startService();
	const { desk, work } = service;
	const { env } = setting;
	const selects = setting.selects?.(command) ?? ROWS;
	for (const file of ['edits.csv', 'moved.csv']) work.write(file, setting.input?.(command) ?? sheet(command));
	// Fields that are not there can't be put back.
	if (command.place.endsWith('/custom-fields')) await giving(() => CUSTOM_FIELDS)(service, command);
	await setting.at?.(service, command);
	const flags = textOf(setting, command, service);
	const input = flags.includes('--input') && given.first === true ? '' : '--input edits.csv';
	const options = { stdin: flags === '--password-stdin' ? 'correct horse' : '', env };
	const start = `${command.words} ${input} ${given.first === true ? flags : ''}`;
	const { first, next } = ways[way];
	if (way === 'retry') for (const id of selects.slice(1)) service.refusing.add(id);
	const stored = () => selects.map((id) => withoutPassword(desk.object(command.place.replace('#', `${id}`))));
	const before = stored();
	if (first !== undefined && given.first !== 'not run')
		await work.run(wordsIn(`${start} ${first} --yes -j 1`), options);
	service.refusing.clear();
	if (way !== 'undo') await setting.meanwhile?.(service, command);
	desk.requests.length = 0;
	const again = first !== undefined && given.last ? flags : '';
	const words = wordsIn(`${first === undefined ? start : next} ${again} --yes -j 1`);
	const result = await work.run(words, options);
	const requests = [...desk.requests];
	const writes = requests.filter((each) => !isRead(each) && !Number.isNaN(idIn(command, each)));
	const due = way === 'resume' || way === 'retry' ? selects.slice(1) : selects;
	const records = work.journals().length === 0 ? [] : work.records();
	const outcomes = records.filter(({ type }) => type === 'row').map(({ outcome }) => outcome);
	return {
		...result,
		words: words.join(' '),
		command,
		requests,
		writes,
		ids: writes.map((each) => idIn(command, each)),
		due,
		outcomes: outcomes.slice(-due.length),
		oldValues: records.filter(({ type }) => type === 'before').length,
		before,
		after: stored(),
	};
}

/** No service shows it. */
function withoutPassword({ password: _, ...shown }: Shown = {}): Shown {
	return shown;
}

const wordsIn = (text: string): string[] => text.split(' ').filter((word) => word !== '');

/** Of these next parts it is a flag. */
function isKnownTo(way: NextPart, { anew = [], again = [], needsAgain = {} }: Setting): boolean {
	return anew.includes(way) || again.includes(way) || needsAgain[way] !== undefined;
}

function refusal(name: CommandName, way: NextPart, { refused = {} }: Setting): RegExp | undefined {
	return refused[way] ?? (way === 'undo' && name === 'user delete' ? /can't be undone/ : undefined);
}

/** For a test that fails. */
function said({ words, exitCode, stderr, due, writes }: Seen): string {
	const sent = writes.map(({ method, url, body }) => `  ${method} ${url} ${body}`);
	return [words, `exit code ${exitCode}, rows ${due}`, stderr, ...sent].join('\n');
}

function expectRefusal(seen: Seen, message: RegExp): void {
	expect(seen.stderr, said(seen)).toMatch(message);
	expect(seen.exitCode, said(seen)).toBe(2);
	expect(seen.writes, said(seen)).toEqual([]);
}

describe.each(cells)('%s', (_name, setting) => {
	const { on, idleOn = [], shows, dropped = [], anew = [], needsAgain = {} } = setting;

	describe.each(on)('of %s', (name) => {
		test('is seen at the service, and only with its flag', async () => {
			const seen = await run(name, 'start', setting, { first: true, last: false });
			expect(shows(seen), said(seen)).toBe(true);
			if (setting.isDefault) return;
			const bare = await run(name, 'start', setting, { first: false, last: false });
			expect(shows(bare), said(bare)).toBe(false);
		});

		test.each(nextParts)('is kept by run %s', async (way) => {
			const seen = await run(name, way, setting, { first: true, last: false });
			const message = refusal(name, way, setting) ?? needsAgain[way];
			if (message !== undefined) expectRefusal(seen, message);
			else if (way === 'undo') expect(seen.after, said(seen)).toEqual(seen.before);
			else expect(shows(seen), said(seen)).toBe(!dropped.includes(way));
		});

		const told = nextParts.filter((way) => isKnownTo(way, setting) && refusal(name, way, setting) === undefined);
		test.each(told)('is told to run %s', async (way) => {
			const seen = await run(name, way, setting, { first: !anew.includes(way), last: true });
			if (way === 'undo') expect(seen.after, said(seen)).toEqual(seen.before);
			else expect(shows(seen), said(seen)).toBe(true);
		});
	});

	const [first = 'ticket update'] = on;
	const isFlag = setting.flags !== '';
	test.each(nextParts.filter((way) => isFlag && !isKnownTo(way, setting)))('is unknown to run %s', async (way) => {
		// Flags are checked before the run is looked for.
		const seen = await run(first, way, setting, { first: 'not run', last: true });
		expectRefusal(seen, /^error: (?:unknown flag|unexpected argument)/);
	});

	const others = all.filter((name) => isFlag && ![...on, ...idleOn].includes(name));
	test.each(others)('is unknown to %s', async (name) => {
		const seen = await run(name, 'start', setting, { first: true, last: false });
		expectRefusal(seen, /^error: (?:unknown flag|unexpected argument)/);
	});
});
