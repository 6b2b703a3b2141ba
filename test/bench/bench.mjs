/** `npm run bench`: start-up, rate, growth and memory beside what others need for the same; `--quick` in under two minutes. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bareLoop, findPeers } from './peers.mjs';
import { isInstalled, run } from './processes.mjs';
import { plotSvg, plotText, tableText } from './report.mjs';
import { startDelayServer, startNginx } from './servers.mjs';
import { inTurn, median, medianRatio } from './statistics.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'bin', 'supportctl.js');
const output = join(root, 'coverage', 'bench');

const quick = process.argv.includes('--quick');
const plan = quick
	? { starts: 11, rounds: 2, rows: 50_000, growth: [10_000, 50_000, 200_000], growthRounds: 1, delayedRows: 3_200 }
	: {
			starts: 31,
			rounds: 5,
			rows: 100_000,
			growth: [10_000, 50_000, 100_000, 250_000, 500_000, 1_000_000],
			growthRounds: 3,
			delayedRows: 6_400,
		};
const CONNECTIONS = 16;
const DELAY_MS = 25;
/** What growth is measured from. */
const BASE_ROWS = 50_000;

/** @typedef {{ what: string, measured: number, unit: string, target?: { kind: 'at most' | 'at least', value: number } }} Finding */

/** @type {Finding[]} */
const findings = [];
const note = (what, measured, unit, kind, value) =>
	findings.push({ what, measured, unit, ...(kind === undefined ? {} : { target: { kind, value } }) });
const progress = (text) => process.stderr.write(`${text}\n`);

/** Edits of so many tickets as CSV. */
function writeCsv(folder, rows) {
	const path = join(folder, `edits-${rows}.csv`);
	const lines = ['id,status,assignee'];
	for (let id = 1; id <= rows; id++) lines.push(`${id},hold,${(id % 50) + 1}`);
	writeFileSync(path, `${lines.join('\n')}\n`);
	return path;
}

/** A stored profile for a service, and the environment in which it is the current one. */
async function storeProfile(folder, name, url) {
	const env = { SUPPORTCTL_CONFIG_DIR: join(folder, name), SUPPORTCTL_STATE_DIR: join(folder, `${name}-state`) };
	const flags = ['--base-url', url, '--username', 'bench', '--password-stdin', '--insecure-storage', '--quiet'];
	await run([process.execPath, bin, 'profile', 'set', name, ...flags.slice(0, -1)], {
		env,
		input: 'Xk3f 9aQz Lm2P vR7t',
	});
	await run([process.execPath, bin, 'profile', 'use', name], { env });
	return env;
}

const update = (path) => [
	...[process.execPath, bin, 'ticket', 'update', '--input', path],
	...['--concurrency', String(CONNECTIONS), '--quiet'],
];

async function measureStartUp(folder, env) {
	progress('start-up');
	const empty = join(folder, 'empty.cjs');
	writeFileSync(empty, '');
	const command = (...words) => [process.execPath, ...words];
	const commands = [
		command(empty),
		command(bin, '--version'),
		command(bin, '--help'),
		command(bin, 'ticket', 'update', '14', '--status', 'hold'),
	];
	for (const each of commands) await run(each, { env });
	const [base, version, help, single] = await inTurn(
		plan.starts,
		commands.map((each) => async () => (await run(each, { env })).ms),
	);
	note('node, an empty module', median(base), 'ms');
	note('--version, against the empty module', medianRatio(version, base), '×', 'at most', 1.15);
	note('--help, against the empty module', medianRatio(help, base), '×', 'at most', 1.15);
	note('ticket update 14 --status hold, against the empty module', medianRatio(single, base), '×', 'at most', 1.7);
}

async function measureRates(folder, env, server) {
	const csv = writeCsv(folder, plan.rows);
	const { peers, missing } = await findPeers({ url: server.url, folder, csv, rows: plan.rows, quick });
	for (const name of missing) progress(`${name} is not installed (Debian: apt-get install ${name}); it is left out`);
	progress(`rate, ${plan.rows} rows, ${['supportctl', ...peers.map((each) => each.name)].join(', ')}`);
	const own = async () => (plan.rows * 1000) / (await run(update(csv), { env })).ms;
	const [rates, ...others] = await inTurn(plan.rounds, [own, ...peers.map((each) => each.rate)]);
	note('bulk update from CSV', median(rates), 'rows/s');
	const least = { autocannon: 0.45, 'curl --parallel': 12, 'xargs -P16 curl': 12 };
	for (const [index, { name }] of peers.entries()) {
		note(name, median(others[index]), 'requests/s');
		note(`  supportctl against it`, medianRatio(rates, others[index]), '×', least[name] && 'at least', least[name]);
	}
}

