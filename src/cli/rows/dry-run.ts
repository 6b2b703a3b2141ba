/** `--dry-run`: each request as it would be sent, and with `--diff` what it would change. */

import { customFieldText, readCustomFields } from '../../api/custom-fields.js';
import { endpoints } from '../../api/endpoints.js';
import { createPlanner } from '../../api/plan.js';
import { inShard } from '../../bulk/shard.js';
import { ExitCode } from '../../errors.js';
import type { Client } from '../../http/client.js';
import { deliver } from '../../http/deliver.js';
import { openResults, type ResultShape, stdoutPalette } from '../results.js';
import type { PreparedRun } from './prepare.js';
import type { PlannedRow, Survey } from './survey.js';

/** The rows of this shard that are valid. */
async function* validRows(run: PreparedRun): AsyncGenerator<PlannedRow> {
	for await (const batch of run.source.read()) {
		for (const raw of batch) {
			const planned = run.planRow(raw);
			if (Array.isArray(planned)) continue;
			if (run.shard === undefined || inShard(planned.request.key, run.shard)) yield planned;
		}
	}
}

/** Prints method, path and body of every request and sends none of them. */
export async function showPlan(run: PreparedRun, survey: Survey): Promise<ExitCode> {
	const palette = await stdoutPalette(run.invocation);
	const { context } = run.invocation;
	const diff = run.customFields?.diff === true;
	const shape: ResultShape = {
		palette,
		profileFormat: run.session.connection.defaults.format,
		columns: diff
			? [
					{ path: 'ticket_id' },
					{ path: 'field' },
					{ path: 'old' },
					{ path: 'new' },
					{ path: 'message', optional: true },
				]
			: [{ path: 'method' }, { path: 'path' }, { path: 'body' }],
	};
	const results = await openResults(run.invocation, shape);
	if (diff) await showDiff(run, (row) => results.row(row));
	else {
		for await (const { row, line, request } of validRows(run)) {
			const { method, path, body } = request;
			await results.row({
				row,
				...(line === undefined ? {} : { line }),
				...request.ids,
				method,
				path,
				body: body === undefined ? null : (JSON.parse(body) as unknown),
			});
		}
	}
	await results.end();
	if (!run.settings.quiet) {
		const { selected } = survey;
		context.stderr.write(`dry run: ${selected} ${selected === 1 ? 'request' : 'requests'}, none sent\n`);
	}
	return ExitCode.ok;
}

/** Reads each ticket's custom fields and prints the ones that would change. */
async function showDiff(run: PreparedRun, print: (row: unknown) => void | Promise<void>): Promise<void> {
	const client: Client = await run.session.openClient(1);
	const { context } = run.invocation;
	const planRead = createPlanner(endpoints['ticket.fields.get'], run.session.dialect);
	try {
		for await (const { row, request } of validRows(run)) {
			const ticket = request.ids.ticket_id as string;
			const read = await deliver(client, planRead({ ids: { id: ticket } }), {
				retries: run.settings.retries,
				clock: context.clock,
				random: context.random,
			});
			const held = read.outcome === 'ok' ? readCustomFields(read.body) : undefined;
			if (held === undefined) {
				await print({
					row,
					ticket_id: ticket,
					field: null,
					old: null,
					new: null,
					message: read.message ?? 'not readable',
				});
				continue;
			}
			for (const [field, value] of Object.entries(request.sent ?? {})) {
				const known = field in held;
				const old = known ? (customFieldText(held[field]) ?? held[field]) : null;
				if (known && old === customFieldText(value)) continue;
				await print({
					row,
					ticket_id: ticket,
					field,
					old,
					new: value,
					message: known ? null : 'the service does not show this field',
				});
			}
		}
	} finally {
		await client.close();
	}
}
