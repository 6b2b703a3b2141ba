/** What an account may do, as far as reads show it: nothing is written to find out. */

import type { Dialect } from '../api/dialect.js';
import { counted } from '../api/names.js';
import { listRequest, ownAccount, PAGE_SIZE, type Read, reads } from '../api/reads.js';
import { createPlanner, type Request } from '../api/request.js';
import { isObject } from '../api/values.js';
import { type ListedObject, objectsIn, totalIn } from '../bulk/lists/pages.js';
import { isRouteMissing } from '../http/judge.js';
import type { Outcome } from '../http/outcome.js';

type Send = (request: Request) => Promise<Outcome>;

/** What could not be found out is null. */
export interface Rights {
	readonly roles: readonly string[];
	/** `own`: lists may show others' tickets all the same. */
	readonly tickets: 'all' | 'own' | 'none' | null;
	/** What people can be found by. */
	readonly names: 'username' | 'slug' | null;
}

/** With the words for each, for people. */
export interface Examined extends Rights {
	readonly says: readonly string[];
	/** Whether a different account could do more here; a service that offers no reads offers them to nobody. */
	readonly isLimited: boolean;
}

/** @param send never rejects */
export async function examineRights(send: Send, dialect: Dialect): Promise<Examined> {
	const own = await send(createPlanner(ownAccount, dialect)({ ids: {} }));
	const account = own.outcome === 'ok' && isObject(own.body) ? own.body : {};
	const roles = Array.isArray(account.roles) ? account.roles.map(String) : [];
	const tickets = await examineTickets(send, dialect, account.id);
	const names = await examineNames(send, dialect, account.id);
	const role = roles.length === 0 ? 'role not shown' : `role ${roles.join(', ')}`;
	return {
		roles,
		tickets: tickets.value,
		names: names.value,
		says: [role, tickets.says, names.says, 'writes were not tried'],
		isLimited: tickets.isLimited || names.isLimited,
	};
}

interface Answer<Value> {
	value: Value | null;
	says: string;
	isLimited: boolean;
}

function answer<Value>(value: Value | null, says: string, isLimited = false): Answer<Value> {
	return { value, says, isLimited };
}

async function listOf(send: Send, dialect: Dialect, read: Read, more: Readonly<Record<string, string>>) {
	const outcome = await send(listRequest(read, {}, { ...read.query, ...more, per_page: String(PAGE_SIZE) }, dialect));
	return { outcome, objects: objectsIn(outcome) };
}

/** An agent's list can show tickets that it may not open one by one. */
async function examineTickets(send: Send, dialect: Dialect, me: unknown): Promise<Answer<Rights['tickets']>> {
	const { outcome, objects } = await listOf(send, dialect, reads.ticket, { _fields: 'id,assignee,author' });
	if (isRouteMissing(outcome)) return answer(null, 'the service lists no tickets');
	if (objects === undefined) {
		const { forbidden = false } = outcome;
		return answer(forbidden ? 'none' : null, `can't list tickets${why(outcome)}`, forbidden);
	}
	if (objects.length === 0) return answer(null, 'the list of tickets is empty');
	const count = counted(totalIn(outcome) ?? objects.length, 'ticket');
	const isOwn = ({ assignee, author }: ListedObject): boolean =>
		[assignee, author].some((id) => String(id) === String(me));
	const foreign = objects.find((each) => !isOwn(each));
	if (foreign === undefined) return answer('own', `lists ${count}, only your own`, true);
	const opened = await send(createPlanner(reads.ticket.get, dialect)({ ids: { id: String(foreign.id) } }));
	if (opened.outcome === 'ok') return answer('all', `lists and opens ${count}`);
	const such = `such as ${foreign.id}${why(opened)}`;
	if (opened.forbidden) return answer('own', `lists ${count}, but can't open those of others, ${such}`, true);
	return answer(null, `lists ${count}, but one could not be opened, ${such}`);
}

async function examineNames(send: Send, dialect: Dialect, me: unknown): Promise<Answer<Rights['names']>> {
	const { outcome, objects } = await listOf(send, dialect, reads.user, { _fields: 'id,username,slug' });
	if (isRouteMissing(outcome)) return answer(null, 'the service lists no users: pass IDs');
	const others = objects?.filter(({ id }) => String(id) !== String(me)) ?? [];
	const shows = (name: string): boolean => others.some((each) => typeof each[name] === 'string');
	if (shows('username')) return answer('username', 'finds people by username');
	if (shows('slug')) return answer('slug', 'sees no usernames: pass slugs or IDs', true);
	return answer(null, `can't look people up: pass IDs${why(outcome)}`, outcome.forbidden);
}

/** Not the service's words: they may repeat our own credentials. */
function why({ outcome, status }: Outcome): string {
	if (outcome === 'ok') return '';
	return status === undefined ? ' (no response)' : ` (HTTP ${status})`;
}
