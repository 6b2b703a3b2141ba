/** A journal that is resumed on another machine: as which user, with which service, and with which checks. */

import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startClosing } from '../support/closing-service.js';
import type { Desk } from '../support/desk.js';
import { lineOf } from '../support/journal.js';
import { done, json, type Responder, startRecorder } from '../support/recorder.js';
import { createWorkplace, type JournalLine, type Workplace } from '../support/workplace.js';

const BARE = { SUPPORTCTL_BASE_URL: undefined, SUPPORTCTL_USERNAME: undefined, SUPPORTCTL_PASSWORD: undefined };

function copy(from: Workplace, to: Workplace, ...names: string[]): Workplace {
	for (const name of names) copyFileSync(join(from.folder, name), join(to.folder, name));
	return to;
}

async function setProfile(work: Workplace, name: string, baseUrl: string, ...flags: string[]): Promise<void> {
	const set = ['profile', 'set', name, '--base-url', baseUrl, '--username', 'ada', ...flags];
	const { exitCode } = await work.run([...set, '--password-stdin', '--insecure-storage'], { stdin: 'pw', env: BARE });
	expect(exitCode).toBe(0);
}

/** A run with the profile `prod` that ended at its second row, and another machine that has its journal and input. */
async function stoppedElsewhere(flags: readonly string[] = [], ...run: string[]) {
	const { recorder, open } = await startClosing(1);
	const home = createWorkplace();
	await setProfile(home, 'prod', recorder.baseUrl, ...flags);
	home.write('edits.csv', 'id,status\n1,hold\n2,shop-on-hold\n3,hold\n');
	const args = ['ticket', 'update', '--input', 'edits.csv', '--journal', 'j.ndjson', '-j', '1', '-q', ...run];
	expect((await home.run(args)).exitCode).toBe(4);
	open();
	const away = copy(home, createWorkplace(recorder.env), 'j.ndjson', 'edits.csv');
	const header = away.records(join(away.folder, 'j.ndjson'))[0] as JournalLine;
	return { recorder, home, away, header };
}

const RESUME = ['run', 'resume', './j.ndjson', '--input', 'edits.csv', '-q'];

const sent = ({ writes }: Desk) =>
	writes.map(({ url, body, headers }) => [url, JSON.parse(body), headers.authorization]);
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

describe('a journal whose profile is not here', () => {
	it("is finished with the service that the environment names, in the deployment's words, and says so once", async () => {
		const { recorder, away, header } = await stoppedElsewhere(['--product-prefix', 'acme', '--shop-prefix', 'wc']);
		const result = await away.run(RESUME);
		expect(result).toEqual({
			exitCode: 0,
			stdout: expect.any(String),
			stderr: `warning: run ${header.id} was started with profile "prod"; now using SUPPORTCTL_BASE_URL\n`,
		});
		const who = basic('ada', 's3cret pass');
		expect(sent(recorder)).toEqual([
			['/wp-json/acme-api/v1/tickets/2', { status: 'wc-on-hold' }, who],
			['/wp-json/acme-api/v1/tickets/3', { status: 'hold' }, who],
		]);
	});

	it('is finished with the base URL of this call, and with the profile in use', async () => {
		const { recorder, away } = await stoppedElsewhere();
		const byFlag = copy(away, createWorkplace(), 'j.ndjson', 'edits.csv');
		const env = { SUPPORTCTL_USERNAME: 'ada', SUPPORTCTL_PASSWORD: 's3cret pass' };
		const flagged = await byFlag.run([...RESUME, '--base-url', recorder.baseUrl], { env });
		expect([flagged.exitCode, flagged.stderr]).toEqual([0, expect.stringContaining('now using --base-url')]);
		const byProfile = copy(away, createWorkplace(), 'j.ndjson', 'edits.csv');
		await setProfile(byProfile, 'desk', recorder.baseUrl);
		expect((await byProfile.run('profile use desk')).exitCode).toBe(0);
		const used = await byProfile.run(RESUME);
		expect([used.exitCode, used.stderr]).toEqual([0, expect.stringContaining('now using profile "desk"')]);
		// The first of the two has sent what was open: the second finds it done.
		expect(recorder.writes).toHaveLength(2);
	});

	it('is refused where nothing names a service, with what to do about it', async () => {
		const { recorder, away, header } = await stoppedElsewhere();
		expect(await away.run(RESUME, { env: BARE })).toEqual({
			exitCode: 2,
			stdout: '',
			stderr:
				`error: run ${header.id} was on ${recorder.baseUrl}, but no base URL is set; nothing was sent\n` +
				"hint: pass the run's --profile or --base-url\n",
		});
		expect(recorder.writes).toEqual([]);
	});

	it('says how to name the place of its input', async () => {
		const { home, away, header } = await stoppedElsewhere();
		rmSync(join(home.folder, 'edits.csv'));
		const { exitCode, stderr } = await away.run('run resume ./j.ndjson -q');
		expect([exitCode, stderr]).toEqual([
			2,
			`error: run ${header.id} read ${join(home.folder, 'edits.csv')}, which was not found\n` +
				'hint: point to the input with --input FILE\n',
		]);
	});

	it('is refused where the settings lead to another service, and both are named', async () => {
		const { recorder, away, header } = await stoppedElsewhere();
		const other = await startRecorder();
		const refused = await away.run(RESUME, { env: { SUPPORTCTL_BASE_URL: other.baseUrl } });
		expect([refused.exitCode, refused.stderr]).toEqual([
			2,
			`error: run ${header.id} was on ${recorder.baseUrl}, but your base URL is ${other.baseUrl}; nothing was sent\n` +
				"hint: pass the run's --profile or --base-url\n",
		]);
		expect([...recorder.writes, ...other.requests]).toEqual([]);
	});

	it('of a profile that is here goes on with that one, whatever the environment says', async () => {
		const { recorder, home } = await stoppedElsewhere();
		const { exitCode, stderr } = await home.run(RESUME, { env: { SUPPORTCTL_PROFILE: 'none' } });
		expect([exitCode, stderr]).toEqual([0, '']);
		expect(sent(recorder).map(([, , who]) => who)).toEqual([basic('ada', 'pw'), basic('ada', 'pw')]);
	});
});

