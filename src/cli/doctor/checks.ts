/** The checks of `doctor` as data: what each depends on, what it looks at, and the next step where that fails. */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { createDialect } from '../../api/dialect.js';
import { isObject } from '../../api/values.js';
import { proxyFor } from '../../http/connection.js';
import { readResponse } from '../../http/content.js';
import { describeProblem, nextStepFor } from '../../http/problem.js';
import type { Client } from '../../http/types.js';
import { type Auth, mayBeLoopback } from '../../net.js';
import { type Ask, findService, type ProbeResponse } from '../../profile/probe.js';
import {
	findAuth,
	type ResolveRequest,
	readProxies,
	readSituation,
	readTls,
	resolveBaseUrl,
	type Situation,
} from '../../profile/resolve.js';
import { secretNoun } from '../../profile/secrets.js';
import { configFolder } from '../../profile/settings.js';
import { readStore } from '../../profile/store.js';
import { engines } from '../../version.js';
import type { Invocation } from '../command.js';
import { createAsk, explainSearch, trySignIn, type Way, wayOf } from '../login/probe.js';
import { connectionFlags } from '../options/shared.js';
import { openClient } from '../session.js';
import { bareHost, type Certificate, connect, portOf, readCertificate } from './network.js';

export interface Finding {
	check: string;
	result: 'pass' | 'warn' | 'fail' | 'skipped';
	message: string;
	/** What to do, where something is to be done. */
	hint?: string | undefined;
}

/** What a check found; a text alone is a pass. */
type Found = string | Omit<Finding, 'check'>;

const warn = (message: string, hint: string): Found => ({ result: 'warn', message, hint });
const fail = (message: string, hint: string): Found => ({ result: 'fail', message, hint });
const skip = (message: string): Found => ({ result: 'skipped', message });

/** What is known; each check adds what those that need it use. */
interface Facts {
	invocation: Invocation;
	request: ResolveRequest;
	situation: Situation;
	/** The base URL. */
	url: URL;
	/** The variable that names a proxy for the base URL. */
	variable: 'HTTPS_PROXY' | 'HTTP_PROXY';
	proxy: URL | undefined;
	/** How long a step may take, in milliseconds. */
	timeoutMs: number;
	way: Way;
	auth: Auth;
	/** The secret's variable, or where it is stored. */
	secretSource: string;
	ask: Ask;
	/** The response without credentials. */
	without: ProbeResponse;
	/** The Date header of a response, and when it came, in milliseconds since 1970. */
	date: { header: unknown; at: number } | undefined;
}

export interface Check {
	name: string;
	/** Checks without which this one can't be made. */
	needs: readonly string[];
	/** The next step after an error that names none. */
	fix: string;
	/** @throws an error for a person to read, which is a failed check */
	look(facts: Facts): Found | Promise<Found>;
}

const LONGEST_STEP_MS = 10_000;

