/** Random commands that write, and what each row of their input asks for. */

import type { Shown } from '../../support/objects.js';
import type { Asked, Condition, Part } from './asked.js';
import type { Dice } from './dice.js';

/** What a command works on. */
interface Work {
	/** With its arguments. */
	readonly words: readonly string[];
	readonly rows: readonly Asked[];
	/** A file, and its lines. */
	readonly input?: { readonly name: string; readonly lines: readonly string[] };
	/** Every row is for an object that nobody modified since. */
	readonly isUnmodified?: boolean;
	/** What is gone then is gone for good. */
	readonly isPermanent?: boolean;
	/** Of --if. */
	readonly condition?: Condition;
	/** Of --first. */
	readonly first?: number | undefined;
	/** Of this command alone. */
	readonly flags?: readonly string[];
}

export interface Job extends Work {
	/** Of the command that reads the input. */
	readonly flags: readonly string[];
	/** Of the one that sends the rows, which may be an apply. */
	readonly sendFlags: readonly string[];
	readonly canBePlanned: boolean;
	readonly canBeUndone: boolean;
	readonly isVerified: boolean;
	/** Of --max-failures; 0 of --stop-on-error. */
	readonly most?: number | undefined;
}

/** How a row names its object. */
type Named = readonly [cell: string, path: string];

/** A cell of an input, and what the desk keeps for it. */
type Cell = readonly [text: string, value: unknown];

/** Undefined where each row has a value of its own. */
type Columns = Readonly<Record<string, readonly Cell[] | undefined>>;

const same = (...texts: string[]): Cell[] => texts.map((text) => [text, text]);

const PEOPLE: readonly (readonly [text: string, id: number])[] = [
	['ben', 2],
	['jose.kaya', 3],
	['3', 3],
	['@77', 4],
	['ada', 1],
];

const TICKET_COLUMNS: Columns = {
	title: undefined,
	status: same('hold', 'queued', 'read', 'unread'),
	assignee: PEOPLE,
	'ticket-tag': [
		['VIP', [31]],
		['"vip,Bug"', [31, 32]],
		['Late', [33]],
		['"31,32"', [31, 32]],
	],
	product: [
		['Pro', '170'],
		['170', '170'],
		['basic', '126'],
		['Basic', '126'],
	],
	department: [
		['支持', '41'],
		['Sales', '42'],
	],
	state: same('open', 'closed'),
	content: undefined,
};
const FIELD_COLUMNS: Columns = { note: undefined, severity: same('high', 'low') };
const REPLY_COLUMNS: Columns = { content: undefined, status: same('read', 'unread'), author: PEOPLE };
const ATTACHMENT_COLUMNS: Columns = { title: undefined, alt_text: undefined, caption: undefined, author: PEOPLE };
const USER_COLUMNS: Columns = { first_name: undefined, nickname: undefined };
const TERM_COLUMNS: Columns = { description: undefined };

const TAGS = [
	['VIP', 31],
	['bug', 32],
	['Late', 33],
	['33', 33],
] as const;

/** A name of two tags, which nothing may take for one of them. */
const AMBIGUOUS = ['Twin', -1] as const;

/** At the start, most tickets meet each. */
const CONDITIONS: readonly (readonly [text: string, Condition])[] = [
	['status=queued', { field: 'status', value: 'queued' }],
	['assignee=ben', { field: 'assignee', value: 2 }],
	['product=Basic', { field: 'product', value: '126' }],
	['department=支持', { field: 'department', value: '41' }],
	['ticket-tag=vip', { field: 'ticket-tag', value: [31] }],
];

const TICKETS = [11, 12, 13, 14, 15, 16];
const tickets = TICKETS.map((id): Named => [String(id), `/tickets/${id}`]);
const ticketFields = tickets.map(([cell, path]): Named => [cell, `${path}/custom-fields`]);
const replies = [
	...[21, 22, 23].map((id): Named => [`11,${id}`, `/tickets/11/replies/${id}`]),
	...[24, 25].map((id): Named => [`12,${id}`, `/tickets/12/replies/${id}`]),
];
const attachments = [61, 62, 63, 64].map((id): Named => [String(id), `/attachments/${id}`]);
// Nobody edits the account that they use.
const people = PEOPLE.filter(([, id]) => id !== 1).map(([name, id]): Named => [name, `/users/${id}`]);
const priorities: readonly Named[] = [
	['Low', '/ticket_priority/51'],
	['52', '/ticket_priority/52'],
	['high', '/ticket_priority/52'],
];
const products: readonly Named[] = [
	['Basic', '/product/126'],
	['id:126', '/product/126'],
	['Pro', '/product/170'],
];

