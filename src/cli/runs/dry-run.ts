/** `--dry-run`: each request as it would be sent, and with `--diff` what it would change. */

import { asksNothing } from '../../api/plan.js';
import { inexactNumberIn } from '../../api/values.js';
import { AdaptivePace } from '../../bulk/pace.js';
import { inOrder } from '../../bulk/run/engine.js';
import { changesLists } from '../../bulk/run/plan.js';
import { decide, type Held, heldOf, readPlannerOf } from '../../bulk/run/read-back.js';
import { isInvalid, isOwn, type PlannedRows, type RunRow } from '../../bulk/run/rows.js';
import type { Survey } from '../../bulk/run/survey.js';
import { ExitCode } from '../../errors.js';
import type { Outcome } from '../../http/outcome.js';
import { send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import type { Column } from '../../output/columns.js';
import { isSecretName, REDACTED } from '../../output/redact.js';
import { checkSignedIn } from '../own-account.js';
import { openResults, wantsJson } from '../results.js';
import { checkReadsServed, placeOf } from './checks.js';
import { plural } from './failures.js';
import type { RunJob } from './plan.js';
import { printedIds } from './shape.js';

/** How many requests a terminal is shown; --all shows the others too. */
const SHOWN = 20;

const REQUEST_COLUMNS: readonly Column[] = [
	{ path: 'method', whole: true },
	{ path: 'path', whole: true },
	{ path: 'body', least: 16 },
];

type Print = (row: unknown) => void | Promise<void>;

/** Prints the method, path and body of each request, or what it would change, and sends no write. */
export async function showPlan(
	job: RunJob,
	rows: PlannedRows,
	survey: Survey,
	connect: () => Promise<Client>,
): Promise<ExitCode> {
	const { endpoint, invocation, session, tuning, plan } = job;
	const { context, options } = invocation;
	const { stdout, stderr } = context;
	const { profileName: profile, settings } = session.connection;
	const ids = Object.keys(survey.first[0]?.ids ?? {});
	const results = await openResults(invocation, {
		profileFormat: settings.format,
		columns:
			options.diff === true
				? [...[...ids, 'field', 'old', 'new'].map((path) => ({ path })), { path: 'message', optional: true }]
				: [...REQUEST_COLUMNS, ...Object.keys(itemsOf(plan)).map((path) => ({ path }))],
	});
	const isWhole = !stdout.isTTY || options.all === true || options.format !== undefined || options.json === true;
	let printed = 0;
	const print: Print = (row) => (printed++ < SHOWN || isWhole ? results.row(row) : undefined);
	const unread =
		options.diff === true
			? await printChanges(job, rows, survey, print, await connect())
			: await printRequests(job, rows, print);
	await results.end();
	const { skipped } = survey;
	const { host } = session;
	const selected = Math.min(survey.selected, tuning.first ?? survey.selected);
	if (!tuning.quiet && wantsJson(options)) {
		const summary = { dryRun: true, host, profile: profile ?? null, requests: selected, skipped, unread };
		stderr.write(`${JSON.stringify({ summary })}\n`);
	} else if (!tuning.quiet) {
		if (printed > SHOWN && !isWhole) stderr.write(`… and ${printed - SHOWN} more; --all prints all of them\n`);
		const notes = [
			`dry run ${placeOf({ profile }, host)}: ${selected} ${plural('request', selected)}, none sent`,
			...(skipped === 0 ? [] : [`${skipped} ${skipped === 1 ? 'row has' : 'rows have'} nothing to send`]),
			...(unread === 0 ? [] : [`${unread} ${plural(endpoint.noun, unread)} could not be read`]),
		];
		stderr.write(`${notes.join('; ')}\n`);
	}
	if (unread === 0) return ExitCode.ok;
	return unread === selected ? ExitCode.failed : ExitCode.partial;
}

/** The own rows that have something to send, up to --first. */
async function* rowsToShow({ plan, tuning }: RunJob, rows: PlannedRows): AsyncGenerator<RunRow[]> {
	let left = tuning.first ?? Number.POSITIVE_INFINITY;
	for await (const batch of rows.read()) {
		const ready = batch
			.filter(
				(each): each is RunRow =>
					!isInvalid(each) && isOwn(each, plan.shard) && (changesLists(plan) || !asksNothing(each.request)),
			)
			.slice(0, left);
		left -= ready.length;
		yield ready;
		if (left === 0) return;
	}
}

/** What is added to lists and removed from them: what a list will hold is known after the read alone. */
function itemsOf({ values: { add, remove } }: RunJob['plan']) {
	return {
		...(Object.keys(add).length === 0 ? {} : { add }),
		...(Object.keys(remove).length === 0 ? {} : { remove }),
	};
}

async function printRequests(job: RunJob, rows: PlannedRows, print: Print): Promise<number> {
	const items = itemsOf(job.plan);
	for await (const batch of rowsToShow(job, rows)) {
		for (const { row, line, request } of batch) {
			const { method, path, body, ids } = request;
			const place = line === undefined ? { row } : { row, line };
			const sent = body === undefined ? null : JSON.parse(body);
			await print({ ...place, ...printedIds(ids), method, path, body: sent, ...items });
		}
	}
	return 0;
}

/** Reads each object, several at a time, and prints what would change; returns how many can't be read. */
async function printChanges(
	job: RunJob,
	rows: PlannedRows,
	survey: Survey,
	print: Print,
	client: Client,
): Promise<number> {
	const { endpoint, plan, session, tuning, invocation } = job;
	const { clock, random } = invocation.context;
	const planRead = readPlannerOf(session.dialect);
	const pace = new AdaptivePace({ clock, random, rate: tuning.rate });
	const sending = { ...session.sending, exactNumbers: true, pace };
	const read = async (row: RunRow) => ({ row, found: await send(client, planRead(row.request), sending) });
	let unread = 0;
	await checkReadsServed(job, survey.read, client);
	for await (const { row, found } of inOrder(rowsToShow(job, rows), tuning.concurrency, read)) {
		checkSignedIn(found, session.connection);
		const held = found.outcome === 'ok' ? heldOf(endpoint, found.body, plan.service.prefixes.product) : undefined;
		if (held === undefined) unread++;
		const changes = held === undefined ? [unreadable(found)] : changesOf(row, held, plan);
		for (const change of changes) await print({ row: row.row, ...printedIds(row.request.ids), ...change });
	}
	return unread;
}

/** A number that JavaScript would change is shown as it is written. */
const shown = (value: unknown): unknown => inexactNumberIn(value) ?? value;

interface Change {
	field: string | null;
	old: unknown;
	new: unknown;
	message: string | null;
}

function unreadable({ message, code, outcome }: Pick<Outcome, 'message' | 'code' | 'outcome'>): Change {
	const why = outcome === 'ok' ? 'the response is in an unknown shape' : (message ?? code ?? outcome);
	return { field: null, old: null, new: null, message: `not readable: ${why}` };
}

/** The fields that the row would change; a row that a check skips is one line that says why. */
function changesOf(row: RunRow, held: Held, { checks, values }: RunJob['plan']): Change[] {
	const decided = decide(row, held, { checks: { ...checks, onlyChanged: true }, values });
	if ('skip' in decided) {
		const { code, message = null } = decided.skip;
		return code === 'unchanged' || code === 'nothing_to_send' ? [] : [{ field: null, old: null, new: null, message }];
	}
	return Object.entries(decided.fields).map(([field, value]) => {
		const known = held.has(field);
		const message = known ? null : 'the service does not show this field';
		if (isSecretName(field)) return { field, old: known ? REDACTED : null, new: REDACTED, message };
		return { field, old: known ? shown(held.get(field)) : null, new: shown(value), message };
	});
}
