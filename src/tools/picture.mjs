/**
 * Writes docs/session.svg: a real terminal session with rows of the demo, against a sandbox; `--check` fails where it is out of date.
 * With chromium it also takes docs/report.png, of a report whose failures are chance: nothing compares it.
 */

import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import * as pty from '@lydell/node-pty';
import { parse } from 'csv-parse/sync';
import { root } from './bundle.mjs';

const COLUMNS = 100;
/** In pixels. */
const [CHARACTER, LINE, MARGIN] = [8.4, 19, 20];
const session = [
	'cat edits.csv',
	'supportctl ticket update --input edits.csv --dry-run',
	'supportctl ticket update --input edits.csv -j 1',
	'supportctl run undo last --yes -j 1',
];

const RUN_ID = /\d{8}-\d{6}-[0-9a-z]{5}/g;

const file = join(root, 'docs/session.svg');
const binary = join(root, 'bin/supportctl.js');
const folder = await mkdtemp(join(tmpdir(), 'supportctl-picture-'));
const env = { PATH: process.env.PATH, HOME: folder, TERM: 'xterm-256color', LANG: 'C.UTF-8' };

/** The first rows of the demo's edits, and one of a ticket that does not exist. */
async function writeEdits() {
	const rows = parse(await readFile(join(root, 'test/demo/edits.csv')), { columns: true, to: 3 });
	const names = ['id', 'status', 'ticket_priority', 'assignee'];
	const lines = rows.map((row) => names.map((name) => row[name]).join(','));
	await writeFile(join(folder, 'edits.csv'), [names.join(','), ...lines, '9999,hold,,', ''].join('\n'));
}