export const checks: readonly Check[] = [
	{ name: 'node', needs: [], fix: '', look: () => checkNode(process.versions.node, engines) },
	{
		name: 'config',
		needs: [],
		fix: 'make it a file that only you can read, or let SUPPORTCTL_CONFIG_DIR name another folder',
		look({ invocation }) {
			const { file, exists, store, warnings } = readStore(configFolder(invocation.context));
			if (!exists) return `${file} is not there: no profile is stored`;
			const count = Object.keys(store.profiles).length;
			if (warnings.length === 0) return `${file}, ${count} ${count === 1 ? 'profile' : 'profiles'}`;
			const text = warnings.join('; ');
			return warn(text, text.match(/chmod [^;]+/g)?.join('; ') ?? this.fix);
		},
	},
	{
		name: 'profile',
		needs: ['config'],
		fix: 'give what it names another value, or leave it out; supportctl help profiles explains settings',
		look(facts) {
			facts.situation = readSituation(facts.request);
			const { profileName, chosenBy, settings, sources } = facts.situation;
			if (profileName !== undefined) {
				const by = chosenBy === 'current' ? 'the current one' : `named by ${chosenBy}`;
				return `"${profileName}", ${by}${settings.protected ? ', protected: writes need --confirm' : ''}`;
			}
			if (settings.baseUrl !== undefined) return `none; the base URL comes from ${sources.baseUrl.name}`;
			const hint = 'supportctl login signs in; supportctl sandbox runs a local mock API';
			return fail('none is stored, and no base URL is given', hint);
		},
	},
	{
		name: 'base-url',
		needs: ['profile'],
		fix: 'write the part before /support-api/v1, for instance https://desk.example.com/wp-json',
		look(facts) {
			const { url, warnings } = resolveBaseUrl(facts.situation);
			facts.url = new URL(url);
			const { protocol, hostname } = facts.url;
			const [warning] = warnings;
			if (warning !== undefined) return warn(warning, `store it without: ${changeOf(facts.situation)} ${url}`);
			const isOpen = protocol === 'http:' && !mayBeLoopback(hostname);
			return isOpen ? warn(`${url} sends credentials unencrypted`, 'use https:// where the service has it') : url;
		},
	},
	{
		name: 'secret',
		needs: ['base-url'],
		fix: 'supportctl login stores another one; supportctl help environment names the variables that hold one',
		async look(facts) {
			const { request, situation, url } = facts;
			const { auth, secretSource } = await findAuth(request, situation, url.href.replace(/\/+$/, ''));
			Object.assign(facts, { auth, secretSource });
			if (auth.scheme === 'none') return 'none is needed (scheme none)';
			const from = secretSource.startsWith('SUPPORTCTL_') ? secretSource : `the ${secretSource}`;
			return `${secretNoun(auth.scheme)} from ${from}`;
		},
	},
	{
		name: 'proxy',
		needs: ['base-url'],
		fix: 'fix HTTPS_PROXY or HTTP_PROXY, or let NO_PROXY name the host',
		async look(facts) {
			const { url, invocation, situation } = facts;
			facts.timeoutMs = Math.min(situation.settings.timeout * 1000, LONGEST_STEP_MS);
			facts.variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
			facts.proxy = proxyFor(url.href, readProxies(invocation.context.env));
			const { proxy, variable } = facts;
			if (proxy === undefined)
				return `none: ${variable} is not set, or not for this host (this machine, or in NO_PROXY)`;
			// Its user info may hold a password.
			const shown = `${proxy.protocol}//${proxy.host}, from ${variable}`;
			try {
				await connect(proxy, facts.timeoutMs);
				return `${shown}, can be reached`;
			} catch (error) {
				const hint = `correct ${variable}, or add the service's host to NO_PROXY`;
				return fail(`${shown}, can't be reached: ${describeProblem(error).message}`, hint);
			}
		},
	},
	{
		name: 'dns',
		needs: ['proxy'],
		fix: "check the host's name in the base URL, and whether this machine is on the right network",
		async look({ url, proxy }) {
			const host = bareHost(url);
			if (proxy !== undefined) return skip('the proxy resolves the name');
			if (isIP(host) !== 0) return skip(`${host} is an address`);
			const found = await lookup(host, { all: true }).catch((error: unknown) => {
				throw new Error(`${host}: ${describeProblem(error).message}`);
			});
			return `${host} is ${[...new Set(found.map(({ address }) => address))].join(', ')}`;
		},
	},
	{
		name: 'tcp',
		needs: ['dns'],
		fix: 'check the port in the base URL, that the service runs, and firewalls on the way',
		async look({ url, proxy, timeoutMs, invocation }) {
			if (proxy !== undefined) return skip('the proxy connects');
			const { clock } = invocation.context;
			const started = clock.monotonic();
			const address = await connect(url, timeoutMs).catch((error: unknown) => {
				throw new Error(`${bareHost(url)} port ${portOf(url)}: ${describeProblem(error).message}`);
			});
			return `connected to ${address} port ${portOf(url)} in ${Math.round(clock.monotonic() - started)} ms`;
		},
	},
	{
		name: 'tls',
		needs: ['tcp'],
		fix: 'let --ca-file, --cert and --key name PEM files that you can read; supportctl profile set stores them',
		async look(facts) {
			const { url, proxy, timeoutMs, situation, invocation } = facts;
			const tls = readTls(situation.settings, invocation.context.cwd, []);
			facts.way = { ...wayOf(invocation, situation, tls), timeoutMs };
			if (url.protocol !== 'https:') return skip('the base URL is http://');
			try {
				const found = await readCertificate(url, proxy, tls, timeoutMs);
				return checkCertificate(found, invocation.context.clock.now());
			} catch (error) {
				const { code, message } = describeProblem(error);
				const hint = nextStepFor(code);
				return fail(`no TLS connection: ${message}`, hint ?? (nextStepFor('tls_failed') as string));
			}
		},
	},
	{
		name: 'prefix',
		needs: ['tls'],
		fix: 'try again later',
		async look(facts) {
			const { invocation, situation, url, way, auth } = facts;
			const baseUrl = url.href.replace(/\/+$/, '');
			const { path, ask } = createAsk(invocation, way, auth ?? { scheme: 'none' }, situation.settings.username);
			const client = await openClient(invocation, { ...way, baseUrl, auth: { scheme: 'none' } }, 1);
			try {
				const root = `/${createDialect(way.prefixes).root}/v1`;
				const { routes } = await readJson(client, root, facts);
				const search = await findService(baseUrl, path, ask);
				Object.assign(facts, { ask, without: search.response });
				const problem = explainSearch(baseUrl, search, changeOf(situation));
				if (isObject(routes)) return `${baseUrl}${root} lists ${Object.keys(routes).length} routes`;
				if (problem === undefined) return `${baseUrl}${root} responds`;
				const { namespaces } = problem.code === 'no_service' ? await readJson(client, '') : {};
				const word = [namespaces]
					.flat()
					.flatMap((each) => /^([A-Za-z][\w-]*)-api\/v1$/.exec(String(each))?.[1] ?? [])[0];
				const own = word && `the service has ${word}-api: --product-prefix ${word}`;
				return fail(problem.message, own ?? problem.hint);
			} finally {
				await client.close();
			}
		},
	},
	{
		name: 'credentials',
		needs: ['secret', 'prefix'],
		fix: 'try again later',
		async look({ auth, ask, url, without, secretSource }) {
			const verdict = await trySignIn(ask, url.href.replace(/\/+$/, ''), auth, without);
			if (verdict.kind === 'unclear') return fail(`could not be checked: ${verdict.why}`, this.fix);
			if (verdict.kind === 'refused') {
				const isVariable = secretSource.startsWith('SUPPORTCTL_');
				return fail(verdict.why, isVariable ? `the secret is from ${secretSource}; ${verdict.hint}` : verdict.hint);
			}
			if (verdict.doubt !== undefined) return warn(verdict.doubt.note, verdict.doubt.hint);
			if (auth.scheme === 'none') return 'none are sent, and the service requires none';
			return auth.scheme === 'basic' ? `accepted for ${auth.username}` : 'accepted';
		},
	},
	{ name: 'clock', needs: ['tls'], fix: '', look: ({ date }) => checkClock(date) },
];

