import { describe, expect, it } from 'vitest';
import { describeProblem, missingRight } from '../../src/http/problem.js';

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

	it('repeats why a response is not HTTP', () => {
		const error = new Error('Response does not match the HTTP/1.1 protocol (Expected HTTP/)');
		error.name = 'HTTPParserError';
		expect(describeProblem(error)).toMatchObject({
			code: 'bad_http',
			message: 'the response is not valid HTTP (Expected HTTP/)',
		});
		expect(describeProblem(coded('HPE_X', 'odd')).message).toBe('the response is not valid HTTP (odd)');
	});

	it('repeats what it does not know', () => {
		expect(describeProblem(new DOMException('ended', 'AbortError'))).toMatchObject({
			code: 'network',
			message: 'ended',
		});
		expect(describeProblem(new Error('odd'))).toMatchObject({ code: 'network', message: 'odd', permanent: false });
	});
});

describe('a 403', () => {
	it.each([
		['rest_cannot_edit', ' to edit'],
		['rest_user_cannot_view', ' to view'],
		['rest_cannot_manage_application_passwords', ' to manage application passwords'],
		['rest_forbidden', ''],
		['http_403', ''],
		[undefined, ''],
	])('with the code %s lacks a right%s', (code, right) => {
		expect(missingRight(code)).toBe(right);
	});
});
