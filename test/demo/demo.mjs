/** `npm run demo [edits.csv]`: the real binary lists, plans, applies, proves and undoes hundreds of tickets of a sandbox; each claim on the screen is checked by plain HTTP. */

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { parse } from 'csv-parse/sync';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = [process.execPath, join(root, 'bin/supportctl.js')];
const csvFile = resolve(process.argv[2] ?? join(root, 'test/demo/edits.csv'));
/** How many rows are done when the run is killed. */
const KILL_AFTER = 120;

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (format, text) => (colour ? styleText(format, text) : text);
const say = (text = '') => process.stdout.write(`${text}\n`);
const indent = (text) => text.trimEnd().replace(/^(?=.)/gm, '    ');

const folder = await mkdtemp(join(tmpdir(), 'supportctl-demo-'));
const children = new Set();

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
	const child = spawn(file, [...first, ...args], { cwd: root, env, stdio: 'pipe' });
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

/** Shows a command, runs it, shows what it printed, and fails unless it ends with the exit code that is expected. */
async function run(args, { shown = 12, expected = 0, killAfter = Number.POSITIVE_INFINITY, into } = {}) {
	const words = args.map((word) => quoted(word.startsWith(folder) ? relative(folder, word) : word));
	say(
		`\n${paint('cyan', '$')} ${paint('bold', `supportctl ${words.join(' ')}${into === undefined ? '' : ` > ${relative(folder, into)}`}`)}`,
	);
	const { child, ended } = start(args);
	const output = { stdout: '', stderr: '' };
	for (const name of ['stdout', 'stderr']) {
		child[name].setEncoding('utf8');
		child[name].on('data', (chunk) => {
			output[name] += chunk;
			if (output.stdout.split('\n').length > killAfter) child.kill('SIGKILL');
		});
	}
	child.stdin.end();
	const code = await ended;
	if (into !== undefined) writeFileSync(into, output.stdout);
	const lines = output.stdout.trimEnd().split('\n');
	const more = lines.length - shown;
	const kept = more > 1 ? [...lines.slice(0, shown), paint('dim', `… and ${more} lines more`)] : lines;
	for (const text of [kept.join('\n'), paint('dim', output.stderr.trimEnd())]) if (text !== '') say(indent(text));
	if (code !== expected)
		throw new Error(
			`supportctl ${words.join(' ')} ended with ${code === null ? 'a signal' : `exit code ${code}`}, not ${expected}`,
		);
	return output.stdout;
}

function check(what, problems) {
	if (problems.length > 0) {
		for (const problem of problems.slice(0, 10)) say(`  ${paint('red', '✗')} ${problem}`);
		throw new Error(`it is not true that ${what}`);
	}
	say(`  ${paint('green', '✓')} ${what}`);
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
	say(`\n${paint('dim', `a script edits ${relative(folder, file)}: ${edits.length} of ${rows.length} rows`)}`);
}

/** An export without its modification times. */
const withoutTimes = (csv) => parse(csv, { columns: true }).map(({ modified_gmt: _, ...row }) => JSON.stringify(row));

/** Starts the sandbox; resolves with its address once it says that it is ready. */
async function startSandbox(tickets) {
	const args = ['sandbox', '--port', '0', '--seed', String(tickets), '--lenient', '--json'];
	say(`${paint('cyan', '$')} ${paint('bold', `supportctl ${args.join(' ')} &`)}`);
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
	say(indent(paint('dim', `${tickets} tickets at ${desk.baseUrl}`)));
	return { desk, child, ended };
}

const lines = (ndjson) =>
	ndjson
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line));

async function demo() {
	const began = performance.now();
	const rows = parse(readFileSync(csvFile), { columns: true });
	const tickets = Math.max(...rows.map(({ id }) => Number(id))) + 50;
	say(`${paint('bold', 'A help desk on this machine')}, edited with the real binary and then looked at.\n`);
	const { desk, child, ended } = await startSandbox(tickets);
	env.SUPPORTCTL_BASE_URL = desk.baseUrl;
	env.SUPPORTCTL_USERNAME = desk.username;
	env.SUPPORTCTL_PASSWORD = desk.password;
	const before = await look(desk);

	const sheet = join(folder, 't.csv');
	const list = ['ticket', 'list', '--format', 'csv'];
	const start = await run(list, { shown: 3, into: sheet });
	check(
		`the export has all ${before.size} tickets`,
		withoutTimes(start).length === before.size ? [] : ['it has others'],
	);
	const update = ['ticket', 'update', '--input', sheet, '--only-changed'];
	const unedited = await run([...update, '--format', 'ndjson', '-q'], { shown: 2 });
	const written = lines(unedited).filter(({ outcome }) => outcome !== 'skipped');
	check('an export that is fed back changes nothing', [
		...written,
		...differencesElsewhere([], before, await look(desk)),
	]);

	editSheet(sheet, rows);
	const diff = lines(await run([...update, '--dry-run', '--diff', '--format', 'ndjson'], { shown: 4 }));
	const named = new Set(diff.map(({ id }) => String(id)));
	check(
		`the diff names the ${rows.length} tickets that were edited`,
		rows.filter(({ id }) => !named.has(id)),
	);
	check('a dry run changes nothing', differencesElsewhere([], before, await look(desk)));

	const plan = join(folder, 'changes.plan');
	await run([...update, '--plan', plan, '--note', 'demo', '--format', 'count', '-q']);
	const reviewed = lines(await run(['run', 'show', plan, '--format', 'ndjson'], { shown: 4 }));
	const inPlan = new Set(reviewed.map(({ id }) => String(id)));
	check(`the plan holds the ${rows.length} tickets, and nothing was written`, [
		...rows.filter(({ id }) => !inPlan.has(id)),
		...differencesElsewhere([], before, await look(desk)),
	]);
	const apply = ['run', 'apply', plan, '--yes', '--verify', '-j', '8', '--format', 'ndjson', '-q'];
	await run(apply, { shown: 2, killAfter: KILL_AFTER, expected: rows.length < KILL_AFTER ? 0 : null });
	const halfway = differencesFromCsv(rows, await look(desk)).length;
	check(
		`kill -9 after ${KILL_AFTER} rows ended the run before its end`,
		rows.length < 100 || halfway > 0 ? [] : ['it was done'],
	);
	if (rows.length >= KILL_AFTER) await run(['run', 'resume', 'last', '-j', '8', '--format', 'count']);
	const edited = await look(desk);
	check(`${rows.length} tickets are as the file says, cell by cell`, differencesFromCsv(rows, edited));
	check('empty cells and all other tickets are as they were', differencesElsewhere(rows, before, edited));

	await run(['run', 'undo', 'last', '--yes', '-j', '8', '--format', 'count']);
	check(
		'all tickets are as they were at the start, apart from modification times',
		differencesFromStart(before, await look(desk)),
	);
	const end = withoutTimes(await run(list, { shown: 2 }));
	check(
		'and so says an export',
		withoutTimes(start).filter((row, at) => row !== end[at]),
	);

	child.kill('SIGTERM');
	const code = await ended;
	check('the sandbox has ended cleanly', code === 0 ? [] : [`its exit code is ${code}`]);
	const seconds = ((performance.now() - began) / 1000).toFixed(1);
	say(
		`\n${paint('bold', `${rows.length} tickets edited, checked and restored`)} in ${seconds} s. Nothing is left running, and no file of yours was touched.`,
	);
}

/** Ends what is still running and removes every file that was made. */
async function cleanUp() {
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
