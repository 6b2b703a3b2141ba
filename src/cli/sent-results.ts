/** Results of requests that are sent by then: trouble with printing them stops nothing, and is told for what it is. */

import { ExitCode, SupportctlError } from '../errors.js';
import type { Renderer } from '../output/render.js';

export interface SentResults {
	/** Prints a row, as long as the rows before it could be printed. */
	row(row: unknown): void | Promise<void>;
	/** Writes what is left; gives the reason for which the output is not what was asked for. */
	end(): Promise<SupportctlError | undefined>;
}

/** What was thrown because of the output. @throws what is none of our errors, and so a bug */
export function outputTrouble(error: unknown): SupportctlError {
	if (error instanceof SupportctlError) return error;
	throw error;
}

/** Keeps the first trouble of a renderer till the end. */
export function createSentResults(results: Renderer): SentResults {
	let trouble: SupportctlError | undefined;
	return {
		row(row) {
			if (trouble !== undefined) return;
			const keep = (error: unknown): void => {
				trouble ??= outputTrouble(error);
			};
			try {
				return results.row(row)?.catch(keep);
			} catch (error) {
				keep(error);
			}
		},
		async end() {
			try {
				await results.end();
			} catch (error) {
				trouble ??= outputTrouble(error);
			}
			return trouble;
		},
	};
}

/**
 * The error to tell where the output failed: the exit code is that of what was sent, and 1 where all went well, since
 * who waits for the output has none.
 * @param says What became of what was sent.
 * @param facts The same for programs.
 */
export function onlyOutputFailed(
	trouble: SupportctlError,
	says: string,
	exitCode: ExitCode,
	facts: Record<string, unknown> = {},
): SupportctlError {
	const { code, hint, details, data } = trouble;
	const own = exitCode === ExitCode.ok ? ExitCode.failed : exitCode;
	return new SupportctlError(`${says}; only the output failed: ${trouble.message}`, own, {
		code,
		details,
		data: { ...data, ...facts },
		cause: trouble.cause,
		...(hint === undefined ? {} : { hint }),
	});
}
