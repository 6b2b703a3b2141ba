/** The least that a program in Node could do: sixteen requests at a time through undici's dispatch, each response parsed. */

import { Pool } from 'undici';

const [url, rows] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const pool = new Pool(origin, { connections: 16, pipelining: 1 });
const headers = { 'content-type': 'application/json' };
let next = 1;
let done = 0;

function send() {
	if (next > Number(rows)) return;
	const id = next++;
	const body = JSON.stringify({ status: 'hold', assignee: (id % 50) + 1 });
	const path = `${pathname.replace(/\/$/, '')}/support-api/v1/tickets/${id}`;
	let text = '';
	pool.dispatch(
		{ method: 'POST', path, headers, body },
		{
			onRequestStart() {},
			onResponseStart() {},
			onResponseData(_controller, chunk) {
				text += chunk;
			},
			onResponseEnd() {
				JSON.parse(text);
				if (++done === Number(rows)) void pool.close();
				else send();
			},
			onResponseError(_controller, error) {
				throw error;
			},
		},
	);
}

for (let count = 0; count < 16; count++) send();
