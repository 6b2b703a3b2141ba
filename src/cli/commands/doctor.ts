/** `doctor`: finds out, check by check, why the service can't be used. */

import { isIP } from 'node:net';
import { counted } from '../../api/names.js';
import { isObject } from '../../api/values.js';
import { ExitCode, FailedError, SupportctlError } from '../../errors.js';
import { mayBeLoopback, type ProxySettings, usernameOf } from '../../net.js';
import { openPalette, type Palette, type StyleName } from '../../output/colour.js';
import { redactUrl } from '../../output/redact.js';
import { sanitise } from '../../output/sanitise.js';
import { findService, trySignIn } from '../../profile/probe.js';
import {
	describeSecret,
	findAuth,
	readProxies,
	readSetup,
	readTls,
	resolveBaseUrl,
	type Setup,
} from '../../profile/resolve.js';
import { configFolder, shellWord } from '../../profile/settings.js';
import { readStore } from '../../profile/store.js';
import { defineCommand, type Invocation } from '../command.js';
import { leaveOnSignal } from '../interruption.js';
import { say } from '../notices.js';
import { connectionOptions, outputOptions } from '../options/shared.js';
import { isOwnTable, openResults, type ResultShape } from '../results.js';
import { examineRights } from '../rights.js';
import { createProbe, dialectFor, type Reach, sendOnce } from '../session.js';
import { helpWidth, wrap } from '../wrap.js';

export interface Finding {
	check: string;
	result: 'pass' | 'warn' | 'fail' | 'skipped';
	message: string;
	hint: string | null;
}

type Found = Omit<Finding, 'check'>;

const fail = (message: string, hint: string): Found => ({ result: 'fail', message, hint });
const warn = (message: string, hint: string): Found => ({ result: 'warn', message, hint });
const pass = (message: string): Found => ({ result: 'pass', message, hint: null });
const skip = (message: string): Found => ({ result: 'skipped', message, hint: null });

/** In this order, each with the next step after an error that has none. */
const CHECKS = {
	node: '',
	config: 'set SUPPORTCTL_CONFIG_DIR to a readable directory',
	profile: 'remove or change that setting (supportctl help profiles)',
	'base-url': 'use the part before /support-api/v1, such as https://desk.example.com/wp-json',
	secret: 'sign in again: supportctl login',
	proxy: 'fix HTTPS_PROXY or HTTP_PROXY, or add the host to NO_PROXY',
	dns: '',
	tcp: '',
	tls: '',
	prefix: '',
	credentials: 'try again later',
	rights: 'try again later',
};

type Check = keyof typeof CHECKS;

const checkNames = Object.keys(CHECKS) as Check[];

const LONGEST_STEP_S = 10;

const ASK_FOR_RIGHTS = 'for more, ask an administrator of the help desk, or use a different account';

export const command = defineCommand({
	arguments: [],
	options: [...outputOptions, ...connectionOptions],
	async run(invocation) {
		const { stdout } = invocation.context;
		const palette = await openPalette(invocation.context, stdout);
		const results = isOwnTable(invocation) ? undefined : await openResults(invocation, SHAPE);
		const counts = { pass: 0, warn: 0, fail: 0, skipped: 0 };
		leaveOnSignal(invocation, 'nothing was changed');
		for await (const finding of findings(invocation)) {
			counts[finding.result]++;
			if (results !== undefined) await results.row(finding);
			else stdout.write(findingText(finding, helpWidth(stdout.columns), palette));
		}
		await results?.end();
		const problems: string[] = [];
		if (counts.fail > 0) problems.push(`${counted(counts.fail, 'check')} failed`);
		if (counts.warn > 0) problems.push(counted(counts.warn, 'warning'));
		say(invocation, problems.join(', ') || 'no problems found');
		return counts.fail > 0 ? ExitCode.failed : ExitCode.ok;
	},
});

const KEYS = ['result', 'check', 'message', 'hint'];
/** Columns that are known let each check be printed when it is made. */
const SHAPE: ResultShape = { columns: KEYS.map((path) => ({ path })), keys: KEYS, idOf: ({ check }) => check };

