/** Positional arguments and `--input` → what is the same for every row, and where the rows come from. */

import { isProblem, parseId, parseSlug, quote } from '../../api/values.js';
import type { InputFormat } from '../../bulk/input/formats.js';
import { UsageError } from '../../errors.js';
import type { Invocation } from '../command.js';
import type { Positional, RowCommandDefinition } from './definition.js';

export interface Targets {
	/** Ids that every row shares: the ticket of replies, the user of passwords. */
	fixed: Record<string, string>;
	taxonomy: string | undefined;
	/** Ids given as arguments; undefined where the rows come from `path`. */
	ids: string[] | undefined;
	/** A file, or `-` for stdin. */
	path: string | undefined;
	/** `ids` for a bare `-`. */
	format: InputFormat | undefined;
}

/** What a person calls a positional: `ticket_id` is "ticket id". */
export function positionalLabel(positional: Positional): string {
	return positional.name.replaceAll('_', ' ');
}

function checkPositional(positional: Positional, text: string): string {
	const parsed =
		positional.kind === 'id' ? parseId(text) : positional.kind === 'slug' ? parseSlug(text) : { value: text };
	if (isProblem(parsed))
		throw new UsageError(`${positionalLabel(positional)}: ${parsed.problem}`, { code: 'invalid_id' });
	if (positional.kind === 'text' && text === '') throw new UsageError(`${positionalLabel(positional)} is empty`);
	return parsed.value;
}

/** @throws UsageError for a missing, superfluous or malformed argument. */
export function readTargets(definition: RowCommandDefinition, invocation: Invocation): Targets {
	const { positionals } = definition;
	const { args, options, words } = invocation;
	const shared = positionals.slice(0, -1);
	const last = positionals.at(-1) as Positional;
	const input = options.input as string | undefined;
	const hint = `supportctl ${words.join(' ')} --help shows examples`;
	const fixed: Record<string, string> = {};
	let taxonomy: string | undefined;
	for (const [index, positional] of shared.entries()) {
		const text = args[index];
		if (text === undefined) {
			if (input !== undefined) continue;
			throw new UsageError(`missing <${positional.name.replaceAll('_', '-')}>`, { code: 'missing_argument', hint });
		}
		if (positional.kind === 'taxonomy') taxonomy = text;
		else fixed[positional.name] = checkPositional(positional, text);
	}
	const rest = args.slice(shared.length);
	const format = options.inputFormat as Targets['format'];
	if (input !== undefined) {
		if (rest.length > 0) {
			throw new UsageError(`${quote(rest[0] as string)}: rows come from --input or from arguments, not from both`, {
				hint,
			});
		}
		return { fixed, taxonomy, ids: undefined, path: input, format };
	}
	if (rest.length === 0) {
		throw new UsageError(`missing <${last.name.replaceAll('_', '-')}>, -, or --input`, {
			code: 'missing_argument',
			hint,
		});
	}
	if (rest.includes('-')) {
		if (rest.length > 1) throw new UsageError('- reads ids from stdin and takes no other ids beside it', { hint });
		return { fixed, taxonomy, ids: undefined, path: '-', format: format ?? 'ids' };
	}
	return { fixed, taxonomy, ids: rest.map((text) => checkPositional(last, text)), path: undefined, format: undefined };
}
