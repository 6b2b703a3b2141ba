/** How the rows of an input become requests, the same for a run, for its resume and for whoever asks which rows it left. */

import type { Dialect } from '../../api/dialect.js';
import type { Endpoint } from '../../api/endpoints.js';
import { createPlanner, type Planner } from '../../api/plan.js';
import { compileColumns } from '../../bulk/input/rows.js';
import type { InputSource } from '../../bulk/input/source.js';
import type { OptionValues } from '../options/option.js';
import { readMap } from './column-map.js';
import type { RowCommandDefinition, RowDefaults } from './definition.js';
import { createRowPlan, type RowPlan } from './survey.js';
import type { Targets } from './targets.js';

/** What is the same for every row. */
export interface RowsInCommon {
	definition: RowCommandDefinition;
	/** The endpoint, or the one that stands for all where rows have taxonomies of their own. */
	endpoint: Endpoint;
	targets: Targets;
	defaults: RowDefaults;
	options: OptionValues;
	dialect: Dialect;
}

export interface RowPlanning {
	planRow: RowPlan;
	/** Of values that are read already. */
	plan: Planner;
	/** Columns that are not looked at. */
	ignored: readonly string[];
}

/** @throws UsageError for a header that can't be used */
export function planRows(common: RowsInCommon, source: InputSource): RowPlanning {
	const { definition, endpoint, targets, defaults, options, dialect } = common;
	const undocumented = options.undocumented === true;
	const plan = createPlanning(definition, endpoint, dialect, undocumented);
	const { read, ignored } = compileColumns({
		name: source.name,
		columns: source.columns,
		headerLine: source.headerLine,
		endpoint,
		...(hasTaxonomy(definition)
			? { endpointFor: (taxonomy: string) => definition.endpointFor(taxonomy, undocumented) }
			: {}),
		rules: { undocumented, statusIn: dialect.statusIn },
		fieldIn: dialect.fieldIn,
		map: readMap(options.map as string[] | undefined),
		ignore: (options.ignoreColumn as string[] | undefined) ?? [],
		...(options.idColumn === undefined ? {} : { idColumn: options.idColumn as string }),
		flags: {
			ids: targets.taxonomy === undefined ? targets.fixed : { ...targets.fixed, taxonomy: targets.taxonomy },
			...(defaults.force ? { force: true } : {}),
			reassign: defaults.reassign,
			fields: defaults.fields,
		},
		blank: options.blank === 'clear' ? 'clear' : 'skip',
	});
	return { planRow: createRowPlan({ read, plan, dataIds: defaults.dataIds }), plan, ignored };
}

function hasTaxonomy(definition: RowCommandDefinition): boolean {
	return definition.positionals.some((each) => each.kind === 'taxonomy');
}

function createPlanning(
	definition: RowCommandDefinition,
	endpoint: Endpoint,
	dialect: Dialect,
	undocumented: boolean,
): Planner {
	if (!hasTaxonomy(definition)) return createPlanner(endpoint, dialect);
	const planners = new Map<string, Planner>();
	return (values) => {
		const taxonomy = values.ids.taxonomy as string;
		let planner = planners.get(taxonomy);
		if (planner === undefined) {
			planner = createPlanner(definition.endpointFor(taxonomy, undocumented), dialect);
			planners.set(taxonomy, planner);
		}
		return planner(values);
	};
}
