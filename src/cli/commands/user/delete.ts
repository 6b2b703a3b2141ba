/** `user delete`: delete users for good and hand over what they leave (interface section 4, DELETE /users/<id>). */

import { endpoints } from '../../../api/endpoints.js';
import { isProblem, parseId } from '../../../api/values.js';
import { UsageError } from '../../../errors.js';
import { rowCommand } from '../../rows/row-command.js';

export const command = rowCommand({
	summary: 'Delete users for good and reassign what they leave.',
	description:
		"Users can't be trashed, so force=true is always sent. A user in the same set can't receive, and the account that is signed in can't be deleted.",
	examples: [
		{ command: 'supportctl user delete 21 --reassign 2', note: 'one user; user 2 receives' },
		{ command: 'supportctl user delete 21 22 23 --reassign 2 --yes', note: 'several, without a question' },
		{ command: 'supportctl user delete --input leavers.csv --yes --max 50', note: 'columns id and reassign' },
	],
	positionals: [{ name: 'id', kind: 'id', help: 'User ids, or - to read them from stdin' }],
	endpointFor: () => endpoints['user.delete'],
	fields: [],
	verb: 'delete',
	nouns: 'users',
	isDelete: true,
	options: [
		{
			flags: '--reassign <user-id>',
			help: "The user who receives the deleted users' posts and links",
			group: 'Fields',
		},
	],
	async completeDefaults(defaults, { options }) {
		if (options.reassign === undefined) return;
		const parsed = parseId(options.reassign as string);
		if (isProblem(parsed)) throw new UsageError(`--reassign: ${parsed.problem}`, { code: 'invalid_id' });
		defaults.reassign = parsed.value;
	},
});
