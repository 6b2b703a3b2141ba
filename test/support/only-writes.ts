/** For tests about what a write's response says, whose services read nothing: commands that say so with --no-snapshot. */

import * as cli from './cli.js';
import * as workplace from './workplace.js';

const WRITE = /^(?:(?:ticket|reply|user|attachment|term) update|ticket fields set|(?:ticket|reply) delete) /;

export function withoutReads(args: cli.Words): readonly string[] {
	const words = cli.wordsOf(args);
	const isSaid = words.some((word) => /^(?:--(?:no-)?snapshot|--help|--)$/.test(word));
	return isSaid || !WRITE.test(words.join(' ')) ? words : [...words, '--no-snapshot'];
}

export const runHere: typeof cli.runHere = (args, options) => cli.runHere(withoutReads(args), options);
export const runCli: typeof cli.runCli = (args, options) => cli.runCli(withoutReads(args), options);

export const startCli: typeof cli.startCli = (args, options) => cli.startCli(withoutReads(args), options);

export function onlyWrites<Work extends workplace.Workplace>(work: Work): Work {
	return {
		...work,
		run: (args, options) => work.run(withoutReads(args), options),
		begin: (args, options) => work.begin(withoutReads(args), options),
		spawn: (args, options) => work.spawn(withoutReads(args), options),
	};
}

export const createWorkplace: typeof workplace.createWorkplace = (service) =>
	onlyWrites(workplace.createWorkplace(service));

export const startWorkplace: typeof workplace.startWorkplace = async (responder) => {
	const started = await workplace.startWorkplace(responder);
	return { ...started, work: onlyWrites(started.work) };
};
