/** One call of `api` from its guards to its exit code. */

import { needsQuestion } from '../../bulk/guards.js';
import { ExitCode, SupportctlError, UsageError } from '../../errors.js';
import type { Client, RawAnswer } from '../../http/client.js';
import type { Deliverable } from '../../http/deliver.js';
import { DEFAULT_RETRIES } from '../../http/options.js';
import type { Delivery, Outcome } from '../../http/outcome.js';
import { renderError } from '../../output/errors.js';
import { holdsRowsAlone } from '../../output/format-names.js';
import { redactUrl } from '../../output/redact.js';
import type { Renderer } from '../../output/render.js';
import type { Invocation } from '../command.js';
import { createInterruptibleDeliver } from '../interruption.js';
import { retryNotice, warn } from '../notices.js';
import type { OptionValues } from '../options/option.js';
import { stderrPalette, stdoutPalette } from '../palette.js';
import { chosenFormat, openResults, type ResultShape, wantsJson } from '../results.js';
import { describeFailure, exitCodeOfOutcome, NO_ROUTE, nextStep } from '../rows/failures.js';
import { onlyOutputFailed, outputTrouble } from '../sent-results.js';
import { openSession, type Session } from '../session.js';
import { contentType, headText, rawText } from './answer.js';
import { type Call, readCall } from './call.js';
import { followLink, LoopGuard, nextLink } from './pages.js';
import { numberWarnings } from './received.js';

/** What was asked for and came back: the verdict, and the answer itself where there was one. */
interface Exchanged {
	path: string;
	delivery: Delivery;
	answer: RawAnswer | undefined;
}

interface Api {
	invocation: Invocation;
	session: Session;
	call: Call;
	shape: ResultShape;
	send(path: string): Promise<Exchanged>;
}

/** @throws UsageError, RefusedError, FailedError */
export async function runApi(invocation: Invocation): Promise<ExitCode> {
	const { options } = invocation;
	const session = await openSession(invocation, { credentials: options.dryRun !== true });
	const { connection, dialect } = session;
	const call = await readCall(invocation, connection.baseUrl, dialect);
	const shape: ResultShape = {
		palette: await stdoutPalette(invocation),
		profileFormat: connection.defaults.format ?? (isShaped(options) ? undefined : 'json'),
	};
	// Columns and queries that can't be used are found before anything is sent.
	const list = await openResults(invocation, shape);
	if (options.dryRun === true) return showCall(invocation, call, shape);
	await confirmCall(invocation, session, call);
	const client = await session.openClient(1);
	try {
		const send = sender(invocation, session, client, call);
		const api: Api = { invocation, session, call, shape, send };
		return options.paginate === true ? await runPages(api, list) : await runOnce(api);
	} finally {
		await client.close();
	}
}

/** Whether the person says how results are to look, so that JSON as it came is not what they want. */
function isShaped({ query, fields, field }: OptionValues): boolean {
	return query !== undefined || fields !== undefined || field !== undefined;
}

async function showCall(invocation: Invocation, call: Call, shape: ResultShape): Promise<ExitCode> {
	const results = await openResults(invocation, { ...shape, single: true });
	const { method, path, body } = call;
	await results.row({ method, path: redactUrl(path), body: body === undefined ? null : (JSON.parse(body) as unknown) });
	await results.end();
	if (invocation.options.quiet !== true) invocation.context.stderr.write('dry run: 1 request, none sent\n');
	return ExitCode.ok;
}

/** Protected profiles and deletes, as for the other commands. */
async function confirmCall({ context, options }: Invocation, session: Session, call: Call): Promise<void> {
	if (call.isRead) return;
	const question = needsQuestion(
		{
			action: `send ${call.method} ${call.path}`,
			asks: call.method === 'DELETE',
			host: session.host,
			profile: session.connection.profileName,
			protected: session.connection.protected,
			yes: options.yes === true,
			confirm: options.confirm as string | undefined,
		},
		context.prompts.available,
	);
	if (question === undefined || (await context.prompts.confirm(question))) return;
	throw new UsageError('answered no; nothing was sent', { code: 'refused_by_person' });
}

