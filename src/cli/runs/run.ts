/** Starts a run: bulk does the work, a screen shows its events. */

import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { createRunId } from '../../bulk/journal/folder.js';
import { AdaptivePace } from '../../bulk/pace.js';
import { withIds } from '../../bulk/run/names.js';
import { run } from '../../bulk/run/run.js';
import type { Extent, RunSetup } from '../../bulk/run/setup.js';
import type { ExitCode } from '../../errors.js';
import { openPalette } from '../../output/colour.js';
import { createOutcomeRedactor, createRedactor } from '../../output/redact.js';
import { version } from '../../version.js';
import { openDirectories } from '../directories.js';
import { listenForStop } from '../interruption.js';
import { guardsOf } from './checks.js';
import type { RunJob } from './plan.js';
import { Screen } from './printers/screen.js';

export async function startRun(given: RunJob): Promise<ExitCode> {
	const { endpoint, plan, tuning, session, context } = given;
	const { clock, random } = context;
	const record = recordOf(given);
	const signInAndConnect = async () => {
		// A dry run fetches no credentials until a name has to be looked up.
		const signedIn = (await session.signIn?.()) ?? session;
		return { session: signedIn, client: await signedIn.openClient(tuning.concurrency, record.id) };
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
	const directories = openDirectories(session, sending, reach);
	const onDraft = (path: string): unknown => drafts.push(path);
	try {
		const job = { ...given, plan: await withIds(plan, endpoint, directories) };
		return await sendRows(job, { record, connect, sending, directories, onDraft }, signals);
	} finally {
		signals.end();
		const opened = await reached?.catch(() => undefined);
		await opened?.client.close();
	}
}

async function sendRows(
	job: RunJob,
	means: Pick<RunSetup, 'record' | 'connect' | 'sending' | 'directories' | 'onDraft'>,
	signals: ReturnType<typeof listenForStop>,
): Promise<ExitCode> {
	const { plan, tuning, secrets, session, resumes, context, options } = job;
	const { dialect, stateDir } = session;
	const { clock, stdin, cwd } = context;
	const extent = extentOf(job);
	const screen = new Screen(job, extent, signals, await openPalette(context, context.stderr));
	try {
		return await run({
			...means,
			plan,
			tuning,
			extent,
			resumes,
			secrets,
			dialect,
			stateDir,
			cwd,
			clock,
			tool: version,
			show: (event) => screen.show(event),
			redact: createRedactor(),
			redactRows: (hasSecrets) => createOutcomeRedactor(session.secrets, hasSecrets),
			saveTo: options.plan === undefined ? undefined : resolve(cwd, options.plan),
			journal: options.journal === undefined ? undefined : resolve(cwd, options.journal),
			reports: options.report,
			stdin: stdin.bytes(),
			...guardsOf(job, means.directories),
		});
	} catch (error) {
		screen.beforeError(error);
		throw error;
	}
}

function extentOf({ options }: RunJob): Extent {
	const { dryRun = false, diff = false, plan } = options;
	if (plan !== undefined || (dryRun && diff)) return 'changes';
	return dryRun ? 'requests' : 'send';
}

/** Who starts which run; a resume continues the record of its run. */
function recordOf({ session, options, context, resumes }: RunJob): RunSetup['record'] {
	if (resumes !== undefined) return resumes.header;
	const { auth } = session.connection;
	const account = auth.scheme === 'basic' ? auth.username : undefined;
	return {
		id: createRunId(context.clock.now(), context.random),
		who: { ...machineUser(), account },
		note: options.note,
		reports: options.report?.map((text) => {
			const [format = '', ...path] = text.split(':');
			return `${format}:${resolve(context.cwd, path.join(':'))}`;
		}),
	};
}

function machineUser(): { user: string; host: string } {
	const os = process.getBuiltinModule('node:os');
	try {
		return { user: os.userInfo().username, host: os.hostname() };
	} catch {
		return { user: String(process.getuid?.() ?? 'unknown'), host: os.hostname() };
	}
}
