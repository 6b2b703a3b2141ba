/** What Markdown files say about commands and topics; `page.ts` says how they are written. */

import bulk from '../../../docs/bulk.md' with { type: 'text' };
import commands from './commands.md' with { type: 'text' };
import agents from './topics/agents.md' with { type: 'text' };
import environment from './topics/environment.md' with { type: 'text' };
import exitCodes from './topics/exit-codes.md' with { type: 'text' };
import files from './topics/files.md' with { type: 'text' };
import flags from './topics/flags.md' with { type: 'text' };
import formats from './topics/formats.md' with { type: 'text' };
import plan from './topics/plan.md' with { type: 'text' };
import profiles from './topics/profiles.md' with { type: 'text' };
import safety from './topics/safety.md' with { type: 'text' };
import orientation from './topics/start.md' with { type: 'text' };
import statuses from './topics/statuses.md' with { type: 'text' };

export { orientation };

export const topicTexts: ReadonlyMap<string, string> = new Map(
	Object.entries({
		agents,
		bulk,
		environment,
		'exit-codes': exitCodes,
		files,
		flags,
		formats,
		plan,
		profiles,
		safety,
		statuses,
	}),
);

export const topics = [...topicTexts].map(([name, text]) => ({ name, summary: text.slice(2, text.indexOf('\n')) }));

const groups = commands.split(/^# /m).slice(1);

const sections = new Map(
	groups.flatMap((part) => {
		const [group = '', ...own] = part.split(/^## /m);
		return own.map((section) => [section.slice(0, section.indexOf('\n')), { group: group.trim(), section }]);
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
