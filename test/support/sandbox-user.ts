/** Somebody who works with a sandbox, in a folder and with settings and journals of their own. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CliResult, isolatedEnvironment, runHere, type Words } from './cli.js';
import { startSandbox, type TestSandbox } from './sandbox.js';
import { temporaryFolder } from './temporary.js';

export interface SandboxUser {
	readonly service: TestSandbox;
	readonly env: Record<string, string>;
	readonly folder: string;
	/** One command, in the test's own process. */
	run(words: Words, input?: string): Promise<CliResult>;
	/** Writes a file. @returns its name */
	file(name: string, text: string): string;
	path(name: string): string;
	read(name: string): string;
}

export async function startSandboxUser(options: Parameters<typeof startSandbox>[0] = {}): Promise<SandboxUser> {
	const service = await startSandbox(options);
	const env = { ...isolatedEnvironment(), ...service.env };
	const folder = temporaryFolder();
	const path = (name: string): string => join(folder, name);
	return {
		service,
		env,
		folder,
		run: (words, input = '') => runHere(words, { env, cwd: folder, input }),
		file(name, text) {
			writeFileSync(path(name), text);
			return name;
		},
		path,
		read: (name) => readFileSync(path(name), 'utf8'),
	};
}

/** A user of 300 tickets, and their IDs. */
export async function startUserOf300(options: Parameters<typeof startSandbox>[0] = {}) {
	const user = await startSandboxUser({ seed: 300, ...options });
	const ids = (await user.run('ticket list --format ids')).stdout.trim().split('\n');
	user.service.requests.length = 0;
	return { ...user, ids };
}
