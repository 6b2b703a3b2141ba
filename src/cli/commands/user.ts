/** The commands for users: what each says of itself. */

import { editCommand, getCommand, listCommand, ownAccountCommand } from '../lists/definition.js';
import { runCommand } from '../runs/definition.js';

export const update = () =>
	runCommand(
		'user.update',
		{
			'supportctl user update 7 --roles agent --support-can-be-assigned true': 'one user',
			'openssl rand -base64 18 | supportctl user update 7 --password-stdin': 'a new password',
			'supportctl user update --input users.csv --dry-run': 'show the requests',
		},
		'Here --username is the field; the profile or SUPPORTCTL_USERNAME names who signs in.',
	);

export const edit = () =>
	editCommand('user', {
		'supportctl user edit 7': 'one user',
		'supportctl user edit @me': 'the account that is signed in',
	});

export const remove = () =>
	runCommand(
		'user.delete',
		{
			'supportctl user delete 6 --reassign 2': 'one user; user 2 receives the posts',
			'supportctl user delete --by-username anna.mbeki --reassign-username emeka.park': 'by name; asks first',
			'supportctl user delete 7 8 9 --reassign 2 --yes': 'several, without a question',
			'supportctl user delete --input leavers.csv --yes --max 50': 'leavers.csv has the columns id and reassign',
		},
		"Users can't be moved to the trash, so force=true is always sent. --reassign can't name a user of the same set, and the account that is signed in can't be deleted.",
	);

export const findIds = () =>
	runCommand('user.id', {
		'supportctl user id sofia.bauer': 'one name',
		'supportctl user id sofia.bauer jose.kaya --format ids': 'only ids, one a line',
		'echo sofia.bauer | supportctl user id -': 'names from a pipe, one a line',
	});

export const list = () =>
	listCommand('user', {
		'supportctl user list': 'all users',
		'supportctl user list --roles agent --fields id,name,email': 'agents, some columns',
	});

export const get = () =>
	getCommand('user', {
		'supportctl user get 7': 'one user',
		'supportctl user get 7 8 --format csv': 'as user update --input reads it',
	});

export const listPasswords = () =>
	listCommand('password', {
		'supportctl user password list 7': 'names, slugs and dates',
		'supportctl user password list 7 --format ids | supportctl user password delete 7 - --yes': 'delete all of them',
	});

export const deletePasswords = () =>
	runCommand('user.password.delete', {
		'supportctl user password delete 3 dbdda915eca0': 'one; asks first',
		'supportctl user password delete 4 92bbd263db1b 64043edfb057 --yes': 'several, without a question',
		'supportctl user password delete --input passwords.csv --yes': 'passwords.csv has the columns user_id and slug',
	});

export const whoami = () =>
	ownAccountCommand({
		'supportctl whoami': 'who, and on which service',
		'supportctl whoami --field id': 'your id alone',
	});
