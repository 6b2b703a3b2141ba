/** Reports for programs: JSON and CSV, with every row. */

import { formatCsvRecord } from '../../text.js';
import { fullMessage } from '../journal/records.js';
import { commandOf, formatShard, sourceName } from '../run/plan.js';
import { spreadsheetCell } from './escape.js';
import type { Report } from './report.js';

export function* json(report: Report): Generator<string> {
	const { header, journals, missing, counts, exit, ended, ms, problems } = report;
	const { plan, started, id, input } = header;
	const head = {
		run: id,
		command: commandOf(plan),
		service: plan.service.baseUrl,
		profile: plan.service.profile,
		input: { name: sourceName(plan.source), ...input },
		shard: plan.shard && formatShard(plan.shard),
		started,
		ended,
		ms,
		exit,
		counts,
		journal: journals.join(','),
		problems,
	};
	yield `${JSON.stringify(head, null, '\t').slice(0, -2)},\n\t"rows": [`;
	let separator = '\n\t\t';
	for (const { ids, row, line, ...rest } of report.records()) {
		yield separator + JSON.stringify({ row, line, ...ids, ...rest });
		separator = ',\n\t\t';
	}
	yield `\n\t],\n\t"not_reached": ${missing}\n}\n`;
}

const COLUMNS = ['outcome', 'status', 'code', 'message', 'attempts', 'ms', 'differs'];

export function* csv({ idNames, gaps, records }: Report): Generator<string> {
	yield formatCsvRecord(['row', 'line', ...idNames, ...COLUMNS]);
	for (const record of records()) {
		const { row, line, ids, outcome, status, code, attempts, ms, differs } = record;
		const cells = [
			...[row, line, ...idNames.map((name) => ids[name])],
			...[outcome, status, code, fullMessage(record), attempts, ms],
			differs && JSON.stringify(differs),
		];
		yield formatCsvRecord(cells.map(spreadsheetCell));
	}
	for (const { code, text } of gaps) {
		const ids = idNames.map(() => '');
		yield formatCsvRecord(['', '', ...ids, 'not-sent', '', code, text, '', '', '']);
	}
}
