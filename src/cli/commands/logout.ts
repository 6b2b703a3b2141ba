/** `logout`: forgets a profile's secret, wherever it lives, and keeps the rest of the profile. */

import { ExitCode, UsageError } from '../../errors.js';
import { forgetSecret } from '../../profile/edit.js';
import { configFolder } from '../../profile/environment.js';
import { describeStore } from '../../profile/secrets.js';
import { defineCommand, type Invocation } from '../command.js';
import { say, warn } from '../notices.js';
import { outputOptions } from '../options/output.js';
import { namedProfile } from '../profile-name.js';
import { openChange } from '../profile-results.js';

export const command = defineCommand({
	summary: 'Remove the secret of a profile.',
	description: 'The profile stays, with its base URL and settings; `supportctl profile remove` removes it too.',
	examples: [
		{ command: 'supportctl logout', note: 'the current profile' },
		{ command: 'supportctl logout staging', note: 'another one' },
	],
	arguments: [
		{ name: 'profile', help: 'The profile; by default the current one', required: false, completes: 'profiles' },
	],
	options: [
		{ flags: '--profile <name>', help: 'The same as the argument', group: 'Connection', completes: 'profiles' },
		...outputOptions,
	],
	run,
});

async function run(invocation: Invocation): Promise<ExitCode> {
	const { env, cwd } = invocation.context;
	const name = namedProfile(invocation);
	if (name === undefined) throw new UsageError('no profile is in use', { hint: 'name one: supportctl logout PROFILE' });
	const tell = await openChange(invocation, ['profile', 'removed_from']);
	const { had, notices } = await forgetSecret({ folder: configFolder({ env, cwd }), name });
	warn(invocation.context, notices);
	say(
		invocation,
		had === undefined
			? `Profile "${name}" had no secret stored.`
			: `Signed out: the secret of profile "${name}" was removed from the ${describeStore(had)}.`,
	);
	const left = ['PASSWORD', 'PASSWORD_FILE', 'TOKEN', 'TOKEN_FILE'].map((each) => `SUPPORTCTL_${each}`);
	for (const variable of left.filter((each) => env[each])) {
		warn(invocation.context, [`${variable} is still set in the environment and goes on to be used`]);
	}
	await tell({ profile: name, removed_from: describeStore(had) });
	return ExitCode.ok;
}
