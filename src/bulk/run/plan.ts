/** What a run is, as plain data: the command line builds it, `execute` runs it, and the first line of its journal holds it. */

import type { Prefixes } from '../../api/dialect.js';
import { endpointList } from '../../api/endpoints.js';
import { UsageError } from '../../errors.js';
import type { InputFormat } from '../input/input.js';

/** Where the rows of a run come from. */
export type RowSource =
	| { readonly from: 'ids'; readonly ids: readonly string[] }
	/** `path` is absolute, or `-` for standard input; `name` is what messages call it. */
	| { readonly from: 'file'; readonly path: string; readonly name: string; readonly format?: InputFormat }
	/** The old values that the journal of an earlier run keeps; `overwrite` restores values that others changed since. */
	| { readonly from: 'snapshots'; readonly journal: string; readonly run: string; readonly overwrite: boolean }
	/** A saved plan; with `allowDrift`, objects that changed since are written too. */
	| { readonly from: 'plan'; readonly path: string; readonly sha256: string; readonly allowDrift: boolean };

/** How the columns of a file become fields. */
export interface ColumnSettings {
	/** Column → field. */
	readonly map: Readonly<Record<string, string>>;
	readonly ignore: readonly string[];
	/** Whether columns that are no field are ignored. */
	readonly ignoreOther: boolean;
	readonly idColumn?: string | undefined;
	/** What an empty cell does: skip the field, or send "". */
	readonly blank: 'skip' | 'clear';
}

/** What flags give to every row; a row's own cell wins. */
export interface SharedValues {
	/** Path ids, `taxonomy` among them. */
	readonly ids: Readonly<Record<string, string>>;
	readonly fields: Readonly<Record<string, unknown>>;
	/** Secret fields, whose values are never kept: a resume asks for them again. */
	readonly withheld: readonly string[];
	readonly force: boolean;
	readonly reassign?: string | undefined;
	/** Items to add to and remove from list fields, by field: the object is read first. */
	readonly add: Readonly<Record<string, readonly (string | number)[]>>;
	readonly remove: Readonly<Record<string, readonly (string | number)[]>>;
}

/** A field must hold this value for the row to be sent; "" means that it has none. */
export interface Condition {
	readonly field: string;
	readonly value: string;
}

/** What is read before and after a write. */
export interface Checks {
	readonly onlyChanged: boolean;
	readonly verify: boolean;
	readonly snapshot: boolean;
	readonly ifUnmodified: boolean;
	readonly conditions: readonly Condition[];
	/** Fields that may differ in the response without the row being `differs`; true for all. */
	readonly allowDiffers: boolean | readonly string[];
	/** Whether a delete of what is gone already (404, 410) is ok. */
	readonly ignoreMissing: boolean;
}

/** What stops a run before its end. */
export interface StopRules {
	readonly onError: boolean;
	readonly maxFailures?: number | undefined;
}

/** One of `count` parts, counted from 1. */
export interface Shard {
	readonly index: number;
	readonly count: number;
}

/** Which service the run is for. It is compared on a resume, and never used to sign in. */
export interface RunService {
	readonly baseUrl: string;
	readonly prefixes: Readonly<Prefixes>;
	readonly profile?: string | undefined;
	/** Whether that profile is protected: then every part of the run needs --confirm. */
	readonly protected: boolean;
}

export interface RunPlan {
	/** A name of the endpoint table; `term.update` and `term.delete` where rows name their taxonomy. */
	readonly endpoint: string;
	readonly source: RowSource;
	readonly columns: ColumnSettings;
	readonly values: SharedValues;
	readonly checks: Checks;
	readonly stop: StopRules;
	readonly skipInvalid: boolean;
	readonly undocumented: boolean;
	readonly shard?: Shard | undefined;
	readonly service: RunService;
}

/** How a run is carried out; each resume may choose anew. */
export interface RunTuning {
	/** Requests at a time; with `auto`, the most. */
	readonly concurrency: number;
	/** Whether the run finds out how many requests the service carries out at a time. */
	readonly auto: boolean;
	/** Requests a second at the most. */
	readonly rate?: number | undefined;
	readonly retries: number;
	/** Rows that are sent at the most; a resume sends the rest. */
	readonly first?: number | undefined;
	readonly quiet: boolean;
	/** When no new row begins any more, in milliseconds since 1970; a resume sends the rest. */
	readonly until?: number | undefined;
}

