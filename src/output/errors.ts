/** An error for people, or as a JSON object; never a secret or a raw escape. */

import { ExitCode, fileProblem, isKnownFileProblem, SupportctlError } from '../errors.js';
import { type Palette, plainPalette } from './colour.js';
import { redact, redactTexts, redactUrl } from './redact.js';
import { escapeJson, sanitise } from './sanitise.js';

export function exitCodeOf(error: unknown): ExitCode {
	return error instanceof SupportctlError ? error.exitCode : ExitCode.failed;
}

function describe(error: unknown): Pick<SupportctlError, 'code' | 'message' | 'hint' | 'details' | 'data'> {
	if (error instanceof SupportctlError) return error;
	const message = error instanceof Error ? error.message : String(error);
	const none = { hint: undefined, details: [], data: {} };
	// Errors of the system are no bugs.
	const { code, syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
	if (typeof code === 'string' && typeof syscall === 'string') return { ...none, code: code.toLowerCase(), message };
	const hint = 'This is a bug in supportctl. Please report it with the output of --debug.';
	return { ...none, code: 'bug', message: `unexpected error: ${message}`, hint };
}

const MAX_CAUSES = 5;

function chainOf(error: unknown): unknown[] {
	const chain: unknown[] = [];
	for (let each = error; chain.length <= MAX_CAUSES && each !== undefined && each !== null; ) {
		chain.push(each);
		each = each instanceof Error ? each.cause : undefined;
	}
	return chain;
}

function causesOf(error: unknown): string[] {
	const messages: string[] = [];
	let above = error instanceof Error ? error.message : '';
	for (const cause of chainOf(error).slice(1)) {
		const message = cause instanceof Error ? cause.message || cause.name : String(cause);
		const isKnown = isKnownFileProblem(cause) && above.includes(fileProblem(cause));
		if (message !== '' && !isKnown && !above.includes(message)) messages.push(message);
		above += message;
	}
	return messages;
}

export function renderError(
	error: unknown,
	{ json = false, debug = false, palette = plainPalette }: { json?: boolean; debug?: boolean; palette?: Palette } = {},
): string {
	const { code, message, hint, details, data } = describe(error);
	const causes = causesOf(error);
	const errors = debug ? chainOf(error).filter((each) => each instanceof Error) : [];
	const stack = errors.flatMap((each) => (each.stack ?? `${each.name}: ${each.message}`).split('\n'));
	if (json) {
		const own = {
			code,
			message,
			hint,
			exitCode: exitCodeOf(error),
			...(details.length > 0 && { details }),
			...(causes.length > 0 && { causes }),
			...(stack.length > 0 && { stack }),
		};
		// Facts follow, and replace nothing.
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
