/** yaml: a sequence that streams, or one mapping; plain enough for readers of YAML 1.1 and 1.2. */

import { Document, type Scalar, visit } from 'yaml';
import { type Encoder, type EncoderOptions, pick } from './columns.js';
import { escapeJson, hasUnsafe } from './sanitise.js';

function yamlText(value: unknown): string {
	const document = new Document(value ?? null, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
	visit(document, {
		Scalar(_key, node: Scalar) {
			// In quotation marks the same escapes as in JSON can stand.
			if (typeof node.value === 'string' && hasUnsafe(node.value)) node.type = 'QUOTE_DOUBLE';
		},
	});
	return escapeJson(document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY }));
}

export function createYaml(options: EncoderOptions): Encoder {
	if (options.single) return { row: (row) => yamlText(pick(options, row)), end: () => '' };
	let started = false;
	return {
		row(row) {
			started = true;
			return yamlText([pick(options, row)]);
		},
		end: () => (started ? '' : '[]\n'),
	};
}
