/** The service as a library: every row of the endpoint table as a typed call, with the binary's checks, retries and outcomes. */

import { type AppliedDifference, contradictions } from '../api/applied.js';
import { createDialect, type Dialect } from '../api/dialect.js';
import { type Endpoint, type EndpointName, endpoints } from '../api/endpoints.js';
import { createPlanner, type Planner, type RowValues } from '../api/plan.js';
import { checkTyped, emptyRecord, isProblem, parseId, parseSlug } from '../api/values.js';
import { UsageError } from '../errors.js';
import { createClient } from '../http/client.js';
import type { Result } from '../http/outcome.js';
import { type SendClock, send } from '../http/send.js';
import type { Client } from '../http/types.js';
import { DEFAULT_CONCURRENCY, DEFAULT_RETRIES } from '../http/types.js';
import { settings } from '../profile/settings.js';
import { version } from '../version.js';
import { checkOptions, type SupportClientOptions } from './options.js';
import type { CallInput } from './types.js';

/** What became of a call. The service's "no" is an outcome, not an exception. */
export interface CallResult extends Result {
	/** What the answer shows otherwise than it was asked for. */
	differs: AppliedDifference[];
}

const clock: SendClock = {
	now: () => Date.now(),
	monotonic: () => performance.now(),
	sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** A client of one service. Close it when it is no longer needed: it keeps connections open. */
export class SupportClient {
	private readonly planners = new Map<string, Planner>();

	private constructor(
		private readonly client: Client,
		private readonly options: SupportClientOptions,
		private readonly dialect: Dialect,
	) {}

	/** Makes a client; nothing is sent before the first call. @throws UsageError for an option that can't be used */
	static async open(options: SupportClientOptions): Promise<SupportClient> {
		const baseUrl = checkOptions(options);
		const dialect = createDialect(options.prefixes);
		const client = await createClient({
			baseUrl,
			auth: options.auth,
			timeoutMs: (options.timeout ?? settings.timeout.initial) * 1000,
			connections: options.connections ?? DEFAULT_CONCURRENCY,
			userAgent: `supportctl/${version}`,
			...(options.tls === undefined ? {} : { tls: options.tls }),
			proxy: options.proxy,
			allowHttp: options.allowHttp,
		});
		return new SupportClient(client, options, dialect);
	}

	/**
	 * Sends one request of an endpoint (interface section 4) and retries it as its replay rule allows.
	 * @throws UsageError for an id or a value that the interface does not allow; nothing was sent then.
	 */
	async call<Name extends EndpointName>(name: Name, input: CallInput<Name>): Promise<CallResult> {
		if (!Object.hasOwn(endpoints, name))
			throw new UsageError(`there is no endpoint ${JSON.stringify(name)}`, { code: 'unknown_endpoint' });
		const endpoint: Endpoint = endpoints[name];
		const request = this.planner(endpoint)(this.readInput(endpoint, input as Record<string, unknown>));
		const delivery = await send(this.client, request, {
			retries: this.options.retries ?? DEFAULT_RETRIES,
			clock,
			random: Math.random,
			dialect: this.dialect,
		});
		const differs = delivery.outcome === 'ok' ? contradictions(request, delivery.body) : [];
		return { ...delivery, outcome: differs.length > 0 ? 'differs' : delivery.outcome, differs };
	}

	/** Ends every connection. */
	async close(): Promise<void> {
		await this.client.close();
	}

	private planner(endpoint: Endpoint): Planner {
		let planner = this.planners.get(endpoint.name);
		if (planner === undefined) {
			planner = createPlanner(endpoint, this.dialect);
			this.planners.set(endpoint.name, planner);
		}
		return planner;
	}

	private readInput(endpoint: Endpoint, input: Record<string, unknown>): RowValues {
		const ids: Record<string, string> = {};
		for (const { name, kind } of endpoint.parameters) {
			const parsed = (kind === 'id' ? parseId : parseSlug)(String(input[name] ?? ''));
			if (isProblem(parsed))
				throw new UsageError(`${endpoint.name}: ${name} ${parsed.problem}`, { code: 'invalid_id' });
			ids[name] = parsed.value;
		}
		for (const { name, presence, reason } of endpoint.query) {
			if (presence === 'must' && (input[name] === undefined || input[name] === false)) {
				throw new UsageError(`${endpoint.name}: ${name} is missing: ${reason}`, { code: 'missing_parameter' });
			}
		}
		const reassign = input.reassign === undefined ? undefined : parseId(String(input.reassign));
		if (reassign !== undefined && isProblem(reassign)) {
			throw new UsageError(`${endpoint.name}: reassign ${reassign.problem}`, { code: 'invalid_id' });
		}
		if (reassign !== undefined && reassign.value === ids.id) {
			throw new UsageError(`${endpoint.name}: what user ${ids.id} leaves can't go to user ${ids.id}`, {
				code: 'reassign_to_deleted',
			});
		}
		return {
			ids,
			force: input.force === true,
			reassign: reassign?.value,
			fields: endpoint.body === 'none' ? undefined : this.readFields(endpoint, input.fields),
		};
	}

	private readFields(endpoint: Endpoint, given: unknown): Record<string, unknown> {
		const fields = emptyRecord<unknown>();
		const rules = { undocumented: this.options.undocumented === true, statusIn: this.dialect.statusIn };
		for (const [name, value] of Object.entries((given ?? {}) as Record<string, unknown>)) {
			if (value === undefined) continue;
			if (endpoint.body === 'custom_fields') {
				if (typeof value !== 'string') throw new UsageError(`${endpoint.name}: custom field ${name} is not a string`);
				fields[name] = value;
				continue;
			}
			const field = endpoint.fields.find((each) => each.name === name);
			if (field === undefined && !rules.undocumented) {
				throw new UsageError(`${endpoint.name} has no field ${JSON.stringify(name)}`, { code: 'unknown_field' });
			}
			const checked = field === undefined ? { value } : checkTyped(field, value, rules);
			if (isProblem(checked)) throw new UsageError(`${endpoint.name}: ${checked.problem}`, { code: 'invalid_value' });
			fields[name] = checked.value;
		}
		for (const name of endpoint.required) {
			if (fields[name] === undefined) {
				throw new UsageError(`${endpoint.name}: ${name} is missing`, { code: 'missing_field' });
			}
		}
		if (Object.keys(fields).length === 0) throw new UsageError(`${endpoint.name}: there is nothing to send`);
		return fields;
	}
}
