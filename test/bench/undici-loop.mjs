/** The peer that does the least: csv-parse, undici's pool and a loop, with no checks, no journal and no retries. */

import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { Pool } from 'undici';

const [file, url, connections] = process.argv.slice(2);
const pool = new Pool(url, { connections: Number(connections) });
const rows = createReadStream(file)
	.pipe(parse({ from_line: 2 }))
	[Symbol.asyncIterator]();

async function work() {
	for (let next = await rows.next(); !next.done; next = await rows.next()) {
		const [id, status, assignee] = next.value;
		const { body } = await pool.request({
			method: 'POST',
			path: `/support-api/v1/tickets/${id}`,
			headers: { 'content-type': 'application/json', authorization: 'Basic YTpi' },
			body: JSON.stringify({ status, assignee: Number(assignee) }),
		});
		JSON.parse(await body.text());
	}
}

await Promise.all(Array.from({ length: Number(connections) }, work));
await pool.close();
