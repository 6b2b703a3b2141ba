/** `api`: any request below the interface's prefix, with the profile's credentials. */

import { STATUS_CODES } from 'node:http';
import { taxonomies } from '../../api/fields.js';
import { hasInexactNumber } from '../../api/values.js';
import { ExitCode, type SupportctlError } from '../../errors.js';
import type { Client } from '../../http/client.js';
import { NO_ROUTE } from '../../http/judge.js';
import type { Outcome } from '../../http/outcome.js';
import { headerOf, type Response } from '../../http/response.js';
import { send } from '../../http/send.js';
import type { Output } from '../../io/context.js';
import {
	createOutcomeRedactor,
	createTextRedactor,
	redactBody,
	redactHeaders,
	redactUrl,
} from '../../output/redact.js';
import type { Renderer } from '../../output/render.js';
import { sanitise, sanitiseLines } from '../../output/sanitise.js';
import { defineCommand } from '../command.js';
import { leaveOnSignal } from '../interruption.js';
import { say, warn } from '../notices.js';
import {
	checkOutput,
	chosenFormat,
	onlyOutputFailed,
	openResults,
	outputError,
	picksValues,
	type ResultShape,
} from '../results.js';
import { confirmWrite } from '../runs/checks.js';
import { errorOf, nextStep, verdictOf } from '../runs/failures.js';
import { openSession, type Session } from '../session.js';
import { type ApiCall, type ApiInvocation, apiOptions, methods, readCall } from './api/request.js';

export const command = defineCommand({
	arguments: [
		{ name: 'method', help: 'The HTTP method', required: true, suggests: methods },
		{
			name: 'path',
			help: 'Path after /support-api/v1, such as tickets/14',
			required: true,
			suggests: ['tickets', 'users', 'users/me', 'attachments', ...taxonomies],
		},
	],
	options: apiOptions,
	async run(invocation) {
		const { context, options } = invocation;
		const session = await openSession(invocation, options.dryRun !== true);
		const { connection, dialect } = session;
		const caller = { ...invocation, session };
		const call = await readCall(invocation, connection.baseUrl, dialect);
		const { method, body, isRead } = call;
		const path = pathOf(call, call.page);
		const shape: ResultShape = {
			// The head of the response is printed before.
			onPager: options.include === true ? false : undefined,
			format: picksValues(options) ? undefined : 'json',
		};
		// Columns and queries that can't be used are found before anything is sent.
		const list = await openResults(caller, { ...shape, single: options.dryRun });
		if (options.dryRun === true) {
			await list.row({ method, path: redactUrl(path), body: body === undefined ? null : JSON.parse(body) });
			await list.end();
			say(invocation, 'dry run: 1 request, none sent');
			return ExitCode.ok;
		}
		if (!isRead) {
			await confirmWrite(invocation, session.service, `send ${method} ${path}`, method === 'DELETE');
		}
		const says = isRead ? 'nothing was changed' : `check before you send it again: ${method} ${redactUrl(path)}`;
		const unlisten = leaveOnSignal(invocation, says);
		const client = await session.openClient(1);
		const { last, unprinted } = await exchange({ caller, client, call, shape, list });
		await client.close();
		unlisten();
		const request = `${method} ${redactUrl(last.path)}`;
		const outcome = { ...last.result, ids: {} };
		if (outcome.outcome !== 'ok') {
			if (unprinted !== undefined) warn(context, [unprinted.message]);
			const noRoute = 'check the path and the method (supportctl api --help)';
			const hint = outcome.code === NO_ROUTE ? noRoute : nextStep(outcome, { isRead }, connection);
			throw errorOf(outcome, verdictOf(outcome, request), hint);
		}
		if (unprinted === undefined) return ExitCode.ok;
		throw isRead ? unprinted : onlyOutputFailed(unprinted, `${request} succeeded`, ExitCode.ok);
	},
});

