import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary.js';

/** A path at which every write finds the disk full: a link, so that nothing that goes wrong with it touches the device. */
export function fullDisk(): string {
	const path = join(temporaryFolder(), 'full');
	symlinkSync('/dev/full', path);
	return path;
}
