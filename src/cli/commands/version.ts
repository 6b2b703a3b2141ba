/** `version`. */

import { version } from '../../version.js';
import { defineCommand } from '../command.js';
import { pick } from '../options/option.js';
import { outputOptions } from '../options/shared.js';

export const command = defineCommand({
	arguments: [],
	options: pick(outputOptions, 'json', 'no-color'),
	async run({ context, options }) {
		context.stdout.write(`${options.json ? JSON.stringify({ version }) : version}\n`);
	},
});
