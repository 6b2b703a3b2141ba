/** Custom fields of many tickets: only what changed, old beside new, read back, kept, and put back by run undo. */

import { describe, expect, it } from 'vitest';
import { done, idOf, json, type RecordedRequest, type Responder, startRecorder } from '../support/recorder.js';
import { scriptedPrompts } from '../support/scripted-prompts.js';
import type { Workplace } from '../support/workplace.js';
import { createWorkplace, startWorkplace } from '../support/workplace.js';

type Fields = Record<string, unknown>;

/** How a service shows custom fields. */
type Shape = (fields: Fields) => unknown;

const shapes: Record<string, Shape> = {
	'name → {value}': (fields) =>
		Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { name, value, markup: '<input>' }])),
};

interface DeskOptions {
	shape?: Shape;
	/** A field that no write changes. */
	fixed?: string;
	/** A responder in place of the desk's own. */
	instead?(request: RecordedRequest, sent: Fields): Responder | undefined;
}

/** A desk whose tickets keep the custom fields that they have, and ignore others without an error. */
async function desk(
	tickets: Record<number, Fields>,
	{ shape = shapes['name → {value}'] as Shape, fixed, instead }: DeskOptions = {},
) {
	const underWay = { now: 0, most: 0 };
	const { recorder, work } = await startWorkplace(async (request, response) => {
		underWay.most = Math.max(underWay.most, ++underWay.now);
		await new Promise((resolve) => setTimeout(resolve, 2));
		underWay.now--;
		const respond = (): Responder => {
			const fields = tickets[idOf(request)];
			const sent = (request.method === 'POST' ? JSON.parse(request.body).custom_fields : {}) as Fields;
			const other = instead?.(request, sent);
			if (other !== undefined) return other;
			if (fields === undefined) return json(404, { code: 'rest_post_invalid_id', message: 'Invalid post ID.' });
			if (request.method === 'DELETE') return done();
			if (request.method === 'GET') return json(200, shape(fields));
			const known = Object.entries(sent).filter(([name]) => Object.hasOwn(fields, name) && name !== fixed);
			for (const [name, value] of known) {
				Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
			}
			return json(200, null);
		};
		respond()(request, response, 0);
	});
	const writes = () =>
		recorder.requests
			.filter(({ method }) => method === 'POST')
			.map((request) => `${idOf(request)} ${request.body.slice('{"custom_fields":'.length, -1)}`)
			.sort();
	return { recorder, work, writes, underWay };
}

/** The same after a run with --snapshot over a sheet. */
async function changed(tickets: Record<number, Fields>, sheet: string, options?: DeskOptions) {
	const place = await desk(tickets, options);
	place.work.write('fields.csv', sheet);
	const { exitCode } = await place.work.run(`${SET} --snapshot -q -j 1`);
	place.recorder.requests.length = 0;
	return { ...place, exitCode };
}

const SET = 'ticket fields set --input fields.csv';
const UNDO = 'run undo --yes last -q';
const ONE = 'ticket_id,colour\n1,blue\n';
const runId = (work: Workplace): string => work.records()[0]?.id as string;

