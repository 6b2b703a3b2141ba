/** The version of this package and of the Node that it needs, from its package.json. */

import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** `>=20.18.1`. */
export const engines: string = manifest.engines.node;
