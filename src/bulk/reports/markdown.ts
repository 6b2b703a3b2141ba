/** The markdown report, for a CI job or a pull request. */

import { escapeMarkdown, plainText } from './escape.js';
import { type Page, type PageRow, valueText } from './page.js';

const MOST_ROWS = 50;
const MOST_GROUPS = 10;
/** A comment on GitHub has room for 65,536 characters. */
const MOST_TEXT = 300;

export function* markdown(page: Page): Generator<string> {
	const { isPlan, rows, toCheck, groups, outcomes } = page;
	yield `## ${cell(page.title)}\n\n${cell(page.about)}.\n\n`;
	yield `${page.details.map(cell).join(' · ')}\n\n`;
	for (const problem of page.problems) yield `**${cell(problem)}**\n\n`;
	if (outcomes.length > 0) {
		yield '| outcome | rows |\n| --- | ---: |\n';
		for (const { name, rows } of outcomes) yield `| ${name} | ${rows} |\n`;
	}
	if (groups.some(({ rows }) => rows > 1)) {
		yield `\n### ${isPlan ? 'Changes' : 'Reasons'}\n\n`;
		yield '| rows | what | first |\n| ---: | --- | --- |\n';
		for (const { rows, text, first } of groups.slice(0, MOST_GROUPS)) {
			const outcome = isPlan ? '' : `${first.outcome}: `;
			yield `| ${rows} | ${outcome}${cell(text)} | ${cell(first.name)} |\n`;
		}
		if (groups.length > MOST_GROUPS) yield `\n… and ${groups.length - MOST_GROUPS} more.\n`;
	}
	if (toCheck > 0) {
		yield isPlan ? '\n### Rows\n\n' : '\n### Rows that need attention\n\n';
		yield* table(rows.slice(0, Math.min(toCheck, MOST_ROWS)), isPlan);
		if (toCheck > MOST_ROWS) yield `\n… and ${toCheck - MOST_ROWS} more.\n`;
	}
	if (page.steps.length > 0) yield '\n### Next\n\n';
	for (const [text, command] of page.steps) yield `- ${cell(text)}: \`${command.replaceAll('`', "'")}\`\n`;
}

function cell(text: string): string {
	return escapeMarkdown(plainText(text, MOST_TEXT));
}

function* table(rows: readonly PageRow[], isPlan: boolean): Generator<string> {
	yield isPlan ? '| row | what | changes |\n' : '| row | line | what | outcome | reason |\n';
	yield isPlan ? '| ---: | --- | --- |\n' : '| ---: | ---: | --- | --- | --- |\n';
	for (const { row, line = '', name, outcome, remarks, changes } of rows) {
		const changed = changes.map((each) => `${each.field}: ${valueText(each.old)} → ${valueText(each.new)}`);
		const cells = isPlan ? [row, name, changed.join('; ')] : [row, line, name, outcome, remarks];
		yield `| ${cells.map((each) => cell(String(each))).join(' | ')} |\n`;
	}
}
