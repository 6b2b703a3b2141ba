/** What deleted objects leave behind: tickets that stay assigned to a user, and child terms that move up. Counted before the first delete. */

import { decodeEntities } from '../../api/compare.js';
import type { Dialect } from '../../api/dialect.js';
import { endpoints } from '../../api/endpoints.js';
import { counted, nameRow } from '../../api/names.js';
import { listRequest, PAGE_SIZE, reads } from '../../api/reads.js';
import { parseTaxonomy, type Request } from '../../api/request.js';
import { isId, isProblem } from '../../api/values.js';
import { FailedError, SupportctlError } from '../../errors.js';
import { isRouteMissing } from '../../http/judge.js';
import type { Known } from '../../http/known.js';
import { type Outcome, unsent } from '../../http/outcome.js';
import { formatCount } from '../../text.js';
import { journalPath } from '../journal/folder.js';
import { scanJournal } from '../journal/read.js';
import type { LeavesRecord } from '../journal/records.js';
import { inOrder } from '../lists/batches.js';
import type { Directories } from '../lists/directory.js';
import { readList } from '../lists/list.js';
import { objectsIn, totalIn } from '../lists/pages.js';
import type { Ids, RunPlan } from '../plan.js';
import type { RunRow } from './rows.js';
import type { Survey } from './survey.js';

/** One object to be deleted. */
export interface Left {
	readonly ids: Ids;
	readonly label: string;
	/** Who receives a user's posts. */
	readonly receiver: string | undefined;
	/** What names it in a field. Fields that lists can't be narrowed by are left out, but never the first one. */
	readonly counts: readonly { readonly field: string; readonly found: Known<Naming> }[];
}

/** Objects that name a deleted one in a field. */
interface Naming {
	readonly count: number;
	/** Child terms, of which a hundred are listed. */
	readonly children: readonly { readonly id: string; readonly name: string }[];
}

interface Counting {
	readonly directories: Directories;
	readonly dialect: Dialect;
	/** Users or terms that are counted at a time. */
	readonly concurrency: number;
	/** So many rows are sent, of all that are open: the tickets of the others stay until their part. */
	readonly first?: number | undefined;
}

/** @throws FailedError if tickets are to be moved and can't be counted */
export async function countLeft(plan: RunPlan, counting: Counting, survey: Survey): Promise<Left[]> {
	const { leaves } = endpoints[plan.endpoint];
	if (leaves === undefined) return [];
	const { users } = counting.directories;
	const left: Left[] = [];
	// What the service doesn't serve for one user, it serves for nobody.
	let unserved: Known<Naming> | undefined;
	const { moveTickets = false } = plan.checks;
	const count = async ({ request: { ids, endpoint }, reassign }: RunRow): Promise<Left> => {
		const name = leaves.read === 'ticket' ? users.name(ids.id ?? '') : undefined;
		const label = name === undefined ? nameRow(ids, endpoint.noun) : `user ${name} (${ids.id})`;
		const counts: { field: string; found: Known<Naming> }[] = [];
		for (const field of leaves.fields) {
			let found = unserved ?? (await findNaming(counting, leaves.read, field, ids));
			if (found.is === 'unknown' && isRouteMissing(found.why)) unserved = found;
			// To be moved they are listed anyway.
			const isListed = found.is === 'unknown' && found.why.outcome === 'ok' && counts.length === 0;
			if (moveTickets && isListed) found = await findListed(counting, field, ids.id ?? '');
			if (counts.length === 0 || found.is === 'shown') counts.push({ field, found });
			// What the service can't say of one field, it can't say of others.
			if (found.is !== 'shown') break;
		}
		return { ids, label, receiver: reassign, counts };
	};
	const [first, ...others] = survey.leaving.slice(0, counting.first);
	if (first === undefined) return [];
	left.push(await count(first));
	for await (const each of inOrder(others, counting.concurrency, count)) left.push(each);
	const unknown = left.find(({ counts: [first] }) => first?.found.is !== 'shown');
	if (moveTickets && unknown !== undefined) {
		throw new FailedError(`${uncounted(unknown)}; nothing was sent`, {
			code: 'not_counted',
			hint: 'without --move-tickets they stay with the deleted user',
		});
	}
	return left;
}

