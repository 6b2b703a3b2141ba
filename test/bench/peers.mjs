/** Other ways to send the same requests, each as rows a second over 16 connections. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInstalled, packageProgram, run } from './processes.mjs';

const BODY = '{"status":"hold","assignee":7}';
const PATH = '/support-api/v1/tickets';
const CONNECTIONS = 16;

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {() => Promise<number>} rate Requests a second.
 */

/** curl's configuration for so many requests. */
function curlConfig(url, rows) {
	const quoted = JSON.stringify(BODY);
	const one = (id) =>
		[
			`url = "${url}${PATH}/${id}"`,
			'request = "POST"',
			'header = "content-type: application/json"',
			`data = ${quoted}`,
			'output = "/dev/null"',
		].join('\n');
	return Array.from({ length: rows }, (_, index) => one(index + 1)).join('\nnext\n');
}

/** The command of the least that a program in Node could do. @param {string} csv @param {string} url */
export const bareLoop = (csv, url) => [
	process.execPath,
	fileURLToPath(new URL('undici-loop.mjs', import.meta.url)),
	csv,
	url,
];

const rateOf = async (rows, command, options) => (rows * 1000) / (await run(command, options)).ms;

/**
 * The peers that are installed, and the names of those that are not.
 * @param {{ url: string, folder: string, csv: string, rows: number, quick: boolean }} options
 * @returns {Promise<{ peers: Peer[], missing: string[] }>}
 */
export async function findPeers({ url, folder, csv, rows, quick }) {
	const seconds = quick ? 2 : 5;
	const curlRows = quick ? 10_000 : 30_000;
	const xargsRows = quick ? 400 : 1_000;
	const missing = [];
	const peers = [
		{
			name: 'undici and csv-parse, bare',
			rate: () => rateOf(rows, bareLoop(csv, url)),
		},
		{
			name: 'autocannon',
			async rate() {
				const { stdout } = await run([
					process.execPath,
					packageProgram('autocannon', 'autocannon.js'),
					...['--connections', String(CONNECTIONS), '--duration', String(seconds), '--json', '--no-progress'],
					...['--method', 'POST', '--headers', 'content-type=application/json', '--body', BODY, `${url}${PATH}/14`],
				]);
				const { requests, duration } = JSON.parse(stdout);
				return requests.total / duration;
			},
		},
	];
	if (await isInstalled('wrk')) {
		const script = join(folder, 'post.lua');
		writeFileSync(
			script,
			`wrk.method = "POST"\nwrk.body = '${BODY}'\nwrk.headers["content-type"] = "application/json"\n`,
		);
		peers.push({
			name: 'wrk',
			async rate() {
				const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script];
				const { stdout } = await run(['wrk', ...options, `${url}${PATH}/14`]);
				return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
			},
		});
	} else missing.push('wrk');
	if (await isInstalled('curl')) {
		const config = join(folder, 'curl.cfg');
		writeFileSync(config, curlConfig(url, curlRows));
		peers.push({
			name: 'curl --parallel',
			rate: () =>
				rateOf(curlRows, ['curl', '--silent', '--parallel', '--parallel-max', String(CONNECTIONS), '--config', config]),
		});
		const ids = Array.from({ length: xargsRows }, (_, index) => `${index + 1}\n`).join('');
		const curl = ['curl', '--silent', '--output', '/dev/null', '--header', 'content-type: application/json'];
		peers.push({
			name: 'xargs -P16 curl',
			rate: () =>
				rateOf(xargsRows, ['xargs', `-P${CONNECTIONS}`, '-I{}', ...curl, '--data', BODY, `${url}${PATH}/{}`], {
					input: ids,
				}),
		});
	} else missing.push('curl');
	return { peers, missing };
}
