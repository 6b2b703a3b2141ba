/** `profile remove`: removes a profile and its secret. */

import { ExitCode } from '../../../errors.js';
import { removeProfile } from '../../../profile/edit.js';
import { configFolder } from '../../../profile/environment.js';
import { defineCommand, type NamedInvocation } from '../../command.js';
import { say, warn } from '../../notices.js';
import { outputOptions } from '../../options/output.js';
import { openChange } from '../../profile-results.js';

export const command = defineCommand({
	summary: 'Remove a stored profile and its secret.',
	description: 'Nothing changes at the service; `supportctl login` creates the profile again.',
	examples: [
		{ command: 'supportctl profile remove staging', note: 'the profile and its password' },
		{ command: 'supportctl logout staging', note: 'only the password' },
	],
	arguments: [{ name: 'name', help: 'The profile', required: true, completes: 'profiles' }],
	options: outputOptions,
	run,
});

async function run(invocation: NamedInvocation): Promise<ExitCode> {
	const { context } = invocation;
	const name = invocation.args[0];
	const tell = await openChange(invocation, ['profile', 'was_current']);
	const folder = configFolder({ env: context.env, cwd: context.cwd });
	const { wasCurrent, notices } = await removeProfile({ folder, name });
	warn(context, notices);
	const next = wasCurrent ? ' It was the one in use: supportctl profile use NAME chooses another.' : '';
	say(invocation, `Profile "${name}" was removed.${next}`);
	await tell({ profile: name, was_current: wasCurrent });
	return ExitCode.ok;
}
