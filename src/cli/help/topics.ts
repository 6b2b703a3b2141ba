/** The texts of the topics of `help`, which `help.ts` lists; `page.ts` says how they are written. */

import bulk from '../../../docs/bulk.md' with { type: 'text' };
import agents from './topics/agents.md' with { type: 'text' };
import environment from './topics/environment.md' with { type: 'text' };
import exitCodes from './topics/exit-codes.md' with { type: 'text' };
import formats from './topics/formats.md' with { type: 'text' };
import plan from './topics/plan.md' with { type: 'text' };
import profiles from './topics/profiles.md' with { type: 'text' };
import safety from './topics/safety.md' with { type: 'text' };

export const texts = {
	agents,
	bulk,
	environment,
	'exit-codes': exitCodes,
	formats,
	plan,
	profiles,
	safety,
};
