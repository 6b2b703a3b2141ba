/** Carries one row out: a single delivery with its applied check, or custom fields read, written and read again. */

import { type AppliedDifference, contradictions, customFieldDifferences } from '../api/applied.js';
import {
	type CustomFields,
	customFieldText,
	inexactNumberIn,
	readExactCustomFields,
	underNames,
} from '../api/custom-fields.js';
import { neutralDialect } from '../api/dialect.js';
import { asksNothing, type PlannedRequest, type Planner } from '../api/plan.js';
import { emptyRecord } from '../api/record.js';
import { userIdIn } from '../api/user-id.js';
import type { Client, RawAnswer } from '../http/client.js';
import { decodeBody } from '../http/coding.js';
import { jsonIn } from '../http/content.js';
import type { Delivery, Outcome } from '../http/outcome.js';
import { type DeliverOptions, deliver, type OwnDeliverOptions } from '../http/send.js';
import type { RunRow } from './engine.js';

export interface PerformOptions {
	client: Client;
	/** What every delivery shares; the functions below add what belongs to a row. */
	delivery: DeliverOptions;
	/** What belongs to a row, for the journal. */
	hooks(row: RunRow): OwnDeliverOptions;
	/** Whether a row stays `ok` though the response shows another value of this field. */
	allowsDifference(field: string): boolean;
}

export type Perform = (row: RunRow) => Promise<Outcome>;

/** What a look-up found is one of its row's ids. */
function withFoundId(ids: Outcome['ids'], { outcome, body }: Delivery): Outcome['ids'] {
	const id = outcome === 'ok' ? userIdIn(body) : undefined;
	return id === undefined ? ids : { ...ids, id };
}

/** A delivery is made for its row alone, so it becomes the outcome. */
function outcomeOf(row: RunRow, delivery: Delivery): Outcome {
	const outcome = delivery as Outcome;
	outcome.row = row.row;
	if (row.line !== undefined) outcome.line = row.line;
	const { endpoint, ids } = row.request;
	outcome.ids = endpoint.answer === 'user-id' ? withFoundId(ids, delivery) : ids;
	return outcome;
}

/** Adds what differs. The row is `differs` unless every such field is allowed to. */
function withDifferences(
	outcome: Outcome,
	differs: AppliedDifference[],
	{ allowsDifference }: Pick<PerformOptions, 'allowsDifference'>,
): Outcome {
	if (differs.length === 0) return outcome;
	const result: Outcome = { ...outcome, differs };
	if (differs.every(({ field }) => allowsDifference(field))) return result;
	const fields = differs.map(({ field }) => field).join(', ');
	return { ...result, outcome: 'differs', code: 'differs', message: `the service shows another value: ${fields}` };
}

/** Rows that are one request each. */
export function createPerform(options: PerformOptions): Perform {
	const { client, delivery } = options;
	return async (row) => {
		const { request } = row;
		const delivered = await deliver(client, request, delivery, options.hooks(row));
		const outcome = outcomeOf(row, delivered);
		return delivered.outcome === 'ok'
			? withDifferences(outcome, contradictions(request, delivered.body), options)
			: outcome;
	};
}

/** Skips rows that leave every field alone: nothing is asked of the service for them. */
export function skipEmptyRows(perform: Perform): Perform {
	return async (row) => {
		if (!asksNothing(row.request)) return perform(row);
		return outcomeOf(row, {
			outcome: 'skipped',
			code: 'nothing_to_send',
			message: 'nothing to do: the row leaves every field alone',
			attempts: 0,
			ms: 0,
		});
	};
}

export interface CustomFieldOptions extends PerformOptions {
	/** Plans the reading of a ticket's custom fields. */
	planRead: Planner;
	/** Plans a write of some of a row's fields. */
	planWrite: Planner;
	onlyChanged: boolean;
	verify: boolean;
	/** Keeps the old values before the write; the write waits for it. */
	snapshot?: ((row: RunRow, before: HeldBefore) => Promise<void>) | undefined;
}

/** What a ticket held of the fields that are about to be written. */
export interface HeldBefore {
	values: CustomFields;
	/** Fields that it did not have. */
	absent: string[];
}

/** What reading a ticket's custom fields came to. */
type Reading = { fields: CustomFields } | { delivery: Delivery };

