/** An account without a right: each command says what is missing, in the service's words, and what to do. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../support/sandbox.js';
import { createWorkplace } from '../support/workplace.js';

async function signInAs(role: 'manager' | 'agent' | 'customer', more: Parameters<typeof startSandbox>[0] = {}) {
	const desk = await startSandbox({ ...more, role });
	onTestFinished(() => desk.stop());
	return { desk, work: createWorkplace(desk.env) };
}

const step = (right: string) =>
	`your account lacks permission${right}; ask an administrator or use a different profile (to see what this account can do: supportctl whoami)`;

describe('a customer', () => {
	it.each([
		[
			'ticket update 14 --status hold',
			'rest_forbidden: Sorry, you are not allowed to read this ticket',
			' to read this',
		],
		['ticket update 14 --status hold --no-snapshot', '(HTTP 403 rest_cannot_edit): Sorry,', ' to edit'],
		['ticket delete 14 --yes', 'rest_forbidden: Sorry, you are not allowed to read this ticket', ' to read this'],
		['ticket delete 14 --yes --force', '(HTTP 403 rest_cannot_delete): Sorry,', ' to delete'],
		['ticket get 14', '(HTTP 403 rest_forbidden): Sorry, you are not allowed to read this ticket.', ''],
		['ticket fields get 14', '(HTTP 403 rest_forbidden): Sorry,', ''],
		['ticket fields set 14 --set severity=high', 'rest_forbidden: Sorry, you are not allowed to read', ' to read this'],
		['reply list 14', '(HTTP 403 rest_forbidden): Sorry,', ''],
		['user update 3 --first-name Q', '(HTTP 403 rest_cannot_edit): Sorry,', ' to edit'],
		['user delete 3 --reassign 5 --yes', '(HTTP 403 rest_user_cannot_delete): Sorry,', ' to delete'],
		['user password list 3', 'HTTP 403 rest_cannot_manage_application_passwords', ' to manage application passwords'],
		['term update ticket_priority 21 --name x', '(HTTP 403 rest_cannot_update): Sorry,', ' to update'],
		['term delete product 11 --force --yes', '(HTTP 403 rest_cannot_delete): Sorry,', ' to delete'],
		['api GET support-api/v1/tickets/14', '(HTTP 403 rest_forbidden): Sorry,', ''],
	])('who types %s', async (words, says, right) => {
		const { work } = await signInAs('customer');
		const result = await work.run(words);
		expect(result, result.stderr).toMatchObject({ exitCode: 4 });
		expect(result.stderr).toContain(says);
		expect(result.stderr).toContain(`hint: ${step(right)}\n`);
	});

	it('who moves tickets of a user and may not delete the user is told how to move them back', async () => {
		const { desk, work } = await signInAs('manager');
		const result = await work.run('user delete 3 --reassign 5 --move-tickets --yes');
		expect(result, result.stderr).toMatchObject({ exitCode: 4 });
		const [, command = ''] = /where the user still exists: supportctl (run undo \S+)/.exec(result.stderr) ?? [];
		const undone = await work.run(`${command} --yes`);
		expect(undone, undone.stderr).toMatchObject({ exitCode: 0 });
		expect([...desk.store.tickets.values()].some(({ assignee }) => assignee === 3)).toBe(true);
	});
});

it('the words of a service with problem details are shown, too', async () => {
	const { work } = await signInAs('agent', { strict: true });
	const result = await work.run('ticket update 14 --status hold');
	expect(result, result.stderr).toMatchObject({ exitCode: 4 });
	expect(result.stderr).toContain('Sorry, you are not allowed to edit this ticket');
	expect(result.stderr).toContain('hint: your account lacks permission');
});

it('a bulk run says once what is missing', async () => {
	const { work } = await signInAs('agent');
	work.sheet('edits.csv', 'id,status', 12, (row) => `${row},hold`);
	const result = await work.run('ticket update --input edits.csv --no-snapshot');
	expect(result.exitCode).toBe(3);
	expect(result.stderr.split('lacks permission to edit').length - 1).toBe(1);
});
