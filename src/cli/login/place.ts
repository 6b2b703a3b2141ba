/** Finding the base URL: from flags or a person, tried without credentials, mended where a slip is seen. */

import { FailedError, UsageError } from '../../errors.js';
import { nextStepFor } from '../../http/problem.js';
import { parseBaseUrl } from '../../profile/base-url.js';
import { readVariable } from '../../profile/environment.js';
import { initialSettings } from '../../profile/initial-settings.js';
import { findService, type Place, type Search } from '../../profile/probe.js';
import { effectiveScheme } from '../../profile/resolve.js';
import { say, warn } from '../notices.js';
import { createAsk, lookUp } from './ask.js';
import { type Found, type Login, profileOf, settingsFor, targetOf } from './login.js';

/** The base URL from flag, environment, a person, or the profile that is signed in to again. */
export async function firstBaseUrl(login: Login): Promise<string> {
	const { context } = login.invocation;
	const stored = profileOf(login.store, login.named ?? login.store.current)?.baseUrl;
	const initial = typeof stored === 'string' ? stored : undefined;
	const variable = login.flags.baseUrl === undefined ? readVariable(context.env, 'BASE_URL', context.cwd) : undefined;
	const given = (login.flags.baseUrl as string | undefined) ?? variable?.value;
	if (given !== undefined) {
		return readBaseUrl(login, given, variable === undefined ? '--base-url' : variable.name);
	}
	if (login.prompts === undefined) {
		if (initial !== undefined) return readBaseUrl(login, initial, `profile "${login.named ?? login.store.current}"`);
		throw new UsageError('no base URL is given and nobody can be asked', {
			hint: 'give --base-url https://desk.example.com/wp-json',
		});
	}
	const answer = await login.prompts.text('Base URL of the help desk (what comes before /support-api/v1):', {
		...(initial !== undefined && { initial }),
		check: (text) => complaint(login, text) ?? true,
	});
	return readBaseUrl(login, answer, 'your answer');
}

/** What is wrong with a base URL beyond what can be mended, in a sentence. */
function complaint(login: Login, text: string): string | undefined {
	try {
		parse(login, text, 'your answer');
		return undefined;
	} catch (error) {
		if (!(error instanceof UsageError)) throw error;
		return error.data.mended === undefined ? [error.message, error.hint].filter(Boolean).join('; ') : undefined;
	}
}

function parse(login: Login, text: string, from: string): { url: string; warnings: string[] } {
	const { options } = login.invocation;
	const productPrefix = login.flags.productPrefix as string | undefined;
	const loose = parseBaseUrl(text, { allowHttp: true, from, ...(productPrefix && { productPrefix }) });
	const own = profileOf(login.store, login.named ?? login.store.current);
	const known =
		typeof own?.baseUrl === 'string' &&
		URL.canParse(own.baseUrl) &&
		new URL(own.baseUrl).hostname === new URL(loose.url).hostname;
	const allowHttp = (options.allowHttp as boolean | undefined) ?? (known && own?.allowHttp === true);
	parseBaseUrl(loose.url, { allowHttp, from });
	return loose;
}

/** A deployment's own abbreviation where the interface's prefix was pasted in with it: /acme-api/v1. */
function adoptPastedPrefix(login: Login, text: string): void {
	const word = /\/([A-Za-z][A-Za-z0-9_]*)-api\/v1(?:\/|$)/.exec(text)?.[1];
	if (word === undefined || word === initialSettings.productPrefix || login.flags.productPrefix !== undefined) return;
	login.flags = { ...login.flags, productPrefix: word };
	warn(login.invocation.context, [`"${word}" in the URL is taken as --product-prefix ${word}`]);
}

/** Checks a base URL; where it can be mended, a person is asked, and otherwise the error says how. */
async function readBaseUrl(login: Login, text: string, from: string): Promise<string> {
	try {
		adoptPastedPrefix(login, text);
		const { url, warnings } = parse(login, text, from);
		warn(login.invocation.context, warnings);
		return url;
	} catch (error) {
		const mended = error instanceof UsageError ? error.data.mended : undefined;
		if (login.prompts === undefined || typeof mended !== 'string') throw error;
		if (!(await login.prompts.confirm(`Did you mean ${mended}?`))) throw error;
		return readBaseUrl(login, mended, from);
	}
}

