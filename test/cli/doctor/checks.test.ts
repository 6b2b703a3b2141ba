/** Each check of `doctor` by itself, over a network and a machine that the test makes up. */

import { describe, expect, it } from 'vitest';
import { failed, remedies } from '../../../src/cli/doctor/finding.js';
import { checkConfig, checkNode, checkSecretStore } from '../../../src/cli/doctor/machine.js';
import {
	checkBaseUrl,
	checkDns,
	checkProxy,
	checkTcp,
	checkTls,
	type Handshake,
	type Probes,
} from '../../../src/cli/doctor/network.js';
import { findingText, summaryText } from '../../../src/cli/doctor/print.js';
import { checkClock, checkCredentials, checkPrefix, type RootAnswer } from '../../../src/cli/doctor/service.js';
import { RefusedError, UsageError } from '../../../src/errors.js';
import { plainPalette } from '../../../src/output/colour.js';
import type { ProbeAnswer, Search } from '../../../src/profile/probe.js';

const NOW = Date.UTC(2026, 10, 21);
const DAY = 86_400_000;

function probes(given: Partial<Probes> = {}): Probes {
	const unexpected = () => Promise.reject(new Error('the check was not expected to use this'));
	let time = 0;
	return {
		resolve: unexpected,
		connect: unexpected,
		handshake: unexpected,
		now: () => NOW,
		monotonic: () => {
			time += 7;
			return time;
		},
		...given,
	};
}

const refuse = (message: string) => () => Promise.reject(new Error(message));

describe('an error that a check met', () => {
	const checks = Object.keys(remedies) as (keyof typeof remedies)[];

	it.each(checks)('of %s is followed by a next step, whether it names one or not', (check) => {
		for (const error of [new Error('no'), 'no', new UsageError('no', { hint: '' })]) {
			expect(failed(check, error)).toEqual({ check, result: 'fail', message: 'no', hint: remedies[check] });
			expect(remedies[check]).toBeTruthy();
		}
		expect(failed(check, new UsageError('no', { hint: 'do this' })).hint).toBe('do this');
	});
});

describe('node', () => {
	it.each([
		['20.18.1', 'pass'],
		['20.18.0', 'fail'],
		['20.9.9', 'fail'],
		['18.99.99', 'fail'],
		['22.0.0', 'pass'],
		['24.1.0', 'pass'],
	])('%s: %s', (version, result) => {
		expect(checkNode(version, '>=20.18.1')).toMatchObject({ check: 'node', result });
	});
});

describe('config', () => {
	const reading = (more: object = {}) => ({
		reading: { store: { profiles: { desk: {} } }, file: '/c/config.json', exists: true, warnings: [], ...more },
		mode: 0o100600,
	});

	it('says mode and number of profiles', () => {
		expect(checkConfig(reading(), undefined)).toEqual({
			check: 'config',
			result: 'pass',
			message: '/c/config.json, mode 0600, 1 profile',
		});
	});

	it('that others can read is a warning that says the command against it', () => {
		const warnings = ['/c/config.json can be read by others on this machine (mode 0644): chmod 600 /c/config.json'];
		expect(checkConfig(reading({ warnings }), undefined)).toEqual({
			check: 'config',
			result: 'warn',
			message: '/c/config.json can be read by others on this machine (mode 0644)',
			hint: 'chmod 600 /c/config.json',
		});
	});

	it('with several things wrong names the commands for those that have one, and else what helps', () => {
		const owner = '/c/config.json belongs to another user (uid 7)';
		const warnings = ['/c/config.json can be read: chmod 600 /c/config.json', '/c can be changed: chmod 700 /c', owner];
		expect(checkConfig(reading({ warnings }), undefined)).toMatchObject({
			message: `/c/config.json can be read; /c can be changed; ${owner}`,
			hint: 'chmod 600 /c/config.json; chmod 700 /c',
		});
		expect(checkConfig(reading({ warnings: [owner] }), undefined).hint).toContain('SUPPORTCTL_CONFIG_DIR');
	});

	it('that is not there is a warning, unless settings come from elsewhere', () => {
		expect(checkConfig(reading({ exists: false }), undefined)).toMatchObject({
			result: 'warn',
			hint: expect.stringContaining('login'),
		});
		expect(checkConfig(reading({ exists: false }), 'SUPPORTCTL_BASE_URL')).toMatchObject({ result: 'pass' });
	});
});

