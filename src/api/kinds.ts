/** The kinds of fields: how text becomes a value, what is refused, how values compare, and how flags and editors show them. */

import { type Compare, compareDates, compareSigns, compareTerm, compareTermList, comparing } from './compare.js';
import type { Named } from './references.js';
import { findStatus, likelyStatus, ticketStatuses } from './statuses.js';
import {
	hasInexactNumber,
	isObject,
	isProblem,
	looksLikeNumber,
	NOBODY,
	nestingProblem,
	type Parsed,
	quote,
	readMoment,
	wholeNumber,
} from './values.js';

export interface ValueRules {
	/** Lets values pass that the interface does not show. */
	undocumented: boolean;
	/** The neutral word for a status of the deployment. */
	statusIn?: (status: string) => string;
}

/** @returns the value, or a problem to put behind the field's name: `"x" is not a date` */
type Parse = (text: string, rules: ValueRules) => Parsed<unknown>;

interface Kind {
	/** Text of a flag or a cell → the value to send. */
	readonly parse: Parse;
	/** A value with a type of its own (NDJSON, `--data`), which keeps it; texts follow the rules for text. */
	readonly check: (value: unknown, rules: ValueRules) => Parsed<unknown>;
	/** Whether what a service shows can be a value of the field. Anything else says nothing about it. */
	readonly shows: (value: unknown) => boolean;
	/** What was sent, and what the object shows. */
	readonly compare: Compare;
	/** What a service shows → what an update takes for the same; undefined if it takes nothing for it. */
	readonly takenBack: (shown: unknown) => unknown;
	/** One that is not set, in an editor. */
	readonly empty: unknown;
	/** Whether services take an empty one. */
	readonly clears: boolean;
	/** Text in YAML; in others `007` is a number. */
	readonly isText: boolean;
	/** Whether spaces around a cell belong to the value. */
	readonly keepsSpaces: boolean;
	/** Never from a flag, never shown, in no file. */
	readonly isSecret: boolean;
	/** Whether a flag takes `@FILE`. */
	readonly readsFiles: boolean;
	/** Of a list, whose items are added and removed; of a map, whose entries are sent one by one. */
	readonly many: 'items' | 'entries' | undefined;
	/** For kinds of IDs. */
	readonly names: Names | undefined;
	/** Behind the flag. */
	readonly placeholder: string;
	/** All values, or the usual ones, for completion. */
	readonly suggests: readonly string[];
	/** For an editor; empty if the field's help says enough. */
	readonly takes: string;
}

/** Whose names stand for IDs. */
interface Names {
	readonly of: Exclude<Named, 'passwords'>;
	/** Of IDs in a request. */
	readonly asNumber: boolean;
	/** Objects show slugs, which may be empty, damaged or look like IDs. */
	readonly shownBySlug: boolean;
}

type Refusal = string | ((text: string) => string);

/**
 * @param read undefined for text that is refused, which --undocumented lets pass
 * @param accepts values that are no text
 */
function rule(
	read: (text: string) => unknown,
	accepts: (value: unknown) => boolean = () => true,
	refusal: Refusal = '',
): Pick<Kind, 'parse' | 'check'> {
	const parse: Parse = (text, { undocumented }) => {
		const value = read(text);
		if (value !== undefined) return { value };
		return undocumented ? { value: text } : refused(text, refusal);
	};
	return {
		parse,
		check(value, rules) {
			if (rules.undocumented || value === '') return { value };
			if (typeof value !== 'string') return accepts(value) ? { value } : refused(value, refusal);
			const parsed = parse(value, rules);
			return isProblem(parsed) ? parsed : { value };
		},
	};
}

function refused(value: unknown, refusal: Refusal): Parsed<never> {
	const isText = typeof value === 'string';
	const shown = isText ? quote(value) : JSON.stringify(value);
	const why = typeof refusal === 'function' ? refusal(isText ? value : '-') : refusal;
	return { problem: `${shown} ${why}` };
}