/** A service may ignore a parameter: the list counts if all objects of its first page have the value. */
async function findNaming(
	{ directories, dialect }: Counting,
	noun: 'ticket' | 'term',
	field: string,
	{ id = '', ...owners }: Ids,
): Promise<Known<Naming>> {
	// Tickets are only counted.
	const isTerm = noun === 'term';
	const shown = isTerm ? `id,name,${field}` : `id,${field}`;
	const query = { ...reads[noun].query, [field]: id, per_page: String(PAGE_SIZE), _fields: shown };
	const request = listRequest(reads[noun], owners, query, dialect);
	const outcome = await directories.waitFor(request, `counting ${isTerm ? 'child terms' : 'tickets'}`).catch(asOutcome);
	const count = totalIn(outcome);
	const objects = objectsIn(outcome) ?? [];
	const isFiltered = count === 0 || (objects.length > 0 && objects.every((each) => String(each[field]) === id));
	if (outcome.outcome !== 'ok' || count === undefined || !isFiltered) return { is: 'unknown', why: outcome };
	const terms = isTerm ? objects.filter((each) => isId(each.id)) : [];
	const children = terms.map((each) => ({ id: String(each.id), name: decodeEntities(String(each.name ?? '')) }));
	return { is: 'shown', value: { count, children } };
}

/** Where the service ignores the parameter or gives no total, all that it lists are looked through. */
async function findListed(counting: Counting, field: string, userId: string): Promise<Known<Naming>> {
	const tickets = await listTickets(counting, field, userId);
	return tickets.is === 'shown' ? { is: 'shown', value: { count: tickets.value.length, children: [] } } : tickets;
}

/** Refused credentials are said by the delete itself. */
function asOutcome(error: unknown): Outcome {
	if (error instanceof SupportctlError) return unsent('failed', error.code, error.message);
	throw error;
}

function uncounted({ label, counts: [first] }: Left): string {
	const why: Partial<Outcome> = first?.found.is === 'unknown' ? first.found.why : {};
	const reason = why.message ?? why.code ?? 'the service does not count them';
	return `could not count the tickets assigned to ${label}: ${reason.replace(/\.$/, '')}`;
}

/** For the journal: what is known to name a deleted object. */
export function leavesOf(left: readonly Left[]): LeavesRecord[] {
	return left.flatMap(({ ids, label, receiver, counts }) =>
		counts.flatMap(({ field, found }) => {
			if (found.is !== 'shown' || found.value.count === 0) return [];
			const { count, children } = found.value;
			const own = children.length === 0 ? undefined : children.map(({ id }) => id);
			return [{ ids, label, field, count, receiver, children: own }];
		}),
	);
}

const sumOf = (leaves: readonly Pick<LeavesRecord, 'count'>[]): number =>
	leaves.reduce((sum, { count }) => sum + count, 0);

