/** The arguments and flags of one call → the plan of a run, how it is carried out, and the secrets that no plan holds. */

import { resolve } from 'node:path';
import { chooseEndpoint } from '../../api/choose.js';
import { type Endpoint, endpointList } from '../../api/endpoints.js';
import { type Field, flagName } from '../../api/fields.js';
import { readEndpointOf } from '../../api/reads.js';
import { didYouMean } from '../../api/suggest.js';
import {
	findField,
	isProblem,
	OWN_ID,
	parseField,
	parseId,
	parseSlug,
	quote,
	type ValueRules,
} from '../../api/values.js';
import {
	type Condition,
	parseShard,
	type RowSource,
	type RunPlan,
	type RunTuning,
	type SharedValues,
} from '../../bulk/run/plan.js';
import { UsageError } from '../../errors.js';
import { DEFAULT_CONCURRENCY, DEFAULT_RETRIES } from '../../http/types.js';
import { isSecretName } from '../../output/redact.js';
import type { Session } from '../session.js';
import { readFields, readItems } from './fields.js';
import type { RunInvocation, Secrets } from './job.js';
import { type Positional, positionalsOf } from './options.js';

/** The rows and values that arguments and flags give; no service is needed to know them. */
export interface Given {
	endpoint: Endpoint;
	source: RowSource;
	values: SharedValues;
	secrets: Secrets;
}

/** Reads what was given. @throws UsageError */
export async function readGiven(name: string, invocation: RunInvocation): Promise<Given> {
	const { options } = invocation;
	const { source, ids } = readSource(name, invocation);
	const { endpoint } = chooseEndpoint(name, ids.taxonomy, options.undocumented === true);
	const fields = await readFields(endpoint, source, ids, invocation);
	const { secrets, ...kept } = withoutSecrets(fields);
	const given: Given = {
		endpoint,
		source,
		values: {
			ids,
			...kept,
			force: options.force === true,
			...(options.byUsername === true ? { byUsername: true } : {}),
			...(options.reassignUsername === undefined ? {} : { reassignUsername: options.reassignUsername }),
			reassign:
				options.reassign === undefined || options.reassign === OWN_ID
					? options.reassign
					: readId('--reassign', options.reassign),
			add: readItems(endpoint, 'add', options),
			remove: readItems(endpoint, 'remove', options),
		},
		secrets,
	};
	const names = Object.keys(fields);
	checkItems(given, names);
	checkComplete(given, names.length);
	return given;
}

/** A list is given as a whole or changed, and an item is added or removed. @throws UsageError */
function checkItems({ values: { add, remove } }: Given, fields: readonly string[]): void {
	for (const name of Object.keys({ ...add, ...remove })) {
		const flag = `--${name in add ? 'add' : 'remove'}-${flagName(name)}`;
		if (fields.includes(name)) {
			throw new UsageError(`${flag} can't be combined with a value for ${name}`, { code: 'contradiction' });
		}
		const both = (add[name] ?? []).find((item) => remove[name]?.map(String).includes(String(item)));
		if (both === undefined) continue;
		throw new UsageError(`${quote(String(both))} is added to ${name} and removed from it`, { code: 'contradiction' });
	}
}

/** Fields that a journal may keep, and those that hold a secret. */
export function withoutSecrets(
	fields: Readonly<Record<string, unknown>>,
): Pick<SharedValues, 'fields' | 'withheld'> & { secrets: Secrets } {
	const isSecret = (field: string): boolean => isSecretName(field) || holdsSecret(fields[field]);
	const withheld = Object.keys(fields).filter(isSecret);
	const part = (wanted: boolean) =>
		Object.fromEntries(Object.entries(fields).filter(([field]) => withheld.includes(field) === wanted));
	return { fields: part(false), withheld, secrets: part(true) };
}

function holdsSecret(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return Object.entries(value).some(([key, inner]) => isSecretName(key) || holdsSecret(inner));
}

function readId(flag: string, text: string): string {
	const parsed = parseId(text);
	if (isProblem(parsed)) throw new UsageError(`${flag}: ${parsed.problem}`, { code: 'invalid_id' });
	return parsed.value;
}

