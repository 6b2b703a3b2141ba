/** What can go wrong between here and the service, named for a person. */

export interface TransportProblem {
	/** Ours: `connect_refused`, `dns_failed`, `tls_failed`, `timeout`, `connection_lost`, `bad_http`, `answer_too_large` … */
	code: string;
	message: string;
	/** Trying again can't help. */
	permanent: boolean;
	cause?: unknown;
}

/** The proxy could not be reached or would not pass the connection on. Its message names no credentials. */
export class ProxyError extends Error {
	readonly code = 'PROXY_FAILED';

	constructor(
		message: string,
		/** Trying again can't help. */
		readonly permanent: boolean,
		/** What to do about it. */
		readonly remedy: string,
		cause?: unknown,
	) {
		super(message, { cause });
		this.name = 'ProxyError';
	}
}

interface SystemError {
	name?: string;
	code?: string;
	message?: string;
	errors?: unknown[];
	cause?: unknown;
}

const NAMES: Record<string, [code: string, message: string, permanent: boolean]> = {
	ECONNREFUSED: ['connect_refused', 'the connection was refused: nothing listens there', false],
	ENOTFOUND: ['dns_failed', "the host's name could not be resolved", false],
	EAI_AGAIN: ['dns_failed', "the host's name could not be resolved just now", false],
	EHOSTUNREACH: ['unreachable', 'there is no route to the host', false],
	ENETUNREACH: ['unreachable', 'there is no route to the network', false],
	ETIMEDOUT: ['connect_timeout', 'the connection was not answered in time', false],
	UND_ERR_CONNECT_TIMEOUT: ['connect_timeout', 'the connection was not answered in time', false],
	ECONNRESET: ['connection_lost', 'the connection was reset', false],
	EPIPE: ['connection_lost', 'the connection was closed by the other side', false],
	UND_ERR_SOCKET: ['connection_lost', 'the connection was closed by the other side', false],
	UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['wrong_length', "the answer's length is not what its headers say", false],
	// What undici holds for impossible, such as a status of 000.
	ERR_ASSERTION: ['bad_http', 'the answer is not valid HTTP', false],
	UND_ERR_INVALID_ARG: ['bad_request', 'the request could not be put together', true],
	EPROTO: ['tls_failed', 'no secure connection could be made', true],
	UND_ERR_HEADERS_OVERFLOW: ['bad_http', "the answer's headers are too large", true],
	CERT_HAS_EXPIRED: ['tls_expired', "the host's certificate has expired", true],
	CERT_NOT_YET_VALID: [
		'tls_not_yet_valid',
		"the host's certificate is not valid yet; is this machine's clock right?",
		true,
	],
	ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: [
		'tls_client_certificate',
		'the host wants a client certificate: --cert and --key',
		true,
	],
	ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: [
		'tls_failed',
		'the host broke off the TLS handshake; it may want a client certificate (--cert and --key)',
		true,
	],
	ERR_TLS_CERT_ALTNAME_INVALID: ['tls_wrong_name', "the host's certificate is for another name", true],
	DEPTH_ZERO_SELF_SIGNED_CERT: ['tls_untrusted', "the host's certificate is self-signed; --ca-file names a CA", true],
	SELF_SIGNED_CERT_IN_CHAIN: [
		'tls_untrusted',
		"the host's certificate is from an unknown CA; --ca-file names one",
		true,
	],
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
		'tls_untrusted',
		"the host's certificate is from an unknown CA; --ca-file names one",
		true,
	],
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
		'tls_untrusted',
		"the host's certificate is from an unknown CA; --ca-file names one",
		true,
	],
};

/** undici has one code for these, and tells them apart by the message alone. */
const SOCKET_MESSAGES: Record<string, string> = {
	'bad upgrade': 'the answer switches protocols (101), which was not asked for',
	'bad response': 'the answer is "100 Continue", which was not asked for',
};

/** The first error in a chain of causes and aggregates that has a name we know. */
function* unfold(error: unknown, depth = 0): Generator<SystemError> {
	if (typeof error !== 'object' || error === null || depth > 5) return;
	const system = error as SystemError;
	yield system;
	for (const inner of system.errors ?? []) yield* unfold(inner, depth + 1);
	yield* unfold(system.cause, depth + 1);
}

/** Names an error of a socket, of TLS or of HTTP framing. */
export function describeProblem(error: unknown): TransportProblem {
	let fallback: string | undefined;
	for (const each of unfold(error)) {
		const unasked = each.code === 'UND_ERR_SOCKET' ? SOCKET_MESSAGES[each.message ?? ''] : undefined;
		if (unasked !== undefined) return { code: 'bad_http', message: unasked, permanent: true, cause: error };
		// OpenSSL has called these alerts by both names.
		const known = each.code === undefined ? undefined : NAMES[each.code.replace('SSL/TLS_ALERT', 'SSLV3_ALERT')];
		if (known !== undefined) return { code: known[0], message: known[1], permanent: known[2], cause: error };
		if (each instanceof ProxyError) {
			return { code: 'proxy_failed', message: each.message, permanent: each.permanent, cause: error };
		}
		// undici's parser leaves the code out and puts llhttp's reason in parentheses.
		if (each.name === 'HTTPParserError' || each.code?.startsWith('HPE_')) {
			const reason = /\((.+)\)$/.exec(each.message ?? '')?.[1] ?? each.message ?? each.code;
			return { code: 'bad_http', message: `the answer is not valid HTTP (${reason})`, permanent: false, cause: error };
		}
		if (each.code?.startsWith('ERR_SSL_') || each.code?.startsWith('ERR_TLS_') || each.code?.startsWith('CERT_')) {
			return {
				code: 'tls_failed',
				message: `no secure connection could be made (${each.code})`,
				permanent: true,
				cause: error,
			};
		}
		fallback ??= each.message;
	}
	return { code: 'network', message: fallback ?? String(error), permanent: false, cause: error };
}
