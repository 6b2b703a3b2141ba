/** Failures and complaints as GitHub's workflow commands, which show them beside the input's line. */

import type { Complaint } from '../input/rows.js';
import { differences, fullMessage, type RowRecord } from '../journal/records.js';

export interface Annotation {
	level: 'error' | 'warning';
	message: string;
	title: string;
	/** As the repository names it. */
	file?: string | undefined;
	line?: number | undefined;
}

function escapeData(text: string): string {
	return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
	return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** `::error file=edits.csv,line=813::…`, one line without its end; nothing in the texts can end it or begin another. */
export function formatAnnotation({ level, message, title, file, line }: Annotation): string {
	const place = file === undefined ? '' : `file=${escapeProperty(file)},${line === undefined ? '' : `line=${line},`}`;
	return `::${level} ${place}title=${escapeProperty(title)}::${escapeData(message)}`;
}

export function complaintAnnotation(complaint: Complaint, file: string | undefined): string {
	return formatAnnotation({
		level: 'error',
		file,
		line: complaint.line,
		title: `row ${complaint.row} is invalid`,
		message: complaint.message,
	});
}

/** The annotation of a row that did not go well; undefined for one that did. */
export function outcomeAnnotation(
	outcome: Pick<RowRecord, 'row' | 'line' | 'outcome' | 'message' | 'reasons' | 'differs'>,
	file: string | undefined,
): string | undefined {
	if (outcome.outcome === 'ok' || outcome.outcome === 'skipped') return undefined;
	return formatAnnotation({
		level: outcome.outcome === 'unknown' || outcome.outcome === 'differs' ? 'warning' : 'error',
		file,
		line: outcome.line,
		title: `row ${outcome.row}: ${outcome.outcome}`,
		message: [fullMessage(outcome) ?? outcome.outcome, ...differences(outcome)].join('; '),
	});
}

/** The annotation of an input that can't be read or whose header can't be used; undefined where the error names no line. */
export function inputErrorAnnotation(
	error: { message: string; data: Readonly<Record<string, unknown>> },
	file: string | undefined,
): string | undefined {
	const { line } = error.data;
	if (typeof line !== 'number') return undefined;
	return formatAnnotation({ level: 'error', file, line, title: 'the input is invalid', message: error.message });
}

/** Writes an annotation to an output that changes every other line which a CI runner would obey. */
export function writeAnnotation(
	output: { write(text: string): void; command?(line: string): void },
	annotation: string,
): void {
	if (output.command === undefined) output.write(`${annotation}\n`);
	else output.command(annotation);
}