describe.each(Object.entries(shapes))('fields that are shown as %s', (_name, shape) => {
	it('are compared, kept, changed where they differ, read back, and put back', async () => {
		const tickets = {
			1: { colour: 'red', size: 'xl' },
			2: { colour: 'blue', size: '' },
			3: { colour: 'red', size: 's' },
		};
		const before = structuredClone(tickets);
		const { work, writes, recorder } = await desk(tickets, { shape });
		work.write('fields.csv', 'ticket_id,colour,size\n1,red,m\n2,blue,\n3,green,\n');

		const diff = await work.run(`${SET} --dry-run --diff --only-changed --fields ticket_id,field,old,new`);
		expect(diff).toEqual({
			exitCode: 0,
			stdout: '1\tsize\txl\tm\n3\tcolour\tred\tgreen\n',
			stderr: `dry run on ${new URL(recorder.baseUrl).host}: 2 tickets would change: 1 size value, 1 colour value; nothing was sent\nnot sent: 1 unchanged\n`,
		});
		expect(writes()).toEqual([]);

		const result = await work.run(`${SET} --only-changed --snapshot --verify -q --format csv`);
		expect(result).toMatchObject({ exitCode: 0, stderr: '' });
		expect(writes()).toEqual(['1 {"size":"m"}', '3 {"colour":"green"}']);
		expect(tickets).toEqual({ 1: { colour: 'red', size: 'm' }, 2: before[2], 3: { colour: 'green', size: 's' } });

		recorder.requests.length = 0;
		const undone = await work.run(UNDO);
		expect(undone).toMatchObject({ exitCode: 0, stderr: '' });
		expect(writes()).toEqual(['1 {"size":"xl"}', '3 {"colour":"red"}']);
		expect(tickets).toEqual(before);
		expect(work.spooled()).toEqual([]);
	});
});

describe('--diff', () => {
	it('reads several tickets at a time and prints them in the order of the input', async () => {
		const ids = Array.from({ length: 40 }, (_, index) => index + 1);
		const { work, underWay } = await desk(Object.fromEntries(ids.map((id) => [id, { colour: String(id) }])));
		work.write('fields.csv', `ticket_id,colour\n${ids.map((id) => `${id},x\n`).join('')}`);
		const { stdout } = await work.run(`${SET} -n --diff --field ticket_id -j 6`);
		expect(stdout.trim().split('\n').map(Number)).toEqual(ids);
		// Of six at a time, how many meet depends on how busy the machine is.
		expect(underWay.most).toBeGreaterThan(1);
		expect(underWay.most).toBeLessThanOrEqual(6);
	});

	it('says which fields the service does not show, and which tickets can not be read', async () => {
		const { work, recorder } = await desk({ 1: { colour: 'red' } });
		work.write('fields.csv', 'ticket_id,colour,fresh\n1,blue,x\n9,blue,\n');
		const lines = [
			`dry run on ${new URL(recorder.baseUrl).host}: 1 ticket would change: 1 colour value, 1 fresh value; nothing was sent`,
			"not sent: 1 that can't be read: ticket 9\n",
		];
		expect(await work.run(`${SET} -n --only-changed --fields ticket_id,field,old,new,message`)).toEqual({
			exitCode: 3,
			stdout: '1\tcolour\tred\tblue\t\n1\tfresh\t(not there)\tx\t\n9\t\t\t\tticket 9 not found\n',
			stderr: lines.join('\n'),
		});
		expect(recorder.requests.every(({ method }) => method === 'GET')).toBe(true);
	});

	it('sends nothing to empty a field that is not there', async () => {
		const { work } = await desk({ 1: { colour: 'red' } });
		work.write('fields.csv', 'ticket_id,colour,fresh\n1,red,\n');
		const { stderr, stdout } = await work.run(`${SET} -n --blank clear=fresh --fields ticket_id,field,old,new`);
		expect([stdout, stderr]).toEqual(['', expect.stringContaining('1 row is already up to date')]);
	});

	it('redacts the values of fields that are named like secrets', async () => {
		const { work } = await desk({ 1: { api_token: 'old-marker', colour: 'red' } });
		work.write('fields.csv', 'ticket_id,api_token,secret_key,colour\n1,new-marker,new-marker,blue\n');
		const { stdout } = await work.run(`${SET} -n --diff --fields ticket_id,field,old,new`);
		expect(stdout.split('\n').slice(0, 3)).toEqual([
			'1\tapi_token\t[redacted]\t[redacted]',
			'1\tsecret_key\t(not there)\t[redacted]',
			'1\tcolour\tred\tblue',
		]);
		for (const format of ['csv', 'json', 'table']) {
			expect((await work.run(`${SET} -n --format ${format}`)).stdout).not.toContain('-marker');
		}
	});

	it('ends at a 401 instead of a refusal for every row', async () => {
		const { recorder, work } = await startWorkplace(json(401, { code: 'rest_forbidden', message: 'Who are you?' }));
		work.write(
			'fields.csv',
			`ticket_id,colour\n${Array.from({ length: 200 }, (_, index) => `${index + 1},x\n`).join('')}`,
		);
		const result = await work.run(`${SET} -n --diff`);
		expect(result.exitCode).toBe(4);
		expect(result.stderr).toContain('the service refused the credentials (401): Who are you?');
		expect(recorder.requests.length).toBeLessThan(10);
	});

	it('goes with --dry-run alone', async () => {
		const { work } = await desk({});
		work.write('fields.csv', 'ticket_id,colour\n1,x\n');
		expect(await work.run(`${SET} --diff`)).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('--diff requires --dry-run'),
		});
	});
});

