/** `ticket fields set`: set custom fields, compare before and after, keep the old values (interface section 4, POST /tickets/<ticket_id>/custom-fields). */

import { endpoints } from '../../../../api/endpoints.js';
import { UsageError } from '../../../../errors.js';
import { isSecretName } from '../../../../output/redact.js';
import { refuseSecretNames } from '../../../argv-secrets.js';
import { allowDiffersOption } from '../../../options/run.js';
import { isFile, readTextValue } from '../../../rows/field-flags.js';
import { endpointCommand } from '../../../rows/row-command.js';

const group = 'Fields';

export const command = endpointCommand(endpoints['ticket.fields.set'], {
	summary: 'Set custom fields of one ticket or of many.',
	description:
		'A service may ignore a field name that it does not know without a word; --verify reads back and compares. In a file, every column but the id is a custom field.',
	examples: [
		{ command: 'supportctl ticket fields set 14 --set severity=high --verify', note: 'one ticket, read back' },
		{ command: 'supportctl ticket fields set --input fields.csv --dry-run --diff', note: 'old and new, nothing sent' },
		{ command: 'supportctl ticket fields set --input fields.csv --only-changed --snapshot', note: 'can be undone' },
	],
	verb: 'set custom fields of',
	nouns: 'tickets',
	options: [
		{ flags: '--set <name=value>', help: 'A custom field; the value may be @file', group, repeatable: true },
		{ flags: '--only-changed', help: 'Read first and send only what differs', group },
		{ flags: '--verify', help: 'Read back and compare', group },
		{ flags: '--snapshot', help: 'Keep the old values in the journal, for run undo', group },
		{ flags: '--diff', help: 'With --dry-run: read, and show old and new values', group },
		allowDiffersOption,
	],
	async completeDefaults(defaults, { context, options }) {
		if (options.diff === true && options.dryRun !== true) throw new UsageError('--diff goes with --dry-run');
		for (const text of (options.set as string[] | undefined) ?? []) {
			const at = text.indexOf('=');
			if (at <= 0) throw new UsageError(`--set ${JSON.stringify(text)} is not name=value`, { code: 'invalid_value' });
			const name = text.slice(0, at);
			const value = text.slice(at + 1);
			if (!isFile(value)) refuseSecretNames('--set', [name], 'give it with --set NAME=@file or --set NAME=@-');
			const read = await readTextValue('--set', value, context);
			// The line's end of a file with a password in it is not part of the password.
			defaults.fields[name] = isSecretName(name) ? read.replace(/\r?\n$/, '') : read;
		}
	},
	customFields: ({ options }) => ({
		onlyChanged: options.onlyChanged === true,
		verify: options.verify === true,
		snapshot: options.snapshot === true,
		diff: options.diff === true,
	}),
});
