/** A run's journal as the command over rows uses it: what the header says, and which records a row leaves. */

import { resolve } from 'node:path';
import { flagName } from '../../api/fields.js';
import type { Counts } from '../../bulk/counts.js';
import type { RunRow } from '../../bulk/engine.js';
import { createJournal, type Journal, openJournal } from '../../bulk/journal.js';
import type { HeldBefore } from '../../bulk/perform.js';
import type { RunHeader } from '../../bulk/records.js';
import { writeReport } from '../../bulk/reports.js';
import { createRunId } from '../../bulk/runs.js';
import { formatShard } from '../../bulk/shard.js';
import { FailedError } from '../../errors.js';
import type { Outcome } from '../../http/outcome.js';
import type { FailedAttempt } from '../../http/send.js';
import { createRedactor } from '../../output/redact.js';
import { version } from '../../version.js';
import { camelCase, type OptionValues } from '../options/option.js';
import { givenFields, type RowDefaults } from './definition.js';
import type { Ended } from './ended.js';
import { protectingProfile } from './guard.js';
import type { PreparedRun } from './prepare.js';
import { ownRows, type Survey } from './survey.js';

export interface RunLog {
	readonly id: string;
	readonly path: string;
	/** Resolves when the outcome is in the file. */
	record(outcome: Outcome): Promise<void>;
	attempt(row: RunRow, record: FailedAttempt): void;
	/** Before a delete is sent: whether a 404 tells of it afterwards depends on that. */
	sending(row: RunRow): Promise<void>;
	/** Before custom fields are overwritten. */
	before(row: RunRow, held: HeldBefore): Promise<void>;
	/** The last record. @throws FailedError where the journal failed at any time */
	end(ended: Ended): void;
	/** Writes the reports that were asked for. */
	report(ended: Ended): Promise<void>;
}

/** What a run knows of an earlier part of it. */
export interface ResumedRun {
	log: RunLog;
	counts: Counts;
	isDone(row: number): boolean;
	/** The last row that is done; 0 where none is. */
	readonly lastDone: number;
	/** Whether the row may have been sent already, with no outcome known. */
	maybeSent(row: number): boolean;
	/** Takes a row that changed something for one that has to be sent again; the journal says so when this resolves. */
	reopen(row: RunRow): Promise<void>;
}

/** What the header keeps so that a resume needs no flags. */
export interface RunSettingsRecord {
	args: readonly string[];
	options: OptionValues;
	defaults: RowDefaults;
	/** Fields that flags gave and that are not kept, being secret. */
	withheld: string[];
}

/** Flags that say how results are shown, how a run is guarded, who signs in where, and which files are written: a resume takes its own. */
const NOT_KEPT = new Set([
	'profile',
	'baseUrl',
	'username',
	'scheme',
	'headerName',
	'caFile',
	'cert',
	'key',
	'report',
	'yes',
	'confirm',
	'expect',
	'max',
	'dryRun',
	'journal',
	'quiet',
	'verbose',
	'debug',
	'color',
	'json',
	'format',
	'fields',
	'field',
	'query',
	'passwordStdin',
	'passwordPrompt',
	'data',
	'set',
]);

function settingsRecord(run: PreparedRun): RunSettingsRecord {
	const { invocation, definition, defaults } = run;
	const fieldKeys = new Set(givenFields(definition).map((each) => camelCase(flagName(each.name))));
	const given = Object.entries(invocation.options).filter(([name]) => !NOT_KEPT.has(name) && !fieldKeys.has(name));
	const options = Object.fromEntries(given);
	const redact = createRedactor();
	const withheld = Object.entries(defaults.fields)
		.filter(([name, value]) => {
			const field = { [name]: value };
			return redact(field) !== field;
		})
		.map(([name]) => name);
	const fields = Object.fromEntries(Object.entries(defaults.fields).filter(([name]) => !withheld.includes(name)));
	// Ids are kept with the input; only what all rows share is an argument.
	const shared = definition.positionals.length - 1;
	return { args: invocation.args.slice(0, shared), options, defaults: { ...defaults, fields }, withheld };
}