/** One for each check; after an error the other checks are skipped. */
async function* findings(invocation: Invocation): AsyncGenerator<Finding> {
	const open = new Set(checkNames);
	try {
		for await (const [check, found] of examine(invocation)) {
			open.delete(check);
			yield findingOf(check, found);
		}
	} catch (error) {
		const [failed, ...skipped] = open;
		if (failed === undefined) throw error;
		yield findingOf(failed, failure(error, CHECKS[failed]));
		for (const check of skipped) yield findingOf(check, skip(`${failed} failed`));
		return;
	}
	if (open.size > 0) throw new Error(`doctor doesn't make its check "${[...open].join('", "')}"`);
}

function findingOf(check: Check, { result, message, hint }: Found): Finding {
	return { result, check, message: redactUrl(message), hint: hint && redactUrl(hint) };
}

function failure(error: unknown, nextStep: string): Found {
	if (!(error instanceof SupportctlError)) return fail(String(error), nextStep);
	const hint = (error.hint || nextStep).replace(/[,;] or run: supportctl doctor$/, '');
	return fail([error.message, ...error.details].join('; '), hint);
}

/** In the order of the table; an error is about the first check that is open. */
async function* examine(invocation: Invocation): AsyncGenerator<[Check, Found], void> {
	const { context, options } = invocation;
	yield ['node', checkNode(process.versions.node)];
	yield ['config', checkConfig(readStore(configFolder(context)))];

	const setup = readSetup(context, options);
	const { settings } = setup;
	const { tls, warnings: ofKey } = readTls(setup);
	yield ['profile', pass(describeChoice(setup))];
	const { url, warnings, allowHttp } = resolveBaseUrl(setup);
	yield ['base-url', checkBaseUrl(url, [...warnings, ...ofKey])];
	const signIn = await findAuth(setup, url).catch((error: unknown) => failure(error, CHECKS.secret));
	// The service can be examined without a secret.
	const { setting, value, source } = describeSecret(setup);
	yield ['secret', 'auth' in signIn ? pass(value === 'set' ? `${setting} from ${source}` : value) : signIn];

	const proxy = readProxies(setup.env);
	const timeout = Math.min(settings.timeout, LONGEST_STEP_S);
	const reach = { baseUrl: url, settings: { ...settings, timeout }, tls, proxy, allowHttp };
	const probe = createProbe(invocation, reach);
	const { without, found, problem } = await findService(url, probe);
	yield* examineWay(url, proxy, problem);
	if (problem !== undefined) {
		throw new FailedError(problem.message, { hint: await hintFor(invocation, setup, reach, problem, found) });
	}
	yield ['prefix', pass(`${url}/${dialectFor(settings).root}/v1 responds`)];
	if (!('auth' in signIn)) {
		yield ['credentials', skip('secret failed')];
		yield ['rights', skip('secret failed')];
		return;
	}

	const { auth } = signIn;
	const username = usernameOf(auth);
	const doubt = await trySignIn(probe, url, signIn, without);
	const accepted = username === undefined ? 'accepted' : `accepted for ${username}`;
	const allowed = pass(auth.scheme === 'none' ? 'not needed' : accepted);
	yield ['credentials', doubt === undefined ? allowed : warn(doubt.note, doubt.hint)];

	const dialect = dialectFor(settings);
	const { says, isLimited } = await examineRights(
		(request) => sendOnce(invocation, { ...reach, auth }, request),
		dialect,
	);
	yield ['rights', isLimited ? warn(says.join('; '), ASK_FOR_RIGHTS) : pass(says.join('; '))];
}

function checkConfig({ file, exists, store, warnings }: ReturnType<typeof readStore>): Found {
	const count = Object.keys(store.profiles).length;
	if (warnings.length > 0) return warn(warnings.join('; '), `chmod 600 ${shellWord(file)}`);
	return pass(exists ? `${file}, ${counted(count, 'profile')}` : `${file} not found: no profiles`);
}

function describeChoice({ profileName, chosenBy, settings, sources }: Setup): string {
	if (profileName !== undefined) {
		const by = chosenBy === 'current' ? 'the current one' : `from ${chosenBy}`;
		return `"${profileName}", ${by}${settings.protected ? ', protected: writes need --confirm' : ''}`;
	}
	if (settings.baseUrl !== undefined) return `none; the base URL comes from ${sources.baseUrl.name}`;
	const hint = 'supportctl login, or try the local mock API: supportctl sandbox';
	throw new FailedError('no profile and no base URL', { hint });
}

