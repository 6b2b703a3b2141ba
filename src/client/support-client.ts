/** The service as a library: every row of the endpoint table as a typed call, with the binary's checks, retries and outcomes. */

import { type AppliedDifference, contradictions } from '../api/applied.js';
import { createDialect, type Dialect, type Prefixes } from '../api/dialect.js';
import { type Endpoint, type EndpointName, endpoints } from '../api/endpoints.js';
import { createPlanner, type RowValues } from '../api/plan.js';
import { checkTyped, emptyRecord, isProblem, type Parsed, parseId, parseSlug } from '../api/values.js';
import { UsageError } from '../errors.js';
import { createClient } from '../http/client.js';
import type { Outcome } from '../http/outcome.js';
import { send } from '../http/send.js';
import { type Client, DEFAULT_CONCURRENCY, DEFAULT_RETRIES } from '../http/types.js';
import type { Auth, ProxySettings } from '../net.js';
import { checkSecret, checkUserName } from '../profile/secrets.js';
import { checkSetting, parseBaseUrl, type SettingName, settings } from '../profile/settings.js';
import { version } from '../version.js';
import type { CallInput } from './types.js';

/** What became of a call. The service's "no" is an outcome, not an exception. */
export interface CallResult extends Outcome {
	/** What the response shows otherwise than it was asked for. */
	differs: AppliedDifference[];
}

export interface SupportClientOptions {
	/** What comes before `/support-api/v1`, for instance `https://desk.example/wp-json`. */
	baseUrl: string;
	/** Allows credentials to go unencrypted to another machine. */
	allowHttp?: boolean;
	auth: Auth;
	/** Attempts after the first; 4 by default. A credential check is never repeated. */
	retries?: number;
	/** Seconds that one attempt may take; 30 by default. */
	timeout?: number;
	/** The most connections at a time; 4 by default. */
	connections?: number;
	/** A deployment's own words for support, shop and shopm. */
	prefixes?: Partial<Prefixes>;
	/** PEM text. */
	tls?: { ca?: string; cert?: string; key?: string };
	proxy?: ProxySettings;
	/** Allows values that the API does not document. */
	undocumented?: boolean;
}

const clock = {
	now: () => Date.now(),
	monotonic: () => performance.now(),
	sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};

/** A client of one service. Close it when it is no longer needed: it keeps connections open. */
export class SupportClient {
	private constructor(
		private readonly client: Client,
		private readonly options: SupportClientOptions,
		private readonly dialect: Dialect,
	) {}

	/** Makes a client; nothing is sent before the first call. @throws UsageError for an option that can't be used */
	static async open(options: SupportClientOptions): Promise<SupportClient> {
		const { auth, tls, proxy, allowHttp, timeout = settings.timeout.initial } = options;
		const client = await createClient({
			...{ baseUrl: checkOptions(options), auth, proxy, allowHttp, timeoutMs: timeout * 1000 },
			connections: options.connections ?? DEFAULT_CONCURRENCY,
			userAgent: `supportctl/${version}`,
			monotonic: clock.monotonic,
			...(tls !== undefined && { tls }),
		});
		return new SupportClient(client, options, createDialect(options.prefixes));
	}

	/**
	 * Sends one request of an endpoint (interface section 4) and retries it as its replay rule allows.
	 * @throws UsageError for an id or a value that the interface does not allow; nothing was sent then.
	 */
	async call<Name extends EndpointName>(name: Name, input: CallInput<Name>): Promise<CallResult> {
		const { client, dialect, options } = this;
		if (!Object.hasOwn(endpoints, name))
			throw new UsageError(`there is no endpoint ${JSON.stringify(name)}`, { code: 'unknown_endpoint' });
		const endpoint: Endpoint = endpoints[name];
		const row = readInput(endpoint, input as Record<string, unknown>, options.undocumented === true, dialect);
		const request = createPlanner(endpoint, dialect)(row);
		const retries = options.retries ?? DEFAULT_RETRIES;
		const result = await send(client, request, { retries, clock, random: Math.random, dialect });
		const differs = result.outcome === 'ok' ? contradictions(request, result.body) : [];
		return { ...result, outcome: differs.length > 0 ? 'differs' : result.outcome, differs };
	}

	/** Ends every connection. */
	async close(): Promise<void> {
		await this.client.close();
	}
}

