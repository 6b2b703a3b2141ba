/** What `run undo` promises. */

import type { Shown } from '../../support/objects.js';
import { expectThat, isSameValue, type ModelRun, type Part, statesOf } from './asked.js';
import type { ModelDesk } from './desk.js';
import type { ShownInstead } from './records.js';

/**
 * @param atUndo how many states there were before `run undo` began
 * @param exitCode of the last command of the undo; null if it was killed
 * @param part undefined for all
 * @param shown what the service showed the run after its writes
 */
export function checkUndone(
	desk: ModelDesk,
	run: ModelRun,
	atUndo: number,
	exitCode: number | null,
	part: Part | undefined,
	shown: ShownInstead,
): void {
	for (const path of new Set(run.rows.map((row) => row.path))) {
		const states = statesOf(desk, run, path).filter((each) => desk.states.indexOf(each) < atUndo);
		const before = states[0]?.held;
		const written = desk.held(path, atUndo);
		const now = desk.held(path);
		for (const name of Object.keys({ ...before, ...written, ...now })) {
			if (name === 'modified_gmt') continue;
			const values = { before: before?.[name], written: written?.[name], now: now?.[name] };
			const facts = { run: run.id, path, name, ...values, exitCode };
			const isNow = (held: Shown | undefined): boolean => isSameValue(name, now?.[name], held?.[name]);
			const wrote = states.filter(({ sent, by }) => by === run.id && Object.hasOwn(sent, name));
			const last = wrote.at(-1);
			const theirs = states.filter(({ sent, by }) => by === 'others' && Object.hasOwn(sent, name));
			const lastAt = last === undefined ? -1 : states.indexOf(last);
			const isAfter = last !== undefined && theirs.some((each) => states.indexOf(each) > lastAt);
			const olds = [before, ...theirs.filter((each) => states.indexOf(each) < lastAt).map(({ held }) => held)];
			const meanwhile = desk.states
				.slice(atUndo)
				.findLast((each) => each.by === 'others' && each.path === path && Object.hasOwn(each.sent, name));
			// A value that the run wrote too, or was shown for its own, is the run's, whoever wrote it.
			const own = [...wrote.map(({ held }) => held?.[name]), ...shown(path, name)];
			const isOwn = (held: Shown | undefined): boolean => own.some((value) => isSameValue(name, value, held?.[name]));
			if (meanwhile !== undefined && isOwn(meanwhile.held)) continue;
			if (meanwhile !== undefined) {
				expectThat(isNow(meanwhile.held), 'undo leaves what somebody writes meanwhile', facts);
				continue;
			}
			const isChosen = part === undefined || (part.paths.has(path) && part.fields?.has(name) !== false);
			if (!isChosen) {
				expectThat(isNow(written), 'undo leaves what it is not to put back', facts);
				continue;
			}
			if (last === undefined) expectThat(isNow(written), 'undo leaves what the run did not write', facts);
			else if (isAfter && !isOwn(written)) {
				expectThat(isNow(written), "undo leaves somebody else's value", facts);
			} else {
				expectThat(olds.some(isNow) || (exitCode !== 0 && isNow(written)), 'undo puts back the old value', facts);
			}
			const isBack = last === undefined || olds.some(isNow);
			if (exitCode === 0) expectThat(isBack, 'undo that exits 0 has put back every field', facts);
		}
	}
}
