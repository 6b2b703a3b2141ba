/** One call of `doctor`: prints each finding as it comes, and says by the exit code whether any check failed. */

import { ExitCode } from '../../errors.js';
import { outcomeStyle, type Palette } from '../../output/colour.js';
import { redactUrl } from '../../output/redact.js';
import { sanitise } from '../../output/sanitise.js';
import type { Invocation } from '../command.js';
import { helpWidth, wrap } from '../help/page.js';
import { leaveOnSignal } from '../interruption.js';
import { stdoutPalette } from '../palette.js';
import { chosenFormat, openResults, wantsJson } from '../results.js';
import { examine } from './examine.js';
import type { Finding } from './finding.js';

/** @throws nothing for what is wrong: that is what it is there to say */
export async function runDoctor(invocation: Invocation): Promise<ExitCode> {
	const { context, options } = invocation;
	const palette = await stdoutPalette(invocation);
	const forPerson =
		context.stdout.isTTY &&
		chosenFormat(options) === undefined &&
		[options.fields, options.field, options.query].every((each) => each === undefined);
	const results = await openResults(invocation, {
		palette,
		keys: ['check', 'result', 'message', 'hint'],
		idOf: ({ check }) => check,
		columns: [
			{ path: 'result' },
			{ path: 'check' },
			{ path: 'message', important: true },
			{ path: 'hint', optional: true },
		],
	});
	const findings: Finding[] = [];
	const unlisten = leaveOnSignal(invocation, 'nothing was changed');
	try {
		for await (const found of examine(invocation)) {
			const hint = found.hint === undefined ? undefined : redactUrl(found.hint);
			const finding = { ...found, message: redactUrl(found.message), hint };
			findings.push(finding);
			if (forPerson) context.stdout.write(findingText(finding, helpWidth(context.stdout.columns), palette));
			else await results.row({ ...finding, hint: finding.hint ?? null });
		}
	} finally {
		unlisten();
	}
	if (!forPerson) await results.end();
	if (options.quiet !== true && !wantsJson(options)) context.stderr.write(summaryText(findings));
	return findings.some((each) => each.result === 'fail') ? ExitCode.failed : ExitCode.ok;
}

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
	const spaces = ' '.repeat(indent);
	const head = `${paint(palette, result)}${GAP}${check.padEnd(CHECK)}`;
	const [first = '', ...rest] = texts;
	const lines = indent === INDENT ? [`${head}${GAP}${first}`] : [head.trimEnd(), spaces + first];
	for (const text of rest) lines.push(spaces + text);
	for (const text of hints) lines.push(spaces + palette.strong(text));
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
