import { describe, expect, it } from 'vitest';
import { endpointList, endpoints, mustBeGiven, numberedIdNames, ownId } from '../../src/api/endpoints.js';

describe('the endpoint table', () => {
	it('has a parameter for each placeholder of a path, in its order, and no other', () => {
		for (const { path, parameters } of endpointList) {
			const placeholders = [...path.matchAll(/<([a-z_]+)>/g)].map((match) => match[1]);
			expect(parameters.map((each) => each.name)).toEqual(placeholders);
		}
	});

	it('names ids by what they are of, the last of a path its own thing', () => {
		for (const { parameters } of endpointList) {
			for (const { name, kind } of parameters) expect([name, kind === 'id']).toEqual([name, numberedIdNames.has(name)]);
			expect(ownId(Object.fromEntries(parameters.map(({ name }) => [name, name])))).toBe(parameters.at(-1)?.name);
		}
	});

	it('repeats deletes, and no credential check', () => {
		expect(endpointList.filter((each) => each.replay === 'once').map((each) => each.name)).toEqual(['user.check']);
		for (const each of endpointList.filter(({ method }) => method === 'DELETE')) expect(each.replay).toBe('delete');
	});

	it('leads from each update and each delete into the trash to the update that restores the same object', () => {
		const restored = endpointList.filter(({ updates, trash }) => updates || trash);
		for (const { restoredBy, noun, parameters } of restored) {
			const update = endpointList.find(({ name }) => name === restoredBy);
			expect(update).toMatchObject({ updates: true, noun, parameters });
		}
		const others = endpointList.filter((each) => !restored.includes(each));
		expect(others.map(({ restoredBy }) => restoredBy)).toEqual(others.map(() => undefined));
	});

	it('says which things are moved to a trash, and which requests need force', () => {
		const names = (wanted: (each: (typeof endpointList)[number]) => boolean) =>
			endpointList.filter(wanted).map(({ name }) => name);
		const force = (presence: string) =>
			names(({ query }) => query.some((each) => each.name === 'force' && each.presence === presence));
		expect(names(({ trash }) => trash)).toEqual(['ticket.delete', 'reply.delete']);
		expect(force('optional')).toEqual(['ticket.delete', 'reply.delete', 'term.delete']);
		expect(force('always')).toEqual(['user.delete']);
		const [forTerms] = endpoints['term.delete'].query;
		const isMust = (taxonomy: string) => forTerms !== undefined && mustBeGiven(forTerms, { taxonomy });
		expect(['product', 'ticket_priority', 'department'].filter(isMust)).toEqual(['product']);
		expect(endpoints['user.delete'].query).toMatchObject([{ name: 'force' }, { name: 'reassign', presence: 'must' }]);
	});
});
