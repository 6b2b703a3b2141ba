/** `doctor`: finds out, check by check, why the service can't be used, and what to do about it. */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isObject } from '../../api/values.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import { describeProblem, nextStepFor } from '../../http/problem.js';
import { readContent } from '../../http/response.js';
import { mayBeLoopback } from '../../net.js';
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
import { createProbe, exchange, findService, trySignIn } from '../probe.js';
import { isOwnTable, openResults, wantsJson } from '../results.js';
import { dialectFor, type Reach } from '../session.js';

export interface Finding {
	check: string;
	result: 'pass' | 'warn' | 'fail' | 'skipped';
	message: string;
	hint?: string | undefined;
}

/** What a check found, and the value that later checks need. */
type Found<Value = undefined> =
	| { result: 'fail'; message: string; hint: string }
	| { result: 'pass' | 'warn' | 'skipped'; message: string; hint?: string; value: Value };

const fail = (message: string, hint: string) => ({ result: 'fail', message, hint }) as const;

function pass<Value>(message: string, value: Value) {
	return { result: 'pass', message, value } as const;
}

function warn<Value>(message: string, hint: string, value: Value) {
	return { result: 'warn', message, hint, value } as const;
}

function skip<Value>(message: string, value: Value) {
	return { result: 'skipped', message, value } as const;
}

/** What a check came to: its value, or the check that failed first. */
type Checked<Value> = { value: Value } | { failed: string };

const START: Checked<undefined> = { value: undefined };

const LONGEST_STEP_MS = 10_000;

export const command = defineCommand({
	description:
		'Checks Node, settings, secret, proxy, DNS, TCP, TLS, the API and your credentials, and says how to fix what fails. Changes nothing. Exits 1 if a check fails.',
	examples: {
		'supportctl doctor': 'the current profile',
		'supportctl doctor --profile staging --json': 'a different profile, as JSON',
		'supportctl doctor --base-url https://desk.example.com/wp-json --username anna': 'before you sign in',
	},
	arguments: [],
	options: [...outputOptions, ...connectionOptions],
	async run(invocation) {
		const { context, options } = invocation;
		const palette = await paletteFor(invocation, 'stdout');
		const forPerson = isOwnTable(invocation);
		const results = await openResults(invocation, {
			keys: ['check', 'result', 'message', 'hint'],
			idOf: ({ check }) => check,
			columns: [
				{ path: 'result' },
				{ path: 'check' },
				{ path: 'message', important: true },
				{ path: 'hint', optional: true },
			],
		});
		const counts = { pass: 0, warn: 0, fail: 0, skipped: 0 };
		const report = async ({ check, result, message, hint }: Finding): Promise<void> => {
			counts[result]++;
			const finding = { check, result, message: redactUrl(message), hint: hint && redactUrl(hint) };
			if (!forPerson) return await results.row({ ...finding, hint: finding.hint ?? null });
			context.stdout.write(findingText(finding, helpWidth(context.stdout.columns), palette));
		};
		const unlisten = leaveOnSignal(invocation, 'nothing was changed');
		try {
			await examine(invocation, report);
		} finally {
			unlisten();
		}
		if (!forPerson) await results.end();
		if (options.quiet !== true && !wantsJson(options)) {
			const { fail, warn } = counts;
			const failed = fail > 0 ? [`${fail} ${fail === 1 ? 'check' : 'checks'} failed`] : [];
			const warned = warn > 0 ? [`${warn} ${warn === 1 ? 'warning' : 'warnings'}`] : [];
			context.stderr.write(`${[...failed, ...warned].join(', ') || 'no problems found'}\n`);
		}
		return counts.fail > 0 ? ExitCode.failed : ExitCode.ok;
	},
});

