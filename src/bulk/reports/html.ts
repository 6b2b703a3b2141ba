/** The HTML report: one page that loads nothing. */

import { createHash } from 'node:crypto';
import { plural } from '../../api/names.js';
import type { OutcomeName } from '../../http/outcome.js';
import { durationText } from '../../text.js';
import { outcomeNames } from '../journal/counts.js';
import style from './browser.css' with { type: 'text' };
import script from './browser.js' with { type: 'text' };
import { escapeXml, plainText } from './escape.js';
import { type Change, type Group, MOST_ROWS, number, type Page, type PageRow, valueText } from './page.js';
import { type Bar, type Timeline, timelineOf } from './timeline.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');

/** No script or style but ours. */
const POLICY = [
	"default-src 'none'",
	`style-src 'sha256-${sha256(style)}'`,
	`script-src 'sha256-${sha256(script)}'`,
	'img-src data:',
	"base-uri 'none'",
	"form-action 'none'",
].join('; ');

export function* html(page: Page): Generator<string> {
	const title = encode(page.title);
	yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n';
	yield `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`;
	yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n';
	yield '<meta name="referrer" content="no-referrer">\n';
	yield `<link rel="icon" href="${icon(page.state)}">\n`;
	yield `<title>${title}</title>\n<style>${style}</style>\n</head>\n<body>\n<main>\n`;
	yield `<h1>${title}</h1>\n<p>${encode(page.about)}</p>\n`;
	yield `<p class="faint">${page.details.map(encode).join(' · ')}</p>\n`;
	for (const problem of page.problems) yield `<p class="problem">${encode(problem)}</p>\n`;
	yield* outcomeBar(page);
	yield* nextSteps(page);
	yield* overTime(page);
	yield* groupTable(page);
	yield* rowTable(page);
	yield `</main>\n<script>${script}</script>\n</body>\n</html>\n`;
}

const encode = (value: string | number): string => escapeXml(plainText(String(value), 1000));

function icon(state: Page['state']): string {
	const [color, path] = {
		done: ['2da44e', 'M4 8.5l3 3 5-6.5'],
		doubtful: ['d4a72c', 'M8 3.5v5.5M8 11.5v1'],
		failed: ['cf222e', 'M5 5l6 6M11 5l-6 6'],
		planned: ['0969da', 'M4.5 5h7M4.5 8h7M4.5 11h4'],
	}[state];
	const svg = [
		"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>",
		`<circle cx='8' cy='8' r='8' fill='#${color}'/>`,
		`<path d='${path}' fill='none' stroke='#fff' stroke-width='2'/>`,
		'</svg>',
	];
	return `data:image/svg+xml,${encodeURIComponent(svg.join('')).replaceAll("'", '%27')}`;
}

/** As wide as the page. */
function drawing(kind: string, width: number, height: number, label: string, marks: readonly string[]): string {
	const size = `viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"`;
	return `<svg class="${kind}" ${size} role="img" aria-label="${label}">${marks.join('')}</svg>\n`;
}

function rectangle(kind: string, x: number, y: number, width: number, height: number): string {
	const [left, top, wide, tall] = [x, y, width, height].map((value) => Number(value.toFixed(3)));
	return `<rect class="${kind}" x="${left}" y="${top}" width="${wide}" height="${tall}"/>`;
}

function* outcomeBar({ outcomes }: Page): Generator<string> {
	if (outcomes.length === 0) return;
	const total = outcomes.reduce((sum, { rows }) => sum + rows, 0);
	let x = 0;
	const marks = outcomes.map(({ name, rows }) => {
		// So that one failed row of a million can be seen.
		const width = Math.max(rows, total / 200);
		x += width;
		return rectangle(name, x - width, 0, width, 1);
	});
	const label = outcomes.map(({ name, rows }) => `${rows} ${name}`).join(', ');
	yield drawing('share', x, 1, label, marks);
	const key = outcomes.map(({ name, rows }) => `<li class="dot ${name}"><b>${number(rows)}</b> ${name}</li>`);
	yield `<ul class="key">${key.join('')}</ul>\n`;
}

