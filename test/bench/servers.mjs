/** The services that are measured against: nginx where it is installed, and one in Node. */

import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInstalled } from './processes.mjs';

/** @typedef {{ url: string, log: string, stop(): Promise<void> }} Server `log` has a line of seconds and status for each request to a limited service. */

const isNginxThere = await isInstalled('nginx');

/** What the figures name as the server. */
export const serverName = isNginxThere
	? 'nginx'
	: 'a server in Node (nginx is not installed), which is the slower side';

/** @returns {Promise<number>} */
function freePort() {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.on('error', reject);
		server.listen(0, '127.0.0.1', () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});
}

function stopping(child) {
	const ended = new Promise((resolve) => child.once('exit', resolve));
	return async () => {
		child.kill('SIGTERM');
		await ended;
	};
}

// `return` comes before limit_req in nginx, and a named location after it.
const nginxConfig = (folder, port, { rate, burst = 0, failing }) => `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log /dev/null crit;
events { worker_connections 1024; }
http {
	log_format requests '$msec $status';
	access_log ${rate === undefined ? 'off' : `${folder}/requests.log requests`};
	${rate === undefined ? '' : `limit_req_zone $server_addr zone=limit:1m rate=${rate}r/s;`}
	keepalive_requests 1000000000;
	default_type application/json;
	map $uri $own { "~/(?<last>[0-9]+)$" $last; default 14; }
	map $request_method $shown {
		DELETE '{"deleted":true,"previous":{"id":$own}}';
		GET '{"id":$own,"status":"read"}';
		default '{"id":$own,"status":"hold"}';
	}
	client_body_temp_path ${folder}/body;
	proxy_temp_path ${folder}/proxy;
	fastcgi_temp_path ${folder}/fastcgi;
	uwsgi_temp_path ${folder}/uwsgi;
	scgi_temp_path ${folder}/scgi;
	server {
		listen 127.0.0.1:${port};
		${failing ? `location ~ 99$ { return 404 '{"code":"rest_post_invalid_id","message":"Invalid ID."}'; }` : ''}
		location / { ${rate === undefined ? '' : `limit_req zone=limit${burst === 0 ? '' : ` burst=${burst}`}; try_files /none @served;`}
			${rate === undefined ? 'return 200 $shown;' : ''} }
		location @served { return 200 $shown; }
	}
}
`;

/** @returns {Promise<Server>} */
async function startNginx(folder, options) {
	const port = await freePort();
	const config = join(folder, 'nginx.conf');
	writeFileSync(config, nginxConfig(folder, port, options));
	const child = spawn('nginx', ['-c', config, '-e', join(folder, 'error.log')], { stdio: 'ignore' });
	const stop = stopping(child);
	const url = `http://127.0.0.1:${port}`;
	for (let tries = 0; tries < 200; tries++) {
		try {
			await fetch(url);
			return { url, log: join(folder, 'requests.log'), stop };
		} catch {
			await new Promise((resolve) => setTimeout(resolve, 25));
		}
	}
	await stop();
	throw new Error(`${url} does not respond`);
}

/** @returns {Promise<Server>} */
async function startService(folder, options) {
	const log = join(folder, 'requests.log');
	const settings = options.rate === undefined ? options : { ...options, log };
	const program = fileURLToPath(new URL('service.mjs', import.meta.url));
	const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'inherit'] });
	const stop = stopping(child);
	const port = await new Promise((resolve) => child.stdout.once('data', resolve));
	return { url: `http://127.0.0.1:${Number(String(port))}`, log, stop };
}

/**
 * nginx can't delay, and has no tickets: such services are in Node.
 * @param {string} parent
 * @param {{ delay?: number, workers?: number, rate?: number, burst?: number, tickets?: number, failing?: boolean, fault?: object }} options
 */
export function startServer(parent, options) {
	const folder = mkdtempSync(join(parent, 'server-'));
	const inNode = !isNginxThere || options.delay !== undefined;
	return inNode ? startService(folder, options) : startNginx(folder, options);
}