/** What no row can have by itself is refused at once rather than once a row. */
function checkComplete({ endpoint, source, values }: Given, fields: number): void {
	if (source.from !== 'ids') return;
	for (const { name, presence, reason } of endpoint.query) {
		if (presence !== 'must') continue;
		if (name === 'force' && !values.force)
			throw new UsageError(`--force is missing: ${reason}`, { code: 'needs_force' });
		if (name === 'reassign' && values.reassign === undefined && values.reassignUsername === undefined) {
			throw new UsageError(`--reassign <user-id> is missing: ${reason}`, { code: 'needs_reassign' });
		}
	}
	const changesNothing = fields === 0 && Object.keys({ ...values.add, ...values.remove }).length === 0;
	if (endpoint.body !== 'none' && endpoint.answer !== 'user-id' && changesNothing) throw nothingToChange(endpoint);
}

export function nothingToChange({ body }: Endpoint): UsageError {
	const flag = body === 'custom_fields' ? '--set name=value' : 'a flag for a field, or --data';
	return new UsageError(`nothing to change: give ${flag}`, { code: 'nothing_to_send' });
}

/** Positional arguments and --input. @throws UsageError for a missing, surplus or malformed one */
function readSource(
	name: string,
	{ args, options, words, context }: RunInvocation,
): { source: RowSource; ids: Record<string, string> } {
	const positionals = positionalsOf(name, chooseEndpoint(name, undefined, true).endpoint);
	const own = positionals.at(-1) as Positional;
	const last: Positional = options.byUsername === true ? { ...own, name: 'username', kind: 'text' } : own;
	const hint = `supportctl ${words.join(' ')} --help shows examples`;
	const ids: Record<string, string> = {};
	for (const [at, positional] of positionals.slice(0, -1).entries()) {
		const text = args[at];
		if (positional.kind === 'taxonomy' && /^\d+$/.test(text ?? '')) throw missing(positional, hint, ` before ${text}`);
		if (text !== undefined) ids[positional.name] = checkArgument(positional, text);
		else if (options.input === undefined) throw missing(positional, hint);
	}
	const rest = args.slice(positionals.length - 1);
	const { input, inputFormat: format } = options;
	if (input !== undefined && rest.length > 0) {
		throw new UsageError(`${quote(rest[0] as string)}: rows come from --input or from arguments, not from both`, {
			hint,
		});
	}
	if (input === undefined && rest.length === 0) throw missing(last, hint, ', -, or --input');
	if (rest.includes('-') && rest.length > 1)
		throw new UsageError('- reads ids from stdin and takes no other ids beside it', { hint });
	const path = input ?? (rest[0] === '-' ? '-' : undefined);
	if (path === undefined) return { source: { from: 'ids', ids: rest.map((text) => checkArgument(last, text)) }, ids };
	const source: RowSource = {
		from: 'file',
		path: path === '-' ? '-' : resolve(context.cwd, path),
		name: path === '-' ? 'standard input' : path,
		...(format !== undefined ? { format } : input === undefined ? { format: 'ids' } : {}),
	};
	return { source, ids };
}

function missing({ name, choices }: Positional, hint: string, others = ''): UsageError {
	const allowed = choices === undefined ? '' : `: ${choices.join(' or ')}`;
	return new UsageError(`missing <${name.replaceAll('_', '-')}>${others}${allowed}`, {
		code: 'missing_argument',
		hint,
	});
}

function checkArgument({ name, kind }: Positional, text: string): string {
	const label = name.replaceAll('_', ' ');
	const parsed = kind === 'id' ? parseId(text) : kind === 'slug' ? parseSlug(text) : { value: text };
	if (isProblem(parsed)) throw new UsageError(`${label}: ${parsed.problem}`, { code: 'invalid_id' });
	if (parsed.value === '') throw new UsageError(`${label} is empty`, { code: 'invalid_id' });
	return parsed.value;
}

/** The plan of a run for the service of a session. @throws UsageError */
export function planOf(
	name: string,
	{ endpoint, source, values }: Given,
	{ options }: RunInvocation,
	session: Session,
): RunPlan {
	const { connection, dialect } = session;
	const rules = { undocumented: options.undocumented === true, statusIn: dialect.statusIn };
	return {
		endpoint: name,
		source,
		columns: {
			map: readMap(options.map),
			ignore: (options.ignoreColumn ?? []).flatMap((names) => names.split(',').map((name) => name.trim())),
			ignoreOther: options.ignoreOtherColumns === true,
			idColumn: options.idColumn,
			blank: options.blank ?? 'skip',
		},
		values,
		checks: {
			onlyChanged: options.onlyChanged === true,
			verify: options.verify === true,
			snapshot: options.snapshot ?? (connection.defaults.snapshot === true && canBeUndone(endpoint, values)),
			ifUnmodified: options.ifUnmodified === true,
			conditions: (options.if ?? []).map((text) => readCondition(text, endpoint, rules)),
			allowDiffers: allowedDifferences(options.allowDiffers, endpoint, options.undocumented === true),
			ignoreMissing: options.ignoreMissing === true,
		},
		stop: { onError: options.stopOnError === true, maxFailures: options.maxFailures },
		skipInvalid: options.skipInvalid === true,
		undocumented: options.undocumented === true,
		shard: options.shard === undefined ? undefined : parseShard(options.shard),
		service: {
			baseUrl: connection.baseUrl,
			prefixes: connection.prefixes,
			profile: connection.profileName,
			protected: connection.protected,
		},
	};
}

