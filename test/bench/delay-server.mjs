/** A service that takes a while: answers every request after so many milliseconds, and prints its port when it listens. */

import { createServer } from 'node:http';

const delay = Number(process.argv[2]);

function answer(response) {
	response.writeHead(200, { 'content-type': 'application/json' });
	response.end('{"id":14,"status":"hold"}');
}

/** Timers are late by up to a millisecond, which here would be most of what is measured: the last one is waited for awake. */
function answerAt(due, response) {
	if (performance.now() >= due) answer(response);
	else setImmediate(answerAt, due, response);
}

const server = createServer((request, response) => {
	request.resume();
	if (delay === 0) answer(response);
	else setTimeout(answerAt, delay - 1, performance.now() + delay, response);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
