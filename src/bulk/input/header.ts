/** The words of an input's header: which column each name stands for. */

import type { Endpoint, PathParameter } from '../../api/endpoints.js';
import { type Field, flagName } from '../../api/fields.js';
import { numberedIdNames } from '../../api/path-ids.js';
import type { RowValues } from '../../api/plan.js';
import { showsModified } from '../../api/reads.js';
import { didYouMean } from '../../api/suggest.js';
import { findField, quote, type ValueRules } from '../../api/values.js';
import { isReasonColumn, OUTCOME_COLUMNS } from './added-columns.js';
import {
	type CellReader,
	customColumn,
	customObjectColumn,
	fieldColumn,
	forceColumn,
	idColumn,
	ignoredColumn,
	mapKeyColumn,
	modifiedColumn,
	reassignColumn,
	taxonomyColumn,
	userNameColumn,
} from './columns.js';

/** What flags give to every row. */
export type FlagValues = Partial<RowValues>;

export interface CompileOptions {
	/** What messages call the input. */
	readonly name: string;
	/** The header of CSV and TSV; undefined where rows are objects or ids. */
	readonly columns: readonly string[] | undefined;
	/** The line on which it stands. */
	readonly headerLine?: number | undefined;
	/** What the rows are for; with `endpointFor`, the one that stands for all in messages. */
	readonly endpoint: Endpoint;
	/** For term commands: the endpoint of a row's taxonomy. Throws UsageError where there is none. */
	readonly endpointFor?: (taxonomy: string) => Endpoint;
	readonly rules: ValueRules;
	/** A deployment's own name of a field → the interface's; any other comes back as it is. */
	readonly fieldIn?: (name: string) => string;
	/** Column → field, as `--map` says. */
	readonly map?: Readonly<Record<string, string>> | ReadonlyMap<string, string>;
	readonly ignore?: readonly string[];
	/** Whether columns that mean nothing are ignored. */
	readonly ignoreOther?: boolean;
	/** The column that holds the rows' ids, where it has a name of its own. */
	readonly idColumn?: string;
	readonly flags?: FlagValues;
	/** Whether rows that are ids are user names. */
	readonly byUsername?: boolean;
	/** What an empty cell does: leave the field alone, or send "". */
	readonly blank?: 'skip' | 'clear';
}

/** The parameter that tells rows apart: the last one of the path. */
export function rowParameter(endpoint: Endpoint): PathParameter | undefined {
	return endpoint.parameters.at(-1);
}

/** Other names under which a parameter's column is understood. */
function aliasesOf(endpoint: Endpoint, parameter: PathParameter): string[] {
	if (endpoint.parameters.length !== 1) return [parameter.name];
	const asOwner = `${endpoint.noun}_id`;
	return numberedIdNames.has(asOwner) ? ['id', asOwner] : [parameter.name];
}

/** Columns of user names in place of ids. */
export const USER_NAMES: Readonly<Record<string, 'id' | 'reassign'>> = {
	username: 'id',
	'reassign-username': 'reassign',
};

/** Whether rows may name users, whose ids are looked up. */
export function takesUserNames({ query }: Pick<Endpoint, 'query'>): boolean {
	return query.some(({ name }) => name === 'reassign');
}

/** The column of an export that --if-unmodified compares. */
const MODIFIED = 'modified_gmt';

/** What a name in the input means. */
export class Vocabulary {
	readonly #options: CompileOptions;
	readonly #map: ReadonlyMap<string, string>;
	readonly #ignore: ReadonlySet<string>;
	/** Whether the input is a sheet that `ticket fields get` wrote. */
	readonly #isSheet: boolean;
	readonly #parameters = new Map<string, PathParameter>();

	constructor(options: CompileOptions) {
		this.#options = options;
		const { map = {} } = options;
		this.#map = map instanceof Map ? map : new Map(Object.entries(map));
		this.#ignore = new Set(options.ignore);
		const { columns = [], endpoint } = options;
		this.#isSheet = endpoint.body === 'custom_fields' && OUTCOME_COLUMNS.every((name) => columns.includes(name));
		for (const parameter of options.endpoint.parameters) {
			for (const alias of aliasesOf(options.endpoint, parameter)) this.#parameters.set(flagName(alias), parameter);
		}
	}

