import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	createOutcomeRedactor,
	createRedactor,
	createTextRedactor,
	isSecretName,
	redact,
	redactBaseUrl,
	redactBody,
	redactHeaders,
	redactTexts,
	redactUrl,
	secretValues,
} from '../../src/output/redact.js';

describe('isSecretName', () => {
	it.each([
		'password',
		'Password',
		'user_password',
		'userPassword',
		'password2',
		'passwordConfirmation',
		'user_pass',
		'passwd',
		'pwd',
		'token',
		'accessToken',
		'access_tokens',
		'authtoken',
		'client-secret',
		'secretCommand',
		'Authorization',
		'Proxy-Authorization',
		'authorisation',
		'Set-Cookie',
		'X-Api-Key',
		'apikey',
		'private key',
		'credentials',
		'X-WP-Nonce',
		'session_id',
		'passphrase',
		'userPasscode',
	])('%s is named like a secret', (name) => {
		expect(isSecretName(name)).toBe(true);
	});

	it.each([
		'author',
		'status',
		'compass',
		'bypass',
		'passed',
		'secretary',
		'tokenizer',
		'key',
		'keyboard',
		'id',
		'message',
		'secretSource',
		'token_type',
		'password_type',
		'credentialSource',
		'cookie_count',
		'support_can_be_assigned',
		'',
	])('%s is not', (name) => {
		expect(isSecretName(name)).toBe(false);
	});
});

/** All keys of a value, and all texts under `name`, which may name what stands beside them. */
function namesOf(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, inner]) => [
		name,
		...(name === 'name' && typeof inner === 'string' ? [inner] : []),
		...namesOf(inner),
	]);
}

describe('redact', () => {
	it('replaces what stands under a secret name, however deep, and leaves the original alone', () => {
		const given = { id: 1, list: [{ deep: { Token: 'marker' } }], password: { hash: 'marker' }, other: null };
		const before = structuredClone(given);
		expect(redact(given)).toEqual({
			id: 1,
			list: [{ deep: { Token: '[redacted]' } }],
			password: '[redacted]',
			other: null,
		});
		expect(given).toEqual(before);
	});

	it('gives the same object back where there is nothing to hide', () => {
		const given = { id: 1, body: { title: { raw: 'x' }, tags: [1, { name: 'a' }] } };
		expect(redact(given)).toBe(given);
	});

	it('sees a secret whose name is a value, as custom fields and header lists have it', () => {
		expect(redact({ x1: { name: 'API key', value: 'marker', markup: '<input value="marker">' } })).toEqual({
			x1: { name: 'API key', value: '[redacted]', markup: '[redacted]' },
		});
		expect(redact([{ name: 'Order', value: '14' }])).toEqual([{ name: 'Order', value: '14' }]);
	});

	it('takes __proto__ and constructor for names like any other', () => {
		const given = JSON.parse('{"__proto__": {"token": "marker"}, "constructor": {"password": "marker"}}');
		expect(JSON.stringify(redact(given))).toBe(
			'{"__proto__":{"token":"[redacted]"},"constructor":{"password":"[redacted]"}}',
		);
		expect(({} as Record<string, unknown>).token).toBeUndefined();
	});

	it('never lets a marked secret through, and never changes what has no secret name (property)', () => {
		const redactRow = createRedactor();
		fc.assert(
			fc.property(fc.jsonValue(), fc.constantFrom('password', 'api_token', 'Authorization'), (value, name) => {
				const clean = JSON.stringify(redactRow({ a: [value, { [name]: 'MARKER-1' }] }));
				expect(clean).not.toContain('MARKER-1');
				fc.pre(!namesOf(value).some(isSecretName));
				expect(redactRow({ a: value })).toEqual({ a: value });
			}),
		);
	});
});

