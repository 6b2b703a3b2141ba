/** Deletes that name an object twice: one deletion, whatever the spelling, and never a second request. */

import { describe, expect, it } from 'vitest';
import { jsonLines } from '../../support/cli.js';
import { startDesk } from '../../support/desk.js';
import { json, type Recorder, startRecorder } from '../../support/recorder.js';
import { startSandbox } from '../../support/sandbox.js';
import { createWorkplace } from '../../support/workplace.js';

const deletes = ({ requests }: Recorder): string[] =>
	requests.filter(({ method }) => method === 'DELETE').map(({ url }) => url.replace(/^.*\/v1/, ''));

const outcomes = (stdout: string): unknown[] => jsonLines(stdout).map(({ outcome, code }) => code ?? outcome);

describe('a delete that names an object twice', () => {
	it.each([
		['11 11'],
		['11,11'],
		['11 #11'],
		['id:11 11'],
		['#11 id:11 --force'],
		['11 11 --ignore-missing'],
		['11 11 --no-snapshot'],
		['11 11 --verify -j 1'],
	])('of tickets sends one request: %s', async (given) => {
		const { recorder, work } = await startDesk();
		const result = await work.run(`ticket delete ${given} --yes --format ndjson`);
		expect(result.exitCode, result.stderr).toBe(0);
		expect(outcomes(result.stdout).sort()).toEqual(['named_again', 'ok']);
		expect(deletes(recorder)).toHaveLength(1);
		expect(result.stderr).toMatch(/"ok":1,.*"failed":0,.*"skipped":1,/);
	});

	it('of replies sends one request, whatever ticket the rows name', async () => {
		const { recorder, work } = await startDesk();
		work.write('replies.csv', 'ticket_id,id\n14,3\n14,3\n');
		const result = await work.run('reply delete --input replies.csv --yes --format ndjson');
		expect(outcomes(result.stdout).sort(), result.stderr).toEqual(['named_again', 'ok']);
		expect(deletes(recorder)).toEqual(['/tickets/14/replies/3']);
	});

	it('of passwords sends one request a slug, though all of a user go one after the other', async () => {
		const recorder = await startRecorder(json(200, { deleted: true, previous: {} }));
		const work = createWorkplace(recorder.env);
		const slugs = '0758e859a3a2 1758e859a3a2 0758e859a3a2';
		const result = await work.run(`user password delete 7 ${slugs} --yes --format ndjson`);
		expect(outcomes(result.stdout).sort(), result.stderr).toEqual(['named_again', 'ok', 'ok']);
		expect(deletes(recorder)).toEqual(['/users/7/passwords/0758e859a3a2', '/users/7/passwords/1758e859a3a2']);
	});

	it('counts it once in a dry run, a plan, --expect and --max, and says so', async () => {
		const { recorder, work } = await startDesk();
		const dry = await work.run('ticket delete 11 11 -n');
		expect(dry.stderr).toContain('1 ticket would be deleted: 1 to the trash');
		expect(dry.stderr).toContain('1 named again: ticket 11');
		const bounds = '--expect 1 --max 1';
		const planned = await work.run(`ticket delete 11 11 --plan p.plan ${bounds}`);
		expect(planned.exitCode, planned.stderr).toBe(0);
		const applied = await work.run('run apply p.plan --yes --format ndjson');
		expect(outcomes(applied.stdout), applied.stderr).toEqual(['ok']);
		expect(deletes(recorder)).toHaveLength(1);
		const two = await work.run('ticket delete 12 12 --yes --expect 2');
		expect(two.stderr).toContain('--expect 2, but there is 1 row');
	});

	it('deletes for good what an earlier row moves to the trash, and not the other way round', async () => {
		const { recorder, work } = await startDesk();
		work.write('tickets.csv', 'id,force\n11,\n11,true\n11,\n');
		const result = await work.run('ticket delete --input tickets.csv --yes -j 4 --format ndjson');
		expect(outcomes(result.stdout).sort(), result.stderr).toEqual(['named_again', 'ok', 'ok']);
		expect(deletes(recorder)).toEqual(['/tickets/11', '/tickets/11?force=true']);
	});

	it('refuses two receivers for one user, and sends nothing', async () => {
		const { recorder, work } = await startDesk();
		work.write('users.csv', 'id,reassign\n5,1\n5,2\n');
		const result = await work.run('user delete --input users.csv --yes');
		expect(result.exitCode).toBe(2);
		expect(result.stderr).toContain('row 1 deletes user 5 already, and its posts go to user 1, not 2');
		expect(deletes(recorder)).toEqual([]);
	});

	it('is one deletion in a resume, too, which has sent the first of the rows before', async () => {
		const { recorder, work } = await startDesk();
		const first = await work.run('ticket delete 11 12 11 --yes --first 1 -q');
		expect(first.exitCode).toBe(0);
		const rest = await work.run('run resume last --yes --format ndjson');
		expect(outcomes(rest.stdout).sort(), rest.stderr).toEqual(['named_again', 'ok']);
		expect(deletes(recorder)).toEqual(['/tickets/11', '/tickets/12']);
	});
});

it('users and terms that are named in two ways are one object', async () => {
	const sandbox = await startSandbox();
	const work = createWorkplace(sandbox.env);
	for (const command of [
		['user', 'delete', 'nadia.chen', '6', '@nadia.chen', '--reassign', '2'],
		['term', 'delete', 'product', 'tideline-watch', '15', 'Tideline Watch', '--force'],
	]) {
		const result = await work.run([...command, '--yes', '--format', 'ndjson']);
		expect(outcomes(result.stdout).sort(), result.stderr).toEqual(['named_again', 'named_again', 'ok']);
	}
});

it('rows that only look alike in a large input are all deleted', async () => {
	const { recorder, work } = await startDesk();
	const ids = Array.from({ length: 12_000 }, (_, index) => 1000 + index);
	work.write('ids.txt', `${ids.join('\n')}\n`);
	const result = await work.run('ticket delete --input ids.txt --input-format ids --yes -n --format count');
	expect(result.stdout, result.stderr).toBe('12000\n');
	expect(deletes(recorder)).toEqual([]);
});
