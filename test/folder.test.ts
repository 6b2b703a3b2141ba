import { execFileSync, spawn } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, readSmallFile } from '../src/folder.js';
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

describe.runIf(process.platform !== 'win32')('readSmallFile', () => {
	it('reads a file up to the limit and no further', () => {
		const file = join(temporaryFolder(), 'file');
		writeFileSync(file, 'x'.repeat(1024));
		expect(readSmallFile(file, 1024)).toHaveLength(1024);
		expect(() => readSmallFile(file, 1023)).toThrow('it is larger than');
		expect(readSmallFile('/dev/null', 10)).toHaveLength(0);
	});

	it('ends at a device without an end and at a folder, and reads a pipe', () => {
		const pipe = join(temporaryFolder(), 'pipe');
		execFileSync('mkfifo', [pipe]);
		spawn('sh', ['-c', `sleep 0.1; printf abc > '${pipe}'`]);
		expect(readSmallFile(pipe, 65_536).toString()).toBe('abc');
		expect(() => readSmallFile('/dev/zero', 65_536)).toThrow('it is larger than 64 KiB');
		expect(() => readSmallFile('/', 65_536)).toThrow('EISDIR');
	});
});
