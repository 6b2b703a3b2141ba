/** Text for a terminal that is longer than its screen goes through a pager, as with git and gh. */

import type { Context } from './context.js';

export interface Pager {
	/** A promise asks to wait until the pager has taken the text. */
	write(text: string): void | Promise<void>;
	/** Prints what is left; resolves when the person has left the pager. */
	end(): Promise<void>;
}

/** `less` shows colours, and ends by itself where all fits; without it the text is printed as it is. */
const DEFAULT = 'if command -v less >/dev/null 2>&1; then exec less -FRX; else exec cat; fi';

/** The shell command of the pager; undefined where there is to be none. */
function pagerCommand({ stdout, env }: Pick<Context, 'stdout' | 'env'>): string | undefined {
	if (!stdout.isTTY || stdout.rows === undefined || env.TERM === 'dumb' || process.platform === 'win32')
		return undefined;
	const given = env.SUPPORTCTL_PAGER ?? env.PAGER;
	if (given === undefined) return DEFAULT;
	if (given.trim() === '' || given.trim() === 'cat') return undefined;
	// A pager that can't be started (126, 127) has read nothing.
	return `${given}\ncase $? in 126|127) exec cat;; esac`;
}

export interface PagerOptions {
	/** True by default. */
	enabled?: boolean;
	/** Called before the pager takes the screen. */
	onStart?: (() => void) | undefined;
	/** Called for text that comes after the person has left the pager. */
	leave?: () => void;
}

/** Keeps text until there is more of it than fits the screen, and then starts the pager. */
export function openPager(
	context: Pick<Context, 'stdout' | 'env' | 'signals'>,
	{ enabled = true, onStart, leave }: PagerOptions,
): Pager {
	const { stdout } = context;
	const command = enabled ? pagerCommand(context) : undefined;
	if (command === undefined) return { write: (text) => stdout.write(text), end: async () => undefined };
	let kept = '';
	let started: Pager | undefined;
	return {
		write(text) {
			if (started !== undefined) return started.write(text);
			kept += text;
			if (screenLines(kept, stdout.columns ?? 80) < (stdout.rows ?? 24)) return;
			onStart?.();
			started = startPager(command, context, leave);
			return started.write(kept);
		},
		async end() {
			if (started === undefined) stdout.write(kept);
			else await started.end();
		},
	};
}

function screenLines(text: string, columns: number): number {
	return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), -1);
}

function startPager(
	command: string,
	{ env, signals }: Pick<Context, 'env' | 'signals'>,
	leave: (() => void) | undefined,
): Pager {
	// The pager needs no credentials.
	const own = Object.entries(env).filter(([name]) => !name.startsWith('SUPPORTCTL_'));
	const child = process.getBuiltinModule('node:child_process').spawn('sh', ['-c', command], {
		stdio: ['pipe', 'inherit', 'inherit'],
		env: { ...Object.fromEntries(own), LV: env.LV ?? '-c' },
	});
	// Ctrl-C is for the pager, which stops reading and goes on.
	const unlisten = signals.listen((signal) => {
		if (signal !== 'SIGINT') child.kill();
	});
	let isOpen = true;
	const closed = new Promise<void>((resolve) => {
		const close = (): void => {
			isOpen = false;
			unlisten();
			resolve();
		};
		child.once('close', close);
		child.once('error', close);
	});
	// A person who leaves the pager needs no more of the text.
	child.stdin.on('error', () => undefined);
	return {
		write(text) {
			if (!isOpen) return leave?.();
			if (child.stdin.write(text)) return;
			return Promise.race([closed, new Promise<void>((resolve) => child.stdin.once('drain', resolve))]);
		},
		async end() {
			child.stdin.end();
			await closed;
		},
	};
}
