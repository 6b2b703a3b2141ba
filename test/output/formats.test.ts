import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { formatNames, parseFormat } from '../../src/output/formats.js';
import { asksForJson } from '../../src/output/sanitise.js';

describe('parseFormat', () => {
	it('accepts every format by its name', () => {
		expect(formatNames.map(parseFormat)).toEqual(formatNames);
	});

	it.each(['xml', 'constructor', ''])('refuses %j, as a profile may contain it', (name) => {
		expect(() => parseFormat(name)).toThrow(UsageError);
		expect(() => parseFormat(name)).toThrow('is not an output format; use table, json,');
	});
});

describe('asksForJson', () => {
	it.each([
		[['ticket', 'list', '--json'], true],
		[['ticket', 'list', '--format', 'json'], true],
		[['ticket', 'list', '--format=ndjson'], true],
		[['ticket', 'list', '--format', 'csv'], false],
		[['ticket', 'list', '--format'], false],
		[['ticket', 'update', '--title', 'json'], false],
		[['ticket', 'update', '--title=json'], false],
		[['ticket', 'update', '--title=--json'], false],
		[['ticket', 'get', '--', '--json'], false],
		[[], false],
	])('%j: %s', (argv, expected) => {
		expect(asksForJson(argv)).toBe(expected);
	});
});
