/** The commands for attachments: what each says of itself. */

import { editCommand, getCommand, listCommand } from '../lists/definition.js';
import { runCommand } from '../runs/definition.js';

export const update = () =>
	runCommand('attachment.update', {
		'supportctl attachment update 51 --alt-text "Screenshot of the error"': 'one attachment',
		'supportctl attachment update 51 52 --post 14': 'attach several to ticket 14',
		'supportctl attachment update --input attachments.csv': 'attachments.csv has the columns id, title',
	});

export const edit = () =>
	editCommand('attachment', {
		'supportctl attachment edit 9': 'one attachment',
		'EDITOR=nano supportctl attachment edit 9': 'in another editor',
	});

export const list = () =>
	listCommand('attachment', {
		'supportctl attachment list': 'all attachments',
		'supportctl attachment list --after 2026-03-31 --format csv': 'as attachment update --input reads it',
	});

export const get = () =>
	getCommand('attachment', {
		'supportctl attachment get 51': 'one attachment',
		'supportctl attachment get 51 52 --format csv': 'as attachment update --input reads it',
	});
