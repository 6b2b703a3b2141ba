/** `doctor`: finds out, step by step, why the service can't be used, and says what to do about it. */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isObject } from '../../api/values.js';
import { ExitCode } from '../../errors.js';
import { describeProblem, nextStepFor } from '../../http/problem.js';
import { type Auth, mayBeLoopback } from '../../net.js';
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
import { createProbe, exchange, findService, type Probe, type Probed, trySignIn } from '../probe.js';
import { isOwnTable, openResults, wantsJson } from '../results.js';
import { dialectFor, type Reach } from '../session.js';

export interface Finding {
	check: string;
	result: 'pass' | 'warn' | 'fail' | 'skipped';
	message: string;
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
	setup: Setup;
	baseUrl: string;
	url: URL;
	/** Whether credentials may travel unencrypted to another machine. */
	allowHttp: boolean;
	/** The variable that names a proxy for the base URL. */
	variable: 'HTTPS_PROXY' | 'HTTP_PROXY';
	proxy: URL | undefined;
	timeoutMs: number;
	reach: Reach;
	auth: Auth;
	/** The secret's variable, or where it is stored. */
	secretSource: string;
	probe: Probe;
	/** The response without credentials. */
	without: Probed;
	/** The Date header of a response, and when it came, in milliseconds since 1970. */
	date: { header: unknown; at: number } | undefined;
}

export interface Check {
	name: string;
	/** Checks without which this one can't be made. */
	needs: readonly string[];
	/** The next step after an error that names none. */
	fix: string;
	/** What it throws is a failed check. */
	look(facts: Facts): Found | Promise<Found>;
}

const LONGEST_STEP_MS = 10_000;

export const checks: readonly Check[] = [
	{
		name: 'node',
		needs: [],
		fix: '',
		look: () => checkNode(process.versions.node, engines),
	},
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
			const { env, cwd } = facts.invocation.context;
			facts.setup = readSetup({ env, flags: connectionFlags(facts.invocation.options), cwd });
			const { profileName, chosenBy, settings, sources } = facts.setup;
			if (profileName !== undefined) {
				const by = chosenBy === 'current' ? 'the current one' : `named by ${chosenBy}`;
				return `"${profileName}", ${by}${settings.protected ? ', protected: writes need --confirm' : ''}`;
			}
			if (settings.baseUrl !== undefined) return `none; the base URL comes from ${sources.baseUrl.name}`;
			const hint = 'supportctl login signs in; supportctl sandbox runs a local mock API';
			return fail('none is in use, and no base URL is given', hint);
		},
	},
	{
		name: 'base-url',
		needs: ['profile'],
		fix: 'write the part before /support-api/v1, for instance https://desk.example.com/wp-json',
		look(facts) {
			const { url, warnings, allowHttp } = resolveBaseUrl(facts.setup);
			Object.assign(facts, { baseUrl: url, url: new URL(url), allowHttp });
			const { protocol, hostname } = facts.url;
			const [warning] = warnings;
			if (warning !== undefined) return warn(warning, `store it without: ${changeOf(facts.setup)} ${shellWord(url)}`);
			const isOpen = protocol === 'http:' && !mayBeLoopback(hostname);
			return isOpen ? warn(`${url} sends credentials unencrypted`, 'use https:// where the service has it') : url;
		},
	},
	{
		name: 'secret',
		needs: ['base-url'],
		fix: 'supportctl login stores another one; supportctl help environment names the variables that hold one',
		async look(facts) {
			const { auth, secretSource } = await findAuth(facts.setup, facts.baseUrl);
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
			const { url, setup } = facts;
			facts.timeoutMs = Math.min(setup.settings.timeout * 1000, LONGEST_STEP_MS);
			facts.variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
			const { proxyFor } = await import('../../http/connection.js');
			facts.proxy = proxyFor(url.href, readProxies(setup.env));
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
			const { url, baseUrl, allowHttp, proxy, timeoutMs, setup, invocation } = facts;
			const tls = readTls(setup, []);
			const settings = { ...setup.settings, timeout: timeoutMs / 1000 };
			facts.reach = { baseUrl, auth: { scheme: 'none' }, settings, tls, proxy: readProxies(setup.env), allowHttp };
			if (url.protocol !== 'https:') return skip('the base URL is http://');
			try {
				return checkCertificate(await readCertificate(url, proxy, tls, timeoutMs), invocation.context.clock.now());
			} catch (error) {
				const { code, message } = describeProblem(error);
				return fail(`no TLS connection: ${message}`, nextStepFor(code) ?? (nextStepFor('tls_failed') as string));
			}
		},
	},
	{
		name: 'prefix',
		needs: ['tls'],
		fix: 'try again later',
		async look(facts) {
			const { setup, baseUrl, reach } = facts;
			const root = `/${dialectFor(setup.settings).root}/v1`;
			const { routes } = await readJson(facts, root);
			facts.probe = createProbe(facts.invocation, reach, setup.settings.username);
			const { without, problem } = await findService(baseUrl, facts.probe, changeOf(setup));
			facts.without = without;
			if (isObject(routes)) return `${baseUrl}${root} lists ${Object.keys(routes).length} routes`;
			if (problem === undefined) return `${baseUrl}${root} responds`;
			const { namespaces } = problem.code === 'no_service' ? await readJson(facts, '') : {};
			const word = /"([A-Za-z][\w-]*)-api\/v1"/.exec(JSON.stringify(namespaces) ?? '')?.[1];
			return fail(problem.message, word ? `the service has ${word}-api: --product-prefix ${word}` : problem.hint);
		},
	},
	{
		name: 'credentials',
		needs: ['secret', 'prefix'],
		fix: 'try again later',
		async look({ auth, probe, baseUrl, without, secretSource }) {
			const doubt = await trySignIn(probe, baseUrl, { auth, source: secretSource }, without);
			if (doubt !== undefined) return warn(doubt.note, doubt.hint);
			if (auth.scheme === 'none') return 'none are sent, and the service requires none';
			return auth.scheme === 'basic' ? `accepted for ${auth.username}` : 'accepted';
		},
	},
	{ name: 'clock', needs: ['tls'], fix: '', look: ({ date }) => checkClock(date) },
];

