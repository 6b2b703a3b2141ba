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

export const warn = (check: string, message: string, hint: string): Finding => ({
	check,
	result: 'warn',
	message,
	hint,
});

export const fail = (check: string, message: string, hint: string): Finding => ({
	check,
	result: 'fail',
	message,
	hint,
});

export const skipped = (check: string, message: string): Finding => ({ check, result: 'skipped', message });

/** What to do about an error that does not say it itself, by the check that met it. */
export const remedies = {
	config: 'make it a file that you can read, or let SUPPORTCTL_CONFIG_DIR name another folder',
	profile: 'give what it names another value, or leave it out; supportctl help profiles explains settings',
	secret: 'supportctl login stores another one; supportctl help environment names the variables that hold one',
	'base-url': 'write the part before /support-api/v1, for instance https://desk.example.com/wp-json',
	proxy: 'fix HTTPS_PROXY or HTTP_PROXY, or let NO_PROXY name the host',
	tls: 'let --ca-file, --cert and --key name PEM files that you can read; supportctl profile set stores them',
} as const;

/** An error that was thrown for a person to read, as a failed check. */
export function failed(check: keyof typeof remedies, error: unknown): Finding {
	const message = error instanceof Error ? error.message : String(error);
	const { hint, details } = error as { hint?: string; details?: readonly string[] };
	return fail(check, [message, ...(details ?? [])].join('; '), hint || remedies[check]);
}
