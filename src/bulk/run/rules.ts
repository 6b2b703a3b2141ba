/** Rules of a profile: limits that are on for people, cron and agents alike. A belt, not a lock: whoever may change the profile may change them. */

import { endpoints } from '../../api/endpoints.js';
import { counted } from '../../api/names.js';
import { UsageError } from '../../errors.js';
import { writes } from '../../http/judge.js';
import { formatCount } from '../../text.js';
import type { RunPlan } from '../plan.js';
import { sources } from '../sources.js';

/** As the settings of a profile are called; a rule that isn't set is undefined or false. */
export interface ProfileRules {
	readonly max?: number | undefined;
	readonly maxDeletes?: number | undefined;
	readonly requireNote: boolean;
	readonly requirePlan?: number | undefined;
}

/** A run, as rules see it. */
export interface Regulated {
	readonly plan: Pick<RunPlan, 'endpoint' | 'source' | 'service'>;
	/** Of the whole input, before sharding. */
	readonly rows: number;
	/** Now, not as a dry run or a plan. */
	readonly sends: boolean;
	/** As a plan. */
	readonly saves: boolean;
	readonly note?: string | undefined;
}

interface Refusal {
	readonly code: string;
	readonly why: string;
	/** What satisfies the rule. */
	readonly hint: string;
}

interface Rule {
	/** Of `profile set`. */
	readonly flag: string;
	/** @returns undefined if the run keeps the rule, or none is set */
	refuse(rules: ProfileRules, run: Regulated, profile: string): Refusal | undefined;
}

const limits = {
	max: {
		flag: '--max',
		refuse({ max }, { rows }) {
			if (max === undefined || rows <= max) return undefined;
			const hint = `to allow it once: --max ${rows}`;
			return { code: 'max', why: `at most ${counted(max, 'row')}, but there are ${formatCount(rows)}`, hint };
		},
	},
	maxDeletes: {
		flag: '--max-deletes',
		refuse({ maxDeletes }, { rows, plan }, profile) {
			const isDelete = endpoints[plan.endpoint].deletes;
			if (maxDeletes === undefined || !isDelete || rows <= maxDeletes) return undefined;
			const hint = `delete fewer at a time, or: supportctl profile set ${profile} --max-deletes ${rows}`;
			return {
				code: 'max_deletes',
				why: `at most ${counted(maxDeletes, 'delete')}, but there are ${formatCount(rows)}`,
				hint,
			};
		},
	},
	requireNote: {
		flag: '--require-note',
		refuse({ requireNote }, { note, sends, saves, plan }) {
			// A plan was made with a note, and its run keeps it.
			const isNeeded = (sends || saves) && !sources[plan.source.from].isPlanned;
			if (!requireNote || !isNeeded || note !== undefined) return undefined;
			return { code: 'note_required', why: 'every change needs a note', hint: 'say why: --note TEXT' };
		},
	},
	requirePlan: {
		flag: '--require-plan',
		refuse({ requirePlan }, { rows, sends, plan }) {
			const isPlanned = sources[plan.source.from].isPlanned || !sends;
			if (requirePlan === undefined || isPlanned || rows <= requirePlan) return undefined;
			const hint = 'save a plan with --plan FILE, then: supportctl run apply FILE';
			return {
				code: 'plan_required',
				why: `more than ${counted(requirePlan, 'row')} need a plan; there are ${formatCount(rows)}`,
				hint,
			};
		},
	},
} as const satisfies Record<keyof ProfileRules, Rule>;

/** @throws UsageError that names the rule, and what satisfies it */
export function checkRules(rules: ProfileRules, run: Regulated): void {
	if (!writes({ endpoint: endpoints[run.plan.endpoint] })) return;
	const { profile = 'default' } = run.plan.service;
	for (const rule of Object.values<Rule>(limits)) {
		const refusal = rule.refuse(rules, run, profile);
		if (refusal === undefined) continue;
		const { code, why, hint } = refusal;
		throw new UsageError(`profile ${profile} (${rule.flag}): ${why}; nothing was sent`, { code, hint });
	}
}
