import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { acquireLock, lockHolder } from '../src/lock.js';
import { bundleForChild } from './support/bundle.js';
import { temporaryFolder } from './support/temporary.js';

const codeOf = (step: () => unknown): { code?: string; hint?: string; message?: string } => {
	try {
		step();
	} catch (error) {
		return error as { code: string; hint: string; message: string };
	}
	return {};
};

/** A lock of this process, and what its file says of the owner. */
function takenLock() {
	const path = join(temporaryFolder(), 'a.lock');
	const lock = acquireLock(path, 'it');
	return { path, lock, owner: JSON.parse(readFileSync(path, 'utf8')) };
}

/** A child that takes the lock, says so, and stays until it is killed. */
async function startHolder(url: string, path: string) {
	const script = `
		import { acquireLock } from ${JSON.stringify(url)};
		try { acquireLock(${JSON.stringify(path)}, 'it'); console.log('taken'); setInterval(() => {}, 1000); }
		catch (error) { console.log(error.code); }
	`;
	const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [said] = await once(child.stdout, 'data');
	return { child, said: String(said).trim() };
}

describe('acquireLock', () => {
	it('gives the lock to one at a time and leaves nothing behind', () => {
		const folder = temporaryFolder();
		const path = join(folder, 'a.lock');
		const lock = acquireLock(path, 'the journal');
		expect(codeOf(() => acquireLock(path, 'the journal'))).toMatchObject({
			code: 'locked',
			message: `the journal is in use by process ${process.pid}`,
		});
		expect(lockHolder(path)?.pid).toBe(process.pid);
		lock.release();
		lock.release();
		expect(readdirSync(folder)).toEqual([]);
		acquireLock(path, 'the journal').release();
	});

	it('is refused while another process holds it, and taken at once when that one was killed', async () => {
		const folder = temporaryFolder();
		const path = join(folder, 'a.lock');
		const { child, said } = await startHolder(await bundleForChild('src/lock.ts'), path);
		expect(said).toBe('taken');
		expect(codeOf(() => acquireLock(path, 'it')).message).toBe(`it is in use by process ${child.pid}`);
		const exited = once(child, 'exit');
		child.kill('SIGKILL');
		await exited;
		expect(lockHolder(path)).toBeUndefined();
		acquireLock(path, 'it').release();
		expect(readdirSync(folder)).toEqual([]);
	});

	it('is taken at once from a process that was killed and not waited for', async () => {
		const folder = temporaryFolder();
		const path = join(folder, 'a.lock');
		const url = await bundleForChild('src/lock.ts');
		const script = `import { acquireLock } from ${JSON.stringify(url)}; acquireLock(${JSON.stringify(path)}, 'it'); process.stdout.write('taken'); setInterval(() => {}, 1000);`;
		// The shell becomes a program that does not know of the child, as in containers without an init.
		const parent = spawn('sh', ['-c', '"$0" --input-type=module -e "$1" & exec sleep 60', process.execPath, script]);
		await once(parent.stdout, 'data');
		const holder = lockHolder(path)?.pid as number;
		process.kill(holder, 'SIGKILL');
		while (lockHolder(path) !== undefined) await new Promise(setImmediate);
		expect(() => process.kill(holder, 0)).not.toThrow();
		acquireLock(path, 'it').release();
		parent.kill('SIGKILL');
	});

	it('goes to one only of many that see the same dead owner', async () => {
		const url = await bundleForChild('src/lock.ts');
		const folder = temporaryFolder();
		const path = join(folder, 'a.lock');
		const first = await startHolder(url, path);
		const exited = once(first.child, 'exit');
		first.child.kill('SIGKILL');
		await exited;
		const holders = await Promise.all(Array.from({ length: 6 }, () => startHolder(url, path)));
		expect(holders.map((each) => each.said).sort()).toEqual([...Array(5).fill('locked'), 'taken']);
		for (const { child } of holders) child.kill('SIGKILL');
	});

	it('of a dead owner is left to whoever is taking it over already', () => {
		const { path, owner } = takenLock();
		writeFileSync(path, JSON.stringify({ ...owner, pid: 2 ** 30 }));
		const other = acquireLock(`${path}.${owner.token}.over`, 'it');
		expect(codeOf(() => acquireLock(path, 'it')).code).toBe('locked');
		other.release();
		acquireLock(path, 'it').release();
	});

	it('is not taken from a process whose pid is used again, only judged by its start', () => {
		const { path, owner } = takenLock();
		expect(owner.start).toEqual(expect.any(String));
		writeFileSync(path, JSON.stringify({ ...owner, start: `${owner.start}0` }));
		acquireLock(path, 'it').release();
	});

	it('of another machine or container is left alone, with a way out', () => {
		const { path, owner } = takenLock();
		writeFileSync(path, JSON.stringify({ ...owner, place: 'elsewhere', host: `not-${hostname()}` }));
		expect(codeOf(() => acquireLock(path, 'it'))).toMatchObject({
			message: `it is in use by process ${process.pid} on not-${hostname()}`,
			hint: expect.stringContaining(`after 60 seconds without activity, or remove ${path}`),
		});
		expect(lockHolder(path)?.pid).toBe(owner.pid);
		writeFileSync(path, JSON.stringify({ ...owner, pid: 2 ** 30, place: 'a container' }));
		expect(codeOf(() => acquireLock(path, 'it')).code).toBe('locked');
	});

	it('of another machine is taken over a minute after the last sign of life, and its owner knows', () => {
		vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
		onTestFinished(() => void vi.useRealTimers());
		const { path, lock, owner } = takenLock();
		writeFileSync(path, JSON.stringify({ ...owner, place: 'elsewhere' }));
		const long = new Date(Date.now() - 61_000);
		utimesSync(path, long, long);
		vi.advanceTimersByTime(15_000);
		expect(codeOf(() => acquireLock(path, 'it')).code).toBe('locked');
		utimesSync(path, long, long);
		expect(lockHolder(path)).toBeUndefined();
		expect(lock.isHeld()).toBe(true);
		const other = acquireLock(path, 'it');
		expect([lock.isHeld(), other.isHeld()]).toEqual([false, true]);
		lock.release();
		expect(other.isHeld()).toBe(true);
		other.release();
	});

	it.each([
		['ahead', 600_000],
		['behind', -600_000],
	])('of another machine counts by the time of the file system, on one whose clock is %s', (_, ms) => {
		const { path, lock, owner } = takenLock();
		writeFileSync(path, JSON.stringify({ ...owner, place: 'elsewhere' }));
		const now = Date.now() + ms;
		const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
		onTestFinished(() => clock.mockRestore());
		expect(codeOf(() => acquireLock(path, 'it')).code).toBe('locked');
		clock.mockRestore();
		const long = new Date(Date.now() - 61_000);
		utimesSync(path, long, long);
		vi.spyOn(Date, 'now').mockImplementation(() => now);
		expect(lockHolder(path)).toBeUndefined();
		lock.release();
		expect(readdirSync(dirname(path))).toEqual([]);
	});

	it('takes a file that names no owner only once it is old', () => {
		const path = join(temporaryFolder(), 'a.lock');
		writeFileSync(path, '');
		expect(codeOf(() => acquireLock(path, 'it')).code).toBe('locked');
		const long = new Date(Date.now() - 60_000);
		utimesSync(path, long, long);
		acquireLock(path, 'it').release();
		expect(existsSync(path)).toBe(false);
	});
});

it("a process of another user's, which may not be signalled, keeps its lock", () => {
	const { path, lock, owner } = takenLock();
	const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
		throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
	});
	onTestFinished(() => kill.mockRestore());
	expect(() => acquireLock(path, 'it')).toThrow(`it is in use by process ${owner.pid}`);
	lock.release();
});