/** For the question, a plan and a dry run. @param all how many objects are deleted: of more than a hundred, the first are counted */
export function leftNotes({ endpoint, checks }: RunPlan, left: readonly Left[], all = left.length): string[] {
	const { leaves, noun } = endpoints[endpoint];
	if (leaves === undefined) return [];
	const counting = left.filter((each) => leavesOf([each]).length > 0);
	const [one] = counting;
	const those = left.length < all ? `the first ${counted(left.length, noun)}` : `these ${counted(left.length, noun)}`;
	const isAll = counting.length === left.length;
	const several = isAll ? those : `${formatCount(counting.length)} of ${those}`;
	const who = one !== undefined && counting.length === 1 ? one.label : several;
	const found = leavesOf(left);
	if (leaves.read === 'term') return found.length === 0 ? [] : [`${childrenOf(left, who)} ${movesUp(found)}`];
	const notes: string[] = [];
	const [field] = leaves.fields;
	const tickets = sumOf(found.filter((each) => each.field === field));
	const others = sumOf(found) - tickets;
	if (found.length > 0) {
		const more = others === 0 ? '' : `, and ${formatCount(others)} as second or third assignee,`;
		const assigned = `${counted(tickets, 'ticket')} assigned to ${who}${more}`;
		notes.push(
			checks.moveTickets
				? `${assigned} are moved first, to the user who receives the posts`
				: `${assigned} stay${tickets + others === 1 ? 's' : ''} with the deleted user; to move them first: --move-tickets`,
		);
	}
	const unknown = left.find(({ counts: [first] }) => first?.found.is === 'unknown');
	if (unknown !== undefined) notes.push(uncounted(unknown));
	return notes;
}

const movesUp = (found: readonly LeavesRecord[]): string => (sumOf(found) === 1 ? 'moves up' : 'move up');

/** In a list. */
const NAMED = 5;

/** `2 child terms of product term 11 (Billing, Setup)` */
function childrenOf(left: readonly Left[], parent: string): string {
	const shown = left.flatMap(({ counts }) =>
		counts.flatMap(({ found }) => (found.is === 'shown' ? found.value.children : [])),
	);
	const count = sumOf(leavesOf(left));
	const names = shown.slice(0, NAMED).map(({ id, name }) => name || id);
	return `${counted(count, 'child term')} of ${parent} (${names.join(', ')}${count > names.length ? ', …' : ''})`;
}

/**
 * For the summary, reports, `run show`, and an undo of what can't be undone: what can still be done.
 * @param deleted how many objects; if none is, nothing stays behind, but tickets may have moved
 */
export function leavesTexts(all: readonly LeavesRecord[], deleted: number): string[] {
	const those = deleted > 0 ? all : all.filter(({ run }) => run !== undefined);
	// A resume counts again what an earlier part left.
	const last = new Map(those.map((each) => [JSON.stringify([each.ids, each.field, each.run]), each]));
	const leaves = [...last.values()];
	const moved = leaves.filter(({ run, moved }) => run !== undefined && moved !== 0);
	const children = leaves.filter((each) => each.children !== undefined);
	const staying = leaves.filter((each) => each.run === undefined && each.children === undefined);
	return [...(moved.length > 0 ? [movedText(moved)] : []), ...stayTexts(staying), ...childTexts(children)];
}

/** More are counted. */
const SAID = 3;

function movedText(moved: readonly LeavesRecord[]): string {
	const only = (values: readonly (string | undefined)[]): string | undefined =>
		new Set(values).size === 1 ? values[0] : undefined;
	const whose = only(moved.map(({ label }) => label)) ?? 'deleted users';
	const receiver = only(moved.map((each) => each.receiver));
	const to = receiver === undefined ? 'whoever received the posts' : `user ${receiver}`;
	// Nobody knows before a resume has counted what is left.
	const most = moved.some((each) => each.moved === undefined) ? 'up to ' : '';
	const tickets = moved.reduce((sum, each) => sum + (each.moved ?? each.count), 0);
	const isShort = moved.length <= SAID;
	const by = isShort ? '' : `, by ${counted(moved.length, 'run')}, which run show lists as "moved"`;
	const undo = isShort ? moved.map(({ run }) => `supportctl run undo ${run}`).join(' && ') : 'supportctl run undo RUN';
	const what = `${most}${counted(tickets, 'ticket')} of ${whose} moved to ${to} first${by}`;
	return `${what}; to move them back, where the user still exists: ${undo}`;
}

