/** One call of `api` from its guards to its exit code. */

import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { ExitCode, FailedError, type SupportctlError } from '../../errors.js';
import { decodeBody, headerOf, jsonIn } from '../../http/content.js';
import type { Result } from '../../http/outcome.js';
import type { Client, RawResponse } from '../../http/types.js';
import { holdsRowsAlone } from '../../output/columns.js';
import {
	createTextRedactor,
	isSecretName,
	redactBody,
	redactHeaders,
	redactUrl,
	secretValues,
} from '../../output/redact.js';
import type { Renderer } from '../../output/render.js';
import { sanitise, sanitiseLines, unsafeIntegers } from '../../output/sanitise.js';
import { createInterruptibleSend } from '../interruption.js';
import { warn } from '../notices.js';
import {
	checkOutput,
	chosenFormat,
	onlyOutputFailed,
	openResults,
	outputTrouble,
	picksValues,
	type ResultShape,
} from '../results.js';
import { confirmWrite } from '../runs/checks.js';
import { errorOf, NO_ROUTE, nextStep } from '../runs/failures.js';
import { withoutSecretsOf } from '../runs/shape.js';
import { openSession, type Session } from '../session.js';
import type { ApiInvocation } from './options.js';
import { type Call, readCall, withQuery } from './request.js';

/** What was sent and came back, without the secrets of the request. */
interface Exchanged {
	path: string;
	result: Result;
	/** The last response as it came, where there is one. */
	response: RawResponse | undefined;
}

interface Api {
	invocation: ApiInvocation;
	session: Session;
	call: Call;
	shape: ResultShape;
	/** Removes the secrets of the request from text. */
	clean(text: string): string;
	send(path: string): Promise<Exchanged>;
}

const joined = (path: string, query: string): string => (query === '' ? path : `${path}?${query}`);

/** @throws UsageError, RefusedError, and an error for a request that did not go well */
export async function runApi(invocation: ApiInvocation): Promise<ExitCode> {
	const { context, options } = invocation;
	const session = await openSession(invocation, { credentials: options.dryRun !== true });
	const { connection } = session;
	const call = await readCall(invocation, connection.baseUrl, session.dialect);
	const path = joined(call.path, call.query);
	const shape: ResultShape = {
		// The head of the response is printed before.
		...(options.include === true && { onPager: false }),
		profileFormat: connection.defaults.format ?? (picksValues(options) ? undefined : 'json'),
	};
	// Columns and queries that can't be used are found before anything is sent.
	const list = await openResults(invocation, { ...shape, single: options.dryRun });
	if (options.dryRun === true) {
		const { method, body } = call;
		await list.row({ method, path: redactUrl(path), body: body === undefined ? null : JSON.parse(body) });
		await list.end();
		if (options.quiet !== true) context.stderr.write('dry run: 1 request, none sent\n');
		return ExitCode.ok;
	}
	if (!call.isRead) {
		const service = { profile: connection.profileName, protected: connection.protected };
		const action = `send ${call.method} ${path}`;
		await confirmWrite(invocation, { service, host: session.host, action, asks: call.method === 'DELETE' });
	}
	const client = await session.openClient(1);
	try {
		const api = { invocation, session, call, shape, ...createSend(invocation, session, client, call) };
		return options.paginate === true ? await runPages(api, list) : await printResponse(api, await api.send(path));
	} finally {
		await client.close();
	}
}

function createSend(
	{ context }: ApiInvocation,
	session: Session,
	client: Client,
	{ method, query, body, isRead }: Call,
): Pick<Api, 'clean' | 'send'> {
	const endpoint = { returns: 'any', replay: isRead ? 'read' : 'once' } as const;
	// Values under secret names: a service may repeat them under any name.
	const parameters = [...new URLSearchParams(query)].filter(([name, value]) => isSecretName(name) && value !== '');
	const secrets = [
		...(body === undefined ? [] : secretValues(JSON.parse(body))),
		...parameters.map(([, value]) => value),
	];
	const clean = createTextRedactor(secrets);
	const deliver = createInterruptibleSend(context, client, ({ outcome }, { path }) => {
		const request = `${method} ${redactUrl(path)}`;
		if (isRead) return `${request} was given up, which changes nothing`;
		if (outcome === 'not-sent') return `${request} was not sent`;
		return `${request} was sent and got no response: look before you send it again`;
	});
	return {
		clean,
		async send(path) {
			let response: RawResponse | undefined;
			const result = await deliver(
				{ method, path, body, endpoint },
				{
					...session.sending,
					clean: secrets.length === 0 ? undefined : clean,
					onResponse(each) {
						response = each;
					},
				},
			);
			if (result.status === undefined) response = undefined;
			const cleaned = withoutSecretsOf(result, secrets);
			const isFine = response !== undefined && isGoodResponse(method, result, response);
			return { path, response, result: isFine ? { ...cleaned, outcome: 'ok' } : cleaned };
		},
	};
}

