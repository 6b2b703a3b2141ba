/** The HTML report: one page that loads nothing. */

import { createHash } from 'node:crypto';
import { plural } from '../../api/names.js';
import { type OutcomeName, outcomeNames } from '../../http/outcomes.js';
import { capitalized, durationText, formatCount } from '../../text.js';
import { actions, type Change, doneText, type FieldChange, itemsOf, sidesOf } from '../change.js';
import style from './browser.css' with { type: 'text' };
import script from './browser.js' with { type: 'text' };
import { escapeXml, plainText } from './escape.js';
import { type Page, type PageRow, workedMs } from './page.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');

/** No script and no style but ours: a report contains what strangers wrote. */
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
	yield `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${encode(page.about)}</p>
<p class="faint">${page.details.map((text) => encode(text)).join(' · ')}</p>
`;
	yield* totals(page);
	for (const problem of page.problems) yield `<p class="problem">${encode(problem)}</p>\n`;
	yield* outcomeBar(page);
	yield* nextSteps(page);
	yield* overTime(page);
	yield* groupTable(page);
	yield* leftTable(page);
	yield* rowTable(page);
	yield `</main>\n<script>${script}</script>\n</body>\n</html>\n`;
}

/** Of one text, in characters. */
const MOST_TEXT = 500;
/** Of one side of a change. */
const MOST_VALUE = 2000;
/** A change is cut last: it is what is reviewed. */
const MOST_CHANGE = 5000;

function encode(text: string, most = MOST_TEXT): string {
	return escapeXml(plainText(text, most));
}

function* totals({ totals: parts }: Page): Generator<string> {
	if (parts.length === 0) return;
	yield `<ul class="totals">${parts.map((text) => `<li>${encode(text)}</li>`).join('')}</ul>\n`;
}

/** A drawing as wide as the page; its own units are `width` × `height`. */
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
	const label = outcomes.map(({ name, rows }) => `${formatCount(rows)} ${name}`).join(', ');
	yield drawing('share', x, 1, label, marks);
	const key = outcomes.map(({ name, rows }) => `<li class="dot ${name}"><b>${formatCount(rows)}</b> ${name}</li>`);
	yield `<ul class="key">${key.join('')}</ul>\n`;
}

function* nextSteps({ steps, apply }: Page): Generator<string> {
	if (steps.length === 0) return;
	yield '<h2>Next</h2>\n<ul class="steps">\n';
	for (const [text, command] of steps) {
		const copy = '<button type="button" class="copy" hidden>Copy</button>';
		const code = command === apply ? '<code id="apply">' : '<code>';
		yield `<li><span>${encode(capitalized(text))}</span>${code}${encode(command)}</code>${copy}</li>\n`;
	}
	yield '</ul>\n';
}

const MOST_BARS = 60;
const LEAST_BARS = 10;

type Bar = Partial<Record<OutcomeName, number>>;

function* overTime({ ticks, noun }: Page): Generator<string> {
	if (ticks.length === 0) return;
	const span = workedMs(ticks);
	const barMs = 1000 * Math.max(1, Math.ceil(span / 1000 / MOST_BARS));
	const bars = Array.from({ length: Math.max(LEAST_BARS, Math.ceil(span / barMs)) }, (): Bar => ({}));
	for (const { ms, end, outcomes } of ticks) {
		const bar = bars[Math.floor((end - ms / 2) / barMs)] ?? {};
		for (const name of outcomeNames) bar[name] = (bar[name] ?? 0) + (outcomes[name] ?? 0);
	}
	const top = Math.max(...bars.map((bar) => Object.values(bar).reduce((sum, rows) => sum + rows, 0)));
	const marks = bars.flatMap((bar, index) => {
		let y = 100;
		return outcomeNames.flatMap((name) => {
			const height = ((bar[name] ?? 0) * 100) / top;
			y -= height;
			return height > 0 ? [rectangle(name, index + 0.1, y, 0.8, height)] : [];
		});
	});
	const title = encode(`${capitalized(plural(noun, 2))} per second`);
	const most = Number(((top * 1000) / barMs).toPrecision(2));
	const times = ['0 s', durationText((bars.length * barMs) / 2), durationText(bars.length * barMs)];
	yield `<h2>Over time</h2>
<figure>
<p class="faint">${title}</p>
<div class="chart">
<div class="scale"><span>${formatCount(most)}</span><span>0</span></div>
${drawing('bars', bars.length, 100, title, marks)}<div class="times">${times.map((time) => `<span>${time}</span>`).join('')}</div>
</div>
</figure>
`;
}

function* groupTable({ groups, ungrouped }: Page): Generator<string> {
	if (groups.length === 0) return;
	yield '<h2>Reasons</h2>\n<table class="rows">\n<thead><tr><th scope="col" class="n">Rows</th>';
	yield '<th scope="col">Outcome</th><th scope="col">Reason</th><th scope="col">First</th></tr></thead>\n<tbody>\n';
	for (const { rows, text, first } of groups) {
		yield `<tr><td class="n">${formatCount(rows)}</td>${outcomeCell(first)}`;
		yield `<td class="wide">${encode(text)}</td><td class="name">${linked(first)}</td></tr>\n`;
	}
	yield '</tbody>\n</table>\n';
	if (ungrouped > 0) yield `<p class="faint">${formatCount(ungrouped)} more for other reasons.</p>\n`;
}

