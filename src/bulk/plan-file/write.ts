/** Writes a plan's file: the header of a run, a line for each row, also for those that are left out, the names behind IDs, and a digest of all lines. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { FailedError, fileProblem, UsageError } from '../../errors.js';
import { Draft } from '../../folder.js';
import type { CalledRecord } from '../called.js';
import { type Redact, sealed, VERSION } from '../journal/records.js';
import { isListed } from '../left.js';
import type { RunHeader, SavedPlan } from '../plan.js';
import type { Planned, PlannedWrite } from '../planned.js';
import type { LineType } from './check.js';
import { isPlanFile } from './read.js';

export class PlanWriter {
	readonly #draft: Draft;
	readonly #hash = createHash('sha256');
	#rows = 0;
	/** Rows that were left out and are not listed, by code. */
	readonly #quiet = new Map<string, number>();

	/**
	 * @param onDraft is told the path of the unfinished file
	 * @throws UsageError for a file that is something else, FailedError
	 */
	constructor(
		private readonly given: string,
		header: RunHeader,
		private readonly redact: Redact,
		onDraft: (path: string) => void,
	) {
		if (existsSync(given) && !isPlanFile(given)) {
			throw new UsageError(`--plan ${given}: the file exists and isn't a plan; nothing was written`, {
				code: 'plan_place',
				hint: 'choose a different file',
			});
		}
		this.#draft = this.#attempt(() => new Draft(given, { onDraft }));
		this.#write('saved-plan', { version: VERSION, ...header });
	}

	add({ row, line, change, write }: Planned): void {
		if (write !== undefined) this.#addWrite(write);
		if (change === undefined) return;
		const { object, left, unrestored } = change;
		const place = { row, line, ids: object.ids, label: object.label };
		if (unrestored !== undefined) this.#write('left', { ...place, outcome: 'skipped', ...unrestored });
		if (left !== undefined) {
			if (isListed(left)) this.#write('left', { ...place, ...left });
			else this.#quiet.set(`${left.code}`, (this.#quiet.get(`${left.code}`) ?? 0) + 1);
		}
	}

	/** What its maker was warned of, which reviewers must also see. */
	addWarnings(texts: readonly string[]): void {
		for (const text of texts) this.#write('warning', { text });
	}

	/** Names come before the rows that need them. */
	addNames(names: Iterable<CalledRecord>): void {
		for (const name of names) this.#write('called', { ...name });
	}

	#addWrite({ before, ...planned }: PlannedWrite): void {
		this.#rows++;
		const values = Object.entries(before.values).filter((entry) => {
			const own = Object.fromEntries([entry]);
			return this.redact(own) === own;
		});
		this.#write('planned', { ...planned, before: { ...before, values: Object.fromEntries(values) } });
	}

	finish(): SavedPlan {
		for (const [code, rows] of this.#quiet) this.#write('unlisted', { code, rows });
		const sha256 = this.#hash.copy().digest('hex');
		this.#write('digest', { sha256, rows: this.#rows });
		this.#attempt(() => this.#draft.finish());
		return { path: this.#draft.place, sha256, rows: this.#rows };
	}

	/** Removes the draft of a plan that was not finished. */
	close(): void {
		this.#draft.close();
	}

	#write(type: LineType | 'saved-plan' | 'digest', content: object): void {
		const line = `${sealed(JSON.stringify({ type, ...content }))}\n`;
		this.#hash.update(line);
		this.#attempt(() => this.#draft.write(line));
	}

	#attempt<T>(step: () => T): T {
		try {
			return step();
		} catch (error) {
			throw new FailedError(`can't write the plan ${this.given}: ${fileProblem(error)}`, {
				code: 'plan_failed',
				cause: error,
			});
		}
	}
}
