/** What is sent is shown: each description of a change against the bytes on the wire, for each kind of object. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isolatedEnvironment, jsonLines, runHere } from '../support/cli.js';
import { forge } from '../support/forged-plan.js';
import { startRecorder } from '../support/recorder.js';
import { startSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';

interface Wire {
	readonly method: string;
	readonly path: string;
	readonly body: unknown;
}

interface Shown extends Wire {
	readonly action: string;
	readonly change: string;
	readonly receiver: { readonly id: number; readonly name: string } | null;
	readonly changes: readonly { readonly field: string; readonly new: unknown }[];
}

async function desk(options: Parameters<typeof startSandbox>[0] = {}) {
	const service = await startSandbox(options);
	// Writes down what is on the wire, and passes it on.
	const wire = await startRecorder(async ({ method, url, headers, body }, response) => {
		const { authorization = '', 'content-type': type = '' } = headers;
		const sent = method === 'POST' ? { body } : {};
		const passed = await fetch(new URL(url, service.baseUrl), {
			method,
			headers: { authorization, 'content-type': type },
			...sent,
		});
		const head = Object.fromEntries([...passed.headers].filter(([name]) => /^(content-type|x-wp)/.test(name)));
		response.writeHead(passed.status, head).end(await passed.text());
	});
	const { pathname } = new URL(service.baseUrl);
	const baseUrl = `${new URL(wire.baseUrl).origin}${pathname}`;
	const env = { ...isolatedEnvironment(), ...service.env, SUPPORTCTL_BASE_URL: baseUrl };
	const folder = temporaryFolder();
	const run = (line: string | readonly string[], more: Record<string, string> = {}, input = '') =>
		runHere(typeof line === 'string' ? line.split(' ') : [...line], {
			input,
			env: { ...env, ...more },
			cwd: folder,
		});
	return {
		...{ service, env, run },
		read: (name: string) => readFileSync(join(folder, name), 'utf8'),
		has: (name: string) => existsSync(join(folder, name)),
		file(name: string, text: string): string {
			writeFileSync(join(folder, name), text);
			return name;
		},
		/** Since it was last asked. */
		writes(): Wire[] {
			const sent = wire.requests
				.filter(({ method, url }) => method !== 'GET' && !/users\/(username|check)$/.test(url))
				.map(({ method, url, body }) => ({
					...{ method, path: url.slice(pathname.length) },
					body: body === '' ? null : (JSON.parse(body) as unknown),
				}));
			wire.requests.length = 0;
			return sent;
		},
	};
}

/** What the description says of the body: each field with its new value. */
function bodyOf({ changes, body }: Shown): unknown {
	const fields = Object.fromEntries(changes.map((each) => [each.field, each.new]));
	if (body === null) return null;
	return Object.hasOwn(body as object, 'custom_fields') ? { custom_fields: fields } : fields;
}

const LINES: readonly (readonly [what: string, words: readonly string[]])[] = [
	[
		'a ticket',
		['ticket', 'update', '14', '--title', 'Pay A\u200b', '--assignee', 'jose.kaya', '--add-ticket-tag', 'VIP'],
	],
	['a custom field', ['ticket', 'fields', 'set', '14', '--set', 'severity=worst']],
	['a user', ['user', 'update', 'amir.rossi', '--first-name', 'Amir "A"', '--roles', 'agent,editor']],
	['a term', ['term', 'update', 'ticket_priority', 'High', '--name', 'Higher', '--description', 'x']],
	['an attachment', ['attachment', 'update', 'ATTACHMENT', '--alt-text', 'a "b"', '--caption', '']],
	['a ticket for the trash', ['ticket', 'delete', '15']],
	['a ticket for good', ['ticket', 'delete', '15', '--force']],
	['a user who leaves', ['user', 'delete', 'erik.larsen', '--reassign', 'sofia.bauer']],
	['a term that goes', ['term', 'delete', 'ticket_priority', 'Low', '--force']],
	['a reply', ['reply', 'update', '14', 'REPLY', '--content', 'x\u202ey', '--author', 'jose.kaya']],
	['a reply for the trash', ['reply', 'delete', '14', 'REPLY']],
	['a reply for good', ['reply', 'delete', '14', 'REPLY', '--force']],
	['an application password', ['user', 'password', 'delete', 'emeka.park', 'PASSWORD']],
];

