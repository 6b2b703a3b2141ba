/** `login`: asks for base URL, scheme and credentials, tries them, and stores a profile. */

import { ExitCode, FailedError, InterruptedError, RefusedError, UsageError } from '../../errors.js';
import { PromptInterrupted, type Prompts } from '../../io/context.js';
import { parseBaseUrl } from '../../profile/base-url.js';
import { type NewSecret, type ProfileChanged, profileNameFor, saveProfile } from '../../profile/edit.js';
import { readVariable } from '../../profile/environment.js';
import { configFolder } from '../../profile/folders.js';
import { findService, judgeSignIn, type Place, type ProbeAnswer, type SignIn } from '../../profile/probe.js';
import { type Auth, effectiveScheme, makeAuth, readProxies, readTls } from '../../profile/resolve.js';
import { checkSecret, describeStore, secretNoun } from '../../profile/secrets.js';
import { type ResolvedSettings, resolveSettings, type Scheme, settingSpecs } from '../../profile/settings.js';
import { ConfigDamaged, checkProfileName, readStore, type Store, type StoredProfile } from '../../profile/store.js';
import type { CommandSpec, Invocation } from '../command.js';
import { connectionFlags, connectionOptions } from '../connection-options.js';
import { say, warn } from '../notices.js';
import { outputOptions } from '../options/output.js';
import { guardDefaults } from '../options/profile-defaults.js';
import { impliedScheme, readGivenSecret, secretOptions } from '../options/secret.js';
import { printIfAsked } from '../profile-results.js';
import { createAsk, lookUp } from '../sign-in.js';

/** How often a person may try again before the command gives up. */
const TRIES = 3;

export const command: CommandSpec = {
	summary: 'Try a base URL and credentials, and store them as a profile.',
	description:
		'The base URL is first tried without credentials, so that nothing secret goes to a wrong address; then the ' +
		"look-up of a user's id (POST /users/username), which changes nothing, is made with them. Only what was accepted is stored: " +
		'the secret in the system keyring where there is one, else in the profile file, which only you can read.',
	examples: [
		{ command: 'supportctl login', note: 'asks for everything' },
		{
			command:
				'pass desk | supportctl login --base-url https://desk.example.com/wp-json --username anna --password-stdin --no-input',
			note: 'asks for nothing',
		},
		{
			command:
				"supportctl login --profile ci --base-url https://desk.example.com/wp-json --username bot --secret-command 'pass show desk'",
			note: 'stores no secret, but the command that prints it',
		},
	],
	arguments: [],
	options: [
		{ flags: '--no-input', help: 'Ask nothing; what is missing is an error', group: 'Secret' },
		...secretOptions,
		...connectionOptions,
		...guardDefaults,
		...outputOptions.filter((option) => !option.flags.startsWith('-q')),
		{ flags: '-q, --quiet', help: 'Say nothing but errors and warnings', group: 'Output' },
	],
	run,
};

/** Everything that stays the same while different base URLs and credentials are tried. */
interface Login {
	invocation: Invocation;
	/** Undefined where nobody can be asked. */
	prompts: Prompts | undefined;
	folder: string;
	store: Store;
	/** The profile's name, where flag or environment give it. */
	named: string | undefined;
	flags: Readonly<Record<string, unknown>>;
}

/** A base URL at which the service was seen, and what follows from it. */
interface Found {
	baseUrl: string;
	name: string;
	resolved: ResolvedSettings;
	scheme: Scheme;
	/** What the service said without credentials. */
	without: ProbeAnswer;
}

interface Credentials {
	username: string | undefined;
	secret: NewSecret | undefined;
	auth: Auth;
}

async function run(invocation: Invocation): Promise<ExitCode> {
	try {
		return await signInAndStore(invocation);
	} catch (error) {
		if (error instanceof PromptInterrupted) throw new InterruptedError('interrupted; nothing was stored');
		throw error;
	}
}