/** How a run is carried out: flags first, then the profile's defaults. */
export function tuningOf({ options }: RunInvocation, { connection: { defaults } }: Session): RunTuning {
	return {
		concurrency: options.concurrency ?? defaults.concurrency ?? DEFAULT_CONCURRENCY,
		rate: options.rate ?? defaults.rate,
		retries: options.retries ?? DEFAULT_RETRIES,
		first: options.first,
		quiet: options.quiet === true,
	};
}

/** Column → field, as `--map COLUMN=FIELD` says. @throws UsageError */
function readMap(pairs: readonly string[] = []): Record<string, string> {
	return Object.fromEntries(
		pairs.map((pair) => {
			const at = pair.lastIndexOf('=');
			if (at <= 0 || at === pair.length - 1) throw new UsageError(`--map ${quote(pair)} is not COLUMN=FIELD`);
			return [pair.slice(0, at), pair.slice(at + 1)];
		}),
	);
}

/** `--if status=hold`; a field that the endpoint has is checked like a value to send. @throws UsageError */
function readCondition(text: string, endpoint: Endpoint, rules: ValueRules): Condition {
	const at = text.indexOf('=');
	if (at <= 0) throw new UsageError(`--if ${quote(text)} is not FIELD=VALUE`, { code: 'invalid_value' });
	const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1)];
	if (endpoint.body === 'custom_fields') return { field: name, value };
	const fields = fieldsShown(endpoint);
	const field = findField(fields, name);
	if (field === undefined && !rules.undocumented) {
		const names = fields.map((each) => each.name);
		throw new UsageError(`--if: a ${endpoint.noun} has no field ${quote(name)}${didYouMean(name, names)}`, {
			code: 'invalid_value',
			hint: `it takes ${names.join(', ')}`,
		});
	}
	if (field === undefined || value === '' || (field.name === 'status' && value === 'trash'))
		return { field: field?.name ?? name, value };
	const parsed = parseField(field, value, rules);
	if (isProblem(parsed)) throw new UsageError(`--if: ${parsed.problem}`, { code: 'invalid_value' });
	return { field: field.name, value };
}

/** Whether a run can keep what `run undo` writes back. */
function canBeUndone(endpoint: Endpoint, { force }: SharedValues): boolean {
	if (readEndpointOf(endpoint) === undefined) return false;
	return endpoint.replay === 'set' || (endpoint.trash && !force);
}

/** The fields of an endpoint's objects: those of the update where it is a delete. Secrets are never shown. */
function fieldsShown(endpoint: Endpoint): readonly Field[] {
	const update = endpointList.find((each) => each.readWith === endpoint.readWith && each.replay === 'set');
	return (update ?? endpoint).fields.filter(({ kind }) => kind !== 'secret');
}

/** What a response to a write may show besides the fields that were sent. */
const RESPONSE_FIELDS: readonly Field[] = ['id', 'parent', 'status'].map((name) => ({ name, kind: 'text', help: '' }));

/** `--allow-differs` for all fields, or `--allow-differs=slug,title`. @throws UsageError for a name that is no field */
function allowedDifferences(
	given: readonly (readonly string[])[] | undefined,
	endpoint: Endpoint,
	undocumented: boolean,
): boolean | string[] {
	const names = (given ?? []).flat();
	if (names.includes('*')) return true;
	if (names.length === 0) return false;
	if (endpoint.body === 'custom_fields') return names;
	const known = [...endpoint.fields, ...RESPONSE_FIELDS];
	return names.map((name) => {
		const field = findField(known, name);
		if (field !== undefined || undocumented) return field?.name ?? name;
		const fields = known.map((each) => each.name);
		throw new UsageError(`--allow-differs: no field ${quote(name)}${didYouMean(name, fields)}`, {
			code: 'invalid_value',
			hint: `it takes ${fields.join(', ')}`,
		});
	});
}
