import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSecret, runSecretCommand } from '../../src/profile/secrets.js';
import { temporaryFolder } from '../support/temporary.js';

const run = (command: string, env: Record<string, string | undefined> = process.env, timeoutMs?: number) =>
	runSecretCommand(command, 'profile "desk"', env, timeoutMs);

describe('runSecretCommand', () => {
	it('returns the output of the shell without its last line break', async () => {
		expect(await run('printf " a  b \\n"')).toBe(' a  b ');
		expect(await run('printf "x\\r\\n"')).toBe('x');
		expect(await run('printf "ä:%%s" | cat')).toBe('ä:%s');
	});

	it.each([
		['a failure', 'echo hunter2; echo hunter2 >&2; exit 3', 'failed with exit code 3'],
		['a command that is not there', 'hunter2-not-there', 'failed with exit code 127'],
		['a flood', 'while :; do echo hunter2; done', 'printed too much'],
		['a death', 'kill -9 $$', 'failed with SIGKILL'],
	])('names %s, and never shows output or command', async (_, command, why) => {
		const error = (await run(command).catch((thrown: unknown) => thrown)) as Error & { exitCode: number };
		expect(error.message).toBe(`the secret command of profile "desk" ${why}`);
		expect(error.exitCode).toBe(4);
		expect(JSON.stringify([error.message, error.stack, error])).not.toContain('hunter2');
	});

	it('stops after its timeout, even if its child processes continue', async () => {
		const started = performance.now();
		await expect(run('sleep 6 & sleep 6', undefined, 100)).rejects.toThrow('took longer than 0.1 s');
		expect(performance.now() - started).toBeLessThan(5000);
	});

	it('does not pass on the secrets that the environment has for supportctl itself', async () => {
		const env = { ...process.env, SUPPORTCTL_PASSWORD: 'p', SUPPORTCTL_TOKEN: 't' };
		const command = 'echo "[$SUPPORTCTL_PASSWORD$SUPPORTCTL_TOKEN]"';
		expect(await run(command, env)).toBe('[]');
	});

	it('that prints other bytes than UTF-8 gives a secret that is refused, not a different password', async () => {
		const secret = await run("printf 'cl\\351'");
		expect(() => checkSecret('basic', secret, 'the secret command')).toThrow('is not UTF-8 text');
	});

	it('gets no stdin, which may be the input of a run', async () => {
		const marker = join(temporaryFolder(), 'read');
		expect(await run(`cat > ${marker}; echo done`)).toBe('done');
		expect(existsSync(marker)).toBe(true);
	});
});

it.each([
	['basic', '', 'is empty'],
	['basic', 'two\nlines', 'has more than one line'],
	['basic', 'bell\x07', 'contains control characters'],
	['basic', 'cl\ufffd', 'is not UTF-8 text'],
	['bearer', 'a token', 'contains spaces'],
	['header', 'clé', "contains characters that an HTTP header can't carry"],
] as const)('%s: a secret that no header can carry is refused, and not repeated', (scheme, secret, why) => {
	expect(() => checkSecret(scheme, secret, 'stdin')).toThrow(why);
	expect(() => checkSecret(scheme, secret, 'stdin')).not.toThrow(secret);
});
