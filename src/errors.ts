/** Errors for people, each with an exit code and usually the next step. */

/** Exit codes of the binary, as the command line promises them. */
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
	/** A stable machine-readable name such as `invalid_value`. */
	code?: string;
	/** What the person can do next, one sentence or command. */
	hint?: string;
	/** Further lines, for instance the service's reason for each field. */
	details?: string[];
	/** Facts for `--json`; merged into the printed object. */
	data?: Record<string, unknown>;
	cause?: unknown;
}

/** Any error that is meant to be read by a person; everything else is a bug and is reported as one. */
export class SupportctlError extends Error {
	// Spelt out: the bundle's classes have other names.
	override readonly name: string = 'SupportctlError';
	readonly exitCode: ExitCode;
	readonly code: string;
	readonly hint: string | undefined;
	readonly details: string[];
	readonly data: Record<string, unknown>;

	constructor(message: string, exitCode: ExitCode, options: ErrorDetails = {}) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.exitCode = exitCode;
		this.code = options.code ?? 'error';
		this.hint = options.hint;
		this.details = options.details ?? [];
		this.data = options.data ?? {};
	}
}

/** A kind of error with an exit code of its own. The name is spelt out: the bundle's classes have other names. */
function kindOf(
	name: string,
	exitCode: ExitCode,
	code: string,
): new (
	message: string,
	options?: ErrorDetails,
) => SupportctlError {
	return class extends SupportctlError {
		override readonly name = name;

		constructor(message: string, options: ErrorDetails = {}) {
			super(message, exitCode, { code, ...options });
		}
	};
}

/** The command line, the input or a setting can't be used as given; nothing was sent. */
export class UsageError extends kindOf('UsageError', ExitCode.usage, 'usage') {}

/** Something could not be done. */
export class FailedError extends kindOf('FailedError', ExitCode.failed, 'failed') {}

/** Not signed in, or refused by the service (401, 403). */
export class RefusedError extends kindOf('RefusedError', ExitCode.refused, 'refused') {}

/** Stopped with Ctrl-C or a signal. */
export class InterruptedError extends kindOf('InterruptedError', ExitCode.interrupted, 'interrupted') {}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
	ENOENT: 'file not found',
	ENOTDIR: 'folder not found',
	EISDIR: 'it is a folder',
	EACCES: 'permission denied',
	ENXIO: 'it is a socket or a missing device',
	ERR_INPUT_TOO_LARGE: 'it is larger than 64 MiB',
	EROFS: 'the file system is read-only',
	ENOSPC: 'the disk is full',
	EFBIG: 'the file has reached its size limit',
	ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
};

/** What `readSmallFile` refuses, in words of its own. */
const SMALL_FILE = 'ERR_SMALL_FILE';

/** Why a file can't be read or written. */
export function fileProblem(error: unknown): string {
	const { code = '', message } = error as NodeJS.ErrnoException;
	return FILE_PROBLEMS[code] ?? message;
}

/** Whether `fileProblem` has words of its own for it, so that the system's need not be shown too. */
export function isKnownFileProblem(error: unknown): boolean {
	const { code = '' } = error as NodeJS.ErrnoException;
	return code === SMALL_FILE || Object.hasOwn(FILE_PROBLEMS, code);
}

/** For text that was lost, though its reader was there. */
export function lostOutput(failure: Error): FailedError {
	return new FailedError(`can't write to stdout: ${fileProblem(failure)}`, { code: 'output_lost' });
}
