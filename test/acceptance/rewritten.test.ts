/** What a service rewrites is shown with both values: outer spaces that it trims, and backslashes that vanish. */

import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../support/sandbox.js';
import { createWorkplace } from '../support/workplace.js';

async function startDesk() {
	const desk = await startSandbox();
	onTestFinished(() => desk.stop());
	return { desk, work: createWorkplace(desk.env) };
}

it.each(['', ' --verify'])('a title that the service trims differs, for one ticket and for many%s', async (flag) => {
	const { work } = await startDesk();
	const one = await work.run([
		'ticket',
		'update',
		'14',
		'--title',
		'  Refund ',
		'--json',
		...flag.trim().split(' ').filter(Boolean),
	]);
	expect(one, one.stderr).toMatchObject({ exitCode: 6 });
	expect(JSON.parse(one.stdout)[0].differs).toEqual([{ field: 'title', sent: '  Refund ', shown: 'Refund' }]);
	work.write('edits.csv', 'id,title\n15,"  Order 15"\n16,Order 16\n');
	const many = await work.run(`ticket update --input edits.csv${flag}`);
	expect(many).toMatchObject({ exitCode: 6 });
	expect(many.stderr).toContain('1 ok, 1 differs');
	work.write('edits.csv', 'id,title\n15,"  Order 17"\n16,Order 18\n');
	const allowed = await work.run(`ticket update --input edits.csv --allow-differs=title${flag}`);
	expect(allowed.exitCode).toBe(0);
});

it('an alternative text that loses its backslashes differs', async () => {
	const { desk, work } = await startDesk();
	const id = desk.store.attachments.keys().next().value;
	const result = await work.run(['attachment', 'update', String(id), '--alt-text', 'C:\\temp', '--json']);
	expect(result.exitCode).toBe(6);
	expect(JSON.parse(result.stdout)[0].differs).toEqual([{ field: 'alt_text', sent: 'C:\\temp', shown: 'C:temp' }]);
});

it('a custom field with a backslash is read back, as the response to its write shows no values', async () => {
	const { work } = await startDesk();
	const lost = await work.run(['ticket', 'fields', 'set', '14', '--set', 'severity=a\\b', '--json']);
	expect(lost, lost.stderr).toMatchObject({ exitCode: 6 });
	expect(JSON.parse(lost.stdout)[0].differs).toEqual([{ field: 'severity', sent: 'a\\b', shown: 'ab' }]);
	const plain = await work.run('ticket fields set 14 --set severity=major');
	expect(plain.exitCode).toBe(0);
});

it('an unedited export with such values sends nothing', async () => {
	const { desk, work } = await startDesk();
	Object.assign(desk.store.tickets.get(14) ?? {}, { title: '  Refund ' });
	Object.assign(desk.store.attachments.values().next().value ?? {}, { alt_text: 'C:\\temp', title: ' Spaces ' });
	for (const noun of ['ticket', 'attachment']) {
		const listed = await work.run(`${noun} list --format csv`);
		work.write('all.csv', listed.stdout);
		desk.requests.length = 0;
		const result = await work.run(`${noun} update --input all.csv --snapshot`);
		expect(result, result.stderr).toMatchObject({ exitCode: 0 });
		expect(desk.requests.filter(({ method }) => method === 'POST')).toEqual([]);
	}
});
