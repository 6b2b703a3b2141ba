/** Plan files that supportctl did not write. */

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealed } from '../../src/bulk/journal/records.js';
import type { RunPlan } from '../../src/bulk/plan.js';
import type { RowSource } from '../../src/bulk/sources.js';
import { headerOf } from './journal.js';
import { temporaryFolder } from './temporary.js';

export type PlanLine = Record<string, unknown>;

/** A plan of these lines, the header first, sealed and with its digest. */
export function sealPlan(lines: readonly PlanLine[], rows: unknown): { text: string; sha256: string } {
	const body = lines.map((line) => `${sealed(JSON.stringify(line))}\n`).join('');
	const sha256 = createHash('sha256').update(body).digest('hex');
	return { text: `${body}${sealed(JSON.stringify({ type: 'digest', sha256, rows }))}\n`, sha256 };
}

/** The plan with another content, sealed and with a digest as if it had been made so. @param change gets its first row, too */
export function forge(text: string, change: (row: PlanLine, lines: PlanLine[]) => void): string {
	const all = text.trimEnd().split('\n');
	const [...lines] = all.map((line) => {
		const { crc: _, ...content } = JSON.parse(line) as PlanLine;
		return content;
	});
	const { rows } = lines.pop() ?? {};
	change(lines.find(({ type }) => type === 'planned') ?? {}, lines);
	return sealPlan(lines, rows).text;
}

/** A plan with these lines behind its header, sealed and with its digest. */
export function planWith(lines: readonly PlanLine[], more: Partial<RunPlan> = {}) {
	const header = headerOf(lines.length, more);
	const { text, sha256 } = sealPlan([{ type: 'saved-plan', version: 3, ...header }, ...lines], lines.length);
	const path = join(temporaryFolder(), 'p.plan');
	writeFileSync(path, text);
	return { path, plan: header.plan, sha256 };
}

/** A row that updates a ticket. */
export const planned = (more: PlanLine = {}): PlanLine => ({
	...{ type: 'planned', row: 1, line: 2, ids: { id: '14' }, label: 'Printer', fields: { status: 'hold' } },
	before: { values: { status: 'read' }, absent: [] },
	...more,
});

/** What an apply of the plan takes its rows from. */
export const sourceOf = ({ path, sha256 }: { path: string; sha256: string }) =>
	({ from: 'plan', path, sha256, allowDrift: false }) satisfies RowSource;