/** All that an input can name; users and terms are there anyway. */
export const PATHS = [tickets, ticketFields, replies, attachments].flatMap((all) => all.map(([, path]) => path));

/** What a job is made of. */
interface Means {
	readonly dice: Dice;
	/** Of its input. */
	readonly name: string;
	/** What an object shows as its modified_gmt. */
	readonly modifiedOf: (path: string) => unknown;
}

/** An input with random rows and columns; the first column is always there. */
function sheet({ dice, name }: Means, command: string, objects: readonly Named[], ids: string, columns: Columns) {
	const names = Object.keys(columns).filter((_, at) => at === 0 || dice.is(0.6));
	const lines = [[ids, ...names].join(',')];
	const rows = dice.some(9, objects).map(([cell, path], at): Asked => {
		const fields: Shown = {};
		const cells = names.map((column) => {
			if (dice.is(0.4)) return '';
			const own = `${column} ${name} ${at + 1}`;
			const choices = columns[column];
			const [text, value] = choices === undefined ? [own, own] : dice.of(choices);
			fields[column] = value;
			return text;
		});
		lines.push([cell, ...cells].join(','));
		return { row: at + 1, path, fields };
	});
	const input = { name: `${name}.csv`, lines };
	return { rows, input, words: [...command.split(' '), '--input', input.name] };
}

/** The same for each of some objects, which are arguments. */
function each(
	{ dice }: Means,
	command: string,
	objects: readonly Named[],
	asked: Partial<Asked>,
	more: readonly string[],
) {
	const some = dice.some(6, objects);
	const rows = some.map(([, path], at): Asked => ({ row: at + 1, path, fields: {}, ...asked }));
	return { rows, words: [...command.split(' '), ...some.map(([cell]) => cell), ...more] };
}

function updated(means: Means): Work {
	const { dice } = means;
	const first = dice.is(0.2) ? dice.to(3) : undefined;
	const flags: string[] = [];
	if (dice.is(0.2)) flags.push('--send-unchanged');
	if (dice.is(0.2)) flags.push('--allow-differs');
	if (first !== undefined) flags.push('--first', String(first));
	return { ...sheet(means, 'ticket update', tickets, 'id', TICKET_COLUMNS), flags, first };
}

/** The input says when each ticket was modified. */
function unmodified(means: Means): Work {
	const { rows, input, words } = sheet(means, 'ticket update', tickets, 'id', TICKET_COLUMNS);
	const cells = ['modified_gmt', ...rows.map(({ path }) => means.modifiedOf(path))];
	const lines = input.lines.map((line, at) => `${line},${cells[at]}`);
	return { rows, input: { ...input, lines }, words, flags: ['--if-unmodified'], isUnmodified: true };
}

function conditional(means: Means): Work {
	const [text, condition] = means.dice.of(CONDITIONS);
	return {
		...sheet(means, 'ticket update', tickets, 'id', TICKET_COLUMNS),
		flags: ['--if', text],
		condition,
	};
}

function tagged(means: Means): Work {
	const { dice } = means;
	const [added, add] = dice.is(0.15) ? AMBIGUOUS : dice.of(TAGS);
	const [removed, remove] = dice.of(TAGS.filter(([, id]) => id !== add));
	const way = dice.of(['add', 'remove', 'both']);
	const words = [
		...(way === 'remove' ? [] : ['--add-ticket-tag', added]),
		...(way === 'add' ? [] : ['--remove-ticket-tag', removed]),
	];
	const asked = { add: way === 'remove' ? [] : [add], remove: way === 'add' ? [] : [remove] };
	return each(means, 'ticket update', tickets, asked, words);
}

function set(means: Means): Work {
	if (means.dice.is(0.5)) return sheet(means, 'ticket fields set', ticketFields, 'ticket_id', FIELD_COLUMNS);
	const fields = { note: `note of ${means.name}`, ...(means.dice.is(0.5) && { severity: 'high' }) };
	const words = Object.entries(fields).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
	return each(means, 'ticket fields set', ticketFields, { fields }, words);
}

function deleted(means: Means, command: string, objects: readonly Named[], isPermanent = false): Work {
	const asked = { isDelete: true, isPermanent };
	const words = [...(isPermanent ? ['--force'] : []), '--yes'];
	const flags = means.dice.is(0.5) ? ['--ignore-missing'] : [];
	return { ...each(means, command, objects, asked, words), flags, isPermanent };
}