function sender({ context, options }: Invocation, session: Session, client: Client, call: Call): Api['send'] {
	const replay = call.isRead ? 'read' : 'once';
	const deliver = createInterruptibleDeliver(context, client, whatIsKnown);
	return async (path) => {
		let answer: RawAnswer | undefined;
		const request = { method: call.method, path, body: call.body, endpoint: { answer: 'any', replay } as const };
		const delivery = await deliver(request, {
			retries: (options.retries as number | undefined) ?? DEFAULT_RETRIES,
			clock: context.clock,
			random: context.random,
			dialect: session.dialect,
			onRetry: retryNotice(context, options),
			onAnswer(each) {
				answer = each;
			},
		});
		if (delivery.status === undefined) answer = undefined;
		if (answer !== undefined && isFine(call.method, delivery, answer))
			return { path, delivery: { ...delivery, outcome: 'ok' }, answer };
		return { path, delivery, answer };
	};
}

function whatIsKnown({ outcome }: Delivery, { method, path, endpoint }: Deliverable): string {
	const request = `${method} ${redactUrl(path)}`;
	if (endpoint.replay === 'read') return `${request} was given up, which changes nothing`;
	if (outcome === 'not-sent') return `${request} was not sent`;
	return `${request} was sent and not answered: look before you send it again`;
}

/** Answers that are no row's result but are a request's: nothing but headers, and text that says it is text. */
function isFine(method: string, { outcome, code }: Delivery, answer: RawAnswer): boolean {
	if (outcome !== 'unknown' || answer.incomplete !== undefined || answer.status >= 300) return false;
	if (code === 'empty_answer') return method === 'HEAD';
	return code === 'not_json' && !/json|^$/.test(contentType(answer));
}

async function runOnce(api: Api): Promise<ExitCode> {
	const { call, invocation } = api;
	const exchanged = await api.send(call.path);
	const { answer } = exchanged;
	if (answer !== undefined && invocation.options.include === true) invocation.context.stdout.write(headText(answer));
	return printAnswer(api, exchanged);
}

/** Prints a lone answer, and on stderr what is wrong with it. */
async function printAnswer(api: Api, exchanged: Exchanged): Promise<ExitCode> {
	const { delivery, path } = exchanged;
	const { invocation, call, shape } = api;
	const isGood = delivery.outcome === 'ok';
	warn(invocation.context, delivery.warnings ?? []);
	const prints = isGood || printsErrors(invocation.options, shape.profileFormat);
	const trouble = prints ? await troubleOf(() => printBody(api, exchanged)) : undefined;
	if (!isGood) return reportFailure(api, exchanged, trouble);
	if (trouble === undefined) return ExitCode.ok;
	// What was only read can be read again.
	throw call.isRead ? trouble : onlyOutputFailed(trouble, `${call.method} ${redactUrl(path)} went well`, ExitCode.ok);
}

/** What stood in the way of output, after which what was sent still has to be told. */
async function troubleOf(print: () => Promise<void>): Promise<SupportctlError | undefined> {
	try {
		await print();
		return undefined;
	} catch (error) {
		return outputTrouble(error);
	}
}

async function printBody(api: Api, exchanged: Exchanged): Promise<void> {
	const { delivery, answer } = exchanged;
	const { stdout } = api.invocation.context;
	if ('body' in delivery) {
		warn(api.invocation.context, await numberWarnings(answer));
		await printValue(api, delivery.body, delivery.outcome === 'ok');
	} else if (answer !== undefined && answer.incomplete === undefined) {
		stdout.write(await rawText(answer, stdout.isTTY));
	}
}

/** What another program reads rows or values from is no place for the service's error. */
function printsErrors(options: OptionValues, profileFormat: string | undefined): boolean {
	return !isShaped(options) && !holdsRowsAlone(chosenFormat(options, profileFormat) ?? 'table');
}

