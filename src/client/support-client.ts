/** The service as a library: every row of the endpoint table as a typed call, with the binary's checks, retries and outcomes. */

import { type AppliedDifference, contradictions } from '../api/applied.js';
import { createDialect, type Dialect, type Prefixes } from '../api/dialect.js';
import { type Endpoint, type EndpointName, endpoints } from '../api/endpoints.js';
import { createPlanner, type Planner, type RowValues } from '../api/plan.js';
import { checkTyped, emptyRecord, isProblem, type Parsed, parseId, parseSlug } from '../api/values.js';
import { UsageError } from '../errors.js';
import { createClient } from '../http/client.js';
import type { Result } from '../http/outcome.js';
import { send } from '../http/send.js';
import { type Client, DEFAULT_CONCURRENCY, DEFAULT_RETRIES } from '../http/types.js';
import type { Auth, ProxySettings } from '../net.js';
import { checkSecret, checkUserName } from '../profile/secrets.js';
import { checkSetting, parseBaseUrl, type SettingName, settings } from '../profile/settings.js';
import { version } from '../version.js';
import type { CallInput } from './types.js';

/** What became of a call. The service's "no" is an outcome, not an exception. */
export interface CallResult extends Result {
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

/** A client of one service. Close it when it is no longer needed: it keeps connections open. */
export class SupportClient {
	private readonly planners = new Map<Endpoint, Planner>();

	private constructor(
		private readonly client: Client,
		private readonly options: SupportClientOptions,
		private readonly dialect: Dialect,
	) {}

	/** Makes a client; nothing is sent before the first call. @throws UsageError for an option that can't be used */
	static async open(options: SupportClientOptions): Promise<SupportClient> {
		const { auth, tls, proxy, allowHttp } = options;
		const client = await createClient({
			baseUrl: checkOptions(options),
			auth,
			timeoutMs: (options.timeout ?? settings.timeout.initial) * 1000,
			connections: options.connections ?? DEFAULT_CONCURRENCY,
			userAgent: `supportctl/${version}`,
			...(tls !== undefined && { tls }),
			proxy,
			allowHttp,
		});
		return new SupportClient(client, options, createDialect(options.prefixes));
	}

	/**
	 * Sends one request of an endpoint (interface section 4) and retries it as its replay rule allows.
	 * @throws UsageError for an id or a value that the interface does not allow; nothing was sent then.
	 */
	async call<Name extends EndpointName>(name: Name, input: CallInput<Name>): Promise<CallResult> {
		const { dialect, planners, options } = this;
		if (!Object.hasOwn(endpoints, name))
			throw new UsageError(`there is no endpoint ${JSON.stringify(name)}`, { code: 'unknown_endpoint' });
		const endpoint: Endpoint = endpoints[name];
		const planner = planners.get(endpoint) ?? createPlanner(endpoint, dialect);
		planners.set(endpoint, planner);
		const request = planner(readInput(endpoint, input as Record<string, unknown>, options, dialect));
		const result = await send(this.client, request, {
			retries: options.retries ?? DEFAULT_RETRIES,
			clock: {
				now: () => Date.now(),
				monotonic: () => performance.now(),
				sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
			},
			random: Math.random,
			dialect,
		});
		const differs = result.outcome === 'ok' ? contradictions(request, result.body) : [];
		return { ...result, outcome: differs.length > 0 ? 'differs' : result.outcome, differs };
	}