/** Looks for the service without credentials; a base URL that was likely meant is offered, and never taken unasked. */
export async function locate(login: Login, baseUrl: string): Promise<Found> {
	const { invocation } = login;
	const { name, resolved } = settingsFor(login, baseUrl);
	const { target, warnings } = targetOf(login, { resolved }, { scheme: 'none' }, resolved.settings.username);
	const { path } = lookUp(target);
	const search = await findService(baseUrl, path, createAsk(invocation, target));
	const { place, answer, mended } = search;
	if (place.kind === 'service') {
		warn(invocation.context, warnings);
		const scheme = effectiveScheme(resolved, invocation.context.env, invocation.context.cwd);
		return { baseUrl, name, resolved, scheme, without: answer };
	}
	const error = explainPlace(baseUrl, { ...search, place });
	if (login.prompts === undefined || mended === undefined) throw error;
	say(invocation, `${error.message}.`);
	if (!(await login.prompts.confirm(`The help desk answers at ${mended}. Use that?`))) throw error;
	return locate(login, await readBaseUrl(login, mended, 'the mended URL'));
}

/** A search that did not find the service where it was looked for. */
type Missed = Search & { place: Exclude<Place, { kind: 'service' }> };

/** Why there is no signing in at a base URL, and what to do about it. */
function explainPlace(baseUrl: string, { place, mended, hidden }: Missed): FailedError {
	const hint = mended === undefined ? undefined : `the help desk answers at ${mended}: --base-url ${mended}`;
	const data = mended === undefined ? {} : { mended };
	switch (place.kind) {
		case 'moved':
			if (mended === undefined && hidden !== undefined) return explainHidden(baseUrl, place.target, hidden);
			return new FailedError(`${baseUrl} redirects to ${place.target}; no credentials were sent`, {
				code: 'redirect',
				hint: hint ?? 'give the base URL that does not redirect',
				data,
			});
		case 'elsewhere':
			return new FailedError(`no help desk was found under ${baseUrl}: ${place.why}`, {
				code: 'no_service',
				hint:
					hint ??
					'the base URL often ends in /wp-json; a deployment with an abbreviation of its own needs --product-prefix',
				data,
			});
		default:
			return new FailedError(explainSilence(baseUrl, place), { code: place.code, hint: hintFor(place.code) });
	}
}

/** A redirect to where nothing could be seen: its target is named all the same, and what stands before it. */
function explainHidden(baseUrl: string, target: string, hidden: NonNullable<Search['hidden']>): FailedError {
	const { baseUrl: mended, code } = hidden;
	const message = `${baseUrl} redirects to ${target}; no credentials were sent; ${explainSilence(mended, hidden)}`;
	return new FailedError(message, {
		code: 'redirect',
		hint: `give --base-url ${mended}; ${hintFor(code)}`,
		data: { mended },
	});
}

/** Codes of answers that are none of HTTP's, or not to be read to their end. */
const UNREADABLE = new Set(['bad_http', 'wrong_length', 'answer_too_large']);

/** Why it can't be told whether the service is at a base URL. */
function explainSilence(baseUrl: string, { code, why }: { code: string; why: string }): string {
	if (code.startsWith('http_') || UNREADABLE.has(code)) return `${baseUrl} answers, but not as a help desk: ${why}`;
	return why.startsWith('could not connect') ? why : `could not connect to ${baseUrl}: ${why}`;
}

/** What helps where the service could not be seen. */
function hintFor(code: string): string {
	if (code === 'http_403') return 'a firewall before the service may refuse this machine';
	if (code === 'http_407') return 'put the user name and password for the proxy into HTTP_PROXY';
	if (/^http_5/.test(code)) return 'the host has trouble: look at its log, or try again later';
	return nextStepFor(code) ?? 'try again later; `supportctl doctor` looks closer';
}
