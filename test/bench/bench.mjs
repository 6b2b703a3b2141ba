/**
 * `npm run bench`: measures what docs/performance.md promises beside its peers, as ratios within one run. `--quick` takes smaller sizes, `--only TEXT`
 * the cases with it in their names, `--json FILE` says where the figures go, and `--write` puts them into docs/. Exit code 1 where a target is missed by more
 * than the noise.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../src/tools/bundle.mjs';
import { casesFor, requestsOf } from './cases.mjs';
import { run } from './processes.mjs';
import { judge, plotOf, tableOf } from './report.mjs';
import { serverName, startServer } from './servers.mjs';

const { values: options } = parseArgs({
	options: {
		quick: { type: 'boolean', default: false },
		write: { type: 'boolean', default: false },
		only: { type: 'string', default: '' },
		json: { type: 'string' },
	},
});
const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();

/** @returns {Promise<{ figures: object[], plot?: string }>} */
async function measureCase(each, parent) {
	const folder = mkdtempSync(join(parent, 'case-'));
	const server = await startServer(parent, each.server);
	try {
		await each.open?.({ server, folder });
		const rounds = [];
		for (let round = 0; round < each.rounds; round++) rounds.push(await each.measure({ server, folder }));
		const figures = each.figures.flatMap((figure) => {
			const values = rounds.map((values) => values[figure.of]).filter((value) => value !== undefined);
			return values.length === 0 ? [] : [{ name: each.name, ...figure, ...judge(figure, values) }];
		});
		const { rate } = each.server;
		return { figures, plot: rate === undefined ? undefined : plotOf(requestsOf(server), rate) };
	} finally {
		await server.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

// Before it can change during the run.
const commit = git('rev-parse', '--short', 'HEAD');
await run([process.execPath, join(root, 'src', 'tools', 'build.mjs')]);
const parent = mkdtempSync(join(tmpdir(), 'supportctl-bench-'));
const figures = [];
let plot;
try {
	for (const each of casesFor(options.quick).filter(({ name }) => name.includes(options.only))) {
		process.stderr.write(`${each.name}\n`);
		const measured = await measureCase(each, parent);
		process.stderr.write(`${tableOf(measured.figures).split('\n').slice(3).join('\n')}\n`);
		figures.push(...measured.figures);
		plot ??= measured.plot;
	}
} finally {
	rmSync(parent, { recursive: true, force: true });
}

const date = new Date().toISOString().slice(0, 10);
const machine = `Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, against ${serverName}`;
const size = options.quick ? ', small sizes' : '';
const text = `Measured on ${date} at commit ${commit}${size}. ${machine}.\n\n${tableOf(figures)}`;
const folder = join(root, 'coverage', 'bench');
mkdirSync(folder, { recursive: true });
const json = options.json ?? join(folder, 'bench.json');
writeFileSync(json, `${JSON.stringify({ date, commit, machine, quick: options.quick, figures }, null, '\t')}\n`);
if (plot !== undefined) writeFileSync(join(folder, 'rate.svg'), plot);
if (options.write) {
	const page = join(root, 'docs', 'performance.md');
	const [start, end] = ['<!-- npm run bench -- --write -->', '<!-- end -->'];
	const [before, rest] = readFileSync(page, 'utf8').split(start);
	writeFileSync(page, `${before}${start}\n\n${text}\n\n${end}${rest.split(end)[1]}`);
	if (plot !== undefined) writeFileSync(join(root, 'docs', 'rate.svg'), plot);
}
process.stdout.write(`${text}\n\nFigures: ${json}\n`);
process.exitCode = figures.some(({ verdict }) => verdict === 'MISSED') ? 1 : 0;
