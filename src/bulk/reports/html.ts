/** The HTML report: one page that asks no server for anything, with counts, reasons, a plot over time and the rows. */

import { createHash } from 'node:crypto';
import { totalOf } from '../journal/counts.js';
import type { RowRecord, TickRecord } from '../journal/records.js';
import { escapeXml, plainText, type Report, readRows, rowColumns, summaryOf } from './formats.js';

/** A browser sorts so many rows without delay. */
const SHOWN_ROWS = 5000;
const SHOWN_TEXT = 500;

/** A text as the content of an element or an attribute. */
function escapeHtml(text: string | number): string {
	return escapeXml(plainText(String(text), SHOWN_TEXT)).replaceAll("'", '&#39;');
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --faint: #667; --bad: #b3261e; --good: #1a7f37; --accent: #0b62c4; --back: #fff; --text: #1c1e21 }
@media (prefers-color-scheme: dark) { :root { --faint: #9aa4b2; --bad: #ff8a80; --good: #6fdd8b; --accent: #7cb7ff; --back: #16181c; --text: #e6e8eb } }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; background: var(--back); color: var(--text) }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
h1, p, li, td { overflow-wrap: anywhere }
td { unicode-bidi: isolate; vertical-align: top }
.faint, figcaption { color: var(--faint) } .bad { color: var(--bad) } .good { color: var(--good) }
.counts { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; list-style: none }
.counts li { border: 1px solid var(--line); border-radius: .4rem; padding: .2rem .8rem } .counts b { display: block; font-size: 1.3rem }
figure { margin: 0 } svg { width: 100%; height: auto } svg text { fill: var(--faint); font-size: 12px }
.axis { stroke: var(--line) } .rate { fill: var(--accent) } .retries { fill: var(--faint) } .refused { fill: var(--bad) }
.key { display: inline-block; width: .8em; height: .8em } .key.rate { background: var(--accent) } .key.retries { background: var(--faint) } .key.refused { background: var(--bad) }
table { border-collapse: collapse; width: 100%; font-size: .9rem } th, td { padding: .3rem .5rem; border-bottom: 1px solid var(--line); text-align: left }
.n { text-align: right; font-variant-numeric: tabular-nums }
th button { all: unset; cursor: pointer; font-weight: 600 } th button:focus-visible { outline: 2px solid var(--accent) }
th[aria-sort=ascending] button::after { content: " ▲" } th[aria-sort=descending] button::after { content: " ▼" }
form { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0 } input, select { font: inherit; max-width: 100% } input { flex: 1 1 12rem }
code { font-size: .9em }
@media (max-width: 40rem) { .wide { display: none } svg text { font-size: 18px } th, td { padding: .3rem .25rem } }
`;

/** Filters and sorts the rows of the table; reads text, and writes none but the count. */
const SCRIPT = `
const body = document.querySelector('#rows tbody');
const words = document.querySelector('#words');
const outcome = document.querySelector('#outcome');
const filter = () => {
	const wanted = words.value.toLowerCase();
	let shown = 0;
	for (const row of body.rows) {
		row.hidden = !row.textContent.toLowerCase().includes(wanted) || (outcome.value !== '' && row.dataset.outcome !== outcome.value);
		if (!row.hidden) shown++;
	}
	document.querySelector('#shown').textContent = shown + ' of ' + body.rows.length + ' rows';
};
words.addEventListener('input', filter);
outcome.addEventListener('change', filter);
document.querySelector('form').addEventListener('submit', (event) => event.preventDefault());
const heads = [...document.querySelectorAll('#rows th')];
heads.forEach((head, at) => head.querySelector('button').addEventListener('click', () => {
	const up = head.getAttribute('aria-sort') !== 'ascending';
	for (const each of heads) each.removeAttribute('aria-sort');
	head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
	const isNumber = head.classList.contains('n');
	const value = (row) => isNumber ? Number(row.cells[at].textContent) : row.cells[at].textContent;
	const sorted = [...body.rows].map((row) => [value(row), row]);
	sorted.sort(([left], [right]) => (isNumber ? left - right : left.localeCompare(right)) * (up ? 1 : -1));
	body.append(...sorted.map(([, row]) => row));
}));
filter();
`;

const [styleHash, scriptHash] = [STYLE, SCRIPT].map((text) => createHash('sha256').update(text).digest('base64'));

/** Nothing is loaded, and no script or style runs but ours. */
const POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; script-src 'sha256-${scriptHash}'; base-uri 'none'; form-action 'none'`;

const classOf = (outcome: RowRecord['outcome']): string => (outcome === 'ok' || outcome === 'skipped' ? 'good' : 'bad');

const PLOT = { width: 720, height: 160, left: 48, bars: 100, below: 50 };

/** Rows a second over time, with retries and refusals below; none where the journal has no times. */
function plot(ticks: readonly TickRecord[]): string {
	if (ticks.length === 0) return '<p class="faint">The run was too short for a plot over time.</p>';
	const from = ticks.reduce((least, { at, ms }) => Math.min(least, at - ms), Number.POSITIVE_INFINITY);
	const to = ticks.reduce((most, { at }) => Math.max(most, at), 0);
	const span = Math.max(1, to - from);
	const count = Math.max(1, Math.min(PLOT.bars, Math.ceil(span / 1000)));
	const barMs = span / count;
	const bars = Array.from({ length: count }, () => ({ rate: 0, retries: 0, refused: 0 }));
	for (const { at, ms, rows, retries, refused } of ticks) {
		// A tick counts for all of its time, which may be many bars.
		const start = (at - ms - from) / barMs;
		const end = Math.max((at - from) / barMs, start + 1e-9);
		for (const [index, bar] of bars.entries()) {
			const share = (Math.min(end, index + 1) - Math.max(start, index)) / (end - start);
			if (share <= 0) continue;
			const aSecond = (share * 1000) / barMs;
			bar.rate += rows * aSecond;
			bar.retries += (retries - refused) * aSecond;
			bar.refused += refused * aSecond;
		}
	}
	const most = Math.max(...bars.map(({ rate }) => rate), 1);
	const mostAgain = Math.max(...bars.map(({ retries, refused }) => retries + refused));
	const width = (PLOT.width - PLOT.left) / count;
	const marks = bars.flatMap((bar, index) => {
		const height = (bar.rate / most) * (PLOT.height - 20);
		const [red = 0, grey = 0] = [bar.refused, bar.retries].map(
			(value) => (value / (mostAgain || 1)) * (PLOT.below - 10),
		);
		const parts: [kind: string, y: number, height: number][] = [
			['rate', PLOT.height - height, height],
			['refused', PLOT.height + 5, red],
			['retries', PLOT.height + 5 + red, grey],
		];
		const place = `x="${(PLOT.left + index * width).toFixed(1)}" width="${Math.max(0.5, width - 1).toFixed(1)}"`;
		return parts
			.filter(([, , tall]) => tall >= 0.05)
			.map(([kind, y, tall]) => `<rect class="${kind}" ${place} y="${y.toFixed(1)}" height="${tall.toFixed(1)}"/>`);
	});
	const bottom = PLOT.height + (mostAgain === 0 ? 0 : PLOT.below);
	const label = (x: number, y: number, text: string, anchor: string): string =>
		`<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
	const time = (ms: number): string => escapeHtml(new Date(Math.min(ms, 8e15)).toISOString().slice(11, 19));
	const number = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
	const sum = (of: 'retries' | 'refused'): number => ticks.reduce((total, tick) => total + tick[of], 0);
	const caption = `At most ${number(most)} rows a second; ${sum('retries')} retries, ${sum('refused')} of them because the service refused (429, 503).`;
	return [
		`<figure><svg viewBox="0 0 ${PLOT.width} ${bottom + 20}" role="img" aria-label="${caption}">`,
		`<line class="axis" x1="${PLOT.left}" x2="${PLOT.width}" y1="${PLOT.height}" y2="${PLOT.height}"/>`,
		label(PLOT.left - 6, 24, number(most), 'end') + label(PLOT.left - 6, PLOT.height, '0', 'end'),
		mostAgain === 0 ? '' : label(PLOT.left - 6, bottom, number(mostAgain), 'end'),
		...marks,
		label(PLOT.left, bottom + 16, `${time(from)} UTC`, 'start') + label(PLOT.width, bottom + 16, time(to), 'end'),
		`</svg><figcaption><span class="key rate"></span> rows a second`,
		` <span class="key retries"></span> retries <span class="key refused"></span> refused. ${caption}</figcaption></figure>`,
	].join('');
}

/** Numbers stand to the right, and the less important ones give way on a phone. */
const classes: Readonly<Record<string, string>> = { row: 'n', line: 'n wide', attempts: 'n wide', ms: 'n wide' };

const element = (name: string, kind: string, content: string): string =>
	`<${name}${kind === '' ? '' : ` class="${kind}"`}>${content}</${name}>`;

function tableRow(record: RowRecord): string {
	const { outcome } = record;
	const cells = rowColumns.map(([name, of]) =>
		element('td', name === 'outcome' ? classOf(outcome) : (classes[name] ?? ''), escapeHtml(of(record))),
	);
	return `<tr data-outcome="${outcome}">${cells.join('')}</tr>\n`;
}

export function* html(report: Report): Generator<string> {
	const { title: name, run, seconds, problems, outcomes, steps } = summaryOf(report);
	const { reasons, others, rows } = readRows(report, SHOWN_ROWS, tableRow);
	const title = escapeHtml(name);
	yield `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n<meta http-equiv="Content-Security-Policy" content="${POLICY}"/>\n`;
	yield `<meta name="viewport" content="width=device-width, initial-scale=1"/>\n<meta name="referrer" content="no-referrer"/>\n<title>${title}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n<h1>${title}</h1>\n`;
	const started = `started ${escapeHtml(report.header.started)}, ${seconds}`;
	yield `<p>${escapeHtml(run)}, <span class="faint">${started}</span></p>\n`;
	for (const problem of problems) yield `<p class="bad">${escapeHtml(problem)}</p>\n`;
	const items = outcomes.map((each) => `<li>${element('b', classOf(each), String(report.counts[each]))}${each}</li>`);
	yield `<ul class="counts">${items.join('')}</ul>\n`;
	const next = steps.map(([text, command]) => `<li>${escapeHtml(text)}: <code>${escapeHtml(command)}</code></li>`);
	if (next.length > 0) yield `<h2>Next</h2>\n<ul>${next.join('')}</ul>\n`;
	yield `<h2>Over time</h2>\n${plot(report.ticks)}\n`;
	if (reasons.length > 0) {
		yield '<h2>Reasons</h2>\n<table id="reasons"><thead><tr><th class="n">rows</th><th>outcome</th><th>reason</th><th class="n">first row</th></tr></thead>\n<tbody>\n';
		for (const each of reasons) {
			yield `<tr><td class="n">${each.rows}</td><td class="bad">${each.outcome}</td><td>${escapeHtml(each.text)}</td><td class="n">${each.first}</td></tr>\n`;
		}
		yield '</tbody></table>\n';
		if (others > 0) yield `<p>${others} rows have other reasons.</p>\n`;
	}
	const options = outcomes.map((each) => element('option', '', each)).join('');
	yield `<h2>Rows</h2>\n<form><input id="words" type="search" placeholder="Filter" aria-label="Filter rows"/><select id="outcome" aria-label="Outcome"><option value="">all outcomes</option>${options}</select><output id="shown" class="faint"></output></form>\n`;
	const recorded = totalOf(report.recorded);
	if (recorded > SHOWN_ROWS)
		yield `<p>The first ${SHOWN_ROWS} of ${recorded} rows; --report csv:FILE has all of them.</p>\n`;
	const heads = rowColumns.map(([name]) =>
		element('th', classes[name] ?? '', `<button type="button">${name}</button>`),
	);
	yield `<table id="rows"><thead><tr>${heads.join('')}</tr></thead>\n<tbody>\n`;
	yield* rows;
	yield `</tbody></table>\n<script>${SCRIPT}</script>\n</body>\n</html>\n`;
}