const LISTS: Readonly<Record<string, string>> = {
	ATTACHMENT: '/attachments',
	REPLY: '/tickets/14/replies',
	PASSWORD: '/users/2/passwords',
};

/** The ID of an object of the sandbox in place of such a word. */
async function firstOf({ call }: Awaited<ReturnType<typeof startSandbox>>, word: string): Promise<string> {
	const list = LISTS[word];
	if (list === undefined) return word;
	const { body } = await call('GET', list);
	const [first] = Object.values(body as Record<string, { id?: number; slug: string }>);
	return String(first?.id ?? first?.slug);
}

describe('what is sent is shown', () => {
	test.each(LINES)('in a dry run, in a plan, and on the wire: %s', async (_what, given) => {
		const at = await desk();
		const words = await Promise.all(given.map((word) => firstOf(at.service, word)));
		const dry = await at.run([...words, '-n', '--format', 'ndjson']);
		expect([dry.exitCode, at.writes()], dry.stderr).toEqual([0, []]);
		const [shown] = jsonLines(dry.stdout) as unknown as Shown[];
		if (shown === undefined) throw new Error(dry.stderr);
		const planned = await at.run([...words, '--plan', 'p.plan']);
		expect(planned.exitCode, planned.stderr).toBe(0);
		const listed = await at.run('run show p.plan --format ndjson');
		expect(jsonLines(listed.stdout)).toEqual([shown]);
		at.writes();
		const applied = await at.run('run apply p.plan --yes');
		expect(applied.exitCode, applied.stderr).toBe(0);
		const [sent, ...others] = at.writes();
		expect(others).toEqual([]);
		expect({ method: shown.method, path: shown.path, body: shown.body }).toEqual(sent);
		expect(bodyOf(shown)).toEqual(sent?.body);
		// Application passwords have no trash.
		if (shown.action === 'delete' && !given.includes('PASSWORD')) expect(sent?.path).toContain('force=true');
		if (shown.action === 'trash') expect(sent?.path).not.toContain('force');
		if (shown.receiver !== null) {
			expect(sent?.path).toContain(`reassign=${shown.receiver.id}`);
			expect(shown.change).toContain(`posts go to ${shown.receiver.name}`);
		}
	});

	test('but a password, which is never planned', async () => {
		const at = await desk();
		const words = ['user', 'update', 'amir.rossi', '--password-stdin', '--nickname', 'A'];
		const dry = await at.run([...words, '-n', '--format', 'ndjson'], {}, 'correct horse');
		const [shown] = jsonLines(dry.stdout) as unknown as Shown[];
		expect(shown?.changes.map(({ field, new: value }) => [field, value])).toEqual([
			['nickname', 'A'],
			['password', '[redacted]'],
		]);
		const planned = await at.run([...words, '--plan', 'p.plan'], {}, 'correct horse');
		expect([planned.exitCode, at.has('p.plan')], planned.stderr).toEqual([2, false]);
		at.writes();
		const sent = await at.run([...words, '--report', 'html:r.html'], {}, 'correct horse');
		expect(sent.exitCode, sent.stderr).toBe(0);
		expect(at.writes().map(({ body }) => body)).toEqual([{ nickname: 'A', password: 'correct horse' }]);
		const changes = (await at.run('run show last --changes')).stdout;
		const { stdout } = await at.run('run show last --changes --json');
		expect(JSON.parse(stdout)[0].changes).toContainEqual(
			expect.objectContaining({ field: 'password', new: null, new_unknown: 'not_kept' }),
		);
		expect(changes).toContain('password\t(not shown)\t(not kept)\t');
		expect(`${dry.stdout}${changes}${at.read('r.html')}`).not.toContain('correct horse');
	});

	test('a color that an update would clear is sent along, and shown as what stays', async () => {
		const at = await desk();
		const dry = await at.run([
			'term',
			'update',
			'ticket_priority',
			'High',
			'--name',
			'Higher',
			'-n',
			'--format',
			'ndjson',
		]);
		const [shown] = jsonLines(dry.stdout) as unknown as Shown[];
		expect(Object.keys(shown?.body ?? {}).sort()).toEqual(shown?.changes.map(({ field }) => field).sort());
		expect(shown?.change).toMatch(/color stays /);
	});
});

