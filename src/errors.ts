/** Errors for people, and exit codes. */

/** As `supportctl help exit-codes` promises them. */
export const ExitCode = {
	ok: 0,
	failed: 1,
	usage: 2,
	partial: 3,
	refused: 4,
	unknown: 5,
	differs: 6,
	wrongCredentials: 10,
	interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

export interface ErrorDetails {
	code?: string;
	/** The next step: one sentence or command. */
	hint?: string;
	/** More lines, such as the service's reason for each field. */
	details?: string[];
	/** Merged into the object of `--json`. */
	data?: Record<string, unknown>;
	cause?: unknown;
}

/** The code of an error for want of credentials. */
export const NOT_SIGNED_IN = 'not_signed_in';

/** For people; everything else is a bug and reported as one. */
export class SupportctlError extends Error {
	readonly code: string;
	readonly hint: string | undefined;
	readonly details: string[];
	readonly data: Record<string, unknown>;

	constructor(
		message: string,
		readonly exitCode: ExitCode,
		{ code = 'error', hint, details = [], data = {}, cause }: ErrorDetails = {},
	) {
		super(message, cause === undefined ? undefined : { cause });
		this.code = code;
		this.hint = hint;
		this.details = details;
		this.data = data;
	}
}

/** The command line, the input or a setting can't be used as given, and nothing was sent: exit code 2. */
export class UsageError extends SupportctlError {
	constructor(message: string, options: ErrorDetails = {}) {
		super(message, ExitCode.usage, { code: 'usage', ...options });
	}
}

/** `…; nothing was sent`, or behind a question a sentence. */
export function andNothingSent(what: string): string {
	return what.endsWith('?') ? `${what} Nothing was sent.` : `${what}; nothing was sent`;
}

/** Exit code 1. */
export class FailedError extends SupportctlError {
	constructor(message: string, options: ErrorDetails = {}) {
		super(message, ExitCode.failed, { code: 'failed', ...options });
	}
}

export function interrupted(message: string): SupportctlError {
	return new SupportctlError(message, ExitCode.interrupted, { code: 'interrupted' });
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
	ENOENT: 'file not found',
	ENOTDIR: 'directory not found',
	EISDIR: 'it is a directory',
	EACCES: 'permission denied',
	ENXIO: 'it is a socket or a missing device',
	EROFS: 'the file system is read-only',
	ENOSPC: 'the disk is full',
	EFBIG: 'the file has reached its size limit',
	ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
};

/** Why a file can't be read or written, in words for people. */
export function fileProblem(error: unknown): string {
	const { code = '', message } = error as NodeJS.ErrnoException;
	return FILE_PROBLEMS[code] ?? message;
}

/** Whether `fileProblem` has words for it, so that the system's own are not needed. */
export function isKnownFileProblem(error: unknown): boolean {
	const { code = '' } = error as NodeJS.ErrnoException;
	return code === 'ERR_SMALL_FILE' || Object.hasOwn(FILE_PROBLEMS, code);
}

/** For text that was lost although its reader was there. */
export function lostOutput(failure: Error): FailedError {
	return new FailedError(`can't write to stdout: ${fileProblem(failure)}`, { code: 'output_lost' });
}
