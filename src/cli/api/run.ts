/** One call of `api` from its guards to its exit code. */

import { needsQuestion } from '../../bulk/run/survey.js';
import { ExitCode, SupportctlError, UsageError } from '../../errors.js';
import type { Outcome, Result } from '../../http/outcome.js';
import type { Sendable } from '../../http/send.js';
import type { Client, RawResponse } from '../../http/types.js';
import { DEFAULT_RETRIES } from '../../http/types.js';
import { renderError } from '../../output/errors.js';
import { holdsRowsAlone } from '../../output/format-names.js';
import { createTextRedactor, isSecretName, redactUrl, secretValues } from '../../output/redact.js';
import type { Renderer } from '../../output/render.js';
import { createInterruptibleSend } from '../interruption.js';
import { retryNotice, warn } from '../notices.js';
import { stderrPalette, stdoutPalette } from '../palette.js';
import { checkOutput, chosenFormat, openResults, type ResultShape, wantsJson } from '../results.js';
import { exitCodeOfOutcome, NO_ROUTE, nextStep, whatFailed } from '../runs/failures.js';
import { withoutValues } from '../runs/shape.js';
import { onlyOutputFailed, outputTrouble } from '../sent-results.js';
import { openSession, type Session } from '../session.js';
import type { ApiInvocation } from './options.js';
import { createLoopGuard, hasNextPage, PAST_THE_END, pagingOf } from './pages.js';
import { type Call, readCall } from './request.js';
import { contentType, headText, numberWarnings, rawText } from './response.js';
import { joined } from './target.js';

/** What was asked for and came back: what it means, and the response itself where there was one. */
interface Exchanged {
	path: string;
	/** Without the secrets of the request. */
	delivery: Result;
	response: RawResponse | undefined;
	/** Removes the secrets of the request from text. */
	clean(text: string): string;
}

interface Api {
	invocation: ApiInvocation;
	session: Session;
	call: Call;
	shape: ResultShape;
	send(path: string): Promise<Exchanged>;
}

