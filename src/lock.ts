/** The one lock of this program: a file that names its owner, taken over once that process is gone or gives no sign of life. */

import { randomBytes } from 'node:crypto';
import {
	linkSync,
	readFileSync,
	readlinkSync,
	renameSync,
	statSync,
	unlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { FailedError } from './errors.js';

export interface Lock {
	/** Gives the lock back; doing so twice is no harm. */
	release(): void;
	/** False once another process has taken it over, for instance while this machine was asleep. */
	isHeld(): boolean;
}

/** Who holds a lock. A pid alone is not enough: pids are used again, and containers and machines have their own. */
interface Owner {
	/** Names this taking of the lock. */
	token: string;
	pid: number;
	host: string;
	/** When the process began, where the system says so: boot and clock ticks since. */
	born?: string | undefined;
	/** The numbering that the pid belongs to, where the system has several. */
	namespace?: string | undefined;
}

/** How often an owner gives a sign of life, and after how long without one a process elsewhere counts as dead. */
const SIGN_MS = 15_000;
const SILENT_MS = 60_000;

type Verdict = 'alive' | 'dead' | 'unknown';

function readText(path: string): string | undefined {
	try {
		return readFileSync(path, 'utf8').trim();
	} catch {
		return undefined;
	}
}

/** State letter and start of a process on Linux; undefined elsewhere or where there is none. */
function processFacts(pid: number): { state: string; born: string } | undefined {
	const stat = readText(`/proc/${pid}/stat`);
	const boot = readText('/proc/sys/kernel/random/boot_id');
	if (stat === undefined || boot === undefined) return undefined;
	// The name in parentheses may hold anything, spaces and parentheses too.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return { state: fields[0] ?? '', born: `${boot}:${fields[19]}` };
}

function pidNamespace(): string | undefined {
	try {
		return readlinkSync('/proc/self/ns/pid');
	} catch {
		return undefined;
	}
}

function describeSelf(): Owner {
	return {
		token: randomBytes(8).toString('hex'),
		pid: process.pid,
		host: hostname(),
		born: processFacts(process.pid)?.born,
		namespace: pidNamespace(),
	};
}

function pidExists(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

/** Whether the owner still runs. Another machine's or another container's processes can't be judged from here. */
function judge(owner: Owner, self: Owner): Verdict {
	if (owner.host !== self.host) return 'unknown';
	const [boot, ownBoot] = [owner.born?.split(':')[0], self.born?.split(':')[0]];
	if (boot !== undefined && ownBoot !== undefined && boot !== ownBoot) return 'dead';
	if (owner.namespace !== self.namespace) return 'unknown';
	if (!pidExists(owner.pid)) return 'dead';
	const facts = processFacts(owner.pid);
	if (facts === undefined || owner.born === undefined) return 'alive';
	return facts.state === 'Z' || facts.state === 'X' || facts.born !== owner.born ? 'dead' : 'alive';
}

/** Reads who holds a lock: undefined where nobody does, null where the file names nobody. */
function readOwner(path: string): Owner | null | undefined {
	let text: string;
	try {
		text = readFileSync(path, 'utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
	try {
		const owner = JSON.parse(text) as Partial<Owner>;
		const complete =
			/^[0-9a-f]{16}$/.test(String(owner.token)) &&
			typeof owner.host === 'string' &&
			Number.isSafeInteger(owner.pid) &&
			(owner.pid as number) > 0;
		return complete ? (owner as Owner) : null;
	} catch {
		return null;
	}
}

/** What file systems without hard links say. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** Puts a lock's file in place, whole and only where there is none. */
function publish(path: string, self: Owner): boolean {
	const draft = `${path}.${self.token}`;
	const text = JSON.stringify(self);
	writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
	try {
		linkSync(draft, path);
		return true;
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'EEXIST') return false;
		if (!NO_LINKS.has(code)) throw error;
		return publishWithoutLinks(path, text);
	} finally {
		unlinkSync(draft);
	}
}

function publishWithoutLinks(path: string, text: string): boolean {
	try {
		writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
		throw error;
	}
}

/** Whether the owner of a lock still runs; one that can't be looked at is dead after a minute without a sign of life. */
function judgeLock(path: string, owner: Owner | null, self: Owner): Verdict {
	// A file that names nobody is being written, or was left so by a crash.
	if (owner === null) return ageOf(path) > TORN_AFTER_MS ? 'dead' : 'unknown';
	const verdict = judge(owner, self);
	return verdict === 'unknown' && ageOf(path) > SILENT_MS ? 'dead' : verdict;
}

function locked(path: string, what: string, owner: Owner | null, verdict: Verdict): FailedError {
	const who =
		owner === null ? 'somebody' : `process ${owner.pid}${owner.host === hostname() ? '' : ` on ${owner.host}`}`;
	return new FailedError(`${what} is in use by ${who}`, {
		code: 'locked',
		hint:
			verdict === 'alive'
				? 'wait for it to end, or stop it'
				: `a process elsewhere can't be checked from here; its lock is free ${SILENT_MS / 1000} seconds after its last sign of life, or when you remove ${path}`,
		data: owner === null ? {} : { pid: owner.pid, host: owner.host },
	});
}

const TRIES = 20;
/** After this long, a file that names nobody was left so by a crash. */
const TORN_AFTER_MS = 5_000;

function ageOf(path: string): number {
	try {
		return Date.now() - statSync(path).mtimeMs;
	} catch {
		return 0;
	}
}

/**
 * Takes the lock or throws FailedError with code `locked`; never waits.
 *
 * A dead owner's lock is replaced only by whoever holds a second lock that is named after that very taking, and only
 * while the first one still names it: so of several that see the same dead owner, one gets the lock.
 */
export function acquireLock(path: string, what: string): Lock {
	const self = describeSelf();
	const isHeld = (): boolean => readOwner(path)?.token === self.token;
	let signs: NodeJS.Timeout | undefined;
	const take = (): Lock => {
		signs = setInterval(() => giveSign(path, isHeld), SIGN_MS).unref();
		return lock;
	};
	const lock: Lock = {
		isHeld,
		release() {
			clearInterval(signs);
			try {
				if (isHeld()) unlinkSync(path);
			} catch {
				// A lock that can't be removed ends with this process.
			}
		},
	};
	for (let tries = 0; tries < TRIES; tries++) {
		if (publish(path, self)) return take();
		const owner = readOwner(path);
		if (owner === undefined) continue;
		const verdict = judgeLock(path, owner, self);
		if (verdict !== 'dead') throw locked(path, what, owner, verdict);
		if (takeOver(path, what, owner, self)) return take();
	}
	throw locked(path, what, null, 'unknown');
}

function giveSign(path: string, isHeld: () => boolean): void {
	try {
		const now = new Date();
		if (isHeld()) utimesSync(path, now, now);
	} catch {
		// The next sign may come through.
	}
}

function takeOver(path: string, what: string, dead: Owner | null, self: Owner): boolean {
	const token = dead?.token ?? 'torn';
	const right = acquireLock(`${path}.${token}.over`, what);
	try {
		const now = readOwner(path);
		if (now === undefined || (now?.token ?? 'torn') !== token) return false;
		const draft = `${path}.${self.token}`;
		writeFileSync(draft, JSON.stringify(self), { mode: 0o600, flag: 'wx' });
		renameSync(draft, path);
		return true;
	} finally {
		right.release();
	}
}

/** The pid of the process that holds the lock, if there is one; it may be on another machine. */
export function lockHolder(path: string): number | undefined {
	const owner = readOwner(path);
	return owner && judgeLock(path, owner, describeSelf()) !== 'dead' ? owner.pid : undefined;
}
