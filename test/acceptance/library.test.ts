/** The built library, as another program loads it. */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary.js';

const library = new URL('../../dist/index.js', import.meta.url).href;

it('an uncaught error is a few lines that can be read, with its message among them', () => {
	const program = join(temporaryFolder(), 'program.mjs');
	writeFileSync(
		program,
		`import { SupportClient } from ${JSON.stringify(library)};
const desk = await SupportClient.open({ baseUrl: 'http://127.0.0.1:1', auth: { scheme: 'none' } });
await desk.call('ticket.update', { id: 0, fields: { status: 'hold' } });
`,
	);
	const { status, stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
	expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
	expect(stderr).toMatch(/^UsageError: .*id.*0/m);
	const lines = stderr.split('\n');
	expect(Math.max(...lines.map((line) => line.replace(fileURLToPath(library), '').length))).toBeLessThan(200);
	expect(lines.length).toBeLessThan(40);
});
