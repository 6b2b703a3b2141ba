/** Lists whose later pages are refused: what came is printed, and nothing that reads it takes it for the whole. */

import { describe, expect, it } from 'vitest';
import { jsonLines } from '../support/cli.js';
import { type ListOptions, startListService, tickets } from '../support/list-service.js';
import { json, text } from '../support/recorder.js';
import { createWorkplace, hastyClock } from '../support/workplace.js';

const refused = json(403, { code: 'rest_forbidden', message: 'No.', data: { status: 403 } });

/** A service with three pages of tickets that refuses the third. */
async function desk(options: Partial<ListOptions> = {}, instead = refused) {
	const service = await startListService({
		objects: tickets(250),
		instead: ({ url }) => (/[?&]page=3(?:&|$)/.test(url) ? instead : undefined),
		...options,
	});
	return { service, work: createWorkplace(service.env) };
}

const services: [string, Partial<ListOptions>][] = [
	['with a total', {}],
	['without a total', { total: null, totalPages: null }],
];

describe.each(services)('a list whose last page is refused, %s', (_, options) => {
	it.each([
		['csv', (out: string) => out.trim().split('\n').length - 1],
		['tsv', (out: string) => out.trim().split('\n').length - 1],
		['json', (out: string) => (JSON.parse(out) as unknown[]).length],
		['ndjson', (out: string) => jsonLines(out).length],
		['yaml', (out: string) => out.match(/^- /gm)?.length],
		['table', (out: string) => out.split('\n').filter((line) => /^\d/.test(line)).length],
		['ids', (out: string) => out.split('\n').filter((line) => /^\d/.test(line)).length],
	])('prints what came as %s, and says that it is incomplete', async (format, count) => {
		const { work } = await desk(options);
		const { exitCode, stdout, stderr } = await work.run(`ticket list --format ${format}`);
		expect(count(stdout), stderr).toBe(200);
		expect([exitCode, stderr]).toEqual([4, expect.stringContaining('the list is incomplete: 200 were printed')]);
	});

	it.each(['ids', 'table'])(
		'ends %s in a pipe with a comment that an update, a delete and a read refuse',
		async (format) => {
			const { work, service } = await desk(options);
			const { stdout } = await work.run(`ticket list --format ${format}`);
			expect(stdout).toMatch(/\n# incomplete: 200 tickets came\n$/);
			for (const command of [
				'ticket update - --status hold',
				'ticket delete - --yes',
				'ticket get -',
				'ticket update - -n --status hold',
			]) {
				const result = await work.run(command, { stdin: stdout });
				expect([command, result.exitCode, result.stderr]).toEqual([
					command,
					2,
					expect.stringContaining('incomplete list (incomplete: 200 tickets came)'),
				]);
			}
			expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
		},
	);
});

it('a count of a part is not printed', async () => {
	const { work } = await desk({ total: null, totalPages: null });
	const { exitCode, stdout, stderr } = await work.run('ticket list --format count');
	expect([exitCode, stdout, stderr]).toEqual([4, '', expect.stringContaining('the list is incomplete: 200 came')]);
});

it('a last page that is a page of a gateway leaves what came, with another exit code', async () => {
	const { work } = await desk({}, text(404, '<html><title>Not here</title></html>'));
	// It is asked for again, as gateways come and go.
	const { exitCode, stdout, stderr } = await work.run('ticket list --format ids', { clock: hastyClock(100) });
	expect(exitCode, stderr).toBe(3);
	expect(stdout.split('\n')).toHaveLength(202);
	expect(stderr).toContain('the list is incomplete: 200 were printed');
});

it('a last page that fails once is read again, and the list is whole', async () => {
	let failures = 1;
	const { work } = await desk({
		instead: ({ url }) => (/[?&]page=3(?:&|$)/.test(url) && failures-- > 0 ? refused : undefined),
	});
	const { exitCode, stdout, stderr } = await work.run('ticket list --format ids');
	expect(exitCode, stderr).toBe(0);
	expect(stdout.trim().split('\n')).toHaveLength(250);
});
