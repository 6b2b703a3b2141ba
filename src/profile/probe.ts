/** Trying a base URL and credentials before they are stored, and what each answer proves. */

/** One answer, as far as signing in is concerned. */
export type ProbeAnswer =
	| { kind: 'problem'; code: string; message: string }
	| {
			kind: 'answer';
			status: number;
			/** True where the body is the service's kind of JSON. */
			json: boolean;
			/** The service's code, or ours for an answer that is not JSON. */
			code?: string;
			message?: string;
			/** The target of a redirect, as it came. */
			location?: string;
	  };

/**
 * Sends a documented call that changes nothing: the look-up of a user's id by name. It is first sent without
 * credentials: that finds a wrong base URL before anything secret leaves, and shows afterwards what the credentials
 * made different.
 */
export type Ask = (target: { baseUrl: string; credentials: boolean }) => Promise<ProbeAnswer>;

/** What stands at a base URL, as an answer without credentials tells. */
export type Place =
	| { kind: 'service' }
	/** `to` is the base URL that a redirect points at, where one can be told from it. */
	| { kind: 'moved'; target: string; to?: string }
	/** Something answers, but not the interface. */
	| { kind: 'elsewhere'; why: string }
	/** Nobody can tell just now: no connection, a firewall, an error of the host. */
	| { kind: 'unreachable'; code: string; why: string };

/** What an answer with credentials proves, beside the one without. */
export type SignIn =
	/** `doubt` is what is not proved all the same, and what to do about that. */
	| { kind: 'accepted'; doubt?: { note: string; hint: string } }
	| { kind: 'refused'; why: string; hint: string }
	| { kind: 'unclear'; code: string; why: string };

function words(answer: Extract<ProbeAnswer, { kind: 'answer' }>): string {
	const { status, code, message } = answer;
	const own = message === undefined ? '' : `: ${message}`;
	return code === undefined || code === `http_${status}` ? `${status}${own}` : `${status} ${code}${own}`;
}

/** The base URL that a redirect of `path` below `baseUrl` points at; undefined where it leads somewhere else. */
export function redirectedBaseUrl(baseUrl: string, path: string, location: string): string | undefined {
	const base = new URL(baseUrl);
	if (!URL.canParse(location, baseUrl + path)) return undefined;
	const target = new URL(location, baseUrl + path);
	if (target.protocol !== 'https:' && (target.protocol !== 'http:' || base.protocol === 'https:')) return undefined;
	const targetPath = target.pathname.replace(/\/+$/, '');
	if (targetPath.endsWith(path)) {
		const to = target.origin + targetPath.slice(0, -path.length);
		return to === baseUrl ? undefined : to;
	}
	// A host that sends everything to its front page on another origin.
	return target.origin === base.origin ? undefined : target.origin + base.pathname.replace(/\/+$/, '');
}

/** Judges the answer that came without credentials. */
export function judgePlace(answer: ProbeAnswer, baseUrl: string, path: string): Place {
	if (answer.kind === 'problem') return { kind: 'unreachable', code: answer.code, why: answer.message };
	const { status, json, location } = answer;
	if (status >= 300 && status < 400) {
		const target = location ?? 'nowhere';
		const to = location === undefined ? undefined : redirectedBaseUrl(baseUrl, path, location);
		return { kind: 'moved', target, ...(to !== undefined && { to }) };
	}
	if (status >= 500 || status === 429) return { kind: 'unreachable', code: `http_${status}`, why: words(answer) };
	if (status === 404 || status === 405) return { kind: 'elsewhere', why: `there is no such route (${words(answer)})` };
	// A gate in front of the service may refuse in HTML; it is past it that the service is.
	if (status === 401) return { kind: 'service' };
	if (json) return { kind: 'service' };
	// 407 is a proxy's, which stands before any service.
	if (status === 403 || status === 407) return { kind: 'unreachable', code: `http_${status}`, why: words(answer) };
	return { kind: 'elsewhere', why: `the response is not the API's (${words(answer)})` };
}

type Answer = Extract<ProbeAnswer, { kind: 'answer' }>;

/** Whether the service told a difference between a caller with credentials and one without. */
function sameRefusal(left: ProbeAnswer, right: Answer): boolean {
	return left.kind === 'answer' && left.status === right.status && left.code === right.code;
}

const STRIPPED =
	'the response is the same as without credentials: either they are wrong, or the host removes the header that carries them before the service sees it';

