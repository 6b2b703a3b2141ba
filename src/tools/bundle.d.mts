/** The type of what bundle.mjs shares with the tests. */

import type { Plugin } from 'vitest/config';

export const textFiles: Plugin;
