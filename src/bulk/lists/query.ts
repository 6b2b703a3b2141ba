/** What is asked for: IDs, and the filters and the order of a list. */

import type { Dialect } from '../../api/dialect.js';
import type { PathParameter } from '../../api/endpoints.js';
import { flagName } from '../../api/fields.js';
import { plural } from '../../api/names.js';
import { type Filter, filterKinds, type Read } from '../../api/reads.js';
import { named } from '../../api/references.js';
import { findStatus, likelyStatus } from '../../api/statuses.js';
import { didYouMean } from '../../api/suggest.js';
import { isProblem, NOBODY, parseId, quote, readMoment } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import { readDuration } from '../../text.js';
import { isNothing } from '../held.js';
import type { Ids } from '../plan.js';
import type { Directories } from './directory.js';
import { type Doubt, roleProblem } from './doubts.js';
import type { Found } from './found.js';

interface Asked {
	read: Read;
	dialect: Dialect;
	directories: Directories;
}

/** `now` is in milliseconds since 1970. */
type AskedNow = Asked & { now: number };

/** What a service can't be asked for. */
interface Condition {
	readonly field: string;
	/** Undefined if the object doesn't show it. */
	holds(value: unknown): boolean | undefined;
}

export type ListQuery = Awaited<ReturnType<typeof readQuery>>;

/**
 * @param given texts of filters, by parameter
 * @param sort `title`, `-title`
 * @returns `conditions` are checked here; `doubts` are told if no listed object resolves them
 * @throws UsageError
 */
export async function readQuery(given: Readonly<Record<string, string>>, sort: string, asked: AskedNow) {
	const { read, dialect, directories } = asked;
	const { order, byId } = readOrder(read, sort);
	const parameters: Record<string, string> = { ...read.query, ...order };
	const conditions: Condition[] = [];
	const warnings: string[] = [];
	const doubts: Doubt[] = [];
	for (const filter of refusedFirst(read.filters)) {
		const { kind, parameter, asks = parameter, compares } = filter;
		const text = given[parameter];
		if (text === undefined) continue;
		if (compares !== undefined) {
			const bound = momentOf(filter, text, asked.now);
			conditions.push({ field: compares.field, holds: (value) => isOnSide(value, compares.side, bound) });
			continue;
		}
		if (text !== NOBODY || !filterKinds[kind].canBeNone) {
			parameters[asks] = await parameterOf(filter, text, asked);
			const values = valuesIn(text);
			for (const value of values) {
				const warning = kind === 'status' ? misspelled(filter, value, dialect) : undefined;
				if (warning !== undefined) warnings.push(warning);
				else doubts.push(...doubtsAbout(filter, value, values.length > 1, dialect));
			}
			continue;
		}
		conditions.push({ field: parameter, holds: isNothing });
		// A term without a readable slug is shown as "" too.
		const all = kind === 'term' ? await directories.terms(parameter).list() : [];
		if (all !== undefined && all.length > 0) parameters[`${parameter}_exclude`] = all.map(({ id }) => id).join(',');
	}
	return { parameters, conditions, byId, warnings, doubts };
}

/** A value that can't be meant is refused before names are looked up. */
function refusedFirst(filters: readonly Filter[]): readonly Filter[] {
	const looksUp = ({ kind }: Filter): boolean => filterKinds[kind].looksUp;
	return [...filters.filter((each) => !looksUp(each)), ...filters.filter(looksUp)];
}

const valuesIn = (text: string): string[] => text.split(',').map((each) => each.trim());

/** Of lists alone: no ticket is set to them. */
const LIST_STATUSES: readonly string[] = ['any', 'trash'];

/** A service may have others, but a typo would look like an empty list. */
function misspelled(filter: Filter, status: string, dialect: Dialect): string | undefined {
	if (isListStatus(status, dialect)) return undefined;
	const likely = likelyStatus(status);
	return likely === '' ? undefined : `${flagOf(filter)}: unknown status ${quote(status)}${likely}`;
}

const isListStatus = (text: string, dialect: Dialect): boolean =>
	findStatus(dialect.toNeutral(text)) !== undefined || LIST_STATUSES.includes(text);

/** Of values that are no documented ones. */
function doubtsAbout(filter: Filter, value: string, isOneOf: boolean, dialect: Dialect): Doubt[] {
	const { kind, parameter: field } = filter;
	const flag = flagOf(filter);
	if (kind === 'role') {
		return [{ field, value, isOneOf, explain: (asked) => roleProblem(flag, value, asked) }];
	}
	if (kind !== 'status' || isListStatus(value, dialect)) return [];
	const text = `${flag}: unknown status ${quote(value)}; see "supportctl help statuses"`;
	return [{ field, value, isOneOf, explain: async () => text }];
}

const flagOf = ({ parameter }: Filter): string => `--${flagName(parameter)}`;

/** GMT if it names no zone. @throws UsageError */
function momentOf(filter: Filter, text: string, now: number): number {
	const age = readDuration(text);
	const moment = age === undefined ? readMoment(text)?.ms : now - age;
	if (moment !== undefined) return moment;
	throw refuse(
		`${flagOf(filter)}: ${quote(text)} is not a date or an age`,
		'use a date such as 2026-03-31 or 2026-03-31T09:00:00, or an age such as 90d or 12h',
	);
}

