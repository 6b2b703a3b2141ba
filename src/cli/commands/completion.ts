/** `completion`: scripts that call `__complete SHELL` at each Tab. */

import { defineCommand } from '../command.js';
import bash from '../completion/scripts/supportctl.bash' with { type: 'text' };
import fish from '../completion/scripts/supportctl.fish' with { type: 'text' };
import powershell from '../completion/scripts/supportctl.ps1' with { type: 'text' };
import zsh from '../completion/scripts/supportctl.zsh' with { type: 'text' };
import { type ShellName, shellNames } from '../shells.js';

const scripts: Readonly<Record<ShellName, string>> = { bash, zsh, fish, powershell };

export const command = defineCommand({
	arguments: [{ name: 'shell', help: 'Your shell', required: true, choices: shellNames }],
	options: [],
	async run({ args, context }) {
		context.stdout.write(scripts[args[0]]);
	},
});