describe('redactHeaders', () => {
	it('keeps the scheme of an authorization and hides the rest', () => {
		const headers = { Authorization: 'Basic bWFya2Vy', Accept: 'application/json', Cookie: 'a=marker' };
		expect(redactHeaders(headers)).toEqual([
			['Authorization', 'Basic [redacted]'],
			['Accept', 'application/json'],
			['Cookie', '[redacted]'],
		]);
		expect(redactHeaders({ 'set-cookie': ['a=marker', 'b=marker'], location: 'https://u:marker@x.example/' })).toEqual([
			['set-cookie', '[redacted]'],
			['set-cookie', '[redacted]'],
			['location', 'https://[redacted]@x.example/'],
		]);
	});
});

describe('redactUrl and createTextRedactor', () => {
	it('hides user info and secret parameters', () => {
		expect(redactUrl('https://ann:marker@desk.example/a?x=1&access_token=marker#top')).toBe(
			'https://[redacted]@desk.example/a?x=1&access_token=[redacted]#top',
		);
		expect(redactUrl('https://ann:mar@ker@@desk.example/a@b')).toBe('https://[redacted]@desk.example/a@b');
		expect(redactUrl("https://ann:ma'rker@desk.example")).toBe('https://[redacted]@desk.example');
		expect(redactUrl('proxy http://ann:marker@p.example:8080 refused')).toBe(
			'proxy http://[redacted]@p.example:8080 refused',
		);
	});

	it('finds given secrets as they are, in JSON, in a URL and in base64', () => {
		const secret = 'p"ä ss%word:';
		const text = [
			secret,
			JSON.stringify({ x: secret }),
			encodeURIComponent(secret),
			Buffer.from(secret).toString('base64'),
		].join(' | ');
		expect(createTextRedactor([secret])(text)).toBe('[redacted] | {"x":"[redacted]"} | [redacted] | [redacted]');
	});

	it('goes through a value text by text, so that no quotation mark of JSON is in danger', () => {
		const value = { a: ['x","y', { 'k","': 'see https://x.example/?token=marker' }], n: 1, z: null };
		expect(redactTexts(value, createTextRedactor([], ['","']))).toEqual({
			a: ['x[redacted]y', { 'k","': 'see https://x.example/?token=[redacted]' }],
			n: 1,
			z: null,
		});
		expect(JSON.parse(redactUrl(JSON.stringify({ m: 'https://x.example/?token=marker' })))).toEqual({
			m: 'https://x.example/?token=[redacted]',
		});
	});

	it('compares numbers as their digits', () => {
		const value = { id: 14, a: 4815162342, b: '4815162342', c: 'no 4815162342!', d: [815, 0.5] };
		const secrets = ['4815162342', '0.5'];
		expect(redactTexts(value, createTextRedactor([], secrets), secrets)).toEqual({
			id: 14,
			a: '[redacted]',
			b: '[redacted]',
			c: 'no [redacted]!',
			d: [815, '[redacted]'],
		});
	});

	it('finds the secret values of a request at any depth, numbers too', () => {
		const sent = {
			id: 7,
			password: 4815162342,
			meta: { api_key: { a: ['x1', { b: 12 }] }, n: 5 },
		};
		expect(secretValues(sent).sort()).toEqual(['12', '4815162342', 'x1']);
	});

	it('hides all that a base URL should not hold', () => {
		expect(redactBaseUrl('https://anna:hun@ter2@desk.example/x?token=y#z')).toBe(
			'https://[redacted]@desk.example/x?[redacted]',
		);
		expect(redactBaseUrl('anna:hun@te/r2@desk.example')).toBe('[redacted]@desk.example');
	});

	it('finds a short secret of digits, but not in a longer number', () => {
		const clean = createTextRedactor([], ['1234']);
		expect(clean('user 12345 of 91234: 1234, "1234" and 1234')).toBe(
			'user 12345 of 91234: [redacted], "[redacted]" and [redacted]',
		);
		expect(createTextRedactor([], ['123456'])('order 91234567')).toBe('order 9[redacted]7');
	});

	it('leaves ordinary text alone', () => {
		expect(createTextRedactor([], ['ab'])('status=hold is not a documented ticket status')).toBe(
			'status=hold is not a documented ticket status',
		);
	});
});

