/** A run from its plan to its exit code: check all rows, ask, then send them or show what would be sent. */

import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { plural } from '../../api/names.js';
import { asksNothing } from '../../api/plan.js';
import { inexactNumberIn, OWN_ID } from '../../api/values.js';
import { type Complaint, formatComplaint, takesUserNames } from '../../bulk/input/rows.js';
import { rowsToFix } from '../../bulk/journal/counts.js';
import { createRunId } from '../../bulk/journal/folder.js';
import { scanJournal } from '../../bulk/journal/read.js';
import { createJournal } from '../../bulk/journal/write.js';
import { AdaptivePace } from '../../bulk/pace.js';
import { inOrder } from '../../bulk/run/engine.js';
import { execute, type RunParts } from '../../bulk/run/execute.js';
import { heldOf } from '../../bulk/run/held.js';
import { UserNames } from '../../bulk/run/names.js';
import { openRows } from '../../bulk/run/open.js';
import { changesLists, fileOf, inputFileOf, type RunHeader } from '../../bulk/run/plan.js';
import { decide, readPlannerOf } from '../../bulk/run/read-back.js';
import { checkSameInput, takeUp } from '../../bulk/run/resume.js';
import { isInvalid, isOwn, type PlannedRows, type RunRow } from '../../bulk/run/rows.js';
import { checkSet, ownRows, type Survey, surveyRows } from '../../bulk/run/survey.js';
import { ExitCode, UsageError } from '../../errors.js';
import type { Outcome } from '../../http/outcome.js';
import { send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import { createRedactor, createTextRedactor, isSecretName, REDACTED, secretValues } from '../../output/redact.js';
import { annotate, escapeJson, sanitise } from '../../output/sanitise.js';
import { version } from '../../version.js';
import { leaveOnSignal } from '../interruption.js';
import { checkSignedIn, createLookUp, ownIdFor } from '../own-account.js';
import { openResults, wantsJson } from '../results.js';
import { checkReadsServed, checkWrite, placeOf } from './checks.js';
import { printedIds, withoutSecretsOf } from './outcomes.js';
import { nothingToChange, type RunJob } from './plan.js';
import { openScreen } from './screen.js';

export async function startRun(job: RunJob): Promise<ExitCode> {
	const { endpoint, plan, tuning, secrets, session, invocation, resumes } = job;
	const { context, options } = invocation;
	const { clock, random } = context;
	const { dialect, stateDir, sending } = session;
	const release = limitYoungGeneration();
	const own: { id?: number } = {};
	let client: Promise<Client> | undefined;
	const connect = (): Promise<Client> => {
		client ??= session.openClient(tuning.concurrency, 'run');
		return client;
	};
	const copies: string[] = [];
	// Before the first write a signal ends the run, and no private copy of the input stays. Nothing is waited for: standard
	// input may be open for as long as its writer likes.
	const unlisten = leaveOnSignal(invocation, 'nothing was sent', () => {
		for (const each of copies) rmSync(each, { force: true });
	});
	let rows: PlannedRows | undefined;
	// The private copy of standard input that a journal names stays as long as a resume or a retry may read it.
	let keep = resumes?.header.input.copied === true && options.input === undefined;
	try {
		let usernames: UserNames | undefined;
		if (takesUserNames(endpoint)) {
			const pace = new AdaptivePace({ clock, random, rate: tuning.rate });
			usernames = new UserNames(createLookUp(session, connect, { ...sending, pace }), tuning.concurrency);
			// Those of an earlier part of the run are known: the users may be deleted by now.
			const earlier = resumes?.path ?? (plan.source.from === 'run' ? plan.source.journal : undefined);
			if (earlier !== undefined) await usernames.remember(earlier, resumes !== undefined);
		}
		rows = await openRows(plan, {
			...{ dialect, secrets, own, usernames, stateDir, onCopy: (path) => void copies.push(path) },
			stdin: { [Symbol.asyncIterator]: () => context.stdin.bytes()[Symbol.asyncIterator]() },
		});
		const survey = await checkRows(job, rows);
		if (resumes !== undefined) checkSameInput(resumes.header, rows, survey);
		if (survey.invalid > 0 && !plan.skipInvalid) return ExitCode.usage;
		// A header that names a field is no mistake, whatever its cells leave empty.
		const { input } = rows;
		if (input !== undefined && input.columns === undefined && survey.empty > 0) {
			if (input.format === 'ids' || survey.empty === survey.rows) throw nothingToChange(endpoint);
		}
		checkSet(survey, options);
		if (plan.checks.snapshot && options.snapshot === true && survey.permanent > 0) {
			throw new UsageError("a permanent delete can't be undone: leave out --snapshot or --force; nothing was sent", {
				code: 'contradiction',
			});
		}
		if (options.dryRun === true) return await showPlan(job, rows, survey, connect);
		if (survey.mentionsOwnId) own.id = await ownIdFor(OWN_ID, session, await connect(), sending);
		await checkWrite(job, survey, await connect());
		await checkReports(job, rows);
		const screen = await openScreen(job, survey);
		unlisten();
		const maySave = resumes === undefined && !survey.hasSecrets;
		if (maySave) await rows.keep();
		const { journal, past } = await openJournalOf(job, rows, survey);
		screen.journal = journal;
		if (journal !== undefined && resumes === undefined) await usernames?.keep(journal, survey.last);
		const secretsOf = ({ request }: RunRow): string[] => (survey.hasSecrets ? secretValues(request.sent) : []);
		keep ||= maySave;
		const ended = await execute({
			...{ plan, tuning, rows, survey, journal, past, screen, clock, random, dialect },
			client: await connect(),
			redact: {
				text(row) {
					const found = secretsOf(row);
					return found.length === 0 ? undefined : createTextRedactor(found);
				},
				outcome: (outcome, row) => withoutSecretsOf(outcome, secretsOf(row)),
			},
		});
		keep &&= ended.resumable || rowsToFix(ended.counts) > 0;
		return await screen.end(ended);
	} catch (error) {
		// An input that can't be read, or a header that can't be used.
		if (error instanceof UsageError && typeof error.data.line === 'number') {
			const file = options.input === '-' ? undefined : options.input;
			annotate(context, { file, line: error.data.line, title: 'the input is invalid', message: error.message });
		}
		throw error;
	} finally {
		release();
		unlisten();
		await client?.then(
			(opened) => opened.close(),
			() => undefined,
		);
		await rows?.dispose({ keep });
	}
}

/** Enough for few collections, in bytes; next to nothing of a row outlives it, and V8 would take four times as much. */
const YOUNG_BYTES = 8 * 1024 * 1024;

/** Lets V8's young generation grow no further than that. Set late, since Node's own modules load slowly after a flag was set. */
function limitYoungGeneration(): () => void {
	const v8 = process.getBuiltinModule('node:v8');
	const timer = setInterval(() => {
		const young = v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
		if (young === undefined || young.space_size < YOUNG_BYTES) return;
		v8.setFlagsFromString('--semi-space-growth-factor=1');
		clearInterval(timer);
	}, 10);
	return () => clearInterval(timer);
}

/** Reads leave nothing to resume; everything else has a journal. */
async function openJournalOf(
	{ endpoint, plan, session, invocation, resumes }: RunJob,
	rows: PlannedRows,
	survey: Survey,
): Promise<Pick<RunParts, 'journal' | 'past'>> {
	const { context, options } = invocation;
	const now = context.clock.now();
	const started = new Date(now).toISOString();
	const redact = createRedactor();
	if (resumes !== undefined) return await takeUp(resumes.path, rows, { redact, at: started, tool: version });
	const isRead = endpoint.replay === 'read' && plan.source.from === 'ids';
	if (isRead && options.journal === undefined && options.report === undefined) {
		return { journal: undefined, past: undefined };
	}
	const { rows: count, last } = survey;
	const copied = rows.input?.spooled === true;
	const input = { sha256: rows.sha256(), rows: count, own: ownRows(survey, plan), copied };
	const header: RunHeader = {
		...{ id: createRunId(now, context.random), started, tool: version },
		plan: { ...plan, source: rows.source },
		input: last === count ? input : { ...input, last },
	};
	const path = options.journal === undefined ? undefined : resolve(context.cwd, options.journal);
	return { journal: createJournal({ header, stateDir: session.stateDir, path, redact }), past: undefined };
}

/** Reports must not fail at the end of a run, nor overwrite a file that it needs. @throws UsageError */
async function checkReports({ invocation, plan, resumes }: RunJob, rows: PlannedRows): Promise<void> {
	const { options, context } = invocation;
	if (options.report === undefined) return;
	const { parseReport, checkReportPlaces } = await import('../../bulk/reports/write.js');
	const files = {
		"the run's input": inputFileOf(rows.source)?.path,
		"the run's journal": options.journal ?? resumes?.path,
		'the journal of the earlier run': 'journal' in plan.source ? plan.source.journal : undefined,
		'where standard output goes': '/dev/stdout',
	};
	await checkReportPlaces(options.report.map(parseReport), Object.entries(files), context.cwd);
}

/** How many complaints, or requests of a dry run, a person is shown. */
const SHOWN = 20;

/** The first pass, with a message for each row that can't be sent. */
async function checkRows({ plan, invocation, resumes }: RunJob, rows: PlannedRows): Promise<Survey> {
	const { context, options } = invocation;
	const { stderr } = context;
	// Columns that could be custom fields, and that our own commands write, are not sent.
	for (const name of plan.endpoint === 'ticket.fields.set' ? rows.ignored : []) {
		if (plan.columns.ignore.includes(name)) continue;
		const column = sanitise(name);
		stderr.write(`note: the column ${column} is not sent; --map ${column}=${column} sends it\n`);
	}
	const json = wantsJson(options) && !plan.skipInvalid;
	const redact = createRedactor();
	const inputName = rows.input?.name ?? 'input';
	const file = fileOf(plan);
	const fromArguments = plan.source.from === 'ids';
	const past = resumes === undefined ? undefined : await scanJournal(resumes.path);
	let count = 0;
	const complain = (complaint: Complaint): void => {
		count++;
		const message = fromArguments ? complaint.message : formatComplaint(complaint, inputName);
		if (json) {
			const { ids: _, ...place } = complaint;
			const line = escapeJson(JSON.stringify({ ...place, file, message }));
			stderr.write(count === 1 ? `{"error":{"code":"invalid_input","complaints":[${line}` : `,${line}`);
		} else if (count <= SHOWN) {
			stderr.write(`error: ${sanitise(message)}\n`);
			const title = `row ${complaint.row} is invalid`;
			annotate(context, { file, line: complaint.line, title, message: complaint.message });
		}
	};
	const survey = await surveyRows(rows, plan, {
		holdsSecret: (sent) => redact(sent) !== sent,
		isDone: (row) => past?.states.isDone(row) === true,
		complain,
	});
	const { invalid } = survey;
	if (invalid === 0) return survey;
	const of = `${invalid} of ${survey.rows} ${survey.rows === 1 ? 'row' : 'rows'} ${invalid === 1 ? 'is' : 'are'} invalid`;
	const what = plan.skipInvalid ? `${of} and will be skipped` : `${of}; nothing was sent`;
	if (json) {
		stderr.write(`],"message":${JSON.stringify(what)},"exitCode":2}}\n`);
		return survey;
	}
	const all = plan.skipInvalid ? 'supportctl run rejects last prints all of them' : '--json prints all of them';
	if (count > SHOWN) stderr.write(`… and ${count - SHOWN} more; ${all}\n`);
	const canSkip = !plan.skipInvalid && invalid < survey.rows;
	if (!fromArguments) stderr.write(`${what}${canSkip ? '; --skip-invalid sends the others' : ''}\n`);
	return survey;
}

/** Prints the method, path and body of each request, or what it would change, and sends no write. */
async function showPlan(
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
			const { outcome, code = outcome, message = code } = found;
			const why = outcome === 'ok' ? 'the response is in an unknown shape' : message;
			for (const change of changes ?? [noChange(`not readable: ${why}`)]) await print(row, change);
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

const noChange = (message: string | null): object => ({ field: null, old: null, new: null, message });

/** The fields that a row would change; a row that a check skips is one line. Undefined where its object is not known. */
function changesOf({ endpoint, plan }: RunJob, row: RunRow, found: Outcome): object[] | undefined {
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
