/** Each check of `doctor` by itself, with facts that the test makes up. */

import { describe, expect, it } from 'vitest';
import {
	checkCertificate,
	checkClock,
	checkNode,
	checks,
	type Finding,
	findingText,
} from '../../../src/cli/commands/doctor.js';
import { plainPalette } from '../../../src/output/colour.js';

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
	const setup = { settings: { ...profile, productPrefix: 'support' }, sources, profile, profileName: 'desk' };
	expect(await look('base-url', { setup })).toMatchObject({ result });
});

it('http:// to another machine is allowed by the check of the base URL, not by a setting for another host', async () => {
	const setup = { env: {}, cwd: '.', settings: { timeout: 1, allowHttp: true } };
	const facts = { url: new URL('http://localhost:1'), allowHttp: false, setup, timeoutMs: 1000, invocation: {} };
	expect(await look('tls', facts)).toMatchObject({ result: 'skipped' });
	expect(facts).toMatchObject({ reach: { allowHttp: false } });
});

it('the password of a proxy is not printed', async () => {
	const setup = { env: { HTTPS_PROXY: 'http://me:hunter2@127.0.0.1:1' }, settings: { timeout: 1 } };
	const finding = await look('proxy', { setup, url: new URL('https://desk.example') });
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
		const problem = { code, message: 'it is not trusted', permanent: true };
		expect(checkCertificate({ ...certificate, problem, validTo: NOW }, NOW)).toMatchObject({
			result: 'fail',
			message: expect.stringMatching(/^it is not trusted \(certificate for desk\.example .*2026-11-21\)$/),
			hint: expect.stringMatching(hint),
		});
	});
});

it('credentials that are refused are named by the variable that they are from', async () => {
	const [without, response] = ['rest_not_logged_in', 'incorrect_password'].map((code) => ({ status: 401, code }));
	const auth = { scheme: 'basic', username: 'ada', password: 'pw' };
	const facts = { without, auth, probe: { send: async () => response }, baseUrl: 'https://d.example' };
	await expect(look('credentials', { ...facts, secretSource: 'SUPPORTCTL_PASSWORD' })).rejects.toMatchObject({
		hint: expect.stringMatching(/^the secret is from SUPPORTCTL_PASSWORD; /),
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
