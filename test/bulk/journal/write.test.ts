import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	appendFileSync,
	chmodSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	statSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openRecords, scanJournal } from '../../../src/bulk/journal/read.js';
import { headerLine } from '../../../src/bulk/journal/records.js';
import { type Journal, openJournal } from '../../../src/bulk/journal/write.js';
import { SupportctlError } from '../../../src/errors.js';
import { redact } from '../../../src/output/redact.js';
import { bundleForChild } from '../../support/bundle.js';
import { headerOf, journalIn, lineOf, outcomeOf, startJournal } from '../../support/journal.js';
import { temporaryFolder } from '../../support/temporary.js';

const recordsIn = (path: string): Record<string, unknown>[] =>
	readFileSync(path, 'utf8')
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => {
			const { crc, ...record } = JSON.parse(line) as Record<string, unknown>;
			expect(crc, line).toMatch(/^[0-9a-f]{8}$/);
			return record;
		});

async function failureOf(
	step: () => unknown,
): Promise<{ name: string; message: string; code?: string; hint?: string }> {
	try {
		await step();
	} catch (error) {
		expect(error).toBeInstanceOf(SupportctlError);
		return error as SupportctlError;
	}
	return expect.fail('it did not fail');
}

/** A journal with some of everything. */
async function writeExample(journal: Journal): Promise<void> {
	await journal.outcome(outcomeOf(1));
	journal.record({ type: 'attempt', row: 2, attempt: 1, status: 503, code: 'http_503' });
	await journal.outcome(
		outcomeOf(2, { outcome: 'differs', attempts: 2, differs: [{ field: 'status', sent: 'hold', shown: 'read' }] }),
	);
	await journal.outcome(
		outcomeOf(3, { outcome: 'unknown', status: undefined, code: 'timeout', message: 'no response' }),
	);
	journal.record({ type: 'attempt', row: 4, attempt: 1, code: 'reset', lost: true });
	journal.record({ type: 'attempt', row: 5, attempt: 1, code: 'reset', lost: true });
	await journal.outcome(outcomeOf(6, { outcome: 'failed', status: 401, code: 'x' }));
	await journal.outcome(outcomeOf(7, { outcome: 'failed', status: 403, code: 'x' }));
	await journal.outcome(outcomeOf(8, { outcome: 'not-sent', status: undefined }));
	await journal.outcome(outcomeOf(9, { outcome: 'skipped', status: undefined }));
	await journal.outcome(outcomeOf(10, { outcome: 'invalid', status: undefined }));
}

