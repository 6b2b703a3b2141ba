/** YAML for readers of 1.1 and 1.2. */
import { Document, isMap, isNode, isScalar, parseDocument, type Scalar, visit } from 'yaml';
import { escapeYaml, sanitise } from './sanitise.js';

export function yamlText(value: unknown): string {
	const document = new Document(value ?? null, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
	visit(document, {
		Scalar(_key, node: Scalar) {
			// Escapes need quotes.
			if (typeof node.value === 'string' && sanitise(node.value) !== node.value) node.type = 'QUOTE_DOUBLE';
		},
	});
	return escapeYaml(document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY }));
}

/** @param isText keeps `007` as it is written @returns undefined for comments alone @throws SyntaxError */
export function readYamlMapping(text: string, isText: (name: string) => boolean): Record<string, unknown> | undefined {
	const document = parseDocument(text);
	const [error] = document.errors;
	// The place is shown by an excerpt below the message. What a programmer could call is left out.
	if (error !== undefined) {
		throw new SyntaxError(error.message.replace(/ at line \d+, column \d+|; please use .*\(\)/g, '').trimEnd());
	}
	const { contents } = document;
	if (contents === null || (isScalar(contents) && contents.value === null)) return undefined;
	if (!isMap(contents)) throw new SyntaxError('it is not a list of field names and values');
	return Object.fromEntries(
		contents.items.map(({ key, value }) => {
			const name = String(isScalar(key) ? key.value : key);
			const isWritten = isScalar(value) && typeof value.value !== 'string' && value.value !== null;
			if (isWritten && value.source !== undefined && isText(name)) return [name, value.source];
			try {
				return [name, isNode(value) ? value.toJS(document) : null];
			} catch (cause) {
				throw new SyntaxError((cause as Error).message);
			}
		}),
	);
}
