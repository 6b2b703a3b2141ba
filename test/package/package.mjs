/**
 * The package as somebody else gets it: packed, installed with `npm i -g` into a folder with blanks in its name, run through
 * the link that npm makes, on Node 20, 22 and 24. Each Node is the one of the registry's packages. `npm run test:package`.
 */

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'supportctl package '));
/** The most that the tarball may weigh, in bytes. */
const MAX_TARBALL = 1024 * 1024;

function run(command, args, options = {}) {
	return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });
}

function assert(condition, message) {
	if (!condition) throw new Error(message);
}

/** Packs the checkout; says what is in it. */
function pack() {
	const [packed] = JSON.parse(
		run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: root }),
	);
	const strays = packed.files
		.map(({ path }) => path)
		.filter((path) => !/^(?:bin\/|dist\/|package\.json|README\.md|LICENSE|CHANGELOG\.md)/.test(path));
	assert(strays.length === 0, `the package holds what users do not need: ${strays.join(', ')}`);
	assert(packed.size < MAX_TARBALL, `the package weighs ${packed.size} bytes`);
	console.log(
		`packed: ${packed.files.length} files, ${Math.round(packed.size / 1024)} KiB, ${Math.round(packed.unpackedSize / 1024)} KiB unpacked`,
	);
	return join(folder, packed.filename);
}

/** A Node of a major version, from the registry. */
function fetchNode(major) {
	const home = join(folder, `node ${major}`);
	mkdirSync(home);
	writeFileSync(join(home, 'package.json'), '{"private": true}');
	const platform = `node-${process.platform}-${process.arch}`;
	run('npm', ['install', '--no-audit', '--no-fund', `${platform}@${major}`], { cwd: home });
	return join(home, 'node_modules', platform, 'bin/node');
}

/** Starts the sandbox; resolves to what it printed, and a way to end it. */
function startSandbox(node, bin, env) {
	return new Promise((resolve, reject) => {
		const child = spawn(node, [bin, 'sandbox', '--port', '0', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
		child.on('error', reject);
		child.on('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
		child.stdout.once('data', (data) => {
			const desk = JSON.parse(String(data));
			const stop = () =>
				new Promise((done) => {
					child.removeAllListeners('exit');
					child.on('exit', done);
					child.kill('SIGTERM');
				});
			resolve({ desk, stop });
		});
	});
}

/** The sandbox and a bulk run under one Node. */
async function tryWith(major, prefix) {
	const node = fetchNode(major);
	const bin = join(prefix, 'bin/supportctl');
	const env = {
		PATH: process.env.PATH,
		HOME: folder,
		SUPPORTCTL_CONFIG_DIR: join(folder, `config ${major}`),
		SUPPORTCTL_STATE_DIR: join(folder, `state ${major}`),
	};
	const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	assert(run(node, [bin, '--version'], { env }).trim() === version, 'another version');
	const { desk, stop } = await startSandbox(node, bin, env);
	try {
		Object.assign(env, {
			SUPPORTCTL_BASE_URL: desk.baseUrl,
			SUPPORTCTL_USERNAME: desk.username,
			SUPPORTCTL_PASSWORD: desk.password,
		});
		const rows = Array.from({ length: 40 }, (_, index) => `${index + 1},hold\n`).join('');
		const sheet = join(folder, `edits ${major}.csv`);
		writeFileSync(sheet, `id,status\n${rows}`);
		const counted = run(node, [bin, 'ticket', 'update', '--input', sheet, '--format', 'count'], { env });
		assert(counted.trim() === '40', `a bulk run counted ${counted}`);
		const runs = JSON.parse(run(node, [bin, 'run', 'list', '--json'], { env }));
		assert(runs.length === 1, 'the run left no journal');
	} finally {
		await stop();
	}
	console.log(`${run(node, ['--version']).trim()}: --version, sandbox, a bulk run of 40 rows`);
}

try {
	const tarball = pack();
	const prefix = join(folder, 'prefix with blanks');
	run('npm', ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', tarball]);
	// `man supportctl` finds it there.
	if (!existsSync(join(prefix, 'share/man/man1/supportctl.1'))) throw new Error('the man page is not installed');
	for (const major of [20, 22, 24]) await tryWith(major, prefix);
	console.log('the package installs and works');
} finally {
	rmSync(folder, { recursive: true, force: true });
}