describe('secret', () => {
	const set = { noun: 'password', state: 'set', source: 'system keyring' };

	it.each([
		[set, undefined, 'pass', 'password from the system keyring'],
		[
			{ ...set, source: 'environment SUPPORTCTL_PASSWORD' },
			undefined,
			'pass',
			'password from the environment variable SUPPORTCTL_PASSWORD',
		],
		[{ ...set, state: 'not needed', source: 'scheme none' }, undefined, 'pass', 'none is needed (scheme none)'],
		[
			{ noun: 'header-value', state: 'not set', source: 'nowhere' },
			undefined,
			'fail',
			'no header value is stored or given',
		],
		[
			{ ...set, state: 'not used', source: 'the one stored is for another host' },
			undefined,
			'fail',
			'the one stored is for another host',
		],
		[set, new RefusedError('the keyring is locked', { hint: 'unlock it' }), 'fail', 'the keyring is locked'],
	])('%j, %s: %s', (state, problem, result, message) => {
		expect(checkSecretStore(state, problem, 'supportctl login')).toMatchObject({ result, message });
	});
});

describe('base URL', () => {
	it.each([
		['https://desk.example.com', 'pass'],
		['http://desk.example.com', 'warn'],
		['http://localhost:8700/wp-json', 'pass'],
		['http://desk.localhost', 'pass'],
		['http://127.0.0.1:8700', 'pass'],
		['http://[::1]', 'pass'],
		['http://localhost.example.com', 'warn'],
		['http://127.0.0.1.example.com', 'warn'],
	])('%s: %s, for credentials travel unencrypted only where they leave this machine', (url, result) => {
		expect(checkBaseUrl({ url, warnings: [] })).toMatchObject({ check: 'base-url', result });
	});
});

describe('proxy', () => {
	const proxy = new URL('http://me:hunter2@proxy.example:3128');

	it('is reached, and its password not shown', async () => {
		const finding = await checkProxy(
			{ proxy, variable: 'HTTPS_PROXY', isExempt: false },
			probes({ connect: async () => '192.0.2.1' }),
		);
		expect(finding).toEqual({
			check: 'proxy',
			result: 'pass',
			message: 'http://proxy.example:3128, from HTTPS_PROXY, reached in 7 ms',
		});
	});

	it('that is not reached fails and names the variable', async () => {
		const finding = await checkProxy(
			{ proxy, variable: 'HTTPS_PROXY', isExempt: false },
			probes({ connect: refuse('refused') }),
		);
		expect(finding).toMatchObject({ result: 'fail', hint: expect.stringContaining('HTTPS_PROXY') });
		expect(JSON.stringify(finding)).not.toContain('hunter2');
	});

	it('that NO_PROXY takes this host out of is said to be none', async () => {
		expect(await checkProxy({ proxy: undefined, variable: 'HTTP_PROXY', isExempt: true }, probes())).toMatchObject({
			result: 'pass',
			message: 'none: HTTP_PROXY is not for this host (this machine, or in NO_PROXY)',
		});
	});
});

describe('dns and tcp', () => {
	const url = new URL('https://desk.example:8443/wp-json');

	it('say the addresses and the time', async () => {
		expect(
			await checkDns(url, undefined, false, probes({ resolve: async () => ['192.0.2.1', '2001:db8::1'] })),
		).toMatchObject({
			result: 'pass',
			message: 'desk.example is 192.0.2.1, 2001:db8::1 (7 ms)',
		});
		expect(await checkTcp(url, undefined, probes({ connect: async () => '192.0.2.1' }))).toMatchObject({
			result: 'pass',
			message: 'connected to 192.0.2.1 port 8443 in 7 ms',
		});
	});

	it('fail with what to do', async () => {
		expect(await checkDns(url, undefined, false, probes({ resolve: refuse('not found') }))).toMatchObject({
			result: 'fail',
			message: 'desk.example: not found',
			hint: expect.stringContaining('name'),
		});
		expect(await checkTcp(url, undefined, probes({ connect: refuse('refused') }))).toMatchObject({
			result: 'fail',
			message: 'desk.example port 8443: refused',
			hint: expect.stringContaining('port'),
		});
	});

	it("are the proxy's business where there is one, and an address needs no name", async () => {
		const proxy = new URL('http://proxy.example');
		expect(await checkDns(url, proxy, false, probes())).toMatchObject({ result: 'skipped' });
		expect(await checkTcp(url, proxy, probes())).toMatchObject({ result: 'skipped' });
		expect(await checkDns(new URL('http://127.0.0.1'), undefined, true, probes())).toMatchObject({ result: 'skipped' });
	});
});

