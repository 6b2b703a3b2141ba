/** docs/reference.md and the man page, from the same text as each command's help. */

import { type CommandEntry, commands } from '../manifest.js';
import { commandText, sharedFlags, sharedGroups } from './commands.js';
import { orientation } from './help.js';
import { type Block, parts, readPage } from './page.js';
import { topics } from './topics.js';

/** Commands under their headings, flags of their own with them, and those that many share at the end. */
export async function referenceMarkdown(): Promise<string> {
	const groups = [...new Set(commands.map(({ group }) => group))];
	const sections = groups.map(async (group) => {
		const inside = commands.filter((each) => each.group === group);
		return parts(`### ${group}`, ...(await Promise.all(inside.map(commandMarkdown))));
	});
	return `${parts(...(await Promise.all(sections)), '### Shared flags', pageMarkdown(sharedFlags(), 4))}\n`;
}

async function commandMarkdown(entry: CommandEntry): Promise<string> {
	const spec = await entry.load();
	const shared = sharedGroups(spec);
	return parts(
		`#### supportctl ${entry.words.join(' ')}`,
		pageMarkdown(commandText(entry, spec), 5),
		shared.length === 0 ? '' : `Shared flags: ${shared.join(', ')}.`,
	);
}

/** A page of help as Markdown, its headings at the given depth, in bold from the fifth on. */
export function pageMarkdown(text: string, depth: number): string {
	const markdown = (block: Block): string => {
		switch (block.kind) {
			case 'heading':
				return depth > 4 ? `**${block.text}**` : `${'#'.repeat(depth)} ${block.text}`;
			case 'prose':
				return block.text;
			case 'list':
				return block.entries.map(({ name, text }) => `- \`${name.trim()}\`: ${text}`).join('\n');
			case 'code':
				return ['```', ...block.lines, '```'].join('\n');
		}
	};
	return parts(...readPage(text).map(markdown));
}

/** The man page, for section 1: the orientation, every command, the shared flags, and every topic. */
export async function manualRoff(version: string): Promise<string> {
	const shown = topics.filter(({ name }) => name !== 'flags');
	const sections = await Promise.all([
		{ title: 'description', text: orientation },
		...commands.map(async (entry) => {
			return { title: `supportctl ${entry.words.join(' ')}`, text: commandText(entry, await entry.load()) };
		}),
		{ title: 'shared flags', text: sharedFlags() },
		...shown.map(async ({ name, summary, text }) => ({ title: name, text: `## ${summary}\n\n${await text()}` })),
	]);
	return [
		`.TH SUPPORTCTL 1 "" ${quoted(`supportctl ${version}`)} "User Commands"`,
		'.SH NAME',
		'supportctl \\- the admin command line for a help desk',
		'.SH SYNOPSIS',
		'.B supportctl',
		'.I command\n[\\fIarguments\\fR] [\\fIflags\\fR]',
		...sections.flatMap(({ title, text }) => [`.SH ${quoted(title.toUpperCase())}`, ...readPage(text).map(blockRoff)]),
		'',
	].join('\n');
}

/** Text that roff takes literally: no backslash, leading dot, quote or hyphen of it is a command. */
const literal = (text: string): string =>
	text
		.replaceAll('\\', '\\e')
		.replaceAll('-', '\\-')
		.replace(/^([.'])/gm, '\\&$1');

/** An argument of a macro. */
const quoted = (text: string): string => `"${literal(text).replaceAll('"', '\\(dq')}"`;

function blockRoff(block: Block): string {
	switch (block.kind) {
		case 'heading':
			return `.SS ${quoted(block.text)}`;
		case 'prose':
			return `.PP\n${literal(block.text)}`;
		case 'list':
			return block.entries.map(({ name, text }) => `.TP\n.B ${quoted(name.trim())}\n${literal(text)}`).join('\n');
		case 'code':
			return `.PP\n.RS 4\n.nf\n${block.lines.map(literal).join('\n')}\n.fi\n.RE`;
	}
}
