/** `--dry-run`: each request as it would be sent, and with `--diff` what it would change. */

import {
	type CustomFields,
	customFieldText,
	inexactNumberIn,
	readCustomFields,
	underNames,
} from '../../api/custom-fields.js';
import { endpoints } from '../../api/endpoints.js';
import { asksNothing, createPlanner } from '../../api/plan.js';
import { inOrder } from '../../bulk/in-order.js';
import { AdaptivePace } from '../../bulk/pace.js';
import { inShard } from '../../bulk/shard.js';
import { ExitCode } from '../../errors.js';
import type { Delivery } from '../../http/outcome.js';
import { type DeliverOptions, deliver } from '../../http/send.js';
import type { Column } from '../../output/columns.js';
import { printedIds } from '../../output/outcome-view.js';
import { isSecretName, REDACTED } from '../../output/redact.js';
import { stdoutPalette } from '../palette.js';
import { openResults, type ResultShape } from '../results.js';
import { checkSignedIn } from './guard.js';
import type { PreparedRun } from './prepare.js';
import type { PlannedRow, Survey } from './survey.js';

/** The rows of this shard that would be sent. */
async function* rowsToShow(run: PreparedRun): AsyncGenerator<PlannedRow[]> {
	for await (const batch of run.source.read()) {
		const rows: PlannedRow[] = [];
		for (const raw of batch) {
			const planned = run.planRow(raw);
			if (Array.isArray(planned) || asksNothing(planned.request)) continue;
			if (run.shard === undefined || inShard(planned.request.key, run.shard)) rows.push(planned);
		}
		yield rows;
	}
}

type Print = (row: unknown) => void | Promise<void>;

/** Where a request goes is what a dry run is for: only its body may be cut. */
const REQUEST_COLUMNS: readonly Column[] = [
	{ path: 'method', whole: true },
	{ path: 'path', whole: true },
	{ path: 'body', least: 16 },
];

const CHANGE_COLUMNS: readonly Column[] = [
	{ path: 'ticket_id' },
	{ path: 'field' },
	{ path: 'old' },
	{ path: 'new' },
	{ path: 'message', optional: true },
];

/** Prints method, path and body of every request and sends none of them. */
export async function showPlan(run: PreparedRun, survey: Survey): Promise<ExitCode> {
	const diff = run.customFields?.diff === true;
	const shape: ResultShape = {
		palette: await stdoutPalette(run.invocation),
		profileFormat: run.session.connection.defaults.format,
		columns: diff ? CHANGE_COLUMNS : REQUEST_COLUMNS,
	};
	const results = await openResults(run.invocation, shape);
	const unread = await (diff ? showDiff : showRequests)(run, (row) => results.row(row));
	await results.end();
	const { selected, skipped } = survey;
	if (!run.settings.quiet) {
		const remark =
			(skipped === 0 ? '' : `; ${skipped} ${skipped === 1 ? 'row has' : 'rows have'} nothing to send`) +
			(unread === 0 ? '' : `; ${unread} ${unread === 1 ? 'ticket' : 'tickets'} could not be read`);
		const what = `${selected} ${selected === 1 ? 'request' : 'requests'}`;
		const { host, connection } = run.session;
		const profile = connection.profileName === undefined ? '' : ` (profile ${connection.profileName})`;
		run.invocation.context.stderr.write(`dry run: ${what} to ${host}${profile}, none sent${remark}\n`);
	}
	if (unread === 0) return ExitCode.ok;
	return unread === selected ? ExitCode.failed : ExitCode.partial;
}

async function showRequests(run: PreparedRun, print: Print): Promise<number> {
	for await (const batch of rowsToShow(run)) {
		for (const { row, line, request } of batch) {
			const { method, path, body } = request;
			const place = line === undefined ? { row } : { row, line };
			await print({
				...place,
				...printedIds(request.ids),
				method,
				path,
				body: body === undefined ? null : JSON.parse(body),
			});
		}
	}
	return 0;
}

/** Reads each ticket's custom fields, several at a time, and prints the ones that would change; returns how many can't be read. */
async function showDiff(run: PreparedRun, print: Print): Promise<number> {
	const { settings, session, invocation } = run;
	const { clock, random } = invocation.context;
	const client = await session.openClient(settings.concurrency);
	const planRead = createPlanner(endpoints['ticket.fields.get'], session.dialect);
	const delivery: DeliverOptions = {
		retries: settings.retries,
		clock,
		random,
		dialect: session.dialect,
		pace: new AdaptivePace({ clock, random, rate: settings.rate }),
	};
	const read = async (planned: PlannedRow): Promise<{ planned: PlannedRow; answer: Delivery }> => {
		const id = planned.request.ids.ticket_id as string;
		return { planned, answer: await deliver(client, planRead({ ids: { id } }), delivery) };
	};
	let unread = 0;
	try {
		for await (const { planned, answer } of inOrder(rowsToShow(run), settings.concurrency, read)) {
			checkSignedIn(answer, session.connection);
			const shown = answer.outcome === 'ok' ? readCustomFields(answer.body) : undefined;
			const names = Object.keys(planned.request.sent ?? {});
			const held = shown && underNames(shown, names, session.dialect.prefixes.product);
			if (held === undefined) unread++;
			for (const change of held === undefined ? [unreadable(answer)] : changesOf(planned, held)) {
				await print({ row: planned.row, ...printedIds(planned.request.ids), ...change });
			}
		}
	} finally {
		await client.close();
	}
	return unread;
}

interface Change {
	field: string | null;
	old: unknown;
	new: unknown;
	message: string | null;
}

function unreadable({ message, code, outcome }: Delivery): Change {
	const why = outcome === 'ok' ? 'the custom fields are in a shape that is not known' : (message ?? code ?? outcome);
	return { field: null, old: null, new: null, message: `not readable: ${why}` };
}

function* changesOf({ request }: PlannedRow, held: CustomFields): Generator<Change> {
	for (const [field, value] of Object.entries(request.sent ?? {})) {
		const known = field in held;
		const old = known ? (customFieldText(held[field]) ?? held[field]) : null;
		if (known && old === customFieldText(value)) continue;
		const message = known ? null : 'the service does not show this field';
		if (isSecretName(field)) yield { field, old: known ? REDACTED : null, new: REDACTED, message };
		else yield { field, old, new: inexactNumberIn(value) ?? value, message };
	}
}
