/** `api`: any request below the interface's prefix, with the profile's credentials. */

import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { taxonomies } from '../../api/fields.js';
import { hasInexactNumber } from '../../api/values.js';
import { ExitCode, FailedError, type SupportctlError } from '../../errors.js';
import { NO_ROUTE } from '../../http/judge.js';
import type { Outcome } from '../../http/outcome.js';
import { headerOf, type Response } from '../../http/response.js';
import type { Client } from '../../http/types.js';
import { holdsRowsAlone } from '../../output/columns.js';
import {
	createOutcomeRedactor,
	createTextRedactor,
	isSecretName,
	redactBody,
	redactHeaders,
	redactUrl,
	secretValues,
} from '../../output/redact.js';
import type { Renderer } from '../../output/render.js';
import { sanitise, sanitiseLines } from '../../output/sanitise.js';
import { defineCommand } from '../command.js';
import { createInterruptibleSend } from '../interruption.js';
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
import { type ApiInvocation, apiOptions, type Call, methods, readCall } from './api/request.js';

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
	run: runApi,
});

interface Api extends ReturnType<typeof createSend> {
	invocation: ApiInvocation;
	call: Call;
	shape: ResultShape;
}

/** `result` is without the secrets of the request. */
type Exchanged = Awaited<ReturnType<Api['send']>>;

async function runApi(invocation: ApiInvocation): Promise<ExitCode> {
	const { context, options } = invocation;
	const session = await openSession(invocation, { credentials: options.dryRun !== true });
	const { connection, dialect, host } = session;
	const call = await readCall(invocation, connection.baseUrl, dialect);
	const { method, query, body, isRead } = call;
	const path = query === '' ? call.path : `${call.path}?${query}`;
	const shape: ResultShape = {
		// The head of the response is printed before.
		...(options.include === true && { onPager: false }),
		profileFormat: connection.settings.format ?? (picksValues(options) ? undefined : 'json'),
	};
	// Columns and queries that can't be used are found before anything is sent.
	const list = await openResults(invocation, { ...shape, single: options.dryRun });
	if (options.dryRun === true) {
		await list.row({ method, path: redactUrl(path), body: body === undefined ? null : JSON.parse(body) });
		await list.end();
		say(invocation, 'dry run: 1 request, none sent');
		return ExitCode.ok;
	}
	if (!isRead) {
		const service = { profile: connection.profileName, protected: connection.settings.protected };
		await confirmWrite(invocation, { service, host, action: `send ${method} ${path}`, asks: method === 'DELETE' });
	}
	const client = await session.openClient(1);
	try {
		const api: Api = { invocation, call, shape, ...createSend(invocation, session, client, call) };
		const { last, unprinted } = await printPages(api, list);
		const { result } = last;
		const request = `${method} ${redactUrl(last.path)}`;
		if (result.outcome !== 'ok') {
			if (unprinted !== undefined) warn(context, [unprinted.message]);
			const outcome = { ...result, row: 1, ids: {} };
			const noRoute = 'check the path and the method (supportctl api --help)';
			const text = verdictOf(outcome, request);
			throw errorOf(outcome, text, result.code === NO_ROUTE ? noRoute : nextStep(outcome, { isRead }, connection));
		}
		if (unprinted === undefined) return ExitCode.ok;
		throw isRead ? unprinted : onlyOutputFailed(unprinted, `${request} succeeded`, ExitCode.ok);
	} finally {
		await client.close();
	}
}

function createSend(
	{ context }: ApiInvocation,
	session: Session,
	client: Client,
	{ method, query, body, isRead }: Call,
) {
	const endpoint = { returns: 'any', replay: isRead ? 'read' : 'once' } as const;
	// A service may repeat them under any name.
	const parameters = [...new URLSearchParams(query)].filter(([name, value]) => isSecretName(name) && value !== '');
	const secrets = [
		...(body === undefined ? [] : secretValues(JSON.parse(body))),
		...parameters.map(([, value]) => value),
	];
	const clean = createTextRedactor(session.secrets, secrets);
	const deliver = createInterruptibleSend(context, client, ({ outcome }, { path }) => {
		const request = `${method} ${redactUrl(path)}`;
		if (isRead) return `${request} was interrupted; nothing was changed`;
		if (outcome === 'not-sent') return `${request} was not sent`;
		return `${request} was sent, but got no response: check before you send it again`;
	});
	return {
		clean,
		async send(path: string) {
			let response: Response | undefined;
			const delivered = await deliver(
				{ method, path, body, endpoint },
				{
					...session.sending,
					onResponse(each) {
						response = each;
					},
				},
			);
			const result = createOutcomeRedactor(session.secrets)(delivered, secrets);
			if (result.status === undefined) response = undefined;
			if (response !== undefined && isGoodResponse(result, response)) result.outcome = 'ok';
			warn(context, result.warnings ?? []);
			return { path, response, result };
		},
	};
}

