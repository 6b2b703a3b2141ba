/** Problems between here and the service in words, and the next step for their codes and some of the service's own. */

export interface TransportProblem {
	code: string;
	message: string;
	/** A retry can't help. */
	permanent: boolean;
}

type Known = readonly [code: string, message: string, permanent: boolean];

const UNRESOLVED: Known = ['dns_failed', 'the host name could not be resolved', false];
const NO_ROUTE: Known = ['unreachable', 'no route to the host', false];
const NO_CONNECTION: Known = ['connect_timeout', 'no connection in time', false];
const LOST: Known = ['connection_lost', 'the server closed the connection', false];
const UNTRUSTED: Known = ['tls_untrusted', "the host's certificate is from an unknown CA", true];
const NO_TLS: Known = ['tls_not_spoken', 'the port does not speak TLS; it may serve plain http', true];

/** Codes of Node, undici, OpenSSL and ours. */
const KNOWN: Readonly<Record<string, Known>> = {
	ECONNREFUSED: ['connect_refused', 'connection refused', false],
	ENOTFOUND: UNRESOLVED,
	EAI_AGAIN: UNRESOLVED,
	EHOSTUNREACH: NO_ROUTE,
	ENETUNREACH: NO_ROUTE,
	ETIMEDOUT: NO_CONNECTION,
	UND_ERR_CONNECT_TIMEOUT: NO_CONNECTION,
	ECONNRESET: LOST,
	EPIPE: LOST,
	UND_ERR_SOCKET: LOST,
	UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['wrong_length', "the response's length does not match its headers", false],
	// undici asserts a valid status.
	ERR_ASSERTION: ['bad_http', 'the response is not valid HTTP', false],
	UND_ERR_HEADERS_OVERFLOW: ['bad_http', "the response's headers are too large", true],
	UND_ERR_INVALID_ARG: ['bad_request', 'the request is invalid', true],
	UND_ERR_DESTROYED: ['closed', 'the client was closed', true],
	EPROTO: ['tls_failed', 'no secure connection could be made', true],
	ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
	ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
	ERR_SSL_HTTP_REQUEST: NO_TLS,
	CERT_HAS_EXPIRED: ['tls_expired', "the host's certificate has expired", true],
	CERT_NOT_YET_VALID: ['tls_not_yet_valid', "the host's certificate is not valid yet", true],
	ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: ['tls_client_certificate', 'the host requires a client certificate', true],
	ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: [
		'tls_failed',
		'the host ended the TLS handshake; it may require a client certificate',
		true,
	],
	ERR_TLS_CERT_ALTNAME_INVALID: ['tls_wrong_name', "the host's certificate is for a different name", true],
	DEPTH_ZERO_SELF_SIGNED_CERT: ['tls_untrusted', "the host's certificate is self-signed", true],
	SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
};

const CLOCK = "check this machine's clock and the certificate's dates";
const REACH = 'check the base URL, your network and firewalls, or run: supportctl doctor';

const NEXT_STEPS: Readonly<Record<string, string>> = {
	connect_refused: REACH,
	connect_timeout: REACH,
	dns_failed: REACH,
	unreachable: REACH,
	not_loopback:
		'use https://, or an address such as http://127.0.0.1; or allow it: supportctl profile set NAME --allow-http',
	https_expected: 'use https:// in the base URL',
	tls_not_spoken: 'check the port; http:// is only allowed to this machine',
	tls_expired: `renew the certificate, or ${CLOCK}`,
	tls_not_yet_valid: CLOCK,
	tls_wrong_name: 'use the name in the certificate as the base URL',
	tls_untrusted: 'if you trust the host, pass its CA with --ca-file FILE',
	tls_client_certificate: 'pass --cert FILE and --key FILE',
	tls_failed: 'check that the port serves https, and check --ca-file, --cert and --key; or run: supportctl doctor',
	proxy_failed:
		'fix HTTPS_PROXY or HTTP_PROXY (put the username and password before the host, with %40 for @), or add the host to NO_PROXY',
	redirect: 'to change it in a profile: supportctl profile set NAME --base-url URL',
	login_form: 'a sign-on page or a firewall in front of the service responded: use a base URL without it',
	incorrect_agent: 'assign an agent: this service requires one on every ticket and accepts no other users',
	invalid_term: 'use the ID of a term: supportctl term list TAXONOMY',
	invalid_username: 'find usernames with: supportctl user list --search TEXT',
	invalid_username_access: 'your account can only look up itself; to find others: supportctl user list --search TEXT',
	rest_trash_not_supported: 'pass --force to delete permanently',
	no_such_field: 'list the fields with: supportctl ticket fields get TICKET-ID',
};

/** @returns undefined for codes that are no problem of the connection */
export function nextStepFor(code: string | undefined): string | undefined {
	return code !== undefined && Object.hasOwn(NEXT_STEPS, code) ? NEXT_STEPS[code] : undefined;
}

/** What the code of a 403 says is missing, as WordPress spells its codes: ` to edit` of `rest_cannot_edit`; mostly nothing. */
export function missingRight(code = ''): string {
	const action = /^rest_(?:user_)?cannot_([a-z_]{1,60})$/.exec(code)?.[1];
	return action === undefined ? '' : ` to ${action.replaceAll('_', ' ')}`;
}

export function describeProblem(error: Error): TransportProblem {
	const [code, message, permanent] = recognise(error);
	return { code, message, permanent };
}

function recognise(error: Error & { code?: unknown; data?: unknown }): Known {
	const { name, message, data } = error;
	const code = String(error.code ?? '');
	if (code === 'NOT_LOOPBACK') return ['not_loopback', message, true];
	// OpenSSL has two names for alerts.
	const known = KNOWN[code.replace('SSL/TLS_ALERT', 'SSLV3_ALERT')];
	if (known !== undefined) return known;
	if (name === 'HTTPParserError' || code.startsWith('HPE_')) {
		// A TLS alert.
		if (String(data).startsWith('\x15\x03')) {
			return ['https_expected', 'the port speaks TLS, but the base URL is http://', true];
		}
		// llhttp's reason is in parentheses.
		const reason = /\((.+)\)$/.exec(message)?.[1] ?? (message || code);
		return ['bad_http', `the response is not valid HTTP (${reason})`, false];
	}
	if (/^(?:ERR_SSL_|ERR_TLS_|CERT_)/.test(code)) {
		return ['tls_failed', `no secure connection could be made (${code})`, true];
	}
	return ['network', message, false];
}
