/** The commands that a test ran; where it fails, its message shows the last of them with what they printed. */

import { onTestFailed, TestRunner } from 'vitest';
import { runsBesideOthers } from './test-end.js';

const SHOWN = 3;

let test: ReturnType<typeof TestRunner.getCurrentTest>;
let ran: string[] = [];

export function noteCommand(
	argv: readonly string[],
	{ exitCode, stderr }: { exitCode: number | null; stderr: string },
): void {
	const current = TestRunner.getCurrentTest();
	if (current === undefined || runsBesideOthers()) return;
	if (current !== test) {
		test = current;
		const own: string[] = [];
		ran = own;
		onTestFailed(({ task }) => {
			const [error] = task.result?.errors ?? [];
			if (error !== undefined) error.message += `\n\nCommands, the last ones:\n${own.slice(-SHOWN).join('\n')}`;
		});
	}
	ran.push(`supportctl ${argv.join(' ')}  (exit ${exitCode})\n${stderr.slice(0, 2000)}`);
}