	/** Every name that a column may have, for "did you mean". */
	known(): string[] {
		const { endpoint, endpointFor } = this.#options;
		return [
			...endpoint.parameters.flatMap((each) => aliasesOf(endpoint, each)),
			...(endpointFor === undefined ? [] : ['taxonomy']),
			...this.#queryNames(),
			...(takesUserNames(endpoint) ? ['username', 'reassign_username'] : []),
			...(showsModified(endpoint) ? [MODIFIED] : []),
			...endpoint.fields.map((each) => each.name),
		];
	}

	#queryNames(): string[] {
		const { endpoint, endpointFor } = this.#options;
		const names: string[] = endpoint.query.map((each) => each.name);
		// Another taxonomy's rows may take what this one's do not.
		if (endpointFor !== undefined && endpoint.method === 'DELETE' && !names.includes('force')) names.push('force');
		return names;
	}

	isIgnored(name: string): boolean {
		if (this.#ignore.has(name)) return true;
		if (this.#options.ignoreOther === true && this.#meaning(name) === undefined) return true;
		return !this.#isTaken(name) && (isReasonColumn(name) || (this.#isSheet && OUTCOME_COLUMNS.includes(name)));
	}

	/** Whether flags say what the column is. */
	#isTaken(name: string): boolean {
		return this.#map.has(name) || this.#options.idColumn === name;
	}

	/** What the column does, and under which name it would clash with another; undefined for an unknown one. */
	find(name: string): { column: CellReader; means: string } | undefined {
		return this.isIgnored(name) ? { column: ignoredColumn(name), means: ` ${name}` } : this.#meaning(name);
	}

	#meaning(name: string): { column: CellReader; means: string } | undefined {
		const { endpoint, endpointFor, rules, blank, idColumn: own } = this.#options;
		const clear = blank === 'clear';
		const given = this.#map.get(name) ?? name;
		// Names of custom fields are the desk's own: no dialect has words for them.
		const wanted = endpoint.body === 'custom_fields' ? given : (this.#options.fieldIn?.(given.trim()) ?? given);
		const key = flagName(wanted.trim().toLowerCase());
		const parameter = own === name ? rowParameter(endpoint) : this.#parameters.get(key);
		if (parameter !== undefined) return { column: idColumn(name, parameter), means: parameter.name };
		if (own === name && endpoint.required.length === 1) {
			const field = endpoint.fields[0] as Field;
			return { column: fieldColumn(name, field, rules, clear), means: `field ${field.name}` };
		}
		if (endpointFor !== undefined && key === 'taxonomy') {
			return { column: taxonomyColumn(name, endpointFor), means: 'taxonomy' };
		}
		if (this.#queryNames().includes(key)) {
			return { column: key === 'force' ? forceColumn(name) : reassignColumn(name), means: key };
		}
		const named = takesUserNames(endpoint) ? USER_NAMES[key] : undefined;
		if (named !== undefined) return { column: userNameColumn(name, named), means: key };
		if (key === flagName(MODIFIED) && showsModified(endpoint)) return { column: modifiedColumn(name), means: MODIFIED };
		if (endpoint.body === 'custom_fields') return this.#findCustom(name, wanted, clear);
		const field = findField(endpoint.fields, wanted);
		if (field !== undefined) return { column: fieldColumn(name, field, rules, clear), means: `field ${field.name}` };
		const dot = wanted.indexOf('.');
		const map = dot > 0 ? findField(endpoint.fields, wanted.slice(0, dot)) : undefined;
		if (map?.kind !== 'map' || dot === wanted.length - 1) return undefined;
		return {
			column: mapKeyColumn(name, map, wanted.slice(dot + 1), clear),
			means: `field ${map.name}.${wanted.slice(dot + 1)}`,
		};
	}

	#findCustom(name: string, wanted: string, clear: boolean): { column: CellReader; means: string } {
		const { rules, columns } = this.#options;
		if (columns === undefined && wanted === 'custom_fields') {
			const one = (field: string): CellReader => customColumn(field, field, rules, clear);
			return { column: customObjectColumn(name, one), means: 'custom_fields' };
		}
		return { column: customColumn(name, wanted, rules, clear), means: `field ${wanted}` };
	}

	unknown(name: string): string {
		const mapped = this.#map.get(name);
		if (mapped !== undefined && mapped !== name) {
			return `column ${quote(name)} is mapped to ${quote(mapped)}, which is not a field of ${this.#options.endpoint.noun}${didYouMean(mapped, this.known())}`;
		}
		return `unknown column ${quote(name)}${didYouMean(name, this.known())}`;
	}
}
