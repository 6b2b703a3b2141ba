/** Each check of `doctor` by itself, with facts that the test makes up. */

import { describe, expect, it } from 'vitest';
import { checkCertificate, checkClock, checkNode, checks, type Finding } from '../../../src/cli/doctor/checks.js';
import { findingText } from '../../../src/cli/doctor/run.js';
import { plainPalette } from '../../../src/output/colour.js';
import type { ProbeResponse } from '../../../src/profile/probe.js';

const NOW = Date.UTC(2026, 10, 21);
const DAY = 86_400_000;

/** What a check finds, or the error that it throws. */
async function look(name: string, facts: object): Promise<{ result: string; message: string; hint?: string }> {
	const found = await checks.find((each) => each.name === name)?.look(facts as never);
	return typeof found === 'string' ? { result: 'pass', message: found } : (found as never);
}
const resultOf = (found: ReturnType<typeof checkNode>) => (typeof found === 'string' ? 'pass' : found.result);

it('each check that can meet an error has a next step for it, and needs only checks before it', () => {
	const before = new Set<string>();
	for (const { name, needs, fix } of checks) {
		expect(needs.filter((each) => !before.has(each))).toEqual([]);
		if (name !== 'node' && name !== 'clock') expect(fix, name).toBeTruthy();
		before.add(name);
	}
});

it.each([
	['20.18.1', 'pass'],
	['20.18.0', 'fail'],
	['20.9.9', 'fail'],
	['18.99.99', 'fail'],
	['22.0.0', 'pass'],
	['100.1.0', 'pass'],
])('Node %s: %s', (version, result) => {
	expect(resultOf(checkNode(version, '>=20.18.1'))).toBe(result);
});

it.each([
	['https://desk.example.com', 'pass'],
	['http://desk.example.com', 'warn'],
	['http://127.0.0.1:8700', 'pass'],
	['http://[::1]', 'pass'],
	['http://localhost.example.com', 'warn'],
	['https://desk.example.com/support-api/v1/tickets', 'warn'],
])('base URL %s: %s, for credentials may travel unencrypted on this machine alone', async (baseUrl, result) => {
	const profile = { baseUrl, allowHttp: true };
	const sources = { baseUrl: { from: 'profile', name: 'desk' } };
	const situation = { settings: { ...profile, productPrefix: 'support' }, sources, profile, profileName: 'desk' };
	expect(await look('base-url', { situation })).toMatchObject({ result });
});

it('the password of a proxy is not printed', async () => {
	const env = { HTTPS_PROXY: 'http://me:hunter2@127.0.0.1:1' };
	const facts = { invocation: { context: { env } }, situation: { settings: { timeout: 1 } } };
	const finding = await look('proxy', { ...facts, url: new URL('https://desk.example') });
	expect(finding).toMatchObject({ result: 'fail', hint: expect.stringContaining('HTTPS_PROXY') });
	expect(finding.message).toContain('http://127.0.0.1:1, from HTTPS_PROXY');
	expect(JSON.stringify(finding)).not.toContain('hunter2');
});

describe('a certificate', () => {
	const certificate = { protocol: 'TLSv1.3', problem: undefined, subject: 'desk.example', issuer: 'A CA' };

	it('is shown with its names and the days that are left', () => {
		expect(checkCertificate({ ...certificate, validTo: NOW + 61.5 * DAY }, NOW)).toBe(
			'TLSv1.3, certificate for desk.example from A CA, valid until 2027-01-21 (61 days left)',
		);
	});

	it.each([
		[15, 'pass'],
		[14, 'warn'],
		[0, 'warn'],
	])('with %d days left: %s', (days, result) => {
		expect(resultOf(checkCertificate({ ...certificate, validTo: NOW + days * DAY + 1 }, NOW))).toBe(result);
	});

	it.each([
		['tls_expired', /renewed/],
		['tls_wrong_name', /base URL/],
		['tls_untrusted', /--ca-file/],
		['other', /clock/],
	])('that is not trusted for %s fails with the next step', (code, hint) => {
		const problem = { code, message: 'it is not trusted' };
		expect(checkCertificate({ ...certificate, problem, validTo: NOW }, NOW)).toMatchObject({
			result: 'fail',
			message: expect.stringMatching(/^it is not trusted \(certificate for desk\.example .*2026-11-21\)$/),
			hint: expect.stringMatching(hint),
		});
	});
});

