/** Edits one object as YAML and sends what changed. */

import { endpoints } from '../api/endpoints.js';
import { findField } from '../api/fields.js';
import { kinds } from '../api/kinds.js';
import { nameRow } from '../api/names.js';
import type { EditNoun } from '../api/reads.js';
import { objectId, ownerIds } from '../bulk/lists/query.js';
import { changedFields, editableFields } from '../bulk/lists/sheet.js';
import type { Fields, Ids } from '../bulk/plan.js';
import { checkRules } from '../bulk/run/rules.js';
import { andNothingSent, ExitCode, SupportctlError, UsageError } from '../errors.js';
import { createDraft, findEditor } from '../io/editor.js';
import { createRedactor } from '../output/redact.js';
import { asksForJson } from '../output/sanitise.js';
import { type Reading, readObject, withReading } from './lists/reading.js';
import { say, warn } from './notices.js';
import { checkTaxonomy } from './runs/job.js';
import type { RunInvocation } from './runs/options.js';
import { confirmWrite } from './runs/questions.js';
import { openSession, type Session } from './session.js';

export async function editObject(noun: EditNoun, given: RunInvocation): Promise<ExitCode> {
	const draft = createDraft(given.context);
	const sayKept = (): void => {
		const file = draft.kept();
		if (file === undefined) return;
		const { argv, stderr } = given.context;
		stderr.write(asksForJson(argv) ? `${JSON.stringify({ edit: { file } })}\n` : `your edit is kept in ${file}\n`);
	};
	const abandon = (exitCode: number): void => {
		sayKept();
		given.context.abandon(exitCode);
	};
	const invocation = { ...given, context: { ...given.context, abandon } };
	const { context, options, args } = invocation;
	const editor = findEditor(context);
	const id = args.at(-1) ?? '';
	if (noun === 'term') checkTaxonomy(endpoints['term.update'], args[0] ?? '', options.undocumented === true);
	const session = await openSession(invocation);
	await confirmWrite(invocation, session.service, `edit ${noun} ${id}`, false);
	// Before the editor opens, so that no text is lost.
	checkRules(session.connection.settings, {
		plan: { endpoint: `${noun}.update`, source: { from: 'ids', ids: [id] }, service: session.service },
		rows: 1,
		sends: true,
		saves: false,
		note: options.note,
	});
	const target = await readTarget(noun, invocation, session);
	warn(context, target.warnings);
	try {
		const name = `${Object.values(target.ids).join('-')}.yaml`;
		const exitCode = await editUntilSent(target, (text) => draft.edit(name, text, editor));
		if (exitCode === ExitCode.ok || exitCode === ExitCode.differs) draft.drop();
		return exitCode;
	} finally {
		sayKept();
		draft.close();
	}
}

type Target = Awaited<ReturnType<typeof readTarget>>;

/** The connection is not kept open during the edit. */
async function readTarget(noun: EditNoun, invocation: RunInvocation, session: Session) {
	const { args } = invocation;
	const options = { ...invocation.options, concurrency: 1 };
	const read = async (reading: Reading) => {
		const [owners = {}] = await ownerIds(args.slice(0, 1), reading);
		const ids: Ids = { ...owners, id: await objectId(owners, args.at(-1) ?? '', reading) };
		const object = await readObject(reading, ids);
		if (object instanceof SupportctlError) throw object;
		const editable = editableFields(object, { ...reading, redact: createRedactor() });
		return { noun, invocation, session, ids, what: nameRow(ids, noun), ...editable };
	};
	return await withReading(noun, { ...invocation, options }, read, session);
}

/** Mistakes of the text, for which the editor opens again. */
const MISTAKES: readonly string[] = ['invalid_value', 'unknown_field', 'unknown_name'];

async function editUntilSent(target: Target, edit: (text: string) => Promise<string>): Promise<ExitCode> {
	const original = await yamlOf(target);
	let text = original;
	let problem = '';
	for (;;) {
		const comment = problem === '' ? '' : `${problem.replace(/^/gm, '# error: ')}\n`;
		const now = (await edit(comment + text)).replace(/^(?:# error: .*\r?\n)+/, '');
		try {
			return await update(target, await changesIn(now, original, target));
		} catch (error) {
			const isMistake = error instanceof UsageError && MISTAKES.includes(error.code);
			if (!(error instanceof SyntaxError || isMistake)) throw error;
			const { message, details = [] } = error as UsageError;
			const isAgain = problem !== '';
			problem = [message.replace(/(?:; nothing was sent| Nothing was sent\.)$/, ''), ...details].join('\n');
			// A script makes the same mistake each time.
			if (isAgain && (now === text || !target.invocation.context.prompts.available)) {
				throw new UsageError(andNothingSent(problem), { code: 'invalid_edit' });
			}
			text = now;
		}
	}
}

async function update(target: Target, fields: Fields): Promise<ExitCode> {
	const { noun, ids, expected, invocation, session } = target;
	if (Object.keys(fields).length === 0) {
		say(invocation, 'no change; nothing was sent');
		return ExitCode.ok;
	}
	const { startCommand } = await import('./runs/run.js');
	// As a flag of edit, --username is the connection's.
	const options = { ...invocation.options, username: undefined };
	const command = { ...invocation, args: Object.values(ids), options };
	return await startCommand(`${noun}.update`, command, { session, expected, fields });
}

async function yamlOf({ what, fields, session }: Target): Promise<string> {
	const { yamlText } = await import('../output/yaml.js');
	// Lines of about 100 characters.
	const comment = (text: string): string => text.replace(/(.{1,100})(?:\s+|$)/g, '# $1\n');
	const entries = fields.map(({ name, kind, help, value }) => {
		const { suggests, takes } = kinds[kind];
		const accepted = takes || suggests.join(', ');
		return comment(accepted === '' ? help : `${help}: ${accepted}`) + yamlText({ [name]: value });
	});
	const how = 'Change values, save and close the editor: only changed fields are sent. An empty file cancels.';
	return [comment(`${what} on ${session.host}. ${how}`), ...entries].join('\n');
}

/** @throws SyntaxError */
async function changesIn(text: string, original: string, { fields }: Target): Promise<Fields> {
	const { readYamlMapping } = await import('../output/yaml.js');
	const isText = (name: string): boolean => {
		const field = findField(fields, name);
		return field !== undefined && kinds[field.kind].isText;
	};
	const before = readYamlMapping(original, isText) ?? {};
	const after = readYamlMapping(text, isText);
	if (after !== undefined) return changedFields(before, after, fields);
	throw new UsageError('canceled: the file is empty; nothing was sent', { code: 'cancelled' });
}
