/** `doctor`: finds out, check by check, why the service can't be used. */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { plural } from '../../api/names.js';
import { isObject } from '../../api/values.js';
import { ExitCode, FailedError, SupportctlError } from '../../errors.js';
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

type Found = Pick<Finding, 'result' | 'message' | 'hint'>;

const fail = (message: string, hint: string): Found => ({ result: 'fail', message, hint });
const warn = (message: string, hint: string): Found => ({ result: 'warn', message, hint });
const pass = (message: string): Found => ({ result: 'pass', message });
const skip = (message: string): Found => ({ result: 'skipped', message });

const LONGEST_STEP_MS = 10_000;

export const command = defineCommand({
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
			const failed = counts.fail > 0 ? [`${counts.fail} ${plural('check', counts.fail)} failed`] : [];
			const warned = counts.warn > 0 ? [`${counts.warn} ${plural('warning', counts.warn)}`] : [];
			context.stderr.write(`${[...failed, ...warned].join(', ') || 'no problems found'}\n`);
		}
		return counts.fail > 0 ? ExitCode.failed : ExitCode.ok;
	},
});

const CHECKS = [
	...['node', 'config', 'profile', 'base-url', 'secret'],
	...['proxy', 'dns', 'tcp', 'tls', 'prefix', 'credentials'],
];

/** Reports on one check after the other. */
class Checks {
	private readonly left = [...CHECKS];
	private name = '';
	private fix = '';

	constructor(private readonly report: (finding: Finding) => Promise<void>) {}

	/** @param fix the next step after an error without one */
	begin(fix = ''): void {
		this.name = this.left.shift() ?? '';
		this.fix = fix;
	}

	async end(found: Found): Promise<void> {
		await this.report({ check: this.name, ...found });
	}

	async failed(error: unknown): Promise<void> {
		if (!(error instanceof SupportctlError)) return this.end(fail(messageOf(error), this.fix));
		await this.end(fail([error.message, ...error.details].join('; '), error.hint || this.fix));
	}