describe('credentials', () => {
	const said = (status: number, code?: string): ProbeResponse => ({
		kind: 'response',
		status,
		json: true,
		...(code && { code }),
	});
	const basic = { scheme: 'basic', username: 'ada', password: 'pw' };
	const none = { scheme: 'none' };

	it.each([
		[said(401, 'rest_not_logged_in'), basic, said(200), 'pass'],
		[said(401, 'rest_not_logged_in'), basic, said(401, 'incorrect_password'), 'fail'],
		[said(401, 'rest_not_logged_in'), basic, said(401, 'rest_not_logged_in'), 'fail'],
		[said(200), basic, said(200), 'warn'],
		[said(401), basic, said(503), 'fail'],
		[said(401), basic, { kind: 'problem', code: 'timeout', message: 'no response' } as ProbeResponse, 'fail'],
		[said(401), none, undefined, 'fail'],
		[said(403), none, undefined, 'fail'],
		[said(200), none, undefined, 'pass'],
	])('without %j, with %j %j: %s', async (without, auth, response, result) => {
		const facts = { without, auth, ask: async () => response, url: new URL('https://d.example'), secretSource: 'x' };
		const finding = await look('credentials', facts);
		expect(finding.result).toBe(result);
		if (result !== 'pass') expect(finding.hint).toBeTruthy();
	});

	it('that are refused are named by the variable that they are from', async () => {
		const [without, response] = [said(401, 'rest_not_logged_in'), said(401, 'incorrect_password')];
		const url = new URL('https://d.example');
		const facts = { without, auth: basic, ask: async () => response, url, secretSource: 'SUPPORTCTL_PASSWORD' };
		expect((await look('credentials', facts)).hint).toMatch(/^the secret is from SUPPORTCTL_PASSWORD; /);
	});
});

describe('clock', () => {
	const at = (seconds: number) => ({ header: new Date(NOW).toUTCString(), at: NOW + seconds * 1000 });

	it.each([
		[0, 'pass', /agree/],
		[3, 'pass', /agree/],
		[30, 'pass', /30 s ahead of/],
		[-30, 'pass', /31 s behind/],
		[301, 'warn', /5 min ahead of/],
		[-7300, 'warn', /2 h behind/],
		[4 * 86_400, 'warn', /4 days ahead of/],
	])('%d s apart: %s', (seconds, result, message) => {
		const found = checkClock(at(seconds));
		expect(resultOf(found)).toBe(result);
		expect(typeof found === 'string' ? found : found.message).toMatch(message);
	});

	it('is skipped where the service gives no time', () => {
		expect(checkClock(undefined)).toMatchObject({ result: 'skipped' });
		expect(checkClock({ ...at(0), header: 'soon' })).toMatchObject({ result: 'skipped' });
	});
});

it('a finding is a line, and below it what to do, within the width and without escapes', () => {
	const message = 'they were refused\x1b[2J by the service';
	const finding: Finding = { check: 'credentials', result: 'fail', message, hint: 'use others' };
	expect(findingText(finding, 60, plainPalette)).toBe(
		[
			'fail     credentials  they were refused\\x1b[2J by the',
			'                      service',
			'                      -> use others',
			'',
		].join('\n'),
	);
	for (const width of [40, 60, 80, 100]) {
		const lines = findingText({ ...finding, message: 'word '.repeat(60) }, width, plainPalette).split('\n');
		expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
	}
});