const contentType = ({ headers }: RawResponse): string => (headerOf(headers, 'content-type') ?? '').toLowerCase();

/** What would leave a row unknown, and is right here: headers alone after HEAD, and text whose type says so. */
function isGoodResponse(method: string, { outcome, code }: Result, response: RawResponse): boolean {
	if (outcome !== 'unknown' || response.incomplete !== undefined || response.status >= 300) return false;
	if (code === 'empty_answer') return method === 'HEAD';
	return code === 'not_json' && !/json|^$/.test(contentType(response));
}

/** Prints a lone response. @throws an error for one that is not good, and for output that failed */
async function printResponse(api: Api, exchanged: Exchanged): Promise<ExitCode> {
	const { invocation, call, shape, clean } = api;
	const { context, options } = invocation;
	const { result, response, path } = exchanged;
	const isGood = result.outcome === 'ok';
	if (response !== undefined && options.include === true) {
		const { status, headers } = response;
		const lines = [...redactHeaders(headers)].map(([name, value]) => sanitise(`${name}: ${clean(value)}`));
		const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), ...lines, '', ''];
		context.stdout.write(head.join('\n'));
	}
	warn(context, result.warnings ?? []);
	// The service's error is not printed where another program reads rows or values.
	const isForRows = picksValues(options) || holdsRowsAlone(chosenFormat(options, shape.profileFormat) ?? 'table');
	const trouble = await troubleOf(async () => {
		if (!isGood && isForRows) return;
		if ('body' in result) {
			await warnOfNumbers(api, response);
			const single = !isGood || !Array.isArray(result.body);
			const results = await openResults(invocation, { ...shape, single });
			for (const row of single ? [result.body] : (result.body as unknown[])) await results.row(row);
			await results.end();
		} else if (response !== undefined && response.incomplete === undefined) {
			const text = clean(redactBody(await textOf(response)));
			const shown = context.stdout.isTTY ? sanitiseLines(text) : text;
			context.stdout.write(context.stdout.isTTY && /[^\n]$/.test(shown) ? `${shown}\n` : shown);
			await checkOutput(context.stdout);
		}
	});
	if (!isGood) throw failureOf(api, exchanged, trouble);
	if (trouble === undefined) return ExitCode.ok;
	// What was only read can be read again.
	throw call.isRead
		? trouble
		: onlyOutputFailed(trouble, `${call.method} ${redactUrl(path)} was carried out`, ExitCode.ok);
}

/** What went wrong with the output, after which what was sent still has to be reported. */
async function troubleOf(print: () => Promise<unknown>): Promise<SupportctlError | undefined> {
	try {
		await print();
		return undefined;
	} catch (error) {
		return outputTrouble(error);
	}
}

/** The text of a body that is not JSON. @throws FailedError for one that is no text */
async function textOf(response: RawResponse): Promise<string> {
	const bytes = await decodeBody(response);
	if (Buffer.isBuffer(bytes) && isUtf8(bytes)) return bytes.toString('utf8');
	const why = Buffer.isBuffer(bytes)
		? `${bytes.length} bytes of ${contentType(response) || 'an unknown type'} that are not text`
		: bytes.why;
	throw new FailedError(`the response is not printed: ${why}`, { code: 'unprintable_answer' });
}

