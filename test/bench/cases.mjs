/** What is measured: each case has a service, one round of measurements beside the peers, and the figures that follow from it. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { plugins, root, shared } from '../../src/tools/bundle.mjs';
import { writeJournals } from './journals.mjs';
import { isInstalled, packageProgram, run } from './processes.mjs';

/**
 * @typedef {object} Figure What is made of a value that a round returned under the name `of`; a target is the most or the least that it may be.
 * @property {string} what
 * @property {string} of
 * @property {string} [unit] None for a ratio.
 * @property {number} [most]
 * @property {number} [least]
 *
 * @typedef {object} Bench What a round is given.
 * @property {import('./servers.mjs').Server} server
 * @property {string} folder For files that are needed once.
 *
 * @typedef {object} Case
 * @property {string} name
 * @property {number} rounds
 * @property {Parameters<typeof import('./servers.mjs').startServer>[1]} server
 * @property {(bench: Bench) => Promise<Record<string, number | undefined>>} measure A value is undefined where a peer is not installed.
 * @property {Figure[]} figures
 */

export const bin = join(root, 'bin', 'supportctl.js');
const bareLoop = fileURLToPath(new URL('bare-loop.mjs', import.meta.url));
const DELAY_MS = 25;
const BODY = '{"status":"hold","assignee":7}';
const TICKETS = '/support-api/v1/tickets';
const count = (rows) => rows.toLocaleString('en');

/** Runs supportctl against the case's service with folders of its own. */
export function own({ server, folder }, words, { env = {}, ...options } = {}) {
	const settings = {
		SUPPORTCTL_CONFIG_DIR: join(folder, 'config'),
		SUPPORTCTL_STATE_DIR: join(folder, 'state'),
		SUPPORTCTL_BASE_URL: server.url,
		SUPPORTCTL_USERNAME: 'bench',
		SUPPORTCTL_PASSWORD: 'Xk3f 9aQz Lm2P vR7t',
	};
	return run([process.execPath, bin, ...words], { env: { ...settings, ...env }, output: '/dev/null', ...options });
}

/** A run over so many rows, with a journal. `kind` says what a row is. */
async function bulk(bench, rows, words = [], { kind = 'update', keep = false, ...options } = {}) {
	const input = join(bench.folder, `${kind}.csv`);
	const journal = join(bench.folder, `${kind}.jsonl`);
	const header = kind === 'update' ? 'id,status,assignee\n' : 'id,reassign\n';
	const line = kind === 'update' ? (id) => `${id},hold,${(id % 50) + 1}\n` : (id) => `${1e7 + id},${2e7 + id}\n`;
	writeFileSync(input, header + Array.from({ length: rows }, (_, index) => line(index + 1)).join(''));
	rmSync(journal, { force: true });
	const command = kind === 'update' ? ['ticket', 'update', '--no-snapshot'] : ['user', 'delete', '--yes'];
	const flags = ['--input', input, '--journal', journal, '--quiet'];
	const result = await own(bench, [...command, ...flags, ...words], options);
	if (!keep) rmSync(journal, { force: true });
	return { ...result, rate: (rows * 1000) / result.ms };
}

/** The requests that a limited service saw. @returns {{ at: number, status: number }[]} `at` in seconds. */
export function requestsOf({ log }) {
	const lines = readFileSync(log, 'utf8').trim().split('\n');
	return lines.map((line) => line.split(' ').map(Number)).map(([at, status]) => ({ at, status }));
}

const behindLimit = (rounds, rate, burst, rows, time) => ({
	name: `${rate} requests a second allowed, ${burst === 0 ? 'no burst' : `burst of ${burst}`}, ${count(rows)} rows`,
	rounds,
	server: { rate, burst },
	async measure(bench) {
		// Requests of an earlier round count no longer.
		await new Promise((resolve) => setTimeout(resolve, ((burst + 1) * 1000) / rate));
		writeFileSync(bench.server.log, '');
		const { ms } = await bulk(bench, rows);
		const refused = requestsOf(bench.server).filter(({ status }) => status !== 200).length;
		return { time: ms / ((rows * 1000) / rate), refused: (100 * refused) / rows };
	},
	figures: [
		{ what: 'time, of the ideal', of: 'time', most: time },
		{ what: 'refused, of the rows', of: 'refused', unit: '%', most: 3 },
	],
});

const FAULTY_MS = 30;
const percent = (share) => `${share * 100} %`;