const when = (test: (text: string) => boolean) => (text: string) => (test(text) ? text : undefined);
const asGiven = (value: unknown): unknown => value;
const isNull = (value: unknown): boolean => value === null;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const BOOLEANS = new Map([
	['true', true],
	['false', false],
]);
const SHOWN_BOOLEANS = new Map([
	['1', true],
	['yes', true],
	['0', false],
	['no', false],
]);

/** As services show them; unset ones are empty. */
const BOOLEAN_TEXTS: ReadonlySet<string> = new Set(['', ...BOOLEANS.keys(), ...SHOWN_BOOLEANS.keys()]);

export function itemsOf(text: string): string[] {
	const items = text.split(',').map((part) => part.trim());
	return items.filter((item) => item !== '');
}

const integerRule = rule(wholeNumber, isCount, 'is not a whole number of 0 or more');

/** With --undocumented, a number stays a number, also one below 0. */
const parseInteger: Parse = (text, rules) => {
	const isNumber = /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text));
	return rules.undocumented && isNumber ? { value: Number(text) } : integerRule.parse(text, rules);
};

const userRule = rule(
	// A username is looked up before anything is sent.
	(text) => {
		if (text === NOBODY) return 0;
		return looksLikeNumber(text) ? wholeNumber(text) : text;
	},
	isCount,
	'is not a username, an ID or none',
);

function statusRefusal(text: string): string {
	if (/^(open|closed)$/i.test(text))
		return `is a state, not a status; use --state ${text.toLowerCase()}, or a column "state"`;
	if (/^(trash|trashed|deleted)$/i.test(text)) return 'is not set by updates; use the delete command';
	return `is unknown${likelyStatus(text) || '; list them: supportctl help statuses'}`;
}

const statusRule = rule(findStatus, isNull, statusRefusal);

const parseStatus: Parse = (text, rules) => {
	const parsed = statusRule.parse(rules.statusIn?.(text) ?? text, rules);
	return isProblem(parsed) ? refused(text, statusRefusal) : parsed;
};

/** Live services refuse it after saving other fields. */
const EMPTY_TERM: Parsed<never> = { problem: "can't be cleared; in a file, --blank skip leaves empty cells alone" };

const termRule = rule(
	when((text) => text !== '' && !text.includes(',')),
	undefined,
	'is a list; a ticket has only one',
);

function parseMap(text: string): Parsed<unknown> {
	if (text.trim().startsWith('{')) {
		try {
			const value: unknown = JSON.parse(text);
			const problem = nestingProblem(value);
			return problem === undefined ? { value } : { problem };
		} catch {
			return { problem: `${quote(text)} is not a JSON object` };
		}
	}
	const at = text.indexOf('=');
	if (at <= 0) return { problem: `${quote(text)} is not key=value` };
	return { value: Object.fromEntries([[text.slice(0, at), text.slice(at + 1)]]) };
}

