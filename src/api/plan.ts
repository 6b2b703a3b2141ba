/** A validated row → the request that is sent: method, path, query and body, all before anything touches a socket. */

import { bodyOut, type Dialect, neutralDialect } from './dialect.js';
import type { Endpoint, Method } from './endpoints.js';

/** What one row says, after validation: names are the interface's neutral ones. */
export interface RowValues {
	/** Path parameters by name; digits or a slug, already checked. */
	ids: Readonly<Record<string, string>>;
	/** True sends `force=true`. */
	force?: boolean | undefined;
	/** User id that receives what a deleted user leaves. */
	reassign?: string | undefined;
	/** User names whose ids are looked up before anything is sent. */
	names?: { id?: string; reassign?: string } | undefined;
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
	if (sent === undefined) return false;
	for (const _name in sent) return false;
	return true;
}

export type Planner = (row: RowValues) => Request;

/** Makes the planner of an endpoint in a deployment's dialect (interface section 4). */
export function createPlanner(endpoint: Endpoint, dialect: Dialect = neutralDialect): Planner {
	const root = `/${dialect.root}/v1`;
	const pieces = endpoint.path.split(/<[a-z_]+>/);
	const names = [...endpoint.path.matchAll(/<([a-z_]+)>/g)].map((match) => match[1] as string);
	const takes = new Set(endpoint.query.map((each) => each.name));
	const takesForce = takes.has('force');
	const forceAlways = endpoint.query.some((each) => each.name === 'force' && each.presence === 'always');

	function pathOf(ids: RowValues['ids']): string {
		let path = root + (pieces[0] as string);
		for (let index = 0; index < names.length; index++) {
			path += encodeURIComponent(ids[names[index] as string] as string) + (pieces[index + 1] as string);
		}
		return path;
	}

	function queryOf({ reassign }: RowValues, permanent: boolean): string {
		const parts = endpoint.constantQuery === undefined ? [] : [endpoint.constantQuery];
		if (permanent) parts.push('force=true');
		if (takes.has('reassign') && reassign !== undefined) parts.push(`reassign=${reassign}`);
		return parts.length === 0 ? '' : `?${parts.join('&')}`;
	}

	function bodyOf(fields: Readonly<Record<string, unknown>>): string {
		if (endpoint.body === 'custom_fields') return JSON.stringify({ custom_fields: fields });
		return JSON.stringify(bodyOut(dialect, fields));
	}

	return (row) => {
		const path = pathOf(row.ids);
		const permanent = takesForce && (forceAlways || row.force === true);
		const sent = endpoint.body === 'none' ? undefined : (row.fields ?? {});
		return {
			endpoint,
			method: endpoint.method,
			path: path + queryOf(row, permanent),
			key: endpoint.changes === undefined ? path : `${endpoint.path} ${row.ids[endpoint.changes]}`,
			permanent,
			ids: row.ids,
			body: sent === undefined ? undefined : bodyOf(sent),
			sent,
		};
	};
}
