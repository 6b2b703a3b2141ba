/** README and docs: blocks that run, commands, flags and links that exist, and the words of all texts for users. */

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { topicTexts } from '../src/cli/help/topics.js';
import { commands } from '../src/cli/manifest.js';
import { parseWords } from '../src/cli/parse.js';
import type { UsageError } from '../src/errors.js';
import { reasons } from '../src/http/outcomes.js';
import { binary, isolatedEnvironment } from './support/cli.js';
import { startSandbox } from './support/sandbox.js';
import { temporaryFolder } from './support/temporary.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']
	.concat(readdirSync(join(root, 'docs')).map((name) => `docs/${name}`))
	.filter((name) => name.endsWith('.md'));

interface Block {
	language: string;
	/** The file that the block is written to, for blocks such as ```csv edits.csv. */
	file: string;
	text: string;
}

const read = (page: string): string => readFileSync(join(root, page), 'utf8');
const blocksOf = (page: string): Block[] =>
	[...read(page).matchAll(/^```(\w*) ?(\S*)\n(.*?)^```$/gms)].map(([, language = '', file = '', text = '']) => ({
		language,
		file,
		text,
	}));

/** reference.md repeats the examples of help, which are tested there; recipes.md needs programs (test/system/pipes.test.ts). */
const ELSEWHERE = ['docs/reference.md', 'docs/recipes.md'];
const hasShell = (page: string): boolean => blocksOf(page).some(({ language }) => language === 'sh');

describe.each(pages.filter((page) => hasShell(page) && !ELSEWHERE.includes(page)))('%s', (page) => {
	it('has blocks of shell that run against a new sandbox', async () => {
		const sandbox = await startSandbox();
		const cwd = temporaryFolder();
		const env = { PATH: process.env.PATH, HOME: cwd, ...isolatedEnvironment(), ...sandbox.env };
		const failures: unknown[] = [];
		for (const { language, file, text } of blocksOf(page)) {
			if (file !== '') writeFileSync(join(cwd, file), text);
			if (language !== 'sh') continue;
			const script = `supportctl() { '${process.execPath}' '${binary}' "$@"; }\n${text}`;
			await promisify(execFile)('sh', ['-e', '-c', script], { cwd, env }).catch(({ code, stderr }) =>
				failures.push({ text, code, stderr }),
			);
		}
		await sandbox.stop();
		expect(failures).toEqual([]);
	});
});