function* nextSteps({ steps }: Page): Generator<string> {
	if (steps.length === 0) return;
	yield '<h2>Next</h2>\n<ul class="steps">\n';
	for (const [text, command] of steps) {
		const copy = '<button type="button" class="copy" hidden>Copy</button>';
		yield `<li><span>${encode(capital(text))}</span><code>${encode(command)}</code>${copy}</li>\n`;
	}
	yield '</ul>\n';
}

function* overTime({ ticks, noun }: Page): Generator<string> {
	const timeline = timelineOf(ticks);
	if (timeline === undefined) return;
	const { bars, pauses, retries, refused } = timeline;
	const present = outcomeNames.filter((name) => bars.some((bar) => bar[name] > 0));
	yield `<h2>Over time</h2>\n<figure>\n`;
	yield chart(timeline, present, '', plural(noun, 2));
	if (retries > 0) yield chart(timeline, ['refused', 'retried'], 'low', 'retries');
	const notes = [
		...(retries > 0 ? [`${number(retries)} retries, ${number(refused)} after a 429 or 503`] : []),
		...(pauses.length > 0 ? ['dashed: a pause until the run was resumed'] : []),
	];
	if (notes.length > 0) yield `<figcaption>${notes.join('; ')}</figcaption>\n`;
	yield '</figure>\n';
}

function chart({ barMs, bars, pauses }: Timeline, kinds: readonly (keyof Bar)[], size: string, what: string): string {
	const sums = bars.map((bar) => kinds.reduce((sum, kind) => sum + bar[kind], 0));
	const aSecond = Math.max(...sums) / (barMs / 1000);
	const [unit, unitMs] = aSecond < 1 ? ['minute', 60_000] : ['second', 1000];
	const perUnit = unitMs / barMs;
	const top = roundUp(Math.max(...sums) * perUnit);
	const marks = bars.flatMap((bar, index) => {
		let y = 100;
		return kinds.flatMap((kind) => {
			const height = (bar[kind] * perUnit * 100) / top;
			y -= height;
			return height === 0 ? [] : [rectangle(kind, index + 0.1, y, 0.8, height)];
		});
	});
	const lines = pauses.map((at) => `<line class="pause" x1="${at}" x2="${at}" y1="0" y2="100"/>`);
	const title = `${capital(what)} per ${unit}`;
	const scale = (size === '' ? [top, top / 2, 0] : [top, 0]).map((each) => `<span>${number(each)}</span>`);
	const span = bars.length * barMs;
	const times = ['0 s', durationText(span / 2), durationText(span)].map((each) => `<span>${each}</span>`);
	return [
		`<p class="faint">${encode(title)}</p>\n<div class="chart">\n`,
		`<div class="scale">${scale.join('')}</div>\n`,
		drawing(size === '' ? 'bars' : size, bars.length, 100, encode(title), [...marks, ...lines]),
		`<div class="times">${times.join('')}</div>\n</div>\n`,
	].join('');
}

/** Up to 1, 1.2, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 15 … */
function roundUp(value: number): number {
	const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
	return ([1, 1.2, 1.5, 2, 3, 4, 5, 6, 8].find((each) => each * power >= value) ?? 10) * power;
}

function* groupTable({ groups, ungrouped, state }: Page): Generator<string> {
	if (groups.length === 0) return;
	const isPlan = state === 'planned';
	yield `<h2>${isPlan ? 'Changes' : 'Reasons'}</h2>\n<table>\n<thead><tr>`;
	yield `<th scope="col" class="n">Rows</th>${isPlan ? '' : '<th scope="col">Outcome</th>'}`;
	yield `<th scope="col">${isPlan ? 'Change' : 'Reason'}</th><th scope="col">First</th></tr></thead>\n<tbody>\n`;
	for (const { rows, outcome, text, first } of groups) {
		const kind = outcome === undefined ? '' : `<td class="dot ${outcome}">${outcome}</td>`;
		yield `<tr><td class="n">${number(rows)}</td>${kind}`;
		yield `<td>${encode(text)}</td><td class="name">${linked(first)}</td></tr>\n`;
	}
	yield '</tbody>\n</table>\n';
	if (ungrouped > 0) yield `<p class="faint">${number(ungrouped)} more for other reasons.</p>\n`;
}

