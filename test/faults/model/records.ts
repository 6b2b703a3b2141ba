/** What journals and plans say of rows. */

import { jsonLines } from '../../support/cli.js';
import { pathOf, type Shown } from '../../support/objects.js';
import { type Asked, expectThat, type Recorded } from './asked.js';

export type Line = { readonly type: string } & Record<string, unknown>;

type Row = Recorded & {
	readonly row: number;
	readonly differs?: readonly { readonly field: string; readonly shown: unknown }[];
};

/** Whole lines: a kill may have torn the last. */
export function linesIn(text: string): Line[] {
	return jsonLines<Line>(text.replace(/[^\n]+$/, ''));
}

/** Of the run. */
export const idIn = ([header]: readonly Line[]): string => String(header?.id);

/** How many rows the run has. */
export function ownRowsIn([header]: readonly Line[]): number {
	return (header as { input?: { own: number } } | undefined)?.input?.own ?? 0;
}

export function rowsIn(lines: readonly Line[]): Row[] {
	return lines.filter(({ type }) => type === 'row') as unknown as Row[];
}

/** Values that responses to the run's writes showed in place of its own, by path and field: they count as the run's. */
export type ShownInstead = (path: string, field: string) => readonly unknown[];

export function shownIn(lines: readonly Line[], rows: readonly Asked[]): ShownInstead {
	const all = rowsIn(lines).flatMap(({ row, differs = [] }) => {
		const path = rows.find((each) => each.row === row)?.path;
		return differs.map((each) => ({ ...each, path }));
	});
	return (path, field) => all.filter((each) => each.path === path && each.field === field).map(({ shown }) => shown);
}

/** A retry opens rows again; those that it did not reach are as before once it ends. */
export function outcomesIn(lines: readonly Line[]): Map<number, Row> {
	const outcomes = new Map<number, Row>();
	let reopened: readonly Row[] = [];
	for (const line of lines) {
		for (const row of rowsIn([line])) outcomes.set(row.row, row);
		if (line.type === 'resume') {
			const { again = [] } = line as { again?: readonly string[] };
			// Also those that a killed part has opened and not reached.
			const open = reopened.filter(({ row }) => !outcomes.has(row));
			// A resume sends those again for which nobody was signed in.
			const isAgain = ({ outcome, status }: Row): boolean =>
				again.includes(outcome) || (outcome === 'failed' && status === 401);
			const more = [...outcomes.values()].filter(isAgain);
			for (const { row } of more) outcomes.delete(row);
			reopened = [...open, ...more];
		}
		if (line.type !== 'end') continue;
		for (const each of reopened) if (!outcomes.has(each.row)) outcomes.set(each.row, each);
		reopened = [];
	}
	return outcomes;
}

interface Preview {
	readonly row: number;
	readonly path: string;
	readonly method: string;
	readonly body: Shown | null;
	readonly outcome: string | null;
}

/** What the rows of a plan ask for, as `--json` describes them. */
export function plannedIn(stdout: string, rows: readonly Asked[]): Asked[] {
	const planned = (JSON.parse(stdout) as Preview[]).filter(({ outcome }) => outcome === null);
	return planned.map(({ row, body, path, method }) => {
		const asked = rows.find((each) => each.row === row);
		if (asked === undefined || pathOf({ url: path }) !== asked.path)
			throw new Error(`row ${row} is planned for ${path}`);
		expectThat((method === 'DELETE') === (asked.isDelete === true), 'a plan does what its input asks for', asked);
		// A term's color is sent along, so that it stays.
		const { color: _, ...fields } = ((body?.custom_fields as Shown | undefined) ?? body ?? {}) as Shown;
		const { isDelete, isPermanent } = asked;
		return { row, path: asked.path, fields, ...(isDelete && { isDelete, isPermanent: isPermanent === true }) };
	});
}

/** How many requests a dry run announces. */
export function announcedIn(stderr: string): number | undefined {
	const lines = jsonLines<{ summary?: { requests?: number } }>(stderr);
	return lines.findLast(({ summary }) => summary !== undefined)?.summary?.requests;
}
