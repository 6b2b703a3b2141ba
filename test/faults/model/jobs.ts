/** Random commands that write, and what each row of their input asks for. */

import type { Shown } from '../../support/objects.js';
import type { Asked } from './checks.js';
import type { Dice } from './dice.js';

export const TICKETS = [11, 12, 13, 14, 15, 16];

export interface Job {
	readonly words: readonly string[];
	/** A file, and its lines. */
	readonly input?: { readonly name: string; readonly lines: readonly string[] };
	readonly rows: readonly Asked[];
	/** Of the command that reads the input. */
	readonly flags: readonly string[];
	/** Of the one that sends the rows, which may be an apply. */
	readonly sendFlags: readonly string[];
	readonly canBePlanned: boolean;
	readonly canBeUndone: boolean;
	readonly isVerified: boolean;
	/** Every row is for an object that nobody modified since. */
	readonly isUnmodified: boolean;
	/** Of --first. */
	readonly first?: number | undefined;
	/** Of --max-failures; 0 of --stop-on-error. */
	readonly most?: number | undefined;
}

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

const TAGS = [
	['VIP', 31],
	['bug', 32],
	['Late', 33],
	['33', 33],
] as const;

/** How a row names its object. */
type Named = readonly [cell: string, path: string];

const tickets: readonly Named[] = TICKETS.map((id) => [String(id), `/tickets/${id}`]);
const ticketFields: readonly Named[] = tickets.map(([cell, path]) => [cell, `${path}/custom-fields`]);
// Nobody edits the account that they use.
const people: readonly Named[] = PEOPLE.filter(([, id]) => id !== 1).map(([name, id]) => [name, `/users/${id}`]);
const priorities: readonly Named[] = [
	['Low', '/ticket_priority/51'],
	['52', '/ticket_priority/52'],
	['high', '/ticket_priority/52'],
];

interface Sheet {
	readonly rows: readonly Asked[];
	readonly input: { readonly name: string; readonly lines: readonly string[] };
	readonly words: readonly string[];
}

/** An input with random rows and columns; the first column is always there. */
function sheet(dice: Dice, name: string, objects: readonly Named[], idColumn: string, columns: Columns): Sheet {
	const names = Object.keys(columns).filter((_, at) => at === 0 || dice.is(0.6));
	const lines = [[idColumn, ...names].join(',')];
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
	const file = `${name}.csv`;
	return { rows, input: { name: file, lines }, words: ['--input', file] };
}

/** What the input says of each ticket before it is changed. */
function withModified({ rows, input, words }: Sheet, modifiedOf: (path: string) => unknown): Sheet {
	const cells = ['modified_gmt', ...rows.map(({ path }) => modifiedOf(path))];
	const lines = input.lines.map((line, at) => `${line},${cells[at]}`);
	return { rows, input: { ...input, lines }, words: [...words, '--if-unmodified'] };
}

function tagged(dice: Dice): Pick<Job, 'words' | 'rows'> {
	const [added, add] = dice.of(TAGS);
	const [removed, remove] = dice.of(TAGS.filter(([, id]) => id !== add));
	const way = dice.of(['add', 'remove', 'both']);
	const words = [
		...(way === 'remove' ? [] : ['--add-ticket-tag', added]),
		...(way === 'add' ? [] : ['--remove-ticket-tag', removed]),
	];
	const ids = dice.some(6, TICKETS);
	const rows = ids.map((id, at) => ({
		...{ row: at + 1, path: `/tickets/${id}`, fields: {} },
		...{ add: way === 'remove' ? [] : [add], remove: way === 'add' ? [] : [remove] },
	}));
	return { words: ['ticket', 'update', ...ids.map(String), ...words], rows };
}

/** @param name of its input @param modifiedOf what a ticket shows as its modified_gmt */
export function randomJob(dice: Dice, name: string, modifiedOf: (path: string) => unknown): Job {
	const most = dice.is(0.35) ? dice.of([0, 1]) : undefined;
	const isVerified = most === undefined && dice.is(0.45);
	const stop = most === 0 ? ['--stop-on-error'] : ['--max-failures', String(most)];
	const keepsNothing = dice.is(0.15);
	const shared = {
		flags: keepsNothing ? ['--no-snapshot'] : [],
		sendFlags: [...(isVerified ? ['--verify'] : []), ...(most === undefined ? [] : stop)],
		...{ canBePlanned: true, canBeUndone: !keepsNothing, isVerified, isUnmodified: false, most },
	};
	const from = (command: string, { words, ...sheet }: Sheet): Pick<Job, 'words' | 'input' | 'rows'> => ({
		...sheet,
		words: [...command.split(' '), ...words],
	});
	switch (dice.of(['update', 'update', 'update', 'tags', 'tags', 'fields', 'delete', 'user', 'term', 'unmodified'])) {
		case 'tags':
			return { ...shared, ...tagged(dice) };
		case 'fields': {
			const columns = { note: undefined, severity: same('high', 'low') };
			return { ...shared, ...from('ticket fields set', sheet(dice, name, ticketFields, 'ticket_id', columns)) };
		}
		case 'delete': {
			const ids = dice.some(5, TICKETS);
			const rows = ids.map((id, at) => ({ row: at + 1, path: `/tickets/${id}`, fields: {}, isDelete: true }));
			const flags = dice.is(0.5) ? [...shared.flags, '--ignore-missing'] : shared.flags;
			return { ...shared, words: ['ticket', 'delete', ...ids.map(String), '--yes'], rows, flags };
		}
		case 'user': {
			const columns = { first_name: undefined, nickname: undefined };
			return { ...shared, ...from('user update', sheet(dice, name, people, 'id', columns)) };
		}
		case 'term': {
			const own = sheet(dice, name, priorities, 'id', { description: undefined });
			return { ...shared, ...from('term update ticket_priority', own) };
		}
		case 'unmodified': {
			const own = withModified(sheet(dice, name, tickets, 'id', TICKET_COLUMNS), modifiedOf);
			return { ...shared, ...from('ticket update', own), canBePlanned: false, isUnmodified: true };
		}
		default: {
			const first = dice.is(0.2) ? dice.to(3) : undefined;
			const flags = [...shared.flags];
			if (dice.is(0.2)) flags.push('--send-unchanged');
			if (dice.is(0.2)) flags.push('--allow-differs');
			if (first !== undefined) flags.push('--first', String(first));
			const own = sheet(dice, name, tickets, 'id', TICKET_COLUMNS);
			return { ...shared, ...from('ticket update', own), flags, first, canBePlanned: first === undefined };
		}
	}
}
