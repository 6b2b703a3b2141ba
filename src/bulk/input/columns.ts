/** What a column does with a cell or a JSON value: it becomes an ID, a field or a parameter of the row. */

import type { Field } from '../../api/fields.js';
import { checkTyped, kinds, mergeValues, parseField, type ValueRules } from '../../api/kinds.js';
import type { RowValues } from '../../api/request.js';
import { isProblem, kindOf, type Parsed, quote } from '../../api/values.js';

/** One row while it is read. */
export interface Draft extends RowValues {
	ids: Record<string, string>;
	fields: Record<string, unknown>;
	mayName?: Set<string>;
}

/** Puts a value into the row. @param column its name in the input @returns what is wrong with it */
export type ColumnReader = (column: string, value: unknown, row: Draft, isCell: boolean) => string | undefined;

export function textColumn<T>(parse: (text: string) => Parsed<T>, store: (row: Draft, value: T) => void): ColumnReader {
	return (column, value, row) => {
		const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '').trim();
		if (text === '') return undefined;
		const parsed = parse(text);
		if (isProblem(parsed)) return `${column}: ${parsed.problem}`;
		store(row, parsed.value);
		return undefined;
	};
}

/** Printed by `run rejects` for secrets; it must not become one. */
export const PLACEHOLDER = '[redacted]';

function holdsPlaceholder(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return value === PLACEHOLDER;
	return JSON.stringify(value).includes(`"${PLACEHOLDER}"`);
}

interface ValueParser {
	text(cell: string): Parsed<unknown>;
	typed(value: unknown, column: string): Parsed<unknown>;
}

function valueColumn(clear: boolean, parser: ValueParser, store: (row: Draft, value: unknown) => void): ColumnReader {
	return (column, given, row, isCell) => {
		const isBlank = isCell && String(given).trim() === '';
		if (isBlank && !clear) return undefined;
		const parsed = isCell && !isBlank ? parser.text(String(given)) : parser.typed(isBlank ? '' : given, column);
		if (isProblem(parsed)) return parsed.problem;
		const { value } = parsed;
		if (holdsPlaceholder(value)) return `${column} is the placeholder ${PLACEHOLDER}; replace it with the actual value`;
		store(row, value);
		return undefined;
	};
}

export function fieldColumn(field: Field, rules: ValueRules, clear: boolean): ColumnReader {
	const { keepsSpaces, names } = kinds[field.kind];
	const parser: ValueParser = {
		text: (cell) => parseField(field, keepsSpaces ? cell : cell.trim(), rules),
		typed: (value) => checkTyped(field, value, rules),
	};
	return valueColumn(clear, parser, (row, value) => {
		if (names !== undefined) row.mayName = (row.mayName ?? new Set()).add(field.name);
		const earlier = row.fields[field.name];
		const joins = kinds[field.kind].many === 'entries' && earlier !== undefined;
		row.fields[field.name] = joins ? mergeValues(field, earlier, value) : value;
	});
}

export const asItIs = <T>(value: T): Parsed<T> => ({ value });

export function customColumn(field: string, rules: ValueRules, clear: boolean): ColumnReader {
	const typed = (value: unknown, column: string): Parsed<unknown> => {
		if (typeof value === 'string' || rules.undocumented) return { value };
		return { problem: `custom field ${quote(column)} is ${kindOf(value)}; custom fields must be strings` };
	};
	return valueColumn(clear, { text: asItIs, typed }, (row, value) => {
		// Assigning `__proto__` would set the prototype.
		if (field === '__proto__') row.fields = { ...row.fields, [field]: value };
		else row.fields[field] = value;
	});
}

/** Without regard to case, spaces, `_` and `-`. */
export function looseName(name: string): string {
	return name.toLowerCase().replace(/[\s_\-.:]+/g, '');
}

/** Field → words of other spreadsheets. */
const words: Readonly<Record<string, readonly string[]>> = {
	id: ['#', 'userid', 'user#', 'replyid', 'attachmentid', 'termid'],
	ticket_id: [
		'ticket',
		'ticket#',
		'ticketno',
		'ticketnr',
		'ticketnumber',
		'case',
		'case#',
		'caseid',
		'casenumber',
		'issue',
		'issueid',
	],
	title: ['subject', 'ticketsubject', 'summary', 'headline'],
	content: ['body', 'message', 'text', 'description', 'details'],
	status: ['ticketstatus'],
	assignee: ['assignedto', 'assigned', 'assignedagent', 'assignedagentname', 'agent', 'owner', 'assigneeid'],
	'ticket-tag': ['tags', 'tag', 'labels', 'label', 'tickettags'],
	department: ['dept', 'departments'],
	product: ['products', 'productname'],
	ticket_priority: ['priority', 'prio', 'urgency'],
	ticket_channel: ['channel', 'via'],
	author: ['requester', 'requestedby', 'customer', 'client', 'reporter', 'contact', 'createdby'],
	'time-notes': ['timenote'],
	username: ['user', 'login', 'loginname', 'userlogin', 'account'],
	email: ['emailaddress', 'mail'],
	name: ['displayname', 'fullname'],
	first_name: ['givenname', 'forename'],
	last_name: ['surname', 'familyname'],
	roles: ['role'],
	url: ['website', 'homepage'],
	reassign: ['reassignto', 'receiver'],
};

const usualFields: ReadonlyMap<string, string> = new Map(
	Object.entries(words).flatMap(([field, all]) => all.map((word) => [word, field])),
);

export function usualField(name: string): string | undefined {
	return usualFields.get(looseName(name));
}

export function shellQuoted(text: string): string {
	if (!/["$`\\!]/.test(text)) return `"${text}"`;
	return `'${text.replaceAll("'", "'\\''")}'`;
}
