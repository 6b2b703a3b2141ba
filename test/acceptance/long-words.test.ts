/** Texts of the service, however long, fill no journal, report or terminal, and are cut between characters. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { idOf, json, type Responder, text } from '../support/recorder.js';
import { hastyClock, startWorkplace } from '../support/workplace.js';

/** Four bytes a character. */
const LONG = '😀'.repeat(500_000);
const reasons = Object.fromEntries(
	Array.from({ length: 500 }, (_, at) => [`field ${at} ${'é'.repeat(1000)}`, '€'.repeat(5000)]),
);
const refusal = (body: object): Responder => json(400, { code: 'bad', message: 'Bad.', ...body });

const words: [string, Responder][] = [
	['a message', refusal({ message: LONG })],
	['a code', refusal({ code: LONG })],
	['reasons', refusal({ data: { params: reasons } })],
	['missing fields', refusal({ data: { params: Object.keys(reasons) } })],
	['problem+json', json(400, { title: LONG, detail: LONG })],
	['a page', text(400, `<html><title>${LONG}</title><body>${LONG}</body></html>`)],
	['an error of the service', json(500, { code: 'bad', message: LONG })],
	[
		'a text before the object',
		(request, response, count) =>
			text(200, `Notice: ${LONG}\n{"id":${idOf(request)},"status":"hold"}`)(request, response, count),
	],
	['another object', json(200, { id: 99, name: LONG })],
];

test.each(
	words.flatMap(([what, responder]) => [
		{ what, to: 'writes', responder },
		{ what, to: 'reads', responder },
	]),
)('$what in responses to $to', async ({ to, responder }) => {
	const { work } = await startWorkplace((request, response, count) => {
		const isRead = request.method === 'GET';
		if (isRead !== (to === 'reads')) return json(200, { id: idOf(request), status: isRead ? 'read' : 'hold' });
		return responder(request, response, count);
	});
	const { stdout, stderr } = await work.run(
		'ticket update 1 2 3 --status hold --retries 0 -j 1 --report junit:r.xml --report html:r.html --report markdown:r.md',
	);
	const [journal] = work.journals();
	const reports = ['r.xml', 'r.html', 'r.md'].map((name) => work.read(name));
	const kept = [stdout, stderr, readFileSync(journal ?? '', 'utf8'), ...reports];
	for (const each of kept) {
		// Three rows, each with a message and reasons, perhaps twice.
		expect(each.length).toBeLessThan(100_000);
		expect(each).not.toMatch(/\\u[dD][89a-fA-F]|\uFFFD|\p{Surrogate}/u);
	}
});

test('values that the service shows in place of those that were sent are cut in messages, and whole in the journal', async () => {
	const { work } = await startWorkplace((request) => {
		const value = request.method === 'GET' ? 'old' : LONG;
		return json(200, { id: idOf(request), content: value });
	});
	const { exitCode, stderr } = await work.run(
		'ticket update 1 2 --content new --report junit:r.xml --fields id,outcome,message',
		{ clock: hastyClock(100) },
	);
	expect(exitCode, stderr.slice(0, 500)).toBe(6);
	expect(stderr.length).toBeLessThan(20_000);
	expect(work.read('r.xml').length).toBeLessThan(20_000);
	// An undo compares with what the service showed.
	expect(work.records().find(({ type }) => type === 'row')?.differs).toEqual([
		{ field: 'content', sent: 'new', shown: LONG },
	]);
});
