/** `sandbox`: a mock API on loopback, from memory, until it is stopped. */

import { resolve } from 'node:path';
import { ExitCode } from '../../errors.js';
import { checkSetting, type Kind, number, settings } from '../../profile/settings.js';
import { type FaultKind, faultKinds } from '../../sandbox/responses.js';
import { defineCommand } from '../command.js';
import { longFlag, type OptionSpec, options, pick } from '../options/option.js';
import { connectionOptions, wholeNumber } from '../options/shared.js';

const DEFAULT_PORT = 8700;

const checked =
	<Value>(flag: string, kind: Kind<Value>) =>
	(text: string): Value =>
		checkSetting(kind, text, flag);

/** The flags by which other commands learn how a deployment spells its names. */
const prefixOptions = pick(connectionOptions, 'product-prefix', 'shop-prefix', 'membership-prefix').map((spec) => {
	return { ...spec, parse: checked(longFlag(spec), settings.productPrefix) };
});

const sandboxOptions = [
	...options('Sandbox', [
		{
			flags: '--port <n>',
			help: 'listen on this port of 127.0.0.1; 0 takes a free one',
			defaultText: String(DEFAULT_PORT),
			parse: wholeNumber('--port', 0, 65_535),
		},
		{
			flags: '--seed <n>',
			help: 'begin with this many tickets; the same number makes the same data',
			defaultText: '50, or as many as the state file has',
			parse: wholeNumber('--seed', 0, 1_000_000),
		},
		{
			flags: '--state <file>',
			help: 'keep what was changed in this file, across restarts; it holds the password (mode 0600)',
			completes: 'files',
		},
		{
			flags: '--documented-only',
			help: 'serve no lists and no reads of objects, which the API does not document',
		},
		{
			flags: '--latency <ms>',
			help: 'wait this long before each response',
			defaultText: '0',
			parse: checked('--latency', number(0, 600_000)),
		},
		{
			flags: '--fail-rate <p>',
			help: 'let this share of the requests fail, 0 to 1',
			defaultText: '0',
			parse: checked('--fail-rate', number(0, 1)),
		},
		{
			flags: '--fail-kind <kind>',
			help: 'how they fail: kinds that end in -after once the request is carried out, partial halfway, the others before',
			defaultText: 'all of them',
			choices: Object.keys(faultKinds) as FaultKind[],
			repeatable: true,
		},
		{
			flags: '--rate-limit <n>',
			help: 'refuse requests beyond this many a second, with Retry-After',
			parse: checked('--rate-limit', number(1, 1_000_000)),
		},
		{
			flags: '--rate-limit-status <status>',
			help: 'the status of such a refusal',
			choices: ['429', '503'],
			defaultText: '429',
		},
		{ flags: '--no-retry-after', help: 'send no Retry-After with such a refusal' },
	]),
	...prefixOptions,
	{ flags: '--json', help: 'print base URL and credentials as one line of JSON', group: 'Output' },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
	description: [
		'Serves the documented requests, and lists and reads, at http://127.0.0.1:PORT/wp-json (and at /?rest_route=) until Ctrl-C or SIGTERM, and prints its base URL, user name and password when it is ready. Nothing is kept without --state.',
		'Tickets are numbered from 1; user 1 is the administrator, then come agents and customers. The password of a sample user, for "user check", is "desk-" and the user name.',
	].join('\n\n'),
	examples: {
		'supportctl sandbox': `50 tickets on port ${DEFAULT_PORT}`,
		'supportctl sandbox --port 0 --seed 10000 --json': 'for scripts: a free port, many tickets',
		'supportctl sandbox --latency 25 --fail-rate 0.05 --rate-limit 40': 'a slow service with failures',
		'supportctl sandbox --state service.json': 'changes are still there after a restart',
	},
	arguments: [],
	options: sandboxOptions,
	async run({ context, options: given }) {
		const { openSandbox } = await import('../../sandbox/server.js');
		const words = { product: given.productPrefix, shop: given.shopPrefix, membership: given.membershipPrefix };
		const prefixes = Object.entries(words).filter(([, word]) => word !== undefined);
		let unlisten = (): void => undefined;
		const stopped = new Promise<void>((stop) => {
			let signals = 0;
			unlisten = context.signals.listen(() => {
				signals++;
				if (signals === 1) stop();
				else context.abandon(ExitCode.interrupted);
			});
		});
		try {
			const sandbox = await openSandbox({
				...given,
				port: given.port ?? DEFAULT_PORT,
				clock: context.clock,
				random: () => context.random(),
				stateFile: given.state && resolve(context.cwd, given.state),
				latencyMs: given.latency,
				failKinds: given.failKind,
				rateLimitStatus: given.rateLimitStatus === '503' ? 503 : 429,
				prefixes: Object.fromEntries(prefixes),
				onWarning: (message) => context.stderr.write(`warning: ${message}\n`),
			});
			const { baseUrl, username, password } = sandbox;
			if (given.json) {
				context.stdout.write(`${JSON.stringify({ baseUrl, username, password, pid: process.pid })}\n`);
			} else {
				const tickets = sandbox.store.tickets.size;
				const flags = prefixes.map(([name, word]) => ` --${name}-prefix ${word}`).join('');
				context.stdout.write(`A service with ${tickets} tickets listens at ${baseUrl}
user name  ${username}
password   ${password}

For another terminal:
export SUPPORTCTL_BASE_URL='${baseUrl}'
export SUPPORTCTL_USERNAME='${username}'
export SUPPORTCTL_PASSWORD='${password}'
supportctl ticket update ${Math.min(14, tickets)} --status hold${flags}
`);
				context.stderr.write('Ctrl-C ends it.\n');
			}
			await stopped;
			await sandbox.close();
			return ExitCode.ok;
		} finally {
			unlisten();
		}
	},
});
