/** One call of a command over rows: a single id takes the short path, everything else is a run. */

import { flagName } from '../../api/fields.js';
import { OWN_ID } from '../../api/values.js';
import type { RunPlan } from '../../bulk/run/plan.js';
import { checkReadable } from '../../bulk/run/read-back.js';
import { type ExitCode, UsageError } from '../../errors.js';
import { DEFAULT_RETRIES } from '../../http/types.js';
import type { Invocation } from '../command.js';
import { camelCase } from '../options/option.js';
import { openSession, type Session } from '../session.js';
import { planOf, readGiven, tuningOf } from './flags.js';
import type { RunInvocation } from './job.js';

/** @param name A row of the endpoint table, or `term.update` and `term.delete`. @throws UsageError, RefusedError */
export async function startCommand(name: string, given: Invocation): Promise<ExitCode> {
	const invocation = given as RunInvocation;
	const { options } = invocation;
	if (options.diff === true && options.dryRun !== true) throw new UsageError('--diff goes with --dry-run');
	const { endpoint, ...asked } = await readGiven(name, invocation);
	if (options.ifUnmodified === true && asked.source.from === 'ids') {
		throw new UsageError('--if-unmodified goes with --input: its rows say in modified_gmt when an object was changed', {
			code: 'contradiction',
		});
	}
	const session = await openSession(given, {
		credentials: options.dryRun !== true || options.diff === true || mayNameUsers(endpoint.name, options),
		// A field's flag hides the connection's flag of the same name.
		without: endpoint.replay === 'set' ? endpoint.fields.map((field) => camelCase(flagName(field.name))) : [],
	});
	if (asked.values.reassign === OWN_ID && options.dryRun !== true) {
		asked.values = { ...asked.values, reassign: String(await ownId('--reassign @me', session, invocation)) };
	}
	const plan = await withOwnConditions(planOf(name, { endpoint, ...asked }, invocation, session), session, invocation);
	checkReadable(endpoint, plan);
	const job = { plan, tuning: tuningOf(invocation, session), secrets: asked.secrets, session, invocation };
	const isOne = plan.source.from === 'ids' && plan.source.ids.length === 1;
	const namesUsers = plan.values.byUsername === true || plan.values.reassignUsername !== undefined;
	const needsRun = plan.checks.snapshot || plan.shard !== undefined || options.journal !== undefined || namesUsers;
	if (isOne && !needsRun && options.report === undefined && options.dryRun !== true) {
		return await (await import('./one.js')).sendOne(job);
	}
	return await (await import('./run.js')).startRun(job);
}

/** The plan with the caller's own id for @me in --if. */
async function withOwnConditions(plan: RunPlan, session: Session, invocation: RunInvocation): Promise<RunPlan> {
	const { conditions } = plan.checks;
	const { dryRun, diff } = invocation.options;
	if (!conditions.some(({ value }) => value === OWN_ID) || (dryRun === true && diff !== true)) return plan;
	const own = String(await ownId('--if', session, invocation));
	const resolved = conditions.map((each) => (each.value === OWN_ID ? { ...each, value: own } : each));
	return { ...plan, checks: { ...plan.checks, conditions: resolved } };
}

/** The caller's own id, for a flag with @me. @throws UsageError */
async function ownId(
	flag: string,
	session: Session,
	{ options, context: { clock, random } }: RunInvocation,
): Promise<number> {
	const client = await session.openClient(1, 'few requests');
	try {
		const { ownIdFor } = await import('../own-account.js');
		return await ownIdFor(flag, session, client, {
			retries: options.retries ?? DEFAULT_RETRIES,
			clock,
			random,
		});
	} finally {
		await client.close();
	}
}

/** Whether rows may name users, whose ids are looked up for a dry run too. */
function mayNameUsers(name: string, { input, byUsername, reassignUsername }: RunInvocation['options']): boolean {
	return name === 'user.delete' && (input !== undefined || byUsername === true || reassignUsername !== undefined);
}
