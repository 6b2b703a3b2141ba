/** What deleted objects leave behind: tickets that stay assigned to a user, and child terms that move up. Counted before the first delete. */

import type { Dialect } from '../../api/dialect.js';
import { endpoints } from '../../api/endpoints.js';
import { counted, nameRow } from '../../api/names.js';
import { listRequest, reads } from '../../api/reads.js';
import type { Request } from '../../api/request.js';
import { FailedError, SupportctlError, UsageError } from '../../errors.js';
import { isRouteMissing } from '../../http/judge.js';
import type { Known } from '../../http/known.js';
import { type Outcome, unsent } from '../../http/outcome.js';
import { type Directories, totalIn } from '../lists/directory.js';
import { readList } from '../lists/list.js';
import { objectsIn } from '../lists/pages.js';
import type { Ids, RunPlan } from '../plan.js';
import type { Survey } from './survey.js';

/** One object to be deleted. */
export interface Left {
	readonly ids: Ids;
	readonly label: string;
	/** Who receives a user's posts. */
	readonly receiver: string | undefined;
	/** How many objects name it in a field. Fields that lists can't be narrowed by are left out, but never the first one. */
	readonly counts: readonly { readonly field: string; readonly count: Known<number> }[];
}

interface Counting {
	readonly directories: Directories;
	readonly dialect: Dialect;
}

/** @throws UsageError if tickets are to be moved and can't be counted */
export async function countLeft(plan: RunPlan, { directories, dialect }: Counting, survey: Survey): Promise<Left[]> {
	const { leaves } = endpoints[plan.endpoint];
	const { moveTickets = false } = plan.checks;
	if (leaves === undefined) return [];
	if (moveTickets && survey.selected > survey.leaving.length) {
		throw new UsageError(`--move-tickets takes at most ${survey.leaving.length} users at a time; nothing was sent`, {
			code: 'too_many_users',
			hint: 'delete them in parts: --first N, then supportctl run resume last',
		});
	}
	const left: Left[] = [];
	let unserved: Known<number> | undefined;
	for (const { request, reassign } of survey.leaving) {
		const { ids, endpoint } = request;
		const name = leaves.read === 'ticket' ? directories.users.name(ids.id ?? '') : undefined;
		const label = name === undefined ? nameRow(ids, endpoint.noun) : `user ${name} (${ids.id})`;
		const counts: Left['counts'][number][] = [];
		for (const field of leaves.fields) {
			const count = unserved ?? (await countOf(directories.send, dialect, leaves.read, field, ids));
			if (count.is === 'unknown' && isRouteMissing(count.why)) unserved = count;
			if (counts.length === 0 || count.is === 'shown') counts.push({ field, count });
			// What the service can't say of one field, it can't say of others.
			if (count.is !== 'shown') break;
		}
		const [first] = counts;
		if (moveTickets && first?.count.is !== 'shown') {
			throw new FailedError(`${uncounted(label, first?.count)}; nothing was sent`, {
				code: 'not_counted',
				hint: 'without --move-tickets they stay with the deleted user',
			});
		}
		left.push({ ids, label, receiver: reassign, counts });
	}
	return left;
}

/** A service may ignore a parameter: the list counts if its first object has the value. */
async function countOf(
	send: Directories['send'],
	dialect: Dialect,
	noun: 'ticket' | 'term',
	field: string,
	{ id = '', ...owners }: Ids,
): Promise<Known<number>> {
	const query = { ...reads[noun].query, [field]: id, per_page: '1', _fields: `id,${field}` };
	const outcome = await send(listRequest(reads[noun], owners, query, dialect)).catch(asOutcome);
	const total = totalIn(outcome);
	const [first] = objectsIn(outcome) ?? [];
	const isAnswer = outcome.outcome === 'ok' && total !== undefined;
	const isFiltered = total === 0 || String(first?.[field]) === id;
	return isAnswer && isFiltered ? { is: 'shown', value: total } : { is: 'unknown', why: outcome };
}

/** Refused credentials are said by the delete itself. */
function asOutcome(error: unknown): Outcome {
	if (error instanceof SupportctlError) return unsent('failed', error.code, error.message);
	throw error;
}

