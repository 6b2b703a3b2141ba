/** `doctor`: finds out, check by check, why the service can't be used. */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { plural } from '../../api/names.js';
import { isObject } from '../../api/values.js';
import { ExitCode, FailedError, SupportctlError } from '../../errors.js';
import { describeProblem, nextStepFor } from '../../http/problem.js';
import { mayBeLoopback, type TlsFiles } from '../../net.js';
import { outcomeStyle, type Palette } from '../../output/colour.js';
import { redactUrl } from '../../output/redact.js';
import { sanitise } from '../../output/sanitise.js';
import { findAuth, readProxies, readSetup, readTls, resolveBaseUrl, type Setup } from '../../profile/resolve.js';
import { secretNoun } from '../../profile/secrets.js';
import { configFolder, shellWord } from '../../profile/settings.js';
import { readStore } from '../../profile/store.js';
import { engines } from '../../version.js';
import { defineCommand, type Invocation } from '../command.js';
import { helpWidth, wrap } from '../help/page.js';
import { leaveOnSignal } from '../interruption.js';
import { bareHost, type Certificate, connect, portOf, readCertificate } from '../network.js';
import { paletteFor } from '../notices.js';
import { connectionFlags, connectionOptions, outputOptions } from '../options/shared.js';
import { ask, createProbe, findService, trySignIn } from '../probe.js';
import { isOwnTable, openResults, type ResultShape, wantsJson } from '../results.js';
import { dialectFor, type Reach } from '../session.js';

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
	dns: 'check the host name in the base URL, and your network',
	tcp: 'check the port in the base URL, the service and firewalls',
	tls: 'check that --ca-file, --cert and --key point to readable PEM files',
	prefix: 'try again later',
	credentials: 'try again later',
};

const LONGEST_STEP_MS = 10_000;

export const command = defineCommand({
	arguments: [],
	options: [...outputOptions, ...connectionOptions],
	async run(invocation) {
		const { context, options } = invocation;
		const palette = await paletteFor(invocation, 'stdout');
		const results = isOwnTable(invocation) ? undefined : await openResults(invocation, SHAPE);
		const counts = { pass: 0, warn: 0, fail: 0, skipped: 0 };
		const unlisten = leaveOnSignal(invocation, 'nothing was changed');
		try {
			for await (const finding of findings(invocation)) {
				counts[finding.result]++;
				if (results !== undefined) await results.row(finding);
				else context.stdout.write(findingText(finding, helpWidth(context.stdout.columns), palette));
			}
		} finally {
			unlisten();
		}
		await results?.end();
		if (options.quiet !== true && !wantsJson(options)) {
			const failed = counts.fail > 0 ? [`${counts.fail} ${plural('check', counts.fail)} failed`] : [];
			const warned = counts.warn > 0 ? [`${counts.warn} ${plural('warning', counts.warn)}`] : [];
			context.stderr.write(`${[...failed, ...warned].join(', ') || 'no problems found'}\n`);
		}
		return counts.fail > 0 ? ExitCode.failed : ExitCode.ok;
	},
});

const SHAPE: ResultShape = {
	keys: ['check', 'result', 'message', 'hint'],
	idOf: ({ check }) => check,
	columns: [
		{ path: 'result' },
		{ path: 'check' },
		{ path: 'message', important: true },
		{ path: 'hint', optional: true },
	],
};

/** One for each check; after an error the other checks are skipped. */
async function* findings(invocation: Invocation): AsyncGenerator<Finding> {
	const found = examine(invocation);
	let failed: string | undefined;
	for (const [check, nextStep] of Object.entries(CHECKS)) {
		let finding = skip(`${failed} failed`);
		if (failed === undefined) {
			try {
				finding = (await found.next()).value as Found;
			} catch (error) {
				failed = check;
				finding = failure(error, nextStep);
			}
		}
		const { result, message, hint } = finding;
		yield { check, result, message: redactUrl(message), hint: hint && redactUrl(hint) };
	}
}

