/** Writes journals as finished runs leave them. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

function sealed(record) {
	const content = JSON.stringify(record).slice(0, -1);
	return `${content},"crc":"${crc32(content).toString(16).padStart(8, '0')}"}\n`;
}

function planOn(baseUrl) {
	return {
		endpoint: 'ticket.update',
		source: { from: 'file', path: '/data/edits.csv', name: 'edits.csv', format: 'csv' },
		columns: { map: {}, ignore: [], ignoreOther: false, blank: 'skip' },
		values: { ids: {}, fields: {}, withheld: [], force: false, add: {}, remove: {} },
		checks: {
			onlyChanged: false,
			verify: false,
			snapshot: true,
			ifUnmodified: false,
			conditions: [],
			allowDiffers: false,
			ignoreMissing: false,
		},
		stop: { onError: false },
		skipInvalid: false,
		undocumented: false,
		service: { baseUrl, prefixes: { product: 'support', shop: 'shop', membership: 'shopm' }, protected: false },
	};
}

/** @param {{ stateDir: string, baseUrl: string, journals: number, rows: number }} options Each run writes tickets 1 to `rows`. */
export function writeJournals({ stateDir, baseUrl, journals, rows }) {
	const folder = join(stateDir, 'runs');
	mkdirSync(folder, { recursive: true });
	const sent = { status: 'read', title: 'A new title of the ticket', assignee: 4 };
	const values = { status: 'hold', title: 'The title that the ticket had before', assignee: 3 };
	for (let number = 0; number < journals; number++) {
		const started = new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString();
		const time = started.replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
		const id = `${time}-${number.toString(36).padStart(5, '0')}`;
		const input = { sha256: 'ab', rows, own: rows, copied: false };
		const plan = planOn(baseUrl);
		const header = {
			type: 'plan',
			version: 3,
			id,
			started,
			tool: '0',
			concurrency: 4,
			who: { user: 'ada', host: 'desk' },
		};
		let text = sealed({ ...header, plan, input });
		for (let row = 1; row <= rows; row++) {
			text += sealed({ type: 'before', row, ids: { id: String(row) }, values, sent });
			const facts = { outcome: 'ok', status: 200, attempts: 1, ms: 12 };
			text += sealed({ type: 'row', row, line: row + 1, id: String(row), ...facts });
		}
		text += sealed({ type: 'end', at: started, counts: { ok: rows }, exit: 0 });
		writeFileSync(join(folder, `${id}.ndjson`), text, { mode: 0o600 });
	}
}
