/** Results on stdout in the format that was asked for, with the flags and the terminal taken into account. */

import { ownId } from '../api/path-ids.js';
import { didYouMean } from '../api/suggest.js';
import { quote } from '../api/values.js';
import { ExitCode, lostOutput, UsageError } from '../errors.js';
import type { Output } from '../io/context.js';
import { openPager } from '../io/pager.js';
import type { Palette } from '../output/colour.js';
import { type Column, parseFields } from '../output/columns.js';
import type { Format } from '../output/format-names.js';
import { createRenderer, type Renderer, type RenderOptions } from '../output/render.js';
import { sanitise } from '../output/sanitise.js';
import type { Invocation } from './command.js';
import type { ValuesOf } from './options/option.js';
import type { outputOptions } from './options/output.js';

type OutputValues = ValuesOf<typeof outputOptions>;

/** `--json` is `--format json`; the profile's format stands in where neither is given. */
export function chosenFormat(options: OutputValues, profileFormat?: string): Format | undefined {
	return options.format ?? (options.json === true ? 'json' : (profileFormat as Format | undefined));
}

/** Whether errors are to be JSON: the results are. */
export function wantsJson(options: OutputValues): boolean {
	return options.json === true || options.format === 'json' || options.format === 'ndjson';
}

export interface ResultShape {
	columns?: readonly Column[];
	more?: RenderOptions['more'];
	resolve?: RenderOptions['resolve'];
	single?: boolean;
	idOf?: RenderOptions['idOf'];
	profileFormat?: string | undefined;
	palette: Palette;
	/** Keys that a row can have, where they are known before there is one. */
	keys?: readonly string[];
	/** The rows hold answers of the service, whose keys nobody knows beforehand. */
	answers?: boolean;
	/** Further names of keys in `--fields` and `--field`; a column that `resolve` finds under the name comes first. */
	aliases?: Readonly<Record<string, string>>;
	/** Called before text goes to a terminal, to take a bar away that stands there. */
	beforeWrite?: () => void;
	/** Called before a pager takes the terminal; false where results are printed at once, however many there are. */
	onPager?: false | (() => void);
}

/** Opens the renderer of a command's results. @throws UsageError for columns or a query that can't be used */
export async function openResults(invocation: Invocation, shape: ResultShape): Promise<Renderer> {
	const { context, options } = invocation;
	if (shape.keys !== undefined && shape.resolve === undefined) checkFields(options, shape.keys, shape.aliases);
	const { onPager } = shape;
	const pager = openPager(context, {
		enabled: options.pager !== false && onPager !== false,
		onStart: onPager === false ? undefined : onPager,
		leave: () => context.abandon(ExitCode.ok),
	});
	const renderer = await createRenderer(
		{
			format: chosenFormat(options, shape.profileFormat),
			fields: options.fields,
			field: options.field,
			query: options.query,
			columns: shape.columns,
			more: shape.more,
			resolve: resolverOf(shape),
			single: shape.single,
			idOf: shape.idOf ?? ownId,
			isTTY: context.stdout.isTTY,
			width: context.stdout.columns,
			palette: shape.palette,
		},
		(text) => {
			if (context.stdout.isTTY) shape.beforeWrite?.();
			return pager.write(text) ?? checkOutput(context.stdout);
		},
	);
	return {
		row: (row) => renderer.row(row),
		async end() {
			const summary = await renderer.end();
			await pager.end();
			if (summary.dropped.length > 0) warnOfDropped(summary.dropped, context.stderr);
			const [missing] = summary.missing;
			if (missing === undefined || summary.rows === 0) return summary;
			// What was sent is sent: a run ends as it went, and a misspelt key of an answer is only said.
			const isKnown = shape.answers === true || shape.keys?.includes(missing) === true;
			if (!isKnown || options.query !== undefined) throw unknownColumn(missing, summary.seen);
			context.stderr.write(`warning: no row has ${JSON.stringify(missing)}\n`);
			return summary;
		},
	};
}

/** Waits until what was written has been taken. @throws FailedError where it is lost */
export async function checkOutput(stdout: Output): Promise<void> {
	await stdout.flush();
	if (stdout.failure !== undefined) throw lostOutput(stdout.failure);
}

function warnOfDropped(dropped: readonly string[], stderr: Output): void {
	const names = dropped.slice(0, 20).map(quote).join(', ') + (dropped.length > 20 ? ' …' : '');
	stderr.write(
		`warning: later rows have columns that are not shown: ${sanitise(names)}; --fields or --format ndjson shows them\n`,
	);
}

function resolverOf({ resolve, aliases = {} }: ResultShape): RenderOptions['resolve'] {
	return (name) => {
		const found = resolve?.(name);
		if (!Object.hasOwn(aliases, name)) return found;
		return (row) => found?.(row) ?? row[aliases[name] as string];
	};
}

/** Complains of columns that no outcome can have, before anything is sent. */
function checkFields(options: OutputValues, keys: readonly string[], aliases: ResultShape['aliases'] = {}): void {
	if (options.query !== undefined) return;
	const columns = options.fields === undefined ? [] : parseFields(options.fields);
	const paths = [...columns.map((column) => column.path), ...(options.field === undefined ? [] : [options.field])];
	const unknown = paths.find((path) => !keys.includes(path.split('.')[0] as string) && !Object.hasOwn(aliases, path));
	if (unknown !== undefined) throw unknownColumn(unknown, keys);
}

function unknownColumn(name: string, known: readonly string[]): UsageError {
	const inBody = known.includes('body') ? '; fields of the response are body.NAME' : '';
	return new UsageError(`no row has a column ${quote(name)}${didYouMean(name, known)}`, {
		code: 'unknown_column',
		hint: `there are ${known.join(', ')}${inBody}`,
	});
}
