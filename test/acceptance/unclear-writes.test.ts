/** Writes whose responses say nothing: the hint is a command, and the command settles them. */

import { describe, expect, it } from 'vitest';
import { startDesk } from '../support/desk.js';
import { done, json, type Responder, text } from '../support/recorder.js';

const page = text(200, '<html><title>Hi</title></html>');
/** A desk stores what is answered with an object from the first byte on. */
const empty = text(200, ' {}', { 'content-type': 'application/json' });

const commands = [
	'ticket update 14 --title new',
	'user update 7 --name new',
	'ticket delete 14 --yes',
	'ticket delete 14 --yes --force',
];

describe.each<[string, Responder]>([
	['a page', page],
	['{}', empty],
])('%s in response to a write', (_, odd) => {
	describe.each(['', ' --no-snapshot', ' --verify'])('of one object%s', (flags) => {
		it.each(commands)('is unknown, and the hint sends what was not applied: %s', async (command) => {
			let respond = odd;
			const { work, recorder } = await startDesk((...given) => respond(...given));
			const first = await work.run(command + flags);
			expect(first.exitCode, first.stderr).toBe(5);
			const [, hint = ''] = /to send it again if it was not: supportctl (run resume .*)\n/.exec(first.stderr) ?? [];
			respond = done();
			const settled = await work.run(hint);
			expect(settled.exitCode, settled.stderr).toBe(0);
			expect(recorder.writes.length).toBeGreaterThan(1);
		});
	});

	it.each(['ticket update 14 --title new', 'ticket delete 14 --yes', 'ticket delete 14 --yes --force'])(
		'is settled by a read where it was applied: %s',
		async (command) => {
			let isApplied = false;
			const { work, recorder } = await startDesk(odd, ({ url }) => {
				if (!isApplied || !url.includes('/tickets/14')) return undefined;
				if (command.includes('--force')) return json(404, { code: 'rest_post_invalid_id', message: 'No.' });
				return json(200, { id: 14, title: 'new', status: command.includes('delete') ? 'trash' : 'read' });
			});
			const first = await work.run(command);
			expect(first.exitCode, first.stderr).toBe(5);
			isApplied = true;
			const [, hint = ''] = /to send it again if it was not: supportctl (run resume .*)\n/.exec(first.stderr) ?? [];
			const settled = await work.run(hint);
			expect(settled.exitCode, settled.stderr).toBe(0);
			expect(recorder.writes).toHaveLength(1);
		},
	);
});

it('a delete that the service broke off names the command that sends it again', async () => {
	const { work } = await startDesk(json(500, { code: 'support_save_failed', message: 'No.', data: { status: 500 } }));
	for (const command of ['ticket delete 14 --yes', 'ticket update 14 --title new']) {
		const { exitCode, stderr } = await work.run(command);
		expect([exitCode, stderr]).toEqual([
			1,
			expect.stringMatching(/may be partly applied\nhint: look at it, then to send it again: supportctl run retry \S+/),
		]);
	}
});