/** Starts the sandbox on a free port; resolves with its process and the variables that sign in there. */
function startSandbox(...flags) {
	const child = spawn(process.execPath, [binary, 'sandbox', '--port', '0', '--json', ...flags], { env });
	return new Promise((resolve, reject) => {
		child.on('error', reject);
		child.on('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
		child.stdout.once('data', (line) => {
			const { baseUrl, username, password } = JSON.parse(line);
			const variables = { SUPPORTCTL_BASE_URL: baseUrl, SUPPORTCTL_USERNAME: username, SUPPORTCTL_PASSWORD: password };
			resolve({ child, variables });
		});
	});
}

/** Runs one command in a terminal; resolves with all that it wrote. */
function run(command, variables) {
	const terminal = pty.spawn('sh', ['-c', `supportctl() { '${process.execPath}' '${binary}' "$@"; }; ${command}`], {
		cols: COLUMNS,
		rows: 40,
		cwd: folder,
		env: { ...env, ...variables },
	});
	return new Promise((resolve) => {
		let text = '';
		terminal.onData((data) => {
			text += data;
		});
		// node-pty reports the end before it has read all.
		terminal.onExit(() => setTimeout(() => resolve(text), 150));
	});
}

const shownIds = ['20261122-091500-k3v9q', '20261122-091512-7mfa2'];

/** What differs from run to run: IDs of runs, times and the port. */
function steady(text) {
	const ids = [...new Set(text.match(RUN_ID))];
	return text
		.replaceAll(RUN_ID, (id) => shownIds[ids.indexOf(id)])
		.replaceAll(/in \d+\.\d s/g, 'in 0.1 s')
		.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8700');
}

const classes = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' };

/** The screen after the text was written: lines of cells, each a character and its class. */
function screenOf(text) {
	const lines = [[]];
	let column = 0;
	let style = '';
	for (const [part, parameters, letter] of text.matchAll(/\x1b\[([?\d;]*)([A-Za-z])|./gsu)) {
		const line = lines.at(-1);
		if (letter === 'm') style = classes[parameters] ?? '';
		else if (letter === 'K') line.length = column;
		else if (part === '\r') column = 0;
		else if (part === '\n') lines.push([]);
		else if (letter === undefined) {
			// As a terminal goes on in the next line.
			if (column === COLUMNS) {
				lines.push([]);
				column = 0;
			}
			lines.at(-1)[column++] = { character: part, style };
		}
	}
	return lines.at(-1).length === 0 ? lines.slice(0, -1) : lines;
}

const xmlText = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function spans(cells) {
	const runs = [];
	for (const { character, style } of cells) {
		if (runs.at(-1)?.style === style) runs.at(-1).text += character;
		else runs.push({ style, text: character });
	}
	return runs
		.map(({ style, text }) => (style === '' ? xmlText(text) : `<tspan class="${style}">${xmlText(text)}</tspan>`))
		.join('');
}

function svg(lines) {
	const [width, height] = [Math.round(COLUMNS * CHARACTER + 2 * MARGIN), lines.length * LINE + 2 * MARGIN];
	// As wide as on a terminal, whatever font there is.
	const texts = lines.map((cells, at) => {
		const length = cells.length === 0 ? '' : ` textLength="${(cells.length * CHARACTER).toFixed(1)}"`;
		return `<text x="${MARGIN}" y="${MARGIN + 14 + at * LINE}"${length}>${spans(cells)}</text>`;
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>A terminal session: a dry run, a run with one failed row, an undo</title>
<style>
rect { fill: #16191d; stroke: #30363d }
text { fill: #d7dbe0; font: 14px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre }
.bold { font-weight: bold; fill: #fff } .dim { fill: #8b939d }
.red { fill: #ff7b72 } .green { fill: #7ee787 } .yellow { fill: #e3b341 } .cyan { fill: #79c0ff }
@media (prefers-color-scheme: light) {
rect { fill: #f6f8fa; stroke: #d1d9e0 } text { fill: #1f2328 } .bold { fill: #000 } .dim { fill: #59636e }
.red { fill: #cf222e } .green { fill: #116329 } .yellow { fill: #7d4e00 } .cyan { fill: #0550ae }
}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${texts.join('\n')}
</svg>
`;
}

/** Edits of a service with failures: some tickets are missing, and some cells are wrong. */
async function writeManyEdits() {
	const statuses = ['hold', 'read', 'queued'];
	const rows = Array.from({ length: 400 }, (_, at) => {
		const id = at % 57 === 30 ? 9000 + at : (at % 50) + 1;
		const status = at % 90 === 40 ? 'hodl' : statuses[at % statuses.length];
		return `${id},Moved to the new queue (${at + 1}),${status},${(at % 4) + 2}`;
	});
	await writeFile(join(folder, 'edits.csv'), ['id,title,status,assignee', ...rows, ''].join('\n'));
}

async function takeReport() {
	const { child, variables } = await startSandbox('--latency', '60', '--fail-rate', '0.06');
	try {
		await writeManyEdits();
		await run(
			'supportctl ticket update --input edits.csv --skip-invalid --report html:report.html -q --yes',
			variables,
		);
		const page = join(folder, 'report.html');
		const text = steady(await readFile(page, 'utf8'));
		await writeFile(page, text.replaceAll(`${userInfo().username} on ${hostname()}`, 'anna on laptop'));
		const browser = [
			'--headless',
			'--no-sandbox',
			'--disable-gpu',
			'--hide-scrollbars',
			`--user-data-dir=${folder}/browser`,
		];
		const shot = `--screenshot=${join(root, 'docs/report.png')}`;
		execFileSync('chromium', [...browser, '--window-size=1100,1180', shot, `file://${page}`], { stdio: 'ignore' });
	} finally {
		child.removeAllListeners('exit');
		child.kill();
	}
}

const { child, variables } = await startSandbox();
try {
	await writeEdits();
	const shown = [];
	for (const command of session)
		shown.push(`\x1b[32m$\x1b[0m \x1b[1m${command}\x1b[0m\r\n${await run(command, variables)}`);
	const picture = svg(screenOf(steady(shown.join('\r\n'))));
	if (!process.argv.includes('--check')) await writeFile(file, picture);
	else if (picture !== (await readFile(file, 'utf8').catch(() => ''))) {
		console.error('docs/session.svg is out of date: npm run picture');
		process.exitCode = 1;
	}
} finally {
	child.removeAllListeners('exit');
	child.kill();
	if (!process.argv.includes('--check')) await takeReport();
	await rm(folder, { recursive: true, force: true });
}
