/** The flags that several commands take: output, connection, guards, how runs are sent, and what a profile stores. */

import { UsageError } from '../../errors.js';
import { DEFAULT_CONCURRENCY, DEFAULT_RETRIES } from '../../http/types.js';
import { formats } from '../../output/columns.js';
import { checkSetting, number, schemes, settings } from '../../profile/settings.js';
import { camelCase, longName, type OptionSpec, type OptionValues, options, pick } from './option.js';

export function wholeNumber(flag: string, least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
	const range = most === Number.MAX_SAFE_INTEGER ? ` of ${least} or more` : `, ${least} to ${most}`;
	const kind = number(least, most, `a whole number${range}`, Number.isInteger);
	return (text) => checkSetting(kind, text, flag);
}

export const outputOptions = options('Output', [
	{
		flags: '--format <format>',
		help: 'How results are printed',
		choices: formats,
		defaultText: 'table on a terminal, tab-separated in a pipe',
		conflicts: ['json', 'field'],
	},
	{ flags: '--json', help: 'The same as --format json; errors become JSON too' },
	{ flags: '--fields <names>', help: 'Columns to print, in this order: a,b,body.c', repeatable: true },
	{ flags: '--field <name>', help: 'Print one bare value a line', conflicts: ['fields', 'json'] },
	{ flags: '--query <expression>', help: 'Filter the results with JMESPath' },
	{ flags: '--bom', help: 'Begin CSV and TSV with a byte order mark, for Excel' },
	{ flags: '-q, --quiet', help: 'No progress, and no summary unless the run was stopped' },
	{ flags: '-v, --verbose', help: 'Log each request and response; -vv with headers and bodies', counted: true },
	{ flags: '--no-color', help: 'No colour' },
	{ flags: '--no-pager', help: 'Print long output without a pager' },
	{ flags: '--debug', help: 'Show stack traces with errors' },
]);

const { scheme, timeout, productPrefix, shopPrefix, membershipPrefix } = settings;

export const connectionOptions = options('Connection', [
	{ flags: '--profile <name>', help: 'Use this stored profile', completes: 'profiles' },
	{ flags: '--base-url <url>', help: "The service's base URL: what comes before /support-api/v1" },
	{ flags: '--username <name>', help: 'Sign in as this user' },
	{ flags: '--scheme <scheme>', help: 'How to sign in', choices: schemes, defaultText: scheme.initial },
	{ flags: '--header-name <name>', help: 'The header that carries the secret under --scheme header' },
	{ flags: '--timeout <seconds>', help: 'How long one attempt may take', defaultText: String(timeout.initial) },
	{ flags: '--ca-file <file>', help: 'Trust the CA certificates in this PEM file, and no others', completes: 'files' },
	{ flags: '--cert <file>', help: 'Client certificate (PEM), for services that ask for one', completes: 'files' },
	{ flags: '--key <file>', help: "The certificate's private key (PEM), if not in the same file", completes: 'files' },
	{ flags: '--product-prefix <word>', help: "The deployment's word for support", defaultText: productPrefix.initial },
	{
		flags: '--shop-prefix <word>',
		help: "The deployment's word for shop in statuses",
		defaultText: shopPrefix.initial,
	},
	{
		flags: '--membership-prefix <word>',
		help: "The deployment's word for shopm in statuses",
		defaultText: membershipPrefix.initial,
	},
]);

/** The flags that may stand before a command too. */
export const leadingOptions: readonly OptionSpec[] = [...outputOptions, ...connectionOptions];

