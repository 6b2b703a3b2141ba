/** The markdown report, for a CI job or a pull request. */

import { formatCount } from '../../text.js';
import { doneText } from '../change.js';
import { escapeMarkdown, plainText } from './escape.js';
import type { Page, PageRow } from './page.js';

/** A comment on GitHub has room for 65,536 characters; there may be something around the report. */
const MOST_BYTES = 58_000;
const MOST_CHECKED = 50;
const MOST_LEFT = 50;
const MOST_GROUPS = 10;
/** Of one text, in characters. */
const MOST_TEXT = 300;
/** A change is cut last: it is what is reviewed. */
const MOST_CHANGE = 2000;

export function* markdown(page: Page): Generator<string> {
	const { isPlan, rows, toCheck, changed, whole, wholeChanges } = page;
	let room = MOST_BYTES;
	for (const text of isPlan ? planTop(page) : runTop(page)) {
		room -= Buffer.byteLength(text);
		yield text;
	}
	const [checked, fine] = isPlan ? [[], rows] : [rows.slice(0, toCheck), rows.slice(toCheck)];
	if (!isPlan && toCheck > 0) {
		const hasChanges = checked.some(({ change }) => change !== undefined);
		yield '\n### Rows that need attention\n\n';
		yield runHead(hasChanges);
		const texts = checked.slice(0, MOST_CHECKED).map((row) => runRow(row, hasChanges));
		const given = changed === 0 ? room : room / 2;
		room -= given - (yield* fitting(texts, toCheck, given, whole));
	}
	if (changed === 0) return;
	yield '\n### Changes\n\n| row | what | change |\n| ---: | --- | --- |\n';
	yield* fitting(changeRows(fine), changed, room, wholeChanges);
}

function* changeRows(rows: readonly PageRow[]): Generator<string> {
	for (const { row, name, change } of rows) {
		if (change !== undefined) yield `| ${row} | ${cell(name)} | ${cell(doneText(change), MOST_CHANGE)} |\n`;
	}
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
	yield `\n### Not in the plan\n\n${runHead(false)}`;
	for (const row of page.left.slice(0, MOST_LEFT)) yield runRow(row);
	const more = Math.max(0, page.left.length - MOST_LEFT) + page.unlisted;
	if (more > 0) yield rest(more, page.whole);
}

function* runTop(page: Page): Generator<string> {
	const { groups, outcomes } = page;
	yield* top(page);
	if (outcomes.length > 0) {
		yield '| outcome | rows |\n| --- | ---: |\n';
		for (const { name, rows } of outcomes) yield `| ${name} | ${formatCount(rows)} |\n`;
	}
	yield* next(page);
	if (!groups.some(({ rows }) => rows > 1)) return;
	yield '\n### Reasons\n\n| rows | what | first |\n| ---: | --- | --- |\n';
	for (const { rows, text, first } of groups.slice(0, MOST_GROUPS)) {
		yield `| ${formatCount(rows)} | ${first.outcome}: ${cell(text)} | ${cell(first.name)} |\n`;
	}
	if (groups.length > MOST_GROUPS) yield `\n… and ${formatCount(groups.length - MOST_GROUPS)} more.\n`;
}

function* next({ steps }: Page): Generator<string> {
	if (steps.length > 0) yield '\n### Next\n\n';
	for (const [text, command] of steps) yield `- ${cell(text)}: ${code(command)}\n`;
}

/** As many rows as there is room for, and where the rest is. @returns the room that is left */
function* fitting(rows: Iterable<string>, total: number, given: number, whole: string): Generator<string, number> {
	let room = given;
	let shown = 0;
	for (const text of rows) {
		const size = Buffer.byteLength(text);
		if (size > room) break;
		room -= size;
		shown++;
		yield text;
	}
	if (total > shown) yield rest(total - shown, whole);
	return room;
}

function rest(rows: number, whole: string): string {
	return `\n… and ${formatCount(rows)} more: ${code(whole)}\n`;
}

function code(command: string): string {
	return `\`${plainText(command, MOST_TEXT).replaceAll('`', "'")}\``;
}

function cell(text: string, most = MOST_TEXT): string {
	return escapeMarkdown(plainText(text, most));
}

function runHead(hasChanges: boolean): string {
	return hasChanges
		? '| row | line | what | outcome | change | reason |\n| ---: | ---: | --- | --- | --- | --- |\n'
		: '| row | line | what | outcome | reason |\n| ---: | ---: | --- | --- | --- |\n';
}

function runRow({ row, line, name, outcome, remarks, change }: PageRow, hasChanges = false): string {
	const done = change === undefined ? '' : cell(doneText(change), MOST_CHANGE);
	const cells = [row, line ?? '', cell(name), outcome ?? '', ...(hasChanges ? [done] : []), cell(remarks)];
	return `| ${cells.join(' | ')} |\n`;
}
