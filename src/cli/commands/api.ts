/** `api`: any request below the interface's prefix, with the profile's credentials. */

import { STATUS_CODES } from 'node:http';
import { taxonomies } from '../../api/fields.js';
import { hasInexactNumber } from '../../api/values.js';
import { readPages } from '../../bulk/lists/pages.js';
import { ExitCode, type SupportctlError } from '../../errors.js';
import type { Client } from '../../http/client.js';
import { NO_ROUTE } from '../../http/judge.js';
import type { Outcome } from '../../http/outcome.js';
import type { Response } from '../../http/response.js';
import { send } from '../../http/send.js';
import type { Output } from '../../io/context.js';
import { factsOf } from '../../output/formats.js';
import {
	createOutcomeRedactor,
	createTextRedactor,
	redactBody,
	redactHeaders,
	redactUrl,
} from '../../output/redact.js';
import type { Renderer } from '../../output/render.js';
import { sanitise, sanitiseLines } from '../../output/sanitise.js';
import { formatCount } from '../../text.js';
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
	printAll,
	type ResultShape,
} from '../results.js';
import { errorOf, nextStep, verdictOf } from '../runs/failures.js';
import { confirmWrite } from '../runs/questions.js';
import { openSession, type Session } from '../session.js';
import { type ApiCall, type ApiInvocation, apiOptions, methods, readCall } from './api/request.js';

export const command = defineCommand({
	arguments: [
		{ name: 'method', help: 'The HTTP method', required: true, suggests: methods, usual: 'GET' },
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
		// Columns and queries that can't be used are found before anything is sent.
		const list = await openResults(caller, shapeOf(invocation, options.dryRun));
		if (options.dryRun === true) {
			await list.row({ method, path: redactUrl(path), body: body === undefined ? null : JSON.parse(body) });
			await list.end();
			say(invocation, 'dry run: 1 request, none sent');
			return;
		}
		if (!isRead) {
			await confirmWrite(invocation, session.service, `send ${method} ${path}`, method === 'DELETE');
		}
		const says = isRead ? 'nothing was changed' : `check before you send it again: ${method} ${redactUrl(path)}`;
		const unlisten = leaveOnSignal(invocation, says);
		const client = await session.openClient(1);
		const { last, unprinted } = await exchange({ caller, client, call, list });
		await client.close();
		unlisten();
		const request = `${method} ${redactUrl(last.path)}`;
		const outcome = { ...last.outcome, ids: {} };
		if (outcome.outcome !== 'ok') {
			if (unprinted !== undefined) warn(context, [unprinted.message]);
			const noRoute = 'check the path and the method (supportctl api --help)';
			const hint = outcome.code === NO_ROUTE ? noRoute : nextStep(outcome, { isRead }, connection);
			throw errorOf(outcome, verdictOf(outcome, request), hint);
		}
		if (unprinted === undefined) return;
		throw isRead ? unprinted : onlyOutputFailed(unprinted, `${request} succeeded`, ExitCode.ok);
	},
});

function pathOf({ path, query }: ApiCall, page: number): string {
	const parts = [query, page > 1 ? `page=${page}` : ''].filter((part) => part !== '');
	return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

function shapeOf({ options }: ApiInvocation, single?: boolean): ResultShape {
	return {
		single,
		// The head of the response is printed before.
		onPager: options.include === true ? false : undefined,
		format: picksValues(options) ? undefined : 'json',
	};
}

interface Api {
	caller: ApiInvocation & { session: Session };
	client: Client;
	call: ApiCall;
	list: Renderer;
}

interface Page {
	path: string;
	outcome: Outcome;
	response: Response | undefined;
	/** Of a list. */
	rows: readonly unknown[] | undefined;
}

async function exchange(api: Api): Promise<{ last: Page; unprinted?: SupportctlError }> {
	const { caller, call } = api;
	const { context, options, session } = caller;
	const clean = createTextRedactor(session.secrets);
	let last = await sendPage(api, call.page);
	const { outcome, response, rows } = last;
	if (response !== undefined && options.include === true) context.stdout.write(headOf(response, clean));
	// Another program would read the service's error as a row.
	const isForRows = picksValues(options) || !factsOf(chosenFormat(caller)).showsErrors;
	if (outcome.outcome !== 'ok' && isForRows) return { last };
	if (hasInexactNumber(outcome.body)) warn(context, ['numbers with more than 15 digits are printed rounded']);
	try {
		if (!('body' in outcome)) await printText(context.stdout, response, clean);
		else if (rows === undefined) await printAll(caller, shapeOf(caller, true), [outcome.body]);
		else {
			last = await printPages(api, last);
			await api.list.end();
		}
		return { last };
	} catch (error) {
		return { last, unprinted: outputError(error) };
	}
}

async function sendPage({ caller, client, call }: Api, page: number): Promise<Page> {
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
	const outcome = createOutcomeRedactor(session.secrets)(given, { sent });
	if (outcome.status === undefined) response = undefined;
	warn(context, outcome.warnings ?? []);
	return { path, outcome, response, rows: rowsIn(outcome) };
}

const rowsIn = ({ outcome, body }: Outcome): readonly unknown[] | undefined =>
	outcome === 'ok' && Array.isArray(body) ? body : undefined;

/** @returns the page that ended it early, or the first */
async function printPages(api: Api, first: Page): Promise<Page> {
	const { caller, call, list } = api;
	const { context, options } = caller;
	let read = first;
	const end = await readPages({
		rowsIn,
		// The Link header of a live service leads elsewhere.
		async fetch(page) {
			if (page > call.page) read = await sendPage(api, page);
			return { ...read.outcome, headers: read.response?.headers };
		},
		concurrency: 1,
		size: Number.POSITIVE_INFINITY,
		from: call.page,
		most: options.paginate === true ? Number.POSITIVE_INFINITY : call.page,
		isWatched: false,
		async onPage(rows) {
			for (const row of rows) await list.row(row);
			return !context.stdout.closed;
		},
	});
	if (end.failure !== undefined) return { ...read, outcome: end.failure };
	const isAll = options.paginate === true && call.page === 1 && !context.stdout.closed;
	if (!isAll || end.isWhole) return first;
	const why =
		end.total === undefined
			? 'the service repeats its pages (if it has no pages, leave out --paginate)'
			: `the service counts ${formatCount(end.total)}`;
	const message = `the list is incomplete: got ${formatCount(end.count)}, but ${why}`;
	return { ...read, outcome: { ...read.outcome, outcome: 'failed', code: 'incomplete_list', message } };
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