/** The first one's command; those of other users are alike. Other assignees can't be listed everywhere. */
function stayTexts(staying: readonly LeavesRecord[]): string[] {
	const assigned = staying.filter(({ field }) => field === 'assignee');
	const [first] = assigned;
	if (first?.receiver === undefined) return [];
	const tickets = sumOf(assigned);
	const what = `${counted(tickets, 'ticket')} stay${tickets === 1 ? 's' : ''} assigned to`;
	const whose = assigned.length === 1 ? first.label : `${counted(assigned.length, 'deleted user')}; for ${first.label}`;
	const list = `supportctl ticket list --assignee ${first.ids.id} --format ids`;
	return [`${what} ${whose}; to move them: ${list} | supportctl ticket update - --assignee ${first.receiver}`];
}

function childTexts(children: readonly LeavesRecord[]): string[] {
	const texts = children.slice(0, SAID).map(({ ids, label, field, count, children = [] }) => {
		const { taxonomy = '' } = ids;
		const isDocumented = !isProblem(parseTaxonomy(endpoints['term.update'], taxonomy, false));
		const flags = `--${field} TERM${isDocumented ? '' : ' --undocumented'}`;
		const command = `supportctl term update ${taxonomy} ${children.join(' ')} ${flags}`;
		const them = count === 1 ? 'it' : 'them';
		return `${counted(count, 'child term')} of ${label} moved up; to put ${them} below another term: ${command}`;
	});
	const more = children.length - SAID;
	return more > 0 ? [...texts, `child terms of ${counted(more, 'other term')} moved up`] : texts;
}

/** Of runs that were killed, or don't know what became of a ticket: tickets that are not there any more have moved. */
export function movedBeforeKill(leaves: readonly LeavesRecord[], left: readonly Left[]): LeavesRecord[] {
	const isCounted = (id: string): boolean => leaves.some(({ run, moved }) => run === id && moved !== undefined);
	return leaves.flatMap((each) => {
		if (each.run === undefined || isCounted(each.run)) return [];
		const own = left.find(({ ids }) => ids.id === each.ids.id);
		const found = own?.counts.find(({ field }) => field === each.field)?.found;
		return found?.is === 'shown' ? [{ ...each, moved: Math.max(0, each.count - found.value.count) }] : [];
	});
}

/** How many tickets a run moved, and may have moved. */
export async function movedBy(run: string, stateDir: string): Promise<{ moved: number; unknown: number }> {
	const { counts } = await scanJournal(journalPath(stateDir, run));
	return { moved: counts.ok + counts.differs, unknown: counts.unknown };
}

type Listing = Pick<Counting, 'directories' | 'dialect'>;

/** @throws SupportctlError if they are not known */
export async function ticketsOf(listing: Listing, field: string, userId: string): Promise<readonly string[]> {
	const tickets = await listTickets(listing, field, userId);
	if (tickets.is === 'shown') return tickets.value;
	const message = `could not list the tickets of user ${userId}: ${tickets.why.message}; no user was deleted`;
	throw new SupportctlError(message, 1, { code: 'incomplete_list', hint: 'try again later' });
}

/** Not known unless the list is complete and shows the field. */
async function listTickets(
	{ directories, dialect }: Listing,
	field: string,
	userId: string,
): Promise<Known<readonly string[]>> {
	const found: string[] = [];
	const sendRead = (request: Request): Promise<Outcome> => directories.waitFor(request, 'listing tickets');
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
	let isShown = true;
	const { warnings, failure } = await readList(list, {}, Number.POSITIVE_INFINITY, async (objects) => {
		isShown &&= objects.every((each) => Object.hasOwn(each, field));
		for (const each of objects) if (String(each[field]) === userId) found.push(String(each.id));
		return true;
	});
	const problems = isShown ? warnings : [`the service does not show their ${field}`];
	const why = failure === undefined ? problems[0] : `the list was cut off: ${failure.message ?? failure.outcome}`;
	return why === undefined
		? { is: 'shown', value: found }
		: { is: 'unknown', why: unsent('failed', 'incomplete_list', why) };
}
