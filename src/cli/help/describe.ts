/** What `commands.md` says about each command. */

import text from './commands.md' with { type: 'text' };

const groups = text.split(/^# /m).slice(1);

const sections = new Map(
	groups.flatMap((part) => {
		const [group = '', ...commands] = part.split(/^## /m);
		return commands.map((section) => [section.slice(0, section.indexOf('\n')), { group: group.trim(), section }]);
	}),
);

export function describeCommand(words: readonly string[]) {
	const name = words.join(' ');
	const { group, section } = sections.get(name) ?? { group: '', section: '' };
	const [prose = ''] = section.slice(name.length).split(/^- /m);
	const [summary = '', ...description] = prose.trim().split('\n\n');
	const examples = section.matchAll(/^- `(.+)`: (.*)$/gm);
	return {
		group,
		/** Without a period. */
		summary: summary.replace(/\.$/, ''),
		description: description.join('\n\n'),
		examples: [...examples].map(([, command = '', note = '']) => ({ command, note })),
	};
}
