/** The flags that every command which reaches the service takes. */

import { schemes, settings } from '../../profile/settings.js';
import { camelCase, longName, type OptionSpec, type OptionValues, options } from './option.js';

const group = 'Connection';

export const connectionOptions = options([
	{ flags: '--profile <name>', help: 'use this stored profile', group, completes: 'profiles' },
	{ flags: '--base-url <url>', help: "the service's base URL: what comes before /support-api/v1", group },
	{ flags: '--username <name>', help: 'sign in as this user', group },
	{
		flags: '--scheme <scheme>',
		help: 'how to sign in',
		group,
		choices: schemes,
		defaultText: settings.scheme.initial,
	},
	{ flags: '--header-name <name>', help: 'the header that carries the secret under --scheme header', group },
	{
		flags: '--timeout <seconds>',
		help: 'how long one attempt may take',
		group,
		defaultText: String(settings.timeout.initial),
	},
	{
		flags: '--ca-file <file>',
		help: 'trust the CA certificates in this PEM file, and no others',
		group,
		completes: 'files',
	},
	{
		flags: '--cert <file>',
		help: 'client certificate (PEM), for services that ask for one',
		group,
		completes: 'files',
	},
	{
		flags: '--key <file>',
		help: "the certificate's private key (PEM), if not in the same file",
		group,
		completes: 'files',
	},
	{
		flags: '--product-prefix <word>',
		help: "the deployment's word for support",
		group,
		defaultText: settings.productPrefix.initial,
	},
	{
		flags: '--shop-prefix <word>',
		help: "the deployment's word for shop in statuses",
		group,
		defaultText: settings.shopPrefix.initial,
	},
	{
		flags: '--membership-prefix <word>',
		help: "the deployment's word for shopm in statuses",
		group,
		defaultText: settings.membershipPrefix.initial,
	},
]);

/** `--base-url <url>` → `baseUrl`. */
function optionName(spec: OptionSpec): string {
	return camelCase(longName(spec));
}

/** Only the connection's own values, for `resolveConnection`; `without` keeps a command's field flag out of them. */
export function connectionFlags(options: OptionValues, ...without: string[]): OptionValues {
	const names = connectionOptions.map(optionName).filter((name) => !without.includes(name));
	return Object.fromEntries(names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
}
