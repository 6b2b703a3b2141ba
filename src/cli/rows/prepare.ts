/** Everything about a run that can be known before its first row is read. */

import type { Endpoint } from '../../api/endpoints.js';
import type { Field } from '../../api/fields.js';
import type { Planner } from '../../api/plan.js';
import { didYouMean } from '../../api/suggest.js';
import { findField } from '../../api/values.js';
import { OUTCOME_COLUMNS } from '../../bulk/input/added-columns.js';
import { openArguments } from '../../bulk/input/arguments.js';
import type { InputSource } from '../../bulk/input/source.js';
import { parseShard, type Shard } from '../../bulk/shard.js';
import { UsageError } from '../../errors.js';
import type { Input } from '../../io/context.js';
import type { Invocation } from '../command.js';
import { openSession, type Session } from '../session.js';
import { readDefaults } from './defaults.js';
import { type CustomFieldSettings, modelEndpoint, type RowCommandDefinition, type RowDefaults } from './definition.js';
import { planRows } from './row-plan.js';
import { type RunSettings, runSettings } from './settings.js';
import type { RowPlan } from './survey.js';
import { readTargets, type Targets } from './targets.js';

/** The run that this one goes on with, or undoes. */
export interface EarlierRun {
	readonly journal: string;
	/** Its id, where it is undone. */
	readonly undoes?: string;
	/** What is undone, for the question: "what run ID (ticket fields set of …) overwrote". */
	readonly undoing?: string;
	/** The protected profile that it had, whatever the settings are now. */
	readonly protectedBy?: string | undefined;
}

export interface PreparedRun {
	definition: RowCommandDefinition;
	invocation: Invocation;
	targets: Targets;
	defaults: RowDefaults;
	session: Session;
	settings: RunSettings;
	/** The endpoint, or the one that stands for all where rows have taxonomies of their own. */
	endpoint: Endpoint;
	source: InputSource;
	planRow: RowPlan;
	planWrite: Planner;
	shard: Shard | undefined;
	customFields: CustomFieldSettings | undefined;
	earlier: EarlierRun | undefined;
}

/** What the response is compared in beside the fields that were sent. */
const RESPONSE_FIELDS: readonly Pick<Field, 'name'>[] = [{ name: 'id' }, { name: 'parent' }, { name: 'status' }];

/** Standard input that rows come from can't be a value too. */
const takenStdin: Input = {
	isTTY: false,
	bytes() {
		throw new UsageError('standard input holds the rows and cannot be a value too');
	},
	async text() {
		throw new UsageError('standard input holds the rows and cannot be a value too');
	},
};

/** What a resumed run knows already. */
export interface PrepareOverrides {
	defaults?: RowDefaults | undefined;
	onSpool?: (path: string) => void;
	earlier?: EarlierRun | undefined;
}

/** Says of columns that could be custom fields, and that we write ourselves, that they are not sent. */
function noteAdded({ context, options }: Invocation, ignored: readonly string[]): void {
	const left = (options.ignoreColumn as string[] | undefined) ?? [];
	for (const name of ignored) {
		if (left.includes(name)) continue;
		const writer = OUTCOME_COLUMNS.includes(name) ? 'ticket fields get' : 'run rejects';
		context.stderr.write(
			`note: the column ${name} is what ${writer} adds, and is not sent; --map ${name}=${name} sends it\n`,
		);
	}
}

