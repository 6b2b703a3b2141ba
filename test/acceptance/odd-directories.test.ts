/** Directories whose later pages are odd: a name that they don't show is neither "not found" for sure nor written, and no list is endless. */

import { describe, expect, it } from 'vitest';
import { taxonomies } from '../../src/api/fields.js';
import { json, type Responder, startRecorder, text } from '../support/recorder.js';
import { createWorkplace } from '../support/workplace.js';

const hundred = Array.from({ length: 100 }, (_, at) => ({
	...{ id: at + 1, name: `n${at}`, slug: `s${at}`, username: `u${at}`, email: `u${at}@desk.example` },
}));

/** What each page of a directory is. */
const odd: Record<string, (page: number) => Responder> = {
	'HTML from the second page on': (page) => (page === 1 ? json(200, hundred) : text(200, '<html>Hi</html>')),
	'a billion pages': () => json(200, hundred, { 'x-wp-total': '100000000000', 'x-wp-totalpages': '1000000000' }),
	'one page again and again': () => json(200, hundred),
	'fewer a page than its total says': () =>
		json(200, hundred.slice(0, 50), { 'x-wp-total': '300', 'x-wp-totalpages': '3' }),
};

const names: [what: string, words: string][] = [
	...taxonomies.map((each): [string, string] => [each, `ticket update 14 --${each.replaceAll('_', '-')} wanted`]),
	['users', 'ticket update 14 --assignee wanted'],
	['users', 'user update wanted --name new'],
	['ticket_priority', 'term update ticket_priority wanted --name new'],
	['product', 'term delete product wanted --force --yes'],
];

describe.each(Object.entries(odd))('a directory of %s', (_, pageOf) => {
	it.each(names)('of %s has no name that it does not show: %s', async (of, words) => {
		const refused = json(400, { code: 'invalid_username_access', message: 'No.', data: { status: 400 } });
		const recorder = await startRecorder((request) => {
			const { pathname, searchParams } = new URL(request.url, 'http://service');
			if (pathname.endsWith('/users/username')) return refused;
			if (!pathname.endsWith(`/${of}`)) return json(200, { id: 14, name: 'old' });
			return pageOf(Number(searchParams.get('page') ?? 1));
		});
		const work = createWorkplace(recorder.env);
		const { exitCode, stderr } = await work.run(`${words} --retries 0`);
		expect(exitCode, stderr).not.toBe(0);
		expect(stderr).toContain('error: ');
		expect(stderr).not.toContain('not found');
		const writes = recorder.requests.filter(({ method, url }) => method !== 'GET' && !url.endsWith('/users/username'));
		expect(writes).toEqual([]);
		expect(recorder.requests.length).toBeLessThan(40);
	});
});
