/** `--dry-run`: each request as it would be sent, and with `--diff` what it would change. */

import { asksNothing } from '../../api/plan.js';
import { inexactNumberIn } from '../../api/values.js';
import { AdaptivePace } from '../../bulk/pace.js';
import { inOrder } from '../../bulk/run/engine.js';
import { changesLists } from '../../bulk/run/plan.js';
import { decide, heldOf, readPlannerOf } from '../../bulk/run/read-back.js';
import { isInvalid, isOwn, type PlannedRows, type RunRow } from '../../bulk/run/rows.js';
import type { Survey } from '../../bulk/run/survey.js';
import { ExitCode } from '../../errors.js';
import type { Result } from '../../http/outcome.js';
import { send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import { isSecretName, REDACTED } from '../../output/redact.js';
import { checkSignedIn } from '../own-account.js';
import { openResults, wantsJson } from '../results.js';
import { checkReadsServed, placeOf } from './checks.js';
import { plural, printedIds } from './outcomes.js';
import type { RunJob } from './plan.js';

/** How many requests a terminal is shown; --all shows the others too. */
const SHOWN = 20;

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
	const isDiff = options.diff === true;
	const ids = Object.keys(survey.first[0]?.ids ?? {});
	// What a list will hold is known after the read alone.
	const items = Object.entries({ add: plan.values.add, remove: plan.values.remove }).filter(
		([, fields]) => Object.keys(fields).length > 0,
	);
	const results = await openResults(invocation, {
		profileFormat: settings.format,
		columns: isDiff
			? [...[...ids, 'field', 'old', 'new'].map((path) => ({ path })), { path: 'message', optional: true }]
			: [
					...[
						{ path: 'method', whole: true },
						{ path: 'path', whole: true },
						{ path: 'body', least: 16 },
					],
					...items.map(([path]) => ({ path })),
				],
	});
	const isWhole = !stdout.isTTY || options.all === true || options.format !== undefined || options.json === true;
	let printed = 0;
	let unread = 0;
	const print = async ({ row, line, request }: RunRow, more: object): Promise<void> => {
		if (printed++ >= SHOWN && !isWhole) return;
		const place = line === undefined || isDiff ? { row } : { row, line };
		await results.row({ ...place, ...printedIds(request.ids), ...more });
	};
	const selected = rowsToShow(job, rows);
	if (isDiff) {
		const client = await connect();
		await checkReadsServed(job, survey.read, client);
		const { clock, random } = context;
		const planRead = readPlannerOf(session.dialect);
		const pace = new AdaptivePace({ clock, random, rate: tuning.rate });
		const sending = { ...session.sending, exactNumbers: true, pace };
		const read = async (row: RunRow) => ({ row, found: await send(client, planRead(row.request), sending) });
		for await (const { row, found } of inOrder(selected, tuning.concurrency, read)) {
			checkSignedIn(found, session.connection);
			const changes = changesOf(job, row, found);
			if (changes === undefined) unread++;
			for (const change of changes ?? [unreadable(found)]) await print(row, change);
		}
	} else {
		for await (const batch of selected) {
			for (const row of batch) {
				const { method, path, body } = row.request;
				const sent = body === undefined ? null : JSON.parse(body);
				await print(row, { method, path, body: sent, ...Object.fromEntries(items) });
			}
		}
	}
	await results.end();
	const { host } = session;
	const { skipped } = survey;
	const count = Math.min(survey.selected, tuning.first ?? survey.selected);
	if (!tuning.quiet && wantsJson(options)) {
		const summary = { dryRun: true, host, profile: profile ?? null, requests: count, skipped, unread };
		stderr.write(`${JSON.stringify({ summary })}\n`);
	} else if (!tuning.quiet) {
		if (printed > SHOWN && !isWhole) stderr.write(`… and ${printed - SHOWN} more; --all prints all of them\n`);
		const notes = [
			`dry run ${placeOf({ profile }, host)}: ${count} ${plural('request', count)}, none sent`,
			...(skipped === 0 ? [] : [`${skipped} ${skipped === 1 ? 'row has' : 'rows have'} nothing to send`]),
			...(unread === 0 ? [] : [`${unread} ${plural(endpoint.noun, unread)} could not be read`]),
		];
		stderr.write(`${notes.join('; ')}\n`);
	}
	if (unread === 0) return ExitCode.ok;
	return unread === count ? ExitCode.failed : ExitCode.partial;
}

/** The own rows that have something to send, up to --first. */
async function* rowsToShow({ plan, tuning }: RunJob, rows: PlannedRows): AsyncGenerator<RunRow[]> {
	let left = tuning.first ?? Number.POSITIVE_INFINITY;
	for await (const batch of rows.read()) {
		const own = batch.filter((each): each is RunRow => !isInvalid(each) && isOwn(each, plan.shard));
		const ready = own.filter(({ request }) => changesLists(plan) || !asksNothing(request)).slice(0, left);
		left -= ready.length;
		yield ready;
		if (left === 0) return;
	}
}

interface Change {
	field: string | null;
	old: unknown;
	new: unknown;
	message: string | null;
}

const noChange = (message: string | null): Change => ({ field: null, old: null, new: null, message });

function unreadable({ message, code, outcome }: Result): Change {
	const why = outcome === 'ok' ? 'the response is in an unknown shape' : (message ?? code ?? outcome);
	return noChange(`not readable: ${why}`);
}

/** The fields that a row would change; a row that a check skips is one line. Undefined where its object is not known. */
function changesOf({ endpoint, plan }: RunJob, row: RunRow, found: Result): Change[] | undefined {
	const { checks, values, service } = plan;
	const held = found.outcome === 'ok' ? heldOf(endpoint, found.body, service.prefixes.product) : undefined;
	if (held === undefined) return undefined;
	const decided = decide(row, held, { checks: { ...checks, onlyChanged: true }, values });
	if ('skip' in decided) {
		const { code, message = null } = decided.skip;
		return code === 'unchanged' || code === 'nothing_to_send' ? [] : [noChange(message)];
	}
	// A number that JavaScript would change is shown as it is written.
	const shown = (value: unknown): unknown => inexactNumberIn(value) ?? value;
	return Object.entries(decided.fields).map(([field, value]) => {
		const isSecret = isSecretName(field);
		const isKnown = held.has(field);
		return {
			field,
			old: isKnown ? (isSecret ? REDACTED : shown(held.get(field))) : null,
			new: isSecret ? REDACTED : shown(value),
			message: isKnown ? null : 'the service does not show this field',
		};
	});
}
