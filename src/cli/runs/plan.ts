/** Arguments and flags → the plan of a run, its tuning, and secrets that no plan contains. */

import { resolve } from 'node:path';
import { type Endpoint, endpointList } from '../../api/endpoints.js';
import type { Field } from '../../api/fields.js';
import { chooseEndpoint } from '../../api/plan.js';
import { readEndpointOf } from '../../api/reads.js';
import { didYouMean } from '../../api/suggest.js';
import {
	findField,
	isProblem,
	looksLikeNumber,
	type Parsed,
	parseField,
	parseId,
	parseSlugOrName,
	quote,
	type ValueRules,
} from '../../api/values.js';
import { MOST_AT_A_TIME } from '../../bulk/run/concurrency.js';
import {
	type Condition,
	parseShard,
	type RowSource,
	type RunHeader,
	type RunPlan,
	type RunTuning,
	type SharedValues,
	STDIN_NAME,
} from '../../bulk/run/plan.js';
import { UsageError } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import { DEFAULT_CONCURRENCY, DEFAULT_RETRIES } from '../../http/types.js';
import { createRedactor } from '../../output/redact.js';
import { shellWord } from '../../profile/settings.js';
import { parseUntil } from '../options/window.js';
import type { Session } from '../session.js';
import { readFields, readItems } from './fields.js';
import { type Positional, positionalsOf, type RunInvocation } from './options.js';

/** Sent, never kept. */
export type Secrets = Readonly<Record<string, unknown>>;

export interface RunJob {
	/** It stands for all if rows name their taxonomy. */
	endpoint: Endpoint;
	plan: RunPlan;
	tuning: RunTuning;
	secrets: Secrets;
	session: Session;
	invocation: RunInvocation;
	/** Whether old values are kept because nobody said otherwise: a run goes on without them. */
	snapshotByDefault?: boolean;
	resumes?: { path: string; header: RunHeader; again: readonly OutcomeName[] };
}

/** Needs no service. */
export interface Given {
	endpoint: Endpoint;
	source: RowSource;
	values: SharedValues;
	secrets: Secrets;
}

export async function readGiven(name: string, invocation: RunInvocation): Promise<Given> {
	const { options } = invocation;
	const { source, ids } = readSource(name, invocation);
	const { endpoint } = chooseEndpoint(name, ids.taxonomy, options.undocumented === true);
	// A lookup's field is its argument.
	const fields = endpoint.replay === 'set' ? await readFields({ endpoint, source, ids, invocation }) : {};
	const { add, remove } = readItems(endpoint, options, fields);
	const { force = false } = options;
	const receiver = { name: '--reassign', kind: 'id', names: 'users' } as const;
	const reassign = options.reassign === undefined ? undefined : checkArgument(receiver, options.reassign);
	if (source.from === 'ids') {
		// Refused at once rather than for each row.
		for (const { name: flag, presence, reason } of endpoint.query) {
			const isGiven = flag === 'force' ? force : reassign !== undefined;
			if (presence !== 'must' || isGiven) continue;
			const typed = flag === 'force' ? '--force' : '--reassign <user>';
			throw new UsageError(`${typed} is missing: ${reason}`, { code: `needs_${flag}` });
		}
		const changesNothing = Object.keys({ ...fields, ...add, ...remove }).length === 0;
		if (endpoint.body !== 'none' && endpoint.returns !== 'user-id' && changesNothing) throw nothingToChange(endpoint);
	}
	const { secrets, ...kept } = withoutSecrets(fields);
	const values = { ids, ...kept, force, reassign, add, remove };
	return { endpoint, source, values, secrets };
}

export function withoutSecrets(
	fields: Readonly<Record<string, unknown>>,
): Pick<SharedValues, 'fields' | 'withheld'> & { secrets: Secrets } {
	const redact = createRedactor();
	const isSecret = (entry: [string, unknown]): boolean => {
		const own = Object.fromEntries([entry]);
		return redact(own) !== own;
	};
	const entries = Object.entries(fields);
	const secrets = Object.fromEntries(entries.filter(isSecret));
	const kept = Object.fromEntries(entries.filter((entry) => !isSecret(entry)));
	return { fields: kept, withheld: Object.keys(secrets), secrets };
}

