/**
 * A service in Node, with options as JSON: a response takes `delay` ms, `workers` requests are worked on at a time, more than `rate` a second
 * with `burst` are refused and logged as nginx does, and a list has so many `tickets`. A `fault` has a `share` of the requests, and the `status`
 * (0 drops the connection) and Retry-After that they get. Prints its port when it listens.
 */

import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const {
	delay = 0,
	workers = Infinity,
	rate,
	burst = 0,
	log,
	tickets = 0,
	failing,
	fault,
} = JSON.parse(process.argv[2]);
const PAGE = 100;
const content = 'The order has not arrived, and the tracking page has shown the same place for a week. '.repeat(3);
let [inFlight, most, excess, last, faults] = [0, 0, 0, Number.NEGATIVE_INFINITY, 0];
const waiting = [];

/** Whether `limit_req` refuses a request, and how long it holds it back, in ms. */
function limit(now) {
	const next = Math.max(0, excess - (rate * (now - last)) / 1000 + 1);
	const isFirst = last === Number.NEGATIVE_INFINITY;
	if (!isFirst && next > burst) return { status: 503, ms: 0 };
	[excess, last] = [isFirst ? 0 : next, now];
	return { status: 200, ms: (excess / rate) * 1000 };
}

const ticket = (id) => ({
	id,
	date: '2026-11-22T09:00:00',
	slug: `order-${id}`,
	status: 'hold',
	title: `Order ${id}`,
	content,
	assignee: 7,
});

function respond(request, response, status) {
	if (log !== undefined) appendFileSync(log, `${Date.now() / 1000} ${status}\n`);
	const page = /\btickets\?.*\bpage=(\d+)(?!.*\bpage=)/.exec(request.url)?.[1] ?? 1;
	const headers = { 'content-type': 'application/json' };
	if (tickets > 0 && request.method === 'GET') {
		const first = (page - 1) * PAGE + 1;
		const count = Math.max(0, Math.min(PAGE, tickets - first + 1));
		response.writeHead(200, { ...headers, 'x-wp-total': tickets, 'x-wp-totalpages': Math.ceil(tickets / PAGE) });
		response.end(JSON.stringify(Array.from({ length: count }, (_, index) => ticket(first + index))));
	} else {
		const own = /\/(\d+)(?:\?|$)/.exec(request.url)?.[1] ?? 14;
		const isMissing = failing && request.url.endsWith('99');
		const shown =
			request.method === 'DELETE'
				? `"deleted":true,"previous":{"id":${own}}`
				: `"id":${own},"status":"${request.method === 'GET' ? 'read' : 'hold'}"`;
		response.writeHead(isMissing ? 404 : status, headers);
		response.end(isMissing ? '{"code":"rest_post_invalid_id","message":"Invalid ID."}' : `{${shown}}`);
	}
}

/** The same ones in each run. */
let drawn = 1;
function isFaulty() {
	drawn = (drawn * 48_271) % 2_147_483_647;
	return fault !== undefined && drawn / 2_147_483_647 < fault.share;
}

function fail(request, response) {
	const { status, retryAfter } = fault;
	if (status === 0) request.socket.destroy();
	else response.writeHead(status, retryAfter && { 'retry-after': retryAfter }).end('<html><title>No</title></html>');
}

/** Timers are late by up to a millisecond: the last one passes in a loop. */
function until(due, finish) {
	if (performance.now() >= due) finish();
	else setImmediate(until, due, finish);
}

function start(work) {
	inFlight++;
	const due = performance.now() + work.ms;
	const finish = () => {
		if (isFaulty()) {
			faults++;
			fail(work.request, work.response);
		} else respond(work.request, work.response, work.status);
		inFlight--;
		if (waiting.length > 0) start(waiting.shift());
	};
	if (work.ms === 0) finish();
	else setTimeout(until, work.ms - 1, due, finish);
}

const server = createServer((request, response) => {
	request.resume();
	if (request.url === '/most-in-flight') {
		response.end(String(most));
		most = 0;
		return;
	}
	if (request.url === '/faults') {
		response.end(String(faults));
		faults = 0;
		return;
	}
	const { status, ms } = rate === undefined ? { status: 200, ms: delay } : limit(performance.now());
	const work = { request, response, status, ms };
	if (inFlight < workers) start(work);
	else waiting.push(work);
	most = Math.max(most, inFlight + waiting.length);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