const contentType = ({ headers }: Response): string => (headerOf(headers, 'content-type') ?? '').toLowerCase();

/** Unknown for a row, and right here: text whose type says so. */
function isGoodResponse({ outcome, code }: Outcome, response: Response): boolean {
	if (outcome !== 'unknown' || response.problem !== undefined || response.status >= 300) return false;
	return code === 'not_json' && !/json|^$/.test(contentType(response));
}

/** The most rows that services return in a page. */
const PER_PAGE = 100;

const PAST_THE_END = 'rest_post_invalid_page_number';

const isList = ({ result }: Exchanged): boolean => result.outcome === 'ok' && Array.isArray(result.body);

/**
 * Prints the response, with --paginate the rows of every page as one list. The Link header of a live service leads
 * elsewhere. Unlike in `bulk/lists`, rows may be anything.
 */
async function printPages(api: Api, list: Renderer): Promise<{ last: Exchanged; unprinted?: SupportctlError }> {
	const { call, shape, send, clean, invocation } = api;
	const { options, context } = invocation;
	const { stdout } = context;
	const parameters = new URLSearchParams(call.query);
	const size = Number(parameters.get('per_page') ?? PER_PAGE);
	const rest = call.query.split('&').filter((part) => part !== '' && !(options.paginate && part.startsWith('page=')));
	if (options.paginate === true && !parameters.has('per_page')) rest.push(`per_page=${PER_PAGE}`);
	let page = options.paginate === true ? Math.max(1, Math.trunc(Number(parameters.get('page'))) || 1) : 1;
	const sendPage = (): Promise<Exchanged> => {
		const query = [...rest, ...(page > 1 ? [`page=${page}`] : [])].join('&');
		return send(query === '' ? call.path : `${call.path}?${query}`);
	};
	let last = await sendPage();
	const { result, response } = last;
	if (response !== undefined && options.include === true) {
		const { status, headers } = response;
		const lines = redactHeaders(headers).map(([name, value]) => sanitise(`${name}: ${clean(value)}`));
		stdout.write([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), ...lines, '', ''].join('\n'));
	}
	// Another program would read the service's error as a row.
	const isForRows = picksValues(options) || holdsRowsAlone(chosenFormat(options, shape.profileFormat) ?? 'table');
	if (result.outcome !== 'ok' && isForRows) return { last };

	const print = async (): Promise<void> => {
		if (!('body' in result)) return await printText(api, response);
		const single = !isList(last);
		const results = single ? await openResults(invocation, { ...shape, single }) : list;
		try {
			let isWarned = false;
			let full: number | undefined;
			for (;;) {
				const rows = single ? [last.result.body] : (last.result.body as unknown[]);
				if (!isWarned && hasInexactNumber(rows)) {
					warn(context, ['numbers with more than 15 digits are printed rounded']);
					isWarned = true;
				}
				for (const row of rows) await results.row(row);
				const count = Number(headerOf(last.response?.headers ?? {}, 'x-wp-totalpages') ?? Number.NaN);
				// A service may return fewer rows than it is asked for, and count pages wrong.
				full ??= Number.isInteger(count) ? size : rows.length;
				const hasNext = page < count || rows.length >= full;
				if (options.paginate !== true || single || rows.length === 0 || !hasNext || stdout.closed) return;
				const before = JSON.stringify(rows);
				page++;
				const next = await sendPage();
				const isSame = JSON.stringify(next.result.body) === before;
				// Few rows and no count: perhaps a list without pages.
				const isUnpaged = full < size && (isSame || [400, 404].includes(next.result.status ?? 0));
				if (isUnpaged || next.result.code === PAST_THE_END) return;
				last = next;
				if (last.result.outcome !== 'ok') return;
				if (isList(last) && !isSame) continue;
				const message = 'stopped: the service returns the same page again, or no list';
				throw new FailedError(message, { code: 'page_loop' });
			}
		} finally {
			await results.end();
		}
	};
	try {
		await print();
		return { last };
	} catch (error) {
		return { last, unprinted: outputError(error) };
	}
}

/** A body that isn't JSON. @throws FailedError if it isn't text */
async function printText({ clean, invocation }: Api, response: Response | undefined): Promise<void> {
	const { stdout } = invocation.context;
	if (response === undefined || response.problem !== undefined) return;
	const { body } = response;
	if (!isUtf8(body)) {
		const why = `${body.length} bytes of ${contentType(response) || 'an unknown type'} that are not text`;
		throw new FailedError(`the response is not printed: ${why}`, { code: 'unprintable_response' });
	}
	const text = clean(redactBody(body.toString('utf8')));
	stdout.write(stdout.isTTY ? sanitiseLines(text).replace(/[^\n]$/, '$&\n') : text);
	await checkOutput(stdout);
}
