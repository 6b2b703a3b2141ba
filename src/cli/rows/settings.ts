/** How a run goes about its rows: flags first, then the profile's defaults, then ours. */

import { parseReport, type ReportSpec } from '../../bulk/report-spec.js';
import { DEFAULT_CONCURRENCY, DEFAULT_RETRIES } from '../../http/options.js';
import type { ResolvedConnection } from '../../profile/resolve.js';
import type { OptionValues } from '../options/option.js';

export interface RunSettings {
	concurrency: number;
	rate: number | undefined;
	retries: number;
	stopOnError: boolean;
	maxFailures: number | undefined;
	shard: string | undefined;
	journal: string | undefined;
	reports: ReportSpec[];
	/** Fields that the response may show with another value; `*` stands for all. */
	allowDiffers: ReadonlySet<string>;
	ignoreMissing: boolean;
	skipInvalid: boolean;
	undocumented: boolean;
	dryRun: boolean;
	yes: boolean;
	confirm: string | undefined;
	expect: number | undefined;
	max: number | undefined;
	quiet: boolean;
}

/** Puts the settings together. @throws UsageError */
export function runSettings(options: OptionValues, defaults: ResolvedConnection['defaults']): RunSettings {
	return {
		concurrency: (options.concurrency as number | undefined) ?? defaults.concurrency ?? DEFAULT_CONCURRENCY,
		rate: (options.rate as number | undefined) ?? defaults.rate,
		retries: (options.retries as number | undefined) ?? DEFAULT_RETRIES,
		stopOnError: options.stopOnError === true,
		maxFailures: options.maxFailures as number | undefined,
		shard: options.shard as string | undefined,
		journal: options.journal as string | undefined,
		reports: ((options.report as string[] | undefined) ?? []).map(parseReport),
		allowDiffers: new Set((options.allowDiffers as string[][] | undefined)?.flat()),
		ignoreMissing: options.ignoreMissing === true,
		skipInvalid: options.skipInvalid === true,
		undocumented: options.undocumented === true,
		dryRun: options.dryRun === true,
		yes: options.yes === true,
		confirm: options.confirm as string | undefined,
		expect: options.expect as number | undefined,
		max: options.max as number | undefined,
		quiet: options.quiet === true,
	};
}