const isText = (value: unknown): value is string => typeof value === 'string';
/** Also the empty text, which services show for a number that was never set. */
const isNumber = (value: unknown): boolean => {
	return Number.isFinite(value) || (typeof value === 'string' && /^(?:-?\d+(?:\.\d+)?)?$/.test(value));
};
const isItem = (value: unknown): boolean => typeof value === 'string' || isCount(value);
const isListOf = (test: (each: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(test);
const isSwitch = (value: unknown): boolean =>
	['boolean', 'string'].includes(typeof value) || value === 0 || value === 1;

/** What most kinds have; what is special stands in the row. A column without a usual value is missing here. */
const usual = {
	takenBack: asGiven,
	clears: true,
	keepsSpaces: false,
	isSecret: false,
	readsFiles: false,
	suggests: [],
	takes: '',
} as const satisfies Partial<Kind>;

const text = {
	...usual,
	...rule(asGiven),
	shows: isText,
	compare: comparing(),
	empty: '',
	isText: true,
	keepsSpaces: true,
	many: undefined,
	names: undefined,
	placeholder: 'text',
} as const satisfies Kind;

/** A member that lacks a column does not compile. */
const rows = {
	text,
	longtext: { ...text, readsFiles: true, placeholder: 'text|@file' },
	/** 0, 1, 2 … sent as a number. */
	integer: {
		...usual,
		...integerRule,
		parse: parseInteger,
		shows: isNumber,
		compare: comparing({ isZeroEmpty: true }),
		empty: 0,
		isText: false,
		many: undefined,
		names: undefined,
		placeholder: 'n',
		takes: 'a whole number',
	},
	/** A user's ID, 0 for none, or @me for your own; sent as a number. */
	user: {
		...usual,
		...userRule,
		check: (value, rules) => (value === NOBODY ? userRule.parse(value, rules) : userRule.check(value, rules)),
		shows: isNumber,
		compare: comparing({ isZeroEmpty: true }),
		// Where no user is shown by ID, a name could be someone else's.
		takenBack: (shown) => (looksLikeNumber(String(shown)) ? shown : undefined),
		empty: 0,
		isText: false,
		many: undefined,
		names: { of: 'users', asNumber: true, shownBySlug: false },
		placeholder: 'user',
		takes: 'a username, an ID, "@me" or none',
	},
	boolean: {
		...usual,
		...rule(
			(given) => BOOLEANS.get(given),
			(value) => typeof value === 'boolean',
			'is not true or false',
		),
		shows: (value) => isSwitch(value) && BOOLEAN_TEXTS.has(String(value)),
		compare: comparing(),
		takenBack: (shown) => SHOWN_BOOLEANS.get(String(shown)) ?? shown,
		empty: '',
		isText: false,
		many: undefined,
		names: undefined,
		placeholder: 'true|false',
		suggests: ['true', 'false'],
	},
	/** true and false are sent as booleans, anything else as it is. */
	switch: {
		...usual,
		...rule((given) => BOOLEANS.get(given) ?? given),
		shows: isSwitch,
		compare: comparing(),
		empty: '',
		isText: false,
		many: undefined,
		names: undefined,
		placeholder: 'true|false',
		suggests: ['true', 'false'],
	},
	/** ISO 8601. */
	date: {
		...usual,
		...rule(
			when((given) => readMoment(given) !== undefined),
			isNull,
			'is not an ISO 8601 date such as 2026-03-31 or 2026-03-31T09:00:00',
		),
		shows: (value) => value === '' || (isText(value) && readMoment(value) !== undefined),
		compare: comparing({ texts: compareDates }),
		empty: '',
		isText: true,
		many: undefined,
		names: undefined,
		placeholder: 'date',
		takes: 'ISO 8601',
	},
	/** One of interface section 3, in any spelling. */
	status: {
		...usual,
		parse: parseStatus,
		check: (value, rules) => {
			const isText = typeof value === 'string' && value !== '';
			return isText ? parseStatus(value, rules) : statusRule.check(value, rules);
		},
		shows: (value) => isText(value) && value !== '',
		compare: comparing(),
		empty: '',
		isText: true,
		many: undefined,
		names: undefined,
		placeholder: 'status',
		suggests: ticketStatuses,
	},
	/** open or closed in any case, or another word. */
	state: {
		...usual,
		...rule((given) => (/^(open|closed)$/i.test(given) ? given.toLowerCase() : given)),
		shows: isText,
		compare: comparing(),
		empty: '',
		isText: true,
		many: undefined,
		names: undefined,
		placeholder: 'state',
	},
	/** The interface's words, or the signs that live services understand. */
	adjustment: {
		...usual,
		...rule(
			when((given) => ['positive', 'negative', '+', '-'].includes(given)),
			isNull,
			'is not positive, negative, + or -',
		),
		shows: isText,
		compare: comparing({ texts: compareSigns }),
		empty: '',
		isText: true,
		many: undefined,
		names: undefined,
		placeholder: 'type',
		suggests: ['positive', 'negative', '+', '-'],
	},
	email: {
		...usual,
		...rule(
			when((given) => /^[^@\s]+@[^@\s]+$/.test(given)),
			isNull,
			'is not an email address',
		),
		shows: isText,
		compare: comparing(),
		empty: '',
		isText: true,
		many: undefined,
		names: undefined,
		placeholder: 'address',
	},
	/** A slug, or an ID written as a string. */
	term: {
		...usual,
		parse: (given, rules) => (given === '' && !rules.undocumented ? EMPTY_TERM : termRule.parse(given, rules)),
		check: (value, rules) => {
			const isEmpty = value === '' || value === null;
			return isEmpty && !rules.undocumented ? EMPTY_TERM : termRule.check(value, rules);
		},
		shows: isItem,
		compare: compareTerm,
		empty: '',
		clears: false,
		isText: true,
		many: undefined,
		names: { of: 'terms', asNumber: false, shownBySlug: true },
		placeholder: 'term',
		takes: 'an ID, slug or name',
	},
	/** IDs are sent as numbers; a number in a text may be a name until the taxonomy is known. */
	terms: {
		...usual,
		...rule(itemsOf),
		shows: isListOf(isItem),
		compare: compareTermList,
		empty: [],
		isText: false,
		many: 'items',
		names: { of: 'terms', asNumber: true, shownBySlug: false },
		placeholder: 'terms',
		takes: 'a list of IDs, slugs or names',
	},
	/** Of strings. */
	list: {
		...usual,
		...rule(itemsOf),
		shows: isListOf(isText),
		compare: comparing(),
		empty: [],
		isText: false,
		many: 'items',
		names: undefined,
		placeholder: 'names',
		takes: 'a list',
	},
	/** An object; a flag has one entry. */
	map: {
		...usual,
		parse: parseMap,
		check: (value, { undocumented }) => {
			const isFine = undocumented || value === '' || typeof value === 'object';
			return isFine ? { value } : refused(value, 'is not an object');
		},
		shows: (value) => isObject(value) || (Array.isArray(value) && value.length === 0),
		compare: comparing(),
		empty: {},
		isText: false,
		many: 'entries',
		names: undefined,
		placeholder: 'key=value',
		takes: 'names and values; a name that is removed is sent as null',
	},
	secret: { ...text, isSecret: true, placeholder: 'secret' },
} as const satisfies Record<string, Kind>;

export type FieldKind = keyof typeof rows;

export const kinds: Readonly<Record<FieldKind, Kind>> = rows;

/** Whether IDs of users are its values, which people know by name. */
export function namesUsers({ kind }: { readonly kind: FieldKind }): boolean {
	return kinds[kind].names?.of === 'users';
}

/** Whether IDs of terms are its values, which objects may show by their slugs. */
export function namesTerms({ kind }: { readonly kind: FieldKind }): boolean {
	return kinds[kind].names?.of === 'terms';
}

interface Kinded {
	readonly name: string;
	readonly kind: FieldKind;
}

export function parseField(field: Kinded, given: string, rules: ValueRules): Parsed<unknown> {
	return named(field, kinds[field.kind].parse(given, rules));
}

/** A value with a type of its own keeps it; strings follow the rules for text. */
export function checkTyped(field: Kinded, value: unknown, rules: ValueRules): Parsed<unknown> {
	const tooDeep = nestingProblem(value);
	if (tooDeep !== undefined) return { problem: `${field.name}: ${tooDeep}` };
	if (hasInexactNumber(value)) {
		const why = "has a number with more than 15 digits, which JSON can't store exactly: write it as a string";
		return named(field, { problem: why });
	}
	return named(field, kinds[field.kind].check(value, rules));
}

function named({ name }: Kinded, parsed: Parsed<unknown>): Parsed<unknown> {
	return isProblem(parsed) ? { problem: `${name} ${parsed.problem}` } : parsed;
}

/** Lists and maps are joined; otherwise the later value counts. */
export function mergeValues(field: Kinded, earlier: unknown, later: unknown): unknown {
	const { many } = kinds[field.kind];
	if (many === 'entries' && isObject(earlier) && isObject(later)) return { ...earlier, ...later };
	if (Array.isArray(earlier) && Array.isArray(later)) return [...earlier, ...later];
	return later;
}
