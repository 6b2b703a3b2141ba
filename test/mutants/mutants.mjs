/** Plants the bugs of bugs.mjs one at a time, and fails for each that no test notices. */

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bugs } from './bugs.mjs';
import { lostPlaces, root, textWith } from './places.mjs';

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
/** Tests that do not end say nothing of a bug: on a busy machine they may only be slow. */
const LIMIT_MS = 600_000;

/**
 * @param {readonly string[]} tests
 * @param {import('./bugs.mjs').Bug} [bug]
 * @returns {Promise<{ hung: boolean, failed: string[], broken: string | undefined }>} names of failed tests; `broken` says why none could run
 */
async function runTests(tests, bug) {
	const report = join(folder, `${++reports}.json`);
	const args = [vitest, 'run', '--config', 'test/mutants/vitest.config.ts', '--outputFile', report, ...tests];
	const planted = bug && JSON.stringify({ file: bug.file, text: textWith(bug) });
	const child = spawn(process.execPath, args, {
		cwd: root,
		stdio: 'ignore',
		detached: true,
		env: { ...process.env, ...(planted && { PLANTED_BUG: planted }) },
	});
	let hung = false;
	const timer = setTimeout(() => {
		hung = true;
		// The workers too, which belong to the same group.
		process.kill(-child.pid, 'SIGKILL');
	}, LIMIT_MS);
	await new Promise((resolve) => child.on('close', resolve));
	clearTimeout(timer);
	if (hung) return { hung, failed: [], broken: undefined };
	const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
	const empty = testResults.find((file) => file.assertionResults.length === 0);
	const all = testResults.flatMap((file) => file.assertionResults);
	const failed = all.filter((each) => each.status === 'failed').map((each) => each.fullName);
	const broken = empty?.message ?? (all.length === 0 ? 'no test ran' : undefined);
	return { hung, failed, broken };
}

/** @param {import('./bugs.mjs').Bug} bug */
async function plant(bug) {
	const { hung, failed, broken } = await runTests(bug.tests, bug);
	if (failed.length > 0) return { caught: true, how: failed[0] };
	return { caught: false, how: hung ? 'the tests do not end' : (broken ?? 'no test fails') };
}

const lost = lostPlaces();
if (lost.length > 0)
	throw new Error(`${lost.length} bugs of test/mutants/bugs.mjs have no place any more:\n${lost.join('\n')}`);
const folder = mkdtempSync(join(tmpdir(), 'supportctl-mutants-'));
let reports = 0;
const QUICK = '--quick';
const given = process.argv.slice(2);
const wanted = given.filter((part) => part !== QUICK);
/** Whole commands take ten times as long as the parts of one room. */
const isQuick = ({ tests }) => tests.every((test) => !test.startsWith('test/acceptance/'));
const chosen = bugs
	.filter((bug) => !given.includes(QUICK) || isQuick(bug))
	.filter(({ file, loss, tests }) =>
		wanted.every((part) => [file, loss, ...tests].some((text) => text.includes(part))),
	);
// Without a name, vitest would run every test there is.
if (chosen.length === 0) throw new Error(`no planted bug has ${wanted.join(' and ')}`);
// Once for all: tests that start the binary find the one without bugs.
execFileSync(process.execPath, ['src/tools/build.mjs'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
let survived = 0;
try {
	const tests = [...new Set(chosen.flatMap((bug) => bug.tests))];
	const clean = await runTests(tests);
	const why = clean.hung ? 'they do not end' : (clean.broken ?? clean.failed[0]);
	if (why !== undefined) throw new Error(`the tests fail without any bug: ${why}`);
	const queue = [...chosen];
	const work = async () => {
		for (let bug = queue.shift(); bug !== undefined; bug = queue.shift()) {
			const { caught, how } = await plant(bug);
			if (!caught) survived++;
			console.log(`${caught ? 'caught  ' : 'SURVIVED'} ${bug.file}: ${bug.loss}\n         ${how}`);
		}
	};
	await Promise.all(Array.from({ length: availableParallelism() }, work));
} finally {
	rmSync(folder, { recursive: true, force: true });
}
console.log(`${chosen.length - survived} of ${chosen.length} planted bugs caught`);
process.exitCode = survived === 0 && chosen.length > 0 ? 0 : 1;
