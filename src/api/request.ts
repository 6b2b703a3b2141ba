/** A validated row → the request to send. */

import { bodyOut, type Dialect, neutralDialect } from './dialect.js';
import { bodyKinds, type Endpoint, type Method, type PathParameter } from './endpoints.js';
import { didYouMean } from './suggest.js';
import { type Parsed, parseId, parseSlug, quote } from './values.js';

/** Under the interface's names. */
export interface RowValues {
	ids: Readonly<Record<string, string>>;
	force?: boolean | undefined;
	/** Who receives what a deleted user leaves. */
	reassign?: string | undefined;
	/** To look up, by path parameter or `reassign`. */
	names?: Readonly<Record<string, string>> | undefined;
	/** Fields in which names may stand for IDs. What other fields have is an ID already, and is never read as a name. */
	mayName?: ReadonlySet<string> | undefined;
	/** The body: wire name → value. Of custom fields: the custom field's name → text. */
	fields?: Readonly<Record<string, unknown>> | undefined;
	/** For --if-unmodified; never sent. */
	modified?: string | undefined;
}

/** Ready to be sent. */
export interface Request {
	readonly endpoint: Endpoint;
	readonly method: Method;
	readonly path: string;
	/** Rows with equal keys keep their order and share a shard. */
	readonly key: string;
	/** Whether it deletes without a way back. */
	readonly permanent: boolean;
	readonly ids: Readonly<Record<string, string>>;
	/** JSON. */
	readonly body: string | undefined;
	/** The fields of the body, under the interface's names. */
	readonly sent: Readonly<Record<string, unknown>> | undefined;
}

export type Planner = (row: RowValues) => Request;

/** @returns a function that makes requests in the deployment's words (interface section 4) */
export function createPlanner(endpoint: Endpoint, dialect: Dialect = neutralDialect): Planner {
	const [before = '', ...parts] = `/${dialect.root}/v1${endpoint.path}`.split('<');
	const rest = parts.map((part) => part.split('>') as [id: string, text: string]);
	const force = endpoint.query.find((each) => each.name === 'force')?.presence;
	const { isSent, under } = bodyKinds[endpoint.body];
	const takesReassign = endpoint.query.some((each) => each.name === 'reassign');

	return ({ ids, force: isForced, reassign, fields = {} }) => {
		let path = before;
		for (const [id, text] of rest) path += encodeURIComponent(ids[id] as string) + text;
		const key = endpoint.changes === undefined ? path : `${endpoint.path} ${ids[endpoint.changes]}`;
		const permanent = force === 'always' || (force !== undefined && isForced === true);
		const query: string[] = endpoint.constantQuery === undefined ? [] : [endpoint.constantQuery];
		if (permanent) query.push('force=true');
		if (takesReassign && reassign !== undefined) query.push(`reassign=${reassign}`);
		const own = under === undefined ? bodyOut(dialect, fields) : { [under]: fields };
		return {
			endpoint,
			method: endpoint.method,
			path: query.length === 0 ? path : `${path}?${query.join('&')}`,
			key,
			permanent,
			ids,
			body: isSent ? JSON.stringify(own) : undefined,
			sent: isSent ? fields : undefined,
		};
	};
}

/** Of a path: a member of its own kind is refused where it would lead somewhere else. */
const pathKinds: Readonly<
	Record<PathParameter['kind'], (text: string, endpoint: Endpoint, undocumented: boolean) => Parsed<string>>
> = {
	id: parseId,
	slug: parseSlug,
	taxonomy: (text, endpoint, undocumented) => parseTaxonomy(endpoint, text, undocumented),
};

/** @param text of an ID or slug itself, not a name for it */
export function parsePathValue(
	{ kind }: Pick<PathParameter, 'kind'>,
	text: string,
	endpoint: Endpoint,
	undocumented: boolean,
): Parsed<string> {
	return pathKinds[kind](text, endpoint, undocumented);
}

export function parseTaxonomy(
	{ verb, taxonomies = [] }: Endpoint,
	text: string,
	undocumented: boolean,
): Parsed<string> {
	if (undocumented) return parseSlug(text);
	if (taxonomies.includes(text)) return { value: text };
	// Only a name that is meant can be sent undocumented.
	const advice = didYouMean(text, taxonomies) || '; pass --undocumented to use other taxonomies';
	const documented = taxonomies.join(' and ');
	return { problem: `can't ${verb} ${quote(text)} terms: the API documents this for ${documented} only${advice}` };
}
