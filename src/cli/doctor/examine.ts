/** Which checks there are and in what order: each is made only where those that it stands on have passed. */

import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { createDialect } from '../../api/dialect.js';
import { isObject } from '../../api/values.js';
import { readResponse } from '../../http/content.js';
import { proxyFor } from '../../http/proxy.js';
import type { Attempt, Client } from '../../http/types.js';
import { configFolder } from '../../profile/environment.js';
import { findService, type ProbeAnswer } from '../../profile/probe.js';
import {
	describeSecret,
	effectiveScheme,
	prefixesOf,
	type ResolvedConnection,
	type ResolveRequest,
	readProxies,
	readSituation,
	readTls,
	resolveBaseUrl,
	resolveConnection,
	type Situation,
	variableOf,
} from '../../profile/resolve.js';
import { readStore } from '../../profile/store.js';
import { engines } from '../../version.js';
import type { Invocation } from '../command.js';
import { createAsk, lookUp } from '../login/login.js';
import { connectionFlags } from '../options/connection.js';
import { openClient } from '../session.js';
import { type Finding, failed, skipped } from './finding.js';
import { type ConfigReading, checkConfig, checkNode, checkProfile, checkSecretStore } from './machine.js';
import { bareHost, checkBaseUrl, checkDns, checkProxy, checkTcp, checkTls, type Probes } from './network.js';
import { createProbes } from './probes.js';
import { checkClock, checkCredentials, checkPrefix, type RootAnswer } from './service.js';

/** A step of the way that does not answer in this time is told so, whatever a request may take. */
const LONGEST_STEP_MS = 10_000;

/** Every check's name, in order; those after one that failed are skipped where they stand on it. */
const NETWORK = ['proxy', 'dns', 'tcp', 'tls', 'prefix', 'credentials', 'clock'] as const;

function* skipAll(names: readonly string[], why: string): Generator<Finding> {
	for (const name of names) yield skipped(name, why);
}

/** Makes the checks; each finding is given out as soon as it is there. */
export async function* examine(invocation: Invocation): AsyncGenerator<Finding> {
	const { context, options } = invocation;
	const request: ResolveRequest = { env: context.env, flags: connectionFlags(options), cwd: context.cwd };
	yield checkNode(process.versions.node, engines);
	const config = readConfig(request);
	const situation = attempt(() => readSituation(request));
	const known = 'error' in situation ? undefined : situation;
	const source = known?.sources.baseUrl;
	yield checkConfig(config, source?.from === 'flag' || source?.from === 'environment' ? source.name : undefined);
	const profile =
		'error' in config ? skipped('profile', 'the file of profiles can not be used') : checkProfile(situation);
	yield profile;
	if (known === undefined || profile.result === 'fail') {
		yield* skipAll(['secret', 'base-url', ...NETWORK], 'there are no settings to check');
		return;
	}
	const { finding, connection } = await checkSecret(request, known);
	yield finding;
	const base = attempt(() => resolveBaseUrl(known));
	if ('error' in base) {
		yield failed('base-url', base.error);
		yield* skipAll(NETWORK, 'the base URL can not be used');
		return;
	}
	yield checkBaseUrl(base);
	yield* examineService(invocation, known, new URL(base.url), connection);
}

function attempt<T>(act: () => T): T | { error: unknown } {
	try {
		return act();
	} catch (error) {
		return { error };
	}
}

function readConfig({ env, cwd }: ResolveRequest): ConfigReading {
	return attempt(() => {
		const reading = readStore(configFolder({ env, ...(cwd === undefined ? {} : { cwd }) }));
		const mode = reading.exists && process.platform !== 'win32' ? statSync(reading.file).mode : undefined;
		return { reading, mode };
	});
}

/** Fetches the secret as every command would, from wherever it lives. */
async function checkSecret(
	request: ResolveRequest,
	situation: Situation,
): Promise<{ finding: Finding; connection: ResolvedConnection | undefined }> {
	const state = attempt(() => describeSecret(situation));
	if ('error' in state) return { finding: failed('secret', state.error), connection: undefined };
	const profile = situation.profileName === undefined ? '' : ` --profile ${situation.profileName}`;
	const scheme = effectiveScheme(situation);
	const variable = scheme === 'none' ? '' : `, or set SUPPORTCTL_${variableOf(scheme)}`;
	const hint = `supportctl login${profile}${variable}`;
	let connection: ResolvedConnection | undefined;
	let problem: unknown;
	// What is wrong with the base URL or with PEM files is told by their own checks.
	const elsewhere = 'error' in attempt(() => resolveBaseUrl(situation));
	if (!elsewhere && state.state !== 'not set' && state.state !== 'not used') {
		try {
			connection = await resolveConnection({ ...request, flags: { ...request.flags } });
		} catch (error) {
			problem = 'error' in attempt(() => readTls(situation.settings, request.cwd ?? '.', [])) ? undefined : error;
		}
	}
	return { finding: checkSecretStore(state, problem, hint), connection };
}

