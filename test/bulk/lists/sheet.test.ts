/** What of an object is exported and can be edited, and what an edit changes. */

import { expect, test } from 'vitest';
import { neutralDialect } from '../../../src/api/dialect.js';
import { endpoints } from '../../../src/api/endpoints.js';
import { reads } from '../../../src/api/reads.js';
import { changedFields, editableFields } from '../../../src/bulk/lists/sheet.js';

const options = { read: reads.ticket, dialect: neutralDialect, redact: <T>(value: T): T => value };

test('fields with a value and empty ones can be edited, computed and rendered ones can not', () => {
	const object = { id: 14, status: 'hold', assignee: 0, slug: '', title: { rendered: '<p>x</p>' }, date: undefined };
	const { fields, expected, warnings } = editableFields(object, options);
	expect(fields.map(({ name, value }) => [name, value])).toEqual([
		['slug', ''],
		['status', 'hold'],
		['assignee', ''],
	]);
	expect(expected).toEqual({ slug: [''], status: ['hold'], assignee: [0] });
	expect(warnings).toEqual([expect.stringContaining('title: skipped: the service only returns rendered text')]);
});

test.each([
	['a field that is left out stays', {}, {}],
	['a field that is as it was is not sent', { title: 'a', 'ticket-tag': [4, 5], assignee: 8 }, { assignee: 8 }],
	['a name is matched loosely', { Title: 'b' }, { title: 'b' }],
	['an unknown name is kept, for the error', { titel: 'b' }, { titel: 'b' }],
	['a list without a value is emptied', { 'ticket-tag': null }, { 'ticket-tag': [] }],
	['a user without a value is nobody', { assignee: null }, { assignee: 0 }],
	['a text without a value is empty', { title: null }, { title: '' }],
])('%s', (_, after, changes) => {
	const before = { title: 'a', 'ticket-tag': [4, 5], assignee: 7 };
	expect(changedFields(before, after, endpoints['ticket.update'].fields)).toEqual(changes);
});

test('of names and values only those are sent that changed, and null for what was removed', () => {
	const before = { meta: { kept: 1, changed: 1, removed: 1 } };
	const after = { meta: { kept: 1, changed: 2, added: 3 } };
	const { fields } = endpoints['user.update'];
	expect(changedFields(before, after, fields)).toEqual({ meta: { changed: 2, removed: null, added: 3 } });
});