export function nothingToChange({ body }: Endpoint): UsageError {
	const flag = body === 'custom_fields' ? '--set name=value' : 'a flag for a field, or --data';
	return new UsageError(`nothing to change: pass ${flag}`, { code: 'nothing_to_send' });
}

/** @throws UsageError */
function readSource(
	name: string,
	{ args, options, words, context }: RunInvocation,
): { source: RowSource; ids: Record<string, string> } {
	const hint = `for examples: supportctl ${words.join(' ')} --help`;
	const missing = ({ name, choices = [] }: Positional, others = ''): UsageError => {
		const allowed = choices.length === 0 ? '' : `: ${choices.join(' or ')}`;
		const message = `missing <${name.replaceAll('_', '-')}>${others}${allowed}`;
		return new UsageError(message, { code: 'missing_argument', hint });
	};
	const { input, inputFormat } = options;
	const { endpoint } = chooseEndpoint(name, undefined, true);
	const positionals = positionalsOf(name, endpoint);
	const last = positionals.pop() as Positional;
	const ids: Record<string, string> = {};
	for (const [at, positional] of positionals.entries()) {
		const text = args[at];
		const isId = positional.kind === 'taxonomy' && /^\d+$/.test(text ?? '');
		if (isId) throw missing(positional, ` before ${text}`);
		if (text !== undefined) ids[positional.name] = checkArgument(positional, text);
		else if (input === undefined) throw missing(positional);
	}
	const [first, ...more] = args.slice(positionals.length);
	if (input !== undefined && first !== undefined) {
		throw new UsageError(`${quote(first)}: pass rows with --input or as arguments, not both`, { hint });
	}
	const path = input ?? (first === '-' || more.includes('-') ? '-' : undefined);
	if (more.length > 0 && path === '-') {
		throw new UsageError("- reads IDs from stdin and can't be combined with other IDs", { hint });
	}
	if (path === undefined) {
		if (first === undefined) throw missing(last, ', -, or --input');
		return { source: { from: 'ids', ids: [first, ...more].map((text) => checkArgument(last, text)) }, ids };
	}
	const format = inputFormat ?? (input === undefined ? 'ids' : undefined);
	const place = path === '-' ? { path, name: STDIN_NAME } : { path: resolve(context.cwd, path), name: path };
	return { source: { from: 'file', ...place, format }, ids };
}

/** @throws UsageError */
function checkArgument({ name, kind, names }: Pick<Positional, 'name' | 'kind' | 'names'>, text: string): string {
	const label = name.replaceAll('_', ' ');
	const isName = names !== undefined && !looksLikeNumber(text);
	let parsed: Parsed<string> = { value: text };
	if (kind === 'id' && !isName) parsed = parseId(text);
	if (kind === 'slug') parsed = parseSlugOrName(text);
	if (isProblem(parsed)) {
		const hint = /\.[a-z]+$/i.test(text) ? `to read rows from a file: --input ${shellWord(text)}` : undefined;
		throw new UsageError(`${label}: ${parsed.problem}`, { code: 'invalid_id', ...(hint && { hint }) });
	}
	// `@NAME` is a username everywhere.
	if (kind === 'text') parsed.value = parsed.value.replace(/^@/, '');
	if (parsed.value === '') throw new UsageError(`${label} is empty`, { code: 'invalid_id' });
	return parsed.value;
}

