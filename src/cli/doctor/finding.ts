/** What a check of `doctor` comes to: one line, and what to do about it. */

export type Result = 'pass' | 'warn' | 'fail' | 'skipped';

export interface Finding {
	/** A stable name: `config`, `tls`, `credentials` … */
	check: string;
	result: Result;
	/** What was found, in a phrase. */
	message: string;
	/** What to do, where something is to be done. */
	hint?: string | undefined;
}

export const pass = (check: string, message: string): Finding => ({ check, result: 'pass', message });

export const warn = (check: string, message: string, hint?: string): Finding => ({
	check,
	result: 'warn',
	message,
	hint,
});

export const fail = (check: string, message: string, hint?: string): Finding => ({
	check,
	result: 'fail',
	message,
	hint,
});

export const skipped = (check: string, message: string): Finding => ({ check, result: 'skipped', message });

/** An error that was thrown for a person to read, as a failed check. */
export function failed(check: string, error: unknown): Finding {
	const message = error instanceof Error ? error.message : String(error);
	const { hint, details } = error as { hint?: string; details?: readonly string[] };
	return fail(check, [message, ...(details ?? [])].join('; '), hint);
}
