/** Drafts in an editor that is a shell command. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { createProcessContext } from '../../src/io/context.js';
import { createDraft, findEditor } from '../../src/io/editor.js';
import { temporaryFolder } from '../support/temporary.js';

const context = () => ({ ...createProcessContext(process), env: { ...process.env, TMPDIR: temporaryFolder() } });

test('a changed text is kept in a private file until it is dropped', async () => {
	const draft = createDraft(context());
	expect(await draft.edit('14.yaml', 'a\n', 'echo b >>')).toBe('a\nb\n');
	const path = draft.kept() ?? '';
	expect(readFileSync(path, 'utf8')).toBe('a\nb\n');
	expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
	// As it is, the second time.
	expect(await draft.edit('14.yaml', 'a\nb\n', 'true')).toBe('a\nb\n');
	draft.close();
	expect(existsSync(path)).toBe(true);
	draft.drop();
	draft.close();
	expect(existsSync(dirname(path))).toBe(false);
});

test.each([
	['is not changed', 'true', 'a\n'],
	['is emptied', ': >', ''],
])('a text that %s is not kept', async (_, editor, text) => {
	const draft = createDraft(context());
	expect(await draft.edit('14.yaml', 'a\n', editor)).toBe(text);
	expect(draft.kept()).toBeUndefined();
});

test('a text stays private whose editor replaces its file', async () => {
	const draft = createDraft(context());
	const replace = 'f() { rm "$1" && echo b > "$1" && chmod 644 "$1"; }; f';
	expect(await draft.edit('14.yaml', 'a\n', replace)).toBe('b\n');
	expect(statSync(draft.kept() ?? '').mode & 0o777).toBe(0o600);
});

test.each(['exit 130;', 'kill -INT $$;', 'kill -TERM $$;'])(
	'an editor that a signal ends is no failure: %s',
	async (editor) => {
		await expect(createDraft(context()).edit('14.yaml', 'a', editor)).rejects.toThrow(
			/^interrupted; nothing was sent$/,
		);
	},
);

test('an editor that fails is named', async () => {
	const failed = createDraft(context()).edit('14.yaml', 'a', 'exit 3;');
	await expect(failed).rejects.toThrow('the editor "exit 3;" failed: it ended with exit code 3; nothing was sent');
});

test('VISUAL goes before EDITOR, and without both a terminal is needed', () => {
	const prompts = (available: boolean) => ({ ...context().prompts, available });
	expect(findEditor({ ...context(), env: { VISUAL: 'code -w', EDITOR: 'vi' } })).toBe('code -w');
	expect(findEditor({ ...context(), env: {}, prompts: prompts(true) })).toBe('vi');
	expect(() => findEditor({ ...context(), env: {}, prompts: prompts(false) })).toThrow("can't open an editor");
});
