/** The commands for attachments: what each says of itself. */

import { editCommand, getCommand, listCommand } from '../lists/definition.js';
import { runCommand } from '../runs/definition.js';

export const update = () =>
	runCommand('attachment.update', [
		{ command: 'supportctl attachment update 51 --alt-text "Screenshot of the error"', note: 'one attachment' },
		{ command: 'supportctl attachment update 51 52 --post 14', note: 'attach several to ticket 14' },
		{
			command: 'supportctl attachment update --input attachments.csv',
			note: 'attachments.csv has the columns id, title',
		},
	]);

export const edit = () =>
	editCommand('attachment', [
		{ command: 'supportctl attachment edit 9', note: 'one attachment' },
		{ command: 'EDITOR=nano supportctl attachment edit 9', note: 'in another editor' },
	]);

export const list = () =>
	listCommand('attachment', [
		{ command: 'supportctl attachment list', note: 'all attachments' },
		{
			command: 'supportctl attachment list --after 2026-03-31 --format csv',
			note: 'as attachment update --input reads it',
		},
	]);

export const get = () =>
	getCommand('attachment', [
		{ command: 'supportctl attachment get 51', note: 'one attachment' },
		{ command: 'supportctl attachment get 51 52 --format csv', note: 'as attachment update --input reads it' },
	]);