async function signInAndStore(invocation: Invocation): Promise<ExitCode> {
	const login = open(invocation);
	const found = await locate(login, await firstBaseUrl(login));
	const scheme = await chooseScheme(login, found);
	const { credentials, note } = await signIn(login, { ...found, scheme });
	const changed = await store(login, { ...found, scheme }, credentials);
	warn(invocation.context, note === undefined ? changed.notices : [...changed.notices, note]);
	const { name, baseUrl } = found;
	const as = credentials.username === undefined ? '' : ` as ${credentials.username}`;
	const where =
		changed.secret === undefined ? '' : `, its ${secretNoun(scheme)} in the ${describeStore(changed.secret)}`;
	say(invocation, `Signed in to ${baseUrl}${as}. Profile "${name}" is stored${where}, and is the one in use.`);
	await printIfAsked(invocation, {
		profile: name,
		base_url: baseUrl,
		scheme,
		username: credentials.username ?? null,
		stored_in: describeStore(changed.secret),
		proved: note === undefined,
		note: note ?? null,
	});
	return ExitCode.ok;
}

function open(invocation: Invocation): Login {
	const { context, options } = invocation;
	const { env, cwd, prompts } = context;
	const folder = configFolder({ env, cwd });
	const named = (options.profile as string | undefined) ?? readVariable(env, 'PROFILE', cwd)?.value;
	if (named !== undefined) checkProfileName(named);
	const asks = options.input !== false && options.passwordStdin !== true && options.tokenStdin !== true;
	const implied = impliedScheme(options);
	return {
		invocation,
		prompts: asks && prompts.available ? prompts : undefined,
		folder,
		store: readStoreOrNothing(invocation, folder),
		named,
		flags: { ...connectionFlags(options), ...(implied && { scheme: implied }) },
	};
}

/** A damaged file is no reason not to sign in; it is kept aside when the profile is stored. */
function readStoreOrNothing({ context }: Invocation, folder: string): Store {
	try {
		const reading = readStore(folder);
		warn(context, reading.warnings);
		return reading.store;
	} catch (error) {
		if (error instanceof ConfigDamaged) return { profiles: Object.create(null) };
		throw error;
	}
}

function profileOf(store: Store, name: string | undefined): StoredProfile | undefined {
	return name !== undefined && Object.hasOwn(store.profiles, name) ? store.profiles[name] : undefined;
}

/** The settings for a base URL, under the profile that it will be stored as. */
function settingsFor(login: Login, baseUrl: string): { name: string; resolved: ResolvedSettings } {
	const { context, options } = login.invocation;
	const name = login.named ?? profileNameFor(login.store, baseUrl);
	const username = login.flags.username === undefined ? readVariable(context.env, 'USERNAME', context.cwd) : undefined;
	const guards = Object.fromEntries(
		['protected', 'allowHttp'].filter((each) => options[each] !== undefined).map((each) => [each, options[each]]),
	);
	const values = { ...profileOf(login.store, name), ...guards };
	const resolved = resolveSettings({
		flags: { ...login.flags, baseUrl },
		environment: { ...(username && { username }) },
		profile: { name, values, file: 'config.json' },
	});
	return { name, resolved };
}