describe('commands and flags in the documentation', async () => {
	const flagsOf = (flags: readonly string[]): string[] =>
		flags.flatMap((text) => text.match(/--?[a-zA-Z][a-z-]*/g) ?? []);
	const known = await Promise.all(
		commands.map(async ({ words, load }) => {
			const spec = await load();
			const flags = new Set([...flagsOf(spec.options.map(({ flags }) => flags)), '--help', '-h']);
			return { words: words.join(' '), spec, flags };
		}),
	);
	const allFlags = new Set([...known.flatMap(({ flags }) => [...flags]), '--version']);
	const groups = new Set(
		commands.flatMap(({ words }) => words.slice(0, -1).map((_, at) => words.slice(0, at + 1).join(' '))),
	);

	/** What is wrong with a command line; the words behind `supportctl`. */
	function problems(line: string): string[] {
		const words = line.trim().split(/\s+/);
		if (line.trim() === '' || !/^[a-z]/.test(line) || ['help', 'version'].includes(words[0] as string)) return [];
		const command = known
			.filter((each) => `${words.join(' ')} `.startsWith(`${each.words} `))
			.sort((a, b) => b.words.length - a.words.length)[0];
		if (command === undefined) {
			const isGroup = groups.has(words.filter((word) => !word.startsWith('-')).join(' '));
			return isGroup ? [] : [`supportctl ${line}: no such command`];
		}
		const used = words.filter((word) => /^--?[a-zA-Z]/.test(word)).map((word) => word.replace(/=.*/s, ''));
		const unknown = used.filter((flag) => !command.flags.has(flag.startsWith('--') ? flag : flag.slice(0, 2)));
		if (unknown.length > 0) return unknown.map((flag) => `supportctl ${line}: no flag ${flag}`);
		return refusal(command, words.slice(command.words.split(' ').length)).map((why) => `supportctl ${line}: ${why}`);
	}

	/** Why the parser refuses words behind a command, with samples for placeholders. Prose may name a command without its arguments. */
	function refusal({ words, spec }: (typeof known)[number], behind: readonly string[]): string[] {
		// Usage, and what a shell or a template fills in.
		if (behind.some((word) => /[[<{$'…]|:::/.test(word))) return [];
		const samples = behind.flatMap((word) => {
			const given = word.replace(/[.…]+$|^['"]|['"]$/g, '');
			if (given === '') return [];
			if (['N', 'x'].includes(given)) return ['1'];
			if (given === 'TAXONOMY') return ['product'];
			return [given.replace(/^K\/N$/, '1/2').replace(/^FORMAT:/, 'html:')];
		});
		try {
			parseWords(spec, words.split(' '), samples);
			return [];
		} catch (error) {
			const { code, message } = error as UsageError;
			return code === 'missing_argument' ||
				/needs a value|is not a format|needs a file|"1" is not allowed/.test(message)
				? []
				: [message];
		}
	}

	it('exist: messages and examples in the source', () => {
		const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
		const source = files.flatMap((file) => (/\.(?:ts|md)$/.test(file) ? [read(`src/${file}`)] : [])).join('\n');
		const nouns = [...new Set(known.map(({ words }) => words.replace(/ .*/, '')))].join('|');
		const line = new RegExp(`\\bsupportctl ((?:${nouns}) [^|;,:<>()'"\`\\n]*)`, 'g');
		const lines = [...source.replaceAll(/\$\{[^}]*\}/g, 'x').matchAll(line)].map(([, words = '']) => words);
		expect(lines.length).toBeGreaterThan(100);
		expect(lines.flatMap(problems)).toEqual([]);
	});

	it.each(pages.filter((page) => page !== 'CHANGELOG.md'))('exist: %s', (page) => {
		const text = read(page);
		const blocks = blocksOf(page).filter(({ language }) => ['sh', 'text', 'console', 'yaml', ''].includes(language));
		const spans = [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
		const lines = [...blocks.map((block) => block.text), ...spans]
			.map((each) => each.replaceAll(/\\?\n\s+(?=--)/g, ' '))
			.flatMap((each) => [...each.matchAll(/(?:^|[\s(])supportctl ([^|;&>\n#)"]*)/g)].map(([, line = '']) => line));
		const short = spans.filter((span) => [...groups].some((group) => new RegExp(`^${group} [a-z]`).test(span)));
		const flags = spans
			.filter((span) => /^--?[a-z]/.test(span))
			.map((span) => span.replace(/[=, [].*/s, '').replace(/^-vv$/, '-v'));
		const strays = page.startsWith('docs/') ? ['--wasm-tiering-budget', '--severity'] : [];
		expect([
			...[...lines, ...short].flatMap(problems),
			...flags.filter((flag) => !allFlags.has(flag) && !strays.includes(flag)),
		]).toEqual([]);
	});
});

it.each(pages)('links, paths and data of %s are valid', (page) => {
	const targets = [...read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target = '']) => target);
	const files = [...read(page).matchAll(/`((?:[a-z-]+\/)+[\w-]+(?:\.[a-z]+)+)`/g)].map(([, path = '']) =>
		join(root, /^(?:src|test|docs|bin|dist|undici)\//.test(path) ? '' : 'src', path),
	);
	const missing = targets
		.filter((each) => !/^https?:/.test(each))
		.map((each) => join(root, dirname(page), each))
		.concat(files)
		.filter((each) => !existsSync(each));
	expect(missing).toEqual([]);
	const broken = blocksOf(page)
		.filter(({ language }) => language === 'yaml')
		.flatMap(({ text }) => parseAllDocuments(text).flatMap(({ errors }) => errors));
	expect(broken).toEqual([]);
});

it('no recipe installs supportctl from a package registry, where it is not', () => {
	for (const page of pages)
		expect(read(page)).not.toMatch(
			/npx (?:-\S+ )*supportctl|npm (?:i|install|exec)(?: -\S+)* supportctl(?!-)|registry\.example/,
		);
});

it('help environment explains every variable that the program reads', () => {
	const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
	const source = files.flatMap((file) => (file.endsWith('.ts') ? [read(`src/${file}`)] : [])).join('\n');
	const names = [...source.matchAll(/\benv\??\.([A-Z_]+)|(SUPPORTCTL_[A-Z]+(?:_[A-Z]+)*)/g)].map(([, read, named]) =>
		`${read ?? named}`.replace(/_FILE$/, ''),
	);
	// Where the system keeps things, and what is set for a pager.
	const ofSystem = ['HOME', 'USERPROFILE', 'TMPDIR', 'LESS', 'LV'];
	const page = topicTexts.get('environment') ?? '';
	const missing = [...new Set(names)].filter((name) => !ofSystem.includes(name) && !page.includes(name));
	expect(missing).toEqual([]);
	expect(names.length).toBeGreaterThan(20);
});

it('troubleshooting explains messages that the program has', () => {
	const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
	const source = files.flatMap((file) => (file.endsWith('.ts') ? [read(`src/${file}`)] : [])).join();
	const cells = read('docs/troubleshooting.md').match(/^\| .*? \|/gm) ?? [];
	const messages = cells.flatMap((cell) => [...cell.matchAll(/`(.*?)`/g)].map(([, message = '']) => message));
	// What stands between values: words in capitals, what is quoted, and the dots of what is left out.
	const parts = messages.flatMap((message) => message.split(/\b[A-Z]{2,}\b|\b[NM]\b|"[^"]*"|…|[:,] /));
	expect(parts.map((part) => part.trim()).filter((part) => !source.includes(part))).toEqual([]);
	expect(messages.length).toBeGreaterThan(30);
});

it('troubleshooting explains every code of an error, and every reason to stop', () => {
	const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
	const sources = files.filter((file) => file.endsWith('.ts') && !/^(?:sandbox|tools)\b/.test(file));
	// Also where a code has a name, or is one of several.
	const places = /\bcode(?::| =)[^,;\n{}]*|unsent\([^,]*,[^,]*|const [A-Z_]+ = '[a-z_]+'/g;
	const codes = sources.flatMap((file) => {
		const found = (read(`src/${file}`).match(places) ?? []).join('\n');
		return [...found.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g)].map(([, code = '']) => code);
	});
	const page = read('docs/troubleshooting.md');
	const ofService = /^rest_|^invalid_username_access$/;
	const own = new Set([...codes.filter((code) => !ofService.test(code)), ...Object.keys(reasons)]);
	const missing = [...own].filter((code) => !page.includes(`\`${code}\``));
	expect(missing).toEqual([]);
	// What stands between values in each reason to stop.
	const stops = [...read('src/bulk/run/stop.ts').matchAll(/return [`'](.*)[`'];/g)].map(([, text = '']) => text);
	const words = stops.flatMap((text) => {
		const parts = text
			.split(/\$\{[^}]*\}/)
			.map((part) => part.replace(/^stopped:? ?(?:at )?/, '').replace(/ ?\(.*/, ''));
		return parts.findLast((part) => /[a-z]{4}/.test(part))?.replace(/^[: ]+|[: ]+$/g, '') ?? [];
	});
	expect(words.filter((part) => !page.includes(part))).toEqual([]);
	expect(words.length).toBeGreaterThan(5);
});

it('README is short enough to be read', () => {
	expect(read('README.md').split('\n').length).toBeLessThanOrEqual(300);
});

/** Words that read as translated, or that have a standard word: response, retry, fix, print, permanently, service, API. */
const banned = new RegExp(
	[
		'\\bmend(?:s|ed|ing)?\\b',
		'\\b(?:told|tells?)\\b(?! you how)',
		'\\bgood rows?\\b',
		'\\bearns?\\b',
		'\\bmoods?\\b',
		'\\b(?:put|puts|give|gives|given|gave) (?:\\w+ )?back\\b(?! pressure)',
		'\\b(?:go|goes|went) on (?:with|where)\\b',
		'\\bfor good\\b',
		'\\b(?:the|your|an?|this|large|same|made-up|real|new|whole|of) desks?\\b',
		'\\bthe interface\\b',
		'^#+ for instance$',
		'\\blets? (?:\\w+ )?through\\b',
		"\\bthis side's\\b",
		'\\btalk among\\b',
		'\\bfate\\b',
		'\\bblack(?:s|ed)? out\\b',
		'\\bbad night\\b',
		'\\bsomebody\\b',
		'\\btrouble\\b(?!\\.)',
		'(?<![./])\\banswer(?:s|ed)?\\b',
	].join('|'),
	'im',
);

describe('texts for users are in plain words', () => {
	const findings = (text: string): string[] => text.split('\n').filter((line) => banned.test(line));

	it.each(pages)('%s', (page) => {
		expect(findings(read(page))).toEqual([]);
	});

	it('topics of help', () => {
		expect([...topicTexts.values()].flatMap(findings)).toEqual([]);
	});

	it('messages in the source', () => {
		const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
			(file) => file.endsWith('.ts') && !/sandbox.(?:words|seed)\.ts/.test(file),
		);
		const found = files.flatMap((file) => {
			const lines = read(`src/${file}`)
				.split('\n')
				.filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line));
			const literal = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
			const strings = lines.flatMap((line) => line.replace(/\s\/\/ .*/, '').match(literal) ?? []);
			return strings
				.filter((each) => each.includes(' ') && banned.test(each.replaceAll(/\$\{[^}]*\}/g, '')))
				.map((each) => `${file}: ${each}`);
		});
		expect(found).toEqual([]);
	});
});
