/** Every file that a command makes can be read by its owner alone, whatever the umask. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDesk } from '../support/desk.js';

function modesBelow(folder: string): [path: string, mode: number][] {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		const own: [string, number] = [path, statSync(path).mode & 0o777];
		return entry.isDirectory() ? [own, ...modesBelow(path)] : [own];
	});
}

test('journals, plans, reports, copies of standard input and profiles are 0600, and their folders 0700', async () => {
	const { recorder, work } = await startDesk();
	const through = ['sh', '-c', 'umask 000; exec "$@"', 'sh'];
	const run = async (line: string, input = ''): Promise<void> => {
		const { exitCode, stderr } = await work.spawn(line, { through, input }).ended;
		expect(exitCode, `${line}: ${stderr}`).toBe(0);
	};
	await run('ticket update 14 15 --status hold --plan p.plan');
	await run('run show p.plan --report html:plan.html');
	await run(
		'ticket update 14 15 --status hold --journal j.ndjson --report html:r.html --report junit:r.xml --report markdown:r.md',
	);
	// Its input is kept for a resume.
	await run('ticket update --input - --first 1', 'id,status\n16,hold\n17,hold\n');
	await run(
		`profile set desk --base-url ${recorder.baseUrl} --username ada --password-stdin --insecure-storage`,
		's3cret pass\n',
	);
	const all = modesBelow(work.folder);
	const names = all.map(([path]) => path.slice(work.folder.length + 1));
	for (const name of ['p.plan', 'plan.html', 'j.ndjson', 'r.html', 'r.xml', 'r.md', 'config/config.json']) {
		expect(names).toContain(name);
	}
	expect([work.journals().length, work.spooled().length]).toEqual([2, 1]);
	const open = all.filter(([path, mode]) => mode !== (statSync(path).isDirectory() ? 0o700 : 0o600));
	expect(open).toEqual([]);
});
