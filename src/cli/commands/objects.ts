/** Commands for tickets, replies, users, attachments and terms: their examples. */

import { type Endpoint, endpointList } from '../../api/endpoints.js';
import { taxonomies, ticketStatuses } from '../../api/fields.js';
import { chooseEndpoint } from '../../api/plan.js';
import { type EditNoun, type Noun, ownAccount, type Read, readOf } from '../../api/reads.js';
import type { ArgumentSpec, CommandSpec, Examples, RequestSpec } from '../command.js';
import { longName, type OptionSpec, pick } from '../options/option.js';
import {
	allowDiffersOption,
	connectionOptions,
	guardOptions,
	listOptions,
	outputOptions,
	readOptions,
	tuningOptions,
} from '../options/shared.js';
import { optionsOf, positionalsOf, type RunInvocation } from '../runs/options.js';

const otherTicket = (does: string): string => `Some services ignore the ticket in the path and ${does}.`;

const notes: Readonly<Record<string, string>> = {
	'ticket update': 'If the response shows different values, the row\'s outcome is "differs".',
	'ticket fields get': 'Several tickets are shown in one table, one column per field.',
	'ticket fields set':
		'Some services silently ignore unknown field names. Use --verify to catch that. In a file, every column but the ID is a custom field.',
	'reply update': otherTicket('move the reply to it'),
	'reply delete': otherTicket('delete the reply of another ticket'),
	'user update':
		"In this command --username sets the user's login name. It does not select the account you sign in with.",
	'user delete':
		"Users are always deleted permanently. You can't delete your own account, or reassign posts to a user you are deleting.",
	'term update':
		"Only ticket_priority is documented; use --undocumented for other taxonomies. Some services clear a priority's color when it is updated; --snapshot and --only-changed preserve it.",
	'term delete':
		'For product, --force is required. The API does not document --force for ticket_priority; it is sent only if you pass it.',
};

/** By the words of the command. */
const documented: Readonly<Record<string, Examples>> = {
	'ticket update': {
		'supportctl ticket update 14 --status hold --assignee 3': 'one ticket',
		'supportctl ticket update --input edits.csv --dry-run': 'preview the requests for a CSV with id, status, assignee',
		'supportctl ticket update --input edits.csv --plan changes.plan': 'save the changes for a review',
		'seq 14 16 | supportctl ticket update - --department billing': 'IDs from a pipe',
	},
	'ticket delete': {
		'supportctl ticket delete 14 15': 'to the trash; asks first',
		'supportctl ticket delete 16 --force --yes': 'permanently, without confirmation',
		'seq 17 20 | supportctl ticket delete - --yes --expect 4': 'IDs from a pipe',
	},
	'ticket fields get': {
		'supportctl ticket fields get 14 --field order_number': 'one value',
		'supportctl ticket fields get 14 15 16': 'several tickets in one table',
		'seq 1 20 | supportctl ticket fields get - --format csv > fields.csv': 'many tickets as CSV',
	},
	'ticket fields set': {
		'supportctl ticket fields set 14 --set severity=major --verify': 'one ticket, verified',
		'supportctl ticket fields set --input fields.csv --dry-run --diff': 'show old and new values',
		'supportctl ticket fields set --input fields.csv --only-changed --snapshot': 'save the old values for run undo',
	},
	'reply update': {
		'supportctl reply update 14 73 --content "Fixed in version 2"': 'one reply to ticket 14',
		'supportctl reply update 14 74 75 --author 3': 'several replies',
		'supportctl reply update --input replies.csv': 'a CSV with ticket_id, id, status',
	},
	'reply delete': {
		'supportctl reply delete 14 73': 'to the trash; asks first',
		'supportctl reply delete 14 74 75 --force --yes': 'permanently, without confirmation',
		'supportctl reply delete --input spam.csv --yes': 'a CSV with ticket_id, id',
	},
	'user update': {
		'supportctl user update 7 --roles agent --support-can-be-assigned true': 'one user',
		'supportctl user update 7 --password-stdin < new-password.txt': 'a new password',
		'supportctl user update --input users.csv --dry-run': 'preview the requests',
	},
	'user delete': {
		'supportctl user delete 6 --reassign 2': 'give the posts to user 2',
		'supportctl user delete anna.mbeki --reassign emeka.park': 'by username; asks first',
		'supportctl user delete --input leavers.csv --yes --max 50': 'a CSV with id, reassign',
	},
	'user id': {
		'supportctl user id sofia.bauer jose.kaya --format ids': 'IDs only',
		'echo sofia.bauer | supportctl user id -': 'usernames from a pipe',
	},
	'user password delete': {
		'supportctl user password delete jose.kaya Laptop': 'by its name; asks first',
		'supportctl user password delete 4 92bbd263db1b 64043edfb057 --yes': 'several, without confirmation',
		'supportctl user password delete --input passwords.csv --yes': 'a CSV with user_id, slug',
	},
	'attachment update': {
		'supportctl attachment update 51 --alt-text "Screenshot of the error"': 'one attachment',
		'supportctl attachment update 51 52 --post 14': 'attach both to ticket 14',
		'supportctl attachment update --input attachments.csv': 'a CSV with id, title',
	},
	'term update': {
		'supportctl term update ticket_priority 23 --name Important': 'rename a priority',
		'supportctl term update ticket_priority 24 --parent 23 --slug critical': 'move it below priority 23',
		'supportctl term update ticket_priority --input terms.csv': 'a CSV with id, name',
	},
	'term delete': {
		'supportctl term delete product 11 --force': 'a product; asks first',
		'supportctl term delete ticket_priority 21 --yes --force': 'a priority, without confirmation',
		'supportctl term delete product --input gone.csv --force --yes': 'a CSV with id',
	},
};

