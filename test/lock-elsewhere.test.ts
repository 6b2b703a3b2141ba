import type * as FileSystem from 'node:fs';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { acquireLock, lockHolder } from '../src/lock.js';
import { temporaryFolder } from './support/temporary.js';

/** A machine other than this one: what its file system and its /proc can't do. */
const machine = vi.hoisted(() => ({
	/** What making a link fails with. */
	link: undefined as string | undefined,
	/** Called instead of making the next link. */
	insteadOfLink: [] as ((path: string) => void)[],
	hasProc: true,
	/** Whether /proc shows this process alone, as some systems have it for everybody but root. */
	hidesOthers: false,
	/** What another process does each time that a lock's owner is about to be read. */
	beforeRead: [] as (() => void)[],
}));

const failure = (code: string): Error => Object.assign(new Error(code), { code });

vi.mock('node:fs', async (original) => {
	const real = await original<typeof FileSystem>();
	return {
		...real,
		linkSync(from: string, to: string): void {
			const instead = machine.insteadOfLink.shift();
			if (instead !== undefined) instead(to);
			else if (machine.link !== undefined) throw failure(machine.link);
			else real.linkSync(from, to);
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
	Object.assign(machine, { link: undefined, insteadOfLink: [], hasProc: true, hidesOthers: false, beforeRead: [] });
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

describe('a file system without links', () => {
	it.each([['EPERM'], ['ENOSYS'], ['ENOTSUP'], ['EOPNOTSUPP'], ['EMLINK']])(
		'that says %s has locks all the same',
		(code) => {
			machine.link = code;
			const folder = temporaryFolder();
			const path = join(folder, 'a.lock');
			const lock = acquireLock(path, 'it');
			expect(errorOf(() => acquireLock(path, 'it'))).toMatchObject({
				code: 'locked',
				message: `it is in use by process ${process.pid}`,
			});
			expect(readdirSync(folder)).toEqual(['a.lock']);
			lock.release();
			expect(readdirSync(folder)).toEqual([]);
		},
	);

	it('that fails otherwise is an error, and leaves nothing behind', () => {
		machine.link = 'EIO';
		const folder = temporaryFolder();
		expect(errorOf(() => acquireLock(join(folder, 'a.lock'), 'it')).code).toBe('EIO');
		expect(readdirSync(folder)).toEqual([]);
	});

	it('whose folder vanishes is an error', () => {
		const folder = join(temporaryFolder(), 'runs');
		mkdirSync(folder);
		machine.insteadOfLink = [
			() => {
				rmSync(folder, { recursive: true });
				throw failure('EPERM');
			},
		];
		expect(errorOf(() => acquireLock(join(folder, 'a.lock'), 'it')).code).toBe('ENOENT');
	});
});

describe('a system without /proc', () => {
	it('judges an owner by its pid alone', () => {
		machine.hasProc = false;
		const path = join(temporaryFolder(), 'a.lock');
		const owner = ownText(path);
		expect([owner.born, owner.namespace]).toEqual([undefined, undefined]);
		writeFileSync(path, JSON.stringify(owner));
		expect(lockHolder(path)).toBe(process.pid);
		expect(errorOf(() => acquireLock(path, 'it')).code).toBe('locked');
		writeFileSync(path, JSON.stringify({ ...owner, pid: NO_SUCH_PID }));
		expect(lockHolder(path)).toBeUndefined();
		acquireLock(path, 'it').release();
	});
});

describe('a system that hides the processes of others', () => {
	it('takes an owner that it may not look at for alive', () => {
		machine.hidesOthers = true;
		const path = join(temporaryFolder(), 'a.lock');
		writeFileSync(path, JSON.stringify({ ...ownText(path), pid: process.ppid }));
		expect(lockHolder(path)).toBe(process.ppid);
		expect(errorOf(() => acquireLock(path, 'it')).code).toBe('locked');
	});
});

describe('an owner that does not say when it began', () => {
	it('is alive where a process has its pid', () => {
		const path = join(temporaryFolder(), 'a.lock');
		const { born: _born, ...owner } = ownText(path);
		writeFileSync(path, JSON.stringify(owner));
		expect(lockHolder(path)).toBe(process.pid);
		expect(errorOf(() => acquireLock(path, 'it')).code).toBe('locked');
	});
});

describe('a lock', () => {
	it('whose name a folder has is an error', () => {
		const path = join(temporaryFolder(), 'a.lock');
		mkdirSync(path);
		expect(errorOf(() => acquireLock(path, 'it')).code).toBe('EISDIR');
	});

	it('that is given back just as it was found taken is tried for again', () => {
		const path = join(temporaryFolder(), 'a.lock');
		machine.insteadOfLink = [
			() => {
				throw failure('EEXIST');
			},
		];
		acquireLock(path, 'it').release();
		expect(existsSync(path)).toBe(false);
	});

	it('that never stays and is never free is given up, without naming anybody', () => {
		const path = join(temporaryFolder(), 'a.lock');
		machine.link = 'EEXIST';
		expect(errorOf(() => acquireLock(path, 'it'))).toMatchObject({
			code: 'locked',
			message: 'it is in use by somebody',
		});
	});

	it('of a dead owner is not taken from whoever took it over meanwhile', () => {
		const path = join(temporaryFolder(), 'a.lock');
		const owner = ownText(path);
		writeFileSync(path, JSON.stringify({ ...owner, pid: NO_SUCH_PID }));
		// The owner is read twice: when it is judged, and before it is replaced.
		machine.beforeRead = [
			() => undefined,
			() => writeFileSync(path, JSON.stringify({ ...owner, token: '0123456789abcdef' })),
		];
		expect(errorOf(() => acquireLock(path, 'it'))).toMatchObject({
			code: 'locked',
			message: `it is in use by process ${process.pid}`,
		});
		expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ token: '0123456789abcdef' });
	});

	it('of a dead owner that vanishes meanwhile is free', () => {
		const path = join(temporaryFolder(), 'a.lock');
		writeFileSync(path, JSON.stringify({ ...ownText(path), pid: NO_SUCH_PID }));
		machine.beforeRead = [() => undefined, () => unlinkSync(path)];
		const lock = acquireLock(path, 'it');
		expect(lockHolder(path)).toBe(process.pid);
		lock.release();
	});

	it('that somebody else has by now is not given back', () => {
		const path = join(temporaryFolder(), 'a.lock');
		const lock = acquireLock(path, 'it');
		writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), token: '0123456789abcdef' }));
		lock.release();
		expect(existsSync(path)).toBe(true);
	});

	it('that can’t be looked at is let go without an error', () => {
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
		['no host', '{"token":"0123456789abcdef","pid":1}'],
		['a pid that is none', '{"token":"0123456789abcdef","pid":0,"host":"h"}'],
		['a pid that is no number', '{"token":"0123456789abcdef","pid":"1","host":"h"}'],
	])('with %s names nobody', (_, text) => {
		const path = join(temporaryFolder(), 'a.lock');
		writeFileSync(path, text);
		expect(lockHolder(path)).toBeUndefined();
		expect(errorOf(() => acquireLock(path, 'it'))).toMatchObject({
			code: 'locked',
			message: 'it is in use by somebody',
		});
	});
});
