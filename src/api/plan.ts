/** Which endpoint rows are for, and a validated row → the request that is sent: all before anything touches a socket. */

import { UsageError } from '../errors.js';
import { bodyOut, type Dialect, neutralDialect } from './dialect.js';
import { type Endpoint, endpointList, type Method, termEndpoint, termTaxonomies } from './endpoints.js';
import { didYouMean } from './suggest.js';
import { isProblem, parseSlug, quote } from './values.js';

/** What one row says, after validation: names are the interface's neutral ones. */
export interface RowValues {
	/** Path parameters by name; digits or a slug, already checked. */
	ids: Readonly<Record<string, string>>;
	/** True sends `force=true`. */
	force?: boolean | undefined;
	/** User id that receives what a deleted user leaves. */
	reassign?: string | undefined;
	/** Names that stand for IDs, by path parameter or `reassign`; they are looked up before anything is sent. */
	names?: Readonly<Record<string, string>> | undefined;
	/** The body: wire name → value. For `custom_fields` endpoints: custom field name → string. */
	fields?: Readonly<Record<string, unknown>> | undefined;
	/** The object's `modified_gmt` as the input has it, for --if-unmodified; never sent. */
	modified?: string | undefined;
}

/** One request, ready to be sent. */
export interface Request {
	readonly endpoint: Endpoint;
	readonly method: Method;
	/** Below the base URL, with the query. */
	readonly path: string;
	/** What the request is about: rows with equal keys go one after another and land in the same shard. */
	readonly key: string;
	/** Whether it asks to delete permanently. */
	readonly permanent: boolean;
	/** The ids that name the row in outcomes. */
	readonly ids: Readonly<Record<string, string>>;
	/** JSON text, or undefined for a request without a body. */
	readonly body: string | undefined;
	/** What the body asks for, under neutral names; undefined without a body. */
	readonly sent: Readonly<Record<string, unknown>> | undefined;
}

/** Whether the request would change nothing: it has a body, and no field in it. */
export function asksNothing({ sent }: Pick<Request, 'sent'>): boolean {
	for (const _name in sent) return false;
	return sent !== undefined;
}

export type Planner = (row: RowValues) => Request;

/** Makes the planner of an endpoint in a deployment's dialect (interface section 4). */
export function createPlanner(endpoint: Endpoint, dialect: Dialect = neutralDialect): Planner {
	// Text and names in turn: split once, since each row of a run has its ids put in.
	const parts = `/${dialect.root}/v1${endpoint.path}`.split(/<([a-z_]+)>/);
	const force = endpoint.query.find((each) => each.name === 'force')?.presence;
	const takesReassign = endpoint.query.some((each) => each.name === 'reassign');

	return ({ ids, force: isForced, reassign, fields = {} }) => {
		let path = '';
		for (let index = 0; index < parts.length; index++) {
			const part = parts[index] as string;
			path += index % 2 === 0 ? part : encodeURIComponent(ids[part] as string);
		}
		const permanent = force === 'always' || (force !== undefined && isForced === true);
		const query: string[] = endpoint.constantQuery === undefined ? [] : [endpoint.constantQuery];
		if (permanent) query.push('force=true');
		if (takesReassign && reassign !== undefined) query.push(`reassign=${reassign}`);
		const own = endpoint.body === 'custom_fields' ? { custom_fields: fields } : bodyOut(dialect, fields);
		const hasBody = endpoint.body !== 'none';
		return {
			endpoint,
			method: endpoint.method,
			path: query.length === 0 ? path : `${path}?${query.join('&')}`,
			key: endpoint.changes === undefined ? path : `${endpoint.path} ${ids[endpoint.changes]}`,
			permanent,
			ids,
			body: hasBody ? JSON.stringify(own) : undefined,
			sent: hasBody ? fields : undefined,
		};
	};
}

/**
 * The endpoint; where rows name their taxonomy, one that stands for all, and the function that finds each.
 * @param name A row of the table, or `term.update` and `term.delete`. @throws UsageError
 */
export function chooseEndpoint(
	name: string,
	taxonomy: string | undefined,
	undocumented: boolean,
): { endpoint: Endpoint; forTaxonomy?: (taxonomy: string) => Endpoint } {
	if (name !== 'term.update' && name !== 'term.delete') {
		const endpoint = endpointList.find((each) => each.name === name);
		if (endpoint !== undefined) return { endpoint };
		throw new UsageError(`there is no endpoint ${quote(name)}`, { code: 'unknown_endpoint' });
	}
	const operation = name === 'term.update' ? 'update' : 'delete';
	const documented = termTaxonomies(operation);
	const forTaxonomy = (given: string): Endpoint => {
		if (!undocumented && !documented.includes(given)) {
			const suggestion = didYouMean(given, documented);
			const what = `the API documents no route to ${operation} ${quote(given)} terms, only ${documented.join(' and ')}`;
			// Only a name that is meant can be sent undocumented.
			const hint = suggestion === '' ? { hint: '--undocumented allows other taxonomies' } : {};
			throw new UsageError(what + suggestion, { code: 'undocumented', ...hint });
		}
		const parsed = parseSlug(given);
		if (isProblem(parsed)) throw new UsageError(`taxonomy: ${parsed.problem}`);
		return termEndpoint(operation, parsed.value);
	};
	return { endpoint: forTaxonomy(taxonomy ?? (documented[0] as string)), forTaxonomy };
}
