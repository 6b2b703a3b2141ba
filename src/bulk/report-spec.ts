/** `--report FORMAT:FILE` as it is written; the reports themselves are loaded at a run's end. */

import { didYouMean } from '../api/suggest.js';
import { UsageError } from '../errors.js';

export const reportFormats = ['junit', 'json', 'markdown', 'csv', 'html'] as const;

export type ReportFormat = (typeof reportFormats)[number];

export interface ReportSpec {
	readonly format: ReportFormat;
	readonly path: string;
}

/** Reads `junit:results.xml`. Throws UsageError. */
export function parseReport(text: string): ReportSpec {
	const at = text.indexOf(':');
	const format = at < 0 ? text : text.slice(0, at);
	const path = at < 0 ? '' : text.slice(at + 1);
	const known = reportFormats.find((each) => each === format);
	if (known === undefined) {
		throw new UsageError(`--report: ${JSON.stringify(format)} is not a format${didYouMean(format, reportFormats)}`, {
			code: 'invalid_value',
			hint: `the formats are ${reportFormats.join(', ')}, as in --report junit:results.xml`,
		});
	}
	if (path === '-') {
		throw new UsageError('--report needs a file: standard output is for the results', { code: 'invalid_value' });
	}
	if (path === '') {
		throw new UsageError(`--report ${format} needs a file, as in --report ${format}:report.${extensionOf(known)}`, {
			code: 'invalid_value',
		});
	}
	return { format: known, path };
}

function extensionOf(format: ReportFormat): string {
	return { junit: 'xml', json: 'json', markdown: 'md', csv: 'csv', html: 'html' }[format];
}