function checkBaseUrl(baseUrl: string, [warning]: readonly string[]): Found {
	if (warning !== undefined) return warn(warning, `change the base URL to ${baseUrl}`);
	const { protocol, hostname } = new URL(baseUrl);
	if (protocol === 'https:' || mayBeLoopback(hostname)) return pass(baseUrl);
	return warn(`${baseUrl} sends credentials unencrypted`, 'use https://');
}

/** By the problem of the first request: where did it fail? */
async function* examineWay(
	baseUrl: string,
	proxies: ProxySettings,
	problem: FailedError | undefined,
): AsyncGenerator<[Check, Found], void> {
	const { protocol, hostname } = new URL(baseUrl);
	const isHttp = protocol === 'http:';
	const variable = isHttp ? 'HTTP_PROXY' : 'HTTPS_PROXY';
	const { proxyFor } = await import('../../http/connection.js');
	const proxy = proxyFor(baseUrl, proxies);
	const through = (code: RegExp, found: Found): Found => {
		if (problem === undefined || !code.test(problem.code)) return found;
		throw problem;
	};
	if (proxy === undefined) {
		yield ['proxy', pass(`none (${variable} unset, or this host is local or in NO_PROXY)`)];
		const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
		const named = isAddress ? skip(`${hostname} is an address`) : pass(`${hostname} found`);
		yield ['dns', through(/^dns_/, named)];
		yield ['tcp', through(/^connect_|^unreachable$|^not_loopback$/, pass('connected'))];
	} else {
		// Its user info may contain a password.
		yield ['proxy', through(/^proxy_|^http_407$/, pass(`${proxy.protocol}//${proxy.host}, from ${variable}`))];
		yield ['dns', skip('the proxy resolves the name')];
		yield ['tcp', skip('the proxy connects')];
	}
	const isLost = problem?.code === 'connection_lost';
	const why = isHttp ? 'the base URL is http://' : 'the connection was lost';
	yield ['tls', through(/^tls_/, isHttp || isLost ? skip(why) : pass('the certificate is trusted'))];
}

/** Names what would work: the place of the service, or what the deployment calls its API, if not "support". */
async function hintFor(
	invocation: Invocation,
	{ profileName, sources }: Setup,
	reach: Omit<Reach, 'auth'>,
	{ code, hint }: FailedError,
	found: string | undefined,
): Promise<string | undefined> {
	if (found !== undefined && sources.baseUrl.from === 'profile') {
		return `found the API at ${found}: supportctl profile set ${profileName} --base-url ${shellWord(found)}`;
	}
	if (code !== 'no_service') return hint;
	const endpoint = { returns: 'any', replay: 'read' } as const;
	const request = { method: 'GET', path: '', endpoint };
	const { body } = await sendOnce(invocation, { ...reach, auth: { scheme: 'none' } }, request);
	const namespaces = isObject(body) ? body.namespaces : undefined;
	const word = /"([A-Za-z][\w-]*)-api\/v1"/.exec(JSON.stringify(namespaces) ?? '')?.[1];
	return word === undefined ? hint : `the service uses ${word}-api: pass --product-prefix ${word}`;
}

/** As wide as the longest names: `skipped`, `credentials`. */
const [RESULT, CHECK] = [9, 13];

const styles: Record<Finding['result'], StyleName> = { pass: 'good', warn: 'doubtful', fail: 'bad', skipped: 'faint' };

/** A line, or more if it is long; below it what to do. */
export function findingText({ check, result, message, hint }: Finding, width: number, palette: Palette): string {
	const style = palette[styles[result]];
	const room = width - RESULT - CHECK;
	const [first = '', ...rest] = wrap(sanitise(message), room);
	const hints = hint === null ? [] : wrap(`-> ${sanitise(hint)}`, room).map(palette.strong);
	const head = `${style(result.padEnd(RESULT))}${check.padEnd(CHECK)}${first}\n`;
	return head + [...rest, ...hints].map((line) => `${' '.repeat(RESULT + CHECK)}${line}\n`).join('');
}

export function checkNode(version: string): Found {
	if (Number.parseInt(version, 10) >= 22) return pass(`Node ${version}`);
	return warn(`Node ${version}: no security fixes since April 2026`, 'upgrade to Node 22 or 24');
}