function failure(error: unknown, nextStep: string): Found {
	if (!(error instanceof SupportctlError)) return fail(messageOf(error), nextStep);
	return fail([error.message, ...error.details].join('; '), error.hint || nextStep);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Yields the finding of each check in turn. */
async function* examine(invocation: Invocation): AsyncGenerator<Found, void> {
	yield checkNode(process.versions.node, engines);
	const setup = yield* examineSettings(invocation);
	const place = resolveBaseUrl(setup);
	yield checkBaseUrl(setup, place);
	let signIn: Awaited<ReturnType<typeof findAuth>> | undefined;
	try {
		signIn = await findAuth(setup, place.url);
		yield pass(describeSignIn(signIn));
	} catch (error) {
		// The service can be examined without it.
		yield failure(error, CHECKS.secret);
	}
	const reach = yield* examineNetwork(invocation, setup, place);
	const probe = createProbe(invocation, reach, setup.settings.username);
	const { without, problem } = await findService(place.url, probe, changeOf(setup));
	if (problem !== undefined) {
		const word = problem.code === 'no_service' ? await findPrefix(invocation, reach) : undefined;
		const hint = word ? `the service uses ${word}-api: pass --product-prefix ${word}` : problem.hint;
		throw new FailedError(problem.message, { hint });
	}
	yield pass(`${place.url}/${dialectFor(setup.settings).root}/v1 responds`);
	if (signIn === undefined) return yield skip('secret failed');
	const { auth, secretSource: source } = signIn;
	const doubt = await trySignIn(probe, place.url, { auth, source }, without);
	if (doubt !== undefined) yield warn(doubt.note, doubt.hint);
	else if (auth.scheme === 'none') yield pass('not needed');
	else yield pass(auth.scheme === 'basic' ? `accepted for ${auth.username}` : 'accepted');
}

async function* examineSettings({ context, options }: Invocation): AsyncGenerator<Found, Setup> {
	const { file, exists, store, warnings } = readStore(configFolder(context));
	const count = Object.keys(store.profiles).length;
	if (warnings.length > 0) {
		yield warn(warnings.join('; '), `chmod 600 ${shellWord(file)}`);
	} else if (exists) yield pass(`${file}, ${count} ${plural('profile', count)}`);
	else yield pass(`${file} not found: no profiles`);

	const setup = readSetup({ env: context.env, flags: connectionFlags(options), cwd: context.cwd });
	const { profileName, chosenBy, settings, sources } = setup;
	if (profileName !== undefined) {
		const by = chosenBy === 'current' ? 'the current one' : `from ${chosenBy}`;
		yield pass(`"${profileName}", ${by}${settings.protected ? ', protected: writes need --confirm' : ''}`);
	} else if (settings.baseUrl !== undefined) {
		yield pass(`none; the base URL comes from ${sources.baseUrl.name}`);
	} else {
		const hint = 'supportctl login, or try the local mock API: supportctl sandbox';
		throw new FailedError('no profile and no base URL', { hint });
	}
	return setup;
}

type Place = ReturnType<typeof resolveBaseUrl>;

function checkBaseUrl(setup: Setup, { url: baseUrl, warnings }: Place): Found {
	const [warning] = warnings;
	if (warning !== undefined) return warn(warning, `${changeOf(setup)} ${shellWord(baseUrl)}`);
	const { protocol, hostname } = new URL(baseUrl);
	if (protocol === 'https:' || mayBeLoopback(hostname)) return pass(baseUrl);
	return warn(`${baseUrl} sends credentials unencrypted`, 'use https://');
}

function describeSignIn({ auth, secretSource }: Awaited<ReturnType<typeof findAuth>>): string {
	if (auth.scheme === 'none') return 'not needed (scheme none)';
	const from = secretSource.startsWith('SUPPORTCTL_') ? secretSource : `the ${secretSource}`;
	return `${secretNoun(auth.scheme)} from ${from}`;
}

/** @returns how to reach the service; without a response, each step ends soon */
async function* examineNetwork(
	{ context: { clock } }: Invocation,
	setup: Setup,
	{ url: baseUrl, allowHttp }: Place,
): AsyncGenerator<Found, Omit<Reach, 'auth'>> {
	const { settings, env } = setup;
	const url = new URL(baseUrl);
	const host = bareHost(url);
	const timeoutMs = Math.min(settings.timeout * 1000, LONGEST_STEP_MS);
	const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
	const { proxyFor } = await import('../../http/connection.js');
	const proxies = readProxies(env);
	const proxy = proxyFor(baseUrl, proxies);
	if (proxy === undefined) {
		yield pass(`none (${variable} unset, or this host is local or in NO_PROXY)`);
		yield isIP(host) === 0 ? await lookUp(host) : skip(`${host} is an address`);
		const started = clock.monotonic();
		const address = await reachHost(url, timeoutMs, `${host} port ${portOf(url)}: `);
		yield pass(`connected to ${address} port ${portOf(url)} in ${Math.round(clock.monotonic() - started)} ms`);
	} else {
		// Its user info may contain a password.
		const shown = `${proxy.protocol}//${proxy.host}, from ${variable}`;
		await reachHost(proxy, timeoutMs, `can't reach ${shown}: `);
		yield pass(shown);
		yield skip('the proxy resolves the name');
		yield skip('the proxy connects');
	}

	const tls = readTls(setup, []);
	if (url.protocol === 'http:') yield skip('the base URL is http://');
	else if (proxy !== undefined) yield skip('the proxy connects');
	else yield checkCertificate(await reachCertificate(url, tls, timeoutMs), clock.now());
	return { baseUrl, settings: { ...settings, timeout: timeoutMs / 1000 }, tls, proxy: proxies, allowHttp };
}

async function reachCertificate(url: URL, tls: TlsFiles, timeoutMs: number): Promise<Certificate> {
	return readCertificate(url, tls, timeoutMs).catch((error: unknown) => {
		const { code, message } = describeProblem(error);
		throw new FailedError(`no TLS connection: ${message}`, { hint: nextStepFor(code) ?? nextStepFor('tls_failed') });
	});
}

async function lookUp(host: string): Promise<Found> {
	const found = await lookup(host, { all: true }).catch((error: unknown) => {
		throw new Error(`${host}: ${describeProblem(error).message}`);
	});
	return pass(`${host} is ${[...new Set(found.map(({ address }) => address))].join(', ')}`);
}

/** @param what begins the message of an error @returns its address */
async function reachHost(url: URL, timeoutMs: number, what: string): Promise<string> {
	const socket = await connect(url, timeoutMs).catch((error: unknown) => {
		throw new Error(what + describeProblem(error).message);
	});
	const { remoteAddress = bareHost(url) } = socket;
	socket.destroy();
	return remoteAddress;
}

/** What a deployment calls its API, where it isn't "support". */
async function findPrefix(invocation: Invocation, reach: Omit<Reach, 'auth'>): Promise<string | undefined> {
	const endpoint = { returns: 'any', replay: 'read' } as const;
	const request = { method: 'GET', path: '', endpoint };
	const { body } = await ask(invocation, { ...reach, auth: { scheme: 'none' } }, request);
	const namespaces = isObject(body) ? body.namespaces : undefined;
	return /"([A-Za-z][\w-]*)-api\/v1"/.exec(JSON.stringify(namespaces) ?? '')?.[1];
}

/** As wide as the longest names: `skipped`, `credentials`. */
const [RESULT, CHECK] = [9, 13];

export function findingText({ check, result, message, hint }: Finding, width: number, palette: Palette): string {
	const style = result === 'skipped' ? palette.faint : outcomeStyle(palette, result);
	const room = width - RESULT - CHECK;
	const [first = '', ...rest] = wrap(sanitise(message), room);
	const hints = hint === null ? [] : wrap(`-> ${sanitise(hint)}`, room).map(palette.strong);
	const head = `${style(result.padEnd(RESULT))}${check.padEnd(CHECK)}${first}\n`;
	return head + [...rest, ...hints].map((line) => `${' '.repeat(RESULT + CHECK)}${line}\n`).join('');
}

/** What a new base URL is put behind. */
function changeOf({ sources, profileName }: Setup): string {
	const { from, name } = sources.baseUrl;
	if (from === 'environment') return `set ${name} to`;
	return from === 'flag' ? name : `supportctl profile set ${profileName} --base-url`;
}

/** @param required as in package.json: `>=20.18.1` */
export function checkNode(version: string, required: string): Found {
	const least = required.replace(/^>=/, '');
	if (version.localeCompare(least, 'en', { numeric: true }) < 0) {
		return fail(`Node ${version} is too old`, `install Node ${least} or later`);
	}
	if (!version.startsWith('20.')) return pass(`Node ${version}`);
	return warn(`Node ${version}: no security fixes for Node 20 since April 2026`, 'upgrade to Node 22 or 24');
}

/** Renewals that work renew earlier. */
const DAYS_TO_WARN = 14;

/** @throws FailedError if it isn't trusted */
export function checkCertificate({ protocol, subject, issuer, validTo, problem }: Certificate, now: number): Found {
	const until = new Date(validTo).toISOString().slice(0, 10);
	const certificate = `certificate for ${subject} from ${issuer}, valid until ${until}`;
	if (problem !== undefined) {
		const hint = nextStepFor(problem.code) ?? "check this machine's clock and the host's certificate";
		throw new FailedError(`${problem.message} (${certificate})`, { hint });
	}
	const days = Math.floor((validTo - now) / 86_400_000);
	const message = `${protocol}, ${certificate} (${days} ${plural('day', days)} left)`;
	return days <= DAYS_TO_WARN ? warn(message, 'renew it') : pass(message);
}
