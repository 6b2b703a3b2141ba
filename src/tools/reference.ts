/** docs/reference.md and the man page, from the same text as help. */

import { commandText, sharedFlags, splitOptions } from '../cli/help/commands.js';
import { type Block, parts, readEntry, readPage } from '../cli/help/page.js';
import { describeCommand, orientation, topicTexts } from '../cli/help/topics.js';
import { type CommandEntry, commands } from '../cli/manifest.js';

export async function referenceMarkdown(): Promise<string> {
	const section = async (entry: CommandEntry, at: number): Promise<string> => {
		const spec = await entry.load();
		const { group } = describeCommand(entry.words);
		const isFirst = group !== describeCommand(commands[at - 1]?.words ?? []).group;
		const { groups } = splitOptions(spec.options);
		return parts(
			isFirst ? `### ${group}` : '',
			`#### supportctl ${entry.words.join(' ')}`,
			commandText(entry, spec).replace(/^## (.*)$/gm, '**$1**'),
			groups.length === 0 ? '' : `Shared flags: ${groups.join(', ')}.`,
		);
	};
	const sections = await Promise.all(commands.map(section));
	return `${parts(...sections, '### Shared flags', sharedFlags().replace(/^##/gm, '####'))}\n`;
}

/** Text that means nothing else to roff. */
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
			.map(readEntry)
			.map(({ name, meaning }) => `.TP\n.B ${quoted(name)}\n${literal(meaning)}`)
			.join('\n'),
	code: (lines) => `.PP\n.RS 4\n.nf\n${lines.map(literal).join('\n')}\n.fi\n.RE`,
};

/** Topics that manual pages have sections for, by the names that readers look for. */
const USUAL_SECTIONS: Readonly<Record<string, string>> = {
	'exit-codes': 'exit status',
	environment: 'environment',
	files: 'files',
};

/** Every command with what it does, before the sections that explain each. */
const commandList = (): string =>
	commands.map(({ words }) => `- \`${words.join(' ')}\`: ${describeCommand(words).summary}`).join('\n');

export async function manualRoff(version: string): Promise<string> {
	const topics = [...topicTexts].filter(([name]) => name !== 'flags');
	const isUsual = ([name]: [string, string]): boolean => Object.hasOwn(USUAL_SECTIONS, name);
	const sections = await Promise.all([
		['description', orientation],
		['commands', commandList()],
		...commands.map(async (entry) => [`supportctl ${entry.words.join(' ')}`, commandText(entry, await entry.load())]),
		['shared flags', sharedFlags()],
		...topics.filter((topic) => !isUsual(topic)).map(([name, text]) => [name, text.replace(/^# /, '## ')]),
		...topics.filter(isUsual).map(([name, text]) => [USUAL_SECTIONS[name], text]),
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
