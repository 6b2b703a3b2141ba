/** Rows of a plan, as an apply sends them. */

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { neutralDialect } from '../../../src/api/dialect.js';
import { openPlannedRows } from '../../../src/bulk/run/apply.js';
import { planned, planWith, sourceOf } from '../../support/forged-plan.js';

test('a plan that changes while it is applied sends nothing more', async () => {
	const { path, plan, sha256 } = planWith([planned()]);
	const rows = openPlannedRows(plan, sourceOf({ path, sha256 }), neutralDialect);
	const read = async (): Promise<unknown[]> => {
		const all: unknown[] = [];
		for await (const batch of rows.read()) all.push(...batch);
		return all;
	};
	expect(await read()).toMatchObject([{ row: 1, request: { ids: { id: '14' } }, expected: { status: ['read'] } }]);
	writeFileSync(path, readFileSync(planWith([planned({ fields: { status: 'pending' } })]).path));
	await expect(read()).rejects.toThrow('was changed; nothing more was sent');
});
