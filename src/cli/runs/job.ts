/** Arguments and flags → the plan of a run, its tuning, and secrets that no plan contains. */

import { resolve } from 'node:path';
import { bodyKinds, type Endpoint, type EndpointName, endpoints, mustBeGiven } from '../../api/endpoints.js';
import { findField, flagName } from '../../api/fields.js';
import { kinds, parseField, type ValueRules } from '../../api/kinds.js';
import { readOfWrite } from '../../api/reads.js';
import { named, readReference } from '../../api/references.js';
import { parseTaxonomy } from '../../api/request.js';
import { findStatus } from '../../api/statuses.js';
import { didYouMean } from '../../api/suggest.js';
import { isProblem, looksLikeNumber, looksLikeUrl, type Parsed, parseId, quote, splitIds } from '../../api/values.js';
import {
	type Checks,
	type Condition,
	canBeUndone,
	type Fields,
	MOST_AT_A_TIME,
	nothingToChange,
	type RunPlan,
	type RunTuning,
	rowIdName,
	type SharedValues,
	type StopRules,
} from '../../bulk/plan.js';
import type { Work } from '../../bulk/run/setup.js';
import { checkCount } from '../../bulk/run/survey.js';
import { type InputPlace, type RowSource, STDIN_NAME } from '../../bulk/sources.js';
import { UsageError } from '../../errors.js';
import { createRedactor } from '../../output/redact.js';
import { DEFAULT_CONCURRENCY, shellWord } from '../../profile/settings.js';
import { readAs } from '../command.js';
import { parseUntil } from '../options/times.js';
import type { Session } from '../session.js';
import { readFields, readItems } from './fields.js';
import { flagForInput, type Positional, positionalsOf, type RunInvocation } from './options.js';

export interface RunJob extends RunInvocation {
	endpoint: Endpoint;
	plan: RunPlan;
	tuning: RunTuning;
	secrets: Fields;
	session: Session;
	/** Whether old values are kept because nobody said otherwise: a run goes on without them. */
	snapshotByDefault?: boolean;
	resumes?: Work['resumes'];
	/** What a run does for another one, whose screen shows its progress. */
	partOf?: string | undefined;
}

export async function readGiven(name: EndpointName, invocation: RunInvocation, edited?: Fields) {
	const { args, options, context } = invocation;
	const endpoint = endpoints[name];
	const { source, ids } = readSource(endpoint, invocation);
	const fields = endpoint.updates ? await readFields({ endpoint, source, ids, options, context }, edited) : {};
	const { add, remove } = readItems(endpoint, options, fields);
	const { force = false, reassign } = options;
	const receiver =
		reassign === undefined ? undefined : checkArgument({ name: '--reassign', kind: 'id', names: 'users' }, reassign);
	if (source.from === 'ids') {
		checkCalled(source.ids, receiver, options);
		for (const parameter of endpoint.query) {
			const { name: flag, reason } = parameter;
			const isGiven = flag === 'force' ? force : receiver !== undefined;
			if (isGiven || !mustBeGiven(parameter, ids)) continue;
			const typed = flag === 'force' ? '--force' : '--reassign USER';
			const command = ['supportctl', ...name.split('.'), ...args.map(shellWord), typed].join(' ');
			throw new UsageError(`${typed} is required: ${reason}`, { code: `needs_${flag}`, hint: `such as: ${command}` });
		}
		const changesNothing = Object.keys({ ...fields, ...add, ...remove }).length === 0;
		if (endpoint.updates && changesNothing) throw nothingToChange(endpoint);
	}
	const clean = createRedactor()(fields);
	const withheld = Object.keys(fields).filter((name) => clean[name] !== fields[name]);
	const secrets = Object.fromEntries(withheld.map((name) => [name, fields[name]]));
	for (const name of withheld) delete fields[name];
	const values: SharedValues = { ids, fields, withheld, force, reassign: receiver, add, remove };
	return { endpoint, source, secrets, values };
}