/** Judges the answer that came with credentials against the one that came without. */
export function judgeSignIn(without: ProbeAnswer, answer: ProbeAnswer): SignIn {
	if (answer.kind === 'problem') return { kind: 'unclear', code: answer.code, why: answer.message };
	const { status, json } = answer;
	const guarded = without.kind === 'answer' && (without.status === 401 || without.status === 403);
	if (status === 401 || (status === 403 && sameRefusal(without, answer))) {
		return sameRefusal(without, answer)
			? {
					kind: 'refused',
					why: `the service refused the credentials (${words(answer)})`,
					hint: STRIPPED,
				}
			: {
					kind: 'refused',
					why: `the service read the credentials and refused them (${words(answer)})`,
					hint: 'check the user name; an application password is another than the one for the website',
				};
	}
	if (status >= 300 && status < 400) {
		return { kind: 'unclear', code: 'redirect', why: `it redirects to ${answer.location ?? 'nowhere'} once signed in` };
	}
	if (!json || status >= 500 || status === 429) {
		return { kind: 'unclear', code: answer.code ?? `http_${status}`, why: words(answer) };
	}
	if (!guarded) {
		return {
			kind: 'accepted',
			doubt: {
				note: 'the service gives the same response without credentials, so it is not certain that they are valid',
				hint: 'a read that needs credentials shows it, such as supportctl ticket fields get ID',
			},
		};
	}
	if (status === 403) {
		return {
			kind: 'accepted',
			doubt: {
				note: `the account may not do everything (${words(answer)})`,
				hint: 'sign in with an account that may, or ask an administrator of the service for the right',
			},
		};
	}
	return status >= 400
		? {
				kind: 'accepted',
				doubt: {
					note: `the credentials passed, but the look-up of this user failed (${words(answer)})`,
					hint: 'check the user name: supportctl user id NAME looks one up',
				},
			}
		: { kind: 'accepted' };
}

/** Base URLs that may have been meant, likeliest first, where one did not lead to the interface. */
export function likelyBaseUrls(baseUrl: string): string[] {
	const { origin, pathname } = new URL(baseUrl);
	const path = pathname.replace(/\/+$/, '');
	const candidates: string[] = [];
	const rest = /^(.*\/wp-json)\/.+$/.exec(path)?.[1];
	if (rest !== undefined) candidates.push(rest);
	const site = path.replace(/\/(?:wp-json|wp-admin|wp-login\.php|wp-content|index\.php)(?:\/.*)?$/, '');
	candidates.push(`${site}/wp-json`, '/wp-json', site, '');
	const own = new Set([path]);
	const result: string[] = [];
	for (const candidate of candidates) {
		if (own.has(candidate) || candidate.includes('/wp-json/wp-json')) continue;
		own.add(candidate);
		result.push(origin + candidate);
	}
	return result.slice(0, 3);
}

/** What became of looking for the interface: the place itself, or one nearby that has it. */
export interface Search {
	place: Place;
	/** The answer without credentials at `baseUrl`. */
	answer: ProbeAnswer;
	/** Another base URL at which the interface does answer. */
	suggested?: string;
	/** The base URL that a redirect points at, where what is there could not be seen. */
	hidden?: { baseUrl: string; code: string; why: string };
}

/** Asks without credentials at the base URL and, if the interface is not there, at the ones that were likely meant. */
export async function findService(baseUrl: string, path: string, ask: Ask): Promise<Search> {
	const answer = await ask({ baseUrl, credentials: false });
	const place = judgePlace(answer, baseUrl, path);
	if (place.kind === 'service' || place.kind === 'unreachable') return { place, answer };
	const candidates = likelyBaseUrls(baseUrl);
	const targets = new Set<string>();
	const follow = (found: Place): void => {
		if (found.kind !== 'moved' || found.to === undefined) return;
		targets.add(found.to);
		candidates.unshift(found.to);
	};
	follow(place);
	let hidden: Search['hidden'];
	const tried = new Set([baseUrl]);
	for (let tries = 0; candidates.length > 0 && tries < 4; tries++) {
		const candidate = candidates.shift() as string;
		if (tried.has(candidate)) continue;
		tried.add(candidate);
		const found = judgePlace(await ask({ baseUrl: candidate, credentials: false }), candidate, path);
		if (found.kind === 'service') return { place, answer, suggested: candidate };
		if (found.kind === 'unreachable' && targets.has(candidate)) {
			hidden ??= { baseUrl: candidate, code: found.code, why: found.why };
		}
		follow(found);
	}
	return { place, answer, ...(hidden && { hidden }) };
}
