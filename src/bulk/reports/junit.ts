/** JUnit XML by the schema of Jenkins' xUnit plugin (junit-10.xsd). */

import { endpoints } from '../../api/endpoints.js';
import { nameRow } from '../../api/names.js';
import { meaningOf, outcomeNames, outcomes } from '../../http/outcomes.js';
import { showHidden } from '../../text.js';
import { type Counts, totalOf } from '../journal/counts.js';
import { differences, type RowRecord, reasonOf } from '../journal/records.js';
import { commandOf, makersOf, notesOf } from '../plan.js';
import { fileOf } from '../sources.js';
import { escapeXml } from './escape.js';
import { type ReportFacts, recordedIn, recordsIn } from './page.js';

/** One test for each row, and one for rows that were never reached or a run that was refused as a whole. */
export function* junit(facts: ReportFacts): Generator<string> {
	const { header } = facts;
	const { noun } = endpoints[header.plan.endpoint];
	const recorded = recordedIn(facts);
	const gaps = gapsIn(facts, recorded);
	const suite = visible(`supportctl ${commandOf(header.plan)}`);
	const file = fileOf(header.plan);
	const sums = [
		`tests="${totalOf(recorded) + gaps.length}"`,
		`failures="${testsThat('failure', recorded)}"`,
		`errors="${testsThat('error', recorded) - recorded.left_out + gaps.length}"`,
		`time="${seconds(facts.ms)}"`,
	].join(' ');
	yield '<?xml version="1.0" encoding="UTF-8"?>\n';
	yield `<testsuites name="supportctl" ${sums}>\n`;
	const started = visible(header.started);
	yield `<testsuite name="${suite}" ${sums} skipped="${testsThat('skipped', recorded) + recorded.left_out}" timestamp="${started}">\n`;
	yield '<properties>\n';
	yield `<property name="run" value="${visible(header.id)}"/>\n`;
	yield `<property name="service" value="${visible(header.plan.service.baseUrl)}"/>\n`;
	for (const note of notesOf(header)) yield `<property name="note" value="${visible(note)}"/>\n`;
	const makers = makersOf(header);
	if (makers !== undefined) yield `<property name="by" value="${visible(makers)}"/>\n`;
	yield '</properties>\n';
	for (const record of recordsIn(facts)) {
		const name = visible(`row ${record.row}: ${nameRow(record.ids, noun)}`);
		const place = file === undefined || record.line === undefined ? [] : [`${file} line ${record.line}`];
		yield `<testcase classname="${suite}" name="${name}" time="${seconds(record.ms)}">`;
		yield result(record, place);
		yield '</testcase>\n';
	}
	for (const { name, code, text } of gaps) {
		yield `<testcase classname="${suite}" name="${visible(name)}" time="0">`;
		yield `<error message="${visible(text)}" type="${code}"/></testcase>\n`;
	}
	yield '</testsuite>\n</testsuites>\n';
}

/** Lines stay lines; hidden characters are shown. */
function visible(text: string): string {
	return escapeXml(
		text
			.split(/(\r?\n)/)
			.map((line) => (line.endsWith('\n') ? line : showHidden(line)))
			.join(''),
	);
}

function testsThat(result: 'failure' | 'error' | 'skipped', recorded: Counts): number {
	return outcomeNames.reduce((sum, name) => sum + (outcomes[name].test === result ? recorded[name] : 0), 0);
}

function gapsIn({ header, counts, files, problems = [], refused }: ReportFacts, recorded: Counts) {
	const gaps = problems.map((text) => ({ name: text, code: 'shards', text }));
	// A suite without tests would pass.
	if (refused !== undefined && totalOf(recorded) === 0) gaps.push({ name: 'the run', code: 'refused', text: refused });
	const missing = totalOf(counts) - totalOf(recorded);
	if (missing <= 0) return gaps;
	const rows = missing === 1 ? '1 row was not sent' : `${missing} rows were not sent`;
	const text = `${rows}; continue with: supportctl run resume ${files.length === 1 ? header.id : 'RUN'}`;
	return [{ name: 'rows that were not sent', code: 'not_reached', text }, ...gaps];
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

function result(record: RowRecord, place: readonly string[]): string {
	const { outcome, code = outcome, reasons = {} } = record;
	const differing = differences(record);
	const details = Object.entries(reasons).map(([field, why]) => `${field}: ${why}`);
	const body = visible([...place, ...details, ...differing].join('\n'));
	const message = visible(reasonOf(record));
	const type = visible(code);
	switch (meaningOf(record).test) {
		case 'passed':
			return differing.length === 0 ? '' : `<system-out>${body}</system-out>`;
		case 'skipped':
			return `<skipped message="${message}"/>`;
		case 'error':
			return `<error message="${outcome}: ${message}" type="${type}">${body}</error>`;
		case 'failure':
			return `<failure message="${message}" type="${type}">${body}</failure>`;
	}
}
