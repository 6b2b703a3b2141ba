/** `npm run demo [edits.csv]`: what a person sees of a plan, a killed run, its resume and its undo, at a terminal of a sandbox; each cell is compared by plain HTTP. */

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import * as pty from '@lydell/node-pty';
import { parse } from 'csv-parse/sync';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = [process.execPath, join(root, 'bin/supportctl.js')];
const csvFile = resolve(process.argv[2] ?? join(root, 'test/demo/edits.csv'));
/** How many rows are done when the run is killed. */
const KILL_AFTER = 60;
/** Milliseconds before each response: without them a fast machine sends the last row before the progress shows the first one, and there is nothing left to kill. */
const LATENCY = 10;

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (format, text) => (colour ? styleText(format, text) : text);
const say = (text = '') => process.stdout.write(`${text}\n`);

const folder = await mkdtemp(join(tmpdir(), 'supportctl-demo-'));
const children = new Set();
const terminals = new Set();

/** Only what the binary needs: the profiles of this machine are not touched. */
const env = {
	PATH: process.env.PATH ?? '',
	HOME: folder,
	SUPPORTCTL_CONFIG_DIR: join(folder, 'config'),
	SUPPORTCTL_STATE_DIR: join(folder, 'state'),
	...(colour ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
};

function start(args) {
	const [file, ...first] = program;
	const child = spawn(file, [...first, ...args], { cwd: folder, env, stdio: 'pipe' });
	children.add(child);
	const ended = new Promise((done) => {
		child.once('close', (code) => {
			children.delete(child);
			done(code);
		});
	});
	return { child, ended };
}

const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`);

/** How wide the screen of a reader is, who sees tables and progress. */
const columns = Math.min(process.stdout.columns ?? 100, 120);

/** Shows a command and what a person sees of it at a terminal; fails unless it ends with the exit code that is expected. */
async function see(args, { shown = 8, end = 3, expected = 0, killAfter, title } = {}) {
	const words = args.map(quoted);
	if (title !== undefined) say(`\n${paint('bold', title)}`);
	say(`${paint('cyan', '$')} supportctl ${words.join(' ')}`);
	const { text, code } = await runAtTerminal(args, killAfter);
	const lines = screenOf(text);
	// The end has the summary and the next command.
	const head = lines.slice(0, shown - end);
	const kept = lines.length > shown + 1 ? [...head, paint('dim', '…'), ...lines.slice(-end)] : lines;
	for (const line of kept) say(line === '' ? '' : `  ${line}`);
	if (code !== expected) throw new Error(`supportctl ${words.join(' ')} ended with ${code}, not ${expected}:\n${text}`);
}

/** @param killAfter rows that the progress shows as done before kill -9 */
function runAtTerminal(args, killAfter = Number.POSITIVE_INFINITY) {
	const [file, ...first] = program;
	const terminal = pty.spawn(file, [...first, ...args], {
		cols: columns,
		rows: 40,
		cwd: folder,
		env: { ...env, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
	});
	terminals.add(terminal);
	return new Promise((resolve) => {
		let text = '';
		let isKilled = false;
		terminal.onData((data) => {
			text += data;
			const done = Number(/(\d+) of \d+ done(?!.*of \d+ done)/s.exec(text)?.[1] ?? 0);
			if (done < killAfter || isKilled) return;
			isKilled = true;
			terminal.kill('SIGKILL');
		});
		// node-pty reports the end before it has read all.
		terminal.onExit(({ exitCode, signal }) => {
			terminals.delete(terminal);
			setTimeout(() => resolve({ text, code: signal ? 'a signal' : exitCode }), 150);
		});
	});
}

/** The lines that stay: progress is drawn over itself. */
function screenOf(text) {
	const lines = text.replaceAll('\r\n', '\n').split('\n');
	const kept = lines.map((line) =>
		line
			.split('\r')
			.at(-1)
			.replaceAll(/\x1b\[(?:\d*[KGA]|\?25[hl])/g, ''),
	);
	while (kept.at(-1) === '') kept.pop();
	return colour ? kept : kept.map((line) => line.replaceAll(/\x1b\[[\d;]*m/g, ''));
}

/** Runs a command as a script does: what it prints is for the next step. */
async function quietly(args) {
	const { child, ended } = start(args);
	const output = { stdout: '', stderr: '' };
	for (const name of ['stdout', 'stderr']) {
		child[name].setEncoding('utf8');
		child[name].on('data', (chunk) => {
			output[name] += chunk;
		});
	}
	child.stdin.end();
	const code = await ended;
	if (code !== 0) throw new Error(`supportctl ${args.join(' ')} ended with ${code}: ${output.stderr}`);
	return output.stdout;
}

let checks = 0;

/** Silent as long as it is true. */
function check(what, problems) {
	checks++;
	if (problems.length === 0) return;
	for (const problem of problems.slice(0, 10)) say(`  ${paint('red', '✗')} ${problem}`);
	throw new Error(`it is not true that ${what}`);
}

/** Everything on the desk, asked for by plain HTTP: what the demo claims is not judged by the tool that it shows. */
async function look(desk) {
	const headers = { authorization: `Basic ${Buffer.from(`${desk.username}:${desk.password}`).toString('base64')}` };
	const tickets = new Map();
	const everything = 'assignee=0&author=0&state=any&per_page=100&orderby=id&order=asc&context=edit';
	for (let page = 1, pages = 1; page <= pages; page++) {
		const url = `${desk.baseUrl}/support-api/v1/tickets?${everything}&page=${page}`;
		const response = await fetch(url, { headers });
		if (!response.ok) throw new Error(`GET ${url}: status ${response.status}`);
		for (const ticket of await response.json()) tickets.set(ticket.id, ticket);
		pages = Number(response.headers.get('x-wp-totalpages'));
	}
	return tickets;
}

/** What a cell says and what the ticket shows, in one form. */
function comparable(field, ticket) {
	const value = ticket?.[field];
	if (field === 'title') return value?.raw;
	return Array.isArray(value) ? [...value].sort().join(',') : String(value);
}

function differencesFromCsv(rows, tickets) {
	const problems = [];
	for (const { id, ...cells } of rows) {
		for (const [field, cell] of Object.entries(cells)) {
			if (cell === '') continue;
			const shown = comparable(field, tickets.get(Number(id)));
			if (shown !== cell)
				problems.push(`ticket ${id}: ${field} is ${JSON.stringify(shown)}, the file says ${JSON.stringify(cell)}`);
		}
	}
	return problems;
}

/** What the file does not mention: other tickets, and empty cells. */
function differencesElsewhere(rows, before, after, mayChange = () => false) {
	const problems = [];
	const edited = new Map(rows.map((row) => [Number(row.id), row]));
	const follows = new Set(['modified', 'modified_gmt', 'time-final']);
	for (const [id, ticket] of before) {
		for (const field of Object.keys(ticket)) {
			const row = edited.get(id);
			if (mayChange(field) || (row !== undefined && (row[field] || follows.has(field)))) continue;
			if (JSON.stringify(ticket[field]) !== JSON.stringify(after.get(id)?.[field]))
				problems.push(`ticket ${id}: ${field} has changed`);
		}
	}
	return problems;
}

/** Everything but modification times, which no undo can restore. */
function differencesFromStart(before, after) {
	return differencesElsewhere([], before, after, (field) => field.startsWith('modified'));
}

const quoteCell = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** The script that edits the spreadsheet: cells of `edits` in the place of those that were exported. */
function editSheet(file, edits) {
	const rows = parse(readFileSync(file), { columns: true });
	const byId = new Map(edits.map((row) => [row.id, row]));
	const columns = [...new Set([...Object.keys(rows[0]), ...edits.flatMap((row) => Object.keys(row))])];
	const edited = rows.map((row) => ({
		...row,
		...Object.fromEntries(Object.entries(byId.get(row.id) ?? {}).filter(([, cell]) => cell !== '')),
	}));
	const lines = [columns, ...edited.map((row) => columns.map((column) => row[column] ?? ''))];
	writeFileSync(file, lines.map((line) => `${line.map(quoteCell).join(',')}\n`).join(''));
}

/** An export without its modification times. */
const withoutTimes = (csv) => parse(csv, { columns: true }).map(({ modified_gmt: _, ...row }) => JSON.stringify(row));

/** Starts the sandbox; resolves with its address once it says that it is ready. */
async function startSandbox(tickets) {
	const args = [
		'sandbox',
		'--port',
		'0',
		'--seed',
		String(tickets),
		'--lenient',
		'--latency',
		String(LATENCY),
		'--json',
	];
	const { child, ended } = start(args);
	child.stdin.end();
	let errors = '';
	child.stderr.setEncoding('utf8').on('data', (chunk) => {
		errors += chunk;
	});
	const line = await new Promise((ready, failed) => {
		let text = '';
		child.stdout.setEncoding('utf8').on('data', (chunk) => {
			text += chunk;
			if (text.includes('\n')) ready(text.split('\n')[0]);
		});
		void ended.then((code) => failed(new Error(`the sandbox ended with exit code ${code}: ${errors}`)));
	});
	const desk = JSON.parse(line);
	return { desk, child, ended };
}

async function demo() {
	const began = performance.now();
	const rows = parse(readFileSync(csvFile), { columns: true });
	const tickets = Math.max(...rows.map(({ id }) => Number(id))) + 50;
	const { desk, child, ended } = await startSandbox(tickets);
	env.SUPPORTCTL_BASE_URL = desk.baseUrl;
	env.SUPPORTCTL_USERNAME = desk.username;
	env.SUPPORTCTL_PASSWORD = desk.password;
	say(`A help desk with ${tickets} tickets runs at ${desk.baseUrl}`);
	say(
		`A colleague exported them and edited ${rows.length} rows in a spreadsheet. Every cell is compared after each step.`,
	);
	const before = await look(desk);

	const sheet = 'july.csv';
	const start = await quietly(['ticket', 'list', '--format', 'csv']);
	writeFileSync(join(folder, sheet), start);
	check(
		`the export has all ${before.size} tickets`,
		withoutTimes(start).length === before.size ? [] : ['it has others'],
	);
	const update = ['ticket', 'update', '--input', sheet];
	await quietly([...update, '-q']);
	check(
		'an export that is sent back changes nothing',
		differencesElsewhere([], before, await look(desk), () => false),
	);

	editSheet(join(folder, sheet), rows);
	await see([...update, '--dry-run'], { shown: 9, end: 4, title: '1. See what would change' });
	check('a dry run changes nothing', differencesElsewhere([], before, await look(desk)));

	const plan = 'july.plan';
	await see([...update, '--plan', plan, '--note', 'July clean-up'], {
		shown: 7,
		title: '2. Save it as a plan for a review',
	});
	check('a plan changes nothing', differencesElsewhere([], before, await look(desk)));

	const isKilled = rows.length >= KILL_AFTER;
	await see(['run', 'apply', plan, '--yes', '--verify', '-j', '4'], {
		shown: 5,
		killAfter: KILL_AFTER,
		expected: isKilled ? 'a signal' : 0,
		title: isKilled ? '3. Apply it, and kill it on the way (kill -9)' : '3. Apply it',
	});
	const halfway = differencesFromCsv(rows, await look(desk)).length;
	check('kill -9 ended the run before its end', !isKilled || halfway > 0 ? [] : ['it was done']);
	if (isKilled) {
		await see(['run', 'resume', 'last', '-j', '8'], {
			shown: 5,
			title: '4. Resume it',
		});
	}
	const edited = await look(desk);
	check(`${rows.length} tickets are as the file says, cell by cell`, differencesFromCsv(rows, edited));
	check('empty cells and all other tickets are as they were', differencesElsewhere(rows, before, edited));

	const [{ id }] = rows;
	await see(['ticket', 'history', id], { shown: 6, title: '5. Ask what happened to a ticket' });
	await see(['run', 'undo', 'last', '--yes', '-j', '8'], { shown: 5, title: '6. Undo everything' });
	check('all tickets are as they were, apart from modification times', differencesFromStart(before, await look(desk)));
	const end = withoutTimes(await quietly(['ticket', 'list', '--format', 'csv']));
	check(
		'and so says an export',
		withoutTimes(start).filter((row, at) => row !== end[at]),
	);

	say(`\n${paint('bold', 'What a script sees')}`);
	say(`${paint('cyan', '$')} supportctl ticket update ${id} --status hold --json --fields id,outcome`);
	say(
		`  ${(await quietly(['ticket', 'update', id, '--status', 'hold', '--json', '--fields', 'id,outcome'])).replaceAll('\n', ' ').trim()}`,
	);

	child.kill('SIGTERM');
	const code = await ended;
	check('the sandbox has ended cleanly', code === 0 ? [] : [`its exit code is ${code}`]);
	const seconds = ((performance.now() - began) / 1000).toFixed(1);
	say(
		`\n${paint('bold', `${rows.length} tickets edited and restored`)}, all ${checks} checks passed, in ${seconds} s.`,
	);
}

/** Ends what is still running and removes every file that was made. */
async function cleanUp() {
	for (const terminal of terminals) terminal.kill('SIGKILL');
	await Promise.all(
		[...children].map((child) => {
			const closed = new Promise((done) => child.once('close', done));
			child.kill('SIGKILL');
			return closed;
		}),
	);
	await rm(folder, { recursive: true, force: true });
}

for (const signal of ['SIGINT', 'SIGTERM']) {
	process.once(signal, () => {
		void cleanUp().then(() => process.exit(130));
	});
}

try {
	await demo();
} catch (error) {
	process.stderr.write(`\n${paint('red', 'The demo failed:')} ${error.message}\n`);
	process.exitCode = 1;
} finally {
	await cleanUp();
}
