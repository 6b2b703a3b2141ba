/** The colours that each stream of this invocation may use. */

import { loadPalette, type Palette, wantsColour } from '../output/colour.js';
import type { Invocation } from './command.js';

function paletteFor({ context, options }: Invocation, { isTTY }: { isTTY: boolean }): Promise<Palette> {
	return loadPalette(wantsColour({ flag: options.color === false ? false : undefined, env: context.env, isTTY }));
}

export const stdoutPalette = (invocation: Invocation): Promise<Palette> =>
	paletteFor(invocation, invocation.context.stdout);

export const stderrPalette = (invocation: Invocation): Promise<Palette> =>
	paletteFor(invocation, invocation.context.stderr);
