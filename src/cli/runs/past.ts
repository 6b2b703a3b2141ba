/** An earlier run as the run commands take it up: its journal, its plan, and the service that this call is set up for. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { chooseEndpoint } from '../../api/choose.js';
import { createDialect } from '../../api/dialect.js';
import { findRun, readRunHeader } from '../../bulk/journal/folder.js';
import {
	inputFileOf,
	movedTo,
	type RunHeader,
	type RunPlan,
	type RunService,
	STDIN_NAME,
} from '../../bulk/run/plan.js';
import { type ExitCode, FailedError, UsageError } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import { lockHolder } from '../../lock.js';
import { sanitise } from '../../output/sanitise.js';
import { configFolder, stateFolder } from '../../profile/environment.js';
import { profileNamed, readChoice, readSituation, resolveBaseUrl } from '../../profile/resolve.js';
import { readStore } from '../../profile/store.js';
import type { Invocation } from '../command.js';
import { openSession, type Session } from '../session.js';
import { readFields } from './fields.js';
import type { RunInvocation, Secrets } from './job.js';

export interface PastRun {
	/** Of the journal. */
	path: string;
	header: RunHeader;
}

/** Finds the run that the first argument names. @throws UsageError, FailedError */
export function pastRun({ args, context }: Pick<Invocation, 'args' | 'context'>, at = 0): PastRun {
	const name = args[at];
	if (name === undefined) {
		throw new UsageError('missing <run>: an id, the start of one, last, or the path of a journal', {
			code: 'missing_argument',
			hint: 'supportctl run list shows the runs',
		});
	}
	const path = findRun(stateFolder({ env: context.env, cwd: context.cwd }), name, context.cwd);
	return { path, header: readRunHeader(path) };
}

/** The plan with its input where this call says it is. @throws UsageError where the input is gone */
export function withInput(
	{
		header: {
			id,
			plan,
			input: { copied },
		},
	}: PastRun,
	{ options, context }: Pick<RunInvocation, 'options' | 'context'>,
): RunPlan {
	const { source } = plan;
	const file = inputFileOf(source);
	if (options.input !== undefined) {
		if (file === undefined) throw new UsageError(`run ${id} read no file: --input can't replace its rows`);
		const isStdin = options.input === '-';
		const path = isStdin ? '-' : resolve(context.cwd, options.input);
		return { ...plan, source: movedTo(source, { path, name: isStdin ? STDIN_NAME : options.input }) };
	}
	if (file === undefined || existsSync(file.path)) return plan;
	const what = copied ? 'standard input, and there is no copy of it' : `${file.path}, and there is no such file`;
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
export async function sessionFor({ header }: PastRun, invocation: RunInvocation): Promise<Session> {
	const { context } = invocation;
	const { baseUrl, prefixes, profile } = header.plan.service;
	const call = { ...invocation, options: { ...invocation.options, ...profileOf(header, invocation) } };
	const { env, cwd, stderr } = context;
	const situation = readSituation({ env, flags: call.options, cwd });
	const hint = 'choose the profile of the run with --profile, or its base URL with --base-url';
	if (situation.settings.baseUrl === undefined) {
		const message = `run ${header.id} was on ${baseUrl}, and no base URL is set here; nothing was sent`;
		throw new UsageError(message, { code: 'another_service', hint });
	}
	const { url } = resolveBaseUrl(situation);
	if (url !== baseUrl) {
		const message = `run ${header.id} was on ${baseUrl}, and this call is set up for ${url}; nothing was sent`;
		throw new UsageError(message, { code: 'another_service', hint });
	}
	if (profile !== undefined && profile !== situation.profileName && call.options.profile === undefined) {
		const { from, name } = situation.sources.baseUrl;
		const instead = from === 'profile' ? `the profile ${JSON.stringify(name)}` : name;
		const note = `note: run ${header.id} was started with the profile ${JSON.stringify(profile)}; now ${instead} is used`;
		stderr.write(`${sanitise(note)}\n`);
	}
	const session = await openSession(call);
	return { ...session, dialect: createDialect(prefixes) };
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
export function serviceHere(
	{ header }: PastRun,
	{ connection }: Session,
	{ options, context }: Invocation,
): RunService {
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

const RETRYABLE: readonly OutcomeName[] = ['failed', 'differs', 'invalid', 'unknown'];

/** `--outcome failed,differs`. @throws UsageError */
export function outcomesOf(texts: readonly string[] | undefined): readonly OutcomeName[] {
	return (texts ?? ['failed'])
		.flatMap((text) => text.split(','))
		.map((text) => {
			const known = RETRYABLE.find((each) => each === text.trim());
			if (known !== undefined) return known;
			throw new UsageError(`--outcome ${JSON.stringify(text)} is not one of ${RETRYABLE.join(', ')}`, {
				code: 'invalid_value',
			});
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
	call: RunInvocation,
	{ plan, secrets = {}, resumes }: { plan: RunPlan; secrets?: Secrets; resumes?: PastRun },
): Promise<ExitCode> {
	const session = await sessionFor(past, call);
	const [{ startRun }, { tuningOf }] = await Promise.all([import('./run.js'), import('./flags.js')]);
	return await startRun({
		plan: { ...plan, service: serviceHere(past, session, call) },
		tuning: tuningOf(call, session),
		secrets,
		session,
		invocation: call,
		...(resumes === undefined ? {} : { resumes }),
	});
}
