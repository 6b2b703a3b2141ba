/** An earlier run taken up again: its journal, the command that it was, and the flags that it had. */

import { isObject } from '../../api/values.js';
import type { RunHeader } from '../../bulk/records.js';
import { readRunHeader } from '../../bulk/runs.js';
import { UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { sanitise } from '../../output/sanitise.js';
import { configFolder } from '../../profile/environment.js';
import { profileNamed, readChoice, readSituation, resolveBaseUrl } from '../../profile/resolve.js';
import { readStore } from '../../profile/store.js';
import type { CommandSpec, Invocation } from '../command.js';
import { commands } from '../manifest.js';
import type { OptionValues } from '../options/option.js';
import { parseWords } from '../parse.js';
import { checkInputThere, namedRun } from '../runs.js';
import { readDefaults } from './defaults.js';
import type { RowCommandDefinition, RowCommandSpec, RowDefaults } from './definition.js';
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

/** Flags that say where and as whom to sign in, whom to trust, and which files to write: a journal never does. */
const NEVER_FROM_JOURNAL: ReadonlySet<string> = new Set([
	'profile',
	'baseUrl',
	'username',
	'scheme',
	'headerName',
	'caFile',
	'cert',
	'key',
	'report',
	'journal',
]);

function without(options: OptionValues, isLeftOut: (name: string) => boolean): OptionValues {
	return Object.fromEntries(Object.entries(options).filter(([name]) => !isLeftOut(name)));
}

/**
 * The run's flags, with those of this call on top. The service comes from this call's flags, the environment and the
 * profiles of this machine, and has to be the run's.
 * @param isKept Which of the run's flags count.
 * @throws UsageError where it is not
 */
export function optionsOf(
	past: PastRun,
	invocation: Invocation,
	isKept: (name: string) => boolean = () => true,
): OptionValues {
	const { header } = past;
	const kept = without(past.settings.options, (name) => NEVER_FROM_JOURNAL.has(name) || !isKept(name));
	const { product, shop, membership } = header.prefixes ?? {};
	const words = { productPrefix: product, shopPrefix: shop, membershipPrefix: membership };
	const options = { ...words, ...kept, ...serviceFlags(past, invocation), ...invocation.options };
	checkSameService(past, options, invocation.context);
	return options;
}

/**
 * The profile that the journal names, where this call names neither profile nor base URL, the settings choose another
 * profile, and this machine has one of that name for the run's own base URL.
 */
function serviceFlags({ header }: PastRun, { options, context }: Invocation): OptionValues {
	const { profile, baseUrl } = header;
	if (profile === undefined || options.profile !== undefined || options.baseUrl !== undefined) return {};
	const { env, cwd } = context;
	const reading = readStore(configFolder({ env, cwd }));
	const isStored = isSameBaseUrl(profileNamed(reading.store, profile)?.baseUrl, baseUrl);
	return isStored && readChoice(reading, { env, flags: {}, cwd }).profileName !== profile ? { profile } : {};
}

function isSameBaseUrl(stored: unknown, baseUrl: string): boolean {
	return typeof stored === 'string' && stored.replace(/\/+$/, '') === baseUrl;
}

/** @throws UsageError where the settings of this call lead to another service than the run's, or to none */
function checkSameService({ header }: PastRun, flags: OptionValues, context: Context): void {
	const { env, cwd, stderr } = context;
	const situation = readSituation({ env, flags, cwd });
	const hint = 'choose the profile or the base URL of the run';
	if (situation.settings.baseUrl === undefined) {
		throw new UsageError(`run ${header.id} was on ${header.baseUrl}, and no base URL is set here; nothing was sent`, {
			code: 'another_service',
			hint,
		});
	}
	const { url } = resolveBaseUrl(situation);
	if (url !== header.baseUrl) {
		throw new UsageError(
			`run ${header.id} was on ${header.baseUrl}, and the base URL is now ${url}; nothing was sent`,
			{ code: 'another_service', hint },
		);
	}
	if (header.profile === undefined || header.profile === situation.profileName || flags.profile !== undefined) return;
	const { from, name } = situation.sources.baseUrl;
	const instead = from === 'profile' ? `the profile ${JSON.stringify(name)}` : name;
	const note = `note: run ${header.id} was started with the profile ${JSON.stringify(header.profile)}; now ${instead} is used`;
	stderr.write(`${sanitise(note)}\n`);
}

const UNPROTECTED: ReadonlySet<unknown> = new Set([undefined, false, 'false']);

/** The protected profile that the run had, unless it is here and protected no more, or this call names one of its own. */
export function protectedBy({ header }: PastRun, { context, options }: Invocation): string | undefined {
	const { protectedBy: name } = header;
	if (name === undefined || options.profile !== undefined) return undefined;
	const { env, cwd } = context;
	const profile = profileNamed(readStore(configFolder({ env, cwd })).store, name);
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
