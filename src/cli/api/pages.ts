/** Which page comes after this one: the Link header's rel=next, as long as it stays with the same service. */

import { FailedError } from '../../errors.js';

/** The end of a link's parameters: the next comma that is not in quotes. */
function endOfLink(text: string, from: number): number {
	let quoted = false;
	for (let at = from; at < text.length; at++) {
		const character = text[at];
		if (character === '\\' && quoted) at++;
		else if (character === '"') quoted = !quoted;
		else if (character === ',' && !quoted) return at;
	}
	return text.length;
}

/** Splits the header into targets and what stands behind each (RFC 8288). */
function* linksOf(text: string): Generator<{ target: string; parameters: string }> {
	for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
		const close = text.indexOf('>', at);
		if (close === -1) return;
		const end = endOfLink(text, close + 1);
		yield { target: text.slice(at + 1, close), parameters: text.slice(close + 1, end) };
		at = end;
	}
}

/** The target of the first link whose relations hold `next`; undefined without one. */
export function nextLink(header: string | readonly string[] | undefined): string | undefined {
	const text = typeof header === 'string' ? header : (header ?? []).join(', ');
	for (const { target, parameters } of linksOf(text)) {
		const bare = parameters.replace(/;\s*(?!rel\b)[a-z*-]+\s*=\s*"[^"]*"/gi, '');
		const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(bare);
		const names = (relation?.[1] ?? relation?.[2] ?? '').toLowerCase().split(/\s+/);
		if (names.includes('next')) return target;
	}
	return undefined;
}

export interface NextRules {
	/** Without a trailing slash. */
	baseUrl: string;
	/** `support-api`. */
	root: string;
}

/** The path below the base URL that a link leads to from `path`. @throws FailedError where that is another place */
export function followLink(link: string, path: string, { baseUrl, root }: NextRules): string {
	const base = new URL(baseUrl);
	const basePath = base.pathname.replace(/\/+$/, '');
	const from = `${base.origin}${basePath}${path}`;
	const stray = (why: string): FailedError =>
		new FailedError(`the next page was not asked for: its address ${JSON.stringify(link.slice(0, 200))} ${why}`, {
			code: 'stray_next_page',
			hint: 'what came before it was printed; the credentials stay with the base URL',
		});
	if (/[\p{Cc}\\]/u.test(link) || !URL.canParse(link, from)) throw stray('is not a URL');
	const target = new URL(link, from);
	if (target.origin !== base.origin) throw stray(`is on another origin than ${base.origin}`);
	if (target.username !== '' || target.password !== '') throw stray('carries a user name or password');
	if (/%2e|%2f|%5c/i.test(target.pathname)) throw stray('has hidden dots or slashes');
	const prefix = `${basePath}/${root}/v1`;
	if (target.pathname !== prefix && !target.pathname.startsWith(`${prefix}/`)) throw stray(`is not below ${prefix}`);
	if (/[?&]_method=/i.test(target.search)) throw stray('asks for another method');
	return target.pathname.slice(basePath.length) + target.search;
}

/** Notices pages that come again, and a service that goes on naming a next page when there is nothing left. */
export class LoopGuard {
	private readonly seen = new Set<string>();
	private empty = 0;

	/** @throws FailedError where `path` was asked for already */
	enter(path: string): void {
		if (this.seen.has(path)) throw loop(`the next page of the list is one that was printed already: ${path}`);
		this.seen.add(path);
	}

	/** @throws FailedError where this is the second page in turn without a row though more are promised */
	left(rows: number): void {
		this.empty = rows === 0 ? this.empty + 1 : 0;
		if (this.empty > 1) throw loop('the list goes on without rows');
	}
}

function loop(message: string): FailedError {
	return new FailedError(`${message}; stopped`, { code: 'page_loop' });
}
