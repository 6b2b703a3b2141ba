/** `supportctl __complete SHELL …`: called by the completion scripts. Never fails. */

import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from '../../io/context.js';
import { relativeTime } from '../../text.js';
import { commandsBelow, findCommand, nextWords } from '../manifest.js';
import { findOption, longName, type OptionSpec, shownOptions, takesValue } from '../options/option.js';
import { type ShellFacts, shellFacts } from '../shells.js';

interface Candidate {
	value: string;
	help?: string | undefined;
}

/** Values, or paths, which the shell completes by itself. */
type Offer = readonly Candidate[] | 'files';

export async function runCompleter(context: Context, [shell, ...given]: readonly string[]): Promise<undefined> {
	const facts = shellFacts(shell);
	let words = facts.breaksWords ? joinWords(given) : given;
	if (facts.wordsOnStdin) words = (await context.stdin.text()).replace(/\r?\n$/, '').split(/\r?\n/);
	const current = words.at(-1) ?? '';
	const offer = await offerFor(words.slice(0, -1), current, context).catch(() => []);
	context.stdout.write(`${linesOf(facts, current, offer).join('\n')}\n`);
}

function joinWords(given: readonly string[]): string[] {
	const words: string[] = [];
	let isBroken = false;
	for (const piece of given) {
		const isBreak = /^[=:]+$/.test(piece);
		const before = isBreak || isBroken ? (words.pop() ?? '') : '';
		words.push(before + piece.replace(/^["']|["']$/g, ''));
		isBroken = isBreak;
	}
	return words;
}

/** Nothing that a shell would have to quote. */
const PLAIN = /^[\w.=,+@/-]+$/;
const CONTROL = /\p{Cc}/u;

/** `files` or `words`, then what the shell needs of each. */
function linesOf({ choosesItself, beforeHelp }: ShellFacts, current: string, offer: Offer): string[] {
	const [flag = ''] = /^--[^=]*=/.exec(current) ?? [];
	if (offer === 'files') return ['files', flag, current.slice(flag.length)];
	const start = choosesItself ? '' : current.toLowerCase();
	const lines = offer
		.map(({ value, help }) => ({ value: flag + value, help }))
		.filter(({ value, help = '' }) => PLAIN.test(value) && !CONTROL.test(help))
		.filter(({ value }) => value.toLowerCase().startsWith(start))
		.map(({ value, help }) => (help && beforeHelp !== undefined ? `${value}${beforeHelp}${help}` : value));
	return ['words', ...lines];
}

async function offerFor(before: readonly string[], current: string, context: Context): Promise<Offer> {
	if (before[0] === 'help') {
		const { topics } = await import('../help/topics.js');
		const shown = before.length > 1 ? [] : topics.map(({ name, summary }) => ({ value: name, help: summary }));
		return [...(await wordsBehind(before.slice(1))), ...shown];
	}
	const { entry, path, flags, rest } = await findCommand(before);
	if (entry === undefined && rest.length > 0) return [];
	const spec = await entry?.load();
	const options = spec?.options ?? (await import('../options/shared.js')).leadingOptions;
	const { args, given, pending, isEnded } = readWords(options, [...flags, ...rest]);
	if (pending !== undefined) return await valuesOf(pending, context);
	if (current.startsWith('-') && current !== '-' && !isEnded) {
		const [flag = ''] = current.split('=', 1);
		if (flag === current) return flagsLeft(options, given);
		const option = findOption(options, flag);
		return option !== undefined && takesValue(option) ? await valuesOf(option, context) : [];
	}
	if (spec === undefined) {
		const help = { value: 'help', help: 'Help on a command or a topic' };
		return [...(await wordsBehind(path)), ...(path.length > 0 ? [] : [help])];
	}
	const argument = spec.arguments[args] ?? spec.arguments.findLast(({ variadic }) => variadic === true);
	const offer = argument === undefined ? [] : await valuesOf(argument, context, current);
	// IDs can't be known.
	return offer === 'files' || offer.length > 0 || isEnded ? offer : flagsLeft(options, given);
}

async function wordsBehind(path: readonly string[]): Promise<Candidate[]> {
	const { describeCommand } = await import('../help/topics.js');
	return nextWords(path).map((value) => {
		const under = commandsBelow([...path, value]);
		const names = under.map(({ words }) => words.slice(path.length + 1).join(' '));
		return { value, help: names[0] === '' ? describeCommand([...path, value]).summary : names.join(', ') };
	});
}

/** @returns `pending`: the option whose value comes next */
function readWords(options: readonly OptionSpec[], words: readonly string[]) {
	const given: OptionSpec[] = [];
	let args = 0;
	let isEnded = false;
	let pending: OptionSpec | undefined;
	for (const word of words) {
		if (pending !== undefined) {
			pending = undefined;
		} else if (isEnded || !word.startsWith('-') || word === '-') {
			args++;
		} else if (word === '--') {
			isEnded = true;
		} else {
			const option = findOption(options, word);
			if (option === undefined) continue;
			given.push(option);
			const isAttached = /^(?:--[^=]*=|-[^-])./s.test(word);
			if (takesValue(option) && !isAttached) pending = option;
		}
	}
	return { args, given, pending, isEnded };
}

function flagsLeft(options: readonly OptionSpec[], given: readonly OptionSpec[]): Candidate[] {
	const left = shownOptions(options).filter(
		(each) => each.repeatable === true || each.counted === true || !given.includes(each),
	);
	return [
		...left.map((option) => ({ value: `--${longName(option)}`, help: option.help })),
		{ value: '--help', help: 'Show help' },
	];
}

/** More are no help. */
const RUNS_SHOWN = 50;

/** Those that can be resumed come first. */
async function runsNewestFirst(stateDir: string, now: number): Promise<Candidate[]> {
	const { runStates, runsIn } = await import('../../bulk/journal/folder.js');
	const runs: (Candidate & { isOpen: boolean })[] = [];
	for await (const { id, state, header } of runsIn(stateDir)) {
		const age = header && relativeTime(Date.parse(header.started), now);
		const what = header?.plan.endpoint.replaceAll('.', ' ');
		const help = [age, state, what].filter((each) => each !== undefined).join(', ');
		runs.push({ value: id, help, isOpen: runStates[state].isOpen });
		if (runs.length === RUNS_SHOWN) break;
	}
	const newest = runs.slice(0, 1).map(({ value, help }) => ({ value: 'last', help: `${value}, ${help}` }));
	return [...newest, ...runs.filter(({ isOpen }) => isOpen), ...runs.filter(({ isOpen }) => !isOpen)];
}

/** Where none of them begins so, any file. */
async function plansIn({ cwd, clock }: Context, current: string): Promise<Offer> {
	const { planHeader } = await import('../../bulk/plan-file/read.js');
	const folder = current.slice(0, current.lastIndexOf('/') + 1);
	const names = (await readdir(resolve(cwd, folder))).map((name) => folder + name);
	const plans = names
		.filter((name) => name.startsWith(current))
		.flatMap((value) => {
			const header = planHeader(resolve(cwd, value));
			if (header === undefined) return [];
			const { plan, started, note } = header;
			const about = [relativeTime(Date.parse(started), clock.now()), plan.endpoint.replaceAll('.', ' '), note];
			return [{ value, help: about.filter((each) => each !== undefined && !CONTROL.test(each)).join(', ') }];
		});
	return plans.length > 0 ? plans : 'files';
}

async function valuesOf(
	{ choices, suggests, completes }: Pick<OptionSpec, 'choices' | 'suggests' | 'completes'>,
	context: Context,
	current = '',
): Promise<Offer> {
	if (completes === 'files') return completes;
	if (completes === 'plans') return await plansIn(context, current);
	if (completes === undefined) return (choices ?? suggests ?? []).map((value) => ({ value }));
	const { configFolder, stateFolder } = await import('../../profile/settings.js');
	if (completes === 'profiles') {
		const { readStore } = await import('../../profile/store.js');
		const { profiles } = readStore(configFolder(context)).store;
		return Object.entries(profiles).map(([value, { baseUrl }]) => ({ value, help: String(baseUrl ?? '') }));
	}
	return await runsNewestFirst(stateFolder(context), context.clock.now());
}
