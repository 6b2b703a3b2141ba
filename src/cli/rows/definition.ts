/** What a command over rows says of itself, and the job that comes of one call of it. */

import type { Endpoint } from '../../api/endpoints.js';
import type { Field } from '../../api/fields.js';
import type { CommandSpec, Example, Invocation } from '../command.js';
import type { OptionSpec } from '../options/option.js';

/** A positional of a row command. All but the last are the same for every row. */
export interface Positional {
	/** The path id or column that it fills: `id`, `ticket_id`, `user_id`, `slug`, `taxonomy`, `username`. */
	readonly name: string;
	readonly kind: 'id' | 'slug' | 'taxonomy' | 'text';
	readonly help: string;
	readonly choices?: readonly string[];
}

/** What flags give to every row; a row's own column beats it. */
export interface RowDefaults {
	fields: Record<string, unknown>;
	force: boolean;
	reassign?: string | undefined;
	/** Ids that `--data` held; they have to agree with the path and never travel in the body. */
	dataIds: Record<string, unknown>;
}

/** What custom fields are read, written and compared with. */
export interface CustomFieldSettings {
	onlyChanged: boolean;
	verify: boolean;
	snapshot: boolean;
	diff: boolean;
}

export interface RowCommandDefinition {
	readonly summary: string;
	readonly description?: string;
	readonly examples: readonly Example[];
	readonly positionals: readonly Positional[];
	/**
	 * The endpoint, by taxonomy where the command has one; its fields are the command's flags and columns.
	 * @throws UsageError for a taxonomy that has no route
	 */
	endpointFor(taxonomy: string | undefined, undocumented: boolean): Endpoint;
	/** What is done to a row, for questions: "delete". */
	readonly verb: string;
	/** What rows are, for questions and messages: "tickets". */
	readonly nouns: string;
	/** Flags of its own. */
	readonly options: readonly OptionSpec[];
	/** Connection options that mean something else here. */
	readonly without?: readonly string[];
	/** What its own flags add to the defaults. @throws UsageError */
	completeDefaults?(defaults: RowDefaults, invocation: Invocation): Promise<void>;
	/** Present for `ticket fields set`. */
	customFields?(invocation: Invocation): CustomFieldSettings;
}

/** A command over rows; `run resume` and `run undo` find the definition through it. */
export interface RowCommandSpec extends CommandSpec {
	readonly rows: RowCommandDefinition;
}

/** The command's endpoint, or the one that stands for all where its rows may have several taxonomies. */
export function modelEndpoint(definition: RowCommandDefinition, taxonomy?: string, undocumented = false): Endpoint {
	const own = definition.positionals.find((each) => each.kind === 'taxonomy');
	return definition.endpointFor(taxonomy ?? own?.choices?.[0], undocumented);
}

/** The fields that flags and `--data` may give: all but those that are arguments. */
export function givenFields(definition: RowCommandDefinition): readonly Field[] {
	const texts = definition.positionals.filter(({ kind }) => kind === 'text').map(({ name }) => name);
	return modelEndpoint(definition).fields.filter(({ name }) => !texts.includes(name));
}