/** Makes every check in order; after a failure, those that depend on it are skipped. */
async function examine(invocation: Invocation, report: (finding: Finding) => Promise<void>): Promise<void> {
	const { clock } = invocation.context;
	/** @param fix the next step after an error that has none */
	async function check<Given, Value>(
		name: string,
		after: Checked<Given>,
		fix: string,
		look: (given: Given) => Found<Value> | Promise<Found<Value>>,
	): Promise<Checked<Value>> {
		if ('failed' in after) {
			await report({ check: name, ...skip(`${after.failed} failed`, undefined) });
			return after;
		}
		let found: Found<Value>;
		try {
			found = await look(after.value);
		} catch (error) {
			found = failure(error, fix);
		}
		await report({ check: name, ...found });
		return found.result === 'fail' ? { failed: name } : { value: found.value };
	}

	await check('node', START, '', () => checkNode(process.versions.node, engines));

	const config = await check('config', START, 'set SUPPORTCTL_CONFIG_DIR to a readable directory', () => {
		const { file, exists, store, warnings } = readStore(configFolder(invocation.context));
		if (!exists) return pass(`${file} not found: no profiles`, undefined);
		const count = Object.keys(store.profiles).length;
		if (warnings.length === 0) return pass(`${file}, ${count} ${count === 1 ? 'profile' : 'profiles'}`, undefined);
		const text = warnings.join('; ');
		return warn(text, text.match(/chmod [^;]+/g)?.join('; ') ?? 'make it your own file', undefined);
	});

	const profile = await check(
		'profile',
		config,
		'remove or change that setting (supportctl help profiles)',
		(): Found<Setup> => {
			const { env, cwd } = invocation.context;
			const setup = readSetup({ env, flags: connectionFlags(invocation.options), cwd });
			const { profileName, chosenBy, settings, sources } = setup;
			if (profileName !== undefined) {
				const by = chosenBy === 'current' ? 'the current one' : `from ${chosenBy}`;
				return pass(`"${profileName}", ${by}${settings.protected ? ', protected: writes need --confirm' : ''}`, setup);
			}
			if (settings.baseUrl === undefined) {
				return fail('no profile and no base URL', 'supportctl login, or try the local mock API: supportctl sandbox');
			}
			return pass(`none; the base URL comes from ${sources.baseUrl.name}`, setup);
		},
	);

	const address = await check(
		'base-url',
		profile,
		'use the part before /support-api/v1, such as https://desk.example.com/wp-json',
		(setup) => {
			const { url: baseUrl, warnings, allowHttp } = resolveBaseUrl(setup);
			const url = new URL(baseUrl);
			const value = { setup, baseUrl, url, allowHttp };
			const [warning] = warnings;
			if (warning !== undefined) return warn(warning, `${changeOf(setup)} ${shellWord(baseUrl)}`, value);
			const isOpen = url.protocol === 'http:' && !mayBeLoopback(url.hostname);
			return isOpen ? warn(`${baseUrl} sends credentials unencrypted`, 'use https://', value) : pass(baseUrl, value);
		},
	);

	const secret = await check('secret', address, 'sign in again: supportctl login', async ({ setup, baseUrl }) => {
		const found = await findAuth(setup, baseUrl);
		const { auth, secretSource } = found;
		if (auth.scheme === 'none') return pass('not needed (scheme none)', found);
		const from = secretSource.startsWith('SUPPORTCTL_') ? secretSource : `the ${secretSource}`;
		return pass(`${secretNoun(auth.scheme)} from ${from}`, found);
	});

	const route = await check(
		'proxy',
		address,
		'fix HTTPS_PROXY or HTTP_PROXY, or add the host to NO_PROXY',
		async (given) => {
			const { url, setup } = given;
			const timeoutMs = Math.min(setup.settings.timeout * 1000, LONGEST_STEP_MS);
			const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
			const { proxyFor } = await import('../../http/connection.js');
			const proxy = proxyFor(url.href, readProxies(setup.env));
			const value = { ...given, proxy, timeoutMs };
			if (proxy === undefined) return pass(`none (${variable} unset, or this host is local or in NO_PROXY)`, value);
			// Its user info may contain a password.
			const shown = `${proxy.protocol}//${proxy.host}, from ${variable}`;
			try {
				await connect(proxy, timeoutMs);
				return pass(shown, value);
			} catch (error) {
				const hint = `fix ${variable}, or add the service's host to NO_PROXY`;
				return fail(`can't reach ${shown}: ${describeProblem(error).message}`, hint);
			}
		},
	);

	const name = await check('dns', route, 'check the host name in the base URL, and your network', async (given) => {
		const host = bareHost(given.url);
		if (given.proxy !== undefined) return skip('the proxy resolves the name', given);
		if (isIP(host) !== 0) return skip(`${host} is an address`, given);
		const found = await lookup(host, { all: true }).catch((error: unknown) => {
			throw new Error(`${host}: ${describeProblem(error).message}`);
		});
		return pass(`${host} is ${[...new Set(found.map(({ address }) => address))].join(', ')}`, given);
	});

	const tcp = await check('tcp', name, 'check the port in the base URL, the service and firewalls', async (given) => {
		const { url, proxy, timeoutMs } = given;
		if (proxy !== undefined) return skip('the proxy connects', given);
		const started = clock.monotonic();
		const found = await connect(url, timeoutMs).catch((error: unknown) => {
			throw new Error(`${bareHost(url)} port ${portOf(url)}: ${describeProblem(error).message}`);
		});
		return pass(`connected to ${found} port ${portOf(url)} in ${Math.round(clock.monotonic() - started)} ms`, given);
	});

	const tls = await check(
		'tls',
		tcp,
		'check that --ca-file, --cert and --key point to readable PEM files',
		async (given) => {
			const { setup, baseUrl, url, allowHttp, proxy, timeoutMs } = given;
			const files = readTls(setup, []);
			const settings = { ...setup.settings, timeout: timeoutMs / 1000 };
			const auth = { scheme: 'none' } as const;
			const reach: Reach = { baseUrl, auth, settings, tls: files, proxy: readProxies(setup.env), allowHttp };
			const value = { setup, baseUrl, reach };
			if (url.protocol !== 'https:') return skip('the base URL is http://', value);
			let certificate: Certificate;
			try {
				certificate = await readCertificate(url, proxy, files, timeoutMs);
			} catch (error) {
				const { code, message } = describeProblem(error);
				return fail(`no TLS connection: ${message}`, nextStepFor(code) ?? nextStepFor('tls_failed') ?? '');
			}
			const found = checkCertificate(certificate, clock.now());
			return found.result === 'fail' ? found : { ...found, value };
		},
	);

	let date: ServiceDate | undefined;
	const service = await check('prefix', tls, 'try again later', async ({ setup, baseUrl, reach }) => {
		const read = async (path: string): Promise<Record<string, unknown>> => {
			const response = await exchange(invocation, reach, { method: 'GET', path });
			if (response.status === 0) return {};
			date ??= { header: response.headers.date, at: clock.now() };
			const content = readContent(response);
			return content.kind === 'json' && isObject(content.value) ? content.value : {};
		};
		const root = `/${dialectFor(setup.settings).root}/v1`;
		const { routes } = await read(root);
		const probe = createProbe(invocation, reach, setup.settings.username);
		const { without, problem } = await findService(baseUrl, probe, changeOf(setup));
		const value = { baseUrl, probe, without };
		if (isObject(routes)) return pass(`${baseUrl}${root} lists ${Object.keys(routes).length} routes`, value);
		if (problem === undefined) return pass(`${baseUrl}${root} responds`, value);
		const { namespaces } = problem.code === 'no_service' ? await read('') : {};
		const word = /"([A-Za-z][\w-]*)-api\/v1"/.exec(JSON.stringify(namespaces) ?? '')?.[1];
		return fail(problem.message, word ? `the service uses ${word}-api: pass --product-prefix ${word}` : problem.hint);
	});

	const signIn = 'failed' in secret ? secret : service;
	await check('credentials', signIn, 'try again later', async () => {
		if ('failed' in secret || 'failed' in service) return skip('not checked', undefined);
		const { auth, secretSource: source } = secret.value;
		const { probe, baseUrl, without } = service.value;
		const doubt = await trySignIn(probe, baseUrl, { auth, source }, without);
		if (doubt !== undefined) return warn(doubt.note, doubt.hint, undefined);
		if (auth.scheme === 'none') return pass('not needed', undefined);
		return pass(auth.scheme === 'basic' ? `accepted for ${auth.username}` : 'accepted', undefined);
	});

	await check('clock', tls, '', () => checkClock(date));
}