describe('tls', () => {
	const url = new URL('https://desk.example');
	const shake = (more: Partial<Handshake>) =>
		probes({
			handshake: async () => ({
				protocol: 'TLSv1.3',
				problem: undefined,
				subject: 'desk.example',
				issuer: 'A CA',
				validTo: NOW + 61.5 * DAY,
				...more,
			}),
		});
	const check = (given: Probes) => checkTls({ url, proxy: undefined, tls: {} }, given);

	it('says protocol, names and the days that are left', async () => {
		expect(await check(shake({}))).toEqual({
			check: 'tls',
			result: 'pass',
			message: 'TLSv1.3, certificate for desk.example from A CA, 61 days left (until 2027-01-21)',
		});
	});

	it.each([
		[15, 'pass'],
		[14, 'warn'],
		[1, 'warn'],
		[0, 'warn'],
	])('%d days: %s', async (days, result) => {
		expect(await check(shake({ validTo: NOW + days * DAY + 1 }))).toMatchObject({ result });
	});

	it.each([
		["the host's certificate has expired", /renewed/],
		["the host's certificate is for another name", /base URL/],
		["the host's certificate is from an unknown CA; --ca-file names one", /--ca-file/],
		["the host's certificate is self-signed; --ca-file names a CA", /--ca-file/],
	])('%s: fails', async (problem, hint) => {
		const finding = await check(shake({ problem }));
		expect(finding).toMatchObject({
			result: 'fail',
			message: expect.stringContaining(problem),
			hint: expect.stringMatching(hint),
		});
	});

	it('that can not be spoken fails, and http:// skips it', async () => {
		expect(await check(probes({ handshake: refuse('wrong version number') }))).toMatchObject({ result: 'fail' });
		const plain = { url: new URL('http://127.0.0.1'), proxy: undefined, tls: {} };
		expect(await checkTls(plain, probes())).toMatchObject({ result: 'skipped' });
	});
});

describe('prefix', () => {
	const root = (more: Partial<RootAnswer>): RootAnswer => ({
		status: 200,
		body: { routes: { a: {}, b: {} } },
		date: undefined,
		at: NOW,
		ms: 0,
		...more,
	});
	const answer: ProbeAnswer = { kind: 'answer', status: 401, json: true };
	const check = (
		search: Search,
		given = root({ status: 404, body: undefined }),
		otherPrefix?: string,
		proxyVariable?: string,
	) =>
		checkPrefix({
			url: 'https://d.example/support-api/v1',
			root: given,
			search,
			otherPrefix,
			hasCertificate: false,
			proxyVariable,
			mendWith: 'supportctl profile set desk --base-url',
		});

	it('is there where it lists its routes, or where a documented call is answered', () => {
		expect(check({ place: { kind: 'service' }, answer }, root({}))).toMatchObject({
			result: 'pass',
			message: expect.stringContaining('2 routes'),
		});
		expect(check({ place: { kind: 'service' }, answer })).toMatchObject({ result: 'pass' });
	});

	it('that is elsewhere is named with the command that mends it', () => {
		const place = { kind: 'elsewhere', why: 'it is a page' } as const;
		expect(check({ place, answer, suggested: 'https://d.example/wp-json' })).toMatchObject({
			result: 'fail',
			hint: 'the help desk has another address: supportctl profile set desk --base-url https://d.example/wp-json',
		});
		expect(check({ place, answer }, undefined, 'acme')).toMatchObject({
			result: 'fail',
			hint: 'the service has acme-api: --product-prefix acme',
		});
		expect(check({ place, answer })).toMatchObject({ result: 'fail', hint: expect.stringContaining('/wp-json') });
	});

	it('that redirects to where nothing can be seen is named with the command that mends it', () => {
		const place = { kind: 'moved', target: 'https://d.example/x' } as const;
		const hidden = { baseUrl: 'https://d.example', code: 'tls_untrusted', why: 'it is from an unknown CA' };
		expect(check({ place, answer, hidden }).hint).toBe(
			"supportctl profile set desk --base-url https://d.example; what is there can't be seen yet: it is from an unknown CA",
		);
	});

	it('that redirects, or is out of order, says so', () => {
		expect(check({ place: { kind: 'moved', target: 'https://www.d.example/' }, answer })).toMatchObject({
			result: 'fail',
			message: expect.stringContaining('redirects to https://www.d.example/'),
		});
		expect(check({ place: { kind: 'unreachable', code: 'http_503', why: '503 busy' }, answer })).toMatchObject({
			result: 'fail',
		});
	});
});

