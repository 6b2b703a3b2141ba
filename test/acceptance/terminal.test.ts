import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRawServer } from '../support/raw-server.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';
import { runInTerminal as run } from '../support/terminal.js';

let desk: TestSandbox;
beforeAll(async () => {
	desk = await startSandbox({ seed: 20 });
});
afterAll(() => desk.stop());

const long = 'The printer on the second floor is on fire again and nobody here knows why that would be';

describe('in a real terminal', () => {
	it('tables and help fit 60, 80 and 200 columns, and tables use the room that there is', async () => {
		for (const columns of [60, 80, 200]) {
			const title = `${long} ${columns}`;
			const shell = `supportctl ticket update 1 2 999 --title '${title}' --status hold --assignee 2 -j 1 2>/dev/null`;
			const table = await run([], { columns, shell, env: desk.env });
			expect(table.exitCode).toBe(3);
			expect(Math.max(...table.lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
			expect(table.lines[0]).toMatch(/^ID +OUTCOME +STATUS +TITLE +ASSIGNEE +MESSAGE$/);
			expect(table.lines[1]).toMatch(/^1 +ok +hold +The p/);
			expect(table.lines[1]?.includes(title)).toBe(columns === 200);
			expect(table.lines[3]).toMatch(/^999 +failed +ticket 999 not/);
			const help = await run('help safety', { columns });
			expect(Math.max(...help.lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
		}
	});

	it('questions say in lines what would happen, and break no word at 60 and 80 columns', async () => {
		for (const columns of [60, 80]) {
			const told = async (shell: string): Promise<string> => {
				const { lines, exitCode } = await run([], { columns, shell, env: desk.env, script: [[/y\/N/, 'n\r']] });
				expect(exitCode).toBe(2);
				expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
				expect(lines.join('\n')).toMatch(/^\? Continue\? \(y\/N\)/m);
				return lines.join(' ').replace(/ +/g, ' ');
			};
			const leaver = await told('supportctl user delete amir.rossi erik.larsen --reassign sofia.bauer');
			expect(leaver).toMatch(/^Permanently delete 2 users on 127\.0\.0\.1:\d+ /);
			expect(leaver).toContain(' user 5 "amir.rossi": permanently deleted; posts go to sofia.bauer ');
			expect(leaver).toMatch(
				/ Note: \d+ tickets? assigned to .* the deleted user; to move them first: --move-tickets\. /,
			);
			const header = 'id,title,assignee,ticket_priority';
			const rows = `seq 1 60 | awk '{ print $1 ",T" $1 "," ($1 % 2 ? "jose.kaya" : 3) ",Low" }'`;
			const many = await told(`{ echo ${header}; ${rows}; } >e.csv; supportctl ticket update --input e.csv`);
			const totals = '60 titles (all different) · 60 assignees: 30 jose.kaya, 30 sofia.bauer · 60 priorities: Low';
			expect(many).toContain(`Update 60 tickets on ${new URL(desk.baseUrl).host} ${totals} `);
			expect(many).toContain(' Note: run undo can restore the old values. ');
		}
	});

	it('dry runs show the changed part of long values, names of fields and reasons whole at 60 and 80 columns', async () => {
		const content = `${long}. ${long}.`;
		await desk.call('POST', '/tickets/18', { content, title: long });
		for (const columns of [60, 80]) {
			const to = content.replace(/fire(?!.*fire)/, 'WATER');
			const fields = `--content '${to}' --title '${long} now' --secondary-assignee jose.kaya`;
			const { lines } = await run([], {
				columns,
				shell: `supportctl ticket update 18 999999 ${fields} -n`,
				env: desk.env,
			});
			const table = lines.filter((line) => !/^(dry run|not sent|title )/.test(line));
			expect(Math.max(...table.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
			const text = lines.join('\n');
			for (const shown of ['WATER', 'now', 'secondary-assignee', 'jose.kaya', 'nothing was sent']) {
				expect(text).toContain(shown);
			}
		}
	});

	it('custom fields of several tickets are one table with a column for each, or a block for each ticket', async () => {
		const argv = ['ticket', 'fields', 'get', '14', '15', '16', '-q'];
		for (const columns of [60, 80, 200]) {
			const { lines, exitCode } = await run(argv, { columns, env: desk.env });
			expect(exitCode).toBe(0);
			expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
			const text = lines.join('\n');
			if (columns === 200) {
				expect(lines[0]).toMatch(
					/^ID {2}OUTCOME {2}ORDER_NUMBER {2}WEBSITE +SEVERITY {2}SERIAL_NUMBER {2}WARRANTY_UNTIL {2}REFUND_REQUESTED {2}INTERNAL_NOTE$/,
				);
				expect(lines.slice(1, 4).map((line) => line.slice(0, 6))).toEqual(['14  ok', '15  ok', '16  ok']);
			} else {
				expect(text).toMatch(
					columns === 60 ? /^id +14\noutcome +ok\norder_number +/ : /^ID {2}OUTCOME {2}ORDER_NUMBER/,
				);
			}
		}
	});

	it('shows what is longer than the screen in a pager, unless there is to be none', async () => {
		const pager = 'echo paged; cat';
		// The end of a session discards what its terminal holds beyond 4 KB; in a shell the session goes on.
		const shown = async (argv: string[], env: Record<string, string> = {}) =>
			(await run([], { env, shell: `supportctl ${argv.join(' ')}; sleep 1` })).raw;
		const flags = ['help', 'flags'];
		const [plain, paged, own, unpaged, dumb, missing, short] = await Promise.all([
			shown(flags),
			shown(flags, { PAGER: pager }),
			shown(flags, { SUPPORTCTL_PAGER: pager, PAGER: 'false' }),
			shown([...flags, '--no-pager'], { PAGER: pager }),
			shown(flags, { PAGER: pager, TERM: 'dumb' }),
			shown(flags, { PAGER: '/no/such/pager' }),
			shown(['help', 'statuses'], { PAGER: pager }),
		]);
		expect(plain).toContain('--membership-prefix');
		expect([paged, own]).toEqual([`paged\r\n${plain}`, `paged\r\n${plain}`]);
		expect(unpaged).toBe(plain);
		expect(dumb).not.toContain('paged');
		expect(missing).toContain(plain);
		expect(short).not.toContain('paged');
	});

	it('gives its pager no credentials', async () => {
		const env = { SUPPORTCTL_PAGER: 'echo "seen=$SUPPORTCTL_PASSWORD."; cat', SUPPORTCTL_PASSWORD: 'abcdefgh' };
		const { raw } = await run([], { env, shell: 'supportctl help flags; sleep 1' });
		expect(raw).toMatch(/^seen=\.\r\n/);
	});

	it('leaves Ctrl-C to the pager, and lets less show colours as colours unless LESS says otherwise', async () => {
		const argv = ['ticket', 'list', '--format', 'json'];
		const PAGER = "trap '' INT; echo LESS=$LESS; cat; echo press; sleep 1; echo left";
		const paged = await run(argv, { env: { ...desk.env, PAGER }, script: [[/press/, '\x03']] });
		expect(paged).toMatchObject({ exitCode: 0 });
		expect(paged.raw).toMatch(/LESS=FRX\r\n.*left\r\n$/s);
		expect(paged.raw).not.toContain('interrupted');
		expect((await run(argv, { env: { ...desk.env, PAGER, LESS: '-i' } })).raw).toContain('LESS=-i\r\n');
	});

	it('leaves the exit code of a request as it is, whatever is left of its pager', async () => {
		const body = { code: 'no', message: 'No.', data: { status: 404, rows: Array(20_000).fill('some text') } };
		const server = await startRawServer((request) => request.json(404, body));
		const env = { SUPPORTCTL_BASE_URL: server.baseUrl, SUPPORTCTL_USERNAME: 'a', SUPPORTCTL_PASSWORD: 'sesam-sesam' };
		// A pager that a person leaves with q after the first lines.
		const left = { ...env, SUPPORTCTL_PAGER: 'head -c 2000' };
		const failed = await run('api GET gone', { env: left });
		expect(failed.exitCode).toBe(1);
		expect(failed.raw).toContain('GET /support-api/v1/gone failed (HTTP 404 no)');
	});

	it('is in colour, unless NO_COLOR, --no-color, TERM=dumb or CI say otherwise', async () => {
		const argv = ['ticket', 'update', '1', '2', '--status', 'hold'];
		const coloured = async (env: Record<string, string>, more: string[] = []): Promise<boolean> => {
			const { raw, exitCode } = await run([...argv, ...more], { env: { ...desk.env, ...env } });
			expect(exitCode).toBe(0);
			return /\x1b\[3[0-9]m/.test(raw);
		};
		expect(await coloured({})).toBe(true);
		expect(await coloured({ NO_COLOR: '1' })).toBe(false);
		expect(await coloured({ TERM: 'dumb' })).toBe(false);
		expect(await coloured({ CI: 'true' })).toBe(false);
		expect(await coloured({ CI: 'true', FORCE_COLOR: '1' })).toBe(true);
		expect(await coloured({}, ['--no-color'])).toBe(false);
		const asked = await run('ticket delete 1 --no-color', { env: desk.env, script: [[/y\/N/, 'n\r']] });
		expect(asked.raw).toContain('canceled');
		expect(asked.raw).not.toMatch(/\x1b\[3[0-9]m/);
	});

	it('has no bar among the lines that -v logs', async () => {
		const runs = ['ticket update 1 2 3 --status hold --no-color -v', 'ticket list --no-color -v'];
		for (const words of runs) {
			const { raw, exitCode } = await run(words, { env: desk.env });
			expect(exitCode).toBe(0);
			expect(raw).toContain('< 200');
			expect(raw).not.toContain('\x1b[K');
		}
	});

	it('gets no control sequence at all where it is dumb', async () => {
		const argv = ['ticket', 'update', '1', '2', '3', '--status', 'hold', '--send-unchanged'];
		const { raw, exitCode } = await run(argv, { env: { ...desk.env, TERM: 'dumb' } });
		expect(exitCode).toBe(0);
		expect(raw).toContain('3 ok');
		expect(raw.replaceAll('\r\n', '\n')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
	});

	it('gets nothing but text and colours from what the service says', async () => {
		const hostile = 'A\x1b]0;owned\x07\x1b[2J\r\x9b5n\u202eB\u2066';
		for (const format of ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml']) {
			const argv = ['ticket', 'update', '1', '2', '-q', '--format', format, '--title', hostile, '-vv'];
			const { raw } = await run(argv, { env: desk.env });
			const text = format === 'tsv' ? raw.replaceAll('\t', '') : raw;
			expect(raw, format).toContain('owned');
			expect(text.replace(/\x1b\[[0-9;]*m/g, ''), format).not.toMatch(
				/[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e\u2066]|\r[^\n]/,
			);
		}
	});

	it('cuts nothing and colours nothing where stdout is a pipe', async () => {
		const shell = `supportctl ticket update 1 2 -j 1 --status hold --title '${long}' 2>/dev/null | cat`;
		const { raw, exitCode } = await run([], { columns: 60, shell, env: desk.env });
		expect(exitCode).toBe(0);
		expect(raw.replaceAll('\r', '')).toBe(`1\tok\thold\t${long}\t\n2\tok\thold\t${long}\t\n`);
	});

	it('shows what a single request waits for, and how long before a retry', async () => {
		const server = await startRawServer((request) => {
			if (request.number === 1) request.json(503, { code: 'busy', message: 'Busy.' }, { 'retry-after': '2' });
			else setTimeout(() => request.json(200, { id: 14, status: 'hold' }), request.number === 2 ? 1500 : 0);
		});
		const env = { SUPPORTCTL_BASE_URL: server.baseUrl, SUPPORTCTL_USERNAME: 'a', SUPPORTCTL_PASSWORD: 'sesam-sesam' };
		const update = ['ticket', 'update', '14', '--status', 'hold'];
		const slow = await run(update, { env });
		expect(slow.exitCode).toBe(0);
		expect(slow.raw).toContain('waiting 2 s before a retry (HTTP 503) …');
		expect(slow.raw).toContain(`waiting for ${new URL(server.baseUrl).host} to respond …`);
		const quick = await run(update, { env });
		expect(quick.raw).not.toContain('waiting');
	});

	it('ends quietly when the reader of a pipe goes away', async () => {
		const shell =
			'for id in 1 2 3 4 5 6 7 8 9 10; do echo $id; done | supportctl ticket update - --status hold --format ndjson -q | head -n 1; supportctl --help | true; echo over';
		const { lines } = await run([], { columns: 2_000, shell, env: desk.env });
		expect(lines[0]).toMatch(/^\{"row":\d+,/);
		expect(lines.slice(1)).toEqual(['over', '']);
	});
});
