import { describe, expect, it } from 'vitest';
import { isExempt, proxyFor } from '../../src/http/connection.js';

describe('NO_PROXY', () => {
	it.each([
		['https://desk.example.com', 'desk.example.com', true],
		['https://desk.example.com', 'example.com', true],
		['https://desk.example.com', '.example.com', true],
		['https://desk.example.com', '*.example.com', true],
		['https://desk.example.com', 'a.example, DESK.example.com', true],
		['https://desk.example.com', 'sk.example.com', false],
		['https://desk.example.com', 'notexample.com', false],
		['https://desk.example.com', '', false],
		['https://desk.example.com', undefined, false],
		['http://[::1]:8080', '::1', true],
		['http://[::1]:8080', '[::1]', true],
		['https://desk.example.com:8443', 'desk.example.com', true],
		['https://desk.example.com:8443', 'example.com:8443', true],
		['https://desk.example.com', 'desk.example.com:443', true],
		['https://desk.example.com', 'desk.example.com:8443', false],
		['http://desk.example.com', 'desk.example.com:80', true],
		['http://desk.example.com', 'desk.example.com:443', false],
		['https://10.1.2.3', '10.0.0.0/8', true],
		['https://11.1.2.3', '10.0.0.0/8', false],
		['https://[fd00::1]', 'fd00::/8', true],
		['https://[2001:db8::1]', '2001:db8::/48', true],
		['https://[2001:db8::1]', '2001:db8::1/128', true],
		['https://[2001:db8::1]', '2001:db8::1/129', false],
		['https://10.1.2.3', '10.1.2.3/32', true],
		['https://10.1.2.3', '10.1.2.3/33', false],
		['https://10.1.2.3', 'fd00::/8,10.0.0.0/x8,/8', false],
		['https://desk.example.com', '10.0.0.0/8', false],
		['https://anything.example', '*', true],
	])('%s with NO_PROXY=%s is exempt: %s', (url, noProxy, expected) => {
		expect(isExempt(new URL(url), noProxy)).toBe(expected);
	});
});

describe('proxyFor', () => {
	it('takes HTTPS_PROXY for https and HTTP_PROXY for http, with or without a scheme', () => {
		const settings = { httpProxy: 'plain:3128', httpsProxy: 'http://secure:3128' };
		expect(proxyFor('https://a.example', settings)?.href).toBe('http://secure:3128/');
		expect(proxyFor('http://a.example', settings)?.href).toBe('http://plain:3128/');
		expect(proxyFor('http://a.example', { httpsProxy: 'x' })).toBeUndefined();
	});

	it('refuses what it does not know without repeating a password', () => {
		expect(() => proxyFor('https://a.example', { httpsProxy: 'socks5://me:hunter2@p:1' })).toThrow(
			/HTTPS_PROXY is not the URL of/,
		);
		expect(() => proxyFor('https://a.example', { httpsProxy: 'http://me:hunter2@:::' })).toThrow(
			/^HTTPS_PROXY is not the URL of/,
		);
	});
});
