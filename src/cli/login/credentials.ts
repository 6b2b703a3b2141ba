/** Getting credentials, from flags or a person, and trying them until the service accepts them. */

import { FailedError, RefusedError, UsageError } from '../../errors.js';
import { checkSecret, secretNoun } from '../../profile/credential-rules.js';
import type { NewSecret } from '../../profile/edit.js';
import { readVariable } from '../../profile/environment.js';
import { judgeSignIn, type SignIn } from '../../profile/probe.js';
import { makeAuth, variableOf } from '../../profile/resolve.js';
import { type Scheme, settingSpecs } from '../../profile/settings.js';
import { say } from '../notices.js';
import { readGivenSecret } from '../options/secret.js';
import { createAsk } from './ask.js';
import { type Credentials, type Found, type Login, profileOf, targetOf } from './login.js';

/** How often a person may try again before the command gives up. */
const TRIES = 3;

/** How to sign in: as flags, environment or the stored profile say, else as a person chooses. */
export async function chooseScheme(login: Login, found: Found): Promise<Scheme> {
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
export async function signIn(login: Login, found: Found): Promise<{ credentials: Credentials; note?: string }> {
	for (let tries = 1; ; tries++) {
		const credentials = await readCredentials(login, found, tries > 1);
		const verdict = await attempt(login, found, credentials);
		if (verdict.kind === 'accepted') {
			return { credentials, ...(verdict.doubt && { note: verdict.doubt.note }) };
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
	const variable = readVariable(context.env, variableOf(scheme), context.cwd);
	if (variable !== undefined) return { kind: 'value', value: checkSecret(scheme, variable.value, variable.name) };
	const noun = secretNoun(scheme);
	if (login.prompts === undefined) {
		throw new UsageError(`no ${noun} is given and nobody can be asked`, {
			hint: `pipe it in with --password-stdin, or give --secret-command, or set SUPPORTCTL_${variableOf(scheme)}`,
		});
	}
	const label = scheme === 'basic' ? 'Password or application password' : noun[0]?.toUpperCase() + noun.slice(1);
	return { kind: 'value', value: await login.prompts.secret(`${label} (not shown):`) };
}

async function runCommand(login: Login, found: Found, text: string): Promise<string> {
	const { runSecretCommand } = await import('../../profile/secret-command.js');
	return runSecretCommand(text, { env: login.invocation.context.env, owner: `profile "${found.name}"` });
}
