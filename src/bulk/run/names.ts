/** User names in rows of `user delete`: looked up in the first pass, and kept by row so that no later pass finds others. */

import type { RawRow } from '../input/input.js';
import type { RowReader } from '../input/rows.js';
import { RowNumbers } from '../journal/history.js';
import { scanJournal } from '../journal/read.js';
import { isCount } from '../journal/records.js';
import type { Journal } from '../journal/write.js';
import type { FinishRow, PlannedRow } from './rows.js';

/** The id of a user name, or why there is none. Throws where the service can't say it. */
export type LookUp = (name: string) => Promise<{ id: string } | { problem: string }>;

/** Names that are looked up at a time, and remembered: a receiver is the same for many rows. */
const REMEMBERED = 1000;

/** How many names without a user a journal keeps; a resume looks the others up again. */
const PROBLEMS_KEPT = 10_000;

export class UserNames {
	readonly #ids = new RowNumbers(Float64Array);
	readonly #receivers = new RowNumbers(Float64Array);
	/** Why a row's user or receiver is not known, by column and row. */
	readonly #problems = new Map<string, string>();
	readonly #known = new Map<string, ReturnType<LookUp>>();

	constructor(
		private readonly lookUp: LookUp,
		private readonly concurrency: number,
	) {}

	/** Takes what an earlier part of the run found: its users may be deleted by now. */
	async remember(journal: string): Promise<void> {
		await scanJournal(journal, ({ type, row, id, reassign, column, problem }) => {
			if (type !== 'user' || !isCount(row)) return;
			if (typeof problem === 'string') this.#problems.set(`${column} ${row}`, problem);
			if (isCount(id)) this.#ids.set(row, id);
			if (isCount(reassign)) this.#receivers.set(row, reassign);
		});
	}

	/** Plans rows, with the ids of the users that they name. */
	async plan(batch: readonly RawRow[], read: RowReader, finish: FinishRow): Promise<PlannedRow[]> {
		const planned: PlannedRow[] = new Array(batch.length);
		let at = 0;
		const work = async (): Promise<void> => {
			while (at < batch.length) {
				const index = at++;
				const raw = batch[index] as RawRow;
				planned[index] = await this.#planRow(raw, read(raw), finish);
			}
		};
		await Promise.all(Array.from({ length: this.concurrency }, work));
		return planned;
	}

	async #planRow(raw: RawRow, found: ReturnType<RowReader>, finish: FinishRow): Promise<PlannedRow> {
		if (Array.isArray(found) || found.names === undefined) return finish(raw, found);
		const { row, line } = raw;
		const { id: name, reassign: receiver } = found.names;
		const complaint = (column: string, message: string): PlannedRow => ({
			row,
			line,
			complaints: [
				{ row, line, column, message, ids: name === undefined ? found.ids : { ...found.ids, username: name } },
			],
		});
		if (name !== undefined) {
			const user = await this.#idOf(this.#ids, 'username', row, name);
			if ('problem' in user) return complaint('username', user.problem);
			found.ids = { ...found.ids, id: user.id, username: name };
		}
		if (receiver !== undefined) {
			const user = await this.#idOf(this.#receivers, 'reassign_username', row, receiver);
			if ('problem' in user) return complaint('reassign_username', user.problem);
			found.reassign = user.id;
		}
		return finish(raw, found);
	}

	async #idOf(ids: RowNumbers, column: string, row: number, name: string): ReturnType<LookUp> {
		const known = ids.get(row);
		if (known !== 0) return { id: String(known) };
		const place = `${column} ${row}`;
		const problem = this.#problems.get(place);
		if (problem !== undefined) return { problem };
		let looking = this.#known.get(name);
		if (looking === undefined) {
			looking = this.lookUp(name);
			if (this.#known.size >= REMEMBERED) this.#known.delete(this.#known.keys().next().value as string);
			this.#known.set(name, looking);
		}
		const found = await looking;
		if ('id' in found) ids.set(row, Number(found.id));
		else if (this.#problems.size < PROBLEMS_KEPT) this.#problems.set(place, found.problem);
		return found;
	}

	/** Writes what was found, before the first row is sent. @param last The highest row number */
	async keep(journal: Journal, last: number): Promise<void> {
		let written: Promise<void> | undefined;
		for (const [place, problem] of this.#problems) {
			const [column = '', row] = place.split(' ');
			written = journal.record({ type: 'user', row: Number(row), column, problem });
		}
		for (let row = 1; row <= last; row++) {
			const [id, reassign] = [this.#ids.get(row), this.#receivers.get(row)];
			if (id + reassign === 0) continue;
			written = journal.record({ type: 'user', row, id: id || undefined, reassign: reassign || undefined });
			if (row % REMEMBERED === 0) await written;
		}
		await written;
	}
}
