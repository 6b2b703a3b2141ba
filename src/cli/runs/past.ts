/** An earlier run as the run commands take it up: its journal, its plan, and the service that this call is set up for. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { chooseEndpoint } from '../../api/choose.js';
import { createDialect } from '../../api/dialect.js';
import { totalOf } from '../../bulk/journal/counts.js';
import { findRun, type RunSummary, readRunHeader } from '../../bulk/journal/folder.js';
import type { JournalScan } from '../../bulk/journal/read.js';
import {
	inputFileOf,
	movedTo,
	type RunHeader,
	type RunPlan,
	type RunService,
	STDIN_NAME,
} from '../../bulk/run/plan.js';
import { type ExitCode, FailedError, UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { lockHolder } from '../../lock.js';
import { sanitise } from '../../output/sanitise.js';
import { profileNamed, readChoice, readSituation, resolveBaseUrl } from '../../profile/resolve.js';
import { configFolder, stateFolder } from '../../profile/settings.js';
import { readStore } from '../../profile/store.js';
import type { Invocation } from '../command.js';
import { openSession, type Session } from '../session.js';
import { readFields } from './fields.js';
import type { RunInvocation } from './options.js';
import { type RunJob, type Secrets, tuningOf } from './plan.js';

export type PastRun = NonNullable<RunJob['resumes']>;

/** Finds a run by its id, the start of one, `last`, or the path of its journal. @throws UsageError, FailedError */
export function pastRun(name: string, { env, cwd }: Pick<Context, 'env' | 'cwd'>): PastRun {
	const path = findRun(stateFolder({ env, cwd }), name, cwd);
	return { path, header: readRunHeader(path) };
}

/** A line about rows without a record; undefined where there are none. */
export function unreachedNote({ state }: RunSummary, { header, counts, end, states }: JournalScan): string | undefined {
	const isOver = state !== 'running' && end !== undefined;
	const count = (isOver ? totalOf(end.counts) : header.input.own) - totalOf(counts);
	if (count <= 0) return undefined;
	const rows = count === 1 ? '1 row has' : `${count} rows have`;
	const isKnown = isOver && !states.doubtful && !states.silent;
	const why = isKnown ? ', because the run ended before' : ' and may have been sent';
	return `note: ${rows} no record${why}; supportctl run resume ${header.id} sends what is not done\n`;
}

/** The plan with its input where this call says it is. @throws UsageError where the input is gone */
export function withInput(
	{ header: { id, plan, input } }: PastRun,
	{ options, context }: Pick<RunInvocation, 'options' | 'context'>,
): RunPlan {
	const file = inputFileOf(plan.source);
	if (options.input !== undefined) {
		if (file === undefined) throw new UsageError(`run ${id} read no file: --input can't replace its rows`);
		const isStdin = options.input === '-';
		const path = isStdin ? '-' : resolve(context.cwd, options.input);
		return { ...plan, source: movedTo(plan.source, { path, name: isStdin ? STDIN_NAME : options.input }) };
	}
	if (file === undefined || existsSync(file.path)) return plan;
	const what = input.copied ? 'standard input, and there is no copy of it' : `${file.path}, and there is no such file`;
	throw new UsageError(`run ${id} read ${what} here`, {
		code: 'unreadable_input',
		hint: 'say where it is now with --input FILE',
	});
}

/**
 * The session that this call is set up for, which must be for the service of the run. Nothing in a journal says where or
 * as whom to sign in.
 * @throws UsageError that names both services
 */
async function sessionFor({ header }: PastRun, invocation: RunInvocation): Promise<Session> {
	const { env, cwd, stderr } = invocation.context;
	const { baseUrl, prefixes, profile } = header.plan.service;
	const options = { ...invocation.options, ...profileOf(header, invocation) };
	const situation = readSituation({ env, flags: options, cwd });
	const { url } = situation.settings.baseUrl === undefined ? {} : resolveBaseUrl(situation);
	if (url !== baseUrl) {
		const here = url === undefined ? 'no base URL is set here' : `this call is set up for ${url}`;
		throw new UsageError(`run ${header.id} was on ${baseUrl}, and ${here}; nothing was sent`, {
			code: 'another_service',
			hint: 'choose the profile of the run with --profile, or its base URL with --base-url',
		});
	}
	if (profile !== undefined && profile !== situation.profileName && options.profile === undefined) {
		const { from, name } = situation.sources.baseUrl;
		const instead = from === 'profile' ? `the profile ${JSON.stringify(name)}` : name;
		const note = `note: run ${header.id} was started with the profile ${JSON.stringify(profile)}; now ${instead} is used`;
		stderr.write(`${sanitise(note)}\n`);
	}
	const session = await openSession({ ...invocation, options } as Invocation);
	const dialect = createDialect(prefixes);
	return { ...session, dialect, sending: { ...session.sending, dialect } };
}

