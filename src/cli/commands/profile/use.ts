/** `profile use`: makes a profile the one that is used where none is named. */

import { ExitCode } from '../../../errors.js';
import { chooseProfile } from '../../../profile/edit.js';
import { configFolder } from '../../../profile/environment.js';
import { defineCommand, type NamedInvocation } from '../../command.js';
import { say, warn } from '../../notices.js';
import { outputOptions } from '../../options/output.js';
import { warnOfVariables } from '../../profile-name.js';
import { openChange } from '../../profile-results.js';

export const command = defineCommand({
	summary: 'Choose the current profile.',
	examples: [
		{ command: 'supportctl profile use staging', note: 'staging from now on' },
		{ command: 'supportctl ticket update 14 --status hold --profile live', note: 'another one, once' },
	],
	arguments: [{ name: 'name', help: 'The profile', required: true, completes: 'profiles' }],
	options: outputOptions,
	run,
});

async function run(invocation: NamedInvocation): Promise<ExitCode> {
	const { context } = invocation;
	const { env, cwd } = context;
	const name = invocation.args[0];
	const tell = await openChange(invocation, ['profile']);
	const { notices } = await chooseProfile(configFolder({ env, cwd }), name);
	warn(context, notices);
	warnOfVariables(invocation, name);
	say(invocation, `Profile "${name}" is the one in use now.`);
	await tell({ profile: name });
	return ExitCode.ok;
}
