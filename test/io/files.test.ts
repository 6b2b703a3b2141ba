/** Text of files and stdin as commands get it, and errors that name what could not be read. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFirstLine, readText } from '../../src/io/files.js';
import { memoryContext } from '../support/context.js';
import { temporaryFolder } from '../support/temporary.js';

test('a file is found from the folder that a call is made in, and - is stdin', async () => {
	const cwd = temporaryFolder();
	writeFileSync(join(cwd, 'note.txt'), 'Zoë\n');
	const context = memoryContext({ cwd, stdin: 'piped' });
	expect(await readText('note.txt', context)).toBe('Zoë\n');
	expect(await readText('-', context)).toBe('piped');
});

test('what can not be read is named, with the flag that asked for it', async () => {
	const cwd = temporaryFolder();
	mkdirSync(join(cwd, 'folder'));
	writeFileSync(join(cwd, 'latin1.txt'), Buffer.from([0x5a, 0xeb]));
	const read = (path: string, flag?: string) => readText(path, memoryContext({ cwd }), flag);
	await expect(read('none.txt', '--data')).rejects.toMatchObject({
		message: "--data can't read none.txt: file not found",
		exitCode: 2,
	});
	await expect(read('folder')).rejects.toThrow("can't read folder: it is a directory");
	await expect(read('latin1.txt')).rejects.toThrow("can't read latin1.txt: it is not UTF-8 text");
});

test('a password is the first line of a pipe, and never waits for a terminal', async () => {
	const first = (stdin: string) => readFirstLine(memoryContext({ stdin }), '--password-stdin');
	expect(await first('sesam open\r\nmore\n')).toBe('sesam open');
	await expect(first('\nmore')).rejects.toThrow('--password-stdin: the first line of stdin is empty');
	const terminal = readFirstLine(memoryContext({ columns: 80 }), '--password-stdin');
	await expect(terminal).rejects.toThrow('--password-stdin needs a pipe or a file on stdin');
});