describe('a person reads names', () => {
	test('and hidden characters, in a dry run, a plan, Markdown and HTML', async () => {
		const at = await desk();
		await at.service.call('POST', '/tickets/14', { assignee: 3, title: 'Pay A' });
		at.file('e.csv', 'id,assignee,title\n14,jose.kaya,Pay A\u200b\n');
		const made = await at.run('ticket update --input e.csv --plan p.plan --report markdown:p.md --report html:p.html');
		expect(made.exitCode, made.stderr).toBe(0);
		const dry = await at.run('ticket update --input e.csv -n');
		const shown = await at.run('run show p.plan');
		for (const text of [made.stdout, dry.stdout, shown.stdout]) {
			expect(text).toContain('assignee\tsofia.bauer\tjose.kaya');
			expect(text).toContain('Pay A\\u200b');
		}
		expect(dry.stderr).toContain('1 ticket would change: 1 assignee, 1 title; nothing was sent');
		expect(at.read('p.md')).toContain('assignee sofia.bauer → jose.kaya; title "Pay A" → "Pay A\\\\u200b"');
		expect(at.read('p.html')).toContain('<ins>jose.kaya</ins>');
		expect(at.read('p.html')).toContain('Pay A\\u200b');
		expect(`${at.read('p.md')}${at.read('p.html')}`).not.toContain('\u200b');
	});

	test('in the reports of a run, as in those of its plan, and with run show --changes', async () => {
		const at = await desk();
		await at.service.call('POST', '/tickets/14', { assignee: 3, title: 'Pay A' });
		at.file('e.csv', 'id,assignee,title\n14,jose.kaya,Pay A\u200b\n99999,jose.kaya,x\n');
		const reports = '--report markdown:r.md --report html:r.html';
		const sent = await at.run(`ticket update --input e.csv ${reports}`);
		expect(sent.exitCode, sent.stderr).toBe(3);
		const check = (): void => {
			expect(at.read('r.md')).toContain(
				'| 1 | ticket 14 "Pay A" | assignee sofia.bauer → jose.kaya; title "Pay A" → "Pay A\\\\u200b" |',
			);
			expect(at.read('r.md')).toContain('- 1 assignee: jose.kaya');
			expect(at.read('r.md')).toContain('| 2 | 3 | ticket 99999 | failed | ticket 99999 not found');
			expect(at.read('r.html')).toContain('<del>sofia.bauer</del> → <ins>jose.kaya</ins>');
			expect(at.read('r.html')).toContain('<ins>Pay A\\u200b</ins>');
		};
		check();
		expect((await at.run(`run show last ${reports}`)).exitCode).toBe(0);
		check();
		const { stdout } = await at.run('run show last --changes');
		expect(stdout).toContain('1\t14\tPay A\tassignee\tsofia.bauer\tjose.kaya\tok');
	});

	test.each([
		['ticket delete 14', 'to the trash'],
		['ticket delete 14 --no-snapshot', 'to the trash'],
		['ticket delete 14 --force', 'permanently deleted'],
		['user delete erik.larsen --reassign sofia.bauer', 'permanently deleted; posts go to sofia.bauer'],
		['user delete --input leavers.csv', 'permanently deleted; posts go to sofia.bauer'],
	])('what became of a deleted object, sent or applied: %s', async (line, what) => {
		for (const ways of [
			[`${line} --yes`],
			[`${line.replace(' --no-snapshot', '')} --plan p.plan`, 'run apply p.plan --yes'],
		]) {
			const at = await desk();
			at.file('leavers.csv', 'username,reassign\nerik.larsen,sofia.bauer\n');
			for (const way of ways) {
				const reported = way === ways.at(-1) ? `${way} --report markdown:r.md` : way;
				expect((await at.run(reported)).exitCode, reported).toBe(0);
			}
			expect(at.read('r.md')).toMatch(new RegExp(`^\\| 1 \\| .* \\| ${what} \\|$`, 'm'));
			expect((await at.run('run show last --changes')).stdout).toContain(`\t${what}\tok`);
		}
	});

	test('of a drifted row, too', async () => {
		const at = await desk();
		await at.service.call('POST', '/tickets/14', { assignee: 3 });
		await at.run('ticket update 14 --assignee jose.kaya --plan p.plan');
		await at.service.call('POST', '/tickets/14', { assignee: 5 });
		const { stderr, exitCode } = await at.run('run apply p.plan --yes');
		expect([exitCode, stderr]).toEqual([
			1,
			expect.stringContaining('someone changed assignee to amir.rossi after the plan was made'),
		]);
		expect(stderr).toMatch(/1 ticket was changed by someone else: supportctl run show \S+ --outcome skipped/);
	});
});

