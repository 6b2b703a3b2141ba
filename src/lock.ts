/** A lock is a file that names its owner. Others take it over once that process is gone, or gives no sign of life. */

import { randomBytes } from 'node:crypto';
import {
	closeSync,
	constants,
	openSync,
	readFileSync,
	readlinkSync,
	statSync,
	unlinkSync,
	writeFileSync,
	writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { FailedError, fileProblem } from './errors.js';

export interface Lock {
	/** A second call does nothing. */
	release(): void;
	/** Another process may take it while this machine sleeps. */
	isHeld(): boolean;
}

/** Pids are reused, and containers have their own. */
interface Owner {
	/** Names this taking of the lock, so that nobody removes someone else's. */
	token: string;
	/** Undefined in a file that is being written, or was left so by a crash. */
	pid?: number;
	host?: string;
	/** The boot and the namespace of the pid, or else the host. */
	place?: string;
	/** When the process began, if the system says so: process IDs are used again. */
	start?: string | undefined;
}

const SIGN_EVERY_MS = 15_000;
const DEAD_AFTER_MS = 60_000;
const TORN_AFTER_MS = 5_000;
const TRIES = 20;

function attempt<T>(step: () => T): T | undefined {
	try {
		return step();
	} catch {
		return undefined;
	}
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** In clock ticks since the boot; empty if the process ended and was not waited for. */
function startOf(pid: number): string | undefined {
	return attempt(() => {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		// The name in parentheses may hold spaces and parentheses.
		const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		return fields[0] === 'Z' || fields[0] === 'X' ? '' : fields[19];
	});
}

function describeSelf(): Owner {
	const place = attempt(
		() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() + readlinkSync('/proc/self/ns/pid'),
	);
	return {
		token: randomBytes(8).toString('hex'),
		pid: process.pid,
		host: hostname(),
		place: place ?? hostname(),
		start: startOf(process.pid),
	};
}

/** Of another user, in a folder that several share: only its age can be told. */
const HIDDEN = 'hidden';

/** Who holds a lock; undefined if it is free. @throws FailedError for a lock that can't be read */
function readOwner(path: string): Owner | undefined {
	let text: string;
	try {
		text = readFileSync(path, 'utf8');
	} catch (error) {
		if (codeOf(error) === 'ENOENT') return undefined;
		if (codeOf(error) === 'EACCES') return { token: HIDDEN, place: HIDDEN };
		throw new FailedError(`can't read the lock ${path}: ${fileProblem(error)}`, {
			code: 'unreadable_lock',
			cause: error,
		});
	}
	const owner = attempt(() => JSON.parse(text) as Owner);
	const isComplete = /^[0-9a-f]{16}$/.test(String(owner?.token)) && Number.isSafeInteger(owner?.pid);
	return isComplete ? owner : { token: 'torn' };
}

/** What the file system takes for now: clocks of machines that share a folder differ. */
function folderTime(path: string, { token }: Owner): number {
	const probe = `${path}.${token}.now`;
	const time = attempt(() => {
		writeFileSync(probe, '', { flag: 'wx', mode: 0o600 });
		return statSync(probe).mtimeMs;
	});
	attempt(() => unlinkSync(probe));
	return time ?? Date.now();
}

/** Its time is that of the file system. A space does no harm to a lock that somebody else took meanwhile, and no file is made anew. */
function giveSign(path: string): void {
	const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND);
	try {
		writeSync(fd, ' ');
	} finally {
		closeSync(fd);
	}
}

/** Where the process can't be seen from here, the age of its last sign of life counts. */
function stateOf(path: string, { pid, place, start }: Owner, self: Owner): 'alive' | 'dead' | 'elsewhere' {
	const isHere = place === self.place;
	const now = isHere ? Date.now() : folderTime(path, self);
	const age = attempt(() => now - statSync(path).mtimeMs) ?? 0;
	if (pid === undefined && place !== HIDDEN) return age > TORN_AFTER_MS ? 'dead' : 'elsewhere';
	if (pid === undefined || !isHere) return age > DEAD_AFTER_MS ? 'dead' : 'elsewhere';
	try {
		process.kill(pid, 0);
	} catch (error) {
		if (codeOf(error) !== 'EPERM') return 'dead';
	}
	// Some systems hide the processes of others.
	const started = startOf(pid);
	return started === undefined || start === undefined || started === start ? 'alive' : 'dead';
}

/** @returns undefined if the file exists */
function publish(path: string, self: Owner): Lock | undefined {
	try {
		writeFileSync(path, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
	} catch (error) {
		if (codeOf(error) === 'EEXIST') return undefined;
		// The disk may be full. Nobody takes a file over that is this new.
		attempt(() => unlinkSync(path));
		throw error;
	}
	// With too many open files it can't be read, which does not mean that it was taken over.
	const isHeld = (): boolean => {
		try {
			return readOwner(path)?.token === self.token;
		} catch {
			return true;
		}
	};
	// These may fail: the next sign may succeed, and the lock ends with the process.
	const signs = setInterval(() => attempt(() => isHeld() && giveSign(path)), SIGN_EVERY_MS).unref();
	const release = (): void => {
		clearInterval(signs);
		attempt(() => isHeld() && unlinkSync(path));
	};
	return { isHeld, release };
}

/** Needs a second lock, named after the dead owner: of several that see it, none may remove the next owner's lock. */
function removeDead(path: string, { token }: Owner, self: Owner, what: string): void {
	const right = acquireLock(`${path}.${token}.over`, what);
	try {
		const owner = readOwner(path);
		if (owner?.token === token && stateOf(path, owner, self) === 'dead') unlinkSync(path);
	} finally {
		right.release();
	}
}

/** Never waits. @throws FailedError with code `locked` */
export function acquireLock(path: string, what: string): Lock {
	const self = describeSelf();
	let owner: Owner | undefined;
	let state: ReturnType<typeof stateOf> = 'elsewhere';
	for (let tries = 0; tries < TRIES; tries++) {
		const lock = publish(path, self);
		if (lock !== undefined) return lock;
		owner = readOwner(path);
		if (owner === undefined) continue;
		state = stateOf(path, owner, self);
		if (state !== 'dead') break;
		removeDead(path, owner, self, what);
	}
	const { pid, host } = owner ?? {};
	const where = host === self.host ? '' : ` on ${host}`;
	const expires = `it can't be checked from here; its lock expires after ${DEAD_AFTER_MS / 1000} seconds without activity, or remove ${path}`;
	throw new FailedError(`${what} is in use by ${pid === undefined ? 'another process' : `process ${pid}${where}`}`, {
		code: 'locked',
		hint: state === 'alive' ? 'wait for it to end, or stop it' : expires,
		data: { pid, host },
	});
}

/** Its process, as far as it can be told. @returns undefined if nobody has it */
export function lockHolder(path: string): Pick<Owner, 'pid' | 'host'> | undefined {
	const owner = readOwner(path);
	if (owner === undefined || (owner.pid === undefined && owner.place === undefined)) return undefined;
	return stateOf(path, owner, describeSelf()) === 'dead' ? undefined : owner;
}
