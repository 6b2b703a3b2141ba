/** The services that are measured against: nginx that answers at once where it is installed, and one that takes its time. */

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ANSWER = '{"id":14,"status":"hold"}';

function freePort() {
	return new Promise((resolve) => {
		const server = createServer().listen(0, '127.0.0.1', () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});
}

async function untilOpen(port) {
	for (let tries = 0; tries < 100; tries++) {
		const open = await new Promise((resolve) => {
			const socket = connect(port, '127.0.0.1', () => {
				socket.destroy();
				resolve(true);
			}).on('error', () => resolve(false));
		});
		if (open) return;
		await sleep(50);
	}
	throw new Error(`nothing listens on port ${port}`);
}

/** nginx with `return 200`, one worker, connections kept. */
export async function startNginx(folder) {
	const port = await freePort();
	const home = join(folder, 'nginx');
	mkdirSync(home, { recursive: true });
	const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
		(each) => `${each}_temp_path ${home}/${each};`,
	);
	writeFileSync(
		join(home, 'nginx.conf'),
		`worker_processes 1; daemon off; pid ${home}/pid; error_log ${home}/error.log;
events { worker_connections 1024; }
http { access_log off; keepalive_requests 100000000; keepalive_timeout 600s; ${paths.join(' ')}
server { listen 127.0.0.1:${port}; location / { default_type application/json; return 200 '${ANSWER}'; } } }`,
	);
	const child = spawn('nginx', ['-c', join(home, 'nginx.conf')], { stdio: 'ignore' });
	await untilOpen(port);
	return { url: `http://127.0.0.1:${port}`, stop: () => child.kill('SIGTERM') };
}

/** A server in a process of its own that answers after some milliseconds. */
export async function startSlow(delayMs) {
	const port = await freePort();
	const program = `require('node:http').createServer((request, response) => {
		request.resume();
		setTimeout(() => response.setHeader('content-type', 'application/json').end('${ANSWER}'), ${delayMs});
	}).listen(${port}, '127.0.0.1')`;
	const child = spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
	await untilOpen(port);
	return { url: `http://127.0.0.1:${port}`, stop: () => child.kill('SIGTERM') };
}