/** Makes the checks; each finding is given as soon as it is there. */
export async function* examine(invocation: Invocation): AsyncGenerator<Finding> {
	const { context, options } = invocation;
	const request = { env: context.env, flags: connectionFlags(options), cwd: context.cwd };
	const facts = { invocation, request } as Facts;
	/** The check that failed, by each that failed or depends on it. */
	const causes = new Map<string, string>();
	for (const check of checks) {
		const { name, needs, fix } = check;
		const cause = needs.flatMap((each) => causes.get(each) ?? [])[0];
		let found: Found;
		try {
			found = cause === undefined ? await check.look(facts) : skip(`${cause} failed`);
		} catch (error) {
			const { message, details = [], hint } = error as { message: string; details?: string[]; hint?: string };
			found = fail([message, ...details].join('; '), hint || fix);
		}
		const finding: Finding = {
			check: name,
			...(typeof found === 'string' ? { result: 'pass', message: found } : found),
		};
		if (cause !== undefined || finding.result === 'fail') causes.set(name, cause ?? name);
		yield finding;
	}
}

/** What comes before a base URL to use it where the present one is from. */
function changeOf({ sources, profileName }: Situation): string {
	const { from, name } = sources.baseUrl;
	if (from === 'environment') return `set ${name} to`;
	return from === 'flag' ? name : `supportctl profile set ${profileName} --base-url`;
}

/** The JSON object that a GET gives; its date goes to the facts. */
async function readJson(client: Client, path: string, facts?: Facts): Promise<Record<string, unknown>> {
	const response = await readResponse(await client.send({ method: 'GET', path }));
	if ('problem' in response) return {};
	const { headers, content } = response;
	if (facts !== undefined) facts.date = { header: headers.date, at: facts.invocation.context.clock.now() };
	return content.kind === 'json' && isObject(content.value) ? content.value : {};
}

/** @param required as package.json has it: `>=20.18.1` */
export function checkNode(version: string, required: string): Found {
	const least = required.replace(/^>=/, '');
	if (version.localeCompare(least, 'en', { numeric: true }) >= 0) return `Node ${version}`;
	return fail(`Node ${version} is older than ${least}`, `install Node ${least} or later`);
}

/** Fewer days than this left is a warning: renewals that work renew earlier. */
const DAYS_TO_WARN = 14;

/** @param now milliseconds since 1970 */
export function checkCertificate({ protocol, subject, issuer, validTo, problem }: Certificate, now: number): Found {
	const days = Math.floor((validTo - now) / 86_400_000);
	const until = new Date(validTo).toISOString().slice(0, 10);
	const certificate = `certificate for ${subject} from ${issuer}, valid until ${until}`;
	if (problem !== undefined) {
		const hint = nextStepFor(problem.code) ?? "check this machine's clock and the host's certificate";
		return fail(`${problem.message} (${certificate})`, hint);
	}
	const message = `${protocol}, ${certificate} (${days} ${days === 1 ? 'day' : 'days'} left)`;
	return days <= DAYS_TO_WARN ? warn(message, 'have it renewed before it ends') : message;
}

const UNITS: readonly [seconds: number, unit: string][] = [
	[86_400, 'days'],
	[3600, 'h'],
	[60, 'min'],
	[1, 's'],
];

/** Differences below this are the network's and the header's, which has whole seconds. */
const UNNOTICED_MS = 3_000;
const MOST_MS = 60_000;

/** Whether this machine and the service agree on the time. */
export function checkClock(date: Facts['date']): Found {
	const theirs = Date.parse(String(date?.header));
	if (date === undefined || Number.isNaN(theirs)) return skip('the response has no date');
	const difference = date.at - theirs - 500;
	const size = Math.abs(difference);
	if (size <= UNNOTICED_MS) return "this machine's and the service's agree";
	const [seconds, unit] = UNITS.find(([each]) => size >= 1900 * each) as (typeof UNITS)[number];
	const time = `${Math.round(size / 1000 / seconds)} ${unit}`;
	const message = `this machine is ${time} ${difference > 0 ? 'ahead of' : 'behind'} the service`;
	if (size <= MOST_MS) return message;
	return warn(message, 'set the clock that is wrong: certificates and the times in journals depend on it');
}
