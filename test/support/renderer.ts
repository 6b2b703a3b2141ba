import { plainPalette } from '../../src/output/colour.js';
import type { RenderOptions } from '../../src/output/columns.js';
import { createRenderer, type Renderer, type WriteText } from '../../src/output/render.js';

/** A renderer of a pipe, 80 columns wide and without color. */
export function testRenderer(options: Partial<RenderOptions>, write: WriteText): Promise<Renderer> {
	const usual = { isTTY: false, width: 80, palette: plainPalette, idOf: (row: object) => (row as { id?: unknown }).id };
	return createRenderer({ ...usual, ...options }, write);
}