/**
 * The profile that the journal names, where this call names neither profile nor base URL, the settings choose another
 * profile, and this machine has one of that name for the run's own base URL.
 */
function profileOf({ plan }: RunHeader, { options, context: { env, cwd } }: RunInvocation): { profile?: string } {
	const { profile, baseUrl } = plan.service;
	if (profile === undefined || options.profile !== undefined || options.baseUrl !== undefined) return {};
	const reading = readStore(configFolder({ env, cwd }));
	const stored = profileNamed(reading.store, profile)?.baseUrl;
	const isSame = typeof stored === 'string' && stored.replace(/\/+$/, '') === baseUrl;
	return isSame && readChoice(reading, { env, flags: {}, cwd }).profileName !== profile ? { profile } : {};
}

const UNPROTECTED: ReadonlySet<unknown> = new Set([undefined, false, 'false']);

/**
 * The service of the run's plan as this call uses it. A protected profile of the run still has to be confirmed, unless
 * this call names a profile itself, or this machine has that one and it is no longer protected.
 */
function serviceHere({ header }: PastRun, { connection }: Session, { options, context }: RunInvocation): RunService {
	const { service } = header.plan;
	const here = { ...service, profile: connection.profileName, protected: connection.protected };
	if (here.protected || !service.protected || options.profile !== undefined) return here;
	const { store } = readStore(configFolder({ env: context.env, cwd: context.cwd }));
	const stored = profileNamed(store, service.profile);
	return stored !== undefined && UNPROTECTED.has(stored.protected) ? here : service;
}

/** Secret values that the run's plan does not hold, given again. @throws UsageError that names those that are missing */
export async function secretsAgain({ header }: PastRun, invocation: RunInvocation): Promise<Secrets> {
	const { withheld } = header.plan.values;
	if (withheld.length === 0) return {};
	const { plan } = header;
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true);
	const given = await readFields(endpoint, plan.source, plan.values.ids, {
		...invocation,
		options: { ...invocation.options, undocumented: plan.undocumented },
	});
	const missing = withheld.filter((name) => !Object.hasOwn(given, name));
	if (missing.length === 0) return Object.fromEntries(withheld.map((name) => [name, given[name]]));
	throw new UsageError(`the values of ${missing.join(', ')} were not kept, because they are secret`, {
		code: 'withheld',
		hint: missing.includes('password')
			? 'give it again with --password-stdin or --password-prompt'
			: 'give them again with --data @file',
	});
}

/** @throws FailedError while another process works on the run */
export function checkEnded({ path, header }: PastRun): void {
	const pid = lockHolder(`${path}.lock`);
	if (pid === undefined) return;
	throw new FailedError(`run ${header.id} is still going on in process ${pid}`, {
		code: 'locked',
		hint: 'stop it with Ctrl-C, or wait for its end',
	});
}

/** Sends the rows of a plan that was made from an earlier run, to the service that this call is set up for. */
export async function sendAgain(
	past: PastRun,
	invocation: RunInvocation,
	plan: RunPlan,
	{ secrets = {}, resumes }: { secrets?: Secrets; resumes?: PastRun } = {},
): Promise<ExitCode> {
	const session = await sessionFor(past, invocation);
	const { startRun } = await import('./run.js');
	return await startRun({
		endpoint: chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true).endpoint,
		plan: { ...plan, service: serviceHere(past, session, invocation) },
		tuning: tuningOf(invocation, session),
		...{ secrets, session, invocation },
		...(resumes === undefined ? {} : { resumes }),
	});
}
