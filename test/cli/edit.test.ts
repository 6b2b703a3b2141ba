/** `ticket edit` and the like: fields in an editor, and only what changed is sent. */

import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { isolatedEnvironment, runCli, runHere, startCli } from '../support/cli.js';
import { startListService, ticket } from '../support/list-service.js';
import { json, startRecorder } from '../support/recorder.js';
import { startSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';

/** An editor that is a shell script; `$1` is the file, `$HERE` a folder for what it wants to keep. */
function editor(...lines: string[]) {
	const here = temporaryFolder();
	const path = join(here, 'fake editor');
	writeFileSync(path, ['#!/bin/sh', `HERE='${here}'`, ...lines].join('\n'));
	chmodSync(path, 0o700);
	const temporary = temporaryFolder();
	return {
		env: { EDITOR: `'${path}'`, VISUAL: '', TMPDIR: temporary },
		/** What it kept under a name. */
		kept: (name: string) => readFileSync(join(here, name), 'utf8'),
		/** Files that the command left behind. */
		left: () => readdirSync(temporary).flatMap((folder) => readdirSync(join(temporary, folder))),
	};
}

/** Replaces text in the file. */
const change = (from: string, to: string) => `sed "s/${from}/${to}/" "$1" > "$1.new" && mv "$1.new" "$1"`;

const posts = (requests: readonly { method: string; path?: string; url?: string }[]) =>
	requests.filter(({ method }) => method === 'POST');

test('an edit sends the changed fields only and removes its temporary file', async () => {
	const service = await startListService({
		objects: [
			ticket(14, {
				title: 'R & D',
				content: 'one\r\ntwo',
				slug: '007',
				assignee: 7,
				'ticket-tag': [4, 5],
				'time-notes': '',
				'time-adjustments': 5,
			}),
		],
	});
	const fake = editor(
		'cp "$1" "$HERE/seen"; stat -c "%a" "$1" "$(dirname "$1")" > "$HERE/modes" 2>/dev/null || :',
		change('status: hold', 'status: queued'),
		change('slug: .*', 'slug: 008'),
		'echo "an editor prints"',
	);
	const { exitCode, stdout, stderr } = await runCli('ticket edit 14 --json', {
		env: { ...service.env, ...fake.env },
	});
	expect([exitCode, stderr]).toEqual([0, 'an editor prints\n']);
	expect(JSON.parse(stdout)).toMatchObject([{ id: 14, outcome: 'ok' }]);
	expect(posts(service.requests).map(({ url }) => url)).toEqual([expect.stringContaining('/tickets/14')]);
	expect(JSON.parse(service.requests.find(({ method }) => method === 'POST')?.body ?? '')).toEqual({
		status: 'queued',
		slug: '008',
	});
	const seen = fake.kept('seen');
	expect(seen).toMatch(/# Named status: publish, future, [\s\S]*\nstatus: hold\n/);
	expect(seen).toContain('title: R & D\n');
	expect(seen).toContain('\ntime-notes: ""\n');
	expect(seen).not.toContain('modified_gmt');
	if (process.platform === 'linux') expect(fake.kept('modes')).toBe('600\n700\n');
	expect(fake.left()).toEqual([]);
});

test.each([
	['ticket', ['14'], 'status: .*', 'status: hold', '/tickets/14'],
	['reply', ['1', 'REPLY'], 'content: .*', 'content: edited', '/tickets/1/replies/REPLY'],
	['user', ['7'], 'nickname: .*', 'nickname: 007', '/users/7'],
	['user', ['@me'], 'nickname: .*', 'nickname: me', '/users/1'],
	['attachment', ['ATTACHMENT'], 'alt_text: .*', 'alt_text: edited', '/attachments/ATTACHMENT'],
	['term', ['ticket_priority', 'TERM'], 'description: .*', 'description: edited', '/ticket_priority/TERM'],
])('%s edit %j writes to the sandbox', async (noun, ids, from, to, path) => {
	const sandbox = await startSandbox({ seed: 20 });
	const first = async (list: string) => String(((await sandbox.call('GET', list)).body as { id: number }[])[0]?.id);
	const known: Record<string, string> = {
		REPLY: await first('/tickets/1/replies'),
		ATTACHMENT: await first('/attachments'),
		TERM: await first('/ticket_priority'),
	};
	const named = (text: string) => text.replace(/[A-Z]{4,}/, (name) => known[name] as string);
	sandbox.requests.length = 0;
	const fake = editor('cp "$1" "$HERE/seen"', change(from, to));
	// Of the connection, not a field of the user.
	const username = sandbox.env.SUPPORTCTL_USERNAME as string;
	const result = await runHere([noun, 'edit', ...ids.map(named), '--format', 'json', '--username', username], {
		env: { ...sandbox.env, ...fake.env },
	});
	expect([result.exitCode, result.stderr]).toEqual([0, '']);
	const sent = posts(sandbox.requests).filter((each) => !each.path?.includes('/users/username'));
	expect(sent.map((each) => each.path)).toEqual([expect.stringContaining(named(path))]);
	const [name, value] = to.split(': ') as [string, string];
	const body = JSON.parse(result.stdout)[0].body;
	expect(body[name]?.raw ?? body[name]).toBe(value);
	expect(fake.kept('seen')).not.toContain('password');
	expect(fake.left()).toEqual([]);
});

test('an edit that changes nothing sends nothing', async () => {
	const service = await startListService({ objects: [ticket(14, { title: 'a', assignee: 7 })] });
	const noChange = 'no change; nothing was sent\n';
	for (const [script, said] of [
		[':', noChange],
		['touch "$1"', noChange],
		[change('title: a', 'title: \\"a\\"'), noChange],
		[change('assignee: 7', 'assignee: \\"7\\"'), ''],
	] as const) {
		const fake = editor(script);
		const { exitCode, stderr } = await runHere('ticket edit 14', { env: { ...service.env, ...fake.env } });
		expect([exitCode, stderr, fake.left()]).toEqual([0, said, []]);
	}
	const fake = editor(': > "$1"');
	const { exitCode, stderr } = await runHere('ticket edit 14', { env: { ...service.env, ...fake.env } });
	expect([exitCode, stderr, fake.left()]).toEqual([2, 'error: canceled: the file is empty; nothing was sent\n', []]);
	expect(posts(service.requests)).toEqual([]);
});

test.each([
	['YAML that is wrong', 'printf "status: [hold\\n" > "$1"', /^# error: .*Flow sequence/],
	['a status that does not exist', change('status: hold', 'status: hodl'), /^# error: status "hodl" .*"hold"/],
	['a field that does not exist', 'echo "titel: x" >> "$1"', /^# error: unknown field "titel"; did you mean "title"/],
	['a list in the place of a number', change('assignee: 7', 'assignee: [7]'), /^# error: assignee \[7\] is not/],
])('%s opens the editor again with the error on top', async (_, wrong, error) => {
	const service = await startListService({ objects: [ticket(14, { title: 'a', assignee: 7 })] });
	const env = (fake: ReturnType<typeof editor>) => ({ env: { ...service.env, ...fake.env } });
	const fixes = editor(
		`if [ -e "$HERE/again" ]; then cp "$1" "$HERE/again"; printf "title: b\\n" > "$1"; else touch "$HERE/again"; ${wrong}; fi`,
	);
	const fixed = await runHere('ticket edit 14', env(fixes));
	expect(fixes.kept('again')).toMatch(error);
	expect([fixed.exitCode, fixed.stderr, fixes.left()]).toEqual([0, '', []]);
	expect(posts(service.requests)).toHaveLength(1);
	// Who leaves it as it is gives up, and finds the edit again.
	const leaves = editor(`if [ ! -e "$HERE/again" ]; then touch "$HERE/again"; ${wrong}; fi`);
	const left = await runHere('ticket edit 14', env(leaves));
	expect(left.exitCode).toBe(2);
	expect(left.stderr).toMatch(/your edit is kept in .*14\.yaml/);
	expect(leaves.left()).toEqual(['14.yaml']);
	expect(posts(service.requests)).toHaveLength(1);
});

test('an ID that is not the one of the object is refused, and the edit is kept', async () => {
	const service = await startListService({ objects: [ticket(14, { title: 'a' })] });
	const fake = editor('echo "id: 7" >> "$1"');
	const { exitCode, stderr } = await runHere('ticket edit 14', { env: { ...service.env, ...fake.env } });
	expect(exitCode).toBe(2);
	expect(stderr).toMatch(/your edit is kept in[\s\S]*the edit has id 7, but the path says 14/);
	expect(posts(service.requests)).toEqual([]);
});

test('an editor without a terminal that repeats its mistakes is not reopened forever', async () => {
	const service = await startListService({ objects: [ticket(14, { title: 'a' })] });
	const fake = editor('echo x >> "$HERE/opened"', 'echo "titel: x" >> "$1"');
	const result = await runHere('ticket edit 14', { env: { ...service.env, ...fake.env } });
	expect([result.exitCode, result.stderr]).toEqual([
		2,
		expect.stringMatching(/your edit is kept in[\s\S]*Map keys must be unique[\s\S]*nothing was sent/),
	]);
	expect(fake.kept('opened')).toBe('x\nx\n');
	expect(posts(service.requests)).toEqual([]);
});

test('an unknown name opens the editor again with the problem above it', async () => {
	const sandbox = await startSandbox({ seed: 20 });
	const fake = editor(
		'cat "$1" >> "$HERE/seen"',
		`if grep -q '# error' "$1"; then ${change('jose.kya', 'jose.kaya')}; else ${change('^assignee: .*', 'assignee: jose.kya')}; fi`,
	);
	const { exitCode, stderr } = await runHere('ticket edit 1', { env: { ...sandbox.env, ...fake.env } });
	expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
	expect(fake.kept('seen')).toContain('# error: assignee: user "jose.kya" not found; did you mean "jose.kaya"?\n');
	const jose = [...sandbox.store.users.values()].find(({ username }) => username === 'jose.kaya');
	expect(sandbox.store.tickets.get(1)?.assignee).toBe(jose?.id);
	expect(fake.left()).toEqual([]);
	await sandbox.stop();
});

test('Ctrl-C in the editor cancels the edit and keeps its text', async () => {
	const service = await startListService({ objects: [ticket(14, { title: 'a' })] });
	const fake = editor(change('title: a', 'title: b'), 'kill -INT $$');
	const { exitCode, stderr } = await runHere('ticket edit 14', { env: { ...service.env, ...fake.env } });
	expect([exitCode, fake.left(), posts(service.requests)]).toEqual([130, ['14.yaml'], []]);
	expect(stderr).toMatch(/^your edit is kept in .*\nerror: interrupted; nothing was sent\n$/);
});

test('an editor that removes the file ends the edit with a clear error', async () => {
	const service = await startListService({ objects: [ticket(14, { title: 'a' })] });
	const fake = editor('rm "$1"');
	const { exitCode, stderr } = await runHere('ticket edit 14', { env: { ...service.env, ...fake.env } });
	expect([exitCode, fake.left(), posts(service.requests)]).toEqual([2, [], []]);
	expect(stderr).toMatch(/^error: can't read .*14\.yaml: file not found\n$/);
});

test('an edit that is not UTF-8 text is kept', async () => {
	const service = await startListService({ objects: [ticket(14, { title: 'a' })] });
	const fake = editor('printf "title: caf\\351\\n" > "$1"');
	const { exitCode, stderr } = await runHere('ticket edit 14', { env: { ...service.env, ...fake.env } });
	expect([exitCode, fake.left(), posts(service.requests)]).toEqual([2, ['14.yaml'], []]);
	expect(stderr).toMatch(/your edit is kept in .*14\.yaml\nerror: .*it is not UTF-8 text/);
});

test('a second YAML document is rejected with a clear error', async () => {
	const service = await startListService({ objects: [ticket(14, { title: 'a' })] });
	const fake = editor('printf "title: x\\n---\\ntitle: y\\n" > "$1"');
	const { exitCode, stderr } = await runHere('ticket edit 14', { env: { ...service.env, ...fake.env } });
	expect(exitCode).toBe(2);
	expect(stderr).toMatch(/^error: Source contains multiple documents:\n[\s\S]*\^; nothing was sent\n$/m);
});

test('an object that someone else changed is not overwritten, and the edit is kept', async () => {
	const service = await startListService({ objects: [ticket(14, { title: 'a' })] });
	const url = `${service.baseUrl}/support-api/v1/tickets/14`;
	const other = `'${process.execPath}' -e 'fetch("${url}", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ title: "theirs" }) })'`;
	const fake = editor(change('title: a', 'title: mine'), other);
	const { exitCode, stderr } = await runHere('ticket edit 14', { env: { ...service.env, ...fake.env } });
	expect(exitCode).toBe(1);
	expect(stderr).toContain('update ticket 14 was skipped: someone changed title to "theirs"');
	expect(service.objects[0]?.title).toBe('theirs');
	const [path = ''] = /\/\S+14\.yaml/.exec(stderr) ?? [];
	expect(readFileSync(path, 'utf8')).toContain('title: mine');
	expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
});

test('an edit is compared with what is there right before the write, not with what an earlier read of it showed', async () => {
	let reads = 0;
	const service = await startListService({
		objects: [ticket(14, { title: 'a' })],
		instead({ method }) {
			const [object] = service.objects;
			// For the editor, before the run, and before its row.
			if (method === 'GET' && ++reads === 3 && object !== undefined) object.title = 'theirs';
			return undefined;
		},
	});
	const fake = editor(change('title: a', 'title: mine'));
	const { exitCode } = await runHere('ticket edit 14', { env: { ...service.env, ...fake.env } });
	expect([exitCode, reads, service.objects[0]?.title]).toEqual([1, 3, 'theirs']);
});

test('an edit that the service refuses is kept', async () => {
	const refusal = json(400, {
		code: 'rest_invalid_param',
		message: 'no',
		data: { status: 400, params: { title: 'too dull' } },
	});
	const service = await startListService({
		objects: [ticket(14, { title: 'a' })],
		instead: ({ method }) => (method === 'POST' ? refusal : undefined),
	});
	for (const flags of [[], ['--json']]) {
		const fake = editor(change('title: a', 'title: b'));
		const { exitCode, stderr } = await runHere(['ticket', 'edit', '14', ...flags], {
			env: { ...service.env, ...fake.env },
		});
		expect(exitCode).toBe(1);
		expect(stderr).toContain('too dull');
		expect(stderr).toMatch(
			flags.length === 0 ? /^your edit is kept in \S+14\.yaml$/m : /^\{"edit":\{"file":"\S+14\.yaml"\}\}$/m,
		);
		expect(fake.left()).toEqual(['14.yaml']);
	}
});

test('a protected profile has to be confirmed before the editor opens', async () => {
	const sandbox = await startSandbox();
	const folders = isolatedEnvironment();
	const { SUPPORTCTL_BASE_URL: url = '', SUPPORTCTL_USERNAME: name = '', SUPPORTCTL_PASSWORD: input } = sandbox.env;
	const flags = ['--base-url', url, '--username', name, '--password-stdin', '--insecure-storage', '--protected'];
	await runHere(['profile', 'set', 'prod', ...flags], { env: folders, ...(input === undefined ? {} : { input }) });
	const fake = editor('touch "$HERE/opened"', change('^status: .*', 'status: queued'));
	const env = { ...folders, ...fake.env };
	const edit = ['ticket', 'edit', '14', '--profile', 'prod'];
	const refused = await runHere(edit, { env });
	expect([refused.exitCode, refused.stderr]).toEqual([
		2,
		expect.stringContaining('profile prod is protected: pass --confirm=prod to edit ticket 14'),
	]);
	expect(sandbox.requests).toEqual([]);
	expect(() => fake.kept('opened')).toThrow();
	expect(await runHere([...edit, '--confirm=prod'], { env })).toMatchObject({ exitCode: 0 });
	expect(posts(sandbox.requests)).toHaveLength(1);
});

test('a missing or failing editor is named in the error', async () => {
	const service = await startListService({ objects: [ticket(14)] });
	const none = await runHere('ticket edit 14', { env: { ...service.env, EDITOR: '', VISUAL: '' } });
	expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining("can't open an editor without a terminal")]);
	expect(service.requests).toEqual([]);
	const fake = editor('exit 3');
	const failed = await runHere('ticket edit 14', { env: { ...service.env, ...fake.env } });
	expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining('it ended with exit code 3')]);
	expect(fake.left()).toEqual([]);
});

test('an edit that is canceled before it is sent prints the path of its text', async () => {
	const object = ticket(14, { title: 'R & D' });
	const service = await startRecorder((_request, _response, count) => (count === 1 ? json(200, object) : undefined));
	const fake = editor(change('status: hold', 'status: queued'));
	const { child, ended } = startCli('ticket edit 14', { env: { ...service.env, ...fake.env } });
	await service.reached(2);
	child.kill('SIGINT');
	const { exitCode, stderr } = await ended;
	expect([exitCode, fake.left()]).toEqual([130, ['14.yaml']]);
	expect(stderr).toMatch(/^error: interrupted; nothing was sent\nyour edit is kept in .*14\.yaml\n$/);
});
