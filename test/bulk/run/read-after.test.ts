import { expect, test } from 'vitest';
import { jsonLines } from '../../support/cli.js';
import { startUserOf300 } from '../../support/sandbox-user.js';

const rowsOf = (ids: readonly string[], status: string): string =>
	`id,status\n${ids.map((id) => `${id},${status}\n`).join('')}`;

test.each(['1', '4', 'auto'])('--verify with -j %s reads a hundred written objects with one request', async (jobs) => {
	const { service, run, ids } = await startUserOf300();
	const words = `ticket update --input - --verify --no-snapshot --format ndjson -j ${jobs}`;
	const { exitCode, stdout, stderr } = await run(words, rowsOf(ids, 'hold'));
	expect(exitCode, stderr).toBe(0);
	expect(jsonLines(stdout), stderr).toHaveLength(ids.length);
	expect(service.requests.length / ids.length).toBeLessThanOrEqual(1.05);
});

test('--verify reads objects back after their own write, also where rows share an object', async () => {
	const { service, run, ids } = await startUserOf300();
	const [id = '', other = ''] = ids;
	const input = `id,title\n${id},a\n${other},x\n${id},b\n${id},c\n`;
	const { exitCode, stdout, stderr } = await run('ticket update --input - --verify --format ndjson', input);
	expect(exitCode, stderr).toBe(0);
	expect(jsonLines(stdout).map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'ok']);
	const { body } = await service.call('GET', `/tickets/${id}?context=edit`);
	expect(body).toMatchObject({ title: { raw: 'c' } });
});

test('--verify finds the rows of a batch that were not written', async () => {
	const { service, run, ids } = await startUserOf300();
	const wrong = ids[7] ?? '';
	const timer = setInterval(() => void service.call('POST', `/tickets/${wrong}`, { status: 'read' }), 1);
	const words = 'ticket update --input - --verify --no-snapshot --format ndjson';
	const { stdout, stderr } = await run(words, rowsOf(ids.slice(0, 40), 'hold'));
	clearInterval(timer);
	const bad = jsonLines(stdout).filter(({ outcome }) => outcome !== 'ok');
	expect(
		bad.map(({ id, outcome }) => [String(id), outcome]),
		stderr,
	).toEqual([[wrong, 'differs']]);
});

test.each([
	['ticket update --input - --if state=open --verify -j 1', 0],
	['run undo last --yes -j 1', 1],
])('%s reads each object right before it is written, however many rows are under way', async (line, undoes) => {
	const { service, run, ids } = await startUserOf300();
	const input = rowsOf(ids.slice(0, 12), 'hold');
	if (undoes === 1) await run('ticket update --input - --send-unchanged', input);
	service.requests.length = 0;
	const { exitCode, stderr } = await run(line, undoes === 1 ? '' : input);
	expect([0, 3], stderr).toContain(exitCode);
	const pathOf = ({ path }: { path: string }): string => path.replace(/\?.*/, '');
	const written = service.requests.flatMap((request, at) => (request.method === 'POST' ? [at] : []));
	const readBefore = written.map((at) => service.requests[at - 1]).map((before) => before && pathOf(before));
	expect(written.length, stderr).toBeGreaterThan(2);
	expect(readBefore).toEqual(written.map((at) => service.requests[at]).map((each) => each && pathOf(each)));
});