describe('rows that are not sent', () => {
	test('are counted and named in a plan, its reports and the run', async () => {
		const at = await desk();
		at.file('l.csv', 'username\nnadia.chenn\ntariq.silva\n');
		const line = 'user delete --input l.csv --reassign sofia.bauer --ignore-missing';
		const named = '1 not found: nadia.chenn; did you mean nadia.chen?';
		const made = await at.run(`${line} --plan p.plan --report markdown:p.md --report html:p.html`);
		expect([made.exitCode, made.stderr]).toEqual([0, expect.stringContaining(named)]);
		expect((await at.run('run show p.plan')).stderr).toContain(named);
		for (const name of ['p.md', 'p.html']) expect(at.read(name)).toContain('nadia.chenn');
		const without = await at.run('user delete --input l.csv --reassign sofia.bauer --yes');
		expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('1 of 2 rows is invalid')]);
		const sent = await at.run(`${line} --yes --report junit:r.xml --report markdown:r.md --report html:r.html`);
		expect([sent.exitCode, sent.stderr]).toEqual([0, expect.stringContaining(named)]);
		expect(sent.stderr).toContain('1 ok, 1 not found');
		expect(at.read('r.md')).toContain('## 1 user deleted, 1 not found');
		for (const name of ['r.md', 'r.html', 'r.xml']) expect(at.read(name)).toContain('nadia.chenn');
	});

	test.each(['send', 'plan'])('are in the reports of a refused input, too: %s', async (way) => {
		const at = await desk();
		at.file('e.csv', 'id,status\n14,hold\n15,hodl\n');
		const plan = way === 'plan' ? ' --plan p.plan' : '';
		const refused = await at.run(`ticket update --input e.csv${plan} --report markdown:r.md --report html:r.html`);
		expect([refused.exitCode, at.has('p.plan'), at.writes()], refused.stderr).toEqual([2, false, []]);
		for (const name of ['r.md', 'r.html']) {
			expect(at.read(name)).toContain('1 of 2 rows is invalid; nothing was sent');
			expect(at.read(name)).toContain('hodl');
		}
	});

	test('are none in a file that has a header only, and it says so', async () => {
		const at = await desk();
		at.file('h.csv', 'id,status\n');
		for (const more of ['', ' -n', ' --plan p.plan']) {
			const { stderr } = await at.run(`ticket update --input h.csv${more}`);
			expect(stderr).toContain('no rows in h.csv');
			expect(stderr).not.toContain('up to date');
		}
	});

	test('keep a plan from saying that there are no changes', async () => {
		const at = await desk();
		const made = await at.run('ticket update 99999 --title x --plan p.plan --skip-invalid');
		expect(made.stderr).not.toContain('no changes');
		expect(made.stderr).toContain("1 that can't be read: ticket 99999");
	});
});

