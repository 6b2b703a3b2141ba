/** `user update`: change fields of users; a password comes from stdin or a prompt (interface section 4, POST /users/<id>). */

import { endpoints } from '../../../api/endpoints.js';
import { UsageError } from '../../../errors.js';
import { endpointCommand } from '../../rows/row-command.js';
import { readFirstLine } from '../../secret-input.js';

export const command = endpointCommand(endpoints['user.update'], {
	summary: 'Change fields of one user or of many.',
	description: 'Here --username is the field; who calls comes from the profile or SUPPORTCTL_USERNAME.',
	examples: [
		{ command: 'supportctl user update 7 --roles agent,editor --support-can-be-assigned true', note: 'one user' },
		{ command: 'pass show desk/ada | supportctl user update 7 --password-stdin', note: 'a new password' },
		{ command: 'supportctl user update --input users.csv --dry-run', note: 'see what would be sent' },
	],
	verb: 'update',
	nouns: 'users',
	options: [
		{
			flags: '--password-stdin',
			help: 'Read a new password from stdin',
			group: 'Fields',
			conflicts: ['password-prompt'],
		},
		{ flags: '--password-prompt', help: 'Ask for a new password, hidden', group: 'Fields' },
	],
	without: ['username'],
	async completeDefaults(defaults, { context, options, args }) {
		if (options.passwordStdin === true) {
			if (args.includes('-') || options.input === '-') {
				throw new UsageError('--password-stdin and rows from stdin both want standard input');
			}
			defaults.fields.password = await readFirstLine(context.stdin, '--password-stdin');
		}
		if (options.passwordPrompt === true) {
			if (!context.prompts.available) {
				throw new UsageError('--password-prompt needs a terminal; without one use --password-stdin');
			}
			defaults.fields.password = await context.prompts.secret('New password');
			if (defaults.fields.password === '') throw new UsageError('the password is empty; nothing was sent');
		}
	},
});
