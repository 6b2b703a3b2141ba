/** What a run is, as data: the first line of its journal contains it. */

import type { Prefixes } from '../api/dialect.js';
import { bodyKinds, type Endpoint, type EndpointName, endpoints } from '../api/endpoints.js';
import type { Field } from '../api/fields.js';
import { kinds } from '../api/kinds.js';
import { plural } from '../api/names.js';
import { readEndpointOf, readOfWrite } from '../api/reads.js';
import { UsageError } from '../errors.js';
import { type Maker, type RowSource, sources } from './sources.js';

export type Ids = Readonly<Record<string, string>>;
export type Fields = Readonly<Record<string, unknown>>;

/** How the columns of a file become fields. */
export interface ColumnSettings {
	readonly map: Ids;
	readonly ignore: readonly string[];
	/** Whether columns that are no field are ignored. */
	readonly ignoreOther: boolean;
	/** What an empty cell does: leave the field alone, or send "". */
	readonly blank: 'skip' | 'clear';
	/** Only these columns clear. */
	readonly clear?: readonly string[];
}

export function rowIdName({ parameters, fields }: Endpoint): string {
	return (parameters.at(-1) ?? (fields[0] as Field)).name;
}

type Items = Readonly<Record<string, readonly (string | number)[]>>;

/** From flags; a row's own cell takes precedence. */
export interface SharedValues {
	readonly ids: Ids;
	readonly fields: Fields;
	/** Never kept: a resume asks again. */
	readonly withheld: readonly string[];
	readonly force: boolean;
	readonly reassign?: string;
	readonly add: Items;
	readonly remove: Items;
}

/** "" means that the field is empty. */
export interface Condition {
	readonly field: string;
	readonly value: string;
}

/** What is read before and after a write. */
export interface Checks {
	/** Reads objects to compare them where nothing else does. */
	readonly onlyChanged: boolean;
	/** Also sends fields that are shown to have their new value already. */
	readonly sendUnchanged?: boolean;
	readonly verify: boolean;
	readonly snapshot: boolean;
	readonly ifUnmodified: boolean;
	readonly conditions: readonly Condition[];
	/** True for all fields. */
	readonly allowDiffers: boolean | readonly string[];
	/** Whether a delete of what is gone already (404, 410) is ok. */
	readonly ignoreMissing: boolean;
	/** Tickets that are assigned to a deleted user first go to whoever receives the posts. */
	readonly moveTickets?: boolean;
	/** What an editor showed: each object must still have one of these values in a field. */
	readonly expected?: Readonly<Record<string, readonly unknown[]>>;
}

const isRead = (endpoint: Endpoint): boolean => !endpoint.reads && readEndpointOf(endpoint) !== undefined;
const isReadUpdate = (endpoint: Endpoint): boolean => endpoint.updates && isRead(endpoint);

/** Which endpoints have a check: their commands take its flag, and only their plans and journals may have it. */
export const checkable: { readonly [Name in keyof Required<Checks>]: (endpoint: Endpoint) => boolean } = {
	verify: isRead,
	conditions: isRead,
	snapshot: (endpoint) => isRead(endpoint) && (endpoint.updates || endpoint.trash),
	onlyChanged: isReadUpdate,
	sendUnchanged: isReadUpdate,
	allowDiffers: isReadUpdate,
	expected: isReadUpdate,
	ifUnmodified: (endpoint) => endpoint.updates && readOfWrite(endpoint)?.hasModified === true,
	ignoreMissing: ({ deletes }) => deletes,
	moveTickets: ({ deletes, leaves }) => deletes && leaves?.read === 'ticket',
};

export const checkNames = Object.keys(checkable) as (keyof Checks)[];

/** Fields whose items can be added and removed. */
export function listFields({ fields }: Endpoint): Field[] {
	return fields.filter(({ kind }) => kinds[kind].many === 'items');
}

/** Whether names and values that nobody documents are sent. */
export function takesUndocumented({ updates, readWith }: Endpoint): boolean {
	return updates || readWith === 'term';
}

/** What stops a run before its end. */
export interface StopRules {
	readonly onError: boolean;
	readonly maxFailures?: number;
}

/** Index from 1. */
export interface Shard {
	readonly index: number;
	readonly count: number;
}

/** Compared on a resume, never used to sign in. */
export interface RunService {
	readonly baseUrl: string;
	readonly prefixes: Readonly<Prefixes>;
	readonly profile?: string;
	/** Every part of the run needs --confirm. */
	readonly protected: boolean;
}

export interface RunPlan {
	readonly endpoint: EndpointName;
	readonly source: RowSource;
	readonly columns: ColumnSettings;
	readonly values: SharedValues;
	readonly checks: Checks;
	readonly stop: StopRules;
	readonly skipInvalid: boolean;
	readonly undocumented: boolean;
	readonly shard?: Shard;
	readonly service: RunService;
}

export const MOST_AT_A_TIME = 64;

/** How fast; each resume may choose anew. */
export interface RunTuning {
	readonly concurrency: number;
	/** Whether the run finds out how many requests at a time are best. */
	readonly auto: boolean;
	readonly first?: number;
	/** No new row begins then; milliseconds since 1970. */
	readonly until?: number;
}