const faulty = (rounds, what, fault, most) => ({
	name: `${percent(fault.share)} ${what}, ${FAULTY_MS} ms each, -j 4`,
	rounds,
	server: { delay: FAULTY_MS, fault },
	async measure(bench) {
		const rows = 500;
		await fetch(`${bench.server.url}/faults`);
		const { ms } = await bulk(bench, rows, ['-j', '4']);
		const faults = Number(await (await fetch(`${bench.server.url}/faults`)).text());
		const pauses = faults * 1000 * Number(fault.retryAfter ?? 0);
		return { time: ms / ((rows * FAULTY_MS) / 4 + pauses) };
	},
	figures: [{ what: 'time, of the time without, and of what was asked for', of: 'time', most }],
});

const latency = (rounds, rows) => ({
	name: `a service that takes ${DELAY_MS} ms, -j 16`,
	rounds,
	server: { delay: DELAY_MS },
	async measure(bench) {
		const ideal = 16_000 / DELAY_MS;
		const { rate } = await bulk(bench, rows, ['-j', '16']);
		const bare = await run([process.execPath, bareLoop, bench.server.url, String(rows)]);
		return { share: rate / ideal, bare: (rows * 1000) / bare.ms / ideal };
	},
	figures: [
		{ what: 'rate, of the ideal', of: 'share', least: 0.96 },
		{ what: 'rate of the bare loop, of the ideal', of: 'bare' },
	],
});

/** Fixed numbers of requests at a time that come into question, as multiples of the workers. */
const FIXED = [1, 1.25, 2];
/** The best of them is the smallest that is so near to the highest rate. */
const AS_GOOD = 0.97;

const auto = (rounds, workers, seconds) => ({
	name: `-j auto, ${workers} at a time, ${DELAY_MS} ms each`,
	rounds,
	server: { delay: DELAY_MS, workers },
	async measure(bench) {
		const rows = (workers * seconds * 1000) / DELAY_MS;
		const measured = [];
		for (const j of [...new Set(FIXED.map((factor) => Math.floor(factor * workers))), 'auto']) {
			await fetch(`${bench.server.url}/most-in-flight`);
			const { rate } = await bulk(bench, rows, ['-j', String(j)]);
			const most = Number(await (await fetch(`${bench.server.url}/most-in-flight`)).text());
			measured.push({ j, rate, most });
		}
		const found = measured.pop();
		const highest = Math.max(...measured.map(({ rate }) => rate));
		const best = measured.find(({ rate }) => rate >= AS_GOOD * highest);
		return { share: found.rate / highest, most: found.most / best.j };
	},
	figures: [
		{ what: 'rate, of the best fixed -j', of: 'share', least: 0.9 },
		{ what: 'most in flight, of the best fixed -j', of: 'most', most: 2 },
	],
});

/** Programs that send as fast as they can: requests a second over 16 connections. */
const peers = {
	async curl({ server, folder }) {
		const requests = 30_000;
		const config = join(folder, 'curl.cfg');
		const header = 'header = "content-type: application/json"';
		const one = (id) =>
			`url = "${server.url}${TICKETS}/${id}"\n${header}\ndata = ${JSON.stringify(BODY)}\noutput = "/dev/null"`;
		writeFileSync(config, Array.from({ length: requests }, (_, index) => one(index + 1)).join('\nnext\n'));
		const { ms } = await run(['curl', '--silent', '--parallel', '--parallel-max', '16', '--config', config]);
		return (requests * 1000) / ms;
	},
	async autocannon({ server }) {
		const program = packageProgram('autocannon', 'autocannon.js');
		const flags = ['--connections', '16', '--duration', '3', '--json', '--no-progress', '--method', 'POST'];
		const sent = ['--headers', 'content-type=application/json', '--body', BODY, `${server.url}${TICKETS}/14`];
		const { requests, duration } = JSON.parse((await run([process.execPath, program, ...flags, ...sent])).stdout);
		return requests.total / duration;
	},
	async ab({ server, folder }) {
		const body = join(folder, 'body.json');
		writeFileSync(body, BODY);
		const flags = ['-k', '-q', '-c', '16', '-n', '30000', '-T', 'application/json', '-p', body];
		const { stdout } = await run(['ab', ...flags, `${server.url}${TICKETS}/14`]);
		return Number(/^Requests per second:\s+([\d.]+)/m.exec(stdout)?.[1]);
	},
};

const rate = (rounds, rows) => ({
	name: `a server that does nothing, ${count(rows)} rows, -j 16`,
	rounds,
	server: {},
	async measure(bench) {
		const ours = await bulk(bench, rows, ['-j', '16'], { watch: true });
		const bare = await run([process.execPath, bareLoop, bench.server.url, String(rows)], { watch: true });
		const figures = { rate: ours.rate, bare: bare.ms / ours.ms, cpu: ours.cpuMs / bare.cpuMs };
		for (const [name, measure] of Object.entries(peers)) {
			const isThere = name === 'autocannon' || (await isInstalled(name));
			if (isThere) figures[name] = ours.rate / (await measure(bench));
		}
		return figures;
	},
	figures: [
		{ what: 'rows a second', of: 'rate', unit: '/s' },
		{ what: "rate, of a bare loop over undici's dispatch", of: 'bare', least: 0.6 },
		{ what: "CPU time a row, of that loop's", of: 'cpu', most: 1.8 },
		{ what: 'rate, of `curl --parallel`', of: 'curl', least: 1.2 },
		{ what: 'rate, of autocannon', of: 'autocannon' },
		{ what: 'rate, of `ab -k`', of: 'ab' },
	],
});

