/** `profile show`: the settings in force, where each came from, and where the secret lives; never the secret. */

import { ExitCode } from '../../../errors.js';
import { redactBaseUrl } from '../../../output/redact.js';
import { describeSecret, readSituation, type Situation } from '../../../profile/resolve.js';
import { settingSpecs } from '../../../profile/settings.js';
import { defineCommand, type Invocation } from '../../command.js';
import { warn } from '../../notices.js';
import { connectionFlags, connectionOptions } from '../../options/connection.js';
import type { OptionValues } from '../../options/option.js';
import { outputOptions } from '../../options/output.js';
import { namedProfile } from '../../profile-name.js';
import { printRows } from '../../profile-results.js';
import { chosenFormat } from '../../results.js';

export const command = defineCommand({
	summary: 'Show the current settings, where each comes from, and where the secret is stored.',
	description:
		'A flag beats the environment, which beats the profile, which beats the default. The secret itself is never shown.',
	examples: [
		{ command: 'supportctl profile show', note: 'the current profile' },
		{ command: 'supportctl profile show staging --json', note: 'another one, for a program' },
	],
	arguments: [
		{ name: 'name', help: 'The profile; by default the current one', required: false, completes: 'profiles' },
	],
	options: [...connectionOptions, ...outputOptions],
	run,
});

interface Line {
	setting: string;
	value: unknown;
	source: string;
}

function sourceText({ from, name }: { from: string; name: string }): string {
	return from === 'default' ? 'default' : from === 'profile' ? `profile ${name}` : `${from} ${name}`;
}

function settingLines({ settings, sources }: Situation): Line[] {
	return settingSpecs
		.filter(({ name }) => settings[name] !== undefined)
		.map(({ name, flag }) => ({
			setting: flag.slice(2),
			value: name === 'baseUrl' ? redactBaseUrl(settings[name] as string) : settings[name],
			source: sourceText(sources[name]),
		}));
}

/** The lines are of one thing, the profile, whose name is all that `--format ids` prints; a query picks lines of its own. */
function shownLines(lines: readonly Line[], options: OptionValues): readonly Line[] {
	if (chosenFormat(options) !== 'ids' || options.fields !== undefined || options.query !== undefined) return lines;
	return lines.filter(({ setting, value }) => setting === 'profile' && value !== null);
}

async function run(invocation: Invocation): Promise<ExitCode> {
	const { context, options } = invocation;
	const { env, cwd } = context;
	// Checked for one name at the most; without an argument the usual order of choice holds.
	namedProfile(invocation);
	const [argument] = invocation.args;
	const flags = { ...connectionFlags(options), ...(argument !== undefined && { profile: argument }) };
	const situation = readSituation({ env, flags, cwd });
	warn(context, [...situation.reading.warnings, ...situation.warnings]);
	const chosenBy = argument === undefined ? (situation.chosenBy ?? 'none chosen') : 'argument';
	const secret = describeSecret(situation);
	const rows: Line[] = [
		{ setting: 'profile', value: situation.profileName ?? null, source: chosenBy },
		{
			setting: 'config-file',
			value: situation.reading.file,
			source: situation.reading.exists ? 'exists' : 'not there',
		},
		...settingLines(situation),
		{ setting: secret.noun, value: secret.state, source: secret.source },
	];
	await printRows(
		invocation,
		shownLines(rows, options) as unknown as Record<string, unknown>[],
		[{ path: 'setting' }, { path: 'value' }, { path: 'source' }],
		({ setting, value }) => (setting === 'profile' ? value : setting),
	);
	return ExitCode.ok;
}