describe('a sheet that ticket fields get wrote', () => {
	it('can be fed in again: what it adds to the fields is not sent', async () => {
		const { work, writes } = await desk({ 1: { colour: 'red', id: 'A7' }, 2: { colour: 'blue' } });
		const sheet = await work.run('ticket fields get 1 2 --format csv');
		expect(sheet.stdout).toBe('id,outcome,colour,field.id,message\n1,ok,red,A7,\n2,ok,blue,,\n');
		work.write('fields.csv', 'id,outcome,colour,message\n1,ok,green,\n');
		const result = await work.run(SET);
		expect(writes()).toEqual(['1 {"colour":"green"}']);
		expect(result.stderr).toContain('column outcome is not sent; to send it: --map outcome=outcome\n');
		work.write('fields.csv', 'id,outcome\n1,won\n');
		await work.run(`${SET} -q`);
		expect(writes()).toHaveLength(2);
	});
});

describe('--only-changed', () => {
	it('skips tickets that have all values already, so that a second run sends nothing', async () => {
		const { work, writes, recorder } = await desk({ 1: { colour: 'red', n: 4 }, 2: { colour: 'red', n: 5 } });
		work.write('fields.csv', 'ticket_id,colour,n\n1,blue,4\n2,red,5\n');
		expect((await work.run(`${SET} --only-changed`)).stderr).toMatch(/: 1 ok, 1 skipped\n$/);
		expect(writes()).toEqual(['1 {"colour":"blue"}']);
		recorder.requests.length = 0;
		const again = await work.run(`${SET} --only-changed`);
		expect(again.exitCode).toBe(0);
		expect(again.stderr).toMatch(/: 2 skipped\n$/);
		expect(writes()).toEqual([]);
	});
});

describe('--verify', () => {
	it('names a field that the service ignored', async () => {
		const { work } = await desk({ 1: { colour: 'red' } });
		work.write('fields.csv', 'ticket_id,colour,fresh\n1,blue,x\n');
		const result = await work.run(`${SET} --verify --format ndjson`);
		expect(result.exitCode).toBe(6);
		expect(JSON.parse(result.stdout)).toMatchObject({
			outcome: 'differs',
			differs: [{ field: 'fresh', sent: 'x', shown: null }],
		});
		const [error] = result.stderr.split('\n').map((line) => line && JSON.parse(line).error);
		expect(error).toMatchObject({ code: 'rows_failed', counts: { differs: 1 } });
		expect((await work.run('run rejects last --format csv')).stdout).toMatch(
			/^ticket_id,colour,fresh,error\n1,blue,x,"200 no_such_field: custom field ""fresh"" not found; fields: colour; fresh is null, not ""x"""\n$/,
		);
		expect((await work.run('run resume last')).stderr).toMatch(/nothing to send/);
		const allowed = await work.run(`${SET} --verify --allow-differs=fresh --format ndjson`);
		expect(allowed.exitCode).toBe(0);
		expect(JSON.parse(allowed.stdout)).toMatchObject({ outcome: 'ok', differs: [{ field: 'fresh' }] });
	});
});