/** @throws UsageError, RefusedError, FailedError */
export async function runApi(invocation: ApiInvocation): Promise<ExitCode> {
	const { options } = invocation;
	const session = await openSession(invocation, { credentials: options.dryRun !== true });
	const { connection, dialect } = session;
	const call = await readCall(invocation, connection.baseUrl, dialect);
	const shape: ResultShape = {
		palette: await stdoutPalette(invocation),
		// The head of the response is printed before.
		...(options.include === true ? { onPager: false } : {}),
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
function isShaped({ query, fields, field }: ApiInvocation['options']): boolean {
	return query !== undefined || fields !== undefined || field !== undefined;
}

async function showCall(invocation: ApiInvocation, call: Call, shape: ResultShape): Promise<ExitCode> {
	const results = await openResults(invocation, { ...shape, single: true });
	const { method, body } = call;
	await results.row({
		method,
		path: redactUrl(joined(call)),
		body: body === undefined ? null : (JSON.parse(body) as unknown),
	});
	await results.end();
	if (invocation.options.quiet !== true) invocation.context.stderr.write('dry run: 1 request, none sent\n');
	return ExitCode.ok;
}

/** Protected profiles and deletes, as for the other commands. */
async function confirmCall({ context, options }: ApiInvocation, session: Session, call: Call): Promise<void> {
	if (call.isRead) return;
	const question = needsQuestion(
		{
			action: `send ${call.method} ${joined(call)}`,
			asks: call.method === 'DELETE',
			host: session.host,
			profile: session.connection.profileName,
			protected: session.connection.protected,
			yes: options.yes === true,
			confirm: options.confirm,
		},
		context.prompts.available,
	);
	if (question === undefined || (await context.prompts.confirm(question))) return;
	throw new UsageError('cancelled; nothing was sent', { code: 'refused_by_person' });
}

function sender({ context, options }: ApiInvocation, session: Session, client: Client, call: Call): Api['send'] {
	const replay = call.isRead ? 'read' : 'once';
	const send = createInterruptibleSend(context, client, whatIsKnown);
	const secrets = secretsOf(call);
	const clean = createTextRedactor(secrets);
	return async (path) => {
		let response: RawResponse | undefined;
		const request = { method: call.method, path, body: call.body, endpoint: { answer: 'any', replay } as const };
		const result = await send(request, {
			clean: secrets.length === 0 ? undefined : clean,
			retries: options.retries ?? DEFAULT_RETRIES,
			clock: context.clock,
			random: context.random,
			dialect: session.dialect,
			onRetry: retryNotice(context, options),
			onResponse(each) {
				response = each;
			},
		});
		if (result.status === undefined) response = undefined;
		const delivery = secrets.length === 0 ? result : withoutValues(result, secrets);
		if (response === undefined || !isFine(call.method, result, response)) return { path, delivery, response, clean };
		return { path, delivery: { ...delivery, outcome: 'ok' }, response, clean };
	};
}

/** Values under secret names in the body and in the query: a service may repeat them under any name. */
function secretsOf({ body, query }: Call): string[] {
	const parameters = [...new URLSearchParams(query)].filter(([name, value]) => isSecretName(name) && value !== '');
	return [...(body === undefined ? [] : secretValues(JSON.parse(body))), ...parameters.map(([, value]) => value)];
}

function whatIsKnown({ outcome }: Result, { method, path, endpoint }: Sendable): string {
	const request = `${method} ${redactUrl(path)}`;
	if (endpoint.replay === 'read') return `${request} was given up, which changes nothing`;
	if (outcome === 'not-sent') return `${request} was not sent`;
	return `${request} was sent and got no response: look before you send it again`;
}

/** What is not a row's result but is a request's: nothing but headers, and text that says it is text. */
function isFine(method: string, { outcome, code }: Result, response: RawResponse): boolean {
	if (outcome !== 'unknown' || response.incomplete !== undefined || response.status >= 300) return false;
	if (code === 'empty_answer') return method === 'HEAD';
	return code === 'not_json' && !/json|^$/.test(contentType(response));
}

async function runOnce(api: Api): Promise<ExitCode> {
	const { call, invocation } = api;
	const exchanged = await api.send(joined(call));
	const { response } = exchanged;
	if (response !== undefined && invocation.options.include === true) {
		invocation.context.stdout.write(headText(response, exchanged.clean));
	}
	return printResponse(api, exchanged);
}

/** Prints a lone response, and on stderr what is wrong with it. */
async function printResponse(api: Api, exchanged: Exchanged): Promise<ExitCode> {
	const { delivery, path } = exchanged;
	const { invocation, call, shape } = api;
	const isGood = delivery.outcome === 'ok';
	warn(invocation.context, delivery.warnings ?? []);
	const prints = isGood || printsErrors(invocation.options, shape.profileFormat);
	const trouble = prints ? await troubleOf(() => printBody(api, exchanged)) : undefined;
	if (!isGood) return reportFailure(api, exchanged, trouble);
	if (trouble === undefined) return ExitCode.ok;
	// What was only read can be read again.
	throw call.isRead
		? trouble
		: onlyOutputFailed(trouble, `${call.method} ${redactUrl(path)} was carried out`, ExitCode.ok);
}

/** What went wrong with the output, after which what was sent still has to be reported. */
async function troubleOf(print: () => Promise<void>): Promise<SupportctlError | undefined> {
	try {
		await print();
		return undefined;
	} catch (error) {
		return outputTrouble(error);
	}
}

async function printBody(api: Api, { delivery, response, clean }: Exchanged): Promise<void> {
	const { context } = api.invocation;
	if ('body' in delivery) {
		warn(context, await numberWarnings(response, clean));
		await printValue(api, delivery.body, delivery.outcome === 'ok');
	} else if (response !== undefined && response.incomplete === undefined) {
		context.stdout.write(await rawText(response, context.stdout.isTTY, clean));
		await checkOutput(context.stdout);
	}
}

/** Whether the service's error is printed too: not where another program reads rows or values. */
function printsErrors(options: ApiInvocation['options'], profileFormat: string | undefined): boolean {
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
	const { message, details } = whatFailed(outcome, `${call.method} ${redactUrl(path)}`);
	const exitCode = exitCodeOfOutcome(outcome);
	const isRead = call.method === 'GET' || call.method === 'HEAD';
	const hint = outcome.code === NO_ROUTE ? NO_SUCH_CALL : nextStep(outcome, { isRead }, session.connection);
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

/** Every page of a list, printed as one. A failure ends what was begun before it is reported. */
async function runPages(api: Api, list: Renderer): Promise<ExitCode> {
	const { call, send } = api;
	const paging = pagingOf(call.query);
	let sized = true;
	const sendPage = (page: number): Promise<Exchanged> =>
		send(joined({ path: call.path, query: paging.query(page, sized) }));
	let first = await sendPage(paging.first);
	// A service that does not take our page size is asked again without it.
	if (!paging.sized && first.delivery.reasons?.per_page !== undefined) {
		sized = false;
		first = await sendPage(paging.first);
	}
	if (first.delivery.outcome !== 'ok' || !Array.isArray(first.delivery.body)) return printResponse(api, first);
	const full = paging.size(sized) ?? first.delivery.body.length;
	let failed: Exchanged | undefined;
	const stopped = await troubleOf(async () => {
		failed = await printPages(api, list, { first, page: paging.first, full, sendPage });
	});
	const unfinished = await troubleOf(async () => void (await list.end()));
	const trouble = stopped ?? unfinished;
	if (failed !== undefined) return reportFailure(api, failed, trouble);
	if (trouble !== undefined) throw trouble;
	return ExitCode.ok;
}

interface PageSource {
	first: Exchanged;
	/** The number of the first page. */
	page: number;
	/** How many rows a full page has. */
	full: number;
	sendPage(page: number): Promise<Exchanged>;
}

/** Goes from page to page; what comes back is the response that was not a page. */
async function printPages(api: Api, list: Renderer, source: PageSource): Promise<Exchanged | undefined> {
	const { context } = api.invocation;
	const checkLoop = createLoopGuard();
	let { page, first: exchanged } = source;
	let isWarned = false;
	for (;;) {
		const { delivery, response } = exchanged;
		if (page > source.page && delivery.code === PAST_THE_END) return undefined;
		const rows = delivery.body;
		if (delivery.outcome !== 'ok' || !Array.isArray(rows)) return exchanged;
		if (rows.length > 0) checkLoop(rows);
		warn(context, delivery.warnings ?? []);
		const warnings: string[] = isWarned ? [] : await numberWarnings(response, exchanged.clean);
		isWarned ||= warnings.length > 0;
		warn(context, warnings);
		for (const row of rows) await list.row(row);
		const more = hasNextPage(page, rows.length, response?.headers['x-wp-totalpages'], source.full);
		if (!more || context.stdout.closed) return undefined;
		page++;
		exchanged = await source.sendPage(page);
	}
}
