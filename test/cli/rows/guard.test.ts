/** The guard of the own account goes with the endpoint, whatever else a command makes of its row. */

import { expect, test } from 'vitest';
import { endpoints } from '../../../src/api/endpoints.js';
import { parseWords } from '../../../src/cli/parse.js';
import { endpointCommand } from '../../../src/cli/rows/row-command.js';
import { memoryContext } from '../../support/context.js';
import { json, startRecorder } from '../../support/recorder.js';
import { temporaryFolder } from '../../support/temporary.js';

test('a command with a row of its own that deletes users spares the account that is signed in', async () => {
	const recorder = await startRecorder(json(200, { id: 7 }));
	const folder = temporaryFolder();
	const context = memoryContext({
		env: { ...recorder.env, SUPPORTCTL_CONFIG_DIR: folder, SUPPORTCTL_STATE_DIR: folder },
		cwd: folder,
	});
	const row = { ...endpoints['user.delete'], noun: 'leaver' };
	const command = endpointCommand(row, { summary: 'Delete leavers.', examples: [], verb: 'delete', nouns: 'leavers' });
	const words = ['leaver', 'delete'];
	const call = command.run({ context, words, ...parseWords(command, words, ['7', '--reassign', '2', '--yes']) });
	await expect(call).rejects.toThrow('user 7 is the account that is signed in (ada); nothing was sent');
	expect(recorder.requests.map(({ method }) => method)).toEqual(['POST']);
});