const NOTHING = { values: {}, absent: [] };

describe('a forged plan is refused, in each view and by apply', () => {
	test.each<[what: string, change: Parameters<typeof forge>[1]]>([
		['a list with an object for a user', (row) => Object.assign(row, { fields: { assignee: [1, { a: 1 }] } })],
		['an object for a title', (row) => Object.assign(row, { fields: { title: { raw: 'x', id: 7 } } })],
		['a status that is none', (row) => Object.assign(row, { fields: { status: 'nope' } })],
		['a key that no view shows', (row) => Object.assign(row, { extra: { title: 'x' } })],
		['a receiver where there is none', (row) => Object.assign(row, { reassign: '3' })],
		['a delete for good of what is updated', (row) => Object.assign(row, { force: true })],
		['no fields', (row) => Object.assign(row, { fields: {} })],
		['a field without an old value', (row) => Object.assign(row, { fields: { assignee: 4, status: 'hold' } })],
		['no old values', (row) => Object.assign(row, { before: NOTHING })],
		['a label that is no text', (row) => Object.assign(row, { label: { a: 1 } })],
		[
			'a number of left rows that is none',
			(_row, lines) => lines.push({ type: 'unlisted', code: 'unchanged', rows: {} }),
		],
	])('%s', async (_what, change) => {
		const at = await desk();
		await at.service.call('POST', '/tickets/14', { assignee: 3 });
		await at.run('ticket update 14 --assignee jose.kaya --plan p.plan');
		at.file('bad.plan', forge(at.read('p.plan'), change));
		at.writes();
		for (const line of ['run show bad.plan', 'run apply bad.plan --yes', 'run show bad.plan --report html:x.html']) {
			const { exitCode, stderr } = await at.run(line);
			expect([line, exitCode, stderr]).toEqual([line, 2, expect.stringContaining("can't use the plan")]);
		}
		expect(at.writes()).toEqual([]);
	});

	test.each<[what: string, line: string, change: Parameters<typeof forge>[1]]>([
		[
			'a user by the name of another',
			'user delete erik.larsen --reassign sofia.bauer',
			(row) => Object.assign(row.ids as object, { id: '4' }),
		],
		[
			'a user by the name of another, without old values',
			'user delete erik.larsen --reassign sofia.bauer',
			(row) => Object.assign(row, { ids: { id: '4', username: 'erik.larsen' }, label: undefined, before: NOTHING }),
		],
		[
			'a ticket by another title',
			'ticket delete 14 --force',
			(row) => Object.assign(row, { label: 'Test, please ignore', before: NOTHING }),
		],
		[
			'a password by another name',
			'user password delete emeka.park Laptop',
			(row) => Object.assign(row, { label: 'Old phone' }),
		],
	])('one that deletes is not applied if it calls %s', async (_what, line, change) => {
		const at = await desk();
		await at.run([...line.split(' '), '--plan', 'p.plan']);
		at.file('bad.plan', forge(at.read('p.plan'), change));
		at.writes();
		const { exitCode, stderr } = await at.run('run apply bad.plan --yes');
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining("can't use the plan")]);
		expect(at.writes()).toEqual([]);
	});

	describe('one that calls its object by another name finds drift', () => {
		const calling = (label: string) => (row: Record<string, unknown>) => Object.assign(row, { label });
		test.each<[what: string, line: string, was: string]>([
			['a ticket', 'ticket update 14 --status hold', 'Printer'],
			['a ticket whose title changes', 'ticket update 14 --title Scanner', 'Printer'],
			['a reply', 'reply update 14 REPLY --content x', ''],
			['a user', 'user update 5 --first-name Ann', 'amir.rossi'],
			['a user whose slug changes', 'user update 5 --slug ann', 'amir.rossi'],
			['a term', 'term update ticket_priority High --description x', 'High'],
			['a term whose name changes', 'term update ticket_priority High --name Higher', 'High'],
			['an attachment', 'attachment update ATTACHMENT --alt-text x', ''],
		])('%s', async (_what, line, was) => {
			const at = await desk();
			await at.service.call('POST', '/tickets/14', { title: 'Printer' });
			const words = await Promise.all(line.split(' ').map((word) => firstOf(at.service, word)));
			await at.run([...words, '--plan', 'p.plan']);
			at.file('bad.plan', forge(at.read('p.plan'), calling('Test, please ignore')));
			at.writes();
			const { exitCode, stdout, stderr } = await at.run('run apply bad.plan --yes --format ndjson');
			expect([exitCode, jsonLines(stdout)], stderr).toEqual([
				1,
				[
					expect.objectContaining({
						...{ outcome: 'skipped', code: 'drift' },
						message: expect.stringContaining(`the plan calls it "Test, please ignore", but it is "${was}`),
					}),
				],
			]);
			expect(at.writes()).toEqual([]);
			const again = await at.run('run apply bad.plan --yes --again --allow-drift');
			expect([again.exitCode, at.writes().length], again.stderr).toEqual([0, 1]);
		});

		test('but not a ticket that its own plan renames, in any order of sending', async () => {
			const at = await desk();
			await at.service.call('POST', '/tickets/14', { title: 'Printer' });
			at.file('e.csv', 'id,title,status\n14,,pending\n14,Scanner,\n14,,hold\n14,Copier,\n');
			await at.run('ticket update --input e.csv --plan p.plan');
			expect((await at.run('run show p.plan')).stdout).toContain('14\tScanner\tstatus\tpending\thold');
			const applied = await at.run('run apply p.plan --yes --format ndjson');
			expect(
				jsonLines(applied.stdout).map(({ outcome }) => outcome),
				applied.stderr,
			).toEqual(Array(4).fill('ok'));
			const again = await at.run('run apply p.plan --yes --again --format ndjson');
			expect(again.stdout).not.toContain('the plan calls it');
		});
	});

	test('one that calls a user by another name is not applied', async () => {
		const at = await desk();
		await at.service.call('POST', '/tickets/14', { assignee: 3 });
		await at.run('ticket update 14 --assignee jose.kaya --plan p.plan');
		const text = forge(at.read('p.plan'), (_row, lines) => {
			for (const line of lines) if (line.name === 'jose.kaya') line.name = 'sofia.bauer';
		});
		at.file('bad.plan', text);
		at.writes();
		const { exitCode, stderr } = await at.run('run apply bad.plan --yes');
		expect([exitCode, stderr]).toEqual([
			2,
			expect.stringContaining('it calls user 4 "sofia.bauer"; the service shows "jose.kaya"'),
		]);
		expect(at.writes()).toEqual([]);
	});
});