/** Earlier versions of Node alone take longer to start than gh does. */
const isNode24 = Number.parseInt(process.versions.node, 10) >= 24;

const isNode20 = process.versions.node.startsWith('20.');

const startUp = (rounds) => ({
	name: 'start-up',
	rounds,
	server: {},
	async open({ server, folder }) {
		writeFileSync(join(folder, 'empty.cjs'), '');
		const input = fileURLToPath(new URL('bare-request.mjs', import.meta.url));
		const output = { dir: folder, format: 'cjs', minify: true, entryFileNames: 'chunks/[name].cjs' };
		await build({ ...shared, input, output, plugins, logLevel: 'silent' });
		const flags = ['--base-url', server.url, '--username', 'bench', '--password-stdin', '--insecure-storage'];
		const stored = { env: withoutVariables, input: 'Xk3f 9aQz Lm2P vR7t' };
		await own({ server, folder }, ['profile', 'set', 'bench', ...flags], stored);
		await own({ server, folder }, ['profile', 'use', 'bench'], { env: withoutVariables });
	},
	async measure(bench) {
		const time = async (...words) => (await own(bench, words, { env: withoutVariables })).ms;
		const bare = async (file, ...words) => (await run([process.execPath, join(bench.folder, file), ...words])).ms;
		const node = await bare('empty.cjs');
		const version = await time('--version');
		const gh = (await isInstalled('gh')) ? (await run(['gh', '--version'])).ms : undefined;
		const help = await time('--help');
		const completion = await time('__complete', 'bash', 'supportctl ticket up');
		const request = await bare('chunks/bare-request.cjs', bench.server.url);
		const single = await time('ticket', 'update', '14', '--status', 'hold');
		return {
			node,
			version: version / node,
			gh: gh && version / gh,
			help: help / node,
			completion: completion / node,
			single: single / node,
			sent: single / request,
		};
	},
	figures: [
		{ what: 'node with an empty file', of: 'node', unit: 'ms' },
		{ what: '`--version`, of node', of: 'version', most: 1.1 },
		{ what: '`--version`, of `gh --version`', of: 'gh', ...(isNode24 ? { most: 1 } : {}) },
		{ what: '`--help`, of node', of: 'help', most: 1.1 },
		{ what: 'completion, of node', of: 'completion', most: 1.3 },
		// It reads the old values, and keeps a journal.
		{ what: '`ticket update 14 --status hold`, of node', of: 'single', ...(isNode20 ? { most: 2.2 } : {}) },
		{ what: 'the same, of a bare request', of: 'sent' },
	],
});
/** The stored profile is what a user has; variables would take its place. */
const withoutVariables = Object.fromEntries(
	['BASE_URL', 'USERNAME', 'PASSWORD'].map((name) => [`SUPPORTCTL_${name}`, undefined]),
);

const exported = (rounds, tickets) => ({
	name: `export of ${count(tickets)} tickets, ${DELAY_MS} ms a page, -j 4`,
	rounds,
	server: { delay: DELAY_MS, tickets },
	async measure(bench) {
		const pages = tickets / 100;
		const words = ['ticket', 'list', '-j', '4', '--format', 'csv'];
		const ours = await own(bench, words, { watch: true });
		const loop = (_, index) => {
			const range = `[${(index * pages) / 4 + 1}-${((index + 1) * pages) / 4}]`;
			const url = `${bench.server.url}${TICKETS}?per_page=100&page=${range}`;
			return run(['curl', '--silent', url], { output: '/dev/null' });
		};
		let curl;
		if (await isInstalled('curl')) {
			const loops = await Promise.all(Array.from({ length: 4 }, loop));
			curl = Math.max(...loops.map(({ ms }) => ms));
		}
		return { curl: curl && curl / ours.ms, share: (pages * DELAY_MS) / 4 / ours.ms, memory: ours.peakMB };
	},
	figures: [
		{ what: 'rate, of four `curl` loops', of: 'curl', least: 0.9 },
		{ what: 'rate, of the ideal', of: 'share' },
		{ what: 'peak memory', of: 'memory', unit: 'MB' },
	],
});

/** What memory is compared with. */
const BASE_ROWS = 50_000;