/** Reads flags, resolves settings, opens the input. @throws UsageError, RefusedError */
export async function prepareRun(
	definition: RowCommandDefinition,
	invocation: Invocation,
	overrides: PrepareOverrides = {},
): Promise<PreparedRun> {
	const { context, options } = invocation;
	const targets = readTargets(definition, invocation);
	const forDefaults = targets.path === '-' ? { ...context, stdin: takenStdin } : context;
	const defaults = overrides.defaults ?? (await readDefaults(definition, { ...invocation, context: forDefaults }));
	const undocumented = options.undocumented === true;
	const endpoint = modelEndpoint(definition, targets.taxonomy, undocumented);
	checkShared(endpoint, targets, defaults);
	const customFields = definition.customFields?.(invocation);
	const session = await openSession(invocation, {
		credentials: options.dryRun !== true || customFields?.diff === true,
		// A run that goes on has its fields already: the flags of this call say who signs in.
		...(definition.without === undefined || overrides.defaults !== undefined ? {} : { without: definition.without }),
	});
	const settings = runSettings(options, session.connection.defaults);
	settings.allowDiffers = allowedDifferences(settings, endpoint);
	const shard = settings.shard === undefined ? undefined : parseShard(settings.shard);
	const source = await openSource(targets, invocation, session.stateDir, overrides.onSpool);
	try {
		const { dialect } = session;
		const planning = planRows({ definition, endpoint, targets, defaults, options, dialect }, source);
		if (endpoint.body === 'custom_fields') noteAdded(invocation, planning.ignored);
		return {
			definition,
			invocation,
			targets,
			defaults,
			session,
			settings,
			endpoint,
			source,
			planRow: planning.planRow,
			planWrite: planning.plan,
			shard,
			customFields,
			earlier: overrides.earlier,
		};
	} catch (error) {
		await source.dispose();
		throw error;
	}
}

/** The names of `--allow-differs` as responses have them. @throws UsageError for a name that the endpoint does not have */
function allowedDifferences({ allowDiffers, undocumented }: RunSettings, { fields, body }: Endpoint): Set<string> {
	const known = [...fields, ...RESPONSE_FIELDS];
	return new Set(
		[...allowDiffers].map((name) => {
			const field = findField(known, name);
			if (field !== undefined) return field.name;
			if (name === '*' || undocumented || body === 'custom_fields') return name;
			const names = known.map((each) => each.name);
			throw new UsageError(`--allow-differs: no field ${JSON.stringify(name)}${didYouMean(name, names)}`, {
				code: 'invalid_value',
				hint: `it takes ${names.join(', ')}`,
			});
		}),
	);
}

/** What no row could mend: told at once rather than once a row. */
function checkShared(endpoint: Endpoint, targets: Targets, defaults: RowDefaults): void {
	if (targets.ids === undefined) return;
	const force = endpoint.query.find((each) => each.name === 'force' && each.presence === 'must');
	if (force !== undefined && !defaults.force) {
		throw new UsageError(`--force is missing: ${force.reason}`, { code: 'needs_force' });
	}
	const reassign = endpoint.query.find((each) => each.name === 'reassign' && each.presence === 'must');
	if (reassign !== undefined && defaults.reassign === undefined) {
		throw new UsageError(`--reassign <user-id> is missing: ${reassign.reason}`, { code: 'needs_reassign' });
	}
	if (endpoint.body !== 'none' && endpoint.answer !== 'user-id' && Object.keys(defaults.fields).length === 0) {
		throw nothingToChange(endpoint);
	}
}

/** Where neither flags nor rows say anything. */
export function nothingToChange(endpoint: Endpoint): UsageError {
	const flag = endpoint.body === 'custom_fields' ? '--set name=value' : 'a flag for a field, or --data';
	return new UsageError(`nothing to change: give ${flag}`, { code: 'nothing_to_send' });
}

async function openSource(
	targets: Targets,
	{ context }: Invocation,
	stateDir: string,
	onSpool: PrepareOverrides['onSpool'],
): Promise<InputSource> {
	if (targets.ids !== undefined) return openArguments(targets.ids);
	const { openInput } = await import('../../bulk/input/source.js');
	return openInput({
		path: targets.path as string,
		...(targets.format === undefined ? {} : { format: targets.format }),
		stdin: { [Symbol.asyncIterator]: () => context.stdin.bytes()[Symbol.asyncIterator]() },
		stateDir,
		cwd: context.cwd,
		onSpool,
	});
}