/** Only the connection's own values, by the names of settings. */
export function connectionFlags(options: OptionValues): OptionValues {
	const names = connectionOptions.map((spec) => camelCase(longName(spec)));
	return Object.fromEntries(names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
}

export const guardOptions = options('Guards', [
	{ flags: '-n, --dry-run', help: 'Print each request and send none' },
	{ flags: '--all', help: 'With --dry-run on a terminal: print all requests, not only 20' },
	{ flags: '-y, --yes', help: 'Do not ask' },
	{ flags: '--confirm <profile>', help: 'Confirm a write with a protected profile', completes: 'profiles' },
	{ flags: '--expect <n>', help: 'Stop unless there are exactly N rows', parse: wholeNumber('--expect', 0) },
	{ flags: '--max <n>', help: 'Stop if there are more than N rows', parse: wholeNumber('--max', 0) },
]);

export const reportOption = {
	flags: '--report <format:file>',
	help: 'Write a report: junit, json, markdown, csv or html',
	group: 'Run',
	repeatable: true,
} as const satisfies OptionSpec;

const concurrency = wholeNumber('--concurrency', 1);

/** How a run is carried out; a resume takes them too. */
export const tuningOptions = [
	...options('Run', [
		{
			flags: '-j, --concurrency <n|auto>',
			help: 'Requests at a time; auto finds how many',
			parse: (text: string): number | 'auto' => (text === 'auto' ? text : concurrency(text)),
			defaultText: String(DEFAULT_CONCURRENCY),
		},
		{
			flags: '--rate <n>',
			help: 'At most N requests a second',
			parse: (text) => checkSetting(settings.rate, text, '--rate'),
		},
		{
			flags: '--retries <n>',
			help: 'How often a request is retried',
			parse: wholeNumber('--retries', 0),
			defaultText: String(DEFAULT_RETRIES),
		},
		{
			flags: '--first <n>',
			help: 'Send the first N rows only; run resume sends the rest',
			parse: wholeNumber('--first', 1),
		},
	]),
	reportOption,
] as const;

export const readOptions = [
	...options('Run', [
		{
			flags: '-j, --concurrency <n>',
			help: 'Requests at a time',
			parse: concurrency,
			defaultText: String(DEFAULT_CONCURRENCY),
		},
	]),
	...pick(tuningOptions, 'rate', 'retries'),
	...outputOptions,
	...connectionOptions,
];

/** Which objects of a list are printed, and in which order. */
export const listOptions = options('Filters', [
	{ flags: '-L, --limit <n>', help: 'Print at most N objects', parse: wholeNumber('--limit', 1) },
	{
		flags: '--sort <field>',
		help: 'Sort by this field; -FIELD reverses',
		defaultText: 'id; newest first on a terminal',
	},
]);

export const allowDiffersOption: OptionSpec = {
	flags: '--allow-differs[=fields]',
	help: 'Take rows as ok where the service shows other values: of these fields, or of any',
	group: 'Checks',
	repeatable: true,
	bare: '*',
	parse(text) {
		const names = text.split(',').map((name) => name.trim());
		if (!names.includes('')) return names;
		throw new UsageError('--allow-differs= takes field names; without = it allows all', { code: 'invalid_value' });
	},
};

const KEPT = 'Kept in the profile';

/** What a profile can hold beside a connection: what guards it … */
export const guardDefaults = options(KEPT, [
	{ flags: '--protected', help: 'Every write will need --confirm=PROFILE' },
	{ flags: '--no-protected', help: 'Writes need no confirmation by name' },
	{ flags: '--allow-http', help: 'Allow credentials to go unencrypted to this host' },
	{ flags: '--no-allow-http', help: 'Require https://' },
]);

/** … and defaults for later commands. */
export const runDefaults = options(KEPT, [
	{ flags: '-j, --concurrency <n>', help: 'Requests under way at a time' },
	{ flags: '--rate <n>', help: 'At most N requests a second' },
	{ flags: '--format <format>', help: 'How results are printed', choices: formats },
	{ flags: '--snapshot', help: 'Updates and moves to the trash keep old values, for run undo' },
	{ flags: '--no-snapshot', help: 'Only those with --snapshot keep old values' },
]);

/** How a secret is given to be stored; never as a flag's own value, which others could read. */
export const secretOptions = options('Secret', [
	{
		flags: '--password-stdin',
		help: 'Read the password, token or header value from stdin',
		conflicts: ['token-stdin', 'secret-command'],
	},
	{
		flags: '--token-stdin',
		help: 'Read a bearer token from stdin; means --scheme bearer unless that is given',
		conflicts: ['secret-command'],
	},
	{
		flags: '--secret-command <command>',
		help: 'Store no secret, but run this with the shell at each use and take the line that it prints',
		conflicts: ['insecure-storage'],
	},
	{
		flags: '--insecure-storage',
		help: 'Keep the secret in the profile file (mode 0600) even where there is a system keyring',
	},
]);
