/** Questions before the first write. */

import { endpoints } from '../../api/endpoints.js';
import { counted } from '../../api/names.js';
import { changeText } from '../../bulk/change.js';
import { readRunHeader } from '../../bulk/journal/folder.js';
import { commandOf, type RunPlan, type RunService, readsBefore } from '../../bulk/plan.js';
import type { Described, Limits } from '../../bulk/run/setup.js';
import type { Survey } from '../../bulk/run/survey.js';
import { fileOf, isInput, sources } from '../../bulk/sources.js';
import { UsageError } from '../../errors.js';
import { sanitise } from '../../output/sanitise.js';
import { capitalized, formatCount, relativeTime } from '../../text.js';
import { askToConfirm } from '../notices.js';
import type { RunJob } from './job.js';
import type { RunInvocation } from './options.js';

/** An update of fewer rows asks nothing. */
const UNASKED_ROWS = 50;

export function limitsOf(job: RunJob): Omit<Limits, 'moveTickets'> {
	const { tuning, options, session, context, snapshotByDefault = false } = job;
	const { expect, snapshot, yes } = options;
	const isAsked = context.prompts.available && yes !== true;
	return {
		tuning,
		demands: { expect, max: options.max, snapshot },
		// With --max, its number stands in place of the profile's: a flag takes precedence.
		rules: session.connection.settings,
		snapshotByDefault,
		isAsked,
		async ask(survey, plan, doubts, describe) {
			const rows = Math.min(survey.selected, tuning.first ?? survey.selected);
			const { endpoint } = job;
			const asked = sources[plan.source.from].asks;
			const isAgain = asked === 'always' || (asked === 'at first' && job.resumes === undefined);
			const isMany = endpoint.updates && isInput(plan.source) && rows > UNASKED_ROWS;
			const asks = endpoint.deletes || isAgain || (isMany && context.prompts.available);
			const lines = async (): Promise<string[]> => {
				const notes = isMany ? [...doubts, ...manyNotes(plan)] : doubts;
				const described = await describe();
				return [
					...changeLines(described, isMany),
					...described.left.texts().map((text) => `Not sent: ${text}`),
					...notes.map((note) => `Note: ${note}.`),
				];
			};
			await confirmWrite(job, plan.service, actionOf(plan, survey, rows, context.clock.now()), asks, lines);
		},
	};
}

function manyNotes(plan: RunPlan): string[] {
	return [
		...(readsBefore(plan) && plan.checks.sendUnchanged !== true
			? ['fields that already have the new value are not sent']
			: []),
		plan.checks.snapshot ? 'run undo can restore the old values' : "this can't be undone: old values are not saved",
	];
}

/** What all changes come to, unless each is listed. */
function changeLines({ changes, totals }: Described, isMany: boolean): string[] {
	if (isMany) return [`  ${totals.long()}`];
	const more = totals.rows - changes.length;
	return [
		...(more > 0 || totals.parts().length > 1 || totals.actions.size > 1 ? [`  ${totals.long()}`] : []),
		...changes.map((change) => `  ${changeText(change)}`),
		...(more > 0 ? [`  … and ${formatCount(more)} more`] : []),
	];
}

/** `permanently delete 2 users` */
function actionOf(
	{ endpoint: of, source }: RunPlan,
	{ permanent, selected }: Survey,
	rows: number,
	now: number,
): string {
	const endpoint = endpoints[of];
	const what = counted(rows, endpoint.noun);
	if (source.from === 'snapshots') return `undo run ${source.run} (${runText(source.journal, now)}, ${what})`;
	const start = source.from === 'plan' ? 'apply the plan: ' : '';
	if (!endpoint.deletes) return `${start}${endpoint.verb} ${what}`;
	if (!endpoint.trash || permanent === selected) return `${start}permanently delete ${what}`;
	if (permanent === 0) return `${start}move ${what} to the trash`;
	return `${start}delete ${what}, some of them permanently`;
}

/** `ticket update of night.csv, 18 min ago` */
function runText(journal: string, now: number): string {
	const { plan, started } = readRunHeader(journal);
	const file = fileOf(plan);
	const of = file === undefined ? '' : ` of ${file}`;
	return `${commandOf(plan)}${of}, ${relativeTime(Date.parse(started), now)}`;
}

export function placeOf({ baseUrl, profile }: RunService): string {
	return `on ${new URL(baseUrl).host}${profile === undefined ? '' : ` (profile ${profile})`}`;
}

/**
 * A protected profile needs its name, and a permanent write a yes.
 * @param action `update ticket 14`
 * @param describe what it does, in lines
 */
export async function confirmWrite(
	{ context, options }: Pick<RunInvocation, 'context' | 'options'>,
	service: RunService,
	action: string,
	asks: boolean,
	describe?: () => Promise<readonly string[]>,
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
	const heading = capitalized(where);
	if (describe === undefined || !context.prompts.available) {
		await askToConfirm(context, where, 'nothing was sent', `${sanitise(heading)}?`);
		return;
	}
	// Names from an input may control a terminal.
	for (const line of [heading, ...(await describe())]) context.stderr.write(`${sanitise(line)}\n`);
	await askToConfirm(context, where, 'nothing was sent', 'Continue?');
}
