/** One call of a command: options → plan, session, run. bulk does the work, a printer shows its events. */

import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Endpoint, EndpointName } from '../../api/endpoints.js';
import { flagName } from '../../api/fields.js';
import { kinds } from '../../api/kinds.js';
import { counted } from '../../api/names.js';
import { createRunId, runIdBefore } from '../../bulk/journal/folder.js';
import type { LeavesRecord } from '../../bulk/journal/records.js';
import { AdaptivePace } from '../../bulk/pace.js';
import { type Checks, type Fields, splitReport } from '../../bulk/plan.js';
import { movedBy, ticketsOf } from '../../bulk/run/left-behind.js';
import { withIds } from '../../bulk/run/names.js';
import { run } from '../../bulk/run/run.js';
import { type Extent, extents, type Means, type Work } from '../../bulk/run/setup.js';
import { onlyId } from '../../bulk/sources.js';
import { ExitCode, NOT_SIGNED_IN, SupportctlError, UsageError } from '../../errors.js';
import { writes } from '../../http/judge.js';
import { usernameOf } from '../../net.js';
import { openPalette } from '../../output/colour.js';
import { createOutcomeRedactor, createRedactor } from '../../output/redact.js';
import { version } from '../../version.js';
import { openDirectories } from '../directories.js';
import { listenForStop } from '../interruption.js';
import { notify, warn } from '../notices.js';
import { camelCase } from '../options/option.js';
import { openSession, type Session } from '../session.js';
import { otherFlags } from '../words.js';
import { jobOf, type RunJob, readGiven } from './job.js';
import { moveJob } from './moved-tickets.js';
import type { RunInvocation } from './options.js';
import { OneScreen } from './printers/one.js';
import { limitsOf } from './questions.js';
import { machineUser } from './who.js';

/** What an edit has read and changes: its object must still have the expected values. */
interface Edited {
	session: Session;
	fields: Fields;
	expected: Checks['expected'];
}

export async function startCommand(name: EndpointName, invocation: RunInvocation, edited?: Edited): Promise<ExitCode> {
	const { dryRun = false, diff = false, ifUnmodified } = invocation.options;
	if (diff && !dryRun) throw new UsageError('--diff requires --dry-run');
	const given = await readGiven(name, invocation, edited?.fields);
	const { endpoint, source } = given;
	noteReplaced(given.endpoint, invocation);
	if (ifUnmodified === true && source.from === 'ids') {
		throw new UsageError('--if-unmodified requires --input with a column modified_gmt', {
			code: 'contradiction',
		});
	}
	// A field's flag hides the connection's flag of the same name.
	const fields = endpoint.updates ? endpoint.fields : [];
	const hidden = Object.fromEntries(fields.map(({ name }) => [camelCase(flagName(name)), undefined]));
	const connecting = { ...invocation, options: { ...invocation.options, ...hidden } };
	const session = edited?.session ?? (await openSession(connecting, !dryRun));
	return await startRun(jobOf(name, given, invocation, session, edited?.expected));
}

/** Elsewhere `--tag` adds one. */
function noteReplaced({ fields, updates }: Endpoint, { context, options }: RunInvocation): void {
	if (!updates || options.quiet === true) return;
	for (const [theirs, ours] of otherFlags) {
		const isTyped = context.argv.some((word) => word.split('=')[0] === theirs);
		const isList = fields.some(({ name, kind }) => `--${flagName(name)}` === ours && kinds[kind].many === 'items');
		if (isTyped && isList)
			notify(context, 'message', `${theirs} replaces all; to keep the others: --add-${theirs.slice(2)}`);
	}
}

export async function startRun(given: RunJob): Promise<ExitCode> {
	const { endpoint, plan, tuning, session, context } = given;
	const { clock, random } = context;
	const record = recordOf(given);
	const signInAndConnect = async () => {
		// A dry run fetches no credentials until a name has to be looked up.
		const signedIn = (await session.signIn?.()) ?? session;
		const facts = { id: record.id, isAlone: isAlone(given) };
		return { session: signedIn, client: await signedIn.openClient(tuning.concurrency, facts) };
	};
	let reached: ReturnType<typeof signInAndConnect> | undefined;
	const reach = () => {
		reached ??= signInAndConnect();
		return reached;
	};
	const connect = async () => (await reach()).client;
	// No copy of the input stays before the first write. Nothing is waited for: stdin may be open for long.
	const drafts: string[] = [];
	const signals = listenForStop(given, () => {
		for (const path of drafts) rmSync(path, { force: true });
	});
	const pace = new AdaptivePace({ clock, random, rate: session.connection.settings.rate });
	const sending = { ...session.sending, pace };
	const directories = openDirectories(session, sending, reach, given);
	const onDraft = (path: string): unknown => drafts.push(path);
	try {
		const extent = await extentOf(given, reach);
		// Its secrets are removed from what is printed.
		const own = extents[extent].showsChanges ? (await reach()).session : session;
		const job = { ...given, session: own, plan: await withIds(plan, endpoint, directories) };
		return await sendRows(job, record, extent, { connect, sending, directories, onDraft }, signals);
	} finally {
		signals.end();
		const opened = await reached?.catch(() => undefined);
		await opened?.client.close();
	}
}