describe('redactBody', () => {
	it('hides secrets in JSON, in JSON that is cut off, and in forms', () => {
		expect(redactBody('{"username":"ann","password":"marker"}')).toBe('{"username":"ann","password":"[redacted]"}');
		expect(redactBody('{"a":1,"password":"mark\\"er')).toBe('{"a":1,"password":"[redacted]"');
		expect(redactBody('{"token":{"x":"marker"},"b":')).toBe('{"token":"[redacted]"');
		expect(redactBody('{"token_type":"x","pin":1,"api_key":[["marker"],"marker')).toBe(
			'{"token_type":"x","pin":1,"api_key":"[redacted]"',
		);
		expect(redactBody('{"password":null,"token" : 12,"b":')).toBe('{"password":null,"token" : "[redacted]","b":');
		expect(redactBody('username=ann&password=marker')).toBe('username=ann&password=[redacted]');
		expect(redactBody('<b>notice</b>{"password":"marker"}')).toBe('<b>notice</b>{"password":"[redacted]"}');
	});
});

it.each([
	['a URL', '://', 'a.'],
	['JSON that breaks off', '', '\\"'],
])('a long text that is almost %s is read in linear time', (_what, start, unit) => {
	const text = start + unit.repeat(500_000);
	expect(redactBody(text)).toBe(text);
});

it('secrets are found in forms and in JSON that breaks off', () => {
	expect(redactUrl('https://x/?api+key=abc&user%5Fpass=def')).not.toMatch(/abc|def/);
	for (const body of ['{"password":"abc\\', '{"password":"abc']) expect(redactBody(body)).not.toContain('abc');
});

const SECRET = ` p4ss "wörd" %:\\ <ключ> 🔑 end7 `;
const clean = (text: string, ...secrets: string[]): string =>
	createTextRedactor([], secrets)(text).replaceAll('[redacted]', '#');
/** As PHP's json_encode writes it. */
const phpJson = (text: string): string =>
	JSON.stringify(text).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const html = (text: string): string =>
	text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char] as string);

describe('createTextRedactor', () => {
	it.each([
		['as it is', SECRET],
		['in JSON', JSON.stringify(SECRET)],
		['in JSON in JSON', JSON.stringify(JSON.stringify({ a: SECRET }))],
		['in ASCII JSON', phpJson(SECRET)],
		['in a URL', encodeURIComponent(SECRET)],
		['in a form', new URLSearchParams({ a: SECRET }).toString()],
		['in HTML', html(SECRET)],
		['in base64', Buffer.from(SECRET).toString('base64')],
		['in base64 in a URL', encodeURIComponent(Buffer.from(SECRET).toString('base64'))],
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
	});
});

it.each([
	['our own password', ['her password'], {}],
	['a secret of the request', [], { password: 'her password' }],
])('an outcome repeats %s nowhere', (_, own, sent) => {
	const said = 'no: her password';
	const texts = { code: said, message: said, warnings: [said], reasons: { name: said }, body: { deep: [said] } };
	const outcome = createOutcomeRedactor(own)({ outcome: 'failed' as const, ...texts }, { sent });
	expect(outcome).toEqual({
		outcome: 'failed',
		code: 'no: [redacted]',
		message: 'no: [redacted]',
		warnings: ['no: [redacted]'],
		reasons: { name: 'no: [redacted]' },
		body: { deep: ['no: [redacted]'] },
	});
});

it('a secret that was cut off is removed as far as it goes', () => {
	const clean = createTextRedactor(['her password']);
	expect(clean('it said: her passw…')).toBe('it said: [redacted]…');
	expect(clean('it said: no…')).toBe('it said: no…');
});

it('an outcome shows no value of a field named like a secret that differs, also inside', () => {
	const differs = [
		{ field: 'password', sent: 'hunter2', shown: 'x' },
		{ field: 'meta', sent: { api_token: 'hunter2', a: 1 }, shown: {} },
	];
	const outcome = createOutcomeRedactor([])({ outcome: 'differs', differs }, {});
	expect(JSON.stringify(outcome)).not.toContain('hunter2');
	expect(outcome.differs?.[1]).toEqual({ field: 'meta', sent: { api_token: '[redacted]', a: 1 }, shown: {} });
});