/** A plan that was written to a file. */
export interface SavedPlan {
	readonly path: string;
	readonly sha256: string;
	/** Rows that would change something. */
	readonly rows: number;
}

/** The first line of a journal. */
export interface RunHeader {
	readonly id: string;
	/** ISO 8601. */
	readonly started: string;
	/** The version of the tool. */
	readonly tool: string;
	/** How many rows may be under way at a time. */
	readonly concurrency: number;
	/** Who started it: the system's user and host, and the account of the service. */
	readonly who?: { readonly user: string; readonly host: string; readonly account?: string | undefined } | undefined;
	/** What `--note` says. */
	readonly note?: string | undefined;
	/** Reports that each part of the run writes: `html:/home/ada/run.html`. */
	readonly reports?: readonly string[] | undefined;
	readonly plan: RunPlan;
	/** What the first pass found, so that a resume can tell whether the input is the same. */
	readonly input: {
		readonly sha256: string;
		/** Rows of the whole input. */
		readonly rows: number;
		/** The highest row number, where rows keep the numbers of an earlier run. */
		readonly last?: number | undefined;
		/** Rows that belong to this run: all, or those of its shard. */
		readonly own: number;
		/** Whether the source's path is a private copy of standard input. */
		readonly copied: boolean;
	};
}

/** The words of the command that a plan's endpoint belongs to: `ticket fields set`. */
export function commandOf({ endpoint, source }: Pick<RunPlan, 'endpoint' | 'source'>): string {
	if (source.from === 'snapshots') return 'run undo';
	const words = endpoint.split('.');
	return (words[0] === 'term' ? words.slice(0, 2) : words).join(' ');
}

/** Whether the plan adds items to list fields or removes some, so that a row without a field has something to do. */
export function changesLists({ values: { add, remove } }: Pick<RunPlan, 'values'>): boolean {
	return Object.keys(add).length > 0 || Object.keys(remove).length > 0;
}

/** The file as it was named, for annotations and reports; undefined for standard input and arguments. */
export function fileOf({ source }: Pick<RunPlan, 'source'>): string | undefined {
	return source.from === 'file' && source.path !== '-' && source.name !== STDIN_NAME ? source.name : undefined;
}

/** The file that rows are read from. */
export function inputFileOf(source: RowSource): Extract<RowSource, { from: 'file' }> | undefined {
	return source.from === 'file' ? source : undefined;
}

/** What messages call standard input. */
export const STDIN_NAME = 'standard input';

/** What messages call the input. */
export function sourceName(source: RowSource): string {
	switch (source.from) {
		case 'ids':
			return 'arguments';
		case 'file':
			return source.name;
		case 'snapshots':
			return `old values of run ${source.run}`;
		case 'plan':
			return `plan ${source.path}`;
	}
}

/** Whether an endpoint's rows can be a run: all but `user check`, which is sent once and kept nowhere. */
export function hasRuns(endpoint: string): boolean {
	if (endpoint === 'term.update' || endpoint === 'term.delete') return true;
	return endpointList.some(({ name, replay }) => name === endpoint && replay !== 'once');
}

/** FNV-1a over UTF-16 units, then murmur3's finaliser, since FNV's low bits are uneven for ids that follow each other. */
export function hashKey(key: string): number {
	let hash = 0x811c9dc5;
	for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return (hash ^ (hash >>> 16)) >>> 0;
}

/** True where the key's row belongs to the shard; each key belongs to exactly one. */
export function inShard(key: string, shard: Shard): boolean {
	return Math.floor((hashKey(key) / 0x1_0000_0000) * shard.count) === shard.index - 1;
}

/** Reads `2/4`: the second of four parts. Throws UsageError. */
export function parseShard(text: string): Shard {
	const match = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(text.trim());
	const shard = match === null ? undefined : { index: Number(match[1]), count: Number(match[2]) };
	if (shard === undefined || shard.index > shard.count) {
		throw new UsageError(`--shard ${JSON.stringify(text)} is not K/N with K from 1 to N, such as 1/4 … 4/4`, {
			code: 'invalid_value',
		});
	}
	return shard;
}

export function formatShard(shard: Shard): string {
	return `${shard.index}/${shard.count}`;
}