describe('a journal', () => {
	it('is private, begins with the run, and holds a line for each record', async () => {
		const stateDir = join(temporaryFolder(), 'state');
		const journal = startJournal(stateDir, 12);
		expect(statSync(journal.path).mode & 0o777).toBe(0o600);
		expect(statSync(join(stateDir, 'runs')).mode & 0o777).toBe(0o700);
		await journal.outcome(outcomeOf(1));
		await journal.outcome(
			outcomeOf(2, {
				ids: { ticket_id: '4', id: '2' },
				outcome: 'failed',
				status: 400,
				code: 'rest_invalid_param',
				message: 'say "no"\n',
				reasons: { status: 'is not one of …' },
				attempts: 3,
			}),
		);
		const counts = (await scanJournal(journal.path)).counts;
		await journal.close({ at: 'later', counts, exit: 3 });
		expect(recordsIn(journal.path)).toEqual([
			{ type: 'plan', version: 3, ...headerOf(12) },
			{ type: 'row', row: 1, line: 2, id: '1', outcome: 'ok', status: 200, attempts: 1, ms: 12 },
			{
				type: 'row',
				row: 2,
				line: 3,
				ticket_id: '4',
				id: '2',
				outcome: 'failed',
				status: 400,
				code: 'rest_invalid_param',
				message: 'say "no"\n',
				reasons: { status: 'is not one of …' },
				attempts: 3,
				ms: 12,
			},
			{ type: 'end', at: 'later', counts, exit: 3 },
		]);
		expect(readdirSync(join(stateDir, 'runs')).sort()).toEqual([`${headerOf(0).id}.ndjson`]);
	});

	it('has a record in the file by the time that its append resolves, and one write for a whole turn', async () => {
		const journal = startJournal(temporaryFolder(), 100);
		const before = statSync(journal.path).size;
		const written = [1, 2, 3].map((row) => journal.outcome(outcomeOf(row)));
		expect(written[1]).toBe(written[0]);
		expect(statSync(journal.path).size).toBe(before);
		await written[0];
		expect(recordsIn(journal.path)).toHaveLength(4);
		await journal.close();
	});

	it('keeps warnings, and leaves out what an outcome does not have', async () => {
		const journal = startJournal(temporaryFolder(), 2);
		await journal.outcome({ row: 1, ids: {}, outcome: 'ok', attempts: 1, ms: 0, warnings: ['text "stood" before'] });
		await journal.close();
		expect(recordsIn(journal.path).at(-1)).toEqual({
			type: 'row',
			row: 1,
			outcome: 'ok',
			attempts: 1,
			ms: 0,
			warnings: ['text "stood" before'],
		});
	});

	it('keeps no old value of a field named like a secret', async () => {
		const journal = startJournal(temporaryFolder(), 9);
		await journal.before(
			3,
			{ ticket_id: '3' },
			{ values: { color: 'red', 'api-token': 'x' }, absent: ['size'], sent: { color: 'blue', 'api-token': 'hunter2' } },
		);
		await journal.before(
			4,
			{ id: '4' },
			{
				values: { meta: { note: 'a' }, name: 'Ada' },
				absent: [],
				sent: { meta: { api: { token: 'hunter3' } }, name: 'A' },
			},
		);
		await journal.close();
		const text = readFileSync(journal.path, 'utf8');
		expect(text).not.toContain('hunter');
		expect(recordsIn(journal.path).slice(-2)).toEqual([
			{
				type: 'before',
				row: 3,
				ids: { ticket_id: '3' },
				values: { color: 'red' },
				sent: { color: 'blue' },
				withheld: ['api-token'],
				absent: ['size'],
			},
			{ type: 'before', row: 4, ids: { id: '4' }, values: { name: 'Ada' }, sent: { name: 'A' }, withheld: ['meta'] },
		]);
	});

	it('at a place of its own is found from the state folder too', async () => {
		const stateDir = temporaryFolder();
		const path = join(temporaryFolder(), 'mine.ndjson');
		const journal = startJournal(stateDir, 1, path);
		await journal.close();
		expect(realpathSync(journalIn(stateDir))).toBe(realpathSync(path));
		expect(statSync(path).mode & 0o777).toBe(0o600);
	});

	it('begins in an empty file, which becomes private, but never in one that holds something', async () => {
		const folder = temporaryFolder();
		const path = join(folder, 'mine');
		writeFileSync(path, '');
		chmodSync(path, 0o644);
		await startJournal(folder, 1, path).close();
		expect(statSync(path).mode & 0o777).toBe(0o600);
		const before = readFileSync(path);
		expect(await failureOf(() => startJournal(folder, 1, path))).toMatchObject({
			exitCode: 2,
			code: 'journal_exists',
		});
		expect(readFileSync(path)).toEqual(before);
		expect(existsSync(`${path}.lock`)).toBe(false);
	});

	it('that can not be begun says why, and that nothing was sent', async () => {
		const folder = temporaryFolder();
		writeFileSync(join(folder, 'file'), 'x');
		expect(await failureOf(() => startJournal(join(folder, 'file'), 1))).toMatchObject({
			exitCode: 1,
			code: 'journal_failed',
			hint: 'nothing was sent; choose a different place with --journal FILE or SUPPORTCTL_STATE_DIR',
		});
		mkdirSync(join(folder, 'runs'));
		expect((await failureOf(() => startJournal(folder, 1, join(folder, 'none', 'j')))).message).toContain(
			'file not found',
		);
		expect((await failureOf(() => startJournal(folder, 1, '/dev/full'))).message).toContain('not a regular file');
	});
});

