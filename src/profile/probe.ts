/** Trying a base URL and credentials before they are stored, and what each response proves. */

/** One response, as far as signing in is concerned. */
export type ProbeResponse =
	| { kind: 'problem'; code: string; message: string }
	| {
			kind: 'response';
			status: number;
			/** True where the body is the service's kind of JSON. */
			json: boolean;
			/** The service's code, or ours for a response that is not JSON. */
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
export type Ask = (target: { baseUrl: string; credentials: boolean }) => Promise<ProbeResponse>;

/** What stands at a base URL, as a response without credentials shows. */
export type Place =
	| { kind: 'service' }
	/** `to` is the base URL that a redirect points at, where there is one in it. */
	| { kind: 'moved'; target: string; to?: string | undefined }
	/** Something responds, but not the interface. */
	| { kind: 'elsewhere'; why: string }
	/** Not known just now: no connection, a firewall, an error of the host. */
	| { kind: 'unreachable'; code: string; why: string };

/** What a response with credentials proves, beside the one without. */
export type SignIn =
	/** `doubt` is what is not proved all the same, and what to do about that. */
	| { kind: 'accepted'; doubt?: { note: string; hint: string } }
	| { kind: 'refused'; why: string; hint: string }
	| { kind: 'unclear'; code: string; why: string };

function words({ status, code, message }: Extract<ProbeResponse, { kind: 'response' }>): string {
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

/** Judges the response that came without credentials. */
export function judgePlace(response: ProbeResponse, baseUrl: string, path: string): Place {
	if (response.kind === 'problem') return { kind: 'unreachable', code: response.code, why: response.message };
	const { status, json, location } = response;
	if (status >= 300 && status < 400) {
		const to = location === undefined ? undefined : redirectedBaseUrl(baseUrl, path, location);
		return { kind: 'moved', target: location ?? 'nowhere', to };
	}
	if (status === 404 || status === 405)
		return { kind: 'elsewhere', why: `there is no such route (${words(response)})` };
	// A gate in front of the service may refuse in HTML: the service is behind it. 403 may be a firewall's, 407 is a proxy's.
	const isOfHost = status >= 500 || status === 429 || (!json && (status === 403 || status === 407));
	if (isOfHost) return { kind: 'unreachable', code: `http_${status}`, why: words(response) };
	if (json || status === 401) return { kind: 'service' };
	return { kind: 'elsewhere', why: `the response is not the API's (${words(response)})` };
}

/** Judges the response that came with credentials against the one that came without. */
export function judgeSignIn(without: ProbeResponse, response: ProbeResponse): SignIn {
	if (response.kind === 'problem') return { kind: 'unclear', code: response.code, why: response.message };
	const { status, json, code } = response;
	const isSame = without.kind === 'response' && without.status === status && without.code === code;
	if (status === 401 || (status === 403 && isSame)) {
		const read = isSame ? 'refused the credentials' : 'read the credentials and refused them';
		return {
			kind: 'refused',
			why: `the service ${read} (${words(response)})`,
			hint: isSame
				? 'the response is the same as without credentials: either they are wrong, or the host removes the header that carries them before the service sees it'
				: 'check the user name; an application password is another than the one for the website',
		};
	}
	if (status >= 300 && status < 400) {
		return {
			kind: 'unclear',
			code: 'redirect',
			why: `it redirects to ${response.location ?? 'nowhere'} once signed in`,
		};
	}
	if (!json || status >= 500 || status === 429) {
		return { kind: 'unclear', code: code ?? `http_${status}`, why: words(response) };
	}
	const accepted = (note: string, hint: string): SignIn => ({ kind: 'accepted', doubt: { note, hint } });
	if (without.kind === 'problem' || (without.status !== 401 && without.status !== 403)) {
		return accepted(
			'the service gives the same response without credentials, so it is not certain that they are valid',
			'a read that needs credentials shows it, such as supportctl ticket fields get ID',
		);
	}
	if (status === 403) {
		return accepted(
			`the account may not do everything (${words(response)})`,
			'sign in with an account that may, or ask an administrator of the service for the right',
		);
	}
	if (status < 400) return { kind: 'accepted' };
	return accepted(
		`the credentials passed, but the look-up of this user failed (${words(response)})`,
		'check the user name: supportctl user id NAME looks one up',
	);
}

/** Base URLs that may have been meant, likeliest first, where one did not lead to the interface. */
export function likelyBaseUrls(baseUrl: string): string[] {
	const { origin, pathname, search } = new URL(baseUrl);
	const path = pathname.replace(/\/+$/, '');
	const site = path.replace(/\/(?:wp-json|wp-admin|wp-login\.php|wp-content|index\.php)(?:\/.*)?$/, '');
	const candidates = [/^(.*\/wp-json)\/.+$/.exec(path)?.[1] ?? path, `${site}/wp-json`, '/wp-json', site, ''];
	const others = candidates.filter((each) => each !== path && !each.includes('/wp-json/wp-json'));
	const places = [...new Set(others)].slice(0, 3).map((each) => origin + each);
	// A site without pretty URLs.
	return search === '' ? [...places, `${origin}${site}/?rest_route=`] : places;
}

/** What became of looking for the interface: the place itself, or one nearby that has it. */
export interface Search {
	place: Place;
	/** The response without credentials at `baseUrl`. */
	response: ProbeResponse;
	/** Another base URL at which the interface does respond. */
	suggested?: string;
	/** The base URL that a redirect points at, where what is there could not be seen. */
	hidden?: { baseUrl: string; code: string; why: string };
}

/** How many base URLs are tried beside the given one. */
const TRIES = 5;

/** Looks without credentials at the base URL and, if the interface is not there, at the ones that were likely meant. */
export async function findService(baseUrl: string, path: string, ask: Ask): Promise<Search> {
	const response = await ask({ baseUrl, credentials: false });
	const place = judgePlace(response, baseUrl, path);
	if (place.kind === 'service' || place.kind === 'unreachable') return { place, response };
	const targets = new Set<string>();
	const candidates = likelyBaseUrls(baseUrl);
	const tried = new Set([baseUrl]);
	let hidden: Search['hidden'];
	let found: Place = place;
	for (;;) {
		// Where a redirect points is tried first.
		if (found.kind === 'moved' && found.to !== undefined) {
			targets.add(found.to);
			candidates.unshift(found.to);
		}
		const candidate = candidates.find((each) => !tried.has(each));
		if (candidate === undefined || tried.size > TRIES) return { place, response, ...(hidden && { hidden }) };
		tried.add(candidate);
		found = judgePlace(await ask({ baseUrl: candidate, credentials: false }), candidate, path);
		if (found.kind === 'service') return { place, response, suggested: candidate };
		if (found.kind === 'unreachable' && targets.has(candidate)) {
			hidden ??= { baseUrl: candidate, code: found.code, why: found.why };
		}
	}
}
