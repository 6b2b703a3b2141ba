/** What credentials may look like under each scheme. */

import { UsageError } from '../errors.js';
import { hasControlCharacter } from './control-characters.js';
import type { Scheme } from './settings.js';

/** What the secret of a scheme is called. */
export function secretNoun(scheme: Scheme): string {
	return { basic: 'password', bearer: 'token', header: 'header value', none: 'secret' }[scheme];
}

/** Checks that a secret can be sent under its scheme; throws UsageError that does not repeat it. */
export function checkSecret(scheme: Scheme, secret: string, from: string): string {
	const noun = secretNoun(scheme);
	const refuse = (why: string): never => {
		throw new UsageError(`the ${noun} from ${from} ${why}`, { code: 'invalid_secret' });
	};
	if (secret === '') refuse('is empty');
	if (/[\r\n]/.test(secret)) refuse('has more than one line');
	if (hasControlCharacter(secret.replaceAll('\t', ''))) refuse('has control characters in it');
	if (scheme !== 'basic' && /[^\t\x20-\x7e]/.test(secret)) refuse("has letters that an HTTP header can't carry");
	if (scheme === 'bearer' && /\s/.test(secret)) refuse('has blanks in it');
	return secret;
}

/** @throws UsageError for a user name that basic sign-in can't carry */
export function checkUserName(username: string): string {
	if (!username.includes(':')) return username;
	throw new UsageError(`the user name ${JSON.stringify(username)} has a colon, which basic sign-in can't carry`);
}
