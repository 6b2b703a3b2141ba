/** Commands for tickets, replies, users, attachments and terms. */

import { type Endpoint, endpointList } from '../../api/endpoints.js';
import { taxonomies, ticketStatuses } from '../../api/fields.js';
import { chooseEndpoint } from '../../api/plan.js';
import { type EditNoun, type Noun, ownAccount, type Read, readOf } from '../../api/reads.js';
import type { ArgumentSpec, CommandSpec, RequestSpec } from '../command.js';
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

/** @param words `ticket fields set`, `term update` */
export function send(words: string): CommandSpec {
	const endpointName = words.replaceAll(' ', '.');
	const { endpoint } = chooseEndpoint(endpointName, undefined, false);
	const positionals = positionalsOf(endpointName, endpoint);
	return {
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
	const filters = read.filters.map(({ flag, kind, help }): OptionSpec => {
		const option = { flags: `--${flag} <${kind}>`, help, group: 'Filters' };
		if (kind === 'status') return { ...option, suggests: ticketStatuses };
		if (kind !== 'state') return option;
		return { ...option, choices: ['open', 'closed', 'any'], parse: (text) => text.toLowerCase() };
	});
	const narrowing = read.paged ? listOptions.map((each) => withOrders(each, read)) : [];
	return {
		requests: [requestOf(read.list)],
		arguments: listArguments(noun, read),
		options: [...filters, ...narrowing, ...readOptions],
		run: async (invocation) => await (await import('../lists/objects.js')).listObjects(noun, invocation),
	};
}

export function get(noun: EditNoun): CommandSpec {
	const read = readOf(noun, '<taxonomy>');
	return {
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
		requests: [requestOf(ownAccount)],
		arguments: [],
		options: readOptions,
		run: async (invocation) => await (await import('../lists/objects.js')).showOwnAccount(invocation),
	};
}

export function edit(noun: EditNoun): CommandSpec {
	return {
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