function pathOf({ path, query }: ApiCall, page: number): string {
	const parts = [query, page > 1 ? `page=${page}` : ''].filter((part) => part !== '');
	return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

interface Api {
	caller: ApiInvocation & { session: Session };
	client: Client;
	call: ApiCall;
	shape: ResultShape;
	list: Renderer;
}

interface Exchanged {
	path: string;
	result: Outcome;
	response: Response | undefined;
}

async function exchange(api: Api): Promise<{ last: Exchanged; unprinted?: SupportctlError }> {
	const { caller, call, shape, list } = api;
	const { context, options, session } = caller;
	const clean = createTextRedactor(session.secrets);
	let last = await sendPage(api, call.page);
	const { result, response } = last;
	if (response !== undefined && options.include === true) context.stdout.write(headOf(response, clean));
	// Another program would read the service's error as a row.
	const format = chosenFormat(caller) ?? shape.format ?? 'table';
	const isForRows = picksValues(options) || ['csv', 'tsv', 'ids', 'count'].includes(format);
	if (result.outcome !== 'ok' && isForRows) return { last };
	if (hasInexactNumber(result.body)) warn(context, ['numbers with more than 15 digits are printed rounded']);
	try {
		if (!('body' in result)) await printText(context.stdout, response, clean);
		else if (rowsOf(last) === undefined) {
			const single = await openResults(caller, { ...shape, single: true });
			await single.row(result.body);
			await single.end();
		} else {
			for await (const page of pagesFrom(api, last)) {
				last = page;
				for (const row of rowsOf(page) ?? []) await list.row(row);
			}
			await list.end();
		}
		return { last };
	} catch (error) {
		return { last, unprinted: outputError(error) };
	}
}

async function sendPage({ caller, client, call }: Api, page: number): Promise<Exchanged> {
	const { context, session } = caller;
	const { method, body, isRead } = call;
	const path = pathOf(call, page);
	const endpoint = { returns: 'any', replay: isRead ? 'read' : 'once' } as const;
	let response: Response | undefined;
	const onResponse = (each: Response): void => {
		response = each;
	};
	const given = await send(client, { method, path, body, endpoint }, { ...session.sending, onResponse });
	const sent: unknown = body === undefined ? undefined : JSON.parse(body);
	const result = createOutcomeRedactor(session.secrets)(given, { sent });
	if (result.status === undefined) response = undefined;
	warn(context, result.warnings ?? []);
	return { path, response, result };
}

const PAST_THE_END = 'rest_post_invalid_page_number';

function rowsOf({ result }: Exchanged): unknown[] | undefined {
	return result.outcome === 'ok' && Array.isArray(result.body) ? result.body : undefined;
}

/** The Link header of a live service leads elsewhere. Unlike in `bulk/lists`, rows may be anything. */
async function* pagesFrom(api: Api, first: Exchanged): AsyncGenerator<Exchanged> {
	const { context, options } = api.caller;
	let page = first;
	for (let number = api.call.page + 1; ; number++) {
		yield page;
		const pages = Number(headerOf(page.response?.headers ?? {}, 'x-wp-totalpages') ?? Number.POSITIVE_INFINITY);
		const isLast = number > pages || (rowsOf(page) ?? []).length === 0;
		if (options.paginate !== true || isLast || context.stdout.closed) return;
		const next = await sendPage(api, number);
		// A list without pages is the same again.
		const isSame = JSON.stringify(next.result.body) === JSON.stringify(page.result.body);
		if (isSame || next.result.code === PAST_THE_END) return;
		page = next;
	}
}

type Clean = ReturnType<typeof createTextRedactor>;

function headOf({ status, headers }: Response, clean: Clean): string {
	const lines = redactHeaders(headers).map(([name, value]) => sanitise(`${name}: ${clean(value)}`));
	return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), ...lines, '', ''].join('\n');
}

async function printText(stdout: Output, response: Response | undefined, clean: Clean): Promise<void> {
	if (response === undefined || response.problem !== undefined) return;
	const text = clean(redactBody(response.body.toString('utf8')));
	stdout.write(stdout.isTTY ? sanitiseLines(text).replace(/[^\n]$/, '$&\n') : text);
	await checkOutput(stdout);
}
