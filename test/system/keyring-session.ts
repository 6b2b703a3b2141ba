/** A real keyring for a test: a D-Bus session and an unlocked gnome-keyring of its own, in which the binary is run. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { type CliOptions, type CliResult, runCli, type Words } from '../support/cli.js';

export interface KeyringSession {
	run(args: Words, options?: CliOptions): Promise<CliResult>;
	stop(): Promise<void>;
}

/** Starts the session; `env.HOME` is where the keyring keeps its file. */
export async function runWithKeyring(env: Record<string, string>): Promise<KeyringSession> {
	// The session lasts as long as its stdin; it says its address once the keyring is unlocked.
	const script = `printf test | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
		echo "address=$DBUS_SESSION_BUS_ADDRESS"
		cat >/dev/null`;
	const { HOME, PATH } = { PATH: process.env.PATH, ...env } as Record<string, string>;
	const runtime = `${HOME}/runtime`;
	const own = { HOME, PATH, XDG_RUNTIME_DIR: runtime } as Record<string, string>;
	mkdirSync(runtime, { mode: 0o700, recursive: true });
	const session = spawn('dbus-run-session', ['--', 'sh', '-c', script], {
		env: own,
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	const ended = once(session, 'close');
	const address = await new Promise<string>((resolve, reject) => {
		let text = '';
		session.stdout.on('data', (chunk: Buffer) => {
			text += chunk.toString();
			const found = /address=(.+)\n/.exec(text)?.[1];
			if (found !== undefined) resolve(found);
		});
		ended.then(() => reject(new Error('the D-Bus session ended before the keyring was there')), reject);
	});
	return {
		run: (args, options = {}) =>
			runCli(args, { ...options, env: { ...own, ...env, DBUS_SESSION_BUS_ADDRESS: address, ...options.env } }),
		async stop() {
			session.stdin.end();
			await ended;
		},
	};
}
