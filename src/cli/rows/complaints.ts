/** Shows what is wrong with the input as it is found: the first lines for a person, all of it as one JSON object. */

import type { Complaint } from '../../bulk/input/rows.js';
import { escapeJson, sanitise } from '../../output/sanitise.js';
import { complaintText, type Survey } from './survey.js';

/** How many complaints a person is shown. */
const SHOWN = 20;

export interface ComplaintSink {
	complain(complaint: Complaint): void;
	/** Says how many there were in all; nothing where there were none. */
	end(survey: Survey, skipped: boolean): void;
}

export interface ComplaintSinkOptions {
	json: boolean;
	source: { name: string; file: string | undefined; fromArguments: boolean };
	write(text: string): void;
	/** Writes a line that commands the CI runner. */
	command(line: string): void;
	/** A line for a CI service, or nothing. */
	annotate(complaint: Complaint, text: string): string | undefined;
}

/** Makes the sink; JSON goes out piece by piece, so that a million complaints need no memory. */
export function createComplaintSink({ json, source, write, command, annotate }: ComplaintSinkOptions): ComplaintSink {
	let count = 0;
	const asJson = (complaint: Complaint): string => {
		const { ids: _, ...place } = complaint;
		return escapeJson(JSON.stringify({ ...place, file: source.file, message: complaintText(complaint, source) }));
	};
	return {
		complain(complaint) {
			count++;
			const text = complaintText(complaint, source);
			if (json) {
				write(
					count === 1
						? `{"error":{"code":"invalid_input","complaints":[\n${asJson(complaint)}`
						: `,\n${asJson(complaint)}`,
				);
				return;
			}
			if (count > SHOWN) return;
			write(`error: ${sanitise(text)}\n`);
			const annotation = annotate(complaint, text);
			if (annotation !== undefined) command(annotation);
		},
		end({ rows, invalid, complaints }, skipped) {
			if (count === 0) return;
			const of = `${invalid} of ${rows} ${rows === 1 ? 'row' : 'rows'} ${invalid === 1 ? 'is' : 'are'} invalid`;
			const what = skipped ? `${of} and will be skipped` : `${of}; nothing was sent`;
			if (json) {
				write(`\n],"message":${JSON.stringify(what)},"exitCode":2}}\n`);
				return;
			}
			const all = skipped ? 'supportctl run rejects last gives all of them' : '--json shows all of them';
			if (complaints > SHOWN) write(`… and ${complaints - SHOWN} more complaints; ${all}\n`);
			if (!source.fromArguments) write(`${what}${skipped ? '' : '; --skip-invalid sends the others'}\n`);
		},
	};
}
