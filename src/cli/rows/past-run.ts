/** An earlier run taken up again: its journal, the command that it was, and the flags that it had. */

import { isObject } from '../../api/values.js';
import type { RunHeader } from '../../bulk/records.js';
import { readRunHeader } from '../../bulk/runs.js';
import { UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { sanitise } from '../../output/sanitise.js';
import { configFolder } from '../../profile/folders.js';
import { readSituation } from '../../profile/resolve.js';
import { readStore, type StoredProfile } from '../../profile/store.js';
import type { CommandSpec, Invocation } from '../command.js';
import { commands } from '../manifest.js';
import type { OptionValues } from '../options/option.js';
import { parseWords } from '../parse.js';
import { checkInputThere, namedRun } from '../runs.js';
import { readDefaults } from './defaults.js';
import type { RowCommandDefinition, RowCommandSpec, RowDefaults } from './definition.js';
import type { PreparedRun } from './prepare.js';
import type { RunSettingsRecord } from './run-log.js';

export interface PastRun {
	/** The journal's path. */
	path: string;
	header: RunHeader;
	settings: RunSettingsRecord;
	definition: RowCommandDefinition;
	command: CommandSpec;
}

function isRowCommand(command: CommandSpec): command is RowCommandSpec {
	return 'rows' in command;
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');

function isSettings(value: unknown): value is RunSettingsRecord {
	if (!isObject(value) || !isObject(value.defaults)) return false;
	const { args, withheld, options, defaults } = value;
	const { fields, dataIds, force, reassign } = defaults;
	return (
		isTexts(args) &&
		isTexts(withheld) &&
		isObject(options) &&
		isObject(fields) &&
		isObject(dataIds) &&
		typeof force === 'boolean' &&
		(reassign === undefined || typeof reassign === 'string')
	);
}

/** Finds the run that the first argument names. @throws UsageError, FailedError */
export async function openPastRun(invocation: Invocation): Promise<PastRun> {
	const path = namedRun(invocation);
	const header = readRunHeader(path);
	const entry = commands.find((each) => each.words.join(' ') === header.command.join(' '));
	const command = entry === undefined ? undefined : (await entry.load()).command;
	if (command === undefined || !isRowCommand(command) || !isSettings(header.settings)) {
		throw new UsageError(`run ${header.id} is of a command that can't be taken up: ${header.command.join(' ')}`);
	}
	return { path, header, settings: header.settings, definition: command.rows, command };
}

/** The profile of this name, where this place has one. */
function profileHere(name: string, { env, cwd }: Context): StoredProfile | undefined {
	const { profiles } = readStore(configFolder({ env, cwd })).store;
	return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** Where requests go and who sends them: a journal from elsewhere does not say that of this machine's credentials. */
const PLACE_FLAGS: ReadonlySet<string> = new Set(['profile', 'baseUrl', 'username', 'scheme', 'headerName']);

function without(options: OptionValues, isLeftOut: (name: string) => boolean): OptionValues {
	return Object.fromEntries(Object.entries(options).filter(([name]) => !isLeftOut(name)));
}

/**
 * The run's flags, with those of this call on top. Where its profile is not here, this call, the environment or the
 * profile in use say which service is meant.
 * @param isKept Which of the run's flags count.
 * @throws UsageError where nothing says so
 */
export function optionsOf(
	past: PastRun,
	invocation: Invocation,
	isKept: (name: string) => boolean = () => true,
): OptionValues {
	const { options: own, context } = invocation;
	const { profile } = past.header;
	const kept = without(past.settings.options, (name) => name === 'profile' || !isKept(name));
	if (profile === undefined || own.profile !== undefined) return { ...kept, ...own };
	if (profileHere(profile, context) !== undefined) return { ...kept, profile, ...own };
	const { product, shop, membership } = past.header.prefixes ?? {};
	const words = { productPrefix: product, shopPrefix: shop, membershipPrefix: membership };
	const options = { ...words, ...without(kept, (name) => PLACE_FLAGS.has(name)), ...own };
	noteOtherPlace(past, profile, options, context);
	return options;
}

/** @throws UsageError where nothing names a service */
function noteOtherPlace({ header }: PastRun, profile: string, flags: OptionValues, context: Context): void {
	const { env, cwd, stderr } = context;
	const { settings, sources } = readSituation({ env, flags, cwd });
	const missing = `the profile ${JSON.stringify(profile)} of run ${header.id} is not here`;
	if (settings.baseUrl === undefined) {
		throw new UsageError(`${missing}, and nothing else says how to reach ${header.baseUrl}; nothing was sent`, {
			code: 'no_such_profile',
			hint: 'supportctl login, or set SUPPORTCTL_BASE_URL, SUPPORTCTL_USERNAME and SUPPORTCTL_PASSWORD',
		});
	}
	const { from, name } = sources.baseUrl;
	const instead = from === 'profile' ? `the profile ${JSON.stringify(name)}` : name;
	stderr.write(`${sanitise(`note: ${missing}: going on with ${instead}, without what that profile sets`)}\n`);
}

const UNPROTECTED: ReadonlySet<unknown> = new Set([undefined, false, 'false']);

/** The protected profile that the run had, unless it is here and protected no more, or this call names one of its own. */
export function protectedBy({ header }: PastRun, { context, options }: Invocation): string | undefined {
	const { protectedBy: name } = header;
	if (name === undefined || options.profile !== undefined) return undefined;
	const profile = profileHere(name, context);
	return profile !== undefined && UNPROTECTED.has(profile.protected) ? undefined : name;
}

/**
 * The call that the run was, with the input that its journal names or that this call gives.
 * @throws UsageError where nothing names a service, or where the input is not there
 */
export function callOf(past: PastRun, invocation: Invocation, options = optionsOf(past, invocation)): Invocation {
	const { header, settings } = past;
	const { input } = header;
	if (input.ids !== undefined) {
		return {
			...invocation,
			words: header.command,
			args: [...settings.args, ...input.ids],
			options: { ...options, input: undefined },
		};
	}
	if (invocation.options.input === undefined) checkInputThere(header);
	return {
		...invocation,
		words: header.command,
		args: settings.args,
		options: { ...options, input: invocation.options.input ?? input.path ?? '-', inputFormat: input.format },
	};
}

/**
 * What flags gave to every row, from the journal. Secrets were not kept: they are given again behind `--`, in the
 * command's own flags.
 */
export async function restoreDefaults(past: PastRun, invocation: Invocation): Promise<RowDefaults> {
	const { settings, definition, command, header } = past;
	const { defaults, withheld } = settings;
	const again = invocation.args.slice(1);
	if (withheld.length === 0) {
		if (again.length > 0) throw new UsageError(`run resume takes one run; ${JSON.stringify(again[0])} is too many`);
		return defaults;
	}
	const parsed = parseWords(command, header.command, again);
	const given = await readDefaults(definition, { ...invocation, args: [], options: parsed.options });
	const missing = withheld.filter((name) => !Object.hasOwn(given.fields, name));
	if (missing.length > 0) {
		throw new UsageError(`the values of ${missing.join(', ')} were not kept, being secret`, {
			code: 'withheld',
			hint: `give them again behind --, for instance: supportctl run resume ${header.id} -- ${againFlag(past, missing[0] as string)}`,
		});
	}
	const fields = { ...defaults.fields };
	for (const name of withheld) fields[name] = given.fields[name];
	return { ...defaults, fields };
}

function againFlag({ definition }: PastRun, name: string): string {
	if (definition.customFields !== undefined) return '--set NAME=@FILE';
	return name === 'password' ? '--password-stdin' : '--data @file';
}

/** @throws UsageError where the settings now lead to another service than the run's. */
export function checkSameService(past: PastRun, run: PreparedRun): void {
	const { baseUrl } = run.session.connection;
	if (baseUrl === past.header.baseUrl) return;
	throw new UsageError(
		`run ${past.header.id} was on ${past.header.baseUrl}, and the base URL is now ${baseUrl}; nothing was sent`,
		{
			code: 'another_service',
			hint: 'choose the profile or the base URL of the run',
		},
	);
}
