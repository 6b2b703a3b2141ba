import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	createRedactor,
	createTextRedactor,
	isSecretName,
	redact,
	redactBaseUrl,
	redactBody,
	redactHeaders,
	redactText,
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

	it('comes back from circles and from any depth', () => {
		const circle: Record<string, unknown> = { token: 'marker' };
		circle.self = circle;
		expect(redact(circle)).toEqual({ token: '[redacted]', self: '[circular]' });
		let deep: unknown = { token: 'marker' };
		for (let level = 0; level < 50_000; level++) deep = [deep];
		expect(JSON.stringify(redact(deep))).not.toContain('marker');
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
	it('keeps the scheme of an authorization and hides the rest, in lists and in objects', () => {
		const list = ['Authorization', 'Basic bWFya2Vy', 'Accept', 'application/json', 'Cookie', 'a=marker'];
		expect(redactHeaders(list)).toEqual([
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

describe('redactUrl and redactText', () => {
	it('hides user info and secret parameters', () => {
		expect(redactUrl('https://ann:marker@desk.example/a?x=1&access_token=marker#top')).toBe(
			'https://[redacted]@desk.example/a?x=1&access_token=[redacted]#top',
		);
		expect(redactUrl('https://ann:mar@ker@@desk.example/a@b')).toBe('https://[redacted]@desk.example/a@b');
		expect(redactText('proxy http://ann:marker@p.example:8080 refused', [])).toBe(
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
		expect(redactText(text, [secret])).toBe('[redacted] | {"x":"[redacted]"} | [redacted] | [redacted]');
	});

	it('goes through a value text by text, so that no quotation mark of JSON is in danger', () => {
		const value = { a: ['x","y', { 'k","': 'see https://x.example/?token=marker' }], n: 1, z: null };
		expect(redactTexts(value, ['","'])).toEqual({
			a: ['x[redacted]y', { 'k","': 'see https://x.example/?token=[redacted]' }],
			n: 1,
			z: null,
		});
		expect(JSON.parse(redactText(JSON.stringify({ m: 'https://x.example/?token=marker' }), []))).toEqual({
			m: 'https://x.example/?token=[redacted]',
		});
	});

	it('leaves a secret in a key only where it may be a word or an id by chance', () => {
		const value = { verdict: 'verdict', '1234567': '1234567', 'no marker-12': 'marker-12' };
		expect(redactTexts(value, ['verdict', '1234567', 'marker-12'])).toEqual({
			verdict: '[redacted]',
			'1234567': '[redacted]',
			'no [redacted]': '[redacted]',
		});
	});

	it('compares numbers as their digits', () => {
		const value = { id: 14, a: 4815162342, b: '4815162342', c: 'no 4815162342!', d: [815, 0.5] };
		expect(redactTexts(value, ['4815162342', '0.5', '1'])).toEqual({
			id: 14,
			a: '[redacted]',
			b: '[redacted]',
			c: 'no [redacted]!',
			d: [815, '[redacted]'],
		});
		expect(redactText('row 51234, PIN 1234', ['1234'])).toBe('row 51234, PIN [redacted]');
	});

	it('hides a password with @ in it up to the last one of the authority', () => {
		expect(redactUrl('https://ann:ma@rk@er@desk.example/x@y')).toBe('https://[redacted]@desk.example/x@y');
		expect(redactUrl("https://ann:ma'rker@desk.example")).toBe('https://[redacted]@desk.example');
		expect(redactBaseUrl('ann:ma@rk/er@desk.example')).toBe('[redacted]@desk.example');
	});

	it('finds the secret values of a request at any depth, numbers too', () => {
		const sent = {
			id: 7,
			password: 4815162342,
			meta: { api_key: { a: ['x1', { b: 12 }] }, n: 5 },
			f: [{ name: 'token', value: 9 }],
		};
		expect(secretValues(sent).sort()).toEqual(['12', '4815162342', '9', 'x1']);
		let deep: unknown = { token: 'marker' };
		for (let level = 0; level < 50_000; level++) deep = { deep };
		expect(secretValues(deep)).toEqual(['marker']);
	});

	it('hides all that a base URL should not hold', () => {
		expect(redactBaseUrl('https://anna:hun@ter2@desk.example/x?token=y#z')).toBe(
			'https://[redacted]@desk.example/x?[redacted]',
		);
		expect(redactBaseUrl('anna:hun@ter2@desk.example')).toBe('[redacted]@desk.example');
	});

	it('leaves ordinary text alone', () => {
		expect(redactText('status=hold is not a documented ticket status', ['ab'])).toBe(
			'status=hold is not a documented ticket status',
		);
	});
});

describe('redactBody', () => {
	it('hides secrets in JSON, in JSON that is cut off, and in forms', () => {
		expect(redactBody('{"username":"ann","password":"marker"}')).toBe('{"username":"ann","password":"[redacted]"}');
		expect(redactBody('{"a":1,"password":"mark\\"er')).toBe('{"a":1,"password":"[redacted]"');
		expect(redactBody('{"token":{"x":"marker"},"b":')).toBe('{"token":"[redacted]","b":');
		const cut = '{"tok\\u0065n":{"x":{"y":1},"z":"marker"},"pin":1,"api_key":[["marker"],"marker';
		expect(redactBody(cut)).toBe('{"tok\\u0065n":"[redacted]","pin":1,"api_key":"[redacted]"');
		expect(redactBody('{"x":{"password":"marker"},"x":1,"password":null}')).toBe(
			'{"x":{"password":"[redacted]"},"x":1,"password":null}',
		);
		expect(redactBody('username=ann&password=marker')).toBe('username=ann&password=[redacted]');
		expect(redactBody('<b>notice</b>{"password":"marker"}')).toBe('<b>notice</b>{"password":"[redacted]"}');
	});
});

it('names like secrets, and names that only tell of secrets, are told apart', () => {
	for (const name of ['passcode', 'userPasscode', 'passphrase', 'authorisation']) expect(isSecretName(name)).toBe(true);
	for (const name of ['password_type', 'credentialSource', 'cookie_count']) expect(isSecretName(name)).toBe(false);
});

it('secrets are found in forms, in JSON that breaks off, and in base64 for URLs', () => {
	expect(redactUrl('https://x/?api+key=abc&user%5Fpass=def')).not.toMatch(/abc|def/);
	for (const body of ['{"password":"abc\\', '{"password":"abc']) expect(redactBody(body)).not.toContain('abc');
	const secret = '???>>>secret~~~';
	const encoded = Buffer.from(secret).toString('base64url');
	expect(encoded).toMatch(/[-_]/);
	expect(createTextRedactor([secret])(`x ${encoded} y`)).toBe('x [redacted] y');
});
