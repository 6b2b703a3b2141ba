import { describe, expect, it } from 'vitest';
import { endpointList, endpoints, ownId, termEndpoint, termTaxonomies } from '../../src/api/endpoints.js';

describe('the endpoint table', () => {
	it('has a parameter for each placeholder of a path, in its order, and no other', () => {
		for (const { path, parameters } of endpointList) {
			const placeholders = [...path.matchAll(/<([a-z_]+)>/g)].map((match) => match[1]);
			expect(parameters.map((each) => each.name)).toEqual(placeholders);
		}
	});

	it('names ids by what they are of, the last of a path its own thing', () => {
		for (const { parameters } of endpointList) {
			for (const { name, kind } of parameters) expect([name, kind === 'id']).toEqual([name, /^id$|_id$/.test(name)]);
			expect(ownId(Object.fromEntries(parameters.map(({ name }) => [name, name])))).toBe(parameters.at(-1)?.name);
		}
	});

	it('asks before each delete and nothing else, and repeats no credential check', () => {
		expect(endpointList.filter((each) => each.confirm)).toEqual(
			endpointList.filter((each) => each.method === 'DELETE'),
		);
		expect(endpointList.filter((each) => each.replay === 'once').map((each) => each.name)).toEqual(['user.check']);
		for (const each of endpointList.filter(({ method }) => method === 'DELETE')) expect(each.replay).toBe('delete');
	});

	it('says which things are moved to a trash, and which requests need force', () => {
		const names = (wanted: (each: (typeof endpointList)[number]) => boolean) =>
			endpointList.filter(wanted).map(({ name }) => name);
		const force = (presence: string) =>
			names(({ query }) => query.some((each) => each.name === 'force' && each.presence === presence));
		expect(names(({ trash }) => trash)).toEqual(['ticket.delete', 'reply.delete']);
		expect(force('optional')).toEqual(['ticket.delete', 'reply.delete', 'term.delete.ticket_priority']);
		expect(force('must')).toEqual(['term.delete.product']);
		expect(force('always')).toEqual(['user.delete']);
		expect(endpoints['user.delete'].query).toMatchObject([{ name: 'force' }, { name: 'reassign', presence: 'must' }]);
	});
});

describe('the endpoint of a taxonomy', () => {
	it('is the documented one where there is one', () => {
		expect(termTaxonomies('update')).toEqual(['ticket_priority']);
		expect(termTaxonomies('delete').sort()).toEqual(['product', 'ticket_priority']);
		expect(termEndpoint('update', 'ticket_priority')).toBe(endpoints['term.update.ticket_priority']);
		expect(termEndpoint('delete', 'product')).toBe(endpoints['term.delete.product']);
	});

	it.each([
		['update', 'POST'],
		['delete', 'DELETE'],
	] as const)('is made up in the shape of the others to %s, and says so', (operation, method) => {
		const made = termEndpoint(operation, 'department');
		expect(made).toEqual({
			...endpoints[`term.${operation}.ticket_priority`],
			name: `term.${operation}.department`,
			method,
			path: '/department/<id>',
			noun: 'department term',
		});
	});
});
