/** Plan files that supportctl did not write. */

import { createHash } from 'node:crypto';
import { sealed } from '../../src/bulk/journal/records.js';

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