describe('scanJournal', () => {
	it('knows what is done, what may have been sent, and counts the last outcome of each row', async () => {
		const journal = startJournal(temporaryFolder(), 12, undefined, { endpoint: 'ticket.delete' });
		await writeExample(journal);
		const scan = await scanJournal(journal.path);
		const rows = Array.from({ length: 12 }, (_, index) => index + 1);
		expect(rows.filter((row) => scan.states.isDone(row))).toEqual([1, 2, 7, 9, 10]);
		expect(rows.filter((row) => scan.states.maybeSent(row))).toEqual([3, 4, 5]);
		expect(scan).toMatchObject({ done: 5, inFlight: undefined, end: undefined, corrupt: [], tornBytes: 0 });
		const each = { ok: 1, differs: 1, invalid: 1, unknown: 1, skipped: 1, 'not-sent': 1 };
		expect(scan.counts).toEqual({
			...each,
			failed: 2,
			unauthorized: 1,
			forbidden: 1,
			refused: 0,
			conflicts: 0,
			left: 0,
			left_out: 0,
			not_restorable: 0,
			not_found: 0,
		});
		await journal.outcome(outcomeOf(3));
		await journal.outcome(outcomeOf(6));
		await journal.close({ at: 'x', counts: scan.counts, exit: 0 });
		const { counts, done, inFlight, end } = await scanJournal(journal.path);
		expect(counts).toMatchObject({ ok: 3, differs: 1, unknown: 0, failed: 1, unauthorized: 0 });
		expect([done, inFlight, end?.exit]).toEqual([7, 2, 0]);
	});

	it('names damaged lines and takes no row’s silence for certain then', async () => {
		const journal = startJournal(temporaryFolder(), 5);
		await journal.outcome(outcomeOf(1));
		await journal.close();
		const bad = [{ type: 'row', row: 99, outcome: 'ok', attempts: 1, ms: 1 }];
		appendFileSync(
			journal.path,
			['\u0000\u0000', ...bad.map(lineOf), '[]', '{"type":"row","row":3,"outcome":"ok"}', ''].join('\n'),
		);
		const { corrupt, states, done } = await scanJournal(journal.path);
		expect(corrupt).toEqual([
			{ line: 3, reason: 'wrong checksum' },
			{ line: 4, reason: "a row that isn't in the input" },
			{ line: 5, reason: 'wrong checksum' },
			{ line: 6, reason: 'wrong checksum' },
		]);
		expect([done, states.isDone(1), states.maybeSent(2)]).toEqual([1, true, true]);
	});

	it.each([
		['nothing', '', 'its first line is incomplete'],
		['half a header', '{"type":"plan","ver', 'its first line is incomplete'],
		['no header', `${lineOf({ type: 'row', row: 1 })}\n`, 'has no valid "id"'],
		['another version', '{"type":"plan","version":9}\n', 'version 9'],
		['the version before', '{"type":"plan","version":2,"id":"x"}\n', 'version 2'],
		['an incomplete header', `${lineOf({ type: 'plan', version: 3, id: headerOf(1).id })}\n`, 'no valid "started"'],
		['a header with a flipped bit', `${headerLine(headerOf(1)).replace('edits', 'edit3')}\n`, 'wrong checksum'],
		['no JSON', 'id,status\n1,x\n', 'its first line is damaged (wrong checksum)'],
	])('refuses %s', async (_, text, message) => {
		const path = join(temporaryFolder(), 'j.ndjson');
		writeFileSync(path, text);
		expect((await failureOf(() => scanJournal(path))).message).toContain(message);
	});

	it('tells the truth about a journal cut off at any byte, and a resume goes on from there', async () => {
		const folder = temporaryFolder();
		const journal = startJournal(folder, 12);
		await writeExample(journal);
		await journal.close();
		const bytes = readFileSync(journal.path);
		const headerEnd = bytes.indexOf(10) + 1;
		const path = join(folder, 'cut.ndjson');
		const isTried = (length: number): boolean => length % 50 === 0 || length >= headerEnd - 1;
		for (let length = 0; length <= bytes.length; length++) {
			if (!isTried(length)) continue;
			const cut = bytes.subarray(0, length);
			writeFileSync(path, cut);
			if (length < headerEnd) {
				expect((await failureOf(() => scanJournal(path))).message).toContain('nothing was sent');
				continue;
			}
			const outcomes = cut
				.toString('latin1')
				.split('\n')
				.slice(1, -1)
				.map((line) => JSON.parse(line))
				.filter((record) => record.type === 'row');
			const scan = await scanJournal(path);
			expect(scan.corrupt).toEqual([]);
			for (let row = 1; row <= 12; row++) {
				expect(scan.states.outcomeOf(row)).toBe(outcomes.find((record) => record.row === row)?.outcome);
			}
			expect(scan.validBytes + scan.tornBytes).toBe(length);
			// Opening waits for the disk, so only the edges and the middle of lines are gone on with.
			if (![1, 2, 40].includes(length - cut.lastIndexOf(10))) continue;
			const { journal: resumed } = await openJournal(path, redact);
			resumed.outcome(outcomeOf(12));
			await resumed.close();
			const again = await scanJournal(path);
			expect([again.corrupt, again.tornBytes, again.states.outcomeOf(12)]).toEqual([[], 0, 'ok']);
		}
	});

	it('is not gone on with where there is none, or not even its header is whole', async () => {
		const folder = temporaryFolder();
		const path = join(folder, 'cut.ndjson');
		const message = `can't write the journal ${path}: file not found`;
		expect(await failureOf(() => openJournal(path, redact))).toMatchObject({ exitCode: 1, message });
		writeFileSync(path, '{"type":"plan","version":3');
		expect((await failureOf(() => openJournal(path, redact))).message).toContain('nothing was sent');
		expect(await failureOf(() => openJournal(folder, redact))).toMatchObject({ exitCode: 1 });
	});

	it('fails only with errors for people, whatever the bytes', async () => {
		let read = 0;
		let refused = 0;
		const folder = temporaryFolder();
		const path = join(folder, 'j.ndjson');
		const header = headerLine(headerOf(1000));
		const line = fc.oneof(
			fc.json(),
			fc.string(),
			fc
				.record({
					type: fc.constantFrom('row', 'sent', 'end', 'attempt'),
					row: fc.anything(),
					outcome: fc.constant('ok'),
				})
				.map((record) => lineOf(record)),
			fc.nat().map((row) => lineOf({ type: 'row', row: row * 1e6, outcome: 'ok' })),
		);
		await fc.assert(
			fc.asyncProperty(fc.boolean(), fc.array(line, { maxLength: 20 }), fc.uint8Array(), async (good, lines, tail) => {
				writeFileSync(path, Buffer.concat([Buffer.from([...(good ? [header] : []), ...lines, ''].join('\n')), tail]));
				try {
					const scan = await scanJournal(path);
					const file = await openRecords(path);
					const total = [...file.records()].length;
					file.close();
					expect(total).toBeGreaterThanOrEqual(scan.done);
					expect(scan.done).toBeGreaterThanOrEqual(0);
					read++;
				} catch (error) {
					expect(error).toBeInstanceOf(SupportctlError);
					refused++;
				}
			}),
		);
		expect(Math.min(read, refused)).toBeGreaterThan(5);
	});
});

