/** One call of `doctor`: prints each finding as it comes, and says by the exit code whether any check failed. */

import { ExitCode } from '../../errors.js';
import { redactUrl } from '../../output/redact.js';
import type { Invocation } from '../command.js';
import { helpWidth } from '../help/page.js';
import { leaveOnSignal } from '../interruption.js';
import { stdoutPalette } from '../palette.js';
import { chosenFormat, openResults, wantsJson } from '../results.js';
import { examine } from './examine.js';
import type { Finding } from './finding.js';
import { findingText, summaryText } from './print.js';

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