function* leftTable({ left, unlisted, noun, whole }: Page): Generator<string> {
	if (left.length === 0) return;
	yield '<h2>Not in the plan</h2>\n<table class="rows">\n<thead><tr><th scope="col" class="n">Row</th>';
	yield `<th scope="col" class="n">Line</th><th scope="col">${encode(capitalized(noun))}</th>`;
	yield '<th scope="col">Outcome</th><th scope="col">Reason</th></tr></thead>\n<tbody>\n';
	for (const row of left)
		yield `<tr>${placeCells(row)}${outcomeCell(row)}<td class="wide">${encode(row.remarks)}</td></tr>\n`;
	yield '</tbody>\n</table>\n';
	if (unlisted > 0) yield `<p class="faint">… and ${formatCount(unlisted)} more: <code>${encode(whole)}</code></p>\n`;
}

function placeCells(shown: PageRow): string {
	const { row, line = '' } = shown;
	const numbers = [row, line].map((value) => `<td class="n">${encode(String(value))}</td>`);
	return `${numbers.join('')}<td class="name">${linked(shown)}</td>`;
}

function outcomeCell({ outcome }: PageRow): string {
	return outcome === undefined ? '' : `<td class="dot ${outcome}">${outcome}</td>`;
}

function linked({ name, link }: PageRow): string {
	if (link === undefined) return encode(name);
	return `<a href="${escapeXml(link)}" rel="noreferrer">${encode(name)}</a>`;
}

function changeCell(change: Change): string {
	if (!actions[change.action].setsFields) return encode(doneText(change), MOST_CHANGE);
	return change.fields.map(fieldLine).join('<br>');
}

function fieldLine(change: FieldChange): string {
	const field = encode(change.field);
	const items = itemsOf(change).map((text) => markOf(text.startsWith('+') ? 'ins' : 'del', text));
	if (items.length > 0) return `${field}: ${items.join(' ')}`;
	const { old, new: next } = sidesOf(change, { most: MOST_VALUE, inCells: true });
	if (change.stays === true) return `${field} stays ${encode(next, MOST_CHANGE)}`;
	return `${field}: ${old === undefined ? '' : `${markOf('del', old)} → `}${markOf('ins', next)}`;
}

function markOf(tag: 'ins' | 'del', text: string): string {
	return `<${tag}>${encode(text, MOST_CHANGE)}</${tag}>`;
}

/** Columns of the row and of its line. */
const NUMBERS = 2;

function* rowTable({ rows, total, outcomes, noun, isPlan, whole, apply }: Page): Generator<string> {
	yield `<h2>${isPlan ? 'Changes' : 'Rows'}</h2>\n<div class="filter">\n`;
	yield '<input id="words" type="search" placeholder="Filter rows" aria-label="Filter rows">\n';
	const shown = new Set(rows.map(({ outcome }) => outcome));
	for (const { name } of outcomes.filter((each) => shown.has(each.name))) {
		yield `<button type="button" class="dot ${name}" data-filter="${name}" aria-pressed="false">${name}</button>\n`;
	}
	yield '<output id="shown" class="faint"></output>\n</div>\n';
	if (total > rows.length) {
		const more = `all of them: <code>${encode(whole)}</code>`;
		yield `<p class="faint">The first ${formatCount(rows.length)} of ${formatCount(total)} rows; ${more}</p>\n`;
	}
	// Without scripts there is nothing to choose.
	const isChosen = apply !== undefined;
	const all = '<input id="all" type="checkbox" checked aria-label="All rows that are shown">';
	const hasChanges = rows.some(({ change }) => change !== undefined);
	const titles = ['Row', 'Line', capitalized(noun)];
	if (!isPlan) titles.push('Outcome');
	if (hasChanges) titles.push('Change');
	if (!isPlan) titles.push('Reason');
	const heads = titles.map((title, at) => {
		const kind = at < NUMBERS ? ' class="n"' : '';
		return `<th scope="col"${kind}><button type="button">${encode(title)}</button></th>`;
	});
	if (isChosen) heads.unshift(`<th scope="col" class="box" hidden>${all}</th>`);
	yield `<table id="rows" class="rows">\n<thead><tr>${heads.join('')}</tr></thead>\n<tbody>\n`;
	for (const row of rows) {
		const { outcome, change, remarks, id = '', name } = row;
		yield outcome === undefined ? '<tr>' : `<tr data-outcome="${outcome}">`;
		const box = `<input type="checkbox" checked value="${encode(id)}" aria-label="${encode(`Apply ${name}`)}">`;
		if (isChosen) yield `<td class="box" hidden>${box}</td>`;
		yield placeCells(row);
		yield outcomeCell(row);
		if (hasChanges) yield `<td class="wide">${change === undefined ? '' : changeCell(change)}</td>`;
		if (!isPlan) yield `<td class="wide">${encode(remarks)}</td>`;
		yield '</tr>\n';
	}
	yield '</tbody>\n</table>\n';
}