/** @returns {Promise<{ rows: number, rate: number, peakMB: number }[]>} */
async function measureGrowth(folder, env) {
	progress(`growth, up to ${plan.growth.at(-1)} rows`);
	const files = plan.growth.map((rows) => writeCsv(folder, rows));
	const results = await inTurn(
		plan.growthRounds,
		files.map((path) => () => run(update(path), { env, watchMemory: true })),
	);
	const base = plan.growth.indexOf(BASE_ROWS);
	const last = plan.growth.length - 1;
	const cost = (index) => results[index].map(({ ms }) => (ms * 1000) / plan.growth[index]);
	const peaks = (index) => results[index].map(({ peakMB }) => peakMB);
	const most = plan.growth[last].toLocaleString('en');
	note(`cost of a row at ${BASE_ROWS.toLocaleString('en')}`, median(cost(base)), 'µs');
	note(`cost of a row at ${most}`, median(cost(last)), 'µs');
	note('  against it', medianRatio(cost(last), cost(base)), '×', 'at most', 1.1);
	note(`peak memory at ${BASE_ROWS.toLocaleString('en')}`, median(peaks(base)), 'MB');
	note(`peak memory at ${most}`, median(peaks(last)), 'MB', 'at most', 180);
	note('  against it', medianRatio(peaks(last), peaks(base)), '×', 'at most', 1.2);
	return plan.growth.map((rows, index) => ({
		rows,
		rate: 1e6 / median(cost(index)),
		peakMB: median(peaks(index)),
	}));
}

async function measureDelayed(folder) {
	progress(`a service that takes ${DELAY_MS} ms`);
	const server = await startDelayServer(DELAY_MS);
	try {
		const env = await storeProfile(folder, 'delayed', server.url);
		const csv = writeCsv(folder, plan.delayedRows);
		const rate = async (command) => (plan.delayedRows * 1000) / (await run(command, { env })).ms;
		const [own, bare] = await inTurn(quick ? 1 : 3, [() => rate(update(csv)), () => rate(bareLoop(csv, server.url))]);
		const ideal = (CONNECTIONS * 1000) / DELAY_MS;
		const share = median(own) / ideal;
		note(`of the ideal ${ideal} a second, the service taking ${DELAY_MS} ms`, share, '×', 'at least', 0.95);
		note('  the bare loop of undici and csv-parse', median(bare) / ideal, '×');
	} finally {
		await server.stop();
	}
}

async function openServer(folder) {
	if (await isInstalled('nginx')) return startNginx(folder);
	progress(
		'nginx is not installed (Debian: apt-get install nginx): a server in Node takes its place, and is the slower side',
	);
	return startDelayServer(0);
}

async function main() {
	await run([process.execPath, join(root, 'src', 'tools', 'build.mjs')]);
	const folder = mkdtempSync(join(tmpdir(), 'supportctl-bench-'));
	const server = await openServer(folder);
	try {
		const env = await storeProfile(folder, 'bench', server.url);
		await measureStartUp(folder, env);
		await measureRates(folder, env, server);
		await measureDelayed(folder);
		const growth = await measureGrowth(folder, env);
		const machine = `Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, against ${server.name}`;
		const text = [machine, '', tableText(findings), '', plotText(growth)].join('\n');
		mkdirSync(output, { recursive: true });
		writeFileSync(join(output, 'bench.json'), `${JSON.stringify({ machine, quick, findings, growth }, null, '\t')}\n`);
		writeFileSync(join(output, 'bench.svg'), plotSvg(growth, machine));
		writeFileSync(join(output, 'bench.txt'), `${text}\n`);
		process.stdout.write(`${text}\n\nin coverage/bench/: bench.json, bench.svg, bench.txt\n`);
	} finally {
		await server.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

await main();
