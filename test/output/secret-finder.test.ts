import { describe, expect, it } from 'vitest';
import { createSecretFinder } from '../../src/output/secret-finder.js';

const SECRET = ` p4ss "wörd" %:\\ <ключ> 🔑 end7 `;
const clean = (text: string, ...secrets: string[]): string => {
	const finder = createSecretFinder(secrets);
	return finder?.mayHold(text) === true ? finder.replace(text, '#') : text;
};
/** As PHP's json_encode writes it. */
const phpJson = (text: string): string =>
	JSON.stringify(text).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const html = (text: string): string =>
	text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char] as string);

describe('createSecretFinder', () => {
	it.each([
		['as it is', SECRET],
		['in JSON', JSON.stringify(SECRET)],
		['in JSON in JSON', JSON.stringify(JSON.stringify({ a: SECRET }))],
		['in JSON in JSON in JSON', JSON.stringify(JSON.stringify(JSON.stringify(SECRET)))],
		['in ASCII JSON', phpJson(SECRET)],
		['in a URL', encodeURIComponent(SECRET)],
		['in a form', new URLSearchParams({ a: SECRET }).toString()],
		['in HTML', html(SECRET)],
		['in numbered HTML', SECRET.replace(/[^A-Za-z0-9 ]/gu, (char) => `&#${char.codePointAt(0)};`)],
		['in base64', Buffer.from(SECRET).toString('base64')],
		['in base64 in a URL', encodeURIComponent(Buffer.from(SECRET).toString('base64'))],
		['in base64url', Buffer.from(SECRET).toString('base64url')],
		['in hex', Buffer.from(SECRET).toString('hex').toUpperCase()],
		['without its blanks', SECRET.replaceAll(' ', '')],
	])('finds a secret %s', (_, text) => {
		const found = clean(`before|${text}|after`, SECRET);
		expect(found).toMatch(/^before\|.*#.*\|after$/);
		expect(found).not.toMatch(/p4ss|end7|ключ|a2zGw|6b6c6a/i);
	});

	it('finds an application password in whatever groups it is written', () => {
		const password = 'abcd EFGH ijkl MNOP qrst UVWX';
		expect(clean('abcdEFGHijklMNOPqrstUVWX', password)).toBe('#');
		expect(clean(`{"password": "${password}"}`, password)).toBe('{"password": "#"}');
	});

	it('finds every secret of several, the longer one whole', () => {
		expect(clean('a secret-one-two b secret-one c', 'secret-one', 'secret-one-two')).toBe('a # b # c');
	});

	it('leaves other text alone', () => {
		const text = '{"id":14,"status":"hold","title":"p4ss ward"}';
		expect(clean(text, SECRET)).toBe(text);
		expect(clean('x', '   ')).toBe('x');
		expect(clean('a b', '   ')).toBe('a b');
		expect(createSecretFinder([])).toBeUndefined();
		expect(createSecretFinder([''])).toBeUndefined();
	});

	it('is sure in bytes as it is in text', () => {
		const finder = createSecretFinder(['abcdefgh']);
		expect(finder?.mayHold(Buffer.from('x abcdefgh y'))).toBe(true);
		expect(finder?.mayHold(new Uint8Array(Buffer.from('x abcdefg y')))).toBe(false);
	});
});