function headerOf(run: PreparedRun, survey: Survey): RunHeader {
	const { source, session, invocation, targets, shard } = run;
	const { context } = invocation;
	const now = context.clock.now();
	const undoes = run.earlier?.undoes;
	const { profileName, prefixes, baseUrl } = session.connection;
	return {
		id: createRunId(now, () => context.random()),
		command: invocation.words,
		settings: { ...settingsRecord(run) },
		input: {
			name: undoes === undefined ? source.name : `what run ${undoes} overwrote`,
			path: source.path,
			file: source.file,
			format: source.format,
			sha256: source.sha256 ?? '',
			rows: survey.rows,
			spooled: source.spooled || undefined,
			ids: targets.ids,
		},
		shard: shard === undefined ? undefined : { part: formatShard(shard), rows: ownRows(survey, shard) },
		unmarked: run.endpoint.replay === 'set' ? true : undefined,
		undoes,
		profile: profileName,
		protectedBy: protectingProfile(run),
		prefixes,
		baseUrl,
		tool: version,
		started: new Date(now).toISOString(),
	};
}

function severalFailed(errors: readonly unknown[]): FailedError {
	return new FailedError(`can't write ${errors.length} reports`, {
		code: 'report_failed',
		details: errors.map((error) => (error instanceof Error ? error.message : String(error))),
		cause: errors[0],
	});
}

function createRunLog(run: PreparedRun, journal: Journal): RunLog {
	const { context } = run.invocation;
	const quietly = (promise: Promise<void>): void => {
		// A journal that failed says so at the next outcome.
		promise.catch(() => undefined);
	};
	return {
		id: journal.header.id,
		path: journal.path,
		record: (outcome) => journal.outcome(outcome),
		attempt(row, { attempt, status, code, lost }) {
			quietly(journal.attempt({ row: row.row, attempt, status, code, lost: lost ? true : undefined }));
		},
		sending: (row) => journal.sent(row.row),
		before: (row, { values, absent }) => journal.before(row.row, row.request.ids, values, absent),
		end(ended) {
			const interrupted = ended.stopped?.kind === 'signal' ? true : undefined;
			const at = new Date(context.clock.now()).toISOString();
			journal.close({ at, counts: ended.counts, exit: ended.exitCode, interrupted });
		},
		async report(ended) {
			const facts = {
				header: journal.header,
				journalPath: journal.path,
				counts: ended.counts,
				exit: ended.exitCode,
				ended: new Date(context.clock.now()).toISOString(),
				ms: ended.ms,
			};
			const failures: unknown[] = [];
			for (const spec of run.settings.reports) {
				await writeReport(spec, facts, context.cwd).catch((error: unknown) => failures.push(error));
			}
			if (failures.length === 1) throw failures[0];
			if (failures.length > 1) throw severalFailed(failures);
		},
	};
}

/** Starts the journal of a new run; its header is on the disk when this returns. */
export function startRunLog(run: PreparedRun, survey: Survey): RunLog {
	const { context } = run.invocation;
	const journal = createJournal({
		header: headerOf(run, survey),
		stateDir: run.session.stateDir,
		path: run.settings.journal === undefined ? undefined : resolve(context.cwd, run.settings.journal),
		redact: createRedactor(),
	});
	return createRunLog(run, journal);
}

/** Takes up the journal of a run that is to go on. */
export async function resumeRunLog(run: PreparedRun, path: string): Promise<ResumedRun> {
	const { context } = run.invocation;
	const at = new Date(context.clock.now()).toISOString();
	const { journal, scan } = await openJournal(path, { redact: createRedactor(), at, tool: version });
	const counts = { ...scan.counts };
	// Rows that are sent again are counted anew.
	counts.unknown = 0;
	counts['not-sent'] = 0;
	counts.failed -= counts.unauthorized;
	counts.unauthorized = 0;
	const log = createRunLog(run, journal);
	const reopened = new Set<number>();
	return {
		log,
		counts,
		isDone: (row) => scan.states.isDone(row) && !reopened.has(row),
		lastDone: scan.states.lastDone,
		maybeSent: (row) => scan.states.maybeSent(row) || reopened.has(row),
		async reopen({ row, line, request }) {
			const outcome = scan.states.outcomeOf(row);
			if (outcome !== 'ok' && outcome !== 'differs' && outcome !== 'skipped') return;
			reopened.add(row);
			counts[outcome]--;
			await log.record({
				row,
				...(line === undefined ? {} : { line }),
				ids: request.ids,
				outcome: 'not-sent',
				code: 'overtaken',
				message: 'an earlier row of the same id has to be sent again, and this one after it',
				attempts: 0,
				ms: 0,
			});
		},
	};
}
