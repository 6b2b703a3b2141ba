/** The markdown report, for a CI job or a pull request. */

import { type Change, doneText } from '../change.js';
import { escapeMarkdown, plainText } from './escape.js';
import { formatCount, type Page, type PageRow } from './page.js';

/** A comment on GitHub has room for 65,536 characters; there may be something around the report. */
const MOST_BYTES = 58_000;
const MOST_CHECKED = 50;
const MOST_LEFT = 50;
const MOST_GROUPS = 10;
/** A comment on GitHub has room for 65,536 characters. */
const MOST_TEXT = 300;
/** A change is cut last: it is what is reviewed. */
const MOST_CHANGE = 2000;

export function* markdown(page: Page): Generator<string> {
	let room = MOST_BYTES;
	for (const text of page.isPlan ? planTop(page) : runTop(page)) {
		room -= Buffer.byteLength(text);
		yield text;
	}
	if (page.toCheck > 0) yield* rowTable(page, room);
}

function* top({ title, about, details, problems, totals }: Page): Generator<string> {
	yield `## ${cell(title)}\n\n${cell(about)}.\n\n`;
	yield `${details.map((text) => cell(text)).join(' · ')}\n\n`;
	for (const text of totals) yield `- ${cell(text)}\n`;
	if (totals.length > 0) yield '\n';
	for (const problem of problems) yield `**${cell(problem)}**\n\n`;
}

function* planTop(page: Page): Generator<string> {
	yield* top(page);
	yield* next(page);
	if (page.left.length === 0) return;
	yield '\n### Not in the plan\n\n| row | line | what | outcome | reason |\n| ---: | ---: | --- | --- | --- |\n';
	for (const row of page.left.slice(0, MOST_LEFT)) yield runRow(row);
	if (page.left.length > MOST_LEFT) yield rest(page.left.length - MOST_LEFT, page);
}

function* runTop(page: Page): Generator<string> {
	const { groups, outcomes } = page;
	yield* top(page);
	if (outcomes.length > 0) {
		yield '| outcome | rows |\n| --- | ---: |\n';
		for (const { name, rows } of outcomes) yield `| ${name} | ${rows} |\n`;
	}
	yield* next(page);
	if (!groups.some(({ rows }) => rows > 1)) return;
	yield '\n### Reasons\n\n| rows | what | first |\n| ---: | --- | --- |\n';
	for (const { rows, text, first } of groups.slice(0, MOST_GROUPS)) {
		yield `| ${rows} | ${first.outcome}: ${cell(text)} | ${cell(first.name)} |\n`;
	}
	if (groups.length > MOST_GROUPS) yield `\n… and ${groups.length - MOST_GROUPS} more.\n`;
}

function* next({ steps }: Page): Generator<string> {
	if (steps.length > 0) yield '\n### Next\n\n';
	for (const [text, command] of steps) yield `- ${cell(text)}: ${code(command)}\n`;
}

/** As many rows as there is room for. */
function* rowTable(page: Page, given: number): Generator<string> {
	const { isPlan, rows, toCheck } = page;
	yield isPlan
		? '\n### Changes\n\n| row | what | change |\n| ---: | --- | --- |\n'
		: '\n### Rows that need attention\n\n| row | line | what | outcome | reason |\n| ---: | ---: | --- | --- | --- |\n';
	const most = isPlan ? rows.length : Math.min(toCheck, MOST_CHECKED);
	let room = given;
	let shown = 0;
	for (const row of rows.slice(0, most)) {
		const text = isPlan ? planRow(row) : runRow(row);
		room -= Buffer.byteLength(text);
		if (room < 0) break;
		shown++;
		yield text;
	}
	if (toCheck > shown) yield rest(toCheck - shown, page);
}

function rest(rows: number, { whole }: Page): string {
	return `\n… and ${formatCount(rows)} more: ${code(whole)}\n`;
}

function code(command: string): string {
	return `\`${plainText(command, MOST_TEXT).replaceAll('`', "'")}\``;
}

function cell(text: string, most = MOST_TEXT): string {
	return escapeMarkdown(plainText(text, most));
}

function planRow({ row, name, change }: PageRow): string {
	return `| ${row} | ${cell(name)} | ${change === undefined ? '' : changeCell(change)} |\n`;
}

function changeCell(change: Change): string {
	return cell(doneText(change), MOST_CHANGE);
}

function runRow({ row, line, name, outcome, remarks }: PageRow): string {
	return `| ${row} | ${line ?? ''} | ${cell(name)} | ${outcome ?? ''} | ${cell(remarks)} |\n`;
}
