/** An error for people, or as a JSON object; never a secret or a raw escape. */

import { type ExitCode, FailedError, fileProblem, isKnownFileProblem, SupportctlError } from '../errors.js';
import { type Palette, plainPalette } from './colour.js';
import { redact, redactTexts, redactUrl } from './redact.js';
import { escapeJson, sanitise } from './sanitise.js';

/** As an error for people. */
function explain(error: unknown): SupportctlError {
	if (error instanceof SupportctlError) return error;
	const message = error instanceof Error ? error.message : String(error);
	// Errors of the system are no bugs.
	const { code, syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
	if (code !== undefined && syscall !== undefined) return new FailedError(message, { code: code.toLowerCase() });
	return new FailedError(`unexpected error: ${message}`, {
		code: 'bug',
		hint: 'This is a bug in supportctl. Please report it with the output of --debug.',
	});
}

export function exitCodeOfError(error: unknown): ExitCode {
	return explain(error).exitCode;
}

/** A chain of causes can be a circle. */
const MAX_CAUSES = 5;

function chainOf(error: unknown): unknown[] {
	const chain: unknown[] = [];
	for (let each = error; chain.length <= MAX_CAUSES && each !== undefined && each !== null; ) {
		chain.push(each);
		each = each instanceof Error ? each.cause : undefined;
	}
	return chain;
}

/** Without those that the message above them repeats. */
function causesOf(error: unknown): string[] {
	const messages: string[] = [];
	let above = error instanceof Error ? error.message : '';
	for (const cause of chainOf(error).slice(1)) {
		const message = cause instanceof Error ? cause.message || cause.name : String(cause);
		// If our words for it stand above, the system's are not needed.
		const isKnown = isKnownFileProblem(cause) && above.includes(fileProblem(cause));
		if (message !== '' && !isKnown && !above.includes(message)) messages.push(message);
		above += message;
	}
	return messages;
}

/** @param json one JSON object instead of lines @param debug adds the stack trace */
export function renderError(
	error: unknown,
	{ json = false, debug = false, palette = plainPalette }: { json?: boolean; debug?: boolean; palette?: Palette } = {},
): string {
	const { code, message, hint, details, data, exitCode } = explain(error);
	const causes = causesOf(error);
	const errors = debug ? chainOf(error).filter((each) => each instanceof Error) : [];
	const stack = errors.flatMap((each) => (each.stack ?? `${each.name}: ${each.message}`).split('\n'));
	if (json) {
		const own = {
			code,
			message,
			hint,
			exitCode,
			...(details.length > 0 && { details }),
			...(causes.length > 0 && { causes }),
			...(stack.length > 0 && { stack }),
		};
		// Data follow, and replace nothing.
		const object = { ...own, ...data, ...own };
		return `${escapeJson(JSON.stringify({ error: redactTexts(redact(object), redactUrl) }))}\n`;
	}
	const printed = (text: string): string => sanitise(redactUrl(text));
	const [first = '', ...rest] = message.split(/\r?\n/);
	const more = [
		...rest.filter((line) => line.trim() !== ''),
		...details.flatMap((detail) => detail.split(/\r?\n/)),
		...causes.map((cause) => `because: ${cause}`),
	];
	const lines = [
		`${palette.bad('error:')} ${printed(first)}`,
		...more.map((line) => `  ${printed(line)}`),
		...(hint?.split('\n') ?? []).map((line) => `${palette.strong('hint:')} ${printed(line)}`),
		...stack.map((line) => palette.faint(printed(line))),
	];
	return `${lines.join('\n')}\n`;
}