/** The base URL from flag, environment, a person, or the profile that is signed in to again. */
async function firstBaseUrl(login: Login): Promise<string> {
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

/** Checks a base URL; where it can be mended, a person is asked, and otherwise the error says how. */
async function readBaseUrl(login: Login, text: string, from: string): Promise<string> {
	try {
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

function targetOf(login: Login, found: Pick<Found, 'resolved'>, auth: Auth, username: string | undefined) {
	const { context } = login.invocation;
	const { settings } = found.resolved;
	const warnings: string[] = [];
	const tls = readTls(settings, context.cwd, warnings);
	return {
		warnings,
		target: {
			auth,
			username,
			timeoutMs: settings.timeout * 1000,
			prefixes: { product: settings.productPrefix, shop: settings.shopPrefix, membership: settings.membershipPrefix },
			tls,
			proxy: readProxies(context.env),
		},
	};
}

/** Looks for the service without credentials; a base URL that was likely meant is offered, and never taken unasked. */
async function locate(login: Login, baseUrl: string): Promise<Found> {
	const { invocation } = login;
	const { name, resolved } = settingsFor(login, baseUrl);
	const { target, warnings } = targetOf(login, { resolved }, { scheme: 'none' }, resolved.settings.username);
	const { path } = lookUp(target);
	const { place, answer, mended } = await findService(baseUrl, path, createAsk(invocation, target));
	if (place.kind === 'service') {
		warn(invocation.context, warnings);
		const scheme = effectiveScheme(resolved, invocation.context.env, invocation.context.cwd);
		return { baseUrl, name, resolved, scheme, without: answer };
	}
	const error = explainPlace(baseUrl, place, mended);
	if (login.prompts === undefined || mended === undefined) throw error;
	say(invocation, `${error.message}.`);
	if (!(await login.prompts.confirm(`The help desk answers at ${mended}. Use that?`))) throw error;
	return locate(login, await readBaseUrl(login, mended, 'the mended URL'));
}

/** Why there is no signing in at a base URL, and what to do about it. */
function explainPlace(baseUrl: string, place: Exclude<Place, { kind: 'service' }>, mended?: string): FailedError {
	const hint = mended === undefined ? undefined : `the help desk answers at ${mended}: --base-url ${mended}`;
	const data = mended === undefined ? {} : { mended };
	switch (place.kind) {
		case 'moved':
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
			return new FailedError(`${baseUrl} can't be reached: ${place.why}`, {
				code: place.code,
				hint: hintFor(place.code),
			});
	}
}

/** What helps against a connection that could not be made. */
function hintFor(code: string): string {
	if (code === 'dns_failed') return "check the host's name, and whether this machine is on the right network";
	if (code.startsWith('tls_')) return 'check the date of this machine and the host; --ca-file names a CA of your own';
	if (code === 'connect_refused') return 'check the port, and whether the service is running';
	if (code === 'http_403') return 'a firewall before the service may refuse this machine';
	return 'try again later; `supportctl doctor` looks closer';
}

async function chooseScheme(login: Login, found: Found): Promise<Scheme> {
	const { prompts, named, store, invocation } = login;
	const { env, cwd } = invocation.context;
	const decided =
		found.resolved.sources.scheme.from !== 'default' ||
		login.flags.username !== undefined ||
		typeof invocation.options.secretCommand === 'string' ||
		readVariable(env, 'PASSWORD', cwd) !== undefined ||
		readVariable(env, 'TOKEN', cwd) !== undefined ||
		profileOf(store, named ?? found.name) !== undefined;
	if (prompts === undefined || decided) return found.scheme;
	return (await prompts.choice(
		'How do you sign in?',
		[
			{ value: 'basic', label: 'user name and password, or application password' },
			{ value: 'bearer', label: 'bearer token' },
			{ value: 'header', label: 'a header with a secret value' },
			{ value: 'none', label: 'not at all' },
		],
		found.scheme,
	)) as Scheme;
}

/** Tries credentials until they are accepted, a person gives up, or there is nobody to ask for others. */
async function signIn(login: Login, found: Found): Promise<{ credentials: Credentials; note?: string }> {
	for (let tries = 1; ; tries++) {
		const credentials = await readCredentials(login, found, tries > 1);
		const verdict = await attempt(login, found, credentials);
		if (verdict.kind === 'accepted') {
			return { credentials, ...(verdict.note !== undefined && { note: verdict.note }) };
		}
		if (verdict.kind === 'unclear') {
			throw new FailedError(`could not find out whether the credentials are right: ${verdict.why}`, {
				code: verdict.code,
				hint: 'nothing was stored; try again later',
			});
		}
		const error = new RefusedError(`not signed in: ${verdict.why}`, { code: 'refused', hint: verdict.hint });
		const canAskAgain = login.prompts !== undefined && credentials.secret?.kind === 'value' && asksForSecret(login);
		if (!canAskAgain || tries === TRIES) throw error;
		say(login.invocation, `${error.message}; ${verdict.hint}. Try again, or stop with Ctrl-C.`);
	}
}

async function attempt(login: Login, found: Found, credentials: Credentials): Promise<SignIn> {
	if (credentials.auth.scheme === 'none') {
		const { without } = found;
		const wants = without.kind === 'answer' && (without.status === 401 || without.status === 403);
		if (!wants) return { kind: 'accepted' };
		return { kind: 'refused', why: 'the service wants credentials', hint: 'use another --scheme than none' };
	}
	const { target } = targetOf(login, found, credentials.auth, credentials.username);
	const ask = createAsk(login.invocation, target);
	return judgeSignIn(found.without, await ask({ baseUrl: found.baseUrl, credentials: true }));
}

/** Whether the secret comes from a person rather than from flag or environment. */
function asksForSecret({ invocation }: Login): boolean {
	const { context, options } = invocation;
	return (
		options.secretCommand === undefined &&
		readVariable(context.env, 'PASSWORD', context.cwd) === undefined &&
		readVariable(context.env, 'TOKEN', context.cwd) === undefined
	);
}

async function readCredentials(login: Login, found: Found, again: boolean): Promise<Credentials> {
	const { scheme } = found;
	if (scheme === 'none') return { username: found.resolved.settings.username, secret: undefined, auth: { scheme } };
	const username = await readUsername(login, found, again);
	const headerName = scheme === 'header' ? await readHeaderName(login, found) : undefined;
	const secret = await readSecret(login, scheme);
	const value = secret.kind === 'value' ? secret.value : await runCommand(login, found, secret.command);
	return {
		username,
		secret,
		auth: makeAuth(scheme, { username, headerName }, checkSecret(scheme, value, 'your answer')),
	};
}

async function readUsername(login: Login, found: Found, again: boolean): Promise<string | undefined> {
	const { settings, sources } = found.resolved;
	if (found.scheme !== 'basic') return settings.username;
	const known = settings.username;
	const given = known !== undefined && (sources.username.from === 'flag' || sources.username.from === 'environment');
	if (login.prompts === undefined || (given && !again)) {
		if (known === undefined) throw new UsageError('no user name is given', { hint: 'give --username' });
		return known;
	}
	return login.prompts.text('User name:', {
		...(known !== undefined && { initial: known }),
		check: (text) => (text === '' ? 'a user name is needed' : text.includes(':') ? 'it must not have a colon' : true),
	});
}

async function readHeaderName(login: Login, found: Found): Promise<string> {
	const known = found.resolved.settings.headerName;
	if (known !== undefined) return known;
	if (login.prompts === undefined) {
		throw new UsageError('the scheme "header" needs the header\'s name', { hint: 'give --header-name' });
	}
	const spec = settingSpecs.find((each) => each.name === 'headerName');
	const name = await login.prompts.text('Name of the header:', {
		check: (text) => spec?.read(text) !== undefined || `it must be ${spec?.expected}`,
	});
	found.resolved.settings.headerName = name;
	found.resolved.sources.headerName = { from: 'flag', name: '--header-name' };
	return name;
}

async function readSecret(login: Login, scheme: Exclude<Scheme, 'none'>): Promise<NewSecret> {
	const { context } = login.invocation;
	const given = await readGivenSecret(login.invocation, scheme);
	if (given !== undefined) return given;
	const variable = readVariable(context.env, scheme === 'basic' ? 'PASSWORD' : 'TOKEN', context.cwd);
	if (variable !== undefined) return { kind: 'value', value: checkSecret(scheme, variable.value, variable.name) };
	const noun = secretNoun(scheme);
	if (login.prompts === undefined) {
		throw new UsageError(`no ${noun} is given and nobody can be asked`, {
			hint: `pipe it in with --password-stdin, or give --secret-command, or set SUPPORTCTL_${scheme === 'basic' ? 'PASSWORD' : 'TOKEN'}`,
		});
	}
	const label = scheme === 'basic' ? 'Password or application password' : noun[0]?.toUpperCase() + noun.slice(1);
	return { kind: 'value', value: await login.prompts.secret(`${label} (not shown):`) };
}

async function runCommand(login: Login, found: Found, text: string): Promise<string> {
	const { runSecretCommand } = await import('../../profile/secret-command.js');
	return runSecretCommand(text, { env: login.invocation.context.env, owner: `profile "${found.name}"` });
}

/** Stores the profile: what flags said, and what the service accepted. */
async function store(login: Login, found: Found, credentials: Credentials): Promise<ProfileChanged> {
	const { resolve } = await import('node:path');
	const { settings, sources } = found.resolved;
	const kept: Record<string, string | number | boolean> = { baseUrl: found.baseUrl, scheme: found.scheme };
	if (credentials.username !== undefined) kept.username = credentials.username;
	for (const spec of settingSpecs) {
		const value = settings[spec.name];
		if (value === undefined || sources[spec.name].from !== 'flag' || spec.name in kept) continue;
		kept[spec.name] = spec.path ? resolve(login.invocation.context.cwd, value as string) : value;
	}
	for (const name of ['protected', 'allowHttp'] as const) {
		const value = login.invocation.options[name];
		if (typeof value === 'boolean') kept[name] = value;
	}
	return saveProfile({
		folder: login.folder,
		name: found.name,
		settings: kept,
		...(credentials.secret && { secret: credentials.secret }),
		insecureStorage: login.invocation.options.insecureStorage === true,
		makeCurrent: true,
		now: () => login.invocation.context.clock.now(),
	});
}