const lists: Readonly<Record<Noun, Examples>> = {
	ticket: {
		'supportctl ticket list --state open --assignee @me': 'your open tickets',
		'supportctl ticket list --format csv > t.csv': 'export, to edit and pass to ticket update --input',
		'supportctl ticket list --status hold --format ids | supportctl ticket update - --status queued':
			'update what the list returns',
	},
	reply: {
		'supportctl reply list 14': 'all replies to ticket 14',
		'supportctl reply list 14 --format csv > r.csv': 'export, to edit and pass to reply update --input',
	},
	user: {
		'supportctl user list': 'all users',
		'supportctl user list --roles agent --fields id,name,email': 'agents, with these columns',
	},
	password: {
		'supportctl user password list 7': 'names, slugs and dates',
		'supportctl user password list 7 --format ids | supportctl user password delete 7 - --yes': 'delete all of them',
	},
	attachment: {
		'supportctl attachment list': 'all attachments',
		'supportctl attachment list --after 2026-03-31 --format csv': 'export recent attachments',
	},
	term: {
		'supportctl term list product': 'all products',
		'supportctl term list ticket_priority --format csv': 'export, to edit and pass to term update --input',
	},
};

/** Objects of the sandbox. */
const samples: Readonly<Record<EditNoun, string>> = {
	ticket: '14',
	reply: '14 73',
	user: '7',
	attachment: '51',
	term: 'ticket_priority 21',
};

/** @param words `ticket fields set`, `term update` */
export function send(words: string): CommandSpec {
	const endpointName = words.replaceAll(' ', '.');
	const { endpoint } = chooseEndpoint(endpointName, undefined, false);
	const positionals = positionalsOf(endpointName, endpoint);
	return {
		description: notes[words] ?? '',
		examples: documented[words] ?? {},
		requests: endpointList.filter(({ name }) => name === endpointName || name.startsWith(`${endpointName}.`)),
		arguments: positionals.map(
			({ name, help, choices }, at): ArgumentSpec => ({
				...{ name: name.replaceAll('_', '-'), help, required: false, variadic: at === positionals.length - 1 },
				// --undocumented allows others.
				suggests: choices,
			}),
		),
		options: optionsOf(endpoint),
		async run(invocation) {
			return await (await import('../runs/one.js')).startCommand(endpointName, invocation as RunInvocation);
		},
	};
}

const requestOf = ({ path }: Pick<Endpoint, 'path'>): RequestSpec => ({ method: 'GET', path, documented: false });

