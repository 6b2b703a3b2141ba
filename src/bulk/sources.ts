/** Where the rows of a run come from, and what that means for it. */

import type { Endpoint } from '../api/endpoints.js';
import { readEndpointOf } from '../api/reads.js';
import type { SkipCode } from '../http/outcomes.js';
import type { Encoding } from '../text.js';
import type { Part } from './part.js';

export const inputFormats = ['csv', 'tsv', 'ndjson', 'json', 'ids'] as const;

export type InputFormat = (typeof inputFormats)[number];

export interface FormatFacts {
	/** What a complaint calls a file of it. */
	readonly isA: string;
	/** Whether values have names: of columns, or keys. */
	readonly hasNames: boolean;
	/** Whether a value can be left empty without meaning to clear it. */
	readonly hasCells: boolean;
}

export const formatFacts: Readonly<Record<InputFormat, FormatFacts>> = {
	csv: { isA: 'CSV', hasNames: true, hasCells: true },
	tsv: { isA: 'TSV', hasNames: true, hasCells: true },
	ndjson: { isA: 'JSON', hasNames: true, hasCells: false },
	json: { isA: 'JSON', hasNames: true, hasCells: false },
	ids: { isA: 'a list of IDs', hasNames: false, hasCells: false },
};

/** `path` is absolute, or `-` for stdin; messages show `name`. */
export interface InputPlace {
	readonly path: string;
	readonly name: string;
}

export type RowSource =
	| { readonly from: 'ids'; readonly ids: readonly string[] }
	| (InputPlace & {
			readonly from: 'file';
			readonly format?: InputFormat;
			readonly delimiter?: string;
			/** Of text without a byte order mark. */
			readonly encoding?: Encoding;
	  })
	| {
			readonly from: 'snapshots';
			readonly journal: string;
			readonly run: string;
			readonly overwrite: boolean;
			readonly part?: Part;
			/** Only these are put back. */
			readonly fields?: readonly string[];
	  }
	/** A saved plan; with `allowDrift`, objects that changed since are written too. */
	| {
			readonly from: 'plan';
			readonly path: string;
			readonly sha256: string;
			readonly allowDrift: boolean;
			readonly part?: Part;
			/** IDs of objects that earlier runs of the plan took: not rows of this one. */
			readonly taken?: readonly string[];
			/** When, by whom and why. */
			readonly made?: Made;
	  };

export interface Made {
	readonly started: string;
	readonly who?: Maker | undefined;
	readonly note?: string | undefined;
}

export interface Maker {
	readonly user: string;
	readonly host: string;
	readonly account?: string;
}

export type InputRows = Extract<RowSource, { from: 'ids' | 'file' }>;

interface SourceFacts {
	/** Whether somebody asks for these rows now; the others were made by an earlier run. */
	readonly isInput: boolean;
	/** Whether rows say what their objects must show, so that these are read first. Some objects can't be read. */
	readonly expects: (endpoint: Endpoint) => boolean;
	/** A row whose object somebody else changed. */
	readonly left: {
		readonly code: SkipCode;
		readonly since: string;
		/** Behind a field that can't be compared with what is expected. */
		readonly uncompared: string;
		readonly hint: string;
	};
	/** Whether the rows were saved beforehand, for someone to review. */
	readonly isPlanned: boolean;
	/** Puts back what an earlier run wrote: a field that can't be put back must not keep the others from it. */
	readonly restores: boolean;
	/** Whether a person has to agree, whatever the rows do: not again, where the first part of the run was agreed to. */
	readonly asks: 'never' | 'at first' | 'always';
}

const input = {
	isInput: true,
	expects: () => false,
	left: {
		code: 'conflict',
		since: '',
		uncompared: "can't be compared with what you edited",
		hint: 'edit it again to see its current fields',
	},
	isPlanned: false,
	restores: false,
	asks: 'never',
} as const satisfies SourceFacts;

/** A member that lacks a column does not compile. */
export const sources: Readonly<Record<RowSource['from'], SourceFacts>> = {
	ids: input,
	file: input,
	snapshots: {
		isInput: false,
		expects: () => true,
		left: {
			code: 'changed_since',
			since: ' after the run',
			uncompared: "not restored: it can't be compared with what the run wrote",
			hint: 'to restore it anyway: --overwrite',
		},
		isPlanned: false,
		restores: true,
		asks: 'always',
	},
	plan: {
		isInput: false,
		expects: (endpoint) => readEndpointOf(endpoint) !== undefined,
		left: {
			code: 'drift',
			since: ' after the plan was made',
			uncompared: "can't be compared with its old value in the plan",
			hint: 'to overwrite it: --again --allow-drift',
		},
		isPlanned: true,
		restores: false,
		asks: 'at first',
	},
};

export function isInput(source: RowSource): source is InputRows {
	return sources[source.from].isInput;
}

/** The only object that was asked for on the command line. */
export function onlyId(source: RowSource): string | undefined {
	return source.from === 'ids' && source.ids.length === 1 ? source.ids[0] : undefined;
}

/** The run whose old values these are. */
export function undoneRun(source: RowSource | undefined): string | undefined {
	return source?.from === 'snapshots' ? source.run : undefined;
}

/** In messages. */
export const STDIN_NAME = 'standard input';

/** The name of a file that others can read too. */
export function fileOf({ source }: { readonly source: RowSource }): string | undefined {
	return source.from === 'file' && source.path !== '-' && source.name !== STDIN_NAME ? source.name : undefined;
}

export function inputFileOf(source: RowSource): Extract<RowSource, { from: 'file' }> | undefined {
	return source.from === 'file' ? source : undefined;
}

export function sourceName(source: RowSource): string {
	switch (source.from) {
		case 'ids':
			return 'arguments';
		case 'file':
			return source.name;
		case 'snapshots':
			return `old values of run ${source.run}`;
		case 'plan':
			return `plan ${source.path}`;
	}
}
