/** `supportctl sandbox`: serves the interface on loopback from memory until it is told to stop. */

import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { ExitCode, FailedError, UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { checkSetting, type SettingSpec, settingSpecs } from '../../profile/settings.js';
import { faultKinds } from '../../sandbox/fault-kinds.js';
import type { Listening, SandboxOptions } from '../../sandbox/sandbox.js';
import type { RequestEntry } from '../../sandbox/server.js';
import { defineCommand, type Invocation } from '../command.js';
import { connectionOptions } from '../options/connection.js';
import type { OptionSpec, OptionValues } from '../options/option.js';
import { longFlag, pick } from '../options/option.js';

const DEFAULT_PORT = 8700;

const group = 'Sandbox';

function number(flag: string, least: number, most: number, whole: boolean): (text: string) => number {
	return (text) => {
		const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
		if (value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
		const kind = whole ? 'a whole number' : 'a number';
		throw new UsageError(`${flag} ${JSON.stringify(text)} is not ${kind} from ${least} to ${most}`);
	};
}

/** The same three flags by which other commands are told how a deployment spells its names. */
const prefixOptions: OptionSpec[] = pick(connectionOptions, 'product-prefix', 'shop-prefix', 'membership-prefix').map(
	(spec) => {
		const flag = longFlag(spec);
		const setting = settingSpecs.find((each) => each.flag === flag) as SettingSpec;
		return { ...spec, parse: (text) => checkSetting(setting, text, flag) };
	},
);

const options: readonly OptionSpec[] = [
	{
		flags: '--port <n>',
		help: 'listen on this port of 127.0.0.1; 0 takes a free one',
		group,
		defaultText: String(DEFAULT_PORT),
		parse: number('--port', 0, 65_535, true),
	},
	{
		flags: '--seed <n>',
		help: 'begin with this many tickets; the same number makes the same desk',
		group,
		defaultText: '50, or as many as the state file has',
		parse: number('--seed', 0, 1_000_000, true),
	},
	{
		flags: '--state <file>',
		help: 'keep what was changed in this file, across restarts; it holds the password (mode 0600)',
		group,
		completes: 'files',
	},
	{
		flags: '--latency <ms>',
		help: 'wait this long before each answer',
		group,
		defaultText: '0',
		parse: number('--latency', 0, 600_000, false),
	},
	{
		flags: '--fail-rate <p>',
		help: `let this share of the requests fail, 0 to 1: ${Object.values(faultKinds).join(', ')}`,
		group,
		defaultText: '0',
		parse: number('--fail-rate', 0, 1, false),
	},
	{
		flags: '--fail-seed <n>',
		help: 'what the failures are drawn from; the same number makes the same failures',
		group,
		defaultText: '1',
		parse: number('--fail-seed', 0, Number.MAX_SAFE_INTEGER, true),
	},
	{
		flags: '--rate-limit <n>',
		help: 'answer 429 with Retry-After beyond this many requests a second',
		group,
		parse: number('--rate-limit', 1, 1_000_000, false),
	},
	{
		flags: '--request-log <file>',
		help: 'append a line of JSON for each request: time, method, path, status, milliseconds; - is stderr',
		group,
		completes: 'files',
	},
	...prefixOptions,
	{ flags: '--json', help: 'say base URL and credentials as one line of JSON', group: 'Output' },
];

/** Where request lines go. */
interface RequestLog {
	add(entry: RequestEntry): void;
	close(): Promise<void>;
}

async function openRequestLog(context: Context, file: string): Promise<RequestLog> {
	const line = (entry: RequestEntry): string =>
		`${JSON.stringify({ ...entry, time: new Date(entry.time).toISOString() })}\n`;
	if (file === '-') {
		return { add: (entry) => context.stderr.write(line(entry)), close: () => context.stderr.flush() };
	}
	const stream = createWriteStream(resolve(context.cwd, file), { flags: 'a', mode: 0o600 });
	await new Promise<void>((opened, refused) => {
		stream.once('open', () => opened());
		stream.once('error', (cause) => {
			refused(new FailedError(`the request log ${file} can't be written: ${cause.message}`, { cause }));
		});
	});
	let broken = false;
	stream.on('error', (cause) => {
		if (!broken) context.stderr.write(`warning: the request log ${file} can't be written: ${cause.message}\n`);
		broken = true;
	});
	return {
		add(entry) {
			if (!broken) stream.write(line(entry));
		},
		close: () => new Promise((closed) => (broken ? closed() : stream.end(() => closed()))),
	};
}

function sandboxOptions(context: Context, given: OptionValues): SandboxOptions {
	return {
		clock: context.clock,
		random: () => context.random(),
		seed: given.seed as number | undefined,
		latencyMs: given.latency as number | undefined,
		failRate: given.failRate as number | undefined,
		faultSeed: given.failSeed as number | undefined,
		rateLimit: given.rateLimit as number | undefined,
		stateFile: given.state === undefined ? undefined : resolve(context.cwd, given.state as string),
		prefixes: {
			...(given.productPrefix === undefined ? {} : { product: given.productPrefix as string }),
			...(given.shopPrefix === undefined ? {} : { shop: given.shopPrefix as string }),
			...(given.membershipPrefix === undefined ? {} : { membership: given.membershipPrefix as string }),
		},
		onWarning: (message) => context.stderr.write(`warning: ${message}\n`),
	};
}

/** The prefix flags that commands need to be told as well. */
function prefixFlags(given: OptionValues): string {
	const flags: string[] = [];
	for (const [flag, name] of [
		['--product-prefix', 'productPrefix'],
		['--shop-prefix', 'shopPrefix'],
		['--membership-prefix', 'membershipPrefix'],
	] as const) {
		if (given[name] !== undefined) flags.push(` ${flag} ${given[name]}`);
	}
	return flags.join('');
}

function announcement(desk: Listening, tickets: number, given: OptionValues): string {
	return [
		`A desk of ${tickets} tickets is served at ${desk.baseUrl}`,
		`user name  ${desk.username}`,
		`password   ${desk.password}`,
		'',
		'For another terminal:',
		`export SUPPORTCTL_BASE_URL='${desk.baseUrl}'`,
		`export SUPPORTCTL_USERNAME='${desk.username}'`,
		`export SUPPORTCTL_PASSWORD='${desk.password}'`,
		`supportctl ticket update ${Math.min(14, tickets)} --status hold${prefixFlags(given)}`,
		'',
	].join('\n');
}

/** Resolves at the first signal; a second one ends the process at once. */
function untilToldToStop(context: Context): { told: Promise<void>; done(): void } {
	let tell: () => void;
	const told = new Promise<void>((resolve) => {
		tell = resolve;
	});
	let signals = 0;
	const done = context.signals.listen(() => {
		signals++;
		if (signals === 1) tell();
		else context.abandon(ExitCode.interrupted);
	});
	return { told, done };
}

export const command = defineCommand({
	summary: 'Serve the interface on this machine from memory, with sample data, to try things on.',
	description: [
		'Answers every documented request at http://127.0.0.1:PORT/wp-json as a real help desk did, with the same errors, and',
		'lists and single reads to look at what changed. Nothing leaves this machine, and nothing is kept unless --state says where.',
		'It is ready when it has printed its base URL, user name and password, and runs until Ctrl-C or SIGTERM.',
		'',
		'Tickets are numbered from 1. The administrator is user 1; agents follow, then customers. The account password of a sample',
		'user, for "user check", is "desk-" and the user name. Agents have the application passwords "laptop" and "ci-runner".',
		'A list of tickets shows the caller\'s own unless it says author=0: supportctl api GET "tickets?author=0".',
		'With --json, one line: {"baseUrl", "username", "password", "pid"}.',
	].join('\n'),
	examples: [
		{ command: 'supportctl sandbox', note: `a desk of 50 tickets on port ${DEFAULT_PORT}` },
		{ command: 'supportctl sandbox --port 0 --seed 10000 --json', note: 'for scripts: a free port, a large desk' },
		{
			command: 'supportctl sandbox --latency 25 --fail-rate 0.05 --rate-limit 40',
			note: 'a small host on a bad night',
		},
		{ command: 'supportctl sandbox --state desk.json', note: 'changes are still there after a restart' },
	],
	arguments: [],
	options,
	run,
});

async function run({ context, options: given }: Invocation): Promise<ExitCode> {
	const { createSandbox } = await import('../../sandbox/sandbox.js');
	const stop = untilToldToStop(context);
	let log: RequestLog | undefined;
	try {
		const sandbox = createSandbox({
			...sandboxOptions(context, given),
			...(given.requestLog === undefined ? {} : { onRequest: (entry) => log?.add(entry) }),
		});
		if (given.requestLog !== undefined) log = await openRequestLog(context, given.requestLog as string);
		const desk = await sandbox.listen((given.port as number | undefined) ?? DEFAULT_PORT);
		if (given.json === true) {
			const { baseUrl, username, password } = desk;
			context.stdout.write(`${JSON.stringify({ baseUrl, username, password, pid: process.pid })}\n`);
		} else {
			context.stdout.write(announcement(desk, sandbox.store.tickets.size, given));
			context.stderr.write('Ctrl-C ends it.\n');
		}
		await stop.told;
		await sandbox.close();
		return ExitCode.ok;
	} finally {
		stop.done();
		await log?.close();
	}
}
