/** The texts of the topics of `help`, which `help.ts` lists; `page.ts` says how they are written. */

import bulk from '../../../docs/bulk.md?raw';
import agents from './topics/agents.md?raw';
import environment from './topics/environment.md?raw';
import exitCodes from './topics/exit-codes.md?raw';
import formats from './topics/formats.md?raw';
import plan from './topics/plan.md?raw';
import profiles from './topics/profiles.md?raw';
import safety from './topics/safety.md?raw';

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
