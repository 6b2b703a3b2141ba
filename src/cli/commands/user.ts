/** The commands for users: what each says of itself. */

import { editCommand, getCommand, listCommand, ownAccountCommand } from '../lists/definition.js';
import { runCommand } from '../runs/definition.js';

export const update = () =>
	runCommand(
		'user.update',
		[
			{ command: 'supportctl user update 7 --roles agent --support-can-be-assigned true', note: 'one user' },
			{ command: 'openssl rand -base64 18 | supportctl user update 7 --password-stdin', note: 'a new password' },
			{ command: 'supportctl user update --input users.csv --dry-run', note: 'show the requests' },
		],
		'Here --username is the field; the profile or SUPPORTCTL_USERNAME names who signs in.',
	);

export const edit = () =>
	editCommand('user', [
		{ command: 'supportctl user edit 7', note: 'one user' },
		{ command: 'supportctl user edit @me', note: 'the account that is signed in' },
	]);

export const remove = () =>
	runCommand(
		'user.delete',
		[
			{ command: 'supportctl user delete 6 --reassign 2', note: 'one user; user 2 receives the posts' },
			{
				command: 'supportctl user delete --by-username anna.mbeki --reassign-username emeka.park',
				note: 'by name; asks first',
			},
			{ command: 'supportctl user delete 7 8 9 --reassign 2 --yes', note: 'several, without a question' },
			{
				command: 'supportctl user delete --input leavers.csv --yes --max 50',
				note: 'leavers.csv has the columns id and reassign',
			},
		],
		"Users can't be moved to the trash, so force=true is always sent. --reassign can't name a user of the same set, and the account that is signed in can't be deleted.",
	);

export const findIds = () =>
	runCommand('user.id', [
		{ command: 'supportctl user id sofia.bauer', note: 'one name' },
		{ command: 'supportctl user id sofia.bauer jose.kaya --format ids', note: 'only ids, one a line' },
		{ command: 'echo sofia.bauer | supportctl user id -', note: 'names from a pipe, one a line' },
	]);

export const list = () =>
	listCommand('user', [
		{ command: 'supportctl user list', note: 'all users' },
		{ command: 'supportctl user list --roles agent --fields id,name,email', note: 'agents, some columns' },
	]);

export const get = () =>
	getCommand('user', [
		{ command: 'supportctl user get 7', note: 'one user' },
		{ command: 'supportctl user get 7 8 --format csv', note: 'as user update --input reads it' },
	]);

export const listPasswords = () =>
	listCommand('password', [
		{ command: 'supportctl user password list 7', note: 'names, slugs and dates' },
		{
			command: 'supportctl user password list 7 --format ids | supportctl user password delete 7 - --yes',
			note: 'delete all of them',
		},
	]);

export const deletePasswords = () =>
	runCommand('user.password.delete', [
		{ command: 'supportctl user password delete 3 dbdda915eca0', note: 'one; asks first' },
		{
			command: 'supportctl user password delete 4 92bbd263db1b 64043edfb057 --yes',
			note: 'several, without a question',
		},
		{
			command: 'supportctl user password delete --input passwords.csv --yes',
			note: 'passwords.csv has the columns user_id and slug',
		},
	]);

export const whoami = () =>
	ownAccountCommand([
		{ command: 'supportctl whoami', note: 'who, and on which service' },
		{ command: 'supportctl whoami --field id', note: 'your id alone' },
	]);
