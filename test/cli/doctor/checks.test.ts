/** Each check of `doctor` by itself, with facts that the test makes up. */

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checks, type Finding, findingText } from '../../../src/cli/commands/doctor.js';
import { plainPalette } from '../../../src/output/colour.js';
import { createAuthority } from '../../support/certificates.js';
import { temporaryFolder } from '../../support/temporary.js';

/** What a check finds, or the error that it throws. */
async function look(name: string, facts: object): Promise<{ result: string; message: string; hint?: string }> {
	const found = await checks.find((each) => each.name === name)?.look(facts as never);
	return typeof found === 'string' ? { result: 'pass', message: found } : (found as never);
}

it('each check that can meet an error has a next step for it, and needs only checks before it', () => {
	const before = new Set<string>();
	for (const { name, needs, fix } of checks) {
		expect(needs.filter((each) => !before.has(each))).toEqual([]);
		expect(fix, name).toBeTruthy();
		before.add(name);
	}
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

it('the password of a proxy is not printed', async () => {
	const setup = { env: { HTTPS_PROXY: 'http://me:hunter2@127.0.0.1:1' }, cwd: '.', settings: { timeout: 1 } };
	const invocation = { context: { clock: { monotonic: () => 0 } } };
	const finding = await look('network', { setup, invocation, url: new URL('https://desk.example') });
	expect(finding).toMatchObject({ result: 'fail', hint: expect.stringContaining('HTTPS_PROXY') });
	expect(finding.message).toContain('http://127.0.0.1:1, from HTTPS_PROXY');
	expect(JSON.stringify(finding)).not.toContain('hunter2');
});

it('a step without a response ends in time', async () => {
	const server = createSocketServer(() => undefined);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close());
	const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
	const invocation = { context: { clock: { monotonic: () => 0 } } };
	const finding = await look('network', { setup: { env: {}, cwd: '.', settings: { timeout: 0.05 } }, url, invocation });
	expect(finding).toMatchObject({ result: 'fail', message: expect.stringContaining('no response within 0.05 s') });
});

it('credentials that are refused are named by the variable that they are from', async () => {
	const [without, response] = ['rest_not_logged_in', 'incorrect_password'].map((code) => ({ status: 401, code }));
	const auth = { scheme: 'basic', username: 'ada', password: 'pw' };
	const facts = { without, auth, probe: { send: async () => response }, baseUrl: 'https://d.example' };
	await expect(look('credentials', { ...facts, secretSource: 'SUPPORTCTL_PASSWORD' })).rejects.toMatchObject({
		hint: expect.stringMatching(/^the secret is from SUPPORTCTL_PASSWORD; /),
	});
});

it.each([
	[
		15.5,
		'pass',
		/ in 0 ms; TLSv1\.3, certificate for localhost from .*, valid until \d{4}-\d\d-\d\d \(15 days left\)$/,
	],
	[14.5, 'warn', /14 days left/],
	[0.5, 'warn', /0 days left/],
])('a certificate with %d days left: %s', async (days, result, message) => {
	const authority = createAuthority();
	const until = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;
	const { key, cert } = authority.issue({ names: ['localhost'], until: new Date(until) });
	const server = createServer({ key, cert });
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close());
	const url = new URL(`https://localhost:${(server.address() as AddressInfo).port}`);
	const caFile = join(temporaryFolder(), 'ca.pem');
	writeFileSync(caFile, authority.cert);
	const clock = { now: () => until - days * 86_400_000, monotonic: () => 0 };
	const setup = { env: {}, cwd: '.', settings: { timeout: 5, caFile } };
	const finding = await look('network', { setup, url, invocation: { context: { clock } } });
	expect(finding).toMatchObject({ result, message: expect.stringMatching(message) });
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
