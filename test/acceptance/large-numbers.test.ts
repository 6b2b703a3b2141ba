/** Numbers of things are printed with separators where people read them, and bare where programs do. */

import { expect, test } from 'vitest';
import { startDesk } from '../support/desk.js';

/** A number of four digits or more in front of a word, which is no year and no value of a flag. */
const BARE = /(?<![-\d.,:=/#]|--[\w-]+ )\d{4,} (?!at )[a-z]+/g;

const bareIn = (texts: readonly string[]) => texts.flatMap((text) => text.match(BARE) ?? []);

test('counts of a plan, and of rows that are too many, have separators', async () => {
	const { work } = await startDesk();
	work.edits(1054);
	const update = 'ticket update --input edits.csv';
	const { stderr: wrong } = await work.run(`${update} --expect 5`);
	expect(wrong).toContain('--expect 5, but there are 1,054 rows');
	const { stderr: many } = await work.run(`${update} --max 1050`);
	expect(many).toContain('there are 1,054');
	const { stderr: plan } = await work.run(`${update} --plan p.plan`);
	expect(plan).toContain('1,054 tickets');
	const { stdout, stderr } = await work.run('run show p.plan');
	expect(stderr).toContain('1,054 statuses');
	expect(bareIn([wrong, many, plan, stdout, stderr])).toEqual([]);
});

test('counts of a run have separators in messages and reports, and none in JSON and CSV', async () => {
	const { work } = await startDesk();
	work.sheet('typos.csv', 'id,status', 1054, (row) => `${row},${row < 5 ? 'hold' : 'hodl'}`);
	const typos = 'ticket update --input typos.csv';
	const { stderr: refused } = await work.run(typos);
	expect(refused).toContain('1,050 of 1,054 rows are invalid; nothing was sent');
	const { stderr: run } = await work.run(`${typos} --skip-invalid --report html:r.html --report markdown:r.md`);
	expect(run).toContain('(1,049 more: lines 7, 8, ');
	expect(run).toMatch(/1,054 rows in .*: 4 ok, 1,050 invalid\n$/);
	const { stdout: list } = await work.run('run list');
	expect(list).toContain('1,050 invalid');
	expect(bareIn([refused, run, list, work.read('r.md'), work.read('r.html')])).toEqual([]);
	expect((await work.run('run list --json')).stdout).toMatch(/"rows": ?1054,/);
	expect((await work.run('run list --format csv')).stdout).toMatch(/,1054,/);
	expect((await work.run('run rejects last --format count')).stdout).toBe('1050\n');
});
