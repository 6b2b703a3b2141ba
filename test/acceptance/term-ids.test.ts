/** A term whose slug is the ID of another one, and terms whose slugs are shown damaged: IDs are kept, compared and written. */

import { describe, expect, it } from 'vitest';
import { startSandbox } from '../support/sandbox.js';
import { createWorkplace } from '../support/workplace.js';

type Name = 'alpha' | 'beta' | 'number' | 'hidden';

const TICKETS = [14, 15];

/** Products; objects show the ID of alpha for `number`, and an empty text for `hidden`. */
async function desk(held: Name) {
	const { store, env } = await startSandbox();
	const [alpha, beta, number, hidden] = [...store.terms.values()].filter(({ taxonomy }) => taxonomy === 'product');
	const terms = { alpha, beta, number, hidden };
	const slugs = { alpha: 'alpha', beta: 'beta', number: String(alpha?.id), hidden: '%e6%94%af' };
	for (const name of Object.keys(slugs) as Name[])
		Object.assign(terms[name] ?? {}, { slug: slugs[name], name: `the ${name}` });
	const idOf = (name: Name): number => terms[name]?.id ?? 0;
	const nameOf = (id: unknown) => (Object.keys(terms) as Name[]).find((name) => idOf(name) === id);
	const products = () => TICKETS.map((id) => nameOf(store.tickets.get(id)?.product));
	const give = (id: number, name: Name): void =>
		void Object.assign(store.tickets.get(id) ?? {}, { product: idOf(name) });
	for (const id of TICKETS) give(id, held);
	const work = createWorkplace(env);
	const run = async (command: string, exit = 0): Promise<string> => {
		const { exitCode, stderr, stdout } = await work.run(command);
		expect([command, exitCode], stderr).toEqual([command, exit]);
		return stdout + stderr;
	};
	return { products, give, run, idOf };
}

const update = `ticket update ${TICKETS.join(' ')} --product`;

/** Ways to write a term, each followed by an undo. */
const ways: [string, (term: string) => string[]][] = [
	['a run', (term) => [`${update} ${term} -q`]],
	['a run that reads back', (term) => [`${update} ${term} --verify -q`]],
	['a run in two parts', (term) => [`${update} ${term} --first 1 -q`, 'run resume last --yes -q']],
	['a plan', (term) => [`${update} ${term} --plan p.plan`, 'run apply p.plan --yes -q']],
];

describe.each(ways)('%s', (_, commands) => {
	it.each([
		['number', 'alpha'],
		['alpha', 'number'],
		['number', 'beta'],
		['hidden', 'beta'],
	] as const)('of tickets with the term %s that writes %s is undone', async (held, written) => {
		const at = await desk(held);
		for (const command of commands(`id:${at.idOf(written)}`)) await at.run(command);
		expect(at.products()).toEqual([written, written]);
		await at.run('run undo last --yes -q');
		expect(at.products()).toEqual([held, held]);
	});

	it('is not undone where somebody chose the term whose slug is the ID that was written', async () => {
		const at = await desk('beta');
		for (const command of commands(`id:${at.idOf('alpha')}`)) await at.run(command);
		at.give(15, 'number');
		expect(await at.run('run undo last --yes', 3)).toContain('someone changed product to the number');
		expect(at.products()).toEqual(['beta', 'number']);
	});
});

it('a plan finds drift between a term and the one whose slug is its ID, both ways', async () => {
	for (const [planned, now] of [
		['alpha', 'number'],
		['number', 'alpha'],
	] as const) {
		const at = await desk(planned);
		await at.run(`${update} beta --plan p.plan`);
		at.give(15, now);
		expect(await at.run('run apply p.plan --yes', 3)).toContain('someone changed product to the ');
		expect(at.products()).toEqual(['beta', now]);
	}
});

it('a plan calls a term by the name of its ID, not of its slug', async () => {
	const at = await desk('alpha');
	await at.run(`${update} beta --plan p.plan`);
	expect(await at.run('run show p.plan')).toContain('product\tthe alpha\tthe beta');
});

it.each([
	['alpha', 'number'],
	['number', 'alpha'],
	['hidden', 'beta'],
] as const)('a condition on a term by its ID is met by %s alone, and not by %s', async (held, other) => {
	const at = await desk(held);
	const update = (name: Name): Promise<string> =>
		at.run(`ticket update 14 15 --title for-${name} --if product=id:${at.idOf(name)} --format ndjson -q`);
	expect((await update(other)).match(/"outcome":"\w+"/g)).toEqual(Array(2).fill('"outcome":"skipped"'));
	expect((await update(held)).match(/"outcome":"\w+"/g)).toEqual(Array(2).fill('"outcome":"ok"'));
});