describe('a plan', () => {
	test('keeps its note and its maker in the run, beside who applied it', async () => {
		const at = await desk();
		await at.run(['ticket', 'update', '14', '--title', 'x', '--plan', 'p.plan', '--note', 'asked for by Ada']);
		const applied = await at.run('run apply p.plan --yes --report markdown:r.md --note second');
		expect(applied.exitCode, applied.stderr).toBe(0);
		expect(at.read('r.md')).toMatch(/planned by .*, applied by /);
		const shown = await at.run('run show last --json');
		expect(JSON.parse(shown.stdout)).toMatchObject({
			note: 'second',
			plan_note: 'asked for by Ada',
			planned_by: expect.stringContaining(' on '),
		});
		expect(at.read('r.md')).toContain('Note: asked for by Ada · Note: second');
	});

	test('says in its title what becomes of all its rows', async () => {
		for (const [force, done] of [
			['', 'moved to the trash'],
			['yes', 'deleted'],
		]) {
			const at = await desk();
			at.file('d.csv', `id,force\n14,\n15,${force}\n`);
			await at.run('ticket delete --input d.csv --plan p.plan --report markdown:p.md');
			expect(at.read('p.md')).toContain(`## Plan: 2 tickets would be ${done}\n`);
			await at.run('run apply p.plan --yes --report markdown:r.md');
			expect(at.read('r.md')).toContain(`## 2 tickets ${done}\n`);
		}
	});

	test('says in the title of its report what was gone already, where it was applied before', async () => {
		const at = await desk();
		await at.run('ticket delete 14 15 --force --plan p.plan');
		await at.service.call('DELETE', '/tickets/14?force=true');
		const report = '--report markdown:r.md --report html:r.html';
		await at.run(`run apply p.plan --yes ${report}`);
		expect(at.read('r.md')).toContain('## 1 ticket deleted, 1 already gone\n');
		await at.run(`run apply p.plan --yes ${report}`, { SUPPORTCTL_STATE_DIR: temporaryFolder() });
		expect(at.read('r.md')).toContain('## 2 tickets already gone\n');
		expect(at.read('r.html')).toContain('<h1>2 tickets already gone</h1>');
	});

	test('without rows to send says what it left out when it is applied', async () => {
		const at = await desk();
		const line = 'user delete nadia.chenn --reassign sofia.bauer --ignore-missing --plan p.plan';
		expect((await at.run(line)).exitCode).toBe(0);
		const { stderr, exitCode } = await at.run('run apply p.plan --yes');
		expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('up to date')]);
		expect(stderr).toContain('not in the plan: 1 not found: nadia.chenn; did you mean nadia.chen?');
	});

	test.each(['-n', '--plan p.plan', '--yes'])(
		'and any run exits with 3 if a row was changed by someone else: %s',
		async (how) => {
			const at = await desk();
			const newer = (await at.service.call('GET', '/tickets/15?context=edit')).body as { modified_gmt: string };
			at.file('e.csv', `id,title,modified_gmt\n14,x,2001-01-01T00:00:00\n15,x,${newer.modified_gmt}\n`);
			const { exitCode, stderr } = await at.run(`ticket update --input e.csv --if-unmodified ${how}`);
			expect([exitCode, stderr]).toEqual([3, expect.stringContaining('changed by someone else')]);
		},
	);

	test('has nothing to do elsewhere once it is applied', async () => {
		for (const [line, ...outcomes] of [
			['ticket update 14 15 --title x', 'skipped', 'skipped'],
			['ticket delete 14 15', 'skipped', 'skipped'],
			['ticket delete 14 15 --force', 'ok', 'ok'],
			['user delete erik.larsen --reassign sofia.bauer', 'ok'],
		] as const) {
			const at = await desk();
			await at.run(`${line} --plan p.plan`);
			expect((await at.run('run apply p.plan --yes')).exitCode, line).toBe(0);
			const state = temporaryFolder();
			const again = await at.run('run apply p.plan --yes --format ndjson', { SUPPORTCTL_STATE_DIR: state });
			expect([line, again.exitCode], again.stderr).toEqual([line, 0]);
			expect(jsonLines(again.stdout).map(({ outcome }) => outcome)).toEqual(outcomes);
			const changes = await at.run('run show last --changes --format count', { SUPPORTCTL_STATE_DIR: state });
			expect([line, changes.stdout]).toEqual([line, '0\n']);
		}
	});

	test('is not applied with --verify where nothing can be read back', async () => {
		const at = await desk();
		await at.run('user password delete emeka.park Laptop --plan p.plan');
		at.writes();
		const { exitCode, stderr } = await at.run('run apply p.plan --yes --verify');
		expect([exitCode, stderr]).toEqual([
			2,
			expect.stringContaining('no way to read application passwords; nothing was sent'),
		]);
		expect(at.writes()).toEqual([]);
	});

	test('is applied once by two applies at a time', async () => {
		const at = await desk({ latencyMs: 50 });
		await at.run('ticket delete 14 15 16 17 --force --plan p.plan');
		at.writes();
		const both = await Promise.all([at.run('run apply p.plan --yes'), at.run('run apply p.plan --yes')]);
		expect(both.map(({ exitCode }) => exitCode).sort()).not.toEqual([0, 0]);
		expect(at.writes()).toHaveLength(4);
	});
});
