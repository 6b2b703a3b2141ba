/** Flags of several commands: output, connection, guards, how runs are sent, and what a profile stores. */

import { UsageError } from '../../errors.js';
import { formatNames } from '../../output/formats.js';
import {
	checkSetting,
	DEFAULT_CONCURRENCY,
	DEFAULT_RETRIES,
	type SettingKind,
	schemeNames,
	settingSpecs,
	settings,
	whole,
} from '../../profile/settings.js';
import { type OptionSpec, options } from './option.js';
import { parseDuration } from './times.js';

/** A flag follows the rules of its setting. */
export const checked =
	<Value>(kind: SettingKind<Value>) =>
	(text: string, flag: string): Value =>
		checkSetting(kind, text, flag);

export const wholeNumber = (least: number, most?: number) => checked(whole(least, most));

function readDelimiter(text: string, flag: string): string {
	const character = text === 'tab' || text === '\\t' ? '\t' : text;
	if (/^[^\w\s"]$|^\t$/.test(character)) return character;
	throw new UsageError(`${flag} takes one character, such as ';', or tab`, { code: 'invalid_value' });
}

export const outputOptions = options('Output', [
	{
		flags: '--format <format>',
		help: 'Output format',
		choices: formatNames,
		defaultText: 'table on a terminal, tab-separated in a pipe',
		conflicts: ['json', 'field'],
	},
	{ flags: '--json', help: 'Same as --format json; errors are JSON too' },
	{ flags: '--fields <names>', help: 'Columns to print, in this order: a,b,body.c', repeatable: true },
	{ flags: '--field <name>', help: 'Print one bare value per line', conflicts: ['fields', 'json'] },
	{ flags: '--query <expression>', help: 'Filter the results with JMESPath' },
	{
		flags: '--delimiter <character>',
		help: 'What separates cells of CSV, in and out: ; or | or tab',
		parse: readDelimiter,
	},
	{ flags: '--bom', help: 'Add a byte order mark so that Excel reads accents correctly' },
	{
		flags: '-q, --quiet',
		help: 'Hide progress, summary and edited rows (rows are still printed with --format or --fields)',
	},
	{ flags: '-v, --verbose', help: 'Log each request and response; -vv with headers and bodies', counted: true },
	{ flags: '--no-color', help: 'Disable color' },
	{ flags: '--no-pager', help: 'Disable the pager' },
	{ flags: '--debug', help: 'Show stack traces with errors' },
]);

const { scheme, timeout, productPrefix, shopPrefix, membershipPrefix } = settings;

export const connectionOptions = options('Connection', [
	{ flags: '--profile <name>', help: 'Use this profile', completes: 'profiles' },
	{ flags: '--base-url <url>', help: 'Base URL: the part before /support-api/v1' },
	{ flags: '--username <name>', help: 'Sign in as this user' },
	{ flags: '--scheme <scheme>', help: 'How to sign in', choices: schemeNames, defaultText: scheme.initial },
	{ flags: '--header-name <name>', help: 'Header that contains the secret, with --scheme header' },
	{ flags: '--timeout <seconds>', help: 'Time limit per attempt', defaultText: String(timeout.initial) },
	{ flags: '--ca-file <file>', help: 'Trust only the CA certificates in this PEM file', completes: 'files' },
	{ flags: '--cert <file>', help: 'Client certificate (PEM)', completes: 'files' },
	{ flags: '--key <file>', help: 'Private key of the client certificate, if in a separate file', completes: 'files' },
	{ flags: '--product-prefix <word>', help: 'Custom API prefix', defaultText: productPrefix.initial },
	{ flags: '--shop-prefix <word>', help: 'Custom prefix of shop statuses', defaultText: shopPrefix.initial },
	{
		flags: '--membership-prefix <word>',
		help: 'Custom prefix of membership statuses',
		defaultText: membershipPrefix.initial,
	},
]);

/** The flags that may stand before a command too. */
export const leadingOptions: readonly OptionSpec[] = [...outputOptions, ...connectionOptions];

export const guardOptions = options('Guards', [
	{ flags: '-n, --dry-run', help: 'Print each request without sending it' },
	{ flags: '--all', help: 'With --dry-run or --plan: print all rows, not only 20' },
	{
		flags: '--plan <file>',
		help: 'Save the changes to a file instead of sending them; run apply sends them',
		completes: 'files',
		conflicts: ['dry-run'],
	},
	{ flags: '-y, --yes', help: 'Skip confirmation' },
	{ flags: '--confirm <profile>', help: 'Confirm a write with a protected profile', completes: 'profiles' },
	{ flags: '--expect <n>', help: 'Stop unless there are exactly N rows', parse: wholeNumber(0) },
	{ flags: '--max <n>', help: 'Stop if there are more than N rows', parse: wholeNumber(0) },
]);

export const reportOption = {
	flags: '--report <format:file>',
	help: 'Write a report: html, junit or markdown',
	group: 'Run',
	repeatable: true,
} as const satisfies OptionSpec;

const concurrency = wholeNumber(1);

const paceOptions = options('Run', [
	{ flags: '--rate <n>', help: 'At most N requests per second', parse: checked(settings.rate) },
	{ flags: '--retries <n>', help: 'Retries per request', parse: wholeNumber(0), defaultText: String(DEFAULT_RETRIES) },
]);

/** How fast a run is, and what it leaves; a resume has them too. */
export const tuningOptions = [
	...options('Run', [
		{
			flags: '-j, --concurrency <n|auto>',
			help: 'Parallel requests; auto picks a number',
			parse: (text: string, flag: string) => (text === 'auto' ? text : concurrency(text, flag)),
			defaultText: String(DEFAULT_CONCURRENCY),
		},
	]),
	...paceOptions,
	...options('Run', [
		{ flags: '--first <n>', help: 'Send only the first N rows; continue later with run resume', parse: wholeNumber(1) },
		{
			flags: '--until <time>',
			help: 'Stop starting rows at this time (06:00, or a date and time); continue later with run resume',
			conflicts: ['for'],
		},
		{ flags: '--for <duration>', help: 'Stop starting rows after this long: 90m, 2h', parse: parseDuration },
	]),
	reportOption,
] as const;

export const readOptions = [
	...options('Run', [
		{
			flags: '-j, --concurrency <n>',
			help: 'Parallel requests',
			parse: concurrency,
			defaultText: String(DEFAULT_CONCURRENCY),
		},
	]),
	...paceOptions,
	...outputOptions,
	...connectionOptions,
];

export const listOptions = options('Filters', [
	{ flags: '-L, --limit <n>', help: 'Maximum number of objects to list', parse: wholeNumber(1) },
	{
		flags: '--sort <field>',
		help: 'Sort by this field; -FIELD reverses',
		defaultText: 'id; newest first on a terminal',
	},
]);

const KEPT = 'Kept in the profile';

export const guardDefaults = options(KEPT, [
	{ flags: '--protected', help: 'Require --confirm PROFILE for every write' },
	{ flags: '--no-protected', help: 'Do not require --confirm' },
	{ flags: '--allow-http', help: 'Allow unencrypted credentials to this host' },
	{ flags: '--no-allow-http', help: 'Require https://' },
]);

export const runDefaults = options(KEPT, [
	{ flags: '-j, --concurrency <n>', help: 'Parallel requests' },
	{ flags: '--rate <n>', help: 'At most N requests per second' },
	{ flags: '--max <n>', help: 'Refuse writes of more than N rows' },
	{ flags: '--max-deletes <n>', help: 'Refuse deletes of more than N rows' },
	{ flags: '--require-note', help: 'Refuse writes without --note' },
	{ flags: '--no-require-note', help: 'Allow writes without --note' },
	{ flags: '--require-plan <n>', help: 'Refuse writes of more than N rows unless run apply sends them' },
	{ flags: '--format <format>', help: 'Output format', choices: formatNames },
	{ flags: '--snapshot', help: 'Save old values, as without this setting' },
	{ flags: '--no-snapshot', help: "Don't save old values by default" },
	{
		flags: '--unset <setting>',
		help: 'Reset a setting to its default',
		repeatable: true,
		choices: settingSpecs.map(({ flag }) => flag.slice(2)),
	},
]);

/** How a secret gets into a profile; never as a flag's own value, which others could read. */
export const secretOptions = options('Secret', [
	{
		flags: '--password-stdin',
		help: 'Read the password, token or header value from stdin',
		conflicts: ['secret-command'],
	},
	{
		flags: '--secret-command <command>',
		help: 'Run this shell command to get the secret each time instead of storing it',
		conflicts: ['insecure-storage'],
	},
	{ flags: '--insecure-storage', help: 'Store the secret in the profile file even if a keyring is available' },
]);