/** Rows of `ticket fields set`: read where old values matter, write what is to be written, read back where asked. */
export function createCustomFieldPerform(options: CustomFieldOptions): Perform {
	const { client, delivery, planRead, planWrite, snapshot } = options;

	// What is written is looked at also when the run was told to stop meanwhile: that row is in flight.
	const { stop: _stop, pace: _pace, ...rest } = delivery;
	const onceMore: DeliverOptions = { ...rest, retries: 0 };

	async function read(row: RunRow, how = delivery): Promise<Reading> {
		const ticket = row.request.ids.ticket_id as string;
		const { clean } = options.hooks(row);
		let response: RawAnswer | undefined;
		const onAnswer = (answer: RawAnswer): void => {
			response = answer;
		};
		const delivered = await deliver(client, planRead({ ids: { id: ticket } }), { ...how, onAnswer }, { ...how, clean });
		if (delivered.outcome !== 'ok') return { delivery: delivered };
		const decoded = response === undefined ? undefined : await decodeBody(response);
		const text = Buffer.isBuffer(decoded) ? jsonIn(decoded) : undefined;
		const fields = text === undefined ? undefined : readExactCustomFields(text);
		const { product } = (delivery.dialect ?? neutralDialect).prefixes;
		if (fields !== undefined) return { fields: underNames(fields, Object.keys(row.request.sent ?? {}), product) };
		const message = 'the custom fields are in a shape that is not known';
		return { delivery: { ...delivered, outcome: 'failed', code: 'unexpected_shape', message } };
	}

	/** Nothing was written: a lost reading leaves nothing unknown about the write. */
	function notRead(row: RunRow, reading: Delivery): Outcome {
		const outcome = reading.outcome === 'failed' ? 'failed' : 'not-sent';
		const { body: _, ...rest } = reading;
		const why = reading.message ?? reading.code ?? reading.outcome;
		return outcomeOf(row, {
			...rest,
			outcome,
			message: `the old values could not be read, nothing was written: ${why}`,
		});
	}

	async function verified(row: RunRow, request: PlannedRequest, outcome: Outcome): Promise<Outcome> {
		let reading = await read(row);
		if ('delivery' in reading && delivery.stop?.aborted === true) reading = await read(row, onceMore);
		if ('fields' in reading)
			return withDifferences(outcome, customFieldDifferences(request.sent ?? {}, reading.fields, 'differs'), options);
		const why = reading.delivery.message ?? reading.delivery.outcome;
		const message = `written, but it could not be read back: ${why}`;
		return { ...outcome, outcome: 'unknown', code: 'not_verified', message };
	}

	return async (row) => {
		let { request } = row;
		const inexact = Object.entries(request.sent ?? {}).find(([, value]) => inexactNumberIn(value) !== undefined);
		if (inexact !== undefined) {
			const [name, value] = inexact;
			return outcomeOf(row, {
				outcome: 'failed',
				code: 'inexact_number',
				message: `${name} was ${inexactNumberIn(value)}, which can't be written exactly; nothing of this ticket was written`,
				attempts: 0,
				ms: 0,
			});
		}
		if (options.onlyChanged || snapshot !== undefined) {
			const reading = await read(row);
			if ('delivery' in reading) return notRead(row, reading.delivery);
			const { fields } = reading;
			if (options.onlyChanged) {
				const changed = changedFields(request.sent ?? {}, fields);
				if (Object.keys(changed).length === 0) {
					return outcomeOf(row, {
						outcome: 'skipped',
						code: 'unchanged',
						message: 'every field has its value already',
						attempts: 0,
						ms: 0,
					});
				}
				request = planWrite({ ids: request.ids, fields: changed });
			}
			if (snapshot !== undefined) await snapshot(row, heldBefore(fields, Object.keys(request.sent ?? {})));
		}
		const delivered = await deliver(client, request, delivery, options.hooks(row));
		const outcome = outcomeOf(row, delivered);
		if (delivered.outcome !== 'ok') return outcome;
		if (options.verify) return verified(row, request, outcome);
		return withDifferences(outcome, contradictions(request, delivered.body), options);
	};
}

/** The sent fields that the service does not hold with exactly the sent value; blanks count, since they may be what is mended. */
export function changedFields(sent: Readonly<Record<string, unknown>>, held: CustomFields): Record<string, unknown> {
	const changed = emptyRecord<unknown>();
	for (const [name, value] of Object.entries(sent)) {
		const old = name in held ? customFieldText(held[name]) : undefined;
		// Where another type than text is put back, the type counts.
		const isSame = typeof value === 'string' ? old === value : name in held && held[name] === value;
		if (old === undefined || !isSame) changed[name] = value;
	}
	return changed;
}

function heldBefore(fields: CustomFields, names: readonly string[]): HeldBefore {
	const values = emptyRecord<unknown>();
	const absent: string[] = [];
	for (const name of names) {
		if (name in fields) values[name] = fields[name];
		else absent.push(name);
	}
	return { values, absent };
}
