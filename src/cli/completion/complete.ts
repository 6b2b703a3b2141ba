/**
 * `supportctl __complete SHELL …`: what the completion scripts call at each press of Tab, and the names that it reads from
 * this machine: profiles, runs and the columns of input files. What can't be read is no name.
 */

import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ExitCode } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { readQuestion } from './answers.js';
import { type Candidate, offerFor, type Sources } from './offer.js';

/** Never throws: an error message in the middle of somebody's typing helps nobody. */
export async function runCompleter(context: Context, words: readonly string[]): Promise<ExitCode> {
	const question = readQuestion(words[0] ?? '', words.slice(1));
	if (question === undefined) return ExitCode.usage;
	try {
		context.stdout.write(question.answer(await offerFor(question.before, question.current, createSources(context))));
		return ExitCode.ok;
	} catch {
		return ExitCode.failed;
	}
}

/** What the folders of settings and state follow from. */
type Place = Pick<Context, 'env' | 'cwd'>;

/** More runs than this are no help. */
const RUNS_SHOWN = 50;

async function orNothing<T>(read: () => Promise<T[]>): Promise<T[]> {
	try {
		return await read();
	} catch {
		return [];
	}
}

/** `~` is the shell's, which has not seen the word yet. */
function pathOf(file: string, { env, cwd }: Context): string {
	return file.startsWith('~/') && env.HOME !== undefined ? join(env.HOME, file.slice(2)) : resolve(cwd, file);
}

function createSources(context: Context): Sources {
	const place = { env: context.env, cwd: context.cwd };
	return {
		profiles: () => orNothing(() => readProfiles(place)),
		runs: () =>
			orNothing(async () => {
				const [{ runIds }, { stateFolder }] = await Promise.all([
					import('../../bulk/runs.js'),
					import('../../profile/environment.js'),
				]);
				const ids = runIds(stateFolder(place)).slice(-RUNS_SHOWN).reverse();
				const last: Candidate[] = ids.length === 0 ? [] : [{ value: 'last', help: ids[0] }];
				return [...last, ...ids.map((value) => ({ value }))];
			}),
		columns: (file, format) => orNothing(() => readColumns(pathOf(file, context), format, place)),
		topics: async () =>
			(await import('../help/topics.js')).topics.map(({ name, summary }) => ({ value: name, help: summary })),
		async leadingOptions() {
			const [{ outputOptions }, { connectionOptions }] = await Promise.all([
				import('../options/output.js'),
				import('../options/connection.js'),
			]);
			return [...connectionOptions, ...outputOptions];
		},
	};
}

async function readProfiles(place: Place): Promise<Candidate[]> {
	const [{ configFolder }, { readStore }] = await Promise.all([
		import('../../profile/environment.js'),
		import('../../profile/store.js'),
	]);
	const { profiles } = readStore(configFolder(place)).store;
	return Object.entries(profiles).map(([value, { baseUrl }]) => ({
		value,
		help: typeof baseUrl === 'string' ? baseUrl : undefined,
	}));
}

/** The header of a table, or the keys of the first object; a pipe would be used up by looking, so it is left alone. */
async function readColumns(path: string, format: string | undefined, place: Place): Promise<string[]> {
	if (!(await stat(path)).isFile()) return [];
	const [{ openInput }, { inputFormats }, { stateFolder }] = await Promise.all([
		import('../../bulk/input/source.js'),
		import('../../bulk/input/input.js'),
		import('../../profile/environment.js'),
	]);
	const known = inputFormats.find((each) => each === format);
	const source = await openInput({
		path,
		...(known === undefined ? {} : { format: known }),
		stdin: (async function* () {})(),
		stateDir: stateFolder(place),
	});
	try {
		if (source.columns !== undefined) return [...source.columns];
		for await (const [first] of source.read()) return Object.keys(first?.object ?? {});
		return [];
	} finally {
		// It may be the copy that a run reads.
		await source.dispose({ keep: true });
	}
}