	/** The checks that are left can't be made after an error. */
	async abort(error: unknown): Promise<void> {
		await this.failed(error);
		for (const check of this.left) await this.report({ check, ...skip(`${this.name} failed`) });
	}
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const failure = (message: string, hint: string): FailedError => new FailedError(message, { hint });

async function examine(invocation: Invocation, report: (finding: Finding) => Promise<void>): Promise<void> {
	const checks = new Checks(report);
	try {
		checks.begin();
		await checks.end(checkNode(process.versions.node, engines));
		const place = await examineSettings(invocation, checks);
		const signIn = await examineSecret(place, checks);
		const reach = await examineNetwork(invocation, place, checks);
		await examineService(invocation, place, reach, signIn, checks);
	} catch (error) {
		await checks.abort(error);
	}
}

async function examineSettings({ context, options }: Invocation, checks: Checks) {
	checks.begin('set SUPPORTCTL_CONFIG_DIR to a readable directory');
	const { file, exists, store, warnings } = readStore(configFolder(context));
	const count = Object.keys(store.profiles).length;
	const text = warnings.join('; ');
	if (text !== '')
		await checks.end(warn(text, text.match(/chmod [^;]+/g)?.join('; ') ?? 'change its owner to your user'));
	else
		await checks.end(pass(exists ? `${file}, ${count} ${plural('profile', count)}` : `${file} not found: no profiles`));

	checks.begin('remove or change that setting (supportctl help profiles)');
	const setup = readSetup({ env: context.env, flags: connectionFlags(options), cwd: context.cwd });
	const { profileName, chosenBy, settings, sources } = setup;
	if (profileName !== undefined) {
		const by = chosenBy === 'current' ? 'the current one' : `from ${chosenBy}`;
		await checks.end(pass(`"${profileName}", ${by}${settings.protected ? ', protected: writes need --confirm' : ''}`));
	} else if (settings.baseUrl !== undefined) {
		await checks.end(pass(`none; the base URL comes from ${sources.baseUrl.name}`));
	} else {
		throw failure('no profile and no base URL', 'supportctl login, or try the local mock API: supportctl sandbox');
	}

	checks.begin('use the part before /support-api/v1, such as https://desk.example.com/wp-json');
	const place = resolveBaseUrl(setup);
	const { url: baseUrl, allowHttp } = place;
	const url = new URL(baseUrl);
	const [warning] = place.warnings;
	if (warning !== undefined) await checks.end(warn(warning, `${changeOf(setup)} ${shellWord(baseUrl)}`));
	else if (url.protocol === 'http:' && !mayBeLoopback(url.hostname)) {
		await checks.end(warn(`${baseUrl} sends credentials unencrypted`, 'use https://'));
	} else await checks.end(pass(baseUrl));
	return { setup, baseUrl, url, allowHttp };
}

type Place = Awaited<ReturnType<typeof examineSettings>>;

/** Undefined if the secret can't be used: the service can be examined all the same. */
async function examineSecret({ setup, baseUrl }: Place, checks: Checks) {
	checks.begin('sign in again: supportctl login');
	try {
		const found = await findAuth(setup, baseUrl);
		const { auth, secretSource } = found;
		const from = secretSource.startsWith('SUPPORTCTL_') ? secretSource : `the ${secretSource}`;
		await checks.end(
			pass(auth.scheme === 'none' ? 'not needed (scheme none)' : `${secretNoun(auth.scheme)} from ${from}`),
		);
		return found;
	} catch (error) {
		await checks.failed(error);
		return undefined;
	}
}

async function examineNetwork(
	{ context: { clock } }: Invocation,
	{ setup, baseUrl, url, allowHttp }: Place,
	checks: Checks,
): Promise<Omit<Reach, 'auth'>> {
	const { settings, env } = setup;
	const timeoutMs = Math.min(settings.timeout * 1000, LONGEST_STEP_MS);
	const host = bareHost(url);
	checks.begin('fix HTTPS_PROXY or HTTP_PROXY, or add the host to NO_PROXY');
	const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
	const { proxyFor } = await import('../../http/connection.js');
	const proxies = readProxies(env);
	const proxy = proxyFor(url.href, proxies);
	if (proxy === undefined) {
		await checks.end(pass(`none (${variable} unset, or this host is local or in NO_PROXY)`));
	} else {
		// Its user info may contain a password.
		const shown = `${proxy.protocol}//${proxy.host}, from ${variable}`;
		await connect(proxy, timeoutMs).catch((error: unknown) => {
			const hint = `fix ${variable}, or add the service's host to NO_PROXY`;
			throw failure(`can't reach ${shown}: ${describeProblem(error).message}`, hint);
		});
		await checks.end(pass(shown));
	}

	checks.begin('check the host name in the base URL, and your network');
	if (proxy !== undefined) await checks.end(skip('the proxy resolves the name'));
	else if (isIP(host) !== 0) await checks.end(skip(`${host} is an address`));
	else {
		const found = await lookup(host, { all: true }).catch((error: unknown) => {
			throw new Error(`${host}: ${describeProblem(error).message}`);
		});
		await checks.end(pass(`${host} is ${[...new Set(found.map(({ address }) => address))].join(', ')}`));
	}

	checks.begin('check the port in the base URL, the service and firewalls');
	if (proxy !== undefined) await checks.end(skip('the proxy connects'));
	else {
		const started = clock.monotonic();
		const found = await connect(url, timeoutMs).catch((error: unknown) => {
			throw new Error(`${host} port ${portOf(url)}: ${describeProblem(error).message}`);
		});
		await checks.end(
			pass(`connected to ${found} port ${portOf(url)} in ${Math.round(clock.monotonic() - started)} ms`),
		);
	}

	checks.begin('check that --ca-file, --cert and --key point to readable PEM files');
	const tls = readTls(setup, []);
	if (url.protocol !== 'https:') await checks.end(skip('the base URL is http://'));
	else {
		const certificate = await readCertificate(url, proxy, tls, timeoutMs).catch((error: unknown) => {
			const { code, message } = describeProblem(error);
			throw failure(`no TLS connection: ${message}`, nextStepFor(code) ?? nextStepFor('tls_failed') ?? '');
		});
		const found = checkCertificate(certificate, clock.now());
		if (found.result === 'fail') throw failure(found.message, found.hint ?? '');
		await checks.end(found);
	}
	return { baseUrl, settings: { ...settings, timeout: timeoutMs / 1000 }, tls, proxy: proxies, allowHttp };
}

async function examineService(
	invocation: Invocation,
	{ setup, baseUrl }: Place,
	reach: Omit<Reach, 'auth'>,
	signIn: Awaited<ReturnType<typeof examineSecret>>,
	checks: Checks,
): Promise<void> {
	checks.begin('try again later');
	const read = async (path: string): Promise<Record<string, unknown>> => {
		const response = await exchange(invocation, { ...reach, auth: { scheme: 'none' } }, { method: 'GET', path });
		const content = response.status === 0 ? undefined : readContent(response);
		return content?.kind === 'json' && isObject(content.value) ? content.value : {};
	};
	const root = `/${dialectFor(setup.settings).root}/v1`;
	const { routes } = await read(root);
	const probe = createProbe(invocation, reach, setup.settings.username);
	const { without, problem } = await findService(baseUrl, probe, changeOf(setup));
	if (!isObject(routes) && problem !== undefined) {
		const { namespaces } = problem.code === 'no_service' ? await read('') : {};
		const word = /"([A-Za-z][\w-]*)-api\/v1"/.exec(JSON.stringify(namespaces) ?? '')?.[1];
		const hint = word ? `the service uses ${word}-api: pass --product-prefix ${word}` : problem.hint;
		throw failure(problem.message, hint);
	}
	const shown = isObject(routes) ? `lists ${Object.keys(routes).length} routes` : 'responds';
	await checks.end(pass(`${baseUrl}${root} ${shown}`));

	checks.begin('try again later');
	if (signIn === undefined) return checks.end(skip('secret failed'));
	const { auth, secretSource: source } = signIn;
	const doubt = await trySignIn(probe, baseUrl, { auth, source }, without);
	if (doubt !== undefined) await checks.end(warn(doubt.note, doubt.hint));
	else if (auth.scheme === 'none') await checks.end(pass('not needed'));
	else await checks.end(pass(auth.scheme === 'basic' ? `accepted for ${auth.username}` : 'accepted'));
}

/** As wide as the longest names: `skipped`, `credentials`. */
const [RESULT, CHECK] = [9, 13];

export function findingText({ check, result, message, hint }: Finding, width: number, palette: Palette): string {
	const style = result === 'skipped' ? palette.faint : outcomeStyle(palette, result);
	const room = width - RESULT - CHECK;
	const [first = '', ...rest] = wrap(sanitise(message), room);
	const hints = hint === undefined ? [] : wrap(`-> ${sanitise(hint)}`, room).map(palette.strong);
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

export function checkCertificate({ protocol, subject, issuer, validTo, problem }: Certificate, now: number): Found {
	const days = Math.floor((validTo - now) / 86_400_000);
	const until = new Date(validTo).toISOString().slice(0, 10);
	const certificate = `certificate for ${subject} from ${issuer}, valid until ${until}`;
	if (problem !== undefined) {
		const hint = nextStepFor(problem.code) ?? "check this machine's clock and the host's certificate";
		return fail(`${problem.message} (${certificate})`, hint);
	}
	const message = `${protocol}, ${certificate} (${days} ${plural('day', days)} left)`;
	return days <= DAYS_TO_WARN ? warn(message, 'renew it') : pass(message);
}