const updates = (rounds, rows) => ({
	name: `${count(rows)} updates`,
	rounds,
	server: { failing: true },
	async measure(bench) {
		const options = { watch: true, codes: [3] };
		const base = await bulk(bench, BASE_ROWS, ['-j', '16'], options);
		const large = await bulk(bench, rows, ['-j', '16'], { ...options, keep: true });
		const journal = join(bench.folder, 'update.jsonl');
		const show = await own(bench, ['run', 'show', journal], { watch: true });
		const rejects = await own(bench, ['run', 'rejects', journal, '--format', 'csv'], { watch: true });
		const seconds = ({ ms }) => (ms / 1000) * (1e6 / rows);
		return {
			memory: large.peakMB,
			growth: large.peakMB / base.peakMB,
			show: seconds(show),
			rejects: seconds(rejects),
			reading: Math.max(show.peakMB, rejects.peakMB),
		};
	},
	figures: [
		{ what: 'peak memory', of: 'memory', unit: 'MB', most: 140 },
		{ what: `peak memory, of ${count(BASE_ROWS)} rows`, of: 'growth', most: 1.2 },
		{ what: '`run show`, for a million rows', of: 'show', unit: 's', most: 6 },
		{ what: '`run rejects`, for a million rows', of: 'rejects', unit: 's', most: 6 },
		{ what: 'peak memory of both', of: 'reading', unit: 'MB', most: 150 },
	],
});

const deletes = (rounds, rows) => ({
	name: `${count(rows)} deletes with a \`reassign\` of their own`,
	rounds,
	server: {},
	async measure(bench) {
		const options = { kind: 'delete', watch: true };
		const base = await bulk(bench, BASE_ROWS, ['-j', '16'], options);
		const large = await bulk(bench, rows, ['-j', '16'], options);
		return { memory: large.peakMB, growth: large.peakMB / base.peakMB };
	},
	figures: [
		{ what: 'peak memory', of: 'memory', unit: 'MB', most: 140 },
		{ what: `peak memory, of ${count(BASE_ROWS)} rows`, of: 'growth', most: 1.2 },
	],
});

const past = (rounds) => ({
	name: '1,000 journals of 100 rows',
	rounds,
	server: {},
	open({ server, folder }) {
		writeJournals({ stateDir: join(folder, 'state'), baseUrl: server.url, journals: 1000, rows: 100 });
		writeJournals({ stateDir: join(folder, 'small'), baseUrl: server.url, journals: 5000, rows: 1 });
	},
	async measure(bench) {
		const seconds = async (words, env) => (await own(bench, words, { env })).ms / 1000;
		return {
			every: await seconds(['ticket', 'history', '77']),
			none: await seconds(['ticket', 'history', '9999']),
			runs: await seconds(['run', 'list', '--id', '77']),
			small: await seconds(['run', 'list'], { SUPPORTCTL_STATE_DIR: join(bench.folder, 'small') }),
		};
	},
	figures: [
		{ what: '`ticket history` of a ticket in all of them', of: 'every', unit: 's', most: 2 },
		{ what: '`ticket history` of a ticket in none', of: 'none', unit: 's', most: 2 },
		{ what: '`run list --id`', of: 'runs', unit: 's', most: 2 },
		{ what: '`run list` of 5,000 journals of one row', of: 'small', unit: 's', most: 2 },
	],
});

/** @param {boolean} quick @returns {Case[]} The first one is the one that is plotted. */
export const casesFor = (quick) => {
	const size = (full, small) => (quick ? small : full);
	const rounds = size(3, 2);
	return [
		behindLimit(size(3, 1), 20, 0, size(500, 300), 1.15),
		behindLimit(size(3, 1), 20, 10, size(500, 300), 1.15),
		behindLimit(size(3, 1), 100, 20, size(1500, 500), 1.15),
		behindLimit(size(3, 1), 100, 0, size(1500, 500), 1.35),
		faulty(size(3, 1), 'pages of a gateway (502)', { share: 0.08, status: 502 }, 2),
		faulty(size(3, 1), 'dropped connections', { share: 0.05, status: 0 }, 2),
		faulty(size(3, 1), 'errors of the service (500)', { share: 0.08, status: 500 }, 2),
		faulty(size(3, 1), 'refused for 1 s (429)', { share: 0.02, status: 429, retryAfter: '1' }, 1.2),
		faulty(size(3, 1), 'refused for 2 s (503)', { share: 0.02, status: 503, retryAfter: '2' }, 1.2),
		latency(rounds, size(6400, 1600)),
		...[1, 4, 32].map((workers) => auto(size(3, 1), workers, size(6, 4))),
		rate(rounds, size(200_000, 30_000)),
		startUp(size(31, 11)),
		exported(rounds, 40_000),
		updates(size(2, 1), size(1_000_000, 200_000)),
		deletes(1, size(1_000_000, 100_000)),
		past(size(5, 3)),
	];
};