describe('a journal that was edited to name another host', () => {
	const PASSWORD = { SUPPORTCTL_PASSWORD: 's3cret pass' };

	/** The stopped run, at a machine with the profile `desk` in use, with other words in its header. */
	async function edited(service: (other: string) => Record<string, unknown>) {
		const { recorder, away } = await stoppedElsewhere();
		const work = copy(away, createWorkplace(), 'j.ndjson', 'edits.csv');
		await setProfile(work, 'desk', recorder.baseUrl);
		const other = await startRecorder();
		const [first = '', ...rest] = work.read('j.ndjson').split('\n');
		const header = JSON.parse(first) as { plan: { service: object } } & Record<string, unknown>;
		Object.assign(header.plan.service, service(other.baseUrl));
		work.write('j.ndjson', [lineOf(header), ...rest].join('\n'));
		return { recorder, work, other };
	}

	it.each([
		['without a profile', undefined],
		['with a profile that is stored', 'desk'],
	])('gets no request there: %s', async (_, profile) => {
		const { recorder, work, other } = await edited((baseUrl) => ({ baseUrl, profile }));
		for (const env of [
			{},
			PASSWORD,
			{ SUPPORTCTL_BASE_URL: recorder.baseUrl, SUPPORTCTL_USERNAME: 'ada', ...PASSWORD },
		]) {
			for (const command of [RESUME, ['run', 'retry', './j.ndjson', '-q']]) {
				expect(await work.run(command, { env })).toMatchObject({
					exitCode: 2,
					stderr: expect.stringContaining(
						`was on ${other.baseUrl}, but your base URL is ${recorder.baseUrl}; nothing was sent`,
					),
				});
			}
		}
		expect([...recorder.writes, ...other.requests]).toEqual([]);
	});

	it('goes to the service of this machine where only settings of its own name another', async () => {
		const { recorder, work, other } = await edited((url) => ({ username: 'eve', caFile: '/none', proxy: url }));
		const result = await work.run([...RESUME, '--report', 'markdown:own.md']);
		expect(result.exitCode, result.stderr).toBe(0);
		expect(sent(recorder).map(([, , who]) => who)).toEqual([basic('ada', 'pw'), basic('ada', 'pw')]);
		expect(other.requests).toEqual([]);
		expect(work.read('own.md')).toContain('ok');
	});

	it('gets the password of a variable only for the service of this machine', async () => {
		const { recorder, work } = await edited(() => ({ profile: 'desk' }));
		const result = await work.run(RESUME, { env: PASSWORD });
		expect(result.exitCode, result.stderr).toBe(0);
		expect(sent(recorder).map(([, , who]) => who)).toEqual(Array(2).fill(basic('ada', 's3cret pass')));
	});
});

it('credentials that a profile holds and that are refused are named with their profile and the next step', async () => {
	const recorder = await startRecorder(json(401, { code: 'rest_no', message: 'Sorry.' }));
	const work = createWorkplace();
	await setProfile(work, 'desk', recorder.baseUrl);
	const hint = 'the credentials of profile "desk" may have expired; sign in again: supportctl login --profile desk';
	for (const args of [
		['ticket', 'update', '1', '--status', 'hold'],
		['api', 'GET', 'tickets'],
	]) {
		const result = await work.run(args);
		expect([result.exitCode, result.stderr]).toEqual([4, expect.stringContaining(hint)]);
	}
	const byVariable = await work.run('api GET tickets', { env: { SUPPORTCTL_PASSWORD: 'x' } });
	expect(byVariable.stderr).not.toContain('may have expired');
	expect(byVariable.stderr).toContain('check SUPPORTCTL_PASSWORD');
});

