import { describe, expect, it } from 'vitest';
import { configFolder, parseBaseUrl, stateFolder } from '../../src/profile/settings.js';

describe('folders', () => {
	it.each([
		[{ env: { HOME: '/h' } }, '/h/.config/supportctl', '/h/.local/state/supportctl'],
		[{ env: { HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' } }, '/c/supportctl', '/s/supportctl'],
		[
			{ env: { HOME: '/h', XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: 's' } },
			'/h/.config/supportctl',
			'/h/.local/state/supportctl',
		],
		[{ env: { HOME: '/h', SUPPORTCTL_CONFIG_DIR: '/a', SUPPORTCTL_STATE_DIR: '/b' } }, '/a', '/b'],
		[{ env: { HOME: '/h', SUPPORTCTL_CONFIG_DIR: 'a', SUPPORTCTL_STATE_DIR: './b' }, cwd: '/w' }, '/w/a', '/w/b'],
		[{ env: { HOME: '/h', SUPPORTCTL_CONFIG_DIR: '' } }, '/h/.config/supportctl', '/h/.local/state/supportctl'],
		[
			{ env: { APPDATA: '/roaming', LOCALAPPDATA: '/local', HOME: '/h' }, platform: 'win32' as const },
			'/roaming/supportctl',
			'/local/supportctl/state',
		],
	])('%j', (place, config, state) => {
		expect([configFolder(place), stateFolder(place)]).toEqual([config, state]);
	});
});

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
			'using https://desk.example.com/wp-json as the base URL, without /support-api/v1/tickets/14',
		]);
		expect(parseBaseUrl('https://a.example/hd-api/v1').url).toBe('https://a.example');
	});

	it.each([
		['desk.example.com/wp-json', /no scheme/],
		['ftp://desk.example.com', /neither https/],
		['https://desk.example.com/?rest_route=/&lang=en', /query/],
		['https://desk.example.com/#x', /fragment/],
		['https://desk.example.com/#s3cret', /^(?!.*s3cret)/s],
		['http://desk.example.com', /unencrypted/],
		['http://127.0.0.1.example.com', /unencrypted/],
		['https://a b', /not a URL/],
		['https://a/b c', /not a URL/],
		['https://', /not a URL/],
		['', /not a URL/],
	])('refuses %s', (given, message) => {
		expect(() => parseBaseUrl(given)).toThrow(message);
	});

	it.each(['https://anna:hun@ter2@desk.example.com', 'https://anna:hun@ter2@desk.example.com/ x', 'anna:hun@ter2@x'])(
		'refuses a password in the URL, and repeats no part of it: %s',
		(url) => {
			const parse = () => parseBaseUrl(url);
			expect(parse).toThrow();
			expect(parse).not.toThrow(/hun|ter2/);
		},
	);

	it.each([
		['desk.example.com/wp-json/', 'https://desk.example.com/wp-json'],
		['127.0.0.1:8080', 'http://127.0.0.1:8080'],
		['localhost:8080/x', 'http://localhost:8080/x'],
		['//desk.example.com', 'https://desk.example.com'],
	])('offers the URL of %s with its scheme', (given, suggested) => {
		expect(() => parseBaseUrl(given)).toThrow(expect.objectContaining({ hint: `use ${suggested}` }));
	});
});
