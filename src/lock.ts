/** The one lock of this program: a file that names its owner, taken over once that process is gone or gives no sign of life. */

import { randomBytes } from 'node:crypto';
import {
	closeSync,
	openSync,
	readFileSync,
	readlinkSync,
	statSync,
	unlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { FailedError, fileProblem } from './errors.js';

export interface Lock {
	release(): void;
	/** False once a different process took it, for instance while this machine slept. */
	isHeld(): boolean;
}

/** A pid alone isn't enough: pids are reused, and containers have their own. */
interface Owner {
	token: string;
	/** Undefined in a file that is being written, or was left so by a crash. */
	pid?: number;
	host?: string;
	/** When the process began, where the system says so: boot and clock ticks since. */
	born?: string | undefined;
	/** The numbering that the pid belongs to, where the system has several. */
	namespace?: string | undefined;
}

/** How often an owner gives a sign of life, and after how long without one a process elsewhere counts as dead. */
const SIGN_MS = 15_000;
const SILENT_MS = 60_000;
/** After this long, a file that names no owner was left so by a crash. */
const TORN_MS = 5_000;
const TRIES = 20;

function attempt<T>(step: () => T): T | undefined {
	try {
		return step();
	} catch {
		return undefined;
	}
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

function processFacts(pid: number): { state: string | undefined; born: string } | undefined {
	return attempt(() => {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
		// The name in parentheses may hold anything, spaces and parentheses too.
		const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		return { state: fields[0], born: `${boot}:${fields[19]}` };
	});
}

function describeSelf(): Owner {
	return {
		token: randomBytes(8).toString('hex'),
		pid: process.pid,
		host: hostname(),
		born: processFacts(process.pid)?.born,
		namespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
	};
}

function readOwner(path: string): Owner | undefined {
	let text: string;
	try {
		text = readFileSync(path, 'utf8');
	} catch (error) {
		if (codeOf(error) === 'ENOENT') return undefined;
		throw new FailedError(`can't read the lock ${path}: ${fileProblem(error)}`, {
			code: 'unreadable_lock',
			cause: error,
		});
	}
	const owner = attempt(() => JSON.parse(text) as Owner);
	const isComplete =
		/^[0-9a-f]{16}$/.test(String(owner?.token)) &&
		typeof owner?.host === 'string' &&
		Number.isSafeInteger(owner.pid) &&
		Number(owner.pid) > 0;
	return isComplete ? owner : { token: 'torn' };
}

/** Whether the owner still runs. Where that can't be seen from here, only the age of its last sign of life counts. */
function stateOf(path: string, owner: Owner, self: Owner): 'alive' | 'dead' | 'elsewhere' {
	const age = attempt(() => Date.now() - statSync(path).mtimeMs) ?? 0;
	if (owner.pid === undefined) return age > TORN_MS ? 'dead' : 'elsewhere';
	const isHere = owner.host === self.host;
	const [boot, ownBoot] = [owner.born?.split(':')[0], self.born?.split(':')[0]];
	if (isHere && boot !== undefined && ownBoot !== undefined && boot !== ownBoot) return 'dead';
	if (!isHere || owner.namespace !== self.namespace) return age > SILENT_MS ? 'dead' : 'elsewhere';
	try {
		process.kill(owner.pid, 0);
	} catch (error) {
		if (codeOf(error) !== 'EPERM') return 'dead';
	}
	const facts = processFacts(owner.pid);
	if (facts === undefined || owner.born === undefined) return 'alive';
	return facts.state === 'Z' || facts.state === 'X' || facts.born !== owner.born ? 'dead' : 'alive';
}

function publish(path: string, self: Owner): Lock | undefined {
	let file: number;
	try {
		file = openSync(path, 'wx', 0o600);
	} catch (error) {
		if (codeOf(error) === 'EEXIST') return undefined;
		throw error;
	}
	try {
		writeFileSync(file, JSON.stringify(self));
	} catch (error) {
		unlinkSync(path);
		throw error;
	} finally {
		closeSync(file);
	}
	// A lock that can't be read at the moment, as with too many open files, was not taken over as far as anybody knows.
	const isHeld = (): boolean => {
		try {
			return readOwner(path)?.token === self.token;
		} catch {
			return true;
		}
	};
	// A sign or a removal may fail: the next sign may succeed, and the lock ends with the process.
	const signs = setInterval(() => attempt(() => isHeld() && utimesSync(path, new Date(), new Date())), SIGN_MS).unref();
	const release = (): void => {
		clearInterval(signs);
		attempt(() => isHeld() && unlinkSync(path));
	};
	return { isHeld, release };
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
		// Only the holder of a second lock, named after that very taking, may remove it, and only while the first one still
		// names it: of several that see the same dead owner, none removes the next one's lock.
		const right = acquireLock(`${path}.${owner.token}.over`, what);
		try {
			const now = readOwner(path);
			if (now?.token === owner.token && stateOf(path, now, self) === 'dead') unlinkSync(path);
		} finally {
			right.release();
		}
	}
	const { pid, host } = owner ?? {};
	const place = host === self.host ? '' : ` on ${host}`;
	throw new FailedError(`${what} is in use by ${pid === undefined ? 'another process' : `process ${pid}${place}`}`, {
		code: 'locked',
		hint:
			state === 'alive'
				? 'wait for it to end, or stop it'
				: `a process on another machine can't be checked; its lock expires after ${SILENT_MS / 1000} seconds without activity, or remove ${path}`,
		data: pid === undefined ? {} : { pid, host },
	});
}

/** It may be on a different machine. */
export function lockHolder(path: string): number | undefined {
	const owner = readOwner(path);
	return owner && stateOf(path, owner, describeSelf()) !== 'dead' ? owner.pid : undefined;
}
