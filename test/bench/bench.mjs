/**
 * Measures start-up, rate and memory beside their peers in one run, prints medians and ratios, and writes them as JSON with a
 * plot. `npm run bench`, or `npm run bench -- --quick` for two minutes. Not part of the tests: a busy machine is no failure.
 */

import { execFileSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inTurns, run } from './measure.mjs';
import { svgPlot, textPlot } from './plot.mjs';
import { startNginx, startSlow } from './servers.mjs';

const quick = process.argv.includes('--quick');
const root = fileURLToPath(new URL('../..', import.meta.url));
const results = join(root, 'coverage/bench');
const folder = mkdtempSync(join(tmpdir(), 'supportctl-bench-'));
const binary = join(root, 'bin/supportctl.js');
const CONNECTIONS = 16;
const size = quick
	? {
			startRounds: 7,
			rounds: 2,
			rows: 50_000,
			curl: 2_000,
			xargs: 320,
			seconds: 2,
			scale: [50_000, 200_000],
			slow: 1_600,
		}
	: {
			startRounds: 21,
			rounds: 5,
			rows: 100_000,
			curl: 10_000,
			xargs: 1_600,
			seconds: 4,
			scale: [50_000, 200_000, 1_000_000],
			slow: 6_400,
		};

function has(command) {
	try {
		execFileSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}

function environment(name, url) {
	return {
		SUPPORTCTL_CONFIG_DIR: join(folder, name, 'config'),
		SUPPORTCTL_STATE_DIR: join(folder, name, 'state'),
		...(url === undefined ? {} : { SUPPORTCTL_BASE_URL: url, SUPPORTCTL_USERNAME: 'a', SUPPORTCTL_PASSWORD: 'b' }),
	};
}

/** A sheet of tickets to update. */
async function sheet(rows) {
	const file = join(folder, `rows-${rows}.csv`);
	if (existsSync(file)) return file;
	const stream = createWriteStream(file);
	stream.write('id,status,assignee\n');
	for (let row = 1; row <= rows; row++) {
		if (!stream.write(`${row},hold,${(row % 50) + 1}\n`)) await new Promise((resolve) => stream.once('drain', resolve));
	}
	await new Promise((resolve) => stream.end(resolve));
	return file;
}

function bulk(file, url, options = {}) {
	rmSync(join(folder, 'bulk/state/runs'), { recursive: true, force: true });
	const args = ['ticket', 'update', '--input', file, '-j', String(CONNECTIONS), '--quiet', '--format', 'count'];
	return run([process.execPath, binary, ...args], { env: environment('bulk', url), ...options });
}

async function measureStart(url) {
	const empty = join(folder, 'empty.cjs');
	writeFileSync(empty, '');
	const env = environment('start');
	const profile = [
		'profile',
		'set',
		'bench',
		'--base-url',
		url,
		'--username',
		'a',
		'--insecure-storage',
		'--password-stdin',
	];
	execFileSync(process.execPath, [binary, ...profile], {
		env: { ...process.env, ...env },
		input: 'b\n',
		stdio: ['pipe', 'ignore', 'ignore'],
	});
	execFileSync(process.execPath, [binary, 'profile', 'use', 'bench'], {
		env: { ...process.env, ...env },
		stdio: 'ignore',
	});
	const seconds = async (...args) => (await run([process.execPath, ...args], { env })).seconds * 1000;
	return inTurns(
		{
			'node, an empty module': () => seconds(empty),
			'supportctl --version': () => seconds(binary, '--version'),
			'supportctl --help': () => seconds(binary, '--help'),
			'supportctl ticket update 14 --status hold': () => seconds(binary, 'ticket', 'update', '14', '--status', 'hold'),
		},
		size.startRounds,
	);
}

/** Requests a second, of ours and of the peers that are there. */
async function measureRate(url, tools) {
	const file = await sheet(size.rows);
	const body = '{"status":"hold","assignee":2}';
	const contenders = {
		supportctl: async () => size.rows / (await bulk(file, url)).seconds,
		'undici and csv-parse, a bare loop': async () =>
			size.rows /
			(await run([process.execPath, join(root, 'test/bench/undici-loop.mjs'), file, url, String(CONNECTIONS)])).seconds,
		autocannon: async () => {
			const flags = [
				'-c',
				String(CONNECTIONS),
				'-d',
				String(size.seconds),
				'-m',
				'POST',
				'-H',
				'content-type: application/json',
				'-b',
				body,
				'-j',
			];
			const { output } = await run([
				process.execPath,
				join(root, 'node_modules/autocannon/autocannon.js'),
				...flags,
				`${url}/x`,
			]);
			return JSON.parse(output).requests.average;
		},
	};
	if (tools.curl) {
		const config = join(folder, 'curl.config');
		const request = (row) =>
			`url = "${url}/support-api/v1/tickets/${row}"\nrequest = "POST"\ndata = "status=hold"\noutput = "/dev/null"\n`;
		writeFileSync(config, Array.from({ length: size.curl }, (_, row) => request(row + 1)).join('next\n'));
		contenders['curl --parallel'] = async () =>
			size.curl /
			(await run(['curl', '--silent', '--parallel', '--parallel-max', String(CONNECTIONS), '--config', config]))
				.seconds;
		const command = `seq ${size.xargs} | xargs -P${CONNECTIONS} -I% curl -s -o /dev/null -X POST -d status=hold ${url}/support-api/v1/tickets/%`;
		contenders['xargs -P16 curl'] = async () => size.xargs / (await run(['sh', '-c', command])).seconds;
	}
	if (tools.wrk) {
		contenders.wrk = async () => {
			const { output } = await run(['wrk', '-t1', `-c${CONNECTIONS}`, `-d${size.seconds}`, `${url}/x`]);
			return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
		};
	}
	return inTurns(contenders, size.rounds);
}

async function measureScale(url) {
	const points = [];
	for (const rows of size.scale) {
		const file = await sheet(rows);
		const medians = await inTurns(
			{
				seconds: async () => (await bulk(file, url)).seconds,
				megabytes: async () => (await bulk(file, url, { watchMemory: true })).megabytes,
			},
			rows > 500_000 ? 1 : size.rounds,
		);
		points.push({ rows, microseconds: (medians.seconds * 1e6) / rows, megabytes: medians.megabytes });
	}
	return points;
}

async function measureSlow() {
	const server = await startSlow(25);
	try {
		const file = await sheet(size.slow);
		return (await inTurns({ rate: async () => size.slow / (await bulk(file, server.url)).seconds }, size.rounds)).rate;
	} finally {
		server.stop();
	}
}

function table(title, rows) {
	const width = Math.max(...rows.map(([name]) => name.length));
	console.log(`\n${title}`);
	for (const [name, ...cells] of rows)
		console.log(`  ${name.padEnd(width)}  ${cells.map((each) => each.padStart(14)).join('')}`);
}

const tools = { nginx: has('nginx'), curl: has('curl'), wrk: has('wrk') };
for (const [name, there] of Object.entries(tools)) {
	if (!there) console.log(`${name} is missing: what it measures is left out (Debian: apt-get install ${name})`);
}
execFileSync(process.execPath, [join(root, 'src/tools/build.mjs')], {
	cwd: root,
	stdio: ['ignore', 'ignore', 'inherit'],
});
const server = tools.nginx ? await startNginx(folder) : await startSlow(0);
if (!tools.nginx) console.log('a Node server stands in for nginx, which is slower: rates are not comparable');
try {
	console.log(
		`Node ${process.version}, ${cpus().length} cores, ${quick ? 'quick' : 'full'}; medians, everything in turns in this run`,
	);
	const start = await measureStart(server.url);
	const base = start['node, an empty module'];
	table(
		'Start-up',
		Object.entries(start).map(([name, ms]) => [name, `${ms.toFixed(1)} ms`, `${(ms / base).toFixed(2)} ×`]),
	);
	const rate = await measureRate(server.url, tools);
	table(
		`Updates a second, ${CONNECTIONS} connections, journal on`,
		Object.entries(rate).map(([name, each]) => [
			name,
			`${Math.round(each)}/s`,
			`${(rate.supportctl / each).toFixed(2)} ×`,
		]),
	);
	const scale = await measureScale(server.url);
	console.log(`\n${textPlot(scale)}`);
	const slow = await measureSlow();
	const ideal = (CONNECTIONS * 1000) / 25;
	table('A service that takes 25 ms', [
		['supportctl', `${Math.round(slow)}/s`, `${(slow / ideal).toFixed(2)} of ideal`],
	]);
	mkdirSync(results, { recursive: true });
	writeFileSync(
		join(results, 'bench.json'),
		`${JSON.stringify({ node: process.version, quick, start, rate, scale, slow, ideal }, null, '\t')}\n`,
	);
	writeFileSync(join(results, 'bench.svg'), svgPlot(scale));
	console.log(`\nwritten: ${join('coverage/bench', 'bench.json')} and bench.svg`);
} finally {
	server.stop();
	rmSync(folder, { recursive: true, force: true });
}