async function sendRows(
	job: RunJob,
	record: Work['record'],
	extent: Extent,
	own: Pick<Means, 'connect' | 'sending' | 'directories' | 'onDraft'>,
	signals: ReturnType<typeof listenForStop>,
): Promise<ExitCode> {
	const { plan, secrets, session, resumes, context, options } = job;
	const { stdin, cwd, clock } = context;
	const screen = await openScreen(job, extent, signals);
	const pathOf = (file: string | undefined) => (file === undefined ? undefined : resolve(cwd, file));
	try {
		return await run({
			work: {
				plan,
				secrets,
				extent,
				resumes,
				record,
				saveTo: pathOf(options.plan),
				journal: pathOf(options.journal),
				reports: options.report,
			},
			means: {
				...own,
				dialect: session.dialect,
				stateDir: session.stateDir,
				clock,
				cwd,
				stdin: stdin.bytes(),
				tool: version,
				redact: createRedactor(),
				redactRows: (hasSecrets) => createOutcomeRedactor(session.secrets, hasSecrets),
				show: (event) => screen.show(event),
				warn: (text) => warn(context, [text]),
			},
			limits: {
				...limitsOf(job),
				moveTickets: (leaves, note) => moveTickets(job, record.id, leaves, note, own, signals),
			},
		});
	} catch (error) {
		screen.beforeError(error);
		throw error;
	}
}

/** One run for each user and field, before the first delete: each can be shown, resumed and undone alone. */
async function moveTickets(
	job: RunJob,
	deletes: string,
	{ ids, label, receiver = '', field }: LeavesRecord,
	noteMoved: (run: string, moved?: number) => Promise<void>,
	own: Parameters<typeof sendRows>[3],
	signals: ReturnType<typeof listenForStop>,
): Promise<void> {
	const { context, session } = job;
	const { id = '' } = ids;
	const tickets = await ticketsOf({ ...own, dialect: session.dialect }, field, id);
	if (tickets.length === 0) return;
	const moving = moveJob(job, { field, tickets, id, label, receiver });
	// `last` is the run that was asked for.
	const run = runIdBefore(deletes, session.stateDir, () => context.random());
	const record = { ...recordOf(moving), id: run, note: job.options.note ?? `before run ${deletes} deletes ${label}` };
	await noteMoved(run);
	const { work } = signals;
	const exitCode = await sendRows(moving, record, 'send', own, signals);
	signals.work = work;
	const { moved, unknown } = await movedBy(run, session.stateDir);
	if (unknown === 0) await noteMoved(run, moved);
	const all = counted(tickets.length, 'ticket');
	const nobody = job.resumes === undefined ? 'no user was' : 'no other user was';
	if (exitCode !== ExitCode.ok) {
		const doubt = unknown === 0 ? '' : ` (${unknown} unknown)`;
		throw new SupportctlError(
			`${moved} of ${all} of ${label} moved to user ${receiver}${doubt}; ${nobody} deleted`,
			exitCode,
			{
				code: 'not_moved',
				hint: `to see why: supportctl run show ${run}; then: supportctl run resume ${deletes}`,
			},
		);
	}
	const what = moved === tickets.length ? all : `${moved} of ${all}`;
	// Skipped, as somebody else has them now.
	const others = moved === tickets.length ? '' : '; the others were reassigned meanwhile';
	notify(context, 'message', `run ${run}: ${what} of ${label} moved to user ${receiver} (${field})${others}`);
}

/** One object, named on the command line: somebody waits for it, and its result says it all. */
function isAlone({ plan, resumes }: RunJob): boolean {
	return onlyId(plan.source) !== undefined && plan.shard === undefined && resumes === undefined;
}

async function openScreen(job: RunJob, extent: Extent, signals: ReturnType<typeof listenForStop>) {
	const palette = await openPalette(job.context, job.context.stderr);
	if (extents[extent].sends && isAlone(job)) return new OneScreen(job, signals, palette);
	const { Screen } = await import('./printers/screen.js');
	return new Screen(job, extent, signals, palette);
}

/** A dry run shows changes where it can read: not without credentials, and not if requests are asked for. */
async function extentOf({ options, endpoint, context }: RunJob, signIn: () => Promise<unknown>): Promise<Extent> {
	const { dryRun = false, plan, verbose } = options;
	if (plan !== undefined) return 'changes';
	if (!dryRun) return 'send';
	if (verbose !== undefined || !writes({ endpoint })) return 'requests';
	try {
		await signIn();
		return 'changes';
	} catch (error) {
		if (!(error instanceof SupportctlError) || error.code !== NOT_SIGNED_IN) throw error;
		warn(context, [`${error.message}, so the dry run shows requests; to see what would change: ${error.hint}`]);
		return 'requests';
	}
}

/** Who starts which run; a resume continues the record of its run. */
function recordOf({ session, options, context, resumes }: RunJob): Work['record'] {
	if (resumes !== undefined) return resumes.header;
	const account = usernameOf(session.connection.auth);
	return {
		id: createRunId(context.clock.now(), context.random),
		who: { ...machineUser(), account },
		note: options.note,
		reports: options.report?.map((text) => {
			const { format, path } = splitReport(text);
			return `${format}:${resolve(context.cwd, path)}`;
		}),
	};
}
