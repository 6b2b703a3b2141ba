/** A pager for text that is longer than the screen. */

import type { Context } from './context.js';

/** As in git and gh: colors, and an end by itself if all fits. */
const LESS = 'FRX';

/** Without `less` the text is printed as it is. */
const DEFAULT = `if command -v less >/dev/null 2>&1; then exec less -${LESS}; else exec cat; fi`;

function pagerCommand({ stdout, env }: Context): string | undefined {
	if (!stdout.isTTY || stdout.rows === undefined || env.TERM === 'dumb' || process.platform === 'win32') {
		return undefined;
	}
	const given = env.SUPPORTCTL_PAGER ?? env.PAGER;
	if (given === undefined) return DEFAULT;
	// A pager that can't be started (126, 127) has read nothing.
	return ['', 'cat'].includes(given.trim()) ? undefined : `${given}\ncase $? in 126|127) exec cat;; esac`;
}

interface PagerOptions {
	enabled?: boolean;
	/** Before the pager takes the screen. */
	onStart?: (() => void) | undefined;
	/** For text that comes after the person left. */
	leave?: () => void;
}

export function openPager(context: Context, { enabled = true, onStart, leave }: PagerOptions) {
	const { stdout } = context;
	const command = enabled ? pagerCommand(context) : undefined;
	let kept = '';
	let started: ReturnType<typeof startPager> | undefined;
	return {
		/** A promise asks to wait. */
		write(text: string): void | Promise<void> {
			if (command === undefined) return stdout.write(text);
			let next = text;
			if (started === undefined) {
				kept += text;
				const columns = stdout.columns ?? 80;
				const lines = kept.split('\n').map((line) => Math.max(1, Math.ceil(line.length / columns)));
				if (lines.reduce((sum, each) => sum + each, -1) < (stdout.rows ?? 24)) return;
				onStart?.();
				started = startPager(command, context);
				next = kept;
			}
			const { child, closed } = started;
			if (child.exitCode !== null || child.signalCode !== null) return leave?.();
			if (child.stdin.write(next)) return;
			return Promise.race([closed, new Promise<void>((resolve) => child.stdin.once('drain', resolve))]);
		},
		async end(): Promise<void> {
			if (started === undefined) return stdout.write(kept);
			started.child.stdin.end();
			await started.closed;
		},
	};
}

function startPager(command: string, { env, signals }: Context) {
	// The pager needs no credentials.
	const own = Object.entries(env).filter(([name]) => !name.startsWith('SUPPORTCTL_'));
	const child = process.getBuiltinModule('node:child_process').spawn('sh', ['-c', command], {
		stdio: ['pipe', 'inherit', 'inherit'],
		env: { ...Object.fromEntries(own), LESS: env.LESS ?? LESS, LV: env.LV ?? '-c' },
	});
	const unlisten = signals.listen(() => child.kill(), true);
	// The person may leave before the end.
	child.stdin.on('error', () => undefined);
	const closed = new Promise<void>((resolve) => {
		child.once('close', () => resolve()).once('error', () => resolve());
	}).finally(unlisten);
	return { child, closed };
}
