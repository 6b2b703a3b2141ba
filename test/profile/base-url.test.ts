import { describe, expect, it } from 'vitest';
import { parseBaseUrl, withScheme } from '../../src/profile/base-url.js';

describe('parseBaseUrl', () => {
	it.each([
		['https://desk.example.com/wp-json/', 'https://desk.example.com/wp-json'],
		['https://desk.example.com', 'https://desk.example.com'],
		['  https://DESK.example.com//wp-json// ', 'https://desk.example.com/wp-json'],
		['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
		['http://localhost/x', 'http://localhost/x'],
		['http://[::1]:9', 'http://[::1]:9'],
	])('%s is %s, without a word', (given, expected) => {
		expect(parseBaseUrl(given)).toEqual({ url: expected, warnings: [] });
	});

	it('leaves out a pasted prefix, whatever stands behind it, and says so', () => {
		const { url, warnings } = parseBaseUrl('https://desk.example.com/wp-json/support-api/v1/tickets/14');
		expect(url).toBe('https://desk.example.com/wp-json');
		expect(warnings).toEqual([
			'/support-api/v1/tickets/14 at the end of the base URL was left out: https://desk.example.com/wp-json is used',
		]);
		expect(parseBaseUrl('https://a.example/hd-api/v1', { productPrefix: 'hd' }).url).toBe('https://a.example');
	});

	it.each([
		['desk.example.com/wp-json', /no scheme/],
		['ftp://desk.example.com', /neither https/],
		['https://desk.example.com/?rest_route=/', /query/],
		['https://desk.example.com/#x', /fragment/],
		['http://desk.example.com', /unencrypted/],
		['http://127.0.0.1.example.com', /unencrypted/],
		['https://a b', /space/],
		['https://', /not a URL/],
		['', /empty/],
	])('refuses %s', (given, message) => {
		expect(() => parseBaseUrl(given)).toThrow(message);
	});

	it('refuses a password in the URL without repeating it', () => {
		for (const url of [
			'https://anna:hunter2@desk.example.com',
			'https://anna:hunter2@desk.example.com/ x',
			'anna:hunter2@x',
		]) {
			let message = '';
			try {
				parseBaseUrl(url);
			} catch (error) {
				message = `${error}`;
			}
			expect(message).not.toBe('');
			expect(message).not.toContain('hunter2');
		}
	});

	it('offers the URL with its scheme', () => {
		expect(withScheme('desk.example.com/wp-json/')).toBe('https://desk.example.com/wp-json');
		expect(withScheme('127.0.0.1:8080')).toBe('http://127.0.0.1:8080');
		expect(withScheme('localhost:8080/x')).toBe('http://localhost:8080/x');
		expect(withScheme('//desk.example.com')).toBe('https://desk.example.com');
		expect(withScheme('https://desk.example.com')).toBeUndefined();
	});
});

it.each(['https://anna:hun@ter2@desk.example.com/ x', 'anna:hun@ter2@x'])(
	'no part of a password with an @ in it is repeated: %s',
	(url) => {
		let message = '';
		try {
			parseBaseUrl(url);
		} catch (error) {
			message = String(error);
		}
		expect(message).not.toBe('');
		expect(message).not.toMatch(/hun|ter2/);
	},
);