function uncounted(label: string, count: Known<number> | undefined): string {
	const why: Partial<Outcome> = count?.is === 'unknown' ? count.why : {};
	const reason = why.message ?? why.code ?? 'the service does not count them';
	return `could not count the tickets assigned to ${label}: ${reason.replace(/\.$/, '')}`;
}

const sumOf = (left: readonly Left[], isWanted: (field: string) => boolean): number =>
	left
		.flatMap(({ counts }) => counts)
		.reduce((sum, { field, count }) => sum + (isWanted(field) && count.is === 'shown' ? count.value : 0), 0);

/** For the question, a plan and a dry run. */
export function leftNotes({ endpoint, checks }: RunPlan, left: readonly Left[]): string[] {
	const [first] = left;
	const { leaves, noun } = endpoints[endpoint];
	if (first === undefined || leaves === undefined) return [];
	const [field] = leaves.fields;
	const who = ([one, ...others]: readonly Left[]): string => {
		if (others.length === 0) return one?.label ?? '';
		const count = others.length + 1;
		return count === left.length ? `these ${count} ${noun}s` : `${count} of the ${noun}s`;
	};
	const counting = left.filter((each) => sumOf([each], () => true) > 0);
	const notes: string[] = [];
	if (leaves.read === 'term') {
		const children = sumOf(left, () => true);
		if (children > 0)
			notes.push(`${counted(children, 'child term')} of ${who(counting)} move${children === 1 ? 's' : ''} up`);
		return notes;
	}
	const tickets = sumOf(left, (each) => each === field);
	const others = sumOf(left, (each) => each !== field);
	if (counting.length > 0) {
		const more = others === 0 ? '' : `, and ${others} as second or third assignee,`;
		const assigned = `${counted(tickets, 'ticket')} assigned to ${who(counting)}${more}`;
		notes.push(
			checks.moveTickets
				? `${assigned} first go to whoever receives the posts`
				: `${assigned} stay${tickets + others === 1 ? 's' : ''} with the deleted user; to move them first: --move-tickets`,
		);
	}
	const unknown = left.find(({ counts: [first] }) => first?.count.is === 'unknown');
	if (unknown !== undefined) notes.push(uncounted(unknown.label, unknown.counts[0]?.count));
	return notes;
}

/** For the summary: what can still be done. */
export function leftAfter({ endpoint }: RunPlan, left: readonly Left[]): string | undefined {
	if (endpoints[endpoint].leaves?.read !== 'ticket') return undefined;
	const behind = left.filter(({ counts: [first] }) => first?.count.is === 'shown' && first.count.value > 0);
	const [first] = behind;
	if (first?.receiver === undefined) return undefined;
	const [field] = endpoints[endpoint].leaves.fields;
	const tickets = sumOf(behind, (each) => each === field);
	const whose = behind.length === 1 ? first.label : `${behind.length} deleted users; for ${first.label}`;
	const list = `supportctl ticket list --assignee ${first.ids.id} --format ids`;
	return `${counted(tickets, 'ticket')} stay${tickets === 1 ? 's' : ''} assigned to ${whose}; to move them: ${list} | supportctl ticket update - --assignee ${first.receiver}`;
}

/** @throws SupportctlError if the list is not complete */
export async function ticketsOf({ directories, dialect }: Counting, field: string, userId: string): Promise<string[]> {
	const found: string[] = [];
	const sendRead = (request: Request): Promise<Outcome> => directories.send(request);
	const query = {
		parameters: { ...reads.ticket.query, [field]: userId },
		conditions: [],
		byId: 1 as const,
		warnings: [],
		doubts: [],
	};
	const list = {
		read: reads.ticket,
		dialect,
		sendRead,
		concurrency: 1,
		query,
		fields: ['id', field],
		countsOnly: false,
	};
	const { warnings, failure } = await readList(list, {}, Number.POSITIVE_INFINITY, async (objects) => {
		for (const each of objects) if (String(each[field]) === userId) found.push(String(each.id));
		return true;
	});
	const why = failure === undefined ? warnings[0] : `the list broke off: ${failure.message ?? failure.outcome}`;
	if (why === undefined) return found;
	const message = `could not list the tickets of user ${userId}: ${why}; no user was deleted`;
	throw new SupportctlError(message, 1, { code: 'incomplete_list', hint: 'try again later' });
}
