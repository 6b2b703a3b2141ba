/** `sandbox`: a mock API on loopback, from memory, until it is stopped. */

import type { Prefixes } from '../../api/dialect.js';
import { ExitCode } from '../../errors.js';
import { number, settings } from '../../profile/settings.js';
import { type FaultKind, faultKinds } from '../../sandbox/responses.js';
import { type Role, roles } from '../../sandbox/rights.js';
import type { openSandbox } from '../../sandbox/server.js';
import { defineCommand } from '../command.js';
import { type OptionSpec, options, pick } from '../options/option.js';
import { checked, connectionOptions, wholeNumber } from '../options/shared.js';

const DEFAULT_PORT = 8700;

/** The flags that tell other commands how a deployment spells its names. */
const prefixOptions = pick(connectionOptions, 'product-prefix', 'shop-prefix', 'membership-prefix').map((spec) => {
	return { ...spec, parse: checked(settings.productPrefix) };
});

const sandboxOptions = [
	...options('Sandbox', [
		{
			flags: '--port <n>',
			help: 'Port on 127.0.0.1; 0 picks a free one',
			defaultText: String(DEFAULT_PORT),
			parse: wholeNumber(0, 65_535),
		},
		{
			flags: '--seed <n>',
			help: 'Number of tickets; the same number always generates the same data',
			defaultText: '50',
			parse: wholeNumber(0, 1_000_000),
		},
		{
			flags: '--role <role>',
			help: 'Role of the account that is printed: what it may see and do',
			defaultText: 'administrator',
			choices: Object.keys(roles) as Role[],
		},
		{ flags: '--documented-only', help: 'Disable lists and reads (undocumented in the API)' },
		{ flags: '--strict', help: 'As --documented-only, and refuse unknown properties with application/problem+json' },
		{
			flags: '--lenient',
			help: 'Accept input that live services reject: any username, any slug, no assignee',
		},
		{
			flags: '--latency <ms>',
			help: 'Delay before each response',
			defaultText: '0',
			parse: checked(number(0, 600_000)),
		},
		{
			flags: '--fail-rate <p>',
			help: 'Fraction of requests that fail (0 to 1)',
			defaultText: '0',
			parse: checked(number(0, 1)),
		},
		{
			flags: '--fail-kind <kind>',
			help: 'How requests fail. "-after" kinds fail after the change was applied, "partial" halfway, all others before',
			defaultText: 'all of them',
			choices: Object.keys(faultKinds) as FaultKind[],
			repeatable: true,
		},
		{
			flags: '--rate-limit <n>',
			help: 'Maximum requests per second; more are refused, with Retry-After',
			parse: checked(number(1, 1_000_000)),
		},
	]),
	...prefixOptions,
	{ flags: '--json', help: 'Print base URL and credentials as one line of JSON', group: 'Output' },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
	arguments: [],
	options: sandboxOptions,
	async run({ context, options: given }) {
		const { openSandbox } = await import('../../sandbox/server.js');
		const { productPrefix: product, shopPrefix: shop, membershipPrefix: membership } = given;
		const prefixes = { product, shop, membership };
		const stopped = new Promise<void>((stop) => {
			let signals = 0;
			context.signals.listen(() => {
				signals++;
				if (signals > 1) context.abandon(ExitCode.interrupted);
				stop();
			});
		});
		const sandbox = await openSandbox({
			...given,
			port: given.port ?? DEFAULT_PORT,
			clock: context.clock,
			random: () => context.random(),
			latencyMs: given.latency,
			failKinds: given.failKind,
			prefixes,
		});
		const { baseUrl, username, password } = sandbox;
		if (given.json) {
			context.stdout.write(`${JSON.stringify({ baseUrl, username, password, pid: process.pid })}\n`);
		} else {
			context.stdout.write(greeting(sandbox, prefixes));
			context.stderr.write('Press Ctrl-C to stop.\n');
		}
		await stopped;
		await sandbox.close();
	},
});

type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

function greeting({ baseUrl, username, password, store }: Sandbox, prefixes: Partial<Prefixes>): string {
	const tickets = store.tickets.size;
	const words = Object.entries(prefixes).filter(([, word]) => word !== undefined);
	const flags = words.map(([name, word]) => ` --${name}-prefix ${word}`).join('');
	return `Serving ${tickets} tickets at ${baseUrl}
username  ${username}
password  ${password}

In another terminal:
export SUPPORTCTL_BASE_URL='${baseUrl}'
export SUPPORTCTL_USERNAME='${username}'
export SUPPORTCTL_PASSWORD='${password}'
supportctl ticket update ${Math.min(14, tickets)} --status hold${flags}
`;
}
