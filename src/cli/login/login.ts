/** One call of `login`: who can be asked, which profiles there are, and what is settled before the first question. */

import type { Prompts } from '../../io/context.js';
import { type NewSecret, profileNameFor } from '../../profile/edit.js';
import { readVariable } from '../../profile/environment.js';
import { configFolder } from '../../profile/folders.js';
import type { ProbeAnswer } from '../../profile/probe.js';
import { type Auth, prefixesOf, readProxies, readTls } from '../../profile/resolve.js';
import { type ResolvedSettings, resolveSettings, type Scheme } from '../../profile/settings.js';
import { ConfigDamaged, checkProfileName, readStore, type Store, type StoredProfile } from '../../profile/store.js';
import type { Invocation } from '../command.js';
import { warn } from '../notices.js';
import { connectionFlags } from '../options/connection.js';
import { impliedScheme } from '../options/secret.js';
import type { SignInTarget } from './ask.js';

/** Everything that stays the same while different base URLs and credentials are tried. */
export interface Login {
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
export interface Found {
	baseUrl: string;
	name: string;
	resolved: ResolvedSettings;
	scheme: Scheme;
	/** What the service said without credentials. */
	without: ProbeAnswer;
}

export interface Credentials {
	username: string | undefined;
	secret: NewSecret | undefined;
	auth: Auth;
}

/** Reads what flags, environment and stored profiles say before anything is asked. @throws UsageError */
export function openLogin(invocation: Invocation): Login {
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

/** A stored profile of that name, if there is one. */
export function profileOf(store: Store, name: string | undefined): StoredProfile | undefined {
	return name !== undefined && Object.hasOwn(store.profiles, name) ? store.profiles[name] : undefined;
}

/** The settings for a base URL, under the profile that it will be stored as. */
export function settingsFor(login: Login, baseUrl: string): { name: string; resolved: ResolvedSettings } {
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

/** Whom to ask, with which credentials, along which way. */
export function targetOf(
	login: Login,
	found: Pick<Found, 'resolved'>,
	auth: Auth,
	username: string | undefined,
): { target: SignInTarget; warnings: string[] } {
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
			prefixes: prefixesOf(settings),
			tls,
			proxy: readProxies(context.env),
		},
	};
}
