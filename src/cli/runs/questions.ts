/** Questions before the first write. */

import { endpoints } from '../../api/endpoints.js';
import { counted } from '../../api/names.js';
import { changeText } from '../../bulk/change.js';
import type { Directories } from '../../bulk/lists/directory.js';
import type { Ids, RunPlan, RunService } from '../../bulk/plan.js';
import type { Limits } from '../../bulk/run/setup.js';
import type { Survey } from '../../bulk/run/survey.js';
import { isInput, sources } from '../../bulk/sources.js';
import { UsageError } from '../../errors.js';
import { sanitise } from '../../output/sanitise.js';
import { askToConfirm } from '../notices.js';
import type { RunJob } from './job.js';
import type { RunInvocation } from './options.js';

/** An update of fewer rows asks nothing. */
const UNASKED_ROWS = 50;

export function limitsOf(job: RunJob, directories: Directories): Omit<Limits, 'moveTickets'> {
	const { tuning, options, session, context, snapshotByDefault = false } = job;
	const { expect, snapshot, yes } = options;
	const isAsked = context.prompts.available && yes !== true;
	return {
		tuning,
		demands: { expect, max: options.max, snapshot },
		// What a flag demands takes precedence over the profile.
		rules: {
			...session.connection.settings,
			max: options.max === undefined ? session.connection.settings.max : undefined,
		},
		snapshotByDefault,
		isAsked,
		async ask(survey, plan, doubts) {
			const action = await actionOf(plan, survey, isAsked ? directories : undefined);
			if (isAsked && job.resumes === undefined) await describePlan(job, plan, survey);
			await askToWrite(job, survey, plan, action, doubts);
		},
	};
}

/** Before it is applied: what it comes to, and its first changes. */
async function describePlan({ context, endpoint }: RunJob, plan: RunPlan, { first }: Survey): Promise<void> {
	const { source } = plan;
	if (source.from !== 'plan') return;
	const { chosenChanges } = await import('../../bulk/run/plan-file.js');
	const { totals, changes } = chosenChanges(plan, source, first.length);
	const lines = [totals.would(endpoint.noun), ...changes.map((change) => `  ${changeText(change)}`)];
	if (totals.rows > changes.length) lines.push(`  … and ${totals.rows - changes.length} more`);
	for (const line of lines) context.stderr.write(`${sanitise(line)}\n`);
}

async function askToWrite(
	job: RunJob,
	{ selected }: Survey,
	{ source, checks, service }: RunPlan,
	action: string,
	doubts: readonly string[],
): Promise<void> {
	const { endpoint, resumes, context } = job;
	const { asks: when } = sources[source.from];
	const isAgain = when === 'always' || (when === 'at first' && resumes === undefined);
	const isMany = endpoint.updates && isInput(source) && selected > UNASKED_ROWS;
	const undo = checks.snapshot
		? 'run undo can restore the old values'
		: "this can't be undone: old values are not saved";
	const asks = endpoint.deletes || isAgain || (isMany && context.prompts.available);
	await confirmWrite(job, service, action, asks, isMany ? [...doubts, undo] : doubts);
}

/** `permanently delete 2 users: jdoe (7), 8, whose posts go to user 2,` */
async function actionOf(
	{ endpoint: of, source }: RunPlan,
	survey: Survey,
	directories: Directories | undefined,
): Promise<string> {
	const { selected, permanent, first, fields } = survey;
	const endpoint = endpoints[of];
	const what = counted(selected, endpoint.noun);
	if (source.from === 'snapshots') return `undo run ${source.run} (${what})`;
	const start = source.from === 'plan' ? 'apply the plan: ' : '';
	if (endpoint.updates && selected > UNASKED_ROWS) {
		return `${start}${endpoint.verb} ${what} (${[...fields].join(', ')})`;
	}
	const kind = endpoint.parameters.at(-1)?.names;
	const called = async (ids: Ids): Promise<string> => {
		const id = ids.id ?? ids.slug ?? Object.values(ids).join('/');
		const own = ids.taxonomy === undefined ? id : `${ids.taxonomy} ${id}`;
		let name = ids.username;
		if (kind === 'users') name ??= directories?.users.name(id);
		if (kind === 'passwords') name ??= await directories?.passwords(ids.user_id ?? '').name(id);
		return name === undefined ? own : `${name} (${own})`;
	};
	const names = await Promise.all(first.map(({ request }) => called(request.ids)));
	const named = `: ${names.join(', ')}${selected > first.length ? ', …' : ''}`;
	if (!endpoint.deletes) return `${start}${endpoint.verb} ${what}${named}`;
	const receivers = await Promise.all(survey.receiverIds.map((id) => called({ id })));
	const posts = receivers.length === 0 ? '' : `, whose posts go to user ${receivers.join(', ')},`;
	if (!endpoint.trash || permanent === selected) return `${start}permanently delete ${what}${named}${posts}`;
	if (permanent === 0) return `${start}move ${what} to the trash${named}`;
	return `${start}delete ${what} (${permanent} of them permanently)${named}`;
}

export function placeOf({ baseUrl, profile }: RunService): string {
	return `on ${new URL(baseUrl).host}${profile === undefined ? '' : ` (profile ${profile})`}`;
}

/** A protected profile needs its name, and a permanent write a yes. @param action `update ticket 14` */
export async function confirmWrite(
	{ context, options }: Pick<RunInvocation, 'context' | 'options'>,
	service: RunService,
	action: string,
	asks: boolean,
	notes: readonly string[] = [],
): Promise<void> {
	const { profile, protected: isProtected } = service;
	const { confirm = isProtected ? undefined : profile, yes } = options;
	const where = `${action} ${placeOf(service)}`;
	if (confirm !== profile) {
		const needed = `profile ${profile} is protected: pass --confirm=${profile} to ${where}`;
		const message = isProtected ? needed : `--confirm=${confirm}, but the profile is ${profile ?? 'none'}`;
		throw new UsageError(message, { code: 'protected_profile' });
	}
	if (!asks || yes === true) return;
	// Names from an input may control a terminal.
	const question = sanitise(`${where.charAt(0).toUpperCase()}${where.slice(1)}?`);
	const said = notes.map((note) => `Note: ${sanitise(note)}. `).join('');
	await askToConfirm(context, where, 'nothing was sent', said + question);
}
