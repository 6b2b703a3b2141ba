/** A field that is added to the table is served by the sandbox without another line. */

import { expect, onTestFinished, test } from 'vitest';
import { type Field, termFields, ticketFields, userFields } from '../../src/api/fields.js';
import { startSandbox } from '../support/sandbox.js';

test('a new field is checked by its kind, stored and shown', async () => {
	const added: Field = { name: 'visits', kind: 'integer', help: 'How often the page was seen' };
	const tables: readonly (readonly Field[])[] = [ticketFields, userFields, termFields];
	for (const table of tables as Field[][]) {
		table.push(added);
		onTestFinished(() => void table.pop());
	}
	const sandbox = await startSandbox();
	onTestFinished(() => sandbox.stop());
	for (const path of ['/tickets/14', '/users/3', '/ticket_priority/21']) {
		expect((await sandbox.call('GET', path)).body).not.toHaveProperty('visits');
		expect(await sandbox.call('POST', path, { visits: '7' })).toMatchObject({ status: 200, body: { visits: 7 } });
		expect(await sandbox.call('GET', path)).toMatchObject({ body: { visits: 7 } });
		expect(await sandbox.call('POST', path, { visits: 'many' })).toMatchObject({
			status: 400,
			body: { data: { params: { visits: 'visits is not of type integer.' } } },
		});
	}
});