function ownerArguments(
	noun: Noun,
	{ list }: Read,
	taxonomy: Partial<ArgumentSpec> = { choices: taxonomies },
): ArgumentSpec[] {
	if (noun === 'term') return [{ name: 'taxonomy', help: 'The taxonomy', required: true, ...taxonomy }];
	return list.parameters.map(({ name, help }) => ({ name: name.replaceAll('_', '-'), help, required: true }));
}

function listArguments(noun: Noun, read: Read): ArgumentSpec[] {
	if (noun === 'term') return ownerArguments(noun, read);
	return ownerArguments(noun, read).map((each) => ({ ...each, variadic: true }));
}

function withOrders(option: OptionSpec, { orders }: Read): OptionSpec {
	return longName(option) === 'sort' ? { ...option, suggests: Object.keys(orders) } : option;
}

export function list(noun: Noun): CommandSpec {
	const read = readOf(noun, '<taxonomy>');
	const all = read.paged ? 'Lists everything you have access to.' : '';
	const sheet =
		read.update === undefined
			? ''
			: `CSV, TSV, JSON and NDJSON output can be edited and passed back to "${noun} update --input". Use --fields to choose other columns.`;
	const filters = read.filters.map(({ flag, kind, help }): OptionSpec => {
		const suggests = kind === 'status' ? ticketStatuses : kind === 'state' ? ['open', 'closed', 'any'] : [];
		return { flags: `--${flag} <${kind}>`, help, group: 'Filters', suggests };
	});
	const narrowing = read.paged ? listOptions.map((each) => withOrders(each, read)) : [];
	return {
		examples: lists[noun],
		description: [all, sheet].join('\n\n').trim(),
		requests: [requestOf(read.list)],
		arguments: listArguments(noun, read),
		options: [...filters, ...narrowing, ...readOptions],
		run: async (invocation) => await (await import('../lists/objects.js')).listObjects(noun, invocation),
	};
}

export function get(noun: EditNoun): CommandSpec {
	const read = readOf(noun, '<taxonomy>');
	return {
		examples: {
			[`supportctl ${noun} get ${samples[noun]}`]: `one ${noun}`,
			[`supportctl ${noun} get ${samples[noun]} --format csv`]: 'as CSV',
		},
		requests: read.get === undefined ? [] : [requestOf(read.get)],
		arguments: [
			...ownerArguments(noun, read),
			{ name: 'id', help: 'IDs, or - for stdin', required: true, variadic: true },
		],
		options: readOptions,
		run: async (invocation) => await (await import('../lists/objects.js')).getObjects(noun, invocation),
	};
}

export function whoami(): CommandSpec {
	return {
		examples: {
			'supportctl whoami': 'your account and its service',
			'supportctl whoami --field id': 'your ID',
		},
		requests: [requestOf(ownAccount)],
		arguments: [],
		options: readOptions,
		run: async (invocation) => await (await import('../lists/objects.js')).showOwnAccount(invocation),
	};
}

export function edit(noun: EditNoun): CommandSpec {
	return {
		description: [
			`Opens the ${noun} as YAML in your editor and sends only your changes. Aborts if someone else changed the ${noun}. If the update is rejected, your edits are kept.`,
			"Requires read access that the public API doesn't document (most services offer it).",
		].join('\n\n'),
		examples: {
			[`supportctl ${noun} edit ${samples[noun]}`]: `one ${noun}`,
			[`EDITOR=nano supportctl ${noun} edit ${samples[noun]}`]: 'in a different editor',
		},
		arguments: [
			...ownerArguments(noun, readOf(noun, '<taxonomy>'), { suggests: taxonomies }),
			{ name: 'id', help: noun === 'user' ? 'ID, or @me' : 'ID', required: true },
		],
		options: [
			{ flags: '--undocumented', help: "Allow field names and values the API doesn't document", group: 'Input' },
			{ flags: '--verify', help: 'Read the object back and compare', group: 'Checks' },
			allowDiffersOption,
			...pick(guardOptions, 'confirm'),
			...pick(tuningOptions, 'retries'),
			...outputOptions,
			...connectionOptions,
		],
		run: async (invocation) => await (await import('../edit.js')).editObject(noun, invocation),
	};
}
