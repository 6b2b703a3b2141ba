/** Lists, single objects and your own account. */

import { flagName } from '../../api/fields.js';
import { counted, plural } from '../../api/names.js';
import { type Noun, ownAccount } from '../../api/reads.js';
import { INCOMPLETE } from '../../bulk/input/lines.js';
import { inOrder } from '../../bulk/lists/batches.js';
import { watchDoubts } from '../../bulk/lists/doubts.js';
import { readList } from '../../bulk/lists/list.js';
import { objectId, ownerIds, readQuery } from '../../bulk/lists/query.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import { failureBy, NO_ROUTE } from '../../http/judge.js';
import type { Outcome } from '../../http/outcome.js';
import { usernameOf } from '../../net.js';
import { openPalette } from '../../output/colour.js';
import type { Column } from '../../output/columns.js';
import { renderError } from '../../output/errors.js';
import { factsOf } from '../../output/formats.js';
import { createProgress } from '../../output/progress.js';
import { asksForJson } from '../../output/sanitise.js';
import type { Invocation } from '../command.js';
import { say, warn } from '../notices.js';
import { camelCase } from '../options/option.js';
import { checkOutput, chosenFormat, picksValues, printAll } from '../results.js';
import { examineRights } from '../rights.js';
import { createPrinter, fieldsNeeded, formOf } from './print.js';
import { failureOfRead, type ReadInvocation, type Reading, readObject, readWords, withReading } from './reading.js';

export async function listObjects(noun: Noun, invocation: ReadInvocation): Promise<ExitCode> {
	const { context, args, options } = invocation;
	const { stdout } = context;
	const limit = options.limit ?? Number.POSITIVE_INFINITY;
	return await withReading(noun, invocation, async (reading) => {
		const { list, printer, progress } = await openList(reading);
		let printed = 0;
		let failure: SupportctlError | undefined;
		const doubts = watchDoubts(list.query.doubts);
		for (const owners of await ownerIds(await readWords(args, context), reading)) {
			const before = printed;
			const end = await readList(list, owners, limit - before, async (objects, total) => {
				doubts.see(objects);
				if (!list.countsOnly) await printer.print(objects, owners);
				printed += objects.length;
				progress?.update({ done: printed, total: total && Math.min(before + total, limit) });
				return !stdout.closed;
			}).finally(progress?.clear);
			printed = before + end.count;
			warn(context, end.warnings);
			if (end.failure !== undefined) failure = failureOfList(reading, end.failure, printed, list.countsOnly);
			if (failure !== undefined || printed >= limit || stdout.closed) break;
		}
		progress?.done();
		// A part of a number is another number.
		if (failure !== undefined && (printed === 0 || list.countsOnly)) throw failure;
		if (list.countsOnly) {
			stdout.write(`${printed}\n`);
			await checkOutput(stdout);
		} else await printer.end();
		if (failure !== undefined) {
			markIncomplete(reading, printed);
			throw failure;
		}
		if (!stdout.closed) warn(context, await doubts.explain(reading));
		const none = `no ${plural(reading.read.list.noun, 2)}`;
		if (printed === 0) say(invocation, Object.keys(filtersGiven(reading)).length > 0 ? `${none} match` : none);
		return ExitCode.ok;
	});
}

async function openList(reading: Reading) {
	const { context, options } = reading.invocation;
	const sort = options.sort ?? (context.stdout.isTTY ? '-id' : 'id');
	const query = await readQuery(filtersGiven(reading), sort, { ...reading, now: context.clock.now() });
	warn(context, query.warnings);
	const palette = await openPalette(context, context.stderr);
	const isQuiet = options.quiet === true || asksForJson(context.argv);
	const progress = isQuiet ? undefined : createProgress(context, { palette, verbose: options.verbose });
	const form = formOf(reading);
	const printer = createPrinter(reading, form, { beforeWrite: progress?.clear, onPager: progress?.done });
	const countsOnly = factsOf(form.format).prints === 'count' && options.query === undefined;
	const list = { ...reading, query, fields: fieldsNeeded(reading, form), countsOnly };
	return { list, printer, progress };
}

