/** An earlier run: its journal, its plan, and the service of this call. */

import { isDeepStrictEqual } from 'node:util';
import { createDialect } from '../../api/dialect.js';
import { endpoints } from '../../api/endpoints.js';
import { plural } from '../../api/names.js';
import { findRun, readRunHeader } from '../../bulk/journal/folder.js';
import { checkable, madeBy, type RunHeader, type RunPlan, type RunService } from '../../bulk/plan.js';
import { sourceAgain } from '../../bulk/run/resume.js';
import { type ExitCode, FailedError, UsageError } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import type { Context } from '../../io/context.js';
import { readChoice, readSetup, resolveBaseUrl } from '../../profile/resolve.js';
import { configFolder, shellWord, stateFolder } from '../../profile/settings.js';
import { readStore } from '../../profile/store.js';
import { warn } from '../notices.js';
import { openSession, type Session } from '../session.js';
import { readFields } from './fields.js';
import { defined, inputAt, type RunJob, stopGiven, tuningOf } from './job.js';
import type { RunInvocation } from './options.js';
import { machineUser } from './who.js';

type PastRun = Omit<NonNullable<RunJob['resumes']>, 'again'>;

export function pastRun(idOrPath: string, context: Context): PastRun {
	const path = findRun(stateFolder(context), idOrPath, context.cwd);
	const header = idOrPath === 'last' ? ownHeader(path) : readRunHeader(path);
	return { path, header };
}

/** In a shared folder the newest run may be somebody else's. @throws UsageError, FailedError */
function ownHeader(path: string): RunHeader {
	const hint = `name the run: supportctl run list --user ${shellWord(machineUser().user)}`;
	try {
		const header = readRunHeader(path);
		const { id, who } = header;
		if (who === undefined || who.user === machineUser().user) return header;
		throw new UsageError(`the newest run, ${id}, was started by ${madeBy(who)}`, { code: 'not_your_run', hint });
	} catch (error) {
		if (!(error instanceof FailedError)) throw error;
		const { code, cause } = error;
		throw new FailedError(`the newest run: ${error.message}`, { code, hint, cause });
	}
}

/** No journal keeps them. @throws UsageError that names the missing ones */
async function secretsAgain(
	{ endpoint: name, source, values: { ids, withheld }, undocumented }: RunPlan,
	{ context, options }: RunInvocation,
): Promise<RunJob['secrets']> {
	if (withheld.length === 0) return {};
	const endpoint = endpoints[name];
	const given = await readFields({ endpoint, source, ids, context, options: { ...options, undocumented } });
	const missing = withheld.filter((field) => !Object.hasOwn(given, field));
	if (missing.length === 0) return Object.fromEntries(withheld.map((field) => [field, given[field]]));
	throw new UsageError(`secret values were not saved: ${missing.join(', ')}`, {
		code: 'withheld',
		hint: 'pass them again with --data @file, or a password with --password-stdin or --password-prompt',
	});
}

/** Names the run's profile, if it is stored for the same service and this call names nothing else. */
export function withProfile(given: RunInvocation['options'], context: Context, { baseUrl, profile }: RunService) {
	const { store } = readStore(configFolder(context));
	const own = store.profiles[profile ?? '']?.baseUrl;
	const isStored = typeof own === 'string' && own.replace(/\/+$/, '') === baseUrl;
	const isFree = given.profile === undefined && given.baseUrl === undefined;
	const isChosen = readChoice(store, context, {}).profileName === profile;
	return isStored && isFree && !isChosen ? { ...given, profile } : given;
}

/** A journal never says where or as whom to sign in: it may come from elsewhere. */
async function connect(
	{ id, plan: { service } }: PastRun['header'],
	invocation: RunInvocation,
	isPlan: boolean,
): Promise<{ session: Session; service: RunService }> {
	const { context, options: given } = invocation;
	const { baseUrl, profile } = service;
	const options = withProfile(given, context, service);
	const setup = readSetup(context, options);
	const url = setup.settings.baseUrl === undefined ? undefined : resolveBaseUrl(setup).url;
	const subject = isPlan ? 'the plan' : `run ${id}`;
	if (url !== baseUrl) {
		const here = url === undefined ? 'no base URL is set' : `your base URL is ${url}`;
		throw new UsageError(`${subject} ${isPlan ? 'is for' : 'was on'} ${baseUrl}, but ${here}; nothing was sent`, {
			code: 'another_service',
			hint: "pass the run's --profile or --base-url",
		});
	}
	if (profile !== undefined && profile !== setup.profileName && options.profile === undefined) {
		const { from, name } = setup.sources.baseUrl;
		const now = from === 'profile' ? `profile ${JSON.stringify(name)}` : name;
		const began = `${subject} was ${isPlan ? 'made' : 'started'} with profile ${JSON.stringify(profile)}`;
		warn(context, [`${began}; now using ${now}`]);
	}
	const session = await openSession({ ...invocation, options });
	if (isPlan && !isDeepStrictEqual({ ...session.dialect.prefixes }, { ...service.prefixes })) {
		throw new UsageError('the plan is for a service with different API prefixes; nothing was sent', {
			code: 'another_service',
			hint: 'to see the prefixes of a profile: supportctl profile show',
		});
	}
	const dialect = createDialect(service.prefixes);
	// Under another profile, a run of a protected one stays protected, unless this call names it.
	const isOther = given.profile === undefined && setup.profileName !== profile;
	const isKept = service.protected && isOther && !session.service.protected;
	return {
		session: { ...session, dialect, sending: { ...session.sending, dialect } },
		service: isKept ? service : { ...session.service, prefixes: service.prefixes },
	};
}

/** @param again also sends rows with these outcomes; undefined for a new run */
export async function sendAgain(
	past: PastRun,
	invocation: RunInvocation,
	given: RunPlan,
	again?: readonly OutcomeName[],
): Promise<ExitCode> {
	const { verify, input } = invocation.options;
	const { checks, stop } = given;
	const endpoint = endpoints[given.endpoint];
	if (verify === true && !checkable.verify(endpoint)) {
		throw new UsageError(`--verify: the API has no way to read ${plural(endpoint.noun, 2)}; nothing was sent`);
	}
	const isOwn = again !== undefined;
	const moved = input === undefined ? undefined : inputAt(input, invocation.context.cwd);
	const plan: RunPlan = {
		...given,
		source: isOwn ? await sourceAgain(past.header, moved) : given.source,
		checks: { ...checks, ...defined({ verify }) },
		stop: { ...stop, ...stopGiven(invocation.options) },
	};
	const secrets = await secretsAgain(plan, invocation);
	const { session, service } = await connect(past.header, invocation, plan.source.from === 'plan' && !isOwn);
	const job: RunJob = {
		...invocation,
		endpoint,
		plan: { ...plan, service },
		tuning: tuningOf(invocation, session),
		secrets,
		session,
		resumes: again && { ...past, again },
	};
	const { startRun } = await import('./run.js');
	return await startRun(job);
}
