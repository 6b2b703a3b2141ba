/** `doctor`: finds out, step by step, why the service can't be used, and says what to do about it. */

import { defineCommand } from '../command.js';
import { connectionOptions } from '../options/connection.js';
import { outputOptions } from '../options/output.js';

export const command = defineCommand({
	summary: 'Check settings, network, service and credentials, and say what to do about what is wrong.',
	description: [
		'Checks, each of which passes, warns, fails, or is skipped because one before it failed: node, config (the file of profiles and its mode), profile, secret (where it lives, and that it can be had), base-url, proxy, dns, tcp, tls (with the days left on the certificate), prefix (that the API is served there), credentials, and clock.',
		'Nothing is changed: the prefix is asked for its routes, and the credentials are tried with the look-up of a user id (POST /users/username). No secret is printed. The exit code is 1 if any check fails.',
	].join('\n\n'),
	examples: [
		{ command: 'supportctl doctor', note: 'the profile in use' },
		{ command: 'supportctl doctor --profile staging --json', note: 'another one, for a program' },
		{
			command: 'supportctl doctor --base-url https://desk.example.com/wp-json --username anna',
			note: 'before signing in',
		},
	],
	arguments: [],
	options: [...outputOptions, ...connectionOptions],
	async run(invocation) {
		return (await import('../doctor/run.js')).runDoctor(invocation);
	},
});
