/** `doctor`: finds out, step by step, why the service can't be used, and says what to do about it. */

import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { isObject } from '../../api/values.js';
import { ExitCode } from '../../errors.js';
import { describeProblem, nextStepFor } from '../../http/problem.js';
import { type Auth, mayBeLoopback } from '../../net.js';
import { outcomeStyle, type Palette } from '../../output/colour.js';
import { redactUrl } from '../../output/redact.js';
import { sanitise } from '../../output/sanitise.js';
import { findAuth, readProxies, readSetup, readTls, resolveBaseUrl, type Setup } from '../../profile/resolve.js';
import { secretNoun } from '../../profile/secrets.js';
import { configFolder } from '../../profile/settings.js';
import { readStore } from '../../profile/store.js';
import { defineCommand, type Invocation } from '../command.js';
import { helpWidth, wrap } from '../help/page.js';
import { leaveOnSignal } from '../interruption.js';
import { paletteFor } from '../notices.js';
import { connectionFlags, connectionOptions, outputOptions } from '../options/shared.js';
import { createProbe, exchange, findService, type Probe, type Probed, trySignIn } from '../probe.js';
import { isOwnTable, openResults, wantsJson } from '../results.js';
import { dialectFor, type Reach } from '../session.js';

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
	setup: Setup;
	baseUrl: string;
	url: URL;
	reach: Reach;
	auth: Auth;
	/** The secret's variable, or where it is stored. */
	secretSource: string;
	probe: Probe;
	/** The response without credentials. */
	without: Probed;
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

/** The most that a request may take here. */
const LONGEST_STEP_MS = 10_000;

export const checks: readonly Check[] = [
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
			return fail('none is stored, and no base URL is given', hint);
		},
	},
	{
		name: 'base-url',
		needs: ['profile'],
		fix: 'write the part before /support-api/v1, for instance https://desk.example.com/wp-json',
		look(facts) {
			const { url, warnings } = resolveBaseUrl(facts.setup);
			Object.assign(facts, { baseUrl: url, url: new URL(url) });
			const { protocol, hostname } = facts.url;
			const [warning] = warnings;
			if (warning !== undefined) return warn(warning, `store it without: ${changeOf(facts.setup)} ${url}`);
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
		name: 'network',
		needs: ['base-url'],
		fix: 'check the host and port in the base URL, that the service runs, the network of this machine, and firewalls',
		async look(facts) {
			const { url, baseUrl, setup, invocation } = facts;
			const { clock } = invocation.context;
			const tls = readTls(setup, []);
			const timeoutMs = Math.min(setup.settings.timeout * 1000, LONGEST_STEP_MS);
			const settings = { ...setup.settings, timeout: timeoutMs / 1000 };
			const proxies = readProxies(setup.env);
			const { allowHttp } = settings;
			facts.reach = { baseUrl, auth: { scheme: 'none' }, settings, tls, proxy: proxies, allowHttp };
			const { proxyFor } = await import('../../http/connection.js');
			const proxy = proxyFor(url.href, proxies);
			const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
			// A proxy's user info may hold a password.
			const where = proxy === undefined ? url.host : `the proxy ${proxy.protocol}//${proxy.host}, from ${variable}`;
			const { hostname, port, protocol } = proxy ?? url;
			const host = hostname.replace(/^\[|\]$/g, '');
			const target = { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
			const started = clock.monotonic();
			let socket: Socket | undefined;
			try {
				// A certificate is read even where it is not trusted, to say why. Behind a proxy it is left to the next check.
				const secure =
					url.protocol === 'https:' && proxy === undefined
						? connectTls({
								...target,
								...tls,
								rejectUnauthorized: false,
								...(isIP(host) === 0 && { servername: host }),
							})
						: undefined;
				socket = secure ?? connectSocket(target);
				await waitFor(socket, secure === undefined ? 'connect' : 'secureConnect', timeoutMs);
				const ms = Math.round(clock.monotonic() - started);
				const reached = `connected to ${where} (${socket.remoteAddress}) in ${ms} ms`;
				return secure === undefined ? reached : judgeCertificate(secure, reached, clock.now());
			} catch (error) {
				const { code, message } = describeProblem(error);
				const ofProxy = `correct ${variable}, or add the service's host to NO_PROXY`;
				const ofTls = code.startsWith('tls_') ? nextStepFor(code) : undefined;
				const hint = proxy === undefined ? (ofTls ?? this.fix) : ofProxy;
				return fail(`could not connect to ${where}: ${message}`, hint);
			} finally {
				socket?.destroy();
			}
		},
	},
	{
		name: 'prefix',
		needs: ['network'],
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

/** The JSON object that a GET gives. */
async function readJson({ invocation, reach }: Facts, path: string): Promise<Record<string, unknown>> {
	const response = await exchange(invocation, reach, { method: 'GET', path });
	const content = 'content' in response ? response.content : undefined;
	return content?.kind === 'json' && isObject(content.value) ? content.value : {};
}

/** Waits for a socket's event; rejects with an error of the system. */
async function waitFor(socket: Socket, event: string, timeoutMs: number): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
		socket.once(event, () => resolve());
		socket.once('error', reject);
		socket.once('close', () => reject(new Error('the connection was closed by the other side')));
	});
}

/** With fewer days left there is a warning: renewals that work renew earlier. */
const DAYS_TO_WARN = 14;

/** @param reached what came before. @param now milliseconds since 1970 */
function judgeCertificate(socket: TLSSocket, reached: string, now: number): Found {
	const { subject, subjectaltname, issuer, valid_to } = socket.getPeerCertificate();
	const until = new Date(valid_to);
	const days = Math.floor((until.getTime() - now) / 86_400_000);
	const name = [subject?.CN].flat()[0] ?? subjectaltname ?? 'no name';
	const authority = [issuer?.O ?? issuer?.CN].flat()[0] ?? 'an unnamed issuer';
	const found = `certificate for ${name} from ${authority}, valid until ${until.toISOString().slice(0, 10)}`;
	const refusal = socket.authorizationError as unknown as string | { code?: string } | null;
	if (refusal) {
		const code = typeof refusal === 'string' ? refusal : refusal.code;
		const why = new Error(`the host's certificate is not trusted (${code})`);
		const problem = describeProblem(Object.assign(why, { code }));
		const hint = nextStepFor(problem.code) ?? "check this machine's clock and the host's certificate";
		return fail(`${problem.message} (${found})`, hint);
	}
	const message = `${reached}; ${socket.getProtocol()}, ${found} (${days} ${days === 1 ? 'day' : 'days'} left)`;
	return days <= DAYS_TO_WARN ? warn(message, 'have it renewed before it ends') : message;
}