async function printValue(api: Api, body: unknown, isGood: boolean): Promise<void> {
	const { invocation, shape } = api;
	const single = !Array.isArray(body);
	const results = await openResults(invocation, { ...shape, single: single || !isGood });
	for (const row of single || !isGood ? [body] : body) await results.row(row);
	await results.end();
}

/** Path and method are the person's own here, so that the base URL is the last thing to doubt. */
const NO_SUCH_CALL = 'the service has no such path or method; supportctl api --help shows how paths are written';

async function reportFailure(
	{ call, invocation, session }: Api,
	{ path, delivery }: Exchanged,
	trouble?: SupportctlError,
): Promise<ExitCode> {
	if (trouble !== undefined) warn(invocation.context, [trouble.message]);
	const outcome: Outcome = { ...delivery, row: 1, ids: {} };
	const { message, details } = describeFailure(outcome, call.method, redactUrl(path));
	const exitCode = exitCodeOfOutcome(outcome);
	const reads = call.method === 'GET' || call.method === 'HEAD';
	const hint = outcome.code === NO_ROUTE ? NO_SUCH_CALL : nextStep(outcome, reads, session.connection);
	const { status, reasons, attempts } = delivery;
	const error = new SupportctlError(message, exitCode, {
		code: delivery.code ?? delivery.outcome,
		details,
		data: {
			...(status === undefined ? {} : { status }),
			outcome: delivery.outcome,
			attempts,
			...(reasons === undefined ? {} : { reasons }),
		},
		...(hint === undefined ? {} : { hint }),
	});
	const { context, options } = invocation;
	const view = {
		json: wantsJson(options),
		debug: options.debug === true,
		palette: await stderrPalette(invocation),
	};
	context.stderr.write(renderError(error, view));
	return exitCode;
}

/** Every page of a list, printed as one. A failure ends what was begun before it is told. */
async function runPages(api: Api, list: Renderer): Promise<ExitCode> {
	const first = await firstPage(api);
	const isLone =
		first.delivery.outcome !== 'ok' || (!Array.isArray(first.delivery.body) && linkOf(first) === undefined);
	if (isLone) return printAnswer(api, first);
	let failed: Exchanged | undefined;
	const stopped = await troubleOf(async () => {
		failed = await printPages(api, list, first);
	});
	const unfinished = await troubleOf(async () => void (await list.end()));
	const trouble = stopped ?? unfinished;
	if (failed !== undefined) return reportFailure(api, failed, trouble);
	if (trouble !== undefined) throw trouble;
	return ExitCode.ok;
}

/** The first page; a service that does not take our page size is asked again without it. */
async function firstPage({ send, call }: Api): Promise<Exchanged> {
	const first = await send(call.path);
	const { plainPath } = call;
	return plainPath === undefined || first.delivery.reasons?.per_page === undefined ? first : send(plainPath);
}

function linkOf({ answer }: Exchanged): string | undefined {
	return nextLink(answer?.headers.link);
}

/** Goes from page to page; what comes back is the answer that was not a page. */
async function printPages(api: Api, list: Renderer, first: Exchanged): Promise<Exchanged | undefined> {
	const { session, invocation } = api;
	const guard = new LoopGuard();
	const rules = { baseUrl: session.connection.baseUrl, root: session.dialect.root };
	let page = first;
	let isWarned = false;
	for (;;) {
		guard.enter(page.path);
		if (page.delivery.outcome !== 'ok') return page;
		warn(invocation.context, page.delivery.warnings ?? []);
		if (!isWarned) {
			const warnings = await numberWarnings(page.answer);
			warn(invocation.context, warnings);
			isWarned = warnings.length > 0;
		}
		const { body } = page.delivery;
		const rows = Array.isArray(body) ? body : [body];
		for (const row of rows) await list.row(row);
		const link = linkOf(page);
		if (link === undefined || invocation.context.stdout.closed) return undefined;
		guard.left(rows.length);
		page = await api.send(followLink(link, page.path, rules));
	}
}
