/** Builds dist/: the program in few files that load when a command needs them, the library, and its type declarations. */

import { execFileSync } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { build } from 'rolldown';
import { root } from './bundle.mjs';
import { writeLicences, writeManPage } from './package-files.mjs';

/**
 * What packages load at once and this program never reaches. Left in, it would be a third of the time that a lone
 * request takes. `test/acceptance/start-up.test.ts` holds the list to what is there.
 */
const unreached = [
	{ package: 'undici', asks: './client-h2.js', why: 'HTTP/2 is never allowed', code: 'module.exports = undefined' },
	{ package: 'undici', asks: '../web/fetch/body.js', why: 'bodies are strings', code: '' },
	{
		package: 'undici',
		asks: 'node:http',
		why: 'only its limit on headers is used',
		code: 'exports.maxHeaderSize = 16384; exports.IncomingMessage = class {};',
	},
	{ package: 'commander', asks: 'node:child_process', why: 'no command is a program of its own', code: '' },
];

/**
 * What runs together is one file, since each further one costs half a millisecond. The first that fits counts, and a
 * file's imports come with it. Whatever is not named here is a chunk of its own, loaded by what needs it.
 */
const together = {
	start: /src\/(version|errors|http\/limits|cli\/(program|help\/(command|overview)))\.ts$/,
	commands:
		/src\/cli\/(parse|commands\/(ticket|reply|attachment|term)\/.*|commands\/user\/(update|delete|id|password\/.*))\.ts$/,
	http: /src\/http\/client\.ts$/,
	rows: /src\/(cli\/rows\/(run|execute|complaints)|output\/formats\/delimited)\.ts$/,
	bulk: /src\/(cli\/rows\/run-log|bulk\/(source|csv)|output\/progress)\.ts$/,
};

const groups = Object.entries(together).map(([name, test], index, all) => ({
	name,
	test,
	priority: all.length - index,
}));

const leaveOut = {
	name: 'leave-out',
	resolveId(source, importer = '') {
		const found = unreached.find(
			(each) => each.asks === source && importer.replaceAll('\\', '/').includes(`/node_modules/${each.package}/`),
		);
		return found === undefined ? undefined : { id: `\0unreached/${found.package}/${found.asks}.cjs` };
	},
	load(id) {
		const found = unreached.find((each) => id === `\0unreached/${each.package}/${each.asks}.cjs`);
		return found === undefined ? undefined : { code: `${found.code};exports.__unreached=1`, moduleType: 'js' };
	},
};

const shared = {
	cwd: root,
	platform: 'node',
	external: ['@napi-rs/keyring'],
	logLevel: 'warn',
	plugins: [leaveOut],
};

// A folder of its own until it is whole, so that nobody meets half a program.
const draft = `dist-${process.pid}`;
// CommonJS, since Node starts it sooner than modules: by 5 ms, and by half a millisecond for each further file.
const program = await build({
	...shared,
	input: { main: 'src/main.ts' },
	output: {
		dir: draft,
		format: 'cjs',
		dynamicImportInCjs: false,
		minify: true,
		codeSplitting: { groups },
		entryFileNames: '[name].cjs',
		chunkFileNames: 'chunks/[name]-[hash].cjs',
	},
});
const library = await build({
	...shared,
	input: { index: 'src/index.ts' },
	output: {
		dir: draft,
		format: 'esm',
		minify: true,
		entryFileNames: '[name].js',
		chunkFileNames: 'chunks/[name]-[hash].js',
	},
});

const tsc = createRequire(import.meta.url)
	.resolve('typescript/package.json')
	.replace(/package\.json$/, 'bin/tsc');
execFileSync(process.execPath, [tsc, '--project', 'tsconfig.types.json', '--outDir', `${draft}/types`], {
	cwd: root,
	stdio: 'inherit',
});
await writeManPage(`${root}/${draft}`);
await writeLicences(
	`${root}/${draft}`,
	[...program.output, ...library.output].flatMap((chunk) => chunk.moduleIds ?? []),
);
await rm(`${root}/dist`, { recursive: true, force: true });
await rename(`${root}/${draft}`, `${root}/dist`);
