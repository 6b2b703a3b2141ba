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

/** What others look for in a package: its manifest's fields, and types that each way of importing it finds. */
function checkManifest(tarball) {
	run('npx', ['--no-install', 'publint', 'run', tarball, '--strict'], { cwd: root });
	// A program in CommonJS has to import() it.
	run('npx', ['--no-install', 'attw', '--profile', 'esm-only', tarball], { cwd: root });
	console.log('manifest: publint and attw have nothing to say');
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

/** The sandbox, a bulk run and the library under one Node. */
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
		const program = join(folder, `library-${major}.mjs`);
		writeFileSync(
			program,
			`import { SupportClient } from ${JSON.stringify(join(prefix, 'lib/node_modules/supportctl/dist/index.js'))};
			const client = await SupportClient.open({ baseUrl: process.env.SUPPORTCTL_BASE_URL, auth: { scheme: 'basic',
				username: process.env.SUPPORTCTL_USERNAME, password: process.env.SUPPORTCTL_PASSWORD } });
			const result = await client.call('ticket.update', { id: 14, fields: { status: 'read' } });
			const refused = await client.call('ticket.update', { id: 0, fields: { status: 'read' } }).catch((error) => error);
			console.log(result.outcome, result.body.status, refused.name);
			await client.close();`,
		);
		assert(run(node, [program], { env }).trim() === 'ok read UsageError', 'the library did not do its work');
	} finally {
		await stop();
	}
	console.log(`${run(node, ['--version']).trim()}: --version, sandbox, a bulk run of 40 rows, the library`);
}

/** A program in TypeScript against the installed types: what the table requires must be there. */
function checkTypes(prefix) {
	const home = join(folder, 'types');
	mkdirSync(join(home, 'node_modules'), { recursive: true });
	run('cp', ['-r', join(prefix, 'lib/node_modules/supportctl'), join(home, 'node_modules/supportctl')]);
	const tsc = join(root, 'node_modules/typescript/bin/tsc');
	const flags = [
		'--noEmit',
		'--strict',
		'--target',
		'es2022',
		'--module',
		'nodenext',
		'--lib',
		'es2023',
		'--types',
		'',
	];
	const compiles = (body) => {
		const file = join(home, 'program.mts');
		writeFileSync(file, `import { SupportClient } from 'supportctl';\ndeclare const desk: SupportClient;\n${body}\n`);
		try {
			run(process.execPath, [tsc, ...flags, file], { cwd: home });
			return true;
		} catch {
			return false;
		}
	};
	assert(compiles("await desk.call('user.delete', { id: 21, reassign: 2 });"), 'a right call does not compile');
	assert(!compiles("await desk.call('user.delete', { id: 21 });"), 'a call without a required parameter compiles');
	assert(
		!compiles("await desk.call('ticket.update', { id: 14, fields: { assignee: true } });"),
		'a wrong type compiles',
	);
	console.log('types: a missing required field does not compile');
}

/** The single executable does what the demo does, without another Node. */
function checkExecutable() {
	console.log(run(process.execPath, ['src/tools/executable.mjs', folder], { cwd: root }).trim());
	run(process.execPath, ['test/demo/demo.mjs'], {
		cwd: root,
		env: { PATH: '/nowhere', HOME: folder, DEMO_PROGRAM: join(folder, 'supportctl') },
	});
	console.log('executable: the demo');
}

try {
	const tarball = pack();
	checkManifest(tarball);
	const prefix = join(folder, 'prefix with blanks');
	run('npm', ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', tarball]);
	// `man supportctl` finds it there.
	if (!existsSync(join(prefix, 'share/man/man1/supportctl.1'))) throw new Error('the man page is not installed');
	checkTypes(prefix);
	for (const major of [20, 22, 24]) await tryWith(major, prefix);
	checkExecutable();
	console.log('the package installs and works');
} finally {
	rmSync(folder, { recursive: true, force: true });
}
