/** Plants the bugs of bugs.mjs, one at a time and each in a copy of the checkout, and fails for each that no test notices. */

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bugs } from './bugs.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** A bug may make a test wait without end: after so long, it counts as caught. */
const LIMIT_MS = 90_000;
/** All of the tests, without a bug. */
const ALL_LIMIT_MS = 600_000;

/** @typedef {import('./bugs.mjs').Bug} Bug */

function copyCheckout() {
	const folder = mkdtempSync(join(tmpdir(), 'supportctl-mutants-'));
	for (const name of ['src', 'test', 'bin', 'LICENSE', 'package.json', 'tsconfig.json', 'tsconfig.types.json']) {
		cpSync(join(root, name), join(folder, name), { recursive: true });
	}
	symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
	return folder;
}

/**
 * Runs tests in a copy.
 * @param {string} folder @param {readonly string[]} tests @param {number} [limitMs]
 * @returns {Promise<{ hung: boolean, failed: string[], broken: boolean }>} the names of tests that failed; `broken` where
 * some could not even be loaded.
 */
async function runTests(folder, tests, limitMs = LIMIT_MS) {
	// Only these run the built binary.
	if (tests.some((test) => test.startsWith('test/acceptance/'))) {
		execFileSync(process.execPath, ['src/tools/build.mjs'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
	}
	const report = join(folder, 'report.json');
	rmSync(report, { force: true });
	const vitest = join(root, 'node_modules/vitest/vitest.mjs');
	const args = [vitest, 'run', '--config', 'test/mutants/vitest.config.ts', '--outputFile', report, ...tests];
	const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore', detached: true });
	let hung = false;
	const timer = setTimeout(() => {
		hung = true;
		// The workers too, which belong to the same group.
		process.kill(-child.pid, 'SIGKILL');
	}, limitMs);
	await new Promise((resolve) => child.on('close', resolve));
	clearTimeout(timer);
	if (hung) return { hung, failed: [], broken: false };
	const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
	const all = testResults.flatMap((file) => file.assertionResults);
	const failed = all.filter((each) => each.status === 'failed').map((each) => each.fullName);
	return { hung, failed, broken: all.length === 0 || testResults.some((file) => file.assertionResults.length === 0) };
}

/** @param {string} text @param {string} part */
const countOf = (text, part) => text.split(part).length - 1;

/**
 * @param {string} folder @param {Bug} bug
 * @returns {Promise<{ caught: boolean, how: string }>}
 */
async function plant(folder, { file, was, becomes, tests }) {
	const path = join(folder, file);
	const text = readFileSync(path, 'utf8');
	const count = countOf(text, was);
	if (count !== 1) return { caught: false, how: `its text stands ${count} times in the file: ${was.trim()}` };
	writeFileSync(
		path,
		text.replace(was, () => becomes),
	);
	try {
		const { hung, failed, broken } = await runTests(folder, tests);
		if (hung) return { caught: true, how: 'the tests hang' };
		if (failed.length > 0) return { caught: true, how: failed[0] };
		return {
			caught: false,
			how: broken ? 'the file can’t even be loaded: that is no bug that a change could bring' : 'no test fails',
		};
	} finally {
		writeFileSync(path, text);
	}
}

const wanted = process.argv.slice(2);
const chosen = bugs.filter(({ file, loss, tests }) =>
	wanted.every((part) => [file, loss, ...tests].some((text) => text.includes(part))),
);
const folders = Array.from({ length: Math.min(availableParallelism(), chosen.length) }, copyCheckout);
let survived = 0;
try {
	const tests = [...new Set(chosen.flatMap((bug) => bug.tests))];
	const isClean = ({ hung, broken, failed }) => !hung && !broken && failed.length === 0;
	// Twice, since so many tests at once may meet a moment in which the machine stands still.
	let clean = await runTests(folders[0], tests, ALL_LIMIT_MS);
	if (!isClean(clean)) clean = await runTests(folders[0], tests, ALL_LIMIT_MS);
	if (!isClean(clean)) throw new Error(`the tests fail without any bug: ${clean.failed[0] ?? 'they do not end'}`);
	const queue = [...chosen];
	const work = async (folder) => {
		for (let bug = queue.shift(); bug !== undefined; bug = queue.shift()) {
			const { caught, how } = await plant(folder, bug);
			if (!caught) survived++;
			console.log(`${caught ? 'caught  ' : 'SURVIVED'} ${bug.file}: ${bug.loss}\n         ${how}`);
		}
	};
	await Promise.all(folders.map(work));
} finally {
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
console.log(`${chosen.length - survived} of ${chosen.length} planted bugs caught`);
process.exitCode = survived === 0 && chosen.length > 0 ? 0 : 1;
