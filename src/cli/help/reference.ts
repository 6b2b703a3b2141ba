/** docs/reference.md and the man page, from the same text as help. */

import { type CommandEntry, commands } from '../manifest.js';
import { commandText, madeTopics, sharedFlags, sharedGroups } from './commands.js';
import { orientation, topics } from './help.js';
import { type Block, parts, readPage } from './page.js';
import { texts } from './topics.js';

export async function referenceMarkdown(): Promise<string> {
	const section = async (entry: CommandEntry): Promise<string> => {
		const spec = await entry.load();
		const shared = sharedGroups(spec);
		return parts(
			commands.find(({ group }) => group === entry.group) === entry ? `### ${entry.group}` : '',
			`#### supportctl ${entry.words.join(' ')}`,
			pageMarkdown(commandText(entry, spec), 5),
			shared.length === 0 ? '' : `Shared flags: ${shared.join(', ')}.`,
		);
	};
	const sections = await Promise.all(commands.map(section));
	return `${parts(...sections, '### Shared flags', pageMarkdown(sharedFlags(), 4))}\n`;
}

/** Headings are bold from the fifth level on. */
export function pageMarkdown(text: string, depth: number): string {
	const write: Record<Block['kind'], (lines: string[]) => string> = {
		heading: ([title]) => (depth > 4 ? `**${title}**` : `${'#'.repeat(depth)} ${title}`),
		prose: ([line = '']) => line,
		list: (lines) => lines.map((line) => line.replace(/^ *(.*?) :: /, '- `$1`: ')).join('\n'),
		code: (lines) => ['```', ...lines, '```'].join('\n'),
	};
	return parts(...readPage(text).map(({ kind, lines }) => write[kind](lines)));
}

const literal = (text: string): string =>
	text
		.replaceAll('\\', '\\e')
		.replaceAll('-', '\\-')
		.replace(/^([.'])/gm, '\\&$1');

const quoted = (text = ''): string => `"${literal(text).replaceAll('"', '\\(dq')}"`;

const roff: Record<Block['kind'], (lines: string[]) => string> = {
	heading: ([title]) => `.SS ${quoted(title)}`,
	prose: ([line = '']) => `.PP\n${literal(line)}`,
	list: (lines) =>
		lines
			.map((line) => line.replace(/^ *(.*?) :: (.*)$/, (_, name, text) => `.TP\n.B ${quoted(name)}\n${literal(text)}`))
			.join('\n'),
	code: (lines) => `.PP\n.RS 4\n.nf\n${lines.map(literal).join('\n')}\n.fi\n.RE`,
};

export async function manualRoff(version: string): Promise<string> {
	const sections = await Promise.all([
		['description', orientation],
		...commands.map(async (entry) => [`supportctl ${entry.words.join(' ')}`, commandText(entry, await entry.load())]),
		['shared flags', sharedFlags()],
		...Object.entries({ ...texts, statuses: madeTopics.statuses() }).map(([name, text]) => [
			name,
			`## ${topics[name as keyof typeof topics]}\n\n${text}`,
		]),
	]);
	return [
		`.TH SUPPORTCTL 1 "" ${quoted(`supportctl ${version}`)} "User Commands"`,
		'.SH NAME\nsupportctl \\- work with your help desk from the command line',
		'.SH SYNOPSIS\n.B supportctl\n.I command\n[\\fIarguments\\fR] [\\fIflags\\fR]',
		...sections.flatMap(([title, text = '']) => [
			`.SH ${quoted(title?.toUpperCase())}`,
			...readPage(text).map(({ kind, lines }) => roff[kind](lines)),
		]),
		'',
	].join('\n');
}
