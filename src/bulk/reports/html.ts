/** The HTML report: one page that loads nothing. */

import { createHash } from 'node:crypto';
import { plural } from '../../api/names.js';
import { type OutcomeName, outcomeNames } from '../../http/outcomes.js';
import { durationText } from '../../text.js';
import style from './browser.css' with { type: 'text' };
import script from './browser.js' with { type: 'text' };
import { escapeXml, plainText } from './escape.js';
import { type Change, formatCount, MOST_ROWS, type Page, type PageRow, valueText, workedMs } from './page.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');

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
<p class="faint">${page.details.map(encode).join(' · ')}</p>
`;
	for (const problem of page.problems) yield `<p class="problem">${encode(problem)}</p>\n`;
	yield* outcomeBar(page);
	yield* nextSteps(page);
	yield* overTime(page);
	yield* groupTable(page);
	yield* rowTable(page);
	yield `</main>\n<script>${script}</script>\n</body>\n</html>\n`;
}

function encode(text: string): string {
	return escapeXml(plainText(text, 500));
}

function capital(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

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
	const key = outcomes.map(({ name, rows }) => `<li class="dot ${name}"><b>${formatCount(rows)}</b> ${name}</li>`);
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
	const title = encode(`${capital(plural(noun, 2))} per second`);
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

function* groupTable({ groups, ungrouped, isPlan }: Page): Generator<string> {
	if (groups.length === 0) return;
	yield `<h2>${isPlan ? 'Changes' : 'Reasons'}</h2>\n<table>\n<thead><tr>`;
	yield `<th scope="col" class="n">Rows</th>${isPlan ? '' : '<th scope="col">Outcome</th>'}`;
	yield `<th scope="col">${isPlan ? 'Change' : 'Reason'}</th><th scope="col">First</th></tr></thead>\n<tbody>\n`;
	for (const { rows, text, first } of groups) {
		yield `<tr><td class="n">${formatCount(rows)}</td>${outcomeCell(first)}`;
		yield `<td>${encode(text)}</td><td class="name">${linked(first)}</td></tr>\n`;
	}
	yield '</tbody>\n</table>\n';
	if (ungrouped > 0) yield `<p class="faint">${formatCount(ungrouped)} more for other reasons.</p>\n`;
}

function outcomeCell({ outcome }: PageRow): string {
	return outcome === undefined ? '' : `<td class="dot ${outcome}">${outcome}</td>`;
}

function linked({ name, link }: PageRow): string {
	if (link === undefined) return encode(name);
	return `<a href="${escapeXml(link)}" rel="noreferrer">${encode(name)}</a>`;
}

function changeText({ field, old, new: value }: Change): string {
	return `${encode(field)}: <del>${encode(valueText(old))}</del> → <ins>${encode(valueText(value))}</ins>`;
}

function* rowTable({ rows, total, outcomes, noun, isPlan }: Page): Generator<string> {
	yield '<h2>Rows</h2>\n<div class="filter">\n';
	yield '<input id="words" type="search" placeholder="Filter rows" aria-label="Filter rows">\n';
	const shown = new Set(rows.map(({ outcome }) => outcome));
	for (const { name } of outcomes.filter((each) => shown.has(each.name))) {
		yield `<button type="button" class="dot ${name}" data-filter="${name}" aria-pressed="false">${name}</button>\n`;
	}
	yield '<output id="shown" class="faint"></output>\n</div>\n';
	if (total > rows.length) {
		const more = 'supportctl run show prints all of them';
		yield `<p class="faint">The first ${formatCount(MOST_ROWS)} of ${formatCount(total)} rows; ${more}.</p>\n`;
	}
	const titles = ['Row', 'Line', capital(noun), ...(isPlan ? ['Changes'] : ['Outcome', 'Reason'])];
	const heads = titles.map((title) => `<th scope="col"><button type="button">${encode(title)}</button></th>`);
	yield `<table id="rows">\n<thead><tr>${heads.join('')}</tr></thead>\n<tbody>\n`;
	for (const row of rows) {
		const { line = '', outcome, changes, remarks } = row;
		yield outcome === undefined ? '<tr>' : `<tr data-outcome="${outcome}">`;
		yield `<td class="n">${row.row}</td><td class="n">${line}</td><td class="name">${linked(row)}</td>`;
		yield isPlan
			? `<td>${changes.map(changeText).join('<br>')}</td>`
			: `${outcomeCell(row)}<td>${encode(remarks)}</td>`;
		yield '</tr>\n';
	}
	yield '</tbody>\n</table>\n';
}