/**
 * What no lookup could make right. Names and repeated IDs may be of one object, so that there may be fewer rows.
 * @throws UsageError
 */
function checkCalled(
	ids: readonly string[],
	receiver: string | undefined,
	{ expect, max }: RunInvocation['options'],
): void {
	const plain = ids.map((each) => readReference(each).text.toLowerCase());
	const least = Math.max(new Set(plain.filter(looksLikeNumber)).size, 1);
	const isTooFew = expect !== undefined && expect > ids.length;
	const isTooMany = least > Math.min(expect ?? least, max ?? least);
	if (isTooFew || isTooMany) checkCount(isTooFew ? ids.length : Math.max(least, plain.length), { expect, max });
	if (receiver === undefined || !plain.includes(readReference(receiver).text.toLowerCase())) return;
	const message = `can't reassign to user ${receiver}, who is also being deleted; nothing was sent`;
	throw new UsageError(message, { code: 'reassign_to_deleted', hint: 'reassign to a user you are not deleting' });
}

/** @throws UsageError */
function readSource(
	endpoint: Endpoint,
	{ args, options, context }: RunInvocation,
): { source: RowSource; ids: Record<string, string> } {
	const command = `supportctl ${endpoint.name.replaceAll('.', ' ')}`;
	const owners = positionalsOf(endpoint);
	const usage = owners.map(({ name }) => `<${name.replaceAll('_', '-')}>`).join(' ');
	const hint = `usage: ${command} ${usage}; for examples: ${command} --help`;
	const missing = ({ name, choices = [] }: Positional, others = ''): UsageError => {
		const allowed = choices.length === 0 ? '' : `: ${choices.join(' or ')}`;
		const message = `missing <${name.replaceAll('_', '-')}>${others}${allowed}`;
		return new UsageError(message, { code: 'missing_argument', hint });
	};
	const { input, inputFormat, delimiter, encoding } = options;
	const last = owners.pop() as Positional;
	const ids: Record<string, string> = {};
	for (const [at, owner] of owners.entries()) {
		const text = args[at];
		if (owner.kind === 'taxonomy' && /^(\d+|-)$/.test(text ?? '')) throw missing(owner, ` before ${text}`);
		if (text !== undefined && owner.kind === 'taxonomy') {
			ids[owner.name] = checkTaxonomy(endpoint, text, options.undocumented === true);
		} else if (text !== undefined) ids[owner.name] = checkArgument(owner, text, endpoint);
		else if (input === undefined) throw missing(owner);
	}
	const own = args.slice(owners.length).flatMap(splitIds);
	if (input !== undefined && own[0] !== undefined) {
		throw new UsageError(`${quote(own[0])}: pass rows with --input or as arguments, not both`, { hint });
	}
	const path = input ?? (own.includes('-') ? '-' : undefined);
	if (path === undefined) {
		if (own.length === 0) throw missing(last, `, -, or --input${readAs(owners, args)}`);
		const flag = flagForInput(options);
		if (flag !== undefined) {
			const message = `--${flag} is for rows from a file or stdin, not for IDs on the command line`;
			const way = `leave it out, or pass the rows with --input FILE`;
			throw new UsageError(message, { code: 'conflicting_flags', hint: way });
		}
		return { source: { from: 'ids', ids: own.map((text) => checkArgument(last, text, endpoint)) }, ids };
	}
	if (own.length > 1) throw new UsageError("- reads IDs from stdin and can't be combined with other IDs", { hint });
	const format = inputFormat ?? (input === undefined ? 'ids' : undefined);
	return {
		source: { from: 'file', ...inputAt(path, context.cwd), format, ...defined({ delimiter, encoding }) },
		ids,
	};
}

export function inputAt(path: string, cwd: string): InputPlace {
	return path === '-' ? { path, name: STDIN_NAME } : { path: resolve(cwd, path), name: path };
}