function filtersGiven({ read, invocation: { options } }: Reading): Record<string, string> {
	const texts = read.filters.map(({ parameter }) => [parameter, options[camelCase(flagName(parameter))]]);
	return Object.fromEntries(texts.filter(([, text]) => text !== undefined));
}

/** What reads IDs from a pipe must not take them for the whole list, and sees no exit code. */
function markIncomplete({ invocation, read }: Reading, printed: number): void {
	const { stdout } = invocation.context;
	const { prints } = factsOf(chosenFormat(invocation));
	const isForPipe = !stdout.isTTY && !picksValues(invocation.options) && ['id', 'columns'].includes(prints);
	if (isForPipe && !stdout.closed) stdout.write(`${INCOMPLETE}: ${counted(printed, read.list.noun)} came\n`);
}

function failureOfList(reading: Reading, failure: Outcome, printed: number, areCounted: boolean): SupportctlError {
	const error = failureOfRead(reading, reading.read.list, {}, failure);
	if (printed === 0) return error;
	const exitCode = error.exitCode === ExitCode.refused ? error.exitCode : ExitCode.partial;
	const what = areCounted ? 'came' : 'were printed';
	const message = `${error.message}; the list is incomplete: ${printed} ${what}`;
	return new SupportctlError(message, exitCode, { ...error, data: { ...error.data, printed } });
}

export async function getObjects(noun: Noun, invocation: ReadInvocation): Promise<ExitCode> {
	const { context, args } = invocation;
	return await withReading(noun, invocation, async (reading) => {
		const [owners = {}] = await ownerIds(args.slice(0, 1), reading);
		const given = args.slice(reading.read.owners.length);
		const ids: string[] = [];
		for (const text of await readWords(given, context)) {
			ids.push(await objectId(owners, text, reading));
		}
		const single = ids.length === 1 && given[0] !== '-';
		const printer = createPrinter(reading, formOf(reading, single));
		let printed = 0;
		let failed: SupportctlError | undefined;
		for await (const object of inOrder(ids, reading.concurrency, (id) => readObject(reading, { ...owners, id }))) {
			if (!(object instanceof SupportctlError)) {
				await printer.print([object], owners);
				printed++;
				if (context.stdout.closed) break;
				continue;
			}
			failed ??= object;
			if (single || failureBy(object.data.status) === 'signed-out' || object.code === NO_ROUTE) {
				if (printed > 0) await printer.end();
				throw object;
			}
			const palette = await openPalette(context, context.stderr);
			context.stderr.write(renderError(object, { json: asksForJson(context.argv), palette }));
		}
		if (printed > 0) await printer.end();
		if (failed === undefined) return ExitCode.ok;
		return printed === 0 ? failed.exitCode : ExitCode.partial;
	});
}

export async function showOwnAccount(invocation: Invocation): Promise<ExitCode> {
	return await withReading('user', invocation, async (reading) => {
		const { session, directories } = reading;
		const { auth, baseUrl, profileName = null } = session.connection;
		const username = usernameOf(auth);
		let account = await readObject(reading, {}, ownAccount);
		if (account instanceof SupportctlError && account.code === NO_ROUTE && username !== undefined) {
			// The documented lookup knows the ID only.
			const own = await directories.users.own();
			if (own !== undefined && 'id' in own) account = { id: Number(own.id), username };
		}
		if (account instanceof SupportctlError) throw account;
		const { _links, ...shown } = account;
		const { fields = [], field } = reading.invocation.options;
		// Scripts that ask for an ID wait for nothing else.
		const isAsked =
			(field === undefined && fields.length === 0) || [field, ...fields].some((each) => each?.includes('may'));
		const may = isAsked ? await mayOf(reading) : undefined;
		const columns: Column[] = [
			...['id', 'username', 'name', 'email', 'roles'].map((path) => ({ path })),
			{ path: 'may.text', label: 'may' },
			...['service', 'profile'].map((path) => ({ path })),
		];
		const row = { ...shown, may, service: baseUrl, profile: profileName };
		await printAll(reading.invocation, { single: true, columns, keys: Object.keys(row) }, [row]);
		return ExitCode.ok;
	});
}

async function mayOf({ sendRead, dialect }: Reading) {
	const { says, tickets, names } = await examineRights((request) => sendRead(request), dialect);
	return { tickets, names, text: says.slice(1).join('; ') };
}