describe('a field that is named like a secret', () => {
	it.each(['new-marker', ''])('is redacted where the service kept another value than %j', async (sent) => {
		const { work } = await desk({ 1: { api_token: 'old-marker' } }, { fixed: 'api_token' });
		work.write('fields.csv', `ticket_id,api_token\n1,${sent}\n`);
		const result = await work.run(`${SET} --verify --blank clear --format ndjson --journal journal.ndjson`);
		expect(JSON.parse(result.stdout)).toMatchObject({ differs: [{ field: 'api_token', shown: '[redacted]' }] });
		expect(`${result.stdout}${result.stderr}${work.read('journal.ndjson')}`).not.toContain('-marker');
	});
});

describe('run undo', () => {
	it('puts back what was there before the run, however often a ticket stood in it', async () => {
		const tickets = { 1: { colour: 'red', size: 'xl' } };
		const { work } = await changed(tickets, 'ticket_id,colour,size\n1,blue,\n1,green,m\n1,black,s\n');
		expect(tickets[1]).toEqual({ colour: 'black', size: 's' });
		expect((await work.run(UNDO)).exitCode).toBe(0);
		expect(tickets[1]).toEqual({ colour: 'red', size: 'xl' });
	});

	it('puts back values with their types, and leaves a ticket alone whose number can not be held exactly', async () => {
		const before = [
			['12345678901234567890', '"x"'],
			['1.5', 'true'],
			['0', 'false'],
		];
		const held = before.map((values) => [...values]);
		const posts: string[] = [];
		const recorder = await startRecorder((request, response) => {
			const ticket = Number(/\/tickets\/(\d+)/.exec(request.url)?.[1]);
			const [a, b] = held[ticket - 1] as string[];
			response.writeHead(200, { 'content-type': 'application/json' });
			if (request.method === 'GET') {
				return void response.end(`{"a":{"name":"A","value":${a}},"b":{"name":"B","value":${b}}}`);
			}
			posts.push(`${ticket} ${request.body}`);
			const { custom_fields: sent } = JSON.parse(request.body) as { custom_fields: Fields };
			held[ticket - 1] = [JSON.stringify(sent.a), JSON.stringify(sent.b)];
			response.end();
		});
		const work = createWorkplace(recorder.env);
		work.write('fields.csv', 'ticket_id,a,b\n1,p,q\n2,p,q\n3,p,q\n');
		expect((await work.run(`${SET} --snapshot -q`)).exitCode).toBe(0);
		posts.length = 0;
		const result = await work.run('run undo last --yes --format ndjson -q -j 1');
		expect(result.exitCode).toBe(3);
		expect(posts).toEqual(['2 {"custom_fields":{"a":1.5,"b":true}}', '3 {"custom_fields":{"a":0,"b":false}}']);
		expect(held.slice(1)).toEqual(before.slice(1));
		expect(JSON.parse(result.stdout.split('\n')[0] as string)).toMatchObject({
			outcome: 'failed',
			code: 'inexact_number',
			message: expect.stringContaining('a has an integer of more than 15 digits'),
		});
	});

	it('says which run it is, and asks', async () => {
		const { work, writes, recorder } = await changed({ 1: { colour: 'red' } }, ONE);
		const { host } = new URL(recorder.baseUrl);
		const action = `undo run ${runId(work)} (ticket fields set of fields.csv, AGE, 1 ticket) on ${host}`;
		const withoutAge = (text: string): string => text.replace(/just now|\d+ min ago/, 'AGE');
		const refused = await work.run('run undo last');
		expect([refused.exitCode, withoutAge(refused.stderr)]).toEqual([
			2,
			`error: refusing to ${action} without confirmation; pass --yes\n`,
		]);
		const prompts = scriptedPrompts([/./, false]);
		const canceled = await work.run('run undo last', { prompts });
		expect([canceled.exitCode, withoutAge(canceled.stderr)]).toEqual([
			2,
			expect.stringContaining(`U${action.slice(1)}\n  ticket 1: colour `),
		]);
		expect(writes()).toEqual([]);
		expect((await work.run('run undo last --yes -q')).exitCode).toBe(0);
	});

	it('are written under the names that the first ticket shows which is there', async () => {
		const shown = { severity: { name: 'severity', value: 'low', markup: '<select name="xx_severity">' } };
		const { work, writes } = await desk(
			{ 2: {}, 3: {} },
			{ instead: ({ method, url }) => (method === 'GET' && !url.includes('/1/') ? json(200, shown) : undefined) },
		);
		const { stderr } = await work.run('ticket fields set 1 2 3 --set severity=high --no-snapshot -j 1 -q');
		expect(writes().slice(1), stderr).toEqual(['2 {"xx_severity":"high"}', '3 {"xx_severity":"high"}']);
	});

	it('takes a name with the prefix of the deployment and without it for one field', async () => {
		const held: Fields = { severity: 'low' };
		const recorder = await startRecorder((request, response) => {
			const shown = { severity: { name: 'severity', value: held.severity, markup: '<select name="xx_severity">' } };
			if (request.method === 'GET') return json(200, shown);
			const { custom_fields: sent } = JSON.parse(request.body) as { custom_fields: Fields };
			if (Object.hasOwn(sent, 'xx_severity')) held.severity = sent.xx_severity;
			response.writeHead(200).end();
		});
		const work = createWorkplace(recorder.env);
		const here = ['--product-prefix', 'xx', '--format', 'ndjson', '-q'];
		const write = (name: string, ...more: string[]) =>
			work.run(['ticket', 'fields', 'set', '1', '--set', `${name}=high`, ...more, ...here]);
		expect(await write('xx_severity', '--verify', '--snapshot')).toMatchObject({ exitCode: 0 });
		const undo = work.records()[0]?.id as string;
		expect(await write('severity', '--verify', '--send-unchanged')).toMatchObject({ exitCode: 0 });
		expect(await write('xx_severity', '--verify', '--only-changed')).toMatchObject({ exitCode: 0 });
		expect(held).toEqual({ severity: 'high' });
		expect(recorder.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
		expect(await work.run(['run', 'undo', undo, '--yes', ...here])).toMatchObject({ exitCode: 0 });
		expect(held).toEqual({ severity: 'low' });
	});

	it('can be undone itself', async () => {
		const tickets = { 1: { colour: 'red' }, 2: { colour: 'blue' } };
		const { work } = await changed(tickets, 'ticket_id,colour\n1,x\n2,y\n');
		const first = runId(work);
		await work.run(['run', 'undo', '--yes', first, '-q']);
		expect(tickets).toEqual({ 1: { colour: 'red' }, 2: { colour: 'blue' } });
		const second = runId(work);
		expect(second).not.toBe(first);
		await work.run(['run', 'undo', '--yes', second, '-q']);
		expect(tickets).toEqual({ 1: { colour: 'x' }, 2: { colour: 'y' } });
	});

	it('shows with --dry-run --diff what it would put back', async () => {
		const { work, writes } = await changed({ 1: { colour: 'red' } }, ONE);
		const shown = await work.run('run undo --yes last -n --format json');
		expect(JSON.parse(shown.stdout)).toMatchObject([
			{ ticket_id: 1, changes: [{ field: 'colour', old: 'blue', new: 'red' }] },
		]);
		expect(writes()).toEqual([]);
	});

	it('takes names of the language for names, and says once a field what it leaves as it is', async () => {
		const tickets: Record<number, Fields> = {
			1: JSON.parse('{"__proto__":"a","constructor":"b","tags":["x"],"api_token":"t","off":false,"none":"","count":3}'),
			2: JSON.parse('{"__proto__":"c","tags":["y"]}'),
		};
		const { work, writes, recorder } = await desk(tickets);
		work.write(
			'fields.csv',
			'ticket_id,__proto__,constructor,tags,api_token,off,none,count,fresh\n1,p,q,r,s,t,u,v,w\n2,p,,r,,,,,w\n',
		);
		// No ticket has a field "fresh".
		expect((await work.run(`${SET} --snapshot -q`)).exitCode).toBe(6);
		recorder.requests.length = 0;
		const result = await work.run(UNDO);
		expect(result.exitCode).toBe(6);
		expect(writes()).toEqual([
			'1 {"__proto__":"a","constructor":"b","off":false,"none":"","count":3}',
			'2 {"__proto__":"c"}',
		]);
		expect(result.stderr).toContain('api_token not restored: its old value was not saved, because it is secret');
		const list = "tags not restored: its old value was a list or an object, which can't be sent";
		expect(result.stderr.split(list)).toHaveLength(3);
		// The service has no such field, so nothing is to be restored.
		expect(result.stderr).not.toContain('fresh');
	});

	it('of a run that was broken off puts back what was written, and sends nothing for the rest', async () => {
		const tickets = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [index + 1, { colour: 'red' }]));
		let left = 8;
		const sheet = `ticket_id,colour\n${Object.keys(tickets)
			.map((id) => `${id},blue\n`)
			.join('')}`;
		const { exitCode, work, writes } = await changed(tickets, sheet, {
			instead: () => (left-- > 0 ? undefined : json(401, { code: 'no', message: 'no' })),
		});
		expect(exitCode).toBe(4);
		expect(Object.values(tickets).filter(({ colour }) => colour === 'blue')).toHaveLength(4);
		left = Number.POSITIVE_INFINITY;
		expect((await work.run(UNDO)).exitCode).toBe(0);
		expect(writes()).toHaveLength(4);
		expect(Object.values(tickets).every(({ colour }) => colour === 'red')).toBe(true);
	});

	it('puts back what several rows and a resume wrote', async () => {
		const fields: Fields = { colour: 'red', size: 'xl' };
		let stage: 'lost' | 'refused' | 'open' = 'lost';
		const { work } = await desk(
			{ 1: fields },
			{
				instead({ method }, sent) {
					if (method === 'GET' || stage === 'open') return undefined;
					if (stage === 'refused' && sent.size !== undefined) return json(403, { code: 'no', message: 'no' });
					Object.assign(fields, sent);
					return stage === 'lost' && sent.colour !== undefined ? (_, response) => void response.destroy() : undefined;
				},
			},
		);
		work.write('fields.csv', 'ticket_id,colour,size\n1,blue,\n1,,m\n');
		expect((await work.run(`${SET} --snapshot --retries 0 -q`)).exitCode).toBe(5);
		stage = 'refused';
		expect((await work.run('run resume last --retries 0 -q')).exitCode).toBe(0);
		stage = 'open';
		expect(fields).toEqual({ colour: 'blue', size: 'm' });
		expect((await work.run(UNDO)).exitCode).toBe(0);
		expect(fields).toEqual({ colour: 'red', size: 'xl' });
	});

	it('puts back what may have been written by a request that failed with a 500', async () => {
		const fields: Fields = { colour: 'red' };
		let status = 500;
		const { exitCode, work } = await changed({ 1: fields }, ONE, {
			instead({ method }, sent) {
				if (method === 'GET' || status === 200) return undefined;
				if (status === 500) Object.assign(fields, sent);
				return json(status, { code: 'internal_server_error', message: 'oops' });
			},
		});
		expect(exitCode).toBe(1);
		status = 200;
		expect((await work.run(UNDO)).exitCode).toBe(0);
		expect(fields).toEqual({ colour: 'red' });
		status = 400;
		expect((await work.run(`${SET} --snapshot -q`)).exitCode).toBe(1);
		expect(await work.run('run undo --yes last')).toMatchObject({
			exitCode: 2,
			stderr: `error: run ${runId(work)} wrote nothing that can be restored\n`,
		});
	});

	it('sends nothing for what is as it was, and reports what did not come back, whatever the flags of the run', async () => {
		const fields: Fields = { colour: 'red', size: 'xl' };
		let ignores = false;
		const { recorder, work, writes } = await desk(
			{ 1: fields },
			{ instead: ({ method }) => (method === 'POST' && ignores ? json(200, null) : undefined) },
		);
		work.write('fields.csv', 'ticket_id,colour,size\n1,blue,m\n');
		await work.run(`${SET} --snapshot --verify -q`);
		expect(fields).toEqual({ colour: 'blue', size: 'm' });
		fields.colour = 'red';
		ignores = true;
		recorder.requests.length = 0;
		const undone = await work.run(`${UNDO} --format ndjson`);
		expect(writes()).toEqual(['1 {"size":"xl"}']);
		expect(undone.exitCode).toBe(6);
		expect(JSON.parse(undone.stdout)).toMatchObject({ differs: [{ field: 'size', sent: 'xl', shown: 'm' }] });
	});

	it('is listed with the run that it undoes', async () => {
		const { work } = await changed({ 1: { colour: 'red' } }, ONE);
		const undone = runId(work);
		await work.run(UNDO);
		const runs = JSON.parse((await work.run('run list --json')).stdout) as Record<string, unknown>[];
		expect(runs.map(({ undoes }) => undoes)).toEqual([undone, null]);
		expect(runs[0]?.input).toBe(`old values of run ${undone}`);
		expect((await work.run('run list', { columns: 120 })).stdout).toContain(` run ${String(undone).slice(-5)} `);
	});

	it('writes no report onto the journal that it reads', async () => {
		const { work } = await desk({ 1: { colour: 'red' } });
		work.write('fields.csv', 'ticket_id,colour\n1,blue\n');
		await work.run(`${SET} --snapshot --journal kept.ndjson -q`);
		const kept = work.read('kept.ndjson');
		expect(await work.run('run undo --yes kept.ndjson --report junit:kept.ndjson')).toMatchObject({
			exitCode: 2,
			stderr: 'error: --report junit:kept.ndjson: it is the journal of the earlier run; nothing was sent\n',
		});
		expect(work.read('kept.ndjson')).toBe(kept);
	});

	it('refuses runs that kept nothing, runs of other commands, and another service', async () => {
		const { work, recorder } = await desk({ 1: { colour: 'red' }, 2: { colour: 'red' } });
		work.write('fields.csv', 'ticket_id,colour\n1,blue\n');
		await work.run(`${SET} -q --no-snapshot`);
		expect(await work.run('run undo --yes last')).toEqual({
			exitCode: 2,
			stdout: '',
			stderr: `error: run ${runId(work)} (ticket fields set) can't be undone: it did not save old values\nhint: older runs: supportctl run list\n`,
		});
		await work.run(`${SET} -q --snapshot`);
		const other = await startRecorder();
		const elsewhere = await work.run('run undo --yes last', { env: { SUPPORTCTL_BASE_URL: other.baseUrl } });
		expect(elsewhere).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('nothing was sent') });
		await work.run('ticket delete 1 2 --yes -q --no-snapshot');
		recorder.requests.length = 0;
		expect(await work.run('run undo --yes last')).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('did not save old values'),
		});
		expect([...recorder.requests, ...other.requests]).toEqual([]);
		expect(work.spooled()).toEqual([]);
	});
});

describe('a custom field that the service does not have', () => {
	it.each([
		['Severity', 'custom field "Severity" not found; did you mean "severity"?'],
		['color', 'custom field "color" not found; fields: severity, order_number'],
	])('%s differs, and the message has the names', async (name, message) => {
		const { work } = await desk({ 14: { severity: 'minor', order_number: 'A-1' } });
		for (const flags of ['', ' --snapshot']) {
			const { exitCode, stderr } = await work.run(`ticket fields set 14 --set ${name}=major${flags}`);
			expect([exitCode, stderr]).toEqual([6, expect.stringContaining(message)]);
			expect(stderr).not.toContain('--allow-differs');
		}
	});
});
