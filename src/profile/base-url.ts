/** What a base URL may look like, and what is corrected in one without asking. */

import { UsageError } from '../errors.js';
import { mayBeLoopback } from '../net.js';
import { hasControlCharacter, initialSettings } from './settings.js';

export interface BaseUrl {
	/** Without a trailing slash. */
	url: string;
	warnings: string[];
}

export interface BaseUrlRules {
	/** Allows http:// to hosts other than this machine. */
	allowHttp?: boolean;
	/** How a person allows that, for the hint. */
	howToAllowHttp?: string;
	/** The deployment's word for `support`, whose path prefix may have been pasted in. */
	productPrefix?: string;
	/** Where the text came from, for errors: `--base-url`, `SUPPORTCTL_BASE_URL`, `profile "desk"`. */
	from?: string;
}

const EXAMPLE = 'it looks like https://desk.example.com/wp-json';

/** Whether a secret for one URL may be sent to the other: another port of the same machine may belong to someone else. */
export function isSameOrigin(left: string, right: string): boolean {
	return new URL(left).origin === new URL(right).origin;
}

/** The URL that was probably meant where the scheme was left out: https, or http for this machine. */
export function withScheme(text: string): string | undefined {
	if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined;
	const rest = text.replace(/^\/+/, '');
	const host = /^(\[[^\]]*\]|[^/:?#@]*)/.exec(rest)?.[1] ?? '';
	if (host === '' || rest.includes('@')) return undefined;
	try {
		return new URL(`${mayBeLoopback(host) ? 'http' : 'https'}://${rest}`).href.replace(/\/+$/, '');
	} catch {
		return undefined;
	}
}

/** Cuts the interface's own prefix, and whatever was pasted behind it, off a path. */
function withoutPrefix(path: string, productPrefix: string | undefined): string {
	const words = new Set([initialSettings.productPrefix, productPrefix ?? initialSettings.productPrefix]);
	for (const word of words) {
		const at = `${path}/`.indexOf(`/${word}-api/`);
		if (at >= 0) return path.slice(0, at);
	}
	return path;
}

/**
 * Checks a base URL and normalises it. Throws UsageError, which never repeats a password that stood in the URL, and
 * whose `data.suggested` is the URL that was probably meant, where one can be suggested.
 */
export function parseBaseUrl(text: string, rules: BaseUrlRules = {}): BaseUrl {
	const where = rules.from === undefined ? 'base URL' : `base URL (${rules.from})`;
	const refuse = (why: string, hint = EXAMPLE, suggested?: string): never => {
		const data = suggested === undefined ? {} : { suggested };
		throw new UsageError(`${where}: ${why}`, { code: 'invalid_base_url', data, hint });
	};
	const trimmed = text.trim();
	// Whatever stands before an @ may be a password.
	const shown = JSON.stringify(trimmed.replace(/^([a-z]+:\/\/)?.*@/is, '$1…@').slice(0, 200));
	if (trimmed === '') refuse('is empty');
	if (/[\s\\]/.test(trimmed) || hasControlCharacter(trimmed))
		refuse(`${shown} has a space, a backslash or a control character in it`);
	const suggested = withScheme(trimmed);
	if (suggested !== undefined) refuse(`${shown} has no scheme`, `write ${suggested}`, suggested);
	if (!URL.canParse(trimmed)) refuse(`${shown} is not a URL`);
	const url = new URL(trimmed);
	if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse(`${shown} is neither https:// nor http://`);
	if (url.username !== '' || url.password !== '') {
		refuse('must not carry a user name or password', 'give them with --username, and the password when asked');
	}
	const without = `write it without: ${url.origin}${url.pathname}`;
	if (url.search !== '' || trimmed.includes('?')) {
		refuse(`${shown} has a query, which can't stand before a path`, without);
	}
	if (url.hash !== '' || trimmed.includes('#')) {
		refuse(`${shown} has a fragment (#), which can't stand before a path`, without);
	}
	const path = url.pathname.replace(/\/{2,}/g, '/').replace(/\/+$/, '');
	const shorter = withoutPrefix(path, rules.productPrefix).replace(/\/+$/, '');
	const result = url.origin + shorter;
	if (url.protocol === 'http:' && !mayBeLoopback(url.hostname) && rules.allowHttp !== true) {
		const secure = `https:${result.slice('http:'.length)}`;
		refuse(
			`${shown} would send credentials unencrypted`,
			`use ${secure}, or ${rules.howToAllowHttp ?? 'allow it in a profile: supportctl profile set NAME --allow-http'}`,
			secure,
		);
	}
	const warnings =
		shorter === path
			? []
			: [`${path.slice(shorter.length)} at the end of the base URL was left out: ${result} is used`];
	return { url: result, warnings };
}