it('what a proxy stands in the way of is mended at the proxy', () => {
	const hint = (code: string) => {
		const search: Search = {
			place: { kind: 'unreachable', code, why: code },
			answer: { kind: 'problem', code, message: code },
		};
		const facts = { url: 'https://d.example', root: undefined, search, otherPrefix: undefined, mendWith: '--base-url' };
		return checkPrefix({ ...facts, hasCertificate: undefined, proxyVariable: 'HTTP_PROXY' }).hint;
	};
	expect(hint('http_407')).toBe('put a user name and password that the proxy takes into HTTP_PROXY');
	for (const code of ['connection_lost', 'proxy_failed', 'http_502'])
		expect(hint(code)).toMatch(/HTTP_PROXY.*NO_PROXY/);
	expect(hint('http_500')).not.toContain('PROXY');
});

describe('credentials', () => {
	const said = (status: number, code?: string): ProbeAnswer => ({
		kind: 'answer',
		status,
		json: true,
		...(code && { code }),
	});

	it.each([
		[said(401, 'rest_not_logged_in'), said(200), 'pass'],
		[said(401, 'rest_not_logged_in'), said(401, 'incorrect_password'), 'fail'],
		[said(401, 'rest_not_logged_in'), said(401, 'rest_not_logged_in'), 'fail'],
		[said(200), said(200), 'warn'],
		[said(401), said(503), 'fail'],
		[said(401), { kind: 'problem', code: 'timeout', message: 'no answer' } as ProbeAnswer, 'fail'],
		[said(401), undefined, 'fail'],
		[said(403), undefined, 'fail'],
		[said(200), undefined, 'pass'],
	])('without %j, with %j: %s', (without, withCredentials, result) => {
		const finding = checkCredentials(without, withCredentials, ' for ada');
		expect(finding.result).toBe(result);
		if (result !== 'pass') expect(finding.hint).toBeTruthy();
	});
});

describe('clock', () => {
	const at = (seconds: number): RootAnswer => ({
		status: 200,
		body: {},
		date: new Date(NOW).toUTCString(),
		at: NOW + seconds * 1000,
		ms: 20,
	});

	it.each([
		[0, 'pass', /agree/],
		[3, 'pass', /agree/],
		[30, 'pass', /29 s ahead of/],
		[-30, 'pass', /31 s behind/],
		[301, 'warn', /5 min ahead of/],
		[-7300, 'warn', /2 h behind/],
		[4 * 86_400, 'warn', /4 days ahead of/],
	])('%d s apart: %s', (seconds, result, message) => {
		expect(checkClock(at(seconds))).toMatchObject({ result, message: expect.stringMatching(message) });
	});

	it('is skipped where the service says no time', () => {
		expect(checkClock(undefined)).toMatchObject({ result: 'skipped' });
		expect(checkClock({ ...at(0), date: 'soon' })).toMatchObject({ result: 'skipped' });
	});
});

describe('printed', () => {
	const finding = {
		check: 'credentials',
		result: 'fail',
		message: 'they were refused\x1b[2J by the service',
		hint: 'use others',
	} as const;

	it('is a line, and below it what to do, within the width and without escapes', () => {
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

	it('ends with how many failed', () => {
		const of = (...results: ('pass' | 'warn' | 'fail' | 'skipped')[]) =>
			results.map((result) => ({ ...finding, result }));
		expect(summaryText(of('pass', 'skipped'))).toBe('nothing is wrong\n');
		expect(summaryText(of('fail', 'warn', 'warn'))).toBe('1 check failed, 2 warnings\n');
		expect(summaryText(of('fail', 'fail'))).toBe('2 checks failed\n');
	});
});
