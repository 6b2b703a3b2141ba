/** Users and terms by name, wherever an ID is expected: what a text means, and what is refused. */

import { describe, expect, test } from 'vitest';
import { startDirectoryService } from '../support/directory-service.js';

/** 2024 is an ID and a name, 1999 is only a name, 5 is only an ID, and `@home` begins with an @ of its own. */
const tags = [
	{ id: 2024, slug: 'vip', name: 'VIP' },
	{ id: 31, slug: 'y', name: '2024' },
	{ id: 32, slug: '1999', name: 'Party' },
	{ id: 5, slug: 'bug', name: 'Bug' },
	{ id: 6, slug: 'home', name: '@home' },
];
const terms = { 'ticket-tag': tags, product: tags, ticket_priority: tags, department: [], ticket_channel: [] };

describe('a number as a term', () => {
	test.each([
		['--ticket-tag 1999', { 'ticket-tag': [32] }],
		['--ticket-tag 5', { 'ticket-tag': [5] }],
		['--ticket-tag id:2024', { 'ticket-tag': [2024] }],
		['--ticket-tag #2024,@2024', { 'ticket-tag': [2024, 31] }],
		['--ticket-tag @home', { 'ticket-tag': [6] }],
		['--ticket-tag 77', { 'ticket-tag': [77] }],
		['--add-ticket-tag @2024', { 'ticket-tag': [31] }],
		['--product 1999', { product: '32' }],
		['--product @2024', { product: '31' }],
		['--ticket-priority id:2024', { ticket_priority: '2024' }],
	])('%s is sent as the ID of the one that can be meant', async (flags, sent) => {
		const service = await startDirectoryService({ terms });
		const { exitCode, stderr } = await service.run(['ticket', 'update', '14', ...flags.split(' ')]);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(service.written()).toEqual([['/tickets/14', sent]]);
	});

	test.each([
		'ticket update 14 --ticket-tag 2024',
		'ticket update 14 --add-ticket-tag 2024',
		'ticket update 14 --remove-ticket-tag bug,2024',
		'ticket update 14 --product 2024',
		'ticket update 14 --title x --if product=2024',
		'ticket update 14 --title x --if ticket-tag=bug,2024',
		'ticket delete 14 --yes --if product=2024',
		'ticket update --input tags.csv',
		'ticket update --input product.csv',
		'ticket list --ticket-tag 2024',
		'term get product 2024',
		'term update ticket_priority 2024 --name x',
		'term delete ticket_priority 2024 --yes',
		'term update ticket_priority --input terms.csv',
	])('%s is refused with both ways to write it, where it is an ID and a name', async (command) => {
		const service = await startDirectoryService({ terms });
		service.write('tags.csv', 'id,ticket-tag\n14,"bug,2024"\n');
		service.write('product.csv', 'id,product\n14,2024\n');
		service.write('terms.csv', 'id,name\n2024,x\n');
		const { exitCode, stderr } = await service.run(command);
		expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('id:2024') });
		expect(stderr).toContain('@2024');
		expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	});

	test.each([
		['term update ticket_priority 1999 --name x', '/ticket_priority/32'],
		['term update ticket_priority @2024 --name x', '/ticket_priority/31'],
		['term update ticket_priority id:2024 --name x', '/ticket_priority/2024'],
		['term update ticket_priority --input terms.csv', '/ticket_priority/31'],
	])('%s changes the term that is meant', async (command, path) => {
		const service = await startDirectoryService({ terms });
		service.write('terms.csv', 'id,name\n@2024,x\n');
		const { stderr } = await service.run(command);
		expect([stderr, service.written()]).toEqual([expect.any(String), [[path, { name: 'x' }]]]);
	});

	test('is an ID where the service lists no terms, and a name that is marked as one is refused', async () => {
		const service = await startDirectoryService({ terms, lists: false });
		await service.run('ticket update 14 --ticket-tag 2024,5 --no-snapshot');
		expect(service.written()).toEqual([['/tickets/14', { 'ticket-tag': [2024, 5] }]]);
		const { exitCode, stderr } = await service.run('ticket update 14 --ticket-tag @2024 --no-snapshot');
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining("doesn't list its ticket-tag terms; use the ID")]);
	});
});

describe('a condition', () => {
	test('of a delete takes names', async () => {
		const service = await startDirectoryService({ terms });
		await service.run('ticket update 14 --assignee jdoe --ticket-tag bug,vip');
		const { exitCode, stderr } = await service.run(
			'ticket delete 14 --force --yes --if assignee=jdoe --if ticket-tag=vip,bug',
		);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(service.requests.some(({ method }) => method === 'DELETE')).toBe(true);
	});
});

describe('a number as a user', () => {
	test.each([
		['--assignee 12345', 12345],
		['--assignee @12345', 9],
		['--assignee id:7', 7],
		['--assignee #7', 7],
	])('%s', async (flags, assignee) => {
		const service = await startDirectoryService();
		const { exitCode, stderr } = await service.run(['ticket', 'update', '14', ...flags.split(' ')]);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(service.written()).toEqual([['/tickets/14', { assignee }]]);
	});
});
