/** XML, read by a parser that accepts only well-formed documents. */

import { SaxesParser } from 'saxes';

export interface XmlElement {
	name: string;
	attributes: Record<string, string>;
	children: XmlElement[];
}

/** The root element. @throws where the text is not well-formed XML 1.0. */
export function readXml(text: string): XmlElement {
	const parser = new SaxesParser();
	const root: XmlElement = { name: '', attributes: {}, children: [] };
	const open = [root];
	parser.on('error', (error) => {
		throw error;
	});
	parser.on('opentag', ({ name, attributes }) => {
		const element = { name, attributes: attributes as Record<string, string>, children: [] };
		open.at(-1)?.children.push(element);
		open.push(element);
	});
	parser.on('closetag', () => open.pop());
	parser.write(text).close();
	return root.children[0] as XmlElement;
}

/** All elements of this name, at any depth, in the order of the document. */
export function elementsOf(root: XmlElement, name: string): XmlElement[] {
	return root.children.flatMap((child) => [...(child.name === name ? [child] : []), ...elementsOf(child, name)]);
}
