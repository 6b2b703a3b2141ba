/** The services that are measured against: nginx, which answers at once, and one in Node that takes its time. */

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ url: string, name: string, stop(): Promise<void> }} Server */

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

async function untilAnswering(url) {
	for (let tries = 0; tries < 200; tries++) {
		try {
			await fetch(url);
			return;
		} catch {
			await new Promise((resolve) => setTimeout(resolve, 25));
		}
	}
	throw new Error(`${url} does not answer`);
}

const nginxConfig = (folder, port) => `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
	access_log off;
	keepalive_requests 1000000000;
	default_type application/json;
	client_body_temp_path ${folder}/body;
	proxy_temp_path ${folder}/proxy;
	fastcgi_temp_path ${folder}/fastcgi;
	uwsgi_temp_path ${folder}/uwsgi;
	scgi_temp_path ${folder}/scgi;
	server {
		listen 127.0.0.1:${port};
		location / { return 200 '{"id":14,"status":"hold"}'; }
	}
}
`;

/** Answers at once, from memory. @param {string} folder @returns {Promise<Server>} */
export async function startNginx(folder) {
	const port = await freePort();
	const root = join(folder, 'nginx');
	mkdirSync(root);
	writeFileSync(join(root, 'nginx.conf'), nginxConfig(root, port));
	const child = spawn('nginx', ['-c', join(root, 'nginx.conf'), '-e', join(root, 'error.log')], { stdio: 'ignore' });
	const stop = stopping(child);
	const url = `http://127.0.0.1:${port}`;
	await untilAnswering(url);
	return { url, name: 'nginx', stop };
}

/** Answers after `delay` milliseconds. @param {number} delay @returns {Promise<Server>} */
export async function startDelayServer(delay) {
	const child = spawn(process.execPath, [fileURLToPath(new URL('delay-server.mjs', import.meta.url)), String(delay)], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const stop = stopping(child);
	const [line] = await new Promise((resolve) => child.stdout.once('data', (...data) => resolve(data)));
	return { url: `http://127.0.0.1:${Number(String(line))}`, name: `a Node server, ${delay} ms`, stop };
}
