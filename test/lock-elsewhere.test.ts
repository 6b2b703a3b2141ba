import type * as FileSystem from 'node:fs';
import { existsSync, mkdirSync, readdirSync, readFileSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { acquireLock, lockHolder } from '../src/lock.js';
import { temporaryFolder } from './support/temporary.js';

/** A machine other than this one: what its file system and its /proc can't do. */
const machine = vi.hoisted(() => ({
	/** Called instead of the next attempts to make a lock's file. */
	insteadOfCreate: [] as (() => void)[],
	/** What writing to a lock's file fails with. */
	write: undefined as string | undefined,
	hasProc: true,
	/** Whether /proc shows this process alone, as some systems have it for all but root. */
	hidesOthers: false,
	/** What another process does each time that a lock's owner is about to be read. */
	beforeRead: [] as (() => void)[],
}));

const failure = (code: string): Error => Object.assign(new Error(code), { code });

vi.mock('node:fs', async (original) => {
	const real = await original<typeof FileSystem>();
	return {
		...real,
		writeFileSync(path: string, text: string, options?: { flag: 'wx'; mode: number }): void {
			if (options !== undefined) {
				machine.insteadOfCreate.shift()?.();
				if (machine.write !== undefined) {
					real.writeFileSync(path, '', options);
					throw failure(machine.write);
				}
			}
			real.writeFileSync(path, text, options);
		},
		readFileSync(path: string, encoding: 'utf8'): string {
			if (path.startsWith('/proc/')) {
				const shown = /^\/proc\/(?:sys|self)\//.test(path) || path === `/proc/${process.pid}/stat`;
				if (!machine.hasProc || (machine.hidesOthers && !shown)) throw failure('ENOENT');
			} else machine.beforeRead.shift()?.();
			return real.readFileSync(path, encoding);
		},
		readlinkSync(path: string): string {
			if (!machine.hasProc) throw failure('ENOENT');
			return real.readlinkSync(path);
		},
	};
});

afterEach(() => {
	Object.assign(machine, { insteadOfCreate: [], write: undefined, hasProc: true, hidesOthers: false, beforeRead: [] });
});

const NO_SUCH_PID = 2 ** 30;

function errorOf(step: () => unknown): { code?: string; message?: string } {
	try {
		step();
	} catch (error) {
		return error as Error;
	}
	return {};
}

/** The text of a lock that this process would write. */
function ownText(path: string): Record<string, unknown> {
	const lock = acquireLock(path, 'it');
	const owner = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
	lock.release();
	return owner;
}

describe('a file system', () => {
	it('that is full is an error, and no lock is left behind', () => {
		machine.write = 'ENOSPC';
		const folder = temporaryFolder();
		expect(errorOf(() => acquireLock(join(folder, 'a.lock'), 'it')).code).toBe('ENOSPC');
		expect(readdirSync(folder)).toEqual([]);
	});

	it('that has no such folder is an error', () => {
		expect(errorOf(() => acquireLock(join(temporaryFolder(), 'runs', 'a.lock'), 'it')).code).toBe('ENOENT');
	});
});

it.each<[string, Partial<typeof machine>, (owner: Record<string, unknown>) => Record<string, unknown>]>([
	['on a system without /proc', { hasProc: false }, (owner) => owner],
	['on a system that hides it', { hidesOthers: true }, (owner) => ({ ...owner, pid: process.ppid })],
	['that does not say when it began', {}, (owner) => ({ ...owner, start: undefined })],
])('an owner %s is alive where a process has its pid', (_, traits, change) => {
	Object.assign(machine, traits);
	const path = join(temporaryFolder(), 'a.lock');
	const owner = change(ownText(path));
	writeFileSync(path, JSON.stringify(owner));
	expect(lockHolder(path)?.pid).toBe(owner.pid);
	expect(errorOf(() => acquireLock(path, 'it')).code).toBe('locked');
	writeFileSync(path, JSON.stringify({ ...owner, pid: NO_SUCH_PID }));
	expect(lockHolder(path)).toBeUndefined();
	acquireLock(path, 'it').release();
});

describe('a lock', () => {
	it('that can not be read at the moment counts as held, and throws nothing', () => {
		const path = join(temporaryFolder(), 'a.lock');
		const lock = acquireLock(path, 'it');
		unlinkSync(path);
		mkdirSync(path);
		expect(lock.isHeld()).toBe(true);
		lock.release();
	});

	it('whose name a folder has is an error', () => {
		const path = join(temporaryFolder(), 'a.lock');
		mkdirSync(path);
		expect(errorOf(() => acquireLock(path, 'it')).code).toBe('unreadable_lock');
	});

	it('that is given back just as it was found taken is tried for again', () => {
		const path = join(temporaryFolder(), 'a.lock');
		machine.insteadOfCreate = [
			() => {
				throw failure('EEXIST');
			},
		];
		acquireLock(path, 'it').release();
		expect(existsSync(path)).toBe(false);
	});

	it('that never stays and is never free is given up, without an owner in the message', () => {
		const path = join(temporaryFolder(), 'a.lock');
		machine.insteadOfCreate = Array.from({ length: 100 }, () => () => {
			throw failure('EEXIST');
		});
		expect(errorOf(() => acquireLock(path, 'it'))).toMatchObject({
			code: 'locked',
			message: 'it is in use by another process',
		});
	});

	it.each([
		['runs', process.pid],
		['is dead too, and whose lock a third process is removing', NO_SUCH_PID],
	])('of a dead owner is not taken from the next owner, which %s', (_, pid) => {
		const path = join(temporaryFolder(), 'a.lock');
		const owner = ownText(path);
		writeFileSync(path, JSON.stringify({ ...owner, pid: NO_SUCH_PID }));
		const next = JSON.stringify({ ...owner, token: '0123456789abcdef', pid });
		acquireLock(`${path}.0123456789abcdef.over`, 'it');
		// The owner is read twice: when it is judged, and before its lock is removed.
		machine.beforeRead = [() => undefined, () => writeFileSync(path, next)];
		expect(errorOf(() => acquireLock(path, 'it'))).toMatchObject({
			code: 'locked',
			message: `it is in use by process ${process.pid}`,
		});
		expect(readFileSync(path, 'utf8')).toBe(next);
	});

	it('of a dead owner that vanishes meanwhile is free', () => {
		const path = join(temporaryFolder(), 'a.lock');
		writeFileSync(path, JSON.stringify({ ...ownText(path), pid: NO_SUCH_PID }));
		machine.beforeRead = [() => undefined, () => unlinkSync(path)];
		const lock = acquireLock(path, 'it');
		expect(lockHolder(path)?.pid).toBe(process.pid);
		lock.release();
	});

	it('that another process has by now is not given back', () => {
		const path = join(temporaryFolder(), 'a.lock');
		const lock = acquireLock(path, 'it');
		writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), token: '0123456789abcdef' }));
		lock.release();
		expect(existsSync(path)).toBe(true);
	});

	it('that can’t be read is released without an error', () => {
		const path = join(temporaryFolder(), 'a.lock');
		const lock = acquireLock(path, 'it');
		machine.beforeRead = [
			() => {
				throw failure('EIO');
			},
		];
		expect(() => lock.release()).not.toThrow();
	});

	it.each([
		['no object', '7'],
		['no token', '{"pid":1,"host":"h"}'],
		['a token of another kind', '{"token":"xyz","pid":1,"host":"h"}'],
		['a pid that is no number', '{"token":"0123456789abcdef","pid":"1","host":"h"}'],
	])('with %s names no owner', (_, text) => {
		const path = join(temporaryFolder(), 'a.lock');
		writeFileSync(path, text);
		expect(lockHolder(path)).toBeUndefined();
		expect(errorOf(() => acquireLock(path, 'it'))).toMatchObject({
			code: 'locked',
			message: 'it is in use by another process',
		});
	});
});

it('a file without an owner that is new is left alone, though an old one was seen there before', () => {
	const path = join(temporaryFolder(), 'a.lock');
	writeFileSync(path, '');
	const long = new Date(Date.now() - 60_000);
	utimesSync(path, long, long);
	machine.beforeRead = [() => undefined, () => utimesSync(path, new Date(), new Date())];
	expect(errorOf(() => acquireLock(path, 'it')).code).toBe('locked');
	expect(existsSync(path)).toBe(true);
});
