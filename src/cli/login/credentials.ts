/** Credentials for `login`: read from flags, variables or a person, and tried until the service accepts them. */

import { FailedError, RefusedError, UsageError } from '../../errors.js';
import type { Auth } from '../../net.js';
import type { NewSecret } from '../../profile/edit.js';
import { readVariable } from '../../profile/environment.js';
import { judgeSignIn, type SignIn } from '../../profile/probe.js';
import { makeAuth, profileNamed, variableOf } from '../../profile/resolve.js';
import { checkSecret, runSecretCommand, secretNoun } from '../../profile/secrets.js';
import { type Scheme, settingSpecs } from '../../profile/settings.js';
import { say } from '../notices.js';
import { readGivenSecret } from '../options/secret.js';
import { createAsk, type Found, type Login, targetOf } from './login.js';

export interface Credentials {
	username: string | undefined;
	secret: NewSecret | undefined;
	auth: Auth;
}

/** How often a person may try again. */
const TRIES = 3;

/** The scheme that flags, variables or the stored profile give, else the one that a person chooses. */
export async function chooseScheme({ prompts, store, invocation, flags }: Login, found: Found): Promise<Scheme> {
	const isDecided =
		found.resolved.sources.scheme.from !== 'default' ||
		flags.username !== undefined ||
		invocation.options.secretCommand !== undefined ||
		profileNamed(store, found.name) !== undefined;
	if (prompts === undefined || isDecided) return found.scheme;
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

/** Tries credentials until they are accepted or a person gives up. @throws RefusedError, FailedError */
export async function signIn(login: Login, found: Found): Promise<{ credentials: Credentials; note?: string }> {
	for (let tries = 1; ; tries++) {
		const credentials = await readCredentials(login, found, tries > 1);
		const verdict = await tryCredentials(login, found, credentials);
		if (verdict.kind === 'accepted') return { credentials, ...(verdict.doubt && { note: verdict.doubt.note }) };
		if (verdict.kind === 'unclear') {
			throw new FailedError(`could not find out whether the credentials are right: ${verdict.why}`, {
				code: verdict.code,
				hint: 'nothing was stored; try again later',
			});
		}
		const error = new RefusedError(`not signed in: ${verdict.why}`, { code: 'refused', hint: verdict.hint });
		const canAskAgain = login.prompts !== undefined && credentials.secret?.kind === 'value';
		if (!canAskAgain || tries === TRIES) throw error;
		say(login.invocation, `${error.message}; ${verdict.hint}. Try again, or stop with Ctrl-C.`);
	}
}

async function tryCredentials({ invocation }: Login, found: Found, credentials: Credentials): Promise<SignIn> {
	const { without, resolved, baseUrl } = found;
	if (credentials.auth.scheme === 'none') {
		const wants = without.kind === 'answer' && (without.status === 401 || without.status === 403);
		if (!wants) return { kind: 'accepted' };
		return { kind: 'refused', why: 'the service wants credentials', hint: 'use another --scheme than none' };
	}
	const ask = createAsk(invocation, targetOf(invocation, resolved, credentials.auth, credentials.username));
	return judgeSignIn(without, await ask({ baseUrl, credentials: true }));
}

async function readCredentials(login: Login, found: Found, again: boolean): Promise<Credentials> {
	const { scheme, resolved, name } = found;
	if (scheme === 'none') return { username: resolved.settings.username, secret: undefined, auth: { scheme } };
	const username = await readUsername(login, found, again);
	const headerName = scheme === 'header' ? await readHeaderName(login, found) : undefined;
	const secret = await readSecret(login, found, scheme);
	const { env } = login.invocation.context;
	const isCommand = secret.kind === 'command';
	const value = isCommand ? await runSecretCommand(secret.command, { env, owner: `profile "${name}"` }) : secret.value;
	const checked = checkSecret(scheme, value, isCommand ? '--secret-command' : 'the prompt');
	return { username, secret, auth: makeAuth(scheme, { username, headerName }, checked) };
}

async function readUsername({ prompts }: Login, { resolved, scheme }: Found, again: boolean) {
	const { settings, sources } = resolved;
	const { username: known } = settings;
	if (scheme !== 'basic') return known;
	if (prompts === undefined || (sources.username.from === 'flag' && !again)) {
		if (known === undefined) throw new UsageError('no user name is given', { hint: 'give --username' });
		return known;
	}
	return prompts.text('User name:', {
		...(known !== undefined && { initial: known }),
		check: (text) => (text === '' ? 'a user name is needed' : text.includes(':') ? 'it must not have a colon' : true),
	});
}

async function readHeaderName({ prompts }: Login, { resolved }: Found): Promise<string> {
	const known = resolved.settings.headerName;
	if (known !== undefined) return known;
	if (prompts === undefined) {
		throw new UsageError('the scheme "header" needs the header\'s name', { hint: 'give --header-name' });
	}
	const spec = settingSpecs.find((each) => each.name === 'headerName');
	const name = await prompts.text('Name of the header:', {
		check: (text) => spec?.read(text) !== undefined || `it must be ${spec?.expected}`,
	});
	resolved.settings.headerName = name;
	resolved.sources.headerName = { from: 'flag', name: '--header-name' };
	return name;
}

async function readSecret(
	{ invocation, prompts }: Login,
	{ env }: Found,
	scheme: Exclude<Scheme, 'none'>,
): Promise<NewSecret> {
	const given = await readGivenSecret(invocation, scheme);
	if (given !== undefined) return given;
	const variable = readVariable(env, variableOf(scheme), invocation.context.cwd);
	if (variable !== undefined) return { kind: 'value', value: checkSecret(scheme, variable.value, variable.name) };
	const noun = secretNoun(scheme);
	if (prompts === undefined) {
		throw new UsageError(`no ${noun} is given, and there is no terminal to ask on`, {
			hint: 'pipe it in with --password-stdin, or give --secret-command',
		});
	}
	const label = scheme === 'basic' ? 'Password or application password' : noun[0]?.toUpperCase() + noun.slice(1);
	return { kind: 'value', value: await prompts.secret(`${label} (not shown):`) };
}