	/** Ends every connection. */
	async close(): Promise<void> {
		await this.client.close();
	}
}

/** Checks everything that can be checked before a request, as the binary does. Returns the base URL. @throws UsageError */
function checkOptions(options: SupportClientOptions): string {
	const { allowHttp, prefixes = {}, retries = 0, timeout, connections } = options;
	const auth = (options.auth ?? {}) as Record<string, unknown>;
	const isBasic = auth.scheme === 'basic';
	const isHeader = auth.scheme === 'header';
	const given: readonly [from: string, setting: SettingName, value: unknown, isGiven?: boolean][] = [
		['auth.scheme', 'scheme', auth.scheme ?? ''],
		['auth.username', 'username', auth.username, isBasic],
		['auth.name', 'headerName', auth.name, isHeader],
		['timeout', 'timeout', timeout, timeout !== undefined],
		['connections', 'concurrency', connections, connections !== undefined],
		['prefixes.product', 'productPrefix', prefixes.product, prefixes.product !== undefined],
		['prefixes.shop', 'shopPrefix', prefixes.shop, prefixes.shop !== undefined],
		['prefixes.membership', 'membershipPrefix', prefixes.membership, prefixes.membership !== undefined],
	];
	for (const [from, setting, value, isGiven = true] of given) {
		if (isGiven) checkSetting(settings[setting], value, from);
	}
	const text = (value: unknown, from: string): string => {
		if (typeof value === 'string') return value;
		throw new UsageError(`${from} must be a string`, { code: 'invalid_setting' });
	};
	if (isBasic) checkUserName(auth.username as string);
	const { scheme } = options.auth;
	const secret = { basic: 'password', bearer: 'token', header: 'value', none: undefined }[scheme];
	if (secret !== undefined) checkSecret(scheme, text(auth[secret], `auth.${secret}`), `auth.${secret}`);
	if (!Number.isSafeInteger(retries) || retries < 0) {
		throw new UsageError('retries must be a whole number of 0 or more', { code: 'invalid_setting' });
	}
	const rules = { allowHttp, howToAllowHttp: 'set allowHttp', productPrefix: prefixes.product };
	return parseBaseUrl(text(options.baseUrl, 'baseUrl'), rules).url;
}

/** What a call says, as a row of a run says it. @throws UsageError */
function readInput(
	endpoint: Endpoint,
	input: Readonly<Record<string, unknown>>,
	{ undocumented = false }: SupportClientOptions,
	{ statusIn }: Dialect,
): RowValues {
	const refuse = (message: string, code: string): never => {
		throw new UsageError(`${endpoint.name}: ${message}`, { code });
	};
	const checked = <T>(parsed: Parsed<T>, name: string, code: string): T =>
		isProblem(parsed) ? refuse(`${name}${parsed.problem}`, code) : parsed.value;

	const ids: Record<string, string> = {};
	for (const { name, kind } of endpoint.parameters) {
		const parsed = (kind === 'id' ? parseId : parseSlug)(String(input[name] ?? ''));
		ids[name] = checked(parsed, `${name} `, 'invalid_id');
	}
	for (const { name, presence, reason } of endpoint.query) {
		const isMissing = input[name] === undefined || input[name] === false;
		if (presence === 'must' && isMissing) refuse(`${name} is missing: ${reason}`, 'missing_parameter');
	}
	const reassign =
		input.reassign === undefined ? undefined : checked(parseId(String(input.reassign)), 'reassign ', 'invalid_id');
	if (reassign !== undefined && reassign === ids.id) {
		refuse(`what user ${ids.id} leaves can't go to user ${ids.id}`, 'reassign_to_deleted');
	}
	const row: RowValues = { ids, force: input.force === true, reassign };
	if (endpoint.body === 'none') return row;

	const fields = emptyRecord<unknown>();
	for (const [name, value] of Object.entries((input.fields ?? {}) as Record<string, unknown>)) {
		const field = endpoint.fields.find((each) => each.name === name);
		if (value === undefined) continue;
		if (endpoint.body === 'custom_fields') {
			fields[name] =
				typeof value === 'string' ? value : refuse(`custom field ${name} is not a string`, 'invalid_value');
		} else if (field === undefined) {
			fields[name] = undocumented ? value : refuse(`there is no field ${JSON.stringify(name)}`, 'unknown_field');
		} else fields[name] = checked(checkTyped(field, value, { undocumented, statusIn }), '', 'invalid_value');
	}
	const missing = endpoint.required.find((name) => fields[name] === undefined);
	if (missing !== undefined) refuse(`${missing} is missing`, 'missing_field');
	if (Object.keys(fields).length === 0) refuse('there is nothing to send', 'nothing_to_send');
	return { ...row, fields };
}