/** @throws UsageError */
export function jobOf(
	name: string,
	{ endpoint, source, values, secrets }: Given,
	invocation: RunInvocation,
	session: Session,
): RunJob {
	const { options } = invocation;
	const { connection, dialect } = session;
	const rules = { undocumented: options.undocumented === true, statusIn: dialect.statusIn };
	const canBeUndone =
		readEndpointOf(endpoint) !== undefined && (endpoint.replay === 'set' || (endpoint.trash && !values.force));
	const isOne = source.from === 'ids' && source.ids.length === 1;
	const snapshotByDefault =
		canBeUndone && !isOne && options.snapshot === undefined && connection.settings.snapshot === undefined;
	const snapshot = options.snapshot ?? (canBeUndone && connection.settings.snapshot === true);
	const plan: RunPlan = {
		endpoint: name,
		source,
		columns: {
			map: Object.fromEntries((options.map ?? []).map(readMapping)),
			ignore: (options.ignoreColumn ?? []).flatMap((names) => names.split(',').map((name) => name.trim())),
			ignoreOther: options.ignoreOtherColumns === true,
			idColumn: options.idColumn,
			blank: options.blank ?? 'skip',
		},
		values,
		checks: {
			onlyChanged: options.onlyChanged === true,
			verify: options.verify === true,
			snapshot: snapshot || snapshotByDefault,
			ifUnmodified: options.ifUnmodified === true,
			conditions: (options.if ?? []).map((text) => readCondition(text, endpoint, rules)),
			allowDiffers:
				options.allowDiffers !== undefined && readAllowed(options.allowDiffers.flat(), endpoint, rules.undocumented),
			ignoreMissing: options.ignoreMissing === true,
		},
		stop: { onError: options.stopOnError === true, maxFailures: options.maxFailures },
		skipInvalid: options.skipInvalid === true,
		undocumented: rules.undocumented,
		shard: options.shard === undefined ? undefined : parseShard(options.shard),
		service: {
			baseUrl: connection.baseUrl,
			prefixes: session.dialect.prefixes,
			profile: connection.profileName,
			protected: connection.settings.protected,
		},
	};
	const tuning = tuningOf(invocation, session);
	return { endpoint, plan, tuning, secrets, session, invocation, snapshotByDefault };
}

export function tuningOf({ options, context }: RunInvocation, { connection: { settings } }: Session): RunTuning {
	const auto = options.concurrency === 'auto';
	const now = context.clock.now();
	const end = options.until === undefined ? undefined : parseUntil(options.until, now);
	return {
		auto,
		concurrency: auto ? MOST_AT_A_TIME : (settings.concurrency ?? DEFAULT_CONCURRENCY),
		rate: settings.rate,
		retries: options.retries ?? DEFAULT_RETRIES,
		first: options.first,
		quiet: options.quiet === true,
		until: options.for === undefined ? end : now + options.for,
	};
}

/** `--map COLUMN=FIELD` @throws UsageError */
function readMapping(pair: string): [column: string, field: string] {
	const at = pair.lastIndexOf('=');
	if (at <= 0 || at === pair.length - 1) throw new UsageError(`--map ${quote(pair)} is not COLUMN=FIELD`);
	return [pair.slice(0, at), pair.slice(at + 1)];
}

/** @throws UsageError */
function fieldNamed<Each extends Pick<Field, 'name'>>(
	says: string,
	name: string,
	fields: readonly Each[],
	undocumented: boolean,
): Each | { name: string; kind?: undefined } {
	const field = findField(fields, name);
	if (field !== undefined || undocumented) return field ?? { name };
	const names = [...new Set(fields.map((each) => each.name))];
	throw new UsageError(`${says} ${quote(name)}${didYouMean(name, names)}`, {
		code: 'invalid_value',
		hint: `it takes ${names.join(', ')}`,
	});
}

/** `--if status=hold` @throws UsageError */
function readCondition(text: string, endpoint: Endpoint, rules: ValueRules): Condition {
	const at = text.indexOf('=');
	if (at <= 0) throw new UsageError(`--if ${quote(text)} is not FIELD=VALUE`, { code: 'invalid_value' });
	const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1)];
	if (endpoint.body === 'custom_fields') return { field: name, value };
	// A delete has the update's fields. Secrets are never shown.
	const update = endpointList.find((each) => each.readWith === endpoint.readWith && each.replay === 'set');
	const fields = (update ?? endpoint).fields.filter(({ kind }) => kind !== 'secret');
	const field = fieldNamed(`--if: a ${endpoint.noun} has no field`, name, fields, rules.undocumented);
	const isFree = field.kind === undefined || value === '' || (field.name === 'status' && value === 'trash');
	const parsed = isFree ? { value } : parseField(field, value, rules);
	if (isProblem(parsed)) throw new UsageError(`--if: ${parsed.problem}`, { code: 'invalid_value' });
	return { field: field.name, value };
}

/** Besides sent fields. */
const RESPONSE_FIELDS = ['id', 'parent', 'status'].map((name) => ({ name }));

/** @throws UsageError */
function readAllowed(names: readonly string[], endpoint: Endpoint, undocumented: boolean): boolean | string[] {
	if (names.includes('*')) return true;
	if (endpoint.body === 'custom_fields') return [...names];
	const known = [...endpoint.fields, ...RESPONSE_FIELDS];
	return names.map((name) => fieldNamed('--allow-differs: no field', name, known, undocumented).name);
}
