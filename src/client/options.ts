/** What a client is opened with, and the checks that the binary makes of its settings. */

import type { Prefixes } from '../api/dialect.js';
import { UsageError } from '../errors.js';
import type { Auth, ProxySettings } from '../net.js';
import { checkSecret, checkUserName } from '../profile/secrets.js';
import { checkSetting, parseBaseUrl, type SettingName, settingSpecs } from '../profile/settings.js';

export interface SupportClientOptions {
	/** What comes before `/support-api/v1`, for instance `https://desk.example/wp-json`. */
	baseUrl: string;
	/** Lets credentials go unencrypted to another machine. */
	allowHttp?: boolean;
	auth: Auth;
	/** Attempts after the first; 4 by default. A credential check is never repeated. */
	retries?: number;
	/** Seconds that one attempt may take; 30 by default. */
	timeout?: number;
	/** The most connections at a time; 4 by default. */
	connections?: number;
	/** A deployment's own words for support, shop and shopm. */
	prefixes?: Partial<Prefixes>;
	/** PEM text. */
	tls?: { ca?: string; cert?: string; key?: string };
	proxy?: ProxySettings;
	/** Lets values through that the interface does not show. */
	undocumented?: boolean;
}

/** Checks a value as the setting of that name is checked; `from` is what it is called here. */
function check(name: SettingName, value: unknown, from: string): void {
	const spec = settingSpecs.find((each) => each.name === name);
	if (spec !== undefined) checkSetting(spec, value, from);
}

function textOf(value: unknown, from: string): string {
	if (typeof value === 'string') return value;
	throw new UsageError(`${from} must be a string`, { code: 'invalid_setting' });
}

function checkAuth(auth: Auth): void {
	switch (auth?.scheme) {
		case 'none':
			return;
		case 'basic':
			check('username', auth.username, 'auth.username');
			checkUserName(auth.username);
			checkSecret('basic', textOf(auth.password, 'auth.password'), 'auth.password');
			return;
		case 'bearer':
			checkSecret('bearer', textOf(auth.token, 'auth.token'), 'auth.token');
			return;
		case 'header':
			check('headerName', auth.name, 'auth.name');
			checkSecret('header', textOf(auth.value, 'auth.value'), 'auth.value');
			return;
		default:
			check('scheme', (auth as Auth | undefined)?.scheme ?? '', 'auth.scheme');
	}
}

/** Checks everything that can be checked before a request. Returns the base URL. @throws UsageError */
export function checkOptions(options: SupportClientOptions): string {
	const { auth, allowHttp, prefixes = {}, retries = 0, timeout, connections } = options;
	checkAuth(auth);
	if (timeout !== undefined) check('timeout', timeout, 'timeout');
	if (connections !== undefined) check('concurrency', connections, 'connections');
	if (prefixes.product !== undefined) check('productPrefix', prefixes.product, 'prefixes.product');
	if (prefixes.shop !== undefined) check('shopPrefix', prefixes.shop, 'prefixes.shop');
	if (prefixes.membership !== undefined) check('membershipPrefix', prefixes.membership, 'prefixes.membership');
	if (!Number.isSafeInteger(retries) || retries < 0) {
		throw new UsageError('retries must be a whole number of 0 or more', { code: 'invalid_setting' });
	}
	return parseBaseUrl(textOf(options.baseUrl, 'baseUrl'), {
		allowHttp,
		howToAllowHttp: 'set allowHttp',
		productPrefix: prefixes.product,
	}).url;
}
