/** `profile set`: makes or changes a profile without trying it. */

import { resolve } from 'node:path';
import { ExitCode, UsageError } from '../../../errors.js';
import { parseBaseUrl } from '../../../profile/base-url.js';
import { saveProfile } from '../../../profile/edit.js';
import { configFolder } from '../../../profile/environment.js';
import { describeStore } from '../../../profile/secrets.js';
import { checkSetting, type Scheme, type SettingName, settingSpecs } from '../../../profile/settings.js';
import { ConfigDamaged, checkProfileName, readStore, type StoredProfile } from '../../../profile/store.js';
import { defineCommand, type Invocation, type NamedInvocation } from '../../command.js';
import { say, warn } from '../../notices.js';
import { connectionOptions } from '../../options/connection.js';
import type { OptionSpec } from '../../options/option.js';
import { allBut } from '../../options/option.js';
import { outputOptions } from '../../options/output.js';
import { guardDefaults, runDefaults } from '../../options/profile-defaults.js';
import { impliedScheme, readGivenSecret, secretOptions } from '../../options/secret.js';
import { openChange } from '../../profile-results.js';

const unsetOption: OptionSpec = {
	flags: '--unset <setting>',
	help: 'Forget a setting: timeout, ca-file …',
	group: 'Kept in the profile',
	repeatable: true,
};

export const command = defineCommand({
	summary: 'Create a profile or change its settings, without checking them.',
	description: '`supportctl login` checks them. A new host, user or scheme removes the old secret.',
	examples: [
		{ command: 'supportctl profile set desk --protected --concurrency 8', note: 'defaults and guards' },
		{ command: 'supportctl profile set desk --password-stdin < password.txt', note: 'another password' },
		{ command: 'supportctl profile set desk --unset rate', note: 'back to the default' },
	],
	arguments: [
		{ name: 'name', help: 'The profile; created if it does not exist', required: true, completes: 'profiles' },
	],
	options: [
		...allBut(connectionOptions, 'profile'),
		...guardDefaults,
		...runDefaults,
		unsetOption,
		...secretOptions,
		...allBut(outputOptions, 'format'),
	],
	run,
});

/** The profile as it is; a damaged file counts as empty here and is kept aside when the new one is written. */
function storedProfile(folder: string, name: string): StoredProfile {
	try {
		const { profiles } = readStore(folder).store;
		return Object.hasOwn(profiles, name) ? (profiles[name] as StoredProfile) : {};
	} catch (error) {
		if (error instanceof ConfigDamaged) return {};
		throw error;
	}
}

function readUnset(given: readonly string[]): SettingName[] {
	return given.map((text) => {
		const spec = settingSpecs.find((each) => each.flag === `--${text.replace(/^--/, '')}` || each.name === text);
		if (spec !== undefined) return spec.name;
		const names = settingSpecs.map((each) => each.flag.slice(2)).join(', ');
		throw new UsageError(`--unset ${JSON.stringify(text)}: there is no such setting`, { hint: `there are ${names}` });
	});
}

/** The settings that flags give, checked, with paths made absolute. */
function readSettings({ options, context }: Invocation): Partial<Record<SettingName, string | number | boolean>> {
	const settings: Partial<Record<SettingName, string | number | boolean>> = {};
	for (const spec of settingSpecs) {
		const given = options[spec.name];
		if (given === undefined) continue;
		const value = checkSetting(spec, given, spec.flag);
		settings[spec.name] = spec.path ? resolve(context.cwd, value as string) : value;
	}
	return settings;
}

/** Checks the base URL that the profile will have; changes to http need the profile's leave. */
function checkBaseUrl(invocation: Invocation, after: StoredProfile): string | undefined {
	if (typeof after.baseUrl !== 'string') return undefined;
	const { url, warnings } = parseBaseUrl(after.baseUrl, {
		allowHttp: after.allowHttp === true,
		from: invocation.options.baseUrl === undefined ? 'as stored' : '--base-url',
		...(typeof after.productPrefix === 'string' && { productPrefix: after.productPrefix }),
	});
	warn(invocation.context, warnings);
	return url;
}

async function run(invocation: NamedInvocation): Promise<ExitCode> {
	const { context, options } = invocation;
	const name = checkProfileName(invocation.args[0]);
	const folder = configFolder({ env: context.env, cwd: context.cwd });
	const before = storedProfile(folder, name);
	const settings = readSettings(invocation);
	const implied = impliedScheme(options);
	if (implied !== undefined) settings.scheme = implied;
	const unset = readUnset((options.unset as string[] | undefined) ?? []);
	const scheme = (settings.scheme ?? (unset.includes('scheme') ? 'basic' : before.scheme) ?? 'basic') as Scheme;
	const secret = await readGivenSecret(invocation, scheme);
	if (Object.keys(settings).length === 0 && unset.length === 0 && secret === undefined) {
		throw new UsageError('profile set: nothing to set', { hint: 'supportctl profile set --help lists the settings' });
	}
	const baseUrl = checkBaseUrl(invocation, { ...before, ...settings });
	// --format is a setting here, not how this command prints.
	const { format: _, ...printing } = options;
	const tell = await openChange({ ...invocation, options: printing }, ['profile', 'created', 'current', 'stored_in']);
	const changed = await saveProfile({
		folder,
		name,
		settings: { ...settings, ...(baseUrl !== undefined && !unset.includes('baseUrl') && { baseUrl }) },
		unset,
		...(secret && { secret }),
		insecureStorage: options.insecureStorage === true,
		now: () => context.clock.now(),
	});
	warn(context, changed.notices);
	const use = changed.isCurrent ? ' It is the one in use.' : '';
	say(invocation, `Profile "${name}" was ${changed.created ? 'made' : 'changed'}; it has not been tried.${use}`);
	await tell({
		profile: name,
		created: changed.created,
		current: changed.isCurrent,
		stored_in: describeStore(changed.secret),
	});
	return ExitCode.ok;
}