export interface SavedPlan {
	readonly path: string;
	readonly sha256: string;
	readonly rows: number;
}

/** `html:/home/ada/run.html`, as `--report` and journals have it. */
export function splitReport(text: string): { format: string; path: string } {
	const [format = '', ...path] = text.split(':');
	return { format, path: path.join(':') };
}

/** The first line of a journal. */
export interface RunHeader {
	readonly id: string;
	readonly started: string;
	readonly tool: string;
	readonly concurrency: number;
	readonly who?: Maker;
	readonly note?: string;
	/** `html:/home/ada/run.html` */
	readonly reports?: readonly string[];
	readonly plan: RunPlan;
	readonly input: {
		readonly sha256: string;
		readonly rows: number;
		/** If rows keep numbers of an earlier run. */
		readonly last?: number;
		/** All, or those of the shard. */
		readonly own: number;
		/** A private copy of stdin. */
		readonly copied: boolean;
	};
}

/** `ada on laptop (account ada@desk.example)` */
export function madeBy({ user, host, account }: Maker): string {
	return `${user} on ${host}${account === undefined ? '' : ` (account ${account})`}`;
}

/** Who made the plan that the run applies. */
function plannedBy({ plan: { source } }: { readonly plan: Pick<RunPlan, 'source'> }): string | undefined {
	const who = source.from === 'plan' ? source.made?.who : undefined;
	return who && madeBy(who);
}

/** Who made the run, and the plan that it applies: `planned by ada on laptop, applied by ci on runner`. */
export function makersOf({ who, plan: { source } }: RunHeader): string | undefined {
	const by = who && madeBy(who);
	const planned = plannedBy({ plan: { source } });
	if (planned === undefined) return source.from === 'plan' && by !== undefined ? `applied by ${by}` : by;
	return `planned by ${planned}${by === undefined ? '' : `, applied by ${by}`}`;
}

/** Of the run and of its plan. */
export function notesOf({ note, plan: { source } }: RunHeader): string[] {
	const planned = source.from === 'plan' ? source.made?.note : undefined;
	return [...new Set([planned, note])].filter((text) => text !== undefined);
}

export function commandOf({ endpoint, source }: RunPlan): string {
	if (sources[source.from].restores) return 'run undo';
	return endpoint.replaceAll('.', ' ');
}

/** For rows that have all values of their own. */
export function withoutInput(plan: RunPlan): RunPlan {
	const values = { ids: plan.values.ids, fields: {}, withheld: [], force: false, add: {}, remove: {} };
	return { ...plan, values, shard: undefined, skipInvalid: false };
}

/** Fields whose items flags add or remove. */
export function listedFields({ values: { add, remove } }: RunPlan): string[] {
	return Object.keys({ ...add, ...remove });
}

export function readsBefore(plan: RunPlan): boolean {
	return plan.checks.snapshot || comparesFirst(plan);
}

/** Whether a read before the write may show that a row has nothing to send, or may not be sent. */
export function comparesFirst(plan: RunPlan): boolean {
	const { checks, source } = plan;
	return (
		checks.onlyChanged ||
		checks.ifUnmodified ||
		checks.conditions.length > 0 ||
		checks.expected !== undefined ||
		sources[source.from].expects(endpoints[plan.endpoint]) ||
		listedFields(plan).length > 0
	);
}

export function canBeUndone(endpoint: Endpoint, isForced: boolean): boolean {
	const isPermanent = endpoint.deletes && isForced;
	return endpoint.restoredBy !== undefined && !isPermanent && readEndpointOf(endpoint) !== undefined;
}

/** Why nothing can put back what a run wrote. */
export function undoObstacle({ endpoint: name, values, checks }: RunPlan): string | undefined {
	if (checks.snapshot) return undefined;
	const endpoint = endpoints[name];
	if (endpoint.reads) return 'it changed nothing';
	if (readEndpointOf(endpoint) === undefined) return `${plural(endpoint.noun, 2)} can't be restored`;
	const isPermanent = endpoint.deletes && (!endpoint.trash || values.force);
	return isPermanent ? 'its deletes were permanent' : 'it did not save old values';
}

export function nothingToChange({ body }: Endpoint): UsageError {
	return new UsageError(`nothing to change: pass ${bodyKinds[body].givenBy}`, { code: 'nothing_to_send' });
}

export const NOTHING_TO_SEND = { code: 'nothing_to_send', message: 'nothing to change' } as const;

/** The same for all rows of an object. */
export function objectKey(ids: Ids): string {
	return JSON.stringify(Object.entries(ids).filter(([name]) => name !== 'username'));
}

/** FNV-1a, then murmur3's finalizer: FNV's low bits are uneven for consecutive IDs. */
export function hashKey(key: string): number {
	let hash = 0x811c9dc5;
	for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return (hash ^ (hash >>> 16)) >>> 0;
}

/** Each key belongs to exactly one shard. */
export function inShard(key: string, shard: Shard): boolean {
	return Math.floor((hashKey(key) / 0x1_0000_0000) * shard.count) === shard.index - 1;
}

/** `2/4` @throws UsageError */
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