function isOnSide(value: unknown, side: 'before' | 'after', bound: number): boolean | undefined {
	const shown = typeof value === 'string' ? readMoment(value)?.ms : undefined;
	if (shown === undefined) return undefined;
	return side === 'before' ? shown < bound : shown > bound;
}

async function parameterOf(filter: Filter, text: string, asked: AskedNow): Promise<string> {
	const { read, dialect, directories, now } = asked;
	const { kind, parameter } = filter;
	const flag = flagOf(filter);
	const command = `supportctl ${read.list.name.replaceAll('.', ' ')}`;
	switch (kind) {
		case 'user':
			if (text === '0') {
				throw refuse(
					`${flag} 0 would match every ${read.list.noun}`,
					`for ${plural(read.list.noun, 2)} without one: ${command} ${flag} ${NOBODY}`,
				);
			}
			if (text.includes(',')) throw refuse(`${flag} takes one user`);
			return await userId(flag, text, directories);
		case 'id':
			return text === NOBODY || text === '0' ? '0' : readId(flag, text);
		case 'status': {
			const state = valuesIn(text).find((each) => /^(?:open|closed)$/i.test(each));
			if (state === undefined) {
				return valuesIn(text)
					.map((each) => statusOf(each, dialect))
					.join(',');
			}
			throw refuse(
				`${flag}: ${quote(state)} is a state, not a status`,
				`did you mean: ${command} --state ${state.toLowerCase()}`,
			);
		}
		case 'date':
			return dateOf(text, momentOf(filter, text, now));
		case 'term':
			return (await Promise.all(valuesIn(text).map((each) => termId(parameter, each, directories)))).join(',');
		case 'role':
			return valuesIn(text).join(',');
		case 'state':
		case 'text':
			return text;
		default:
			return kind satisfies never;
	}
}

const statusOf = (text: string, dialect: Dialect): string => dialect.toOwn(findStatus(dialect.toNeutral(text)) ?? text);

/** A date without a zone is the service's own time, an age is not. */
function dateOf(text: string, moment: number): string {
	if (readMoment(text) === undefined) return new Date(moment).toISOString().replace(/\.\d+/, '');
	// Services want a time of day.
	return text.length === '2026-03-31'.length ? `${text}T00:00:00` : text;
}

function refuse(message: string, hint?: string): UsageError {
	return new UsageError(message, { code: 'invalid_value', hint });
}

function readOrder({ orders }: Read, sort: string) {
	const field = sort.replace(/^-/, '');
	if (orders.length === 0) return {};
	if (!orders.includes(field)) {
		throw refuse(
			`--sort: can't sort by ${quote(field)}${didYouMean(field, orders)}`,
			`use ${orders.join(', ')}, with "-" in front for the reverse order`,
		);
	}
	const orderby = field.replace(/_gmt$/, '');
	const direction: 1 | -1 = sort.startsWith('-') ? -1 : 1;
	return {
		order: { orderby, order: direction === 1 ? 'asc' : 'desc' },
		byId: orderby === 'id' ? direction : undefined,
	};
}

/** The path IDs before objects' own: none, or one for each text. @throws UsageError */
export async function ownerIds(texts: readonly string[], { read, directories }: Asked): Promise<Ids[]> {
	const [parameter] = read.list.parameters;
	if (parameter === undefined) return [{}];
	const owners: Ids[] = [];
	for (const text of new Set(texts)) owners.push({ [parameter.name]: await pathId(parameter, text, {}, directories) });
	return owners;
}

/** @throws UsageError */
export async function objectId(owners: Ids, text: string, { read, directories }: Asked): Promise<string> {
	return await pathId(read.get?.parameters.at(-1) as PathParameter, text, owners, directories);
}

async function pathId(
	{ name, kind, names }: PathParameter,
	text: string,
	{ taxonomy = '' }: Ids,
	directories: Directories,
): Promise<string> {
	if (kind === 'taxonomy') return text;
	const label = name.replaceAll('_', ' ');
	switch (names) {
		case 'users': {
			const parsed = named.users.parse(text);
			if (isProblem(parsed)) throw new UsageError(`user: ${parsed.problem}`, { code: 'invalid_id' });
			return await userId('user', text, directories);
		}
		case 'terms':
			return readId(label, await termId(taxonomy, text, directories));
		// Passwords are only listed.
		case 'passwords':
		case undefined:
			return readId(label, text);
		default:
			return names satisfies never;
	}
}

function readId(label: string, text: string): string {
	const parsed = parseId(text);
	if (isProblem(parsed)) throw new UsageError(`${label}: ${parsed.problem}`, { code: 'invalid_id' });
	return parsed.value;
}

async function userId(label: string, text: string, { users }: Directories): Promise<string> {
	return readId(label, idIn(await users.id(text), label, text));
}

async function termId(taxonomy: string, text: string, { terms }: Directories): Promise<string> {
	return idIn(await terms(taxonomy).id(text), taxonomy, text);
}

function idIn(found: Found, label: string, text: string): string {
	if ('problem' in found) throw new UsageError(`${label}: ${found.problem}`, { code: 'unknown_name' });
	return 'id' in found ? found.id : text;
}
