/** An error as a person reads it on stderr, or as one JSON object: what, why, the next step; never a secret or a raw escape. */

import { ExitCode, fileProblem, isKnownFileProblem, SupportctlError } from '../errors.js';
import { type Palette, plainPalette } from './colour.js';
import { redact, redactTexts, redactUrl } from './redact.js';
import { escapeJson, sanitise } from './sanitise.js';

export interface ErrorView {
	/** One JSON object instead of lines. */
	json?: boolean | undefined;
	/** Adds the stack trace. */
	debug?: boolean | undefined;
	palette?: Palette | undefined;
}

/** What is known about any thrown value. */
interface Described {
	code: string;
	message: string;
	hint: string | undefined;
	details: readonly string[];
	exitCode: ExitCode;
	data: Readonly<Record<string, unknown>>;
}

const BUG_HINT = 'This is a bug in supportctl. Run it again with --debug and report what it prints.';

/** The exit code that an error stands for; 1 for what was not foreseen. */
export function exitCodeOf(error: unknown): ExitCode {
	return error instanceof SupportctlError ? error.exitCode : ExitCode.failed;
}

function describe(error: unknown): Described {
	if (error instanceof SupportctlError) {
		const { code, message, hint, details, exitCode, data } = error;
		return { code, message, hint, details, exitCode, data };
	}
	const message = error instanceof Error ? error.message : String(error);
	const code = systemCode(error);
	if (code !== undefined) {
		return { code: code.toLowerCase(), message, hint: undefined, details: [], exitCode: ExitCode.failed, data: {} };
	}
	return {
		code: 'bug',
		message: `unexpected: ${message}`,
		hint: BUG_HINT,
		details: [],
		exitCode: ExitCode.failed,
		data: {},
	};
}

/** `ENOENT`, `EACCES` and the like: an error of the system, which is no bug. */
function systemCode(error: unknown): string | undefined {
	if (!(error instanceof Error)) return undefined;
	const { code, syscall } = error as NodeJS.ErrnoException;
	return typeof code === 'string' && typeof syscall === 'string' ? code : undefined;
}

/** How far a chain of causes is followed. */
const MAX_CAUSES = 5;

/** Messages of the causes, without those that the message above them repeats already. */
function causesOf(error: unknown): string[] {
	const messages: string[] = [];
	let above = error instanceof Error ? error.message : '';
	let cause = error instanceof Error ? error.cause : undefined;
	for (let depth = 0; depth < MAX_CAUSES && cause !== undefined && cause !== null; depth++) {
		const message = cause instanceof Error ? cause.message || cause.name : String(cause);
		// What was said in words needs no system's words below it.
		const isSaid = isKnownFileProblem(cause) && above.includes(fileProblem(cause));
		if (message !== '' && !isSaid && !above.includes(message)) messages.push(message);
		above += message;
		cause = cause instanceof Error ? cause.cause : undefined;
	}
	return messages;
}

/** Lines for stderr, ending in a line break. */
export function renderError(error: unknown, view: ErrorView = {}): string {
	return view.json === true ? jsonError(error, view) : textError(error, view);
}

function textError(error: unknown, view: ErrorView): string {
	const palette = view.palette ?? plainPalette;
	const { message, hint, details } = describe(error);
	const [first = '', ...rest] = message.split(/\r?\n/);
	const printed = (text: string): string => sanitise(redactUrl(text));
	const lines = [
		`${palette.bad('error:')} ${printed(first)}`,
		...rest.filter((line) => line.trim() !== '').map((line) => `  ${printed(line)}`),
		...details.flatMap((detail) => detail.split(/\r?\n/)).map((detail) => `  ${printed(detail)}`),
		...causesOf(error).map((cause) => `  because: ${printed(cause)}`),
	];
	if (hint !== undefined) lines.push(...hint.split('\n').map((line) => `${palette.strong('hint:')} ${printed(line)}`));
	if (view.debug === true && error instanceof Error) {
		lines.push(...stackOf(error).map((line) => palette.faint(printed(line))));
	}
	return `${lines.join('\n')}\n`;
}

function jsonError(error: unknown, view: ErrorView): string {
	const { code, message, hint, details, exitCode, data } = describe(error);
	const causes = causesOf(error);
	const object = {
		code,
		message,
		...(hint === undefined ? {} : { hint }),
		exitCode,
		...(details.length === 0 ? {} : { details }),
		...(causes.length === 0 ? {} : { causes }),
		...Object.fromEntries(Object.entries(data).filter(([key]) => !RESERVED.has(key))),
		...(view.debug === true && error instanceof Error ? { stack: stackOf(error) } : {}),
	};
	return `${escapeJson(JSON.stringify({ error: redactTexts(redact(object), []) }))}\n`;
}

/** What data can't take the place of. */
const RESERVED = new Set(['code', 'message', 'hint', 'exitCode', 'details', 'causes', 'stack']);

/** The frames of an error and of its causes. */
function stackOf(error: Error): string[] {
	const lines: string[] = [];
	let each: unknown = error;
	for (let depth = 0; depth <= MAX_CAUSES && each instanceof Error; depth++) {
		lines.push(...(each.stack ?? `${each.name}: ${each.message}`).split('\n'));
		each = each.cause;
	}
	return lines;
}