/** Warns where integers of the response can't be held exactly. @returns whether it did */
async function warnOfNumbers({ invocation, clean }: Api, response: RawResponse | undefined): Promise<boolean> {
	const bytes = response && (await decodeBody(response));
	const [first, ...more] = Buffer.isBuffer(bytes) ? unsafeIntegers(jsonIn(bytes) ?? '') : [];
	if (first === undefined || clean(first) !== first) return false;
	const shown = first.length > 60 ? `${first.slice(0, 60)}…` : first;
	const others = more.length === 0 ? '' : `, and so are ${more.length} more`;
	const printed = JSON.stringify(Number(first));
	warn(invocation.context, [`the integer ${shown} can't be held exactly: it is printed as ${printed}${others}`]);
	return true;
}

/** Path and method are the person's own here, so that the base URL is the last thing to doubt. */
const NO_SUCH_CALL = 'the service has no such path or method; supportctl api --help shows how paths are written';

/** @param trouble what went wrong with the output too */
function failureOf({ call, invocation, session }: Api, { path, result }: Exchanged, trouble?: Error): SupportctlError {
	if (trouble !== undefined) warn(invocation.context, [trouble.message]);
	const outcome = { ...result, row: 1, ids: {} };
	const hint = result.code === NO_ROUTE ? NO_SUCH_CALL : nextStep(outcome, { isRead: call.isRead }, session.connection);
	return errorOf(outcome, `${call.method} ${redactUrl(path)}`, hint);
}

/** How many rows a page is asked to have, where the query does not say it: the most that services give. */
const PER_PAGE = 100;

/** The code of the response to a page behind the last one. */
const PAST_THE_END = 'rest_post_invalid_page_number';

/**
 * Every page of a list, printed as one: by our own path and query, for the Link header of a live service leads elsewhere.
 * Unlike the lists of `bulk/lists`, rows need no ids. What was printed is ended before a failure is reported.
 */
async function runPages(api: Api, list: Renderer): Promise<ExitCode> {
	const { call, send, invocation } = api;
	const { stdout } = invocation.context;
	const query = new URLSearchParams(call.query);
	const numberOf = (name: string): number | undefined => {
		const text = query.get(name) ?? '';
		return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
	};
	const [first, size] = [numberOf('page') ?? 1, numberOf('per_page')];
	const rest = call.query.split('&').filter((part) => !part.startsWith('page='));
	const sendPage = (page: number): Promise<Exchanged> => {
		const more = { ...(size === undefined && { per_page: PER_PAGE }), ...(page > 1 && { page }) };
		const pairs = Object.entries(more).map(([name, value]): [string, string] => [name, String(value)]);
		return send(joined(call.path, withQuery(rest.join('&'), pairs)));
	};
	let exchanged = await sendPage(first);
	if (exchanged.result.outcome !== 'ok' || !Array.isArray(exchanged.result.body)) return printResponse(api, exchanged);
	let failed = false;
	const stopped = await troubleOf(async () => {
		let before: string | undefined;
		let isWarned = false;
		for (let page = first; ; ) {
			const { result, response } = exchanged;
			const rows = result.body;
			if (page > first && result.code === PAST_THE_END) return;
			failed = result.outcome !== 'ok' || !Array.isArray(rows);
			if (failed || !Array.isArray(rows)) return;
			const text = JSON.stringify(rows);
			if (rows.length > 0 && text === before) {
				const message = 'the service gives the same page again, whatever page is requested; stopped';
				throw new FailedError(message, { code: 'page_loop' });
			}
			before = text;
			warn(invocation.context, result.warnings ?? []);
			if (!isWarned) isWarned = await warnOfNumbers(api, response);
			for (const row of rows) await list.row(row);
			const count = Number(headerOf(response?.headers ?? {}, 'x-wp-totalpages') ?? Number.NaN);
			const hasNext = Number.isInteger(count) ? page < count : rows.length >= (size ?? PER_PAGE);
			if (rows.length === 0 || !hasNext || stdout.closed) return;
			page++;
			exchanged = await sendPage(page);
		}
	});
	const unfinished = await troubleOf(() => list.end());
	const trouble = stopped ?? unfinished;
	if (failed) throw failureOf(api, exchanged, trouble);
	if (trouble !== undefined) throw trouble;
	return ExitCode.ok;
}
