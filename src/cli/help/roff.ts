/** Pages of help as a man page. */

import type { Block, Page } from './page.js';

export interface ManSection {
	title: string;
	page: Page;
}

/** Text that roff takes literally: no backslash, leading dot, quote or hyphen of it is a command. */
function literal(text: string): string {
	return text
		.replaceAll('\\', '\\e')
		.replaceAll('-', '\\-')
		.replace(/^([.'])/gm, '\\&$1');
}

/** An argument of a macro. */
function quoted(text: string): string {
	return `"${literal(text).replaceAll('"', '\\(dq')}"`;
}

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

/** The whole page, for section 1 of the manual. */
export function manPage(version: string, sections: readonly ManSection[]): string {
	return [
		`.TH SUPPORTCTL 1 "" ${quoted(`supportctl ${version}`)} "User Commands"`,
		'.SH NAME',
		'supportctl \\- the admin command line for a help desk',
		'.SH SYNOPSIS',
		'.B supportctl',
		'.I command\n[\\fIarguments\\fR] [\\fIflags\\fR]',
		...sections.flatMap(({ title, page }) => [`.SH ${quoted(title.toUpperCase())}`, ...page.map(blockRoff)]),
		'',
	].join('\n');
}
