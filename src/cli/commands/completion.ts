/** `completion`: the script by which a shell completes this program's commands, flags and values. */

import { ExitCode } from '../../errors.js';
import { defineCommand } from '../command.js';
import { scripts } from '../completion/scripts.js';

export const command = defineCommand({
	description:
		'Completes commands, flags and their values, profiles, runs, files and columns of the --input file. No request is sent. The script calls supportctl at each Tab, so it need not be updated. For one session of bash or zsh: source <(supportctl completion bash).',
	examples: {
		'supportctl completion bash > ~/.local/share/bash-completion/completions/supportctl':
			'bash, with the package bash-completion',
		'supportctl completion zsh > "${fpath[1]}/_supportctl"': 'zsh',
		'supportctl completion fish > ~/.config/fish/completions/supportctl.fish': 'fish',
		'supportctl completion powershell >> $PROFILE': 'PowerShell',
	},
	arguments: [{ name: 'shell', help: 'Your shell', required: true, choices: ['bash', 'zsh', 'fish', 'powershell'] }],
	options: [],
	async run({ args, context }) {
		context.stdout.write(scripts[args[0]]);
		return ExitCode.ok;
	},
});
