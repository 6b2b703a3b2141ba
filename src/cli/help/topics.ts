/** The topics of `help`. */

import { ticketStatusGroups } from '../../api/statuses.js';
import { flagBlocks } from './flags.js';
import { heading, type Page, prose, readPage } from './page.js';
import { text as bulk } from './topics/bulk.js';
import { agents, environment, exitCodes, formats, profiles, safety } from './topics/texts.js';

export interface Topic {
	readonly name: string;
	/** One line for lists. */
	readonly summary: string;
	page(): Page;
}

const flags = (): Page => [
	prose('Flags that mean the same for every command that takes them; "supportctl COMMAND --help" lists the others.'),
	...flagBlocks(),
];

const STATUS_GROUPS: Readonly<Record<keyof typeof ticketStatusGroups, string>> = {
	general: 'General',
	shop: 'Shop orders',
	membership: 'Memberships',
};

const statuses = (): Page => [
	prose('The values of --status and of the column status for tickets; --undocumented allows others.'),
	...Object.entries(STATUS_GROUPS).flatMap(([group, title]) => [
		heading(title),
		prose(ticketStatusGroups[group as keyof typeof ticketStatusGroups].join(', ')),
	]),
	heading('Other spellings'),
	prose(
		'A deployment may use words of its own for shop and shopm: --shop-prefix and --membership-prefix, stored with "supportctl profile set", translate them.',
	),
];

const topic = (name: string, summary: string, text: string): Topic => ({ name, summary, page: () => readPage(text) });

export const topics: readonly Topic[] = [
	topic('agents', 'For programs and agents: JSON, exit codes, dry runs, journals', agents),
	topic('bulk', 'Many rows: input, guards, journals, several machines', bulk),
	topic('environment', 'Environment variables', environment),
	topic('exit-codes', 'What the exit codes mean', exitCodes),
	{ name: 'flags', summary: 'Shared flags', page: flags },
	topic('formats', 'Output formats, columns and queries', formats),
	topic('profiles', 'Where settings and secrets are stored', profiles),
	topic('safety', 'Checks, questions and limits before and during a write', safety),
	{ name: 'statuses', summary: 'Values of --status for tickets', page: statuses },
];