function linked({ name, link }: Group['first']): string {
	if (link === undefined) return encode(name);
	return `<a href="${escapeXml(link)}" rel="noreferrer">${encode(name)}</a>`;
}

/** Less important ones give way on a phone. */
interface Column {
	readonly title: string;
	readonly kind: string;
	cell(row: PageRow): string;
}

function columnsOf({ rows, noun }: Page): Column[] {
	const has = (test: (row: PageRow) => boolean): boolean => rows.some(test);
	const columns: [title: string, kind: string, isThere: boolean, cell: (row: PageRow) => string][] = [
		['Row', 'n', true, ({ row }) => String(row)],
		['Line', 'n wide', has(({ line }) => line !== undefined), ({ line = '' }) => String(line)],
		[capital(noun), 'name', true, linked],
		['Outcome', 'outcome', has(({ outcome }) => outcome !== undefined), ({ outcome = '' }) => outcome],
		['Changes', '', has(({ changes }) => changes.length > 0), ({ changes }) => changes.map(changeText).join('<br>')],
		['Reason', '', has(({ remarks }) => remarks !== ''), ({ remarks }) => encode(remarks)],
		['Attempts', 'n wide', has(({ attempts = 0 }) => attempts > 1), ({ attempts }) => String(attempts || '')],
		['Time', 'n wide', has(({ ms }) => ms !== undefined), timeText],
	];
	return columns.filter(([, , isThere]) => isThere).map(([title, kind, , cell]) => ({ title, kind, cell }));
}

const timeText = ({ ms = 0, attempts }: PageRow): string => (attempts === 0 ? '' : `${Math.round(ms)} ms`);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const changeText = ({ field, old, new: value }: Change): string =>
	`${encode(field)}: <del>${encode(valueText(old))}</del> → <ins>${encode(valueText(value))}</ins>`;

function* rowTable(page: Page): Generator<string> {
	const { rows, total, outcomes } = page;
	const columns = columnsOf(page);
	yield '<h2>Rows</h2>\n<div class="filter">\n';
	yield '<input id="words" type="search" placeholder="Filter rows" aria-label="Filter rows">\n';
	const shown = new Set(rows.map(({ outcome }) => outcome));
	for (const { name } of outcomes.filter((each) => shown.has(each.name))) yield chip(name);
	yield '<output id="shown" class="faint"></output>\n</div>\n';
	if (total > rows.length) {
		yield `<p class="faint">The first ${number(MOST_ROWS)} of ${number(total)} rows; for all of them use --report csv:FILE.</p>\n`;
	}
	const heads = columns.map(({ title, kind }) => {
		const name = kind === '' ? '' : ` class="${kind}"`;
		return `<th scope="col"${name}><button type="button">${encode(title)}</button></th>`;
	});
	yield `<table id="rows">\n<thead><tr>${heads.join('')}</tr></thead>\n<tbody>\n`;
	for (const row of rows) yield tableRow(row, columns);
	yield '</tbody>\n</table>\n';
}

const chip = (name: OutcomeName): string =>
	`<button type="button" class="dot ${name}" data-filter="${name}" aria-pressed="false">${name}</button>\n`;

function tableRow(row: PageRow, columns: readonly Column[]): string {
	const { outcome } = row;
	const cells = columns.map(({ kind, cell }) => {
		const name = kind === 'outcome' ? `dot ${outcome}` : kind;
		return `<td${name === '' ? '' : ` class="${name}"`}>${cell(row)}</td>`;
	});
	const data = outcome === undefined ? '' : ` data-outcome="${outcome}"`;
	return `<tr${data}>${cells.join('')}</tr>\n`;
}
