import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../src/folder.js';
import { temporaryFolder } from './support/temporary.js';

describe('makeFolder', () => {
	it('makes a folder and those above it, private, and leaves one that is there as it is', () => {
		const folder = join(temporaryFolder(), 'a', 'b', 'c');
		makeFolder(folder);
		writeFileSync(join(folder, 'x'), '');
		makeFolder(folder);
		expect(existsSync(join(folder, 'x'))).toBe(true);
		expect(statSync(folder).mode & 0o777).toBe(0o700);
		expect(statSync(join(folder, '..', '..')).mode & 0o777).toBe(0o700);
	});

	it('fails where there can be none', () => {
		const file = join(temporaryFolder(), 'file');
		writeFileSync(file, '');
		expect(() => makeFolder(file)).toThrow(/EEXIST/);
		expect(() => makeFolder(join(file, 'a', 'b'))).toThrow(/ENOTDIR/);
	});

	it.runIf(process.platform === 'linux')(
		'fails in a file system that says of every new folder that its parent is not there',
		() => {
			expect(() => makeFolder('/proc/supportctl/runs')).toThrow(/ENOENT|EACCES|EPERM/);
		},
	);
});
