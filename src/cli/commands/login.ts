/** `login`: asks for base URL, scheme and credentials, tries them, and stores a profile. */

import { defineCommand } from '../command.js';
import { allBut } from '../options/option.js';
import { connectionOptions, guardDefaults, outputOptions, secretOptions } from '../options/shared.js';

export const command = defineCommand({
	description:
		'The credentials are checked with POST /users/username, which changes nothing. The secret is stored in the system keyring where there is one, else in the profile file, which only you can read.',
	examples: {
		'supportctl login https://desk.example.com/wp-json': 'asks for the rest',
		'pass desk | supportctl login --base-url https://desk.example.com/wp-json --username anna --password-stdin --no-input':
			'asks for nothing',
		"supportctl login --profile ci --base-url https://desk.example.com/wp-json --username bot --secret-command 'pass show desk'":
			'stores a command that prints the secret',
	},
	arguments: [
		{ name: 'url', help: "The service's base URL: what comes before /support-api/v1; or --base-url", required: false },
	],
	options: [
		{ flags: '--no-input', help: 'Never ask; what is missing is an error', group: 'Secret' },
		...secretOptions,
		...connectionOptions,
		...guardDefaults,
		...allBut(outputOptions, 'quiet'),
		{ flags: '-q, --quiet', help: 'Print only errors and warnings', group: 'Output' },
	],
	run: async (invocation) => (await import('../login/login.js')).runLogin(invocation),
});
