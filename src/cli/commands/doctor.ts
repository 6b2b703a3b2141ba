/** `doctor`: finds out, step by step, why the service can't be used, and says what to do about it. */

import { defineCommand } from '../command.js';
import { connectionOptions, outputOptions } from '../options/shared.js';

export const command = defineCommand({
	description: [
		'The checks are node, config, profile, base-url, secret, proxy, dns, tcp, tls, prefix, credentials and clock; after a failure, the checks that depend on it are skipped.',
		'Nothing is changed, and no secret is printed. The exit code is 1 if any check fails.',
	].join('\n\n'),
	examples: {
		'supportctl doctor': 'the current profile',
		'supportctl doctor --profile staging --json': 'another one, for a program',
		'supportctl doctor --base-url https://desk.example.com/wp-json --username anna': 'before signing in',
	},
	arguments: [],
	options: [...outputOptions, ...connectionOptions],
	async run(invocation) {
		return (await import('../doctor/run.js')).runDoctor(invocation);
	},
});