describe('two processes', () => {
	it('never write one journal', async () => {
		const journal = startJournal(temporaryFolder(), 3);
		expect(await failureOf(() => openJournal(journal.path, redact))).toMatchObject({
			exitCode: 1,
			code: 'locked',
			message: expect.stringContaining(`is in use by process ${process.pid}`),
		});
		await journal.close();
		await (await openJournal(journal.path, redact)).journal.close();
	});
});

/** Starts a child that writes rows to a journal and tells on its stdout which are recorded. */
async function startWriter(
	stateDir: string,
	rows: number,
): Promise<{ child: ReturnType<typeof spawn>; told: number[] }> {
	const [journalUrl] = await Promise.all([bundleForChild('src/bulk/journal/write.ts')]);
	const script = `
		import { createJournal } from ${JSON.stringify(journalUrl)};
		const journal = createJournal(${JSON.stringify(headerOf(rows, { endpoint: 'ticket.delete' }))}, ${JSON.stringify(stateDir)}, undefined, (v) => v);
		let next = 1;
		async function work() {
			while (next <= ${rows}) {
				const row = next++;
				await journal.outcome({ row, ids: { id: String(row) }, outcome: 'ok', status: 200, attempts: 1, ms: 1 });
				process.stdout.write(row + '\\n');
			}
		}
		try { await Promise.all([work(), work(), work(), work()]); await journal.close(); }
		catch (error) { process.stdout.write('failed ' + error.code + ' ' + error.message + '\\n'); await journal.close().catch(() => undefined); process.exitCode = 1; }
	`;
	const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const told: number[] = [];
	return { child, told };
}