/** The way to the service, and what answers there. */
async function* examineService(
	invocation: Invocation,
	situation: Situation,
	url: URL,
	connection: ResolvedConnection | undefined,
): AsyncGenerator<Finding> {
	const { context } = invocation;
	const { settings } = situation;
	const timeoutMs = Math.min(settings.timeout * 1000, LONGEST_STEP_MS);
	const probes = createProbes(context.clock, timeoutMs);
	const settingsOfProxy = readProxies(context.env);
	const proxy = attempt(() => proxyFor(url.href, settingsOfProxy));
	if (typeof proxy === 'object' && 'error' in proxy) {
		yield failed('proxy', proxy.error);
		yield* skipAll(NETWORK.slice(1), 'the proxy can not be used');
		return;
	}
	const variable = proxyVariableOf(url);
	const value = variable === 'HTTPS_PROXY' ? settingsOfProxy.httpsProxy : settingsOfProxy.httpProxy;
	const tls = attempt(() => readTls(settings, context.cwd, []));
	const steps: [name: string, check: () => Promise<Finding>][] = [
		['proxy', () => checkProxy({ proxy, variable, isExempt: proxy === undefined && value !== undefined }, probes)],
		['dns', () => checkDns(url, proxy, isIP(bareHost(url)) !== 0, probes)],
		['tcp', () => checkTcp(url, proxy, probes)],
		['tls', async () => ('error' in tls ? failed('tls', tls.error) : checkTls({ url, proxy, tls }, probes))],
	];
	for (const [index, [name, check]] of steps.entries()) {
		const finding = await check();
		yield finding;
		if (finding.result !== 'fail') continue;
		yield* skipAll(NETWORK.slice(index + 1), `${name} failed`);
		return;
	}
	yield* examineAnswers(invocation, situation, url, connection, probes, timeoutMs, 'error' in tls ? {} : tls);
}

async function* examineAnswers(
	invocation: Invocation,
	situation: Situation,
	url: URL,
	connection: ResolvedConnection | undefined,
	probes: Probes,
	timeoutMs: number,
	tls: ResolvedConnection['tls'],
): AsyncGenerator<Finding> {
	const { settings } = situation;
	const baseUrl = url.href.replace(/\/+$/, '');
	const prefixes = prefixesOf(settings);
	const { allowHttp } = resolveBaseUrl(situation);
	const way = { timeoutMs, prefixes, tls, proxy: readProxies(invocation.context.env), allowHttp };
	const client = await openClient(invocation, { ...way, baseUrl, auth: { scheme: 'none' } }, 1);
	const root = `/${createDialect(prefixes).root}/v1`;
	try {
		const answer = await askRoot(client, root, probes);
		const target = { ...way, auth: connection?.auth ?? ({ scheme: 'none' } as const), username: settings.username };
		const ask = createAsk(invocation, target);
		const search = await findService(baseUrl, lookUp(target).path, ask);
		const prefix = checkPrefix({
			url: baseUrl + root,
			root: answer,
			search,
			otherPrefix: search.place.kind === 'elsewhere' ? await findOtherPrefix(client) : undefined,
			hasCertificate: url.protocol === 'https:' ? tls.cert !== undefined : undefined,
			proxyVariable: proxyFor(baseUrl, way.proxy) && proxyVariableOf(url),
			mendWith: mendWith(situation),
		});
		yield prefix;
		if (prefix.result === 'fail') yield skipped('credentials', 'prefix failed');
		else yield await examineCredentials(search.answer, connection, () => ask({ baseUrl, credentials: true }));
		yield checkClock(answer);
	} finally {
		await client.close();
	}
}

/** The variable that names the proxy for a URL. */
function proxyVariableOf({ protocol }: URL): 'HTTPS_PROXY' | 'HTTP_PROXY' {
	return protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
}

/** How the base URL is changed where it comes from. */
function mendWith({ sources, profileName }: Situation): string {
	const { from, name } = sources.baseUrl;
	if (from === 'environment') return `set ${name} to`;
	return from === 'flag' ? name : `supportctl profile set ${profileName} --base-url`;
}

async function examineCredentials(
	without: ProbeAnswer,
	connection: ResolvedConnection | undefined,
	ask: () => Promise<ProbeAnswer>,
): Promise<Finding> {
	if (connection === undefined) return skipped('credentials', 'there is no secret to try');
	const { auth } = connection;
	if (auth.scheme === 'none') return checkCredentials(without, undefined, '');
	return checkCredentials(without, await ask(), auth.scheme === 'basic' ? ` for ${auth.username}` : '');
}

/** The list of routes, which services give to anybody. */
async function askRoot(client: Client, path: string, probes: Probes): Promise<RootAnswer | undefined> {
	const sent = await client.send({ method: 'GET', path });
	if (sent.kind === 'problem') return undefined;
	const { status, headers } = sent.answer;
	const body = await jsonOf(sent);
	const date = Array.isArray(headers.date) ? headers.date[0] : headers.date;
	return { status, body, date, at: probes.now(), ms: sent.ms };
}

/** The JSON of a response, whatever its status. */
async function jsonOf(attempt: Attempt): Promise<unknown> {
	const response = await readResponse(attempt);
	return 'content' in response && response.content.kind === 'json' ? response.content.value : undefined;
}

/** Another word before `-api/v1` among those that the base URL says it serves. */
async function findOtherPrefix(client: Client): Promise<string | undefined> {
	const sent = await client.send({ method: 'GET', path: '' });
	if (sent.kind === 'problem') return undefined;
	const body = await jsonOf(sent);
	const namespaces = isObject(body) && Array.isArray(body.namespaces) ? body.namespaces : [];
	for (const each of namespaces) {
		const word = typeof each === 'string' ? /^([A-Za-z][\w-]*)-api\/v1$/.exec(each)?.[1] : undefined;
		if (word !== undefined) return word;
	}
	return undefined;
}
