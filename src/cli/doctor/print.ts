/** Findings as a person reads them: a line each, and below it what to do. */

import type { Palette } from '../../output/colour.js';
import { outcomeStyle } from '../../output/colour.js';
import { sanitise } from '../../output/sanitise.js';
import { wrap } from '../help/page.js';
import type { Finding } from './finding.js';

/** As wide as the longest names: `skipped`, `credentials`. */
const RESULT = 7;
const CHECK = 11;
const GAP = '  ';
const INDENT = RESULT + CHECK + 2 * GAP.length;

/** Where the text would have less room than this, it begins on a line of its own. */
const LEAST_ROOM = 30;

function paint(palette: Palette, result: string): string {
	const style = result === 'skipped' ? palette.faint : outcomeStyle(palette, result);
	return style(result.padEnd(RESULT));
}

/** The lines of a finding, each ending in a line break. */
export function findingText({ check, result, message, hint }: Finding, width: number, palette: Palette): string {
	const room = width - INDENT;
	const indent = room < LEAST_ROOM ? 4 : INDENT;
	const texts = wrap(sanitise(message), width - indent);
	const hints = hint === undefined ? [] : wrap(`-> ${sanitise(hint)}`, width - indent);
	const blanks = ' '.repeat(indent);
	const head = `${paint(palette, result)}${GAP}${check.padEnd(CHECK)}`;
	const [first = '', ...rest] = texts;
	const lines = indent === INDENT ? [`${head}${GAP}${first}`] : [head.trimEnd(), blanks + first];
	for (const text of rest) lines.push(blanks + text);
	for (const text of hints) lines.push(blanks + palette.strong(text));
	return lines.map((line) => `${line}\n`).join('');
}

/** The last line: how many failed. */
export function summaryText(findings: readonly Finding[]): string {
	const count = (result: string): number => findings.filter((each) => each.result === result).length;
	const [failures, warnings] = [count('fail'), count('warn')];
	if (failures + warnings === 0) return 'nothing is wrong\n';
	const parts = [
		...(failures > 0 ? [`${failures} ${failures === 1 ? 'check' : 'checks'} failed`] : []),
		...(warnings > 0 ? [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`] : []),
	];
	return `${parts.join(', ')}\n`;
}