export const command = defineCommand({
	description: [
		`The checks are ${new Intl.ListFormat('en-GB').format(checks.map(({ name }) => name))}; after a failure, the checks that depend on it are skipped.`,
		'Nothing is changed, and no secret is printed. The exit code is 1 if any check fails.',
	].join('\n\n'),
	examples: {
		'supportctl doctor': 'the current profile',
		'supportctl doctor --profile staging --json': 'another one, for a program',
		'supportctl doctor --base-url https://desk.example.com/wp-json --username anna': 'before signing in',
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
		const facts = { invocation } as unknown as Facts;
		/** The check that failed, by each that failed or depends on it. */
		const causes = new Map<string, string>();
		const unlisten = leaveOnSignal(invocation, 'nothing was changed');
		try {
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
				const { result, message, hint }: Omit<Finding, 'check'> =
					typeof found === 'string' ? { result: 'pass', message: found } : found;
				if (cause !== undefined || result === 'fail') causes.set(name, cause ?? name);
				counts[result]++;
				const finding = { check: name, result, message: redactUrl(message), hint: hint && redactUrl(hint) };
				if (forPerson) context.stdout.write(findingText(finding, helpWidth(context.stdout.columns), palette));
				else await results.row({ ...finding, hint: finding.hint ?? null });
			}
		} finally {
			unlisten();
		}
		if (!forPerson) await results.end();
		if (options.quiet !== true && !wantsJson(options)) {
			const { fail, warn } = counts;
			const failed = fail > 0 ? [`${fail} ${fail === 1 ? 'check' : 'checks'} failed`] : [];
			const warned = warn > 0 ? [`${warn} ${warn === 1 ? 'warning' : 'warnings'}`] : [];
			context.stderr.write(`${[...failed, ...warned].join(', ') || 'nothing is wrong'}\n`);
		}
		return counts.fail > 0 ? ExitCode.failed : ExitCode.ok;
	},
});

/** As wide as the longest names: `skipped`, `credentials`. */
const [RESULT, CHECK] = [9, 13];

/** A line, and more where it is long; below it what to do. Each ends in a line break. */
export function findingText({ check, result, message, hint }: Finding, width: number, palette: Palette): string {
	const style = result === 'skipped' ? palette.faint : outcomeStyle(palette, result);
	const room = width - RESULT - CHECK;
	const [first = '', ...rest] = wrap(sanitise(message), room);
	const hints = hint === undefined ? [] : wrap(`-> ${sanitise(hint)}`, room).map(palette.strong);
	const head = `${style(result.padEnd(RESULT))}${check.padEnd(CHECK)}${first}\n`;
	return head + [...rest, ...hints].map((line) => `${' '.repeat(RESULT + CHECK)}${line}\n`).join('');
}

/** What comes before a base URL to use it where the present one is from. */
function changeOf({ sources, profileName }: Setup): string {
	const { from, name } = sources.baseUrl;
	if (from === 'environment') return `set ${name} to`;
	return from === 'flag' ? name : `supportctl profile set ${profileName} --base-url`;
}

/** The JSON object that a GET gives; its date goes to the facts. */
async function readJson(facts: Facts, path: string): Promise<Record<string, unknown>> {
	const response = await exchange(facts.invocation, facts.reach, { method: 'GET', path });
	if ('problem' in response) return {};
	const { headers, content } = response;
	facts.date ??= { header: headers.date, at: facts.invocation.context.clock.now() };
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
