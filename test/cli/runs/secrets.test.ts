import { describe, expect, it } from 'vitest';
import { json, startRecorder } from '../../support/recorder.js';
import { createWorkplace } from '../../support/workplace.js';

describe("a user's new password", () => {
	it.each(['failed', 'outcome', 'message', 'rest_invalid_param', 'hunter2', 'hunter22', '3000'])(
		'that is an ordinary word changes nothing of what became of the row, and is not repeated: %s',
		async (password) => {
			const body = {
				code: 'rest_invalid_param',
				message: `no ${password}`,
				data: { status: 400, params: { password: `not ${password}`, name: 'no' } },
				seen: [password],
			};
			const work = createWorkplace((await startRecorder(json(400, body))).env);
			const argv = ['user', 'update', '3', '--password-stdin', '--name', 'x', '--json', '--journal', 'j.ndjson'];
			const { exitCode, stdout } = await work.run(argv, { stdin: `${password}\n` });
			expect(exitCode).toBe(1);
			const isCode = password === body.code;
			const [row] = JSON.parse(stdout);
			expect(row).toMatchObject({
				row: 1,
				id: 3,
				outcome: 'failed',
				code: isCode ? '[redacted]' : body.code,
				message: 'no [redacted]',
				reasons: { password: '[redacted]', name: 'no' },
				attempts: 1,
				body: { seen: ['[redacted]'] },
			});
			const outcome = work.records(`${work.folder}/j.ndjson`).find(({ type }) => type === 'row');
			expect(outcome).toMatchObject({ outcome: 'failed', message: 'no [redacted]' });
		},
	);
});