describe('a journal of a protected profile', () => {
	it('needs --confirm with its name wherever it is resumed', async () => {
		const { recorder, away } = await stoppedElsewhere(['--protected'], '--confirm', 'prod');
		for (const more of [[], ['--confirm', 'other']]) {
			const result = await away.run([...RESUME, ...more]);
			expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining('pass --confirm=prod')]);
		}
		expect(recorder.writes).toEqual([]);
		expect((await away.run([...RESUME, '--confirm', 'prod'])).exitCode).toBe(0);
		expect(recorder.writes).toHaveLength(2);
	});

	it('needs none once that profile is here and protected no more', async () => {
		const { recorder, home } = await stoppedElsewhere(['--protected'], '--confirm', 'prod');
		await setProfile(home, 'prod', recorder.baseUrl, '--no-protected');
		expect((await home.run(RESUME)).exitCode).toBe(0);
	});

	it('needs it to be undone, and so does the undo', async () => {
		const held: Record<string, string> = { color: 'red' };
		let isOpen = true;
		const responder: Responder = (request, response, count) => {
			if (!isOpen) return json(401, { code: 'rest_no', message: 'Sorry.' });
			if (request.method === 'POST') Object.assign(held, JSON.parse(request.body).custom_fields);
			const shown = { color: { name: 'Color', value: held.color } };
			json(200, request.method === 'GET' ? shown : null)(request, response, count);
		};
		const recorder = await startRecorder(responder);
		const home = createWorkplace();
		await setProfile(home, 'prod', recorder.baseUrl, '--protected');
		const set = ['ticket', 'fields', 'set', '1', '--set', 'color=blue', '--snapshot', '--journal', 'j.ndjson', '-q'];
		expect((await home.run([...set, '--confirm', 'prod'])).exitCode).toBe(0);
		const away = copy(home, createWorkplace(recorder.env), 'j.ndjson');
		const undo = ['run', 'undo', '--yes', './j.ndjson', '--journal', 'undo.ndjson', '-q'];
		const unconfirmed = await away.run(undo);
		expect([unconfirmed.exitCode, unconfirmed.stderr]).toEqual([2, expect.stringContaining('pass --confirm=prod')]);
		isOpen = false;
		expect((await away.run([...undo, '--confirm', 'prod'])).exitCode).toBe(4);
		isOpen = true;
		const resume = ['run', 'resume', './undo.ndjson', '--yes', '-q'];
		const again = await away.run(resume);
		expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('pass --confirm=prod')]);
		expect(held).toEqual({ color: 'blue' });
		expect((await away.run([...resume, '--confirm', 'prod'])).exitCode).toBe(0);
		expect(held).toEqual({ color: 'red' });
	});
});

describe('the rejects of a journal whose input is elsewhere', () => {
	async function failedElsewhere(...args: string[]) {
		const [yes, no] = [done(), json(400, { code: 'rest_no', message: 'Sorry.' })];
		const responder: Responder = (request, ...rest) => (request.url.endsWith('/2') ? no : yes)(request, ...rest);
		const recorder = await startRecorder(responder);
		const home = createWorkplace(recorder.env);
		home.write('edits.csv', 'id,title\n1,one\n2,two\n');
		const stdin = home.read('edits.csv');
		const flags = ['--input-format', 'csv', '--journal', 'j.ndjson', '-q'];
		await home.run(['ticket', 'update', ...args, ...flags], { stdin });
		const away = copy(home, createWorkplace(), 'j.ndjson', 'edits.csv');
		rmSync(join(home.folder, 'edits.csv'));
		return { away, run: away.records(join(away.folder, 'j.ndjson'))[0] as JournalLine, home };
	}

	const rejects = ['run', 'rejects', './j.ndjson'];
	const expected = { exitCode: 0, stdout: 'id,title,error\n2,two,400 rest_no: Sorry.\n', stderr: '' };

	it('are given back from --input, be it a file or standard input', async () => {
		const { away } = await failedElsewhere('--input', 'edits.csv');
		expect(await away.run([...rejects, '--input', 'edits.csv'])).toEqual(expected);
		expect(await away.run([...rejects, '--input', '-'], { stdin: away.read('edits.csv') })).toEqual(expected);
		expect(away.spooled()).toEqual([]);
		expect(away.read('edits.csv')).toContain('two');
		const { away: piped, home } = await failedElsewhere('--input', '-');
		home.spooled().forEach((path) => void rmSync(path));
		expect((await piped.run(rejects)).stderr).toContain('exporting only IDs; pass the file with --input');
		expect(await piped.run([...rejects, '--input', 'edits.csv'])).toEqual(expected);
	});

	it('are refused for another input, with how to name its place', async () => {
		const { away, home, run } = await failedElsewhere('--input', 'edits.csv');
		const lost = await away.run(rejects);
		expect(lost).toEqual({
			exitCode: 2,
			stdout: '',
			stderr:
				`error: run ${run.id} read ${join(home.folder, 'edits.csv')}, which was not found\n` +
				'hint: point to the input with --input FILE\n',
		});
		away.write('other.csv', 'id,title\n1,one\n2,three\n');
		const refused = await away.run([...rejects, '--input', 'other.csv']);
		expect([refused.exitCode, refused.stdout]).toEqual([2, '']);
		expect(refused.stderr).toMatch(`error: other.csv is not the input of run ${run.id}\n`);
	});
});
