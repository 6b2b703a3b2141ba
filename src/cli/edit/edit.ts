/** One object in an editor: read it, show its fields as YAML, send those that changed. */

import { chooseEndpoint } from '../../api/choose.js';
import type { Endpoint } from '../../api/endpoints.js';
import { createPlanner } from '../../api/plan.js';
import type { Read } from '../../api/reads.js';
import { isObject } from '../../api/values.js';
import type { ListedObject } from '../../bulk/lists/pages.js';
import { createSheet, type Sheet } from '../../bulk/lists/sheet.js';
import { ExitCode, FailedError, InterruptedError, SupportctlError, UsageError } from '../../errors.js';
import { type SendOptions, send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import { DEFAULT_RETRIES } from '../../http/types.js';
import { createRedactor } from '../../output/redact.js';
import type { Invocation } from '../command.js';
import { leaveOnSignal } from '../interruption.js';
import { readOf } from '../lists/call.js';
import { failureOfRead, readId, readUserId } from '../lists/reading.js';
import { retryNotice, say, warn } from '../notices.js';
import { wantsJson } from '../results.js';
import { checkConfirmed } from '../runs/checks.js';
import { nameRow } from '../runs/failures.js';
import type { RunInvocation } from '../runs/options.js';
import { jobOf, type RunJob, withoutSecrets } from '../runs/plan.js';
import { openSession, type Session } from '../session.js';
import { EditFile, editorOf, runEditor } from './editor.js';
import { changesIn, type EditableObject, type EditNoun, fieldsAsYaml, withoutProblem, withProblem } from './fields.js';

type Ids = Readonly<Record<string, string>>;

/** One call of a command that edits. */
interface Editing {
	noun: EditNoun;
	endpoint: Endpoint;
	read: Read;
	ids: Ids;
	/** `ticket 14`, for messages. */
	what: string;
	session: Session;
	invocation: RunInvocation;
}

/** @throws UsageError, RefusedError, SupportctlError */
export async function editObject(noun: EditNoun, given: Invocation): Promise<ExitCode> {
	const invocation = given as RunInvocation;
	const { context, options } = invocation;
	const editor = editorOf(context);
	const editing = await openEditing(noun, invocation);
	const { session, ids, what } = editing;
	const { profileName: profile, protected: isProtected } = session.connection;
	checkConfirmed({ profile, protected: isProtected }, session.host, options.confirm, `edit ${what}`);
	const before = await readObject(editing);
	const sheet = sheetOf(editing, before);
	const state = stateOf(sheet, before);
	const object: EditableObject = {
		endpoint: editing.endpoint,
		exported: sheet.exported(before),
		whole: before,
		columns: sheet.columns,
		rules: { undocumented: options.undocumented === true, statusIn: session.dialect.statusIn },
	};
	warn(context, sheet.warnings());
	const file = new EditFile(`${Object.values(ids).join('-')}.yaml`, context.env);
	const kept = { isWorth: false };
	try {
		const fields = await edited(editing, editor, file, object, kept);
		if (fields === undefined) {
			kept.isWorth = false;
			say(invocation, 'no changes; nothing was sent');
			return ExitCode.ok;
		}
		const now = stateOf(sheet, await readObject(editing));
		const changed = Object.keys({ ...state, ...now }).filter((name) => state[name] !== now[name]);
		if (changed.length > 0) {
			throw new FailedError(`${what} was changed meanwhile (${changed.join(', ')}); nothing was sent`, {
				code: 'conflict',
				hint: 'edit it again to see its fields as they are now',
			});
		}
		const exitCode = await (await import('../runs/one.js')).sendOne(editJob(editing, fields));
		kept.isWorth = exitCode !== ExitCode.ok && exitCode !== ExitCode.differs;
		if (kept.isWorth) sayKept(invocation, file);
		return exitCode;
	} catch (error) {
		throw kept.isWorth ? withFile(error, file) : error;
	} finally {
		if (!kept.isWorth) file.remove();
	}
}

/** Reads the arguments and opens the session. @throws UsageError, RefusedError */
async function openEditing(noun: EditNoun, invocation: RunInvocation): Promise<Editing> {
	const { args, options } = invocation;
	const [first = '', second = ''] = args;
	const taxonomy = noun === 'term' ? first : undefined;
	const { endpoint } = chooseEndpoint(`${noun}.update`, taxonomy, options.undocumented === true);
	const text = noun === 'term' || noun === 'reply' ? second : first;
	const owners: Ids =
		noun === 'term' ? { taxonomy: first } : noun === 'reply' ? { ticket_id: readId('ticket id', first) } : {};
	if (noun !== 'user') readId('id', text);
	const session = await openSession(invocation as Invocation);
	const id =
		noun === 'user'
			? await withClient(invocation, session, (client, sending) =>
					readUserId('id', text, { session, client, send: sending }),
				)
			: text;
	const ids = { ...owners, id };
	return {
		noun,
		endpoint,
		read: readOf(noun, first),
		ids,
		what: nameRow(ids, noun),
		session,
		invocation,
	};
}

/** A connection is not kept open while somebody edits. */
async function withClient<T>(
	invocation: RunInvocation,
	session: Session,
	work: (client: Client, options: SendOptions) => Promise<T>,
): Promise<T> {
	const { context, options } = invocation;
	const { clock, random } = context;
	const client = await session.openClient(1, 'few requests');
	const unlisten = leaveOnSignal(invocation as Invocation, 'nothing was changed');
	try {
		return await work(client, {
			retries: options.retries ?? DEFAULT_RETRIES,
			clock,
			random,
			dialect: session.dialect,
			exactNumbers: true,
			onRetry: retryNotice(context, options),
		});
	} finally {
		unlisten();
		await client.close();
	}
}

/** @throws SupportctlError where the object can't be read */
async function readObject({ read, ids, session, invocation }: Editing): Promise<ListedObject> {
	const endpoint = read.get ?? read.list;
	const request = createPlanner(endpoint, session.dialect)({ ids });
	const result = await withClient(invocation, session, (client, options) => send(client, request, options));
	if (result.outcome === 'ok' && isObject(result.body)) return result.body as ListedObject;
	throw failureOfRead({ read, session }, endpoint, ids, result);
}

function sheetOf({ read, session }: Editing, object: ListedObject): Sheet {
	const { dialect } = session;
	return createSheet({ read, owners: {}, asCells: false, sample: [object], dialect, redact: createRedactor() });
}

/** What is compared to find out whether somebody else changed the object. */
function stateOf(sheet: Sheet, object: ListedObject): Record<string, string> {
	const entries = Object.entries(sheet.exported(object));
	return Object.fromEntries(entries.map(([name, value]) => [name, JSON.stringify(value)]));
}

/**
 * Opens the editor until the file can be used.
 * @param kept Whether the file is worth keeping: somebody has changed it
 * @returns the fields that changed; undefined where none did
 * @throws UsageError where the file still has the problem that was shown, or nothing in it
 */
async function edited(
	{ what, session, invocation }: Editing,
	editor: string,
	file: EditFile,
	object: EditableObject,
	kept: { isWorth: boolean },
): Promise<Readonly<Record<string, unknown>> | undefined> {
	const original = await fieldsAsYaml(object, `${what} on ${session.host}`);
	let text = original;
	let problem: string | undefined;
	for (;;) {
		file.write(withProblem(text, problem));
		let failure: unknown;
		await runEditor(editor, file.path, invocation.context).catch((error: unknown) => {
			failure = error;
		});
		const now = withoutProblem(file.read());
		kept.isWorth = now !== original && now.trim() !== '';
		if (failure !== undefined) throw failure;
		if (problem !== undefined && now === text) {
			throw new UsageError(`the edit was not changed and has the same problem: ${problem}; nothing was sent`, {
				code: 'invalid_edit',
			});
		}
		const changes = await changesIn(object, original, now);
		if (changes === undefined) {
			kept.isWorth = false;
			throw new UsageError('cancelled: the file is empty; nothing was sent', { code: 'cancelled' });
		}
		if (!('problem' in changes)) return Object.keys(changes.fields).length === 0 ? undefined : changes.fields;
		text = now;
		problem = changes.problem;
	}
}

function editJob(
	{ noun, endpoint, ids, session, invocation }: Editing,
	changed: Readonly<Record<string, unknown>>,
): RunJob {
	const { id = '', ...owners } = ids;
	const { secrets, ...kept } = withoutSecrets(changed);
	const values = { ids: owners, ...kept, force: false, add: {}, remove: {} };
	const given = { endpoint, source: { from: 'ids', ids: [id] } as const, values, secrets };
	return jobOf(`${noun}.update`, given, invocation, session);
}

const keptIn = ({ path }: EditFile): string => `your edit is kept in ${path}`;

function sayKept({ context, options }: RunInvocation, file: EditFile): void {
	const text = wantsJson(options) ? JSON.stringify({ edit: { file: file.path } }) : keptIn(file);
	context.stderr.write(`${text}\n`);
}

/** The same error, with the place of the file that was kept. */
function withFile(error: unknown, file: EditFile): unknown {
	if (!(error instanceof SupportctlError) || error instanceof InterruptedError) return error;
	const { message, exitCode, code, hint, details, data, cause } = error;
	return new SupportctlError(message, exitCode, {
		code,
		...(hint === undefined ? {} : { hint }),
		details: [...details, keptIn(file)],
		data: { ...data, file: file.path },
		cause,
	});
}
