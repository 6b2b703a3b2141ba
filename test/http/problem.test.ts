import { describe, expect, it } from 'vitest';
import { describeProblem, ProxyError } from '../../src/http/problem.js';

const coded = (code: string, message = code): Error => Object.assign(new Error(message), { code });

describe('describeProblem', () => {
	it.each([
		['ECONNREFUSED', 'connect_refused', false],
		['ENOTFOUND', 'dns_failed', false],
		['EAI_AGAIN', 'dns_failed', false],
		['EHOSTUNREACH', 'unreachable', false],
		['ETIMEDOUT', 'connect_timeout', false],
		['UND_ERR_CONNECT_TIMEOUT', 'connect_timeout', false],
		['ECONNRESET', 'connection_lost', false],
		['EPIPE', 'connection_lost', false],
		['UND_ERR_SOCKET', 'connection_lost', false],
		['UND_ERR_HEADERS_OVERFLOW', 'bad_http', true],
		['HPE_INVALID_CONSTANT', 'bad_http', false],
		['CERT_HAS_EXPIRED', 'tls_expired', true],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_wrong_name', true],
		['CERT_REVOKED', 'tls_failed', true],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_not_spoken', true],
		['EPROTO', 'tls_failed', true],
	])('names %s %s', (code, name, permanent) => {
		const problem = describeProblem(coded(code));
		expect(problem).toMatchObject({ code: name, permanent });
		expect(problem.message).toMatch(/^\S.*\S$/);
	});

	it.each(['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'])('knows %s', (code) => {
		expect(describeProblem(coded(code)).message).toContain('client certificate');
	});

	it('names an unexpected switch or 100 Continue apart from a closed connection', () => {
		expect(describeProblem(coded('UND_ERR_SOCKET', 'bad upgrade'))).toMatchObject({
			code: 'bad_http',
			message: 'unexpected 101 response (switching protocols)',
		});
		expect(describeProblem(coded('UND_ERR_SOCKET', 'bad response')).message).toMatch(/100 Continue/);
		expect(describeProblem(coded('UND_ERR_SOCKET', 'other side closed')).code).toBe('connection_lost');
	});

	it('repeats why a response is no HTTP', () => {
		const error = new Error('Response does not match the HTTP/1.1 protocol (Expected HTTP/)');
		error.name = 'HTTPParserError';
		expect(describeProblem(error)).toMatchObject({
			code: 'bad_http',
			message: 'the response is not valid HTTP (Expected HTTP/)',
		});
		expect(describeProblem(coded('HPE_X', 'odd')).message).toBe('the response is not valid HTTP (odd)');
	});

	it('finds the reason among the addresses that were tried', () => {
		const all = new AggregateError([coded('EWHATEVER'), coded('ECONNREFUSED')], '');
		expect(describeProblem(all)).toMatchObject({ code: 'connect_refused', cause: all });
	});

	it('finds the reason behind others', () => {
		const error = new Error('fetch failed', { cause: new Error('again', { cause: coded('ECONNRESET') }) });
		expect(describeProblem(error).code).toBe('connection_lost');
	});

	it('keeps the message of a proxy', () => {
		expect(describeProblem(new ProxyError('the proxy p:1 responded with 403', true))).toMatchObject({
			code: 'proxy_failed',
			message: 'the proxy p:1 responded with 403',
			permanent: true,
		});
	});

	it('repeats what it does not know', () => {
		expect(describeProblem(new DOMException('ended', 'AbortError'))).toMatchObject({
			code: 'network',
			message: 'ended',
		});
		expect(describeProblem(new Error('odd'))).toMatchObject({ code: 'network', message: 'odd', permanent: false });
		expect(describeProblem('odd')).toMatchObject({ code: 'network', message: 'odd' });
		expect(describeProblem(null)).toMatchObject({ code: 'network', message: 'null' });
	});

	it('does not follow causes that go in a circle', () => {
		const error = new Error('round') as Error & { cause?: unknown };
		error.cause = error;
		expect(describeProblem(error)).toMatchObject({ code: 'network', message: 'round' });
	});
});
