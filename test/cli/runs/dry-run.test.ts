import { describe, expect, it } from 'vitest';
import { runMain } from '../../../src/main.js';
import { memoryContext } from '../../support/context.js';
import { temporaryFolder } from '../../support/temporary.js';

async function dryRun(columns: number, ...argv: string[]): Promise<string> {
	const folder = temporaryFolder();
	const context = memoryContext({
		argv: [...argv, '--dry-run'],
		columns,
		env: {
			NO_COLOR: '1',
			SUPPORTCTL_BASE_URL: 'http://127.0.0.1:9/wp-json',
			SUPPORTCTL_USERNAME: 'anna',
			SUPPORTCTL_PASSWORD: 'hunter2',
			SUPPORTCTL_CONFIG_DIR: `${folder}/config`,
			SUPPORTCTL_STATE_DIR: `${folder}/state`,
		},
	});
	expect(await runMain(context)).toBe(0);
	return context.stdout.text;
}

describe('a dry run on a terminal', () => {
	const title = 'The printer on the second floor is on fire again';

	it('shows method and path whole where it is narrow, and cuts the body', async () => {
		expect(await dryRun(60, 'ticket', 'update', '14', '20015', '--title', title)).toBe(
			[
				'METHOD  PATH                           BODY',
				'POST    /support-api/v1/tickets/14     {"title":"The printe…',
				'POST    /support-api/v1/tickets/20015  {"title":"The printe…',
				'',
			].join('\n'),
		);
	});

	it('turns to blocks where the path leaves no room for a body', async () => {
		expect(await dryRun(40, 'ticket', 'update', '14', '--title', title)).toBe(
			`method  POST\npath    /support-api/v1/tickets/14\nbody    {"title":"${title}"}\n\n`,
		);
	});

	it('shows the rows of --first alone, as the run would send them', async () => {
		const shown = await dryRun(80, 'ticket', 'update', '14', '15', '16', '--status', 'hold', '--first', '2');
		expect(shown.match(/tickets\/\d+/g)).toEqual(['tickets/14', 'tickets/15']);
	});
});
