import { execFileSync, spawn } from 'node:child_process';
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Draft, makeFolder, readSmallFile } from '../src/folder.js';
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

describe('a draft', () => {
	it('is at its place once it is finished, private whatever the umask, and nothing is left beside it', () => {
		const folder = temporaryFolder();
		const place = join(folder, 'file');
		const umask = process.umask(0);
		try {
			const paths: string[] = [];
			const draft = new Draft(place, { onDraft: (path) => paths.push(path) });
			draft.write('é'.repeat(100_000));
			draft.write('end');
			expect([existsSync(place), paths]).toEqual([false, [draft.path]]);
			draft.finish();
			draft.close();
			expect(readFileSync(place, 'utf8')).toBe(`${'é'.repeat(100_000)}end`);
			expect([statSync(place).mode & 0o777, readdirSync(folder)]).toEqual([0o600, ['file']]);
		} finally {
			process.umask(umask);
		}
	});

	it('leaves what is there as it is until then, and is gone once it is closed', () => {
		const folder = temporaryFolder();
		writeFileSync(join(folder, 'file'), 'before');
		const draft = new Draft(join(folder, 'file'));
		draft.write('x'.repeat(100_000));
		draft.close();
		expect([readFileSync(join(folder, 'file'), 'utf8'), readdirSync(folder)]).toEqual(['before', ['file']]);
	});

	it.each([
		[false, 0o600],
		[true, 0o644],
	])('takes the mode of the file that it replaces where it is asked to: %s', (keepsMode, mode) => {
		const place = join(temporaryFolder(), 'file');
		writeFileSync(place, '');
		chmodSync(place, 0o644);
		new Draft(place, { keepsMode }).finish();
		expect(statSync(place).mode & 0o777).toBe(mode);
	});

	it('goes where a link leads', () => {
		const folder = temporaryFolder();
		mkdirSync(join(folder, 'real'));
		writeFileSync(join(folder, 'real', 'file'), 'before');
		symlinkSync('real/file', join(folder, 'link'));
		const draft = new Draft(join(folder, 'link'));
		draft.write('after');
		draft.finish();
		expect(readFileSync(join(folder, 'real', 'file'), 'utf8')).toBe('after');
		expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
	});

	it('that fails is removed: its place is a folder by then', () => {
		const folder = temporaryFolder();
		const draft = new Draft(join(folder, 'file'));
		mkdirSync(join(folder, 'file'));
		expect(() => draft.finish()).toThrow(/EISDIR|EEXIST/);
		draft.close();
		expect(readdirSync(folder)).toEqual(['file']);
	});

	it('can not be begun where there is no folder', () => {
		expect(() => new Draft(join(temporaryFolder(), 'none', 'file'))).toThrow(/ENOENT/);
	});
});