function usersDeleted(means: Means): Work {
	const [receiver, to] = means.dice.of(PEOPLE);
	const leavers = people.filter(([, path]) => path !== `/users/${to}`);
	const { words, ...work } = deleted(means, 'user delete', leavers);
	return { ...work, words: [...words, '--reassign', receiver], isPermanent: true };
}

/** In the order of their arguments: a ticket, and its replies. */
function repliesDeleted(means: Means): Work {
	const own = replies.filter(([, path]) => path.startsWith('/tickets/11/'));
	const bare = own.map(([cell, path]): Named => [cell.replace('11,', ''), path]);
	return deleted(means, 'reply delete 11', bare);
}

/** How often each comes, and whether it may be followed by others: names of what it deletes for good lead nowhere. */
const JOBS: readonly (readonly [shares: number, isFinal: boolean, make: (means: Means) => Work])[] = [
	[4, false, updated],
	[4, false, tagged],
	[3, false, unmodified],
	[2, false, conditional],
	[2, false, set],
	[1, false, (means) => deleted(means, 'ticket delete', tickets)],
	[1, false, repliesDeleted],
	[1, false, (means) => sheet(means, 'reply update', replies, 'ticket_id,id', REPLY_COLUMNS)],
	[1, false, (means) => sheet(means, 'attachment update', attachments, 'id', ATTACHMENT_COLUMNS)],
	[1, false, (means) => sheet(means, 'user update', people, 'id', USER_COLUMNS)],
	[1, false, (means) => sheet(means, 'term update ticket_priority', priorities, 'id', TERM_COLUMNS)],
	[1, true, (means) => deleted(means, 'ticket delete', tickets, true)],
	[1, true, usersDeleted],
	[1, true, (means) => deleted(means, 'term delete product', products, true)],
	[1, true, (means) => deleted(means, 'term delete ticket_priority', priorities, true)],
];

/** Each kind of job, as often as it comes, and a number for each. */
export const jobKinds: readonly { readonly kind: number; readonly at: number }[] = JOBS.flatMap(([shares], kind) =>
	Array.from({ length: shares }, () => kind),
).map((kind, at) => ({ kind, at }));

/** @param isLast whether no job follows */
export function randomJob(means: Means, isLast: boolean): Job {
	const choices = JOBS.filter(([, isFinal]) => isLast || !isFinal).flatMap(([shares, , make]) =>
		Array.from({ length: shares }, () => make),
	);
	return jobOf(means, means.dice.of(choices)(means));
}

/** One that is not stopped by failures. @param kind of `jobKinds` */
export function jobOfKind(means: Means, kind: number): Job {
	const make = JOBS[kind]?.[2];
	if (make === undefined) throw new Error(`there is no kind ${kind} of jobs`);
	return jobOf(means, make(means), true);
}

function jobOf({ dice }: Means, work: Work, isPressed = false): Job {
	const most = !isPressed && dice.is(0.35) ? dice.of([0, 1]) : undefined;
	const isVerified = most === undefined && dice.is(0.45);
	const stop = most === 0 ? ['--stop-on-error'] : ['--max-failures', String(most)];
	const keepsNothing = dice.is(isPressed ? 0.5 : 0.15);
	return {
		...work,
		flags: [...(work.flags ?? []), ...(keepsNothing ? ['--no-snapshot'] : [])],
		sendFlags: [...(isVerified ? ['--verify'] : []), ...(most === undefined ? [] : stop)],
		canBePlanned: work.isUnmodified !== true && work.first === undefined,
		canBeUndone: !keepsNothing && work.isPermanent !== true,
		isVerified,
		most,
	};
}

const idOf = (path: string): string => /(\d+)(?:\/custom-fields)?$/.exec(path)?.[1] ?? '';

/** Some of these objects, and one at least. */
export function randomPart(dice: Dice, all: readonly string[]): Part {
	const paths = [...new Set(all)];
	const some = paths.filter(() => dice.is(0.5));
	const named = some.length === 0 ? paths.slice(0, 1) : some;
	const ids = named.map(idOf).join(',');
	const rest = paths.filter((path) => !named.includes(path));
	if (rest.length === 0 || dice.is(0.5)) return { words: ['--ids', ids], paths: new Set(named) };
	return { words: ['--except', ids], paths: new Set(rest) };
}