describe('a process that is killed with kill -9', () => {
	it('leaves a journal in which every row that it took for done is done, and that can be resumed at once', async () => {
		for (const after of [1, 500, 4000]) {
			const stateDir = temporaryFolder();
			const { child, told } = await startWriter(stateDir, 1_000_000);
			const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
			const exited = once(child, 'exit');
			for await (const line of lines) {
				told.push(Number(line));
				if (told.length === after) child.kill('SIGKILL');
			}
			await exited;
			const { journal, scan } = await openJournal(journalIn(stateDir), redact);
			// The last line on the pipe may be torn; each whole one is a promise.
			for (const row of told.slice(0, -1)) expect(scan.states.isDone(row)).toBe(true);
			expect(scan.wasKilled).toBe(true);
			expect(scan.corrupt).toEqual([]);
			await journal.close();
		}
	});
});

describe('a disk that fills up', () => {
	it('stops the run with an error, and leaves a journal that tells the truth', async () => {
		const stateDir = temporaryFolder();
		const url = await bundleForChild('src/bulk/journal/write.ts');
		const script = `
			import { createJournal } from ${JSON.stringify(url)};
			const journal = createJournal(${JSON.stringify(headerOf(1e6))}, ${JSON.stringify(stateDir)}, undefined, (v) => v);
			let done = 0;
			try {
				for (let row = 1; row <= 1e6; row += 10) {
					await Promise.all(Array.from({ length: 10 }, (_, at) => journal.outcome({ row: row + at, ids: { id: 'x'.repeat(at) }, outcome: 'ok', attempts: 1, ms: 1 })));
					done = row + 9;
				}
			} catch (error) {
				const again = await journal.outcome({ row: 1, ids: {}, outcome: 'ok', attempts: 1, ms: 1 }).catch((each) => each.code);
				const closing = await journal.close().catch((each) => each.code);
				console.log(JSON.stringify({ done, code: error.code, message: error.message, hint: error.hint, again, closing }));
			}
		`;
		// 64 blocks of 512 or 1024 bytes, as the shell has it.
		const child = spawn('sh', ['-c', 'ulimit -f 64; exec "$0" --input-type=module -e "$1"', process.execPath, script]);
		let output = '';
		let errors = '';
		child.stdout.on('data', (chunk) => {
			output += chunk;
		});
		child.stderr.on('data', (chunk) => {
			errors += chunk;
		});
		await once(child, 'close');
		expect(errors).toBe('');
		const told = JSON.parse(output);
		expect(told).toMatchObject({
			code: 'journal_failed',
			message: `can't write the journal ${journalIn(stateDir)}: the file has reached its size limit`,
			hint: `free some space, then: supportctl run resume ${headerOf(0).id}`,
			again: 'journal_failed',
			closing: 'journal_failed',
		});
		const path = journalIn(stateDir);
		const copy = join(stateDir, 'copy');
		copyFileSync(path, copy);
		const { journal, scan } = await openJournal(path, redact);
		expect(scan.corrupt).toEqual([]);
		expect(scan.done).toBeGreaterThanOrEqual(told.done);
		expect(told.done).toBeGreaterThan(100);
		await journal.outcome(outcomeOf(scan.done + 1));
		await journal.close();
		truncateSync(copy, statSync(copy).size - 3);
		expect((await scanJournal(copy)).tornBytes).toBeGreaterThan(0);
	});
});

it('a journal has one lock, whatever link leads to it', async () => {
	const folder = temporaryFolder();
	const [real, link] = [join(folder, 'real.ndjson'), join(folder, 'link.ndjson')];
	writeFileSync(real, '');
	symlinkSync(real, link);
	const journal = startJournal(folder, 3, link);
	const second = openJournal(real, redact);
	await expect(second).rejects.toMatchObject({ code: 'locked' });
	await journal.close();
});