export function checkTaxonomy(endpoint: Endpoint, text: string, undocumented: boolean): string {
	const parsed = parseTaxonomy(endpoint, text, undocumented);
	if (isProblem(parsed)) throw new UsageError(parsed.problem, { code: 'undocumented' });
	return parsed.value;
}

/** @throws UsageError */
function checkArgument(
	{ name, kind, names }: Pick<Positional, 'name' | 'kind' | 'names'>,
	text: string,
	endpoint?: Endpoint,
): string {
	const label = name.replaceAll('_', ' ');
	// `@NAME` is a username everywhere.
	let parsed: Parsed<string> = { value: kind === 'text' ? text.replace(/^@/, '') : text };
	if (names !== undefined) parsed = named[names].parse(text);
	else if (kind === 'id') parsed = parseId(text);
	if (isProblem(parsed)) {
		const hint = argumentMeant(text, endpoint);
		throw new UsageError(`${label}: ${parsed.problem}`, { code: 'invalid_id', hint });
	}
	if (parsed.value === '') throw new UsageError(`${label} is empty`, { code: 'invalid_id' });
	return parsed.value;
}

/** What a word in the place of an ID may be. */
function argumentMeant(text: string, endpoint: Endpoint | undefined): string | undefined {
	const [, pairOf, value = ''] = /^([a-z][\w-]*)=(.+)$/i.exec(text) ?? [];
	if (pairOf !== undefined) return `to set a field: --${flagName(pairOf)} ${shellWord(value)}`;
	// Its ID is in the message.
	if (looksLikeUrl(text)) return undefined;
	if (/\.[a-z]+$/i.test(text)) return `to read rows from a file: --input ${shellWord(text)}`;
	if (text === 'help' && endpoint !== undefined)
		return `for help: supportctl ${endpoint.name.replaceAll('.', ' ')} --help`;
	const [, from, to] = /^(\d+)(?:-|\.\.)(\d+)$/.exec(text) ?? [];
	if (to !== undefined && endpoint !== undefined) {
		return `for a range: seq ${from} ${to} | supportctl ${endpoint.name.replaceAll('.', ' ')} -`;
	}
	const field = findField(endpoint?.fields ?? [], text);
	if (field !== undefined) return `to set a field: --${flagName(field.name)} VALUE`;
	const status = findStatus(text);
	const isStatus = status !== undefined && findField(endpoint?.fields ?? [], 'status') !== undefined;
	return isStatus ? `to set a field: --status ${status}` : undefined;
}

export function jobOf(
	name: EndpointName,
	{ endpoint, source, values, secrets }: Awaited<ReturnType<typeof readGiven>>,
	invocation: RunInvocation,
	session: Session,
	expected?: Checks['expected'],
): RunJob {
	const { options } = invocation;
	const { settings } = session.connection;
	const { onlyChanged = false, sendUnchanged, verify = false, ifUnmodified = false, ignoreMissing = false } = options;
	const { undocumented = false, skipInvalid = false, ignoreOtherColumns = false } = options;
	const { allowDiffers, shard } = options;
	const rules = { undocumented, statusIn: session.dialect.toNeutral };
	const isRestorable = canBeUndone(endpoint, values.force);
	const chosen = options.snapshot ?? (isRestorable ? settings.snapshot : undefined);
	const snapshotByDefault = isRestorable && chosen === undefined;
	const map = Object.fromEntries(
		(options.map ?? []).map(([column, field]) => [column, field === 'id' ? rowIdName(endpoint) : field]),
	);
	const plan: RunPlan = {
		endpoint: name,
		source,
		columns: {
			map,
			ignore: (options.ignoreColumn ?? []).flatMap((names) => names.split(',').map((name) => name.trim())),
			ignoreOther: ignoreOtherColumns,
			...(options.blank ?? { blank: 'skip' }),
		},
		values,
		checks: {
			onlyChanged,
			...(sendUnchanged === true && { sendUnchanged }),
			verify,
			snapshot: chosen === true || snapshotByDefault,
			ifUnmodified,
			conditions: (options.if ?? []).map(([name, value]) => readCondition(name.trim(), value, endpoint, rules)),
			allowDiffers: allowDiffers !== undefined && readAllowed(allowDiffers.flat(), endpoint, undocumented),
			ignoreMissing,
			...(options.moveTickets && { moveTickets: true }),
			...(expected && { expected }),
		},
		stop: { onError: false, ...stopGiven(options) },
		skipInvalid,
		undocumented,
		shard,
		service: session.service,
	};
	return { ...invocation, endpoint, plan, tuning: tuningOf(invocation, session), secrets, session, snapshotByDefault };
}

