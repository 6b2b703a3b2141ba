/** What is written to a plan is what every view of it shows, and what an apply takes. */

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPlan, sumUp } from '../../../src/bulk/plan-file/read.js';
import { PlanWriter } from '../../../src/bulk/plan-file/write.js';
import { chosenChanges } from '../../../src/bulk/run/apply.js';
import { sourceOf } from '../../support/forged-plan.js';
import { headerOf } from '../../support/journal.js';
import { temporaryFolder } from '../../support/temporary.js';

describe('rows that a plan leaves out', () => {
	test('are listed, or only counted where their objects have the values already, and are never sent', () => {
		const path = join(temporaryFolder(), 'p.plan');
		const header = headerOf(4);
		const writer = new PlanWriter(
			path,
			header,
			(value) => value,
			() => undefined,
		);
		const object = (id: string) => ({ noun: 'ticket', ids: { id } });
		const change = (id: string, code: string) =>
			({
				object: object(id),
				action: 'update',
				fields: [],
				left: { outcome: 'skipped', code, message: code },
			}) as const;
		writer.addNames([{ of: 'users', id: '3', name: 'jose.kaya' }]);
		const write = { row: 1, line: 2, ids: { id: '1' }, label: undefined, fields: { assignee: 3 } };
		writer.add({ row: 1, write: { ...write, before: { values: { assignee: 2 }, absent: [] } } as never });
		writer.add({ row: 2, change: change('2', 'unchanged') });
		writer.add({ row: 3, change: change('3', 'unchanged') });
		writer.add({ row: 4, change: change('4', 'condition') });
		writer.add({ row: 5 });
		const saved = writer.finish();
		expect(saved).toMatchObject({ path, rows: 1, sha256: readPlan(path).sha256 });
		const { totals, left } = sumUp(path, header.plan);
		expect(totals.short()).toBe('1 assignee');
		expect(left.texts()).toEqual(["1 that don't match --if: ticket 4", '2 unchanged']);
		const source = sourceOf(saved);
		expect(chosenChanges(header.plan, source, 10)).toMatchObject({ changes: [{ object: { ids: { id: '1' } } }] });
		expect(chosenChanges(header.plan, source, 0).changes).toEqual([]);
		expect(chosenChanges(header.plan, { ...source, taken: ['1'] }, 10).changes).toEqual([]);
		expect(chosenChanges(header.plan, { ...source, part: { except: ['1'] } }, 10).changes).toEqual([]);
	});
});
