/** One call of `doctor`: prints each finding as it comes, and says by the exit code whether any check failed. */

import { ExitCode } from '../../errors.js';
import { outcomeStyle, type Palette } from '../../output/colour.js';
import { redactUrl } from '../../output/redact.js';
import { sanitise } from '../../output/sanitise.js';
import type { Invocation } from '../command.js';
import { helpWidth, wrap } from '../help/page.js';
import { leaveOnSignal } from '../interruption.js';
import { paletteFor } from '../notices.js';
import { isOwnTable, openResults, wantsJson } from '../results.js';
import { examine, type Finding } from './checks.js';

export async function runDoctor(invocation: Invocation): Promise<ExitCode> {
	const { context, options } = invocation;
	const palette = await paletteFor(invocation, 'stdout');
	const forPerson = isOwnTable(invocation);
	const results = await openResults(invocation, {
		keys: ['check', 'result', 'message', 'hint'],
		idOf: ({ check }) => check,
		columns: [
			{ path: 'result' },
			{ path: 'check' },
			{ path: 'message', important: true },
			{ path: 'hint', optional: true },
		],
	});
	const counts = { pass: 0, warn: 0, fail: 0, skipped: 0 };
	const unlisten = leaveOnSignal(invocation, 'nothing was changed');
	try {
		for await (const { check, result, message, hint } of examine(invocation)) {
			counts[result]++;
			const finding = { check, result, message: redactUrl(message), hint: hint && redactUrl(hint) };
			if (forPerson) context.stdout.write(findingText(finding, helpWidth(context.stdout.columns), palette));
			else await results.row({ ...finding, hint: finding.hint ?? null });
		}
	} finally {
		unlisten();
	}
	if (!forPerson) await results.end();
	if (options.quiet !== true && !wantsJson(options)) {
		const { fail, warn } = counts;
		const failed = fail > 0 ? [`${fail} ${fail === 1 ? 'check' : 'checks'} failed`] : [];
		const warned = warn > 0 ? [`${warn} ${warn === 1 ? 'warning' : 'warnings'}`] : [];
		context.stderr.write(`${[...failed, ...warned].join(', ') || 'nothing is wrong'}\n`);
	}
	return counts.fail > 0 ? ExitCode.failed : ExitCode.ok;
}

/** As wide as the longest names: `skipped`, `credentials`. */
const RESULT = 9;
const CHECK = 13;

/** A line, and more where it is long; below it what to do. Each ends in a line break. */
export function findingText({ check, result, message, hint }: Finding, width: number, palette: Palette): string {
	const style = result === 'skipped' ? palette.faint : outcomeStyle(palette, result);
	const room = width - RESULT - CHECK;
	const [first = '', ...rest] = wrap(sanitise(message), room);
	const hints = hint === undefined ? [] : wrap(`-> ${sanitise(hint)}`, room).map(palette.strong);
	const head = `${style(result.padEnd(RESULT))}${check.padEnd(CHECK)}${first}\n`;
	return head + [...rest, ...hints].map((line) => `${' '.repeat(RESULT + CHECK)}${line}\n`).join('');
}
