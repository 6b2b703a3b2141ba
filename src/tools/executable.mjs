/**
 * `npm run executable [folder]`: the packed tarball, and a single executable for this platform that needs no Node: the program
 * in one file inside the `node` of the npm registry (https://nodejs.org/api/single-executable-applications.html).
 */

import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inject } from 'postject';
import { build } from 'rolldown';
import { leaveOut, root, shared } from './bundle.mjs';

const NODE = '22';
const platform = `${process.platform}-${process.arch}`.replace('win32', 'win');
const output = resolve(process.argv[2] ?? join(root, 'executable'));
const target = join(output, process.platform === 'win32' ? 'supportctl.exe' : 'supportctl');
const folder = await mkdtemp(join(tmpdir(), 'supportctl-executable-'));
const run = (command, args, cwd = folder) =>
	execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });

try {
	await mkdir(output, { recursive: true });
	run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', output], root);

	await writeFile(join(folder, 'package.json'), '{"private": true}');
	run('npm', ['install', '--silent', '--no-audit', '--no-fund', `node-${platform}@${NODE}`]);
	const node = join(
		folder,
		'node_modules',
		`node-${platform}`,
		'bin',
		process.platform === 'win32' ? 'node.exe' : 'node',
	);

	// As in bin/supportctl.js, but in one file: such an executable can load no other.
	const entry = join(folder, 'entry.mjs');
	await writeFile(
		entry,
		`import { main } from ${JSON.stringify(join(root, 'src/main.ts'))};
process.exitCode = 1;
main(process).then((exitCode) => { process.exitCode = exitCode; });`,
	);
	await build({
		...shared,
		input: entry,
		logLevel: 'warn',
		plugins: [leaveOut],
		output: { file: join(folder, 'main.cjs'), format: 'cjs', minify: true, codeSplitting: false },
	});
	const settings = { main: 'main.cjs', output: 'main.blob', disableExperimentalSEAWarning: true, useCodeCache: true };
	await writeFile(join(folder, 'sea.json'), JSON.stringify(settings));
	run(node, ['--experimental-sea-config', 'sea.json']);

	await copyFile(node, target);
	await chmod(target, 0o755);
	if (process.platform === 'darwin') run('codesign', ['--remove-signature', target]);
	await inject(target, 'NODE_SEA_BLOB', await readFile(join(folder, 'main.blob')), {
		sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
		...(process.platform === 'darwin' ? { machoSegmentName: 'NODE_SEA' } : {}),
	});
	if (process.platform === 'darwin') run('codesign', ['--sign', '-', target]);
	console.log(`${target}: ${Math.round((await stat(target)).size / 1024 / 1024)} MB`);
} finally {
	await rm(folder, { recursive: true, force: true });
}
