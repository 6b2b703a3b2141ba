/** The topics of `help`; `page.ts` says how their texts are written. */

import bulk from '../../../docs/bulk.md' with { type: 'text' };
import agents from './topics/agents.md' with { type: 'text' };
import environment from './topics/environment.md' with { type: 'text' };
import exitCodes from './topics/exit-codes.md' with { type: 'text' };
import flags from './topics/flags.md' with { type: 'text' };
import formats from './topics/formats.md' with { type: 'text' };
import plan from './topics/plan.md' with { type: 'text' };
import profiles from './topics/profiles.md' with { type: 'text' };
import safety from './topics/safety.md' with { type: 'text' };
import orientation from './topics/start.md' with { type: 'text' };
import statuses from './topics/statuses.md' with { type: 'text' };

export { orientation };

export const texts: ReadonlyMap<string, string> = new Map(
	Object.entries({
		agents,
		bulk,
		environment,
		'exit-codes': exitCodes,
		flags,
		formats,
		plan,
		profiles,
		safety,
		statuses,
	}),
);

export const topics = [...texts].map(([name, text]) => ({ name, summary: text.slice(2, text.indexOf('\n')) }));
