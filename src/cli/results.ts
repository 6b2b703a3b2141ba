/** Results on stdout in the format that was asked for, with the flags and the terminal taken into account. */

import { didYouMean } from '../api/suggest.js';
import { UsageError } from '../errors.js';
import { loadPalette, type Palette, wantsColour } from '../output/colour.js';
import type { Column } from '../output/columns.js';
import { createRenderer, type Format, type Renderer, type RenderOptions } from '../output/render.js';
import type { Invocation, OptionValues } from './command.js';

/** `--json` is `--format json`; the profile's format stands in where neither is given. */
export function chosenFormat(options: OptionValues, profileFormat?: string): Format | undefined {
	return ((options.format as string | undefined) ?? (options.json === true ? 'json' : profileFormat)) as
		| Format
		| undefined;
}

/** Whether errors are to be JSON: the results are. */
export function wantsJson(options: OptionValues): boolean {
	return options.json === true || options.format === 'json' || options.format === 'ndjson';
}

export async function stdoutPalette({ context, options }: Invocation): Promise<Palette> {
	return loadPalette(
		wantsColour({ flag: options.color === false ? false : undefined, env: context.env, isTTY: context.stdout.isTTY }),
	);
}

export async function stderrPalette({ context, options }: Invocation): Promise<Palette> {
	return loadPalette(
		wantsColour({ flag: options.color === false ? false : undefined, env: context.env, isTTY: context.stderr.isTTY }),
	);
}

export interface ResultShape {
	columns?: readonly Column[];
	more?: RenderOptions['more'];
	single?: boolean;
	idOf?: RenderOptions['idOf'];
	profileFormat?: string | undefined;
	palette: Palette;
}

/** Opens the renderer of a command's results. @throws UsageError for columns or a query that can't be used */
export async function openResults(invocation: Invocation, shape: ResultShape): Promise<Renderer> {
	const { context, options } = invocation;
	const renderer = await createRenderer(
		{
			format: chosenFormat(options, shape.profileFormat),
			fields: options.fields as string[] | undefined,
			field: options.field as string | undefined,
			query: options.query as string | undefined,
			columns: shape.columns,
			more: shape.more,
			single: shape.single,
			idOf: shape.idOf,
			isTTY: context.stdout.isTTY,
			width: context.stdout.columns,
			palette: shape.palette,
		},
		(text) => {
			context.stdout.write(text);
			return context.stdout.flush();
		},
	);
	return {
		row: (row) => renderer.row(row),
		async end() {
			const summary = await renderer.end();
			const [missing] = summary.missing;
			if (missing !== undefined && summary.rows > 0) {
				throw new UsageError(`no row has a column "${missing}"${didYouMean(missing, summary.seen)}`, {
					code: 'unknown_column',
					hint: `there are ${summary.seen.join(', ')}`,
				});
			}
			return summary;
		},
	};
}
