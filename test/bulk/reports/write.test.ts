import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordFile } from '../../../src/bulk/journal/read.js';
import {
	parseReport,
	type ReportFormat,
	reportFormats,
	writePlanReports,
	writeReports,
} from '../../../src/bulk/reports/write.js';
import { reportOption } from '../../../src/cli/options/shared.js';
import { exampleRun, planFacts, reportOf, runOf } from '../../support/report.js';
import { temporaryFolder } from '../../support/temporary.js';

describe('writeReports', () => {
	it('replaces the file at once, or leaves it as it was', async () => {
		const facts = await exampleRun();
		const folder = temporaryFolder();
		const path = join(folder, 'report.xml');
		writeFileSync(path, 'old');
		await writeReports([{ format: 'junit', path: 'report.xml' }], facts, folder);
		expect(readFileSync(path, 'utf8')).toContain(facts.header.id);
		writeFileSync(path, 'old');
		const gone = await exampleRun();
		for (const file of gone.files) if ('close' in file) (file as RecordFile).close();
		await expect(writeReports([{ format: 'junit', path }], gone, '.')).rejects.toMatchObject({
			exitCode: 1,
			code: 'report_failed',
		});
		expect(readFileSync(path, 'utf8')).toBe('old');
		await expect(writeReports([{ format: 'junit', path: join(folder, 'none/x') }], facts, '.')).rejects.toMatchObject({
			code: 'report_failed',
		});
		expect(readdirSync(folder)).toEqual(['report.xml']);
	});

	it('is named in the help of --report in every format', () => {
		for (const format of reportFormats) expect(reportOption.help).toContain(format);
	});

	it('differs from every other format', async () => {
		const texts = await Promise.all(reportFormats.map((format) => reportOf(format)));
		expect(new Set(texts).size).toBe(reportFormats.length);
	});

	it('can be empty in every format', async () => {
		const facts = await runOf([], 1);
		for (const format of reportFormats) expect(await reportOf(format, facts)).not.toBe('');
	});
});

describe('writePlanReports', () => {
	const facts = planFacts([
		{ old: { status: 'new', assignee: 0 }, new: { status: 'hold', assignee: 7 } },
		{ old: { status: 'read' }, new: { status: 'hold' } },
		{ old: { title: '' }, new: { title: 'a | b' }, label: 'Printer' },
	]);

	async function planReport(format: ReportFormat): Promise<string> {
		const path = join(temporaryFolder(), 'report');
		await writePlanReports([{ format, path }], facts, '.');
		return readFileSync(path, 'utf8');
	}

	it('makes a table of old and new values for a pull request', async () => {
		const text = await planReport('markdown');
		expect(text).toContain('## Plan: 3 tickets would be updated\n');
		expect(text).toContain('| 1 | ticket 1 | status new → hold; assignee 0 → 7 |\n');
		expect(text).toContain('| 3 | ticket 3 "Printer" | title \\(empty\\) → "a \\| b" |\n');
		expect(text).toContain('- 2 statuses: hold\n');
		expect(text).toContain(`\`supportctl run apply plan.ndjson --digest ${'f'.repeat(64)}\``);
	});

	it('makes a page of old and new values', async () => {
		const text = await planReport('html');
		expect(text).toContain('<h1>Plan: 3 tickets would be updated</h1>');
		expect(text).toContain('status: <del>new</del> → <ins>hold</ins><br>assignee: <del>0</del> → <ins>7</ins>');
		expect(text).toContain('planned by ada');
		expect(text).toContain('Close what is solved');
	});

	it('is refused in each format that has only outcomes, with those that have more', async () => {
		const results = await Promise.allSettled(reportFormats.map(planReport));
		const written = reportFormats.filter((_, at) => results[at]?.status === 'fulfilled');
		const refusals = results.flatMap((each) => (each.status === 'rejected' ? [String(each.reason.message)] : []));
		expect(written).not.toEqual([]);
		expect(refusals).not.toEqual([]);
		const refused = reportFormats.filter((each) => !written.includes(each));
		const others = written.join(' or ');
		expect(refusals).toEqual(refused.map((each) => `--report ${each}: a plan has no outcomes yet; use ${others}`));
	});
});

describe('parseReport', () => {
	it('splits at the first colon', () => {
		expect(parseReport('junit:C:\\out.xml')).toEqual({ format: 'junit', path: 'C:\\out.xml' });
	});

	it.each([
		['junti:x', '"junti" is not a format; did you mean "junit"?'],
		['out.xml', 'is not a format'],
		['junit:', 'needs a file'],
		['junit', 'needs a file'],
		['json:x', '"json" is not a format'],
	])('%s is refused', (text, message) => {
		expect(() => parseReport(text)).toThrow(message);
	});
});
