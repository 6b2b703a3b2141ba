/** Commands for tickets, replies, users, attachments and terms. */

import { type EndpointName, endpoints } from '../../api/endpoints.js';
import { flagName } from '../../api/fields.js';
import {
	type EditNoun,
	type FilterFacts,
	filterKinds,
	type Noun,
	ownAccount,
	type Read,
	reads,
} from '../../api/reads.js';
import type { ArgumentSpec, CommandSpec } from '../command.js';
import { longName, type OptionSpec, pick } from '../options/option.js';
import {
	connectionOptions,
	guardOptions,
	listOptions,
	outputOptions,
	readOptions,
	tuningOptions,
} from '../options/shared.js';
import { checkOptions, inputOptions, optionsOf, positionalsOf, runOptions } from '../runs/options.js';

const lists = () => import('../lists/objects.js');

/** @param words `ticket fields set`, `term update` */
export function writeCommand(words: string): CommandSpec {
	const name = words.replaceAll(' ', '.') as EndpointName;
	const endpoint = endpoints[name];
	const positionals = positionalsOf(endpoint);
	return {
		requests: [endpoint],
		arguments: positionals.map(({ name, help, choices }, at) => ({
			name: name.replaceAll('_', '-'),
			help,
			required: false,
			variadic: at === positionals.length - 1,
			// --undocumented allows others.
			suggests: choices,
		})),
		options: optionsOf(endpoint),
		run: async (invocation) => (await import('../runs/run.js')).startCommand(name, invocation),
	};
}

export function ownerArguments({ list }: Read): ArgumentSpec[] {
	return list.parameters.map(({ name, help, choices }) => {
		return { name: name.replaceAll('_', '-'), help, required: true, choices };
	});
}

export function listCommand(noun: Noun): CommandSpec {
	const read: Read = reads[noun];
	const filters = read.filters.map(({ parameter, kind, help, conflicts }): OptionSpec => {
		const option = {
			flags: `--${flagName(parameter)} <${kind}>`,
			help,
			group: 'Filters',
			...(conflicts && { conflicts }),
		};
		const { choices, suggests }: FilterFacts = filterKinds[kind];
		// Choices are taken in any case.
		return { ...option, suggests, ...(choices && { choices, parse: (text) => text.toLowerCase() }) };
	});
	const narrowing = listOptions.map((each) => {
		return longName(each) === 'sort' ? { ...each, suggests: read.orders } : each;
	});
	return {
		requests: [read.list],
		arguments: ownerArguments(read).map((each) => ({ ...each, variadic: noun !== 'term' })),
		options: [...filters, ...(read.orders.length > 0 ? narrowing : []), ...readOptions],
		run: async (invocation) => (await lists()).listObjects(noun, invocation),
	};
}

export function getCommand(noun: EditNoun): CommandSpec {
	const read: Read = reads[noun];
	return {
		requests: read.get === undefined ? [] : [read.get],
		arguments: [...ownerArguments(read), { name: 'id', help: 'IDs, or - for stdin', required: true, variadic: true }],
		options: readOptions,
		run: async (invocation) => (await lists()).getObjects(noun, invocation),
	};
}

export function whoamiCommand(): CommandSpec {
	return {
		requests: [ownAccount],
		arguments: [],
		options: readOptions,
		run: async (invocation) => (await lists()).showOwnAccount(invocation),
	};
}

export function editCommand(noun: EditNoun): CommandSpec {
	const owners = ownerArguments(reads[noun]);
	return {
		arguments: [
			...owners.map(({ choices, ...each }) => ({ ...each, suggests: choices })),
			{ name: 'id', help: noun === 'user' ? 'ID, or @me' : 'ID', required: true },
		],
		options: [
			...pick(inputOptions, 'undocumented'),
			...pick(checkOptions, 'verify', 'allow-differs'),
			...pick(guardOptions, 'confirm'),
			...pick(tuningOptions, 'retries'),
			...pick(runOptions, 'note'),
			...outputOptions,
			...connectionOptions,
		],
		run: async (invocation) => (await import('../edit.js')).editObject(noun, invocation),
	};
}