/** A rule without its flag does not compile. */
type Flags<Rules> = { readonly [Name in keyof Required<Rules>]: Rules[Name] | undefined };

/** Those that this call asks for; a resume adds them to those of its run. */
export function stopGiven({ stopOnError: onError, maxFailures }: RunInvocation['options']): Partial<StopRules> {
	const rules: Flags<StopRules> = { onError, maxFailures };
	return defined(rules);
}

type Defined<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> };

/** For a spread that leaves alone what is not given. */
export function defined<Values extends object>(values: Values): Defined<Values> {
	const given = Object.entries(values).filter(([, value]) => value !== undefined);
	return Object.fromEntries(given) as Defined<Values>;
}

export function tuningOf({ options, context }: RunInvocation, { connection: { settings } }: Session): RunTuning {
	const auto = options.concurrency === 'auto';
	const now = context.clock.now();
	const end = options.until === undefined ? undefined : parseUntil(options.until, now);
	return {
		auto,
		concurrency: auto ? MOST_AT_A_TIME : (settings.concurrency ?? DEFAULT_CONCURRENCY),
		first: options.first,
		until: options.for === undefined ? end : now + options.for,
	};
}

function unknownField(says: string, name: string, names: readonly string[]): UsageError {
	return new UsageError(`${says} ${quote(name)}${didYouMean(name, names)}`, {
		code: 'invalid_value',
		hint: `it takes ${names.join(', ')}`,
	});
}

function readCondition(name: string, value: string, endpoint: Endpoint, rules: ValueRules): Condition {
	if (bodyKinds[endpoint.body].takesAnyName) return { field: name, value };
	// A delete has the update's fields. Secrets are never shown.
	const { fields: all } = readOfWrite(endpoint)?.update ?? endpoint;
	const fields = all.filter(({ kind }) => !kinds[kind].isSecret);
	const field = findField(fields, name);
	if (field === undefined) {
		if (rules.undocumented) return { field: name, value };
		const names = fields.map((each) => each.name);
		throw unknownField(`--if: a ${endpoint.noun} has no field`, name, names);
	}
	const isFree = value === '' || (field.name === 'status' && value === 'trash');
	const parsed = isFree ? { value } : parseField(field, value, rules);
	if (isProblem(parsed)) throw new UsageError(`--if: ${parsed.problem}`, { code: 'invalid_value' });
	return { field: field.name, value };
}

/** `--allow-differs[=FIELDS]`; `*` is any field. */
function readAllowed(names: readonly string[], endpoint: Endpoint, undocumented: boolean): boolean | string[] {
	if (names.includes('*')) return true;
	if (bodyKinds[endpoint.body].takesAnyName) return [...names];
	// Responses show these too.
	const fields = [...endpoint.fields, { name: 'id' }, { name: 'parent' }, { name: 'status' }];
	return names.map((name) => {
		const field = findField(fields, name);
		if (field !== undefined || undocumented) return field?.name ?? name;
		throw unknownField('--allow-differs: no field', name, [...new Set(fields.map((each) => each.name))]);
	});
}