/** Checks everything that can be checked before a request, as the binary does. @returns the base URL @throws UsageError */
function checkOptions({ baseUrl, allowHttp, auth, prefixes = {}, ...numbers }: SupportClientOptions): string {
	const { scheme = '', ...given } = (auth ?? {}) as unknown as Record<string, unknown>;
	const check = (setting: SettingName, value: unknown, from: string, isGiven = value !== undefined): void => {
		if (isGiven) checkSetting<unknown>(settings[setting], value, from);
	};
	const text = (value: unknown, from: string): string => {
		if (typeof value === 'string') return value;
		throw new UsageError(`${from} must be a string`, { code: 'invalid_setting' });
	};
	check('scheme', scheme, 'auth.scheme');
	check('username', given.username, 'auth.username', scheme === 'basic');
	check('headerName', given.name, 'auth.name', scheme === 'header');
	check('timeout', numbers.timeout, 'timeout');
	check('concurrency', numbers.connections, 'connections');
	check('productPrefix', prefixes.product, 'prefixes.product');
	check('shopPrefix', prefixes.shop, 'prefixes.shop');
	check('membershipPrefix', prefixes.membership, 'prefixes.membership');
	if (auth.scheme === 'basic') checkUserName(auth.username);
	const secret = { basic: 'password', bearer: 'token', header: 'value', none: undefined }[auth.scheme];
	if (secret !== undefined) checkSecret(auth.scheme, text(given[secret], `auth.${secret}`), `auth.${secret}`);
	const { retries = 0 } = numbers;
	if (!Number.isSafeInteger(retries) || retries < 0) {
		throw new UsageError('retries must be a whole number of 0 or more', { code: 'invalid_setting' });
	}
	const rules = { allowHttp, howToAllowHttp: 'set allowHttp', productPrefix: prefixes.product };
	return parseBaseUrl(text(baseUrl, 'baseUrl'), rules).url;
}

/** What a call says, as a row of a run says it. @throws UsageError */
function readInput(
	endpoint: Endpoint,
	input: Readonly<Record<string, unknown>>,
	undocumented: boolean,
	{ statusIn }: Dialect,
): RowValues {
	const refuse = (message: string, code: string): never => {
		throw new UsageError(`${endpoint.name}: ${message}`, { code });
	};
	const checked = <T>(parsed: Parsed<T>, code: string, name = ''): T =>
		isProblem(parsed) ? refuse(name + parsed.problem, code) : parsed.value;

	const ids: Record<string, string> = {};
	for (const { name, kind } of endpoint.parameters) {
		ids[name] = checked((kind === 'id' ? parseId : parseSlug)(String(input[name] ?? '')), 'invalid_id', `${name} `);
	}
	for (const { name, presence, reason } of endpoint.query) {
		const isMissing = input[name] === undefined || input[name] === false;
		if (presence === 'must' && isMissing) refuse(`${name} is missing: ${reason}`, 'missing_parameter');
	}
	const receiver = input.reassign === undefined ? undefined : parseId(String(input.reassign));
	const reassign = receiver && checked(receiver, 'invalid_id', 'reassign ');
	if (reassign !== undefined && reassign === ids.id) {
		refuse(`what user ${ids.id} leaves can't go to user ${ids.id}`, 'reassign_to_deleted');
	}
	const row: RowValues = { ids, force: input.force === true, reassign };
	if (endpoint.body === 'none') return row;

	const fields = emptyRecord<unknown>();
	for (const [name, value] of Object.entries((input.fields ?? {}) as Record<string, unknown>)) {
		if (value === undefined) continue;
		const field = endpoint.fields.find((each) => each.name === name);
		if (endpoint.body === 'custom_fields') {
			if (typeof value !== 'string') refuse(`custom field ${name} is not a string`, 'invalid_value');
		} else if (field === undefined && !undocumented) {
			refuse(`there is no field ${JSON.stringify(name)}`, 'unknown_field');
		}
		const parsed = field === undefined ? { value } : checkTyped(field, value, { undocumented, statusIn });
		fields[name] = checked(parsed, 'invalid_value');
	}
	const missing = endpoint.required.find((name) => fields[name] === undefined);
	if (missing !== undefined) refuse(`${missing} is missing`, 'missing_field');
	if (Object.keys(fields).length === 0) refuse('there is nothing to send', 'nothing_to_send');
	return { ...row, fields };
}
