/** `profile path`: where the profiles are stored. */

import { ExitCode } from '../../../errors.js';
import { configFolder, stateFolder } from '../../../profile/environment.js';
import { configFile } from '../../../profile/store.js';
import { defineCommand, type Invocation } from '../../command.js';
import { outputOptions } from '../../options/output.js';
import { printIfAsked } from '../../profile-results.js';

export const command = defineCommand({
	summary: 'Print the path of the file of profiles.',
	description: 'SUPPORTCTL_CONFIG_DIR and SUPPORTCTL_STATE_DIR choose other folders. The file need not exist yet.',
	examples: [
		{ command: 'supportctl profile path', note: 'the file' },
		{ command: 'supportctl profile path --field state', note: 'the folder of journals' },
	],
	arguments: [],
	options: outputOptions,
	run,
});

async function run(invocation: Invocation): Promise<ExitCode> {
	const { context, options } = invocation;
	const { env, cwd } = context;
	const folder = configFolder({ env, cwd });
	const paths = { file: configFile(folder), config: folder, state: stateFolder({ env, cwd }) };
	const asked = options.json === true || [options.format, options.field, options.fields, options.query].some(Boolean);
	if (asked) await printIfAsked(invocation, paths, paths.file);
	else context.stdout.write(`${paths.file}\n`);
	return ExitCode.ok;
}