function failure(error: unknown, fix: string): Found<never> {
	if (!(error instanceof SupportctlError)) return fail(error instanceof Error ? error.message : String(error), fix);
	return fail([error.message, ...error.details].join('; '), error.hint || fix);
}

/** As wide as the longest names: `skipped`, `credentials`. */
const [RESULT, CHECK] = [9, 13];

/** A line, and more if it is long; below it what to do. Each ends in a line break. */
export function findingText({ check, result, message, hint }: Finding, width: number, palette: Palette): string {
	const style = result === 'skipped' ? palette.faint : outcomeStyle(palette, result);
	const room = width - RESULT - CHECK;
	const [first = '', ...rest] = wrap(sanitise(message), room);
	const hints = hint === undefined ? [] : wrap(`-> ${sanitise(hint)}`, room).map(palette.strong);
	const head = `${style(result.padEnd(RESULT))}${check.padEnd(CHECK)}${first}\n`;
	return head + [...rest, ...hints].map((line) => `${' '.repeat(RESULT + CHECK)}${line}\n`).join('');
}

/** What comes before a new base URL to set it in the right place. */
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
	if (!version.startsWith('20.')) return pass(`Node ${version}`, undefined);
	return warn(`Node ${version}: no security fixes for Node 20 since April 2026`, 'upgrade to Node 22 or 24', undefined);
}

/** Renewals that work renew earlier. */
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
	return days <= DAYS_TO_WARN ? warn(message, 'renew it', undefined) : pass(message, undefined);
}

/** The Date header of a response, and when it came, in milliseconds since 1970. */
export interface ServiceDate {
	header: unknown;
	at: number;
}

/** A header has whole seconds, and the network takes some time. */
const UNNOTICED_MS = 3_000;
const MOST_MS = 60_000;

export function checkClock(date: ServiceDate | undefined): Found {
	const theirs = Date.parse(String(date?.header));
	if (date === undefined || Number.isNaN(theirs)) return skip('the response has no date', undefined);
	const difference = date.at - theirs - 500;
	const size = Math.abs(difference);
	if (size <= UNNOTICED_MS) return pass('in sync with the service', undefined);
	const message = `this machine is ${duration(size)} ${difference > 0 ? 'ahead of' : 'behind'} the service`;
	if (size <= MOST_MS) return pass(message, undefined);
	return warn(message, 'set the clock that is wrong: certificates and journals depend on it', undefined);
}

/** `31 s`, `5 min`, `2 h`, `4 days`. */
function duration(ms: number): string {
	const seconds = ms / 1000;
	if (seconds < 114) return `${Math.round(seconds)} s`;
	if (seconds < 6840) return `${Math.round(seconds / 60)} min`;
	if (seconds < 164_160) return `${Math.round(seconds / 3600)} h`;
	return `${Math.round(seconds / 86_400)} days`;
}
