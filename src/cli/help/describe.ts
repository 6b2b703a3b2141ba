/** What `commands.md` says about each command. */

import text from './commands.md' with { type: 'text' };

export function describeCommand(words: readonly string[]) {
	const [before = '', behind = ''] = text.split(`\n## ${words.join(' ')}\n`);
	const [own = ''] = behind.split(/^##? /m);
	const [prose = ''] = own.split(/^- /m);
	const [summary = '', ...description] = prose.trim().split('\n\n');
	const examples = own.matchAll(/^- `(.+)`: (.*)$/gm);
	return {
		/** Of the list of commands. */
		group: before.match(/(?<=^# ).*/gm)?.at(-1) ?? '',
		/** Without a period. */
		summary: summary.replace(/\.$/, ''),
		description: description.join('\n\n'),
		examples: [...examples].map(([, command = '', note = '']) => ({ command, note })),
	};
}
