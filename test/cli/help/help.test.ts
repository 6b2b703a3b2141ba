import { describe, expect, it } from 'vitest';
import { idNames } from '../../../src/api/endpoints.js';
import { ticketStatuses } from '../../../src/api/statuses.js';
import { splitOptions } from '../../../src/cli/help/commands.js';
import { definitionList, pageText, readEntry, readPage } from '../../../src/cli/help/page.js';
import { describeCommand, topics, topicTexts } from '../../../src/cli/help/topics.js';
import { commands } from '../../../src/cli/manifest.js';
import { outcomeKeys } from '../../../src/cli/runs/outcomes.js';
import { helpWidth, wrap } from '../../../src/cli/wrap.js';
import { ExitCode } from '../../../src/errors.js';
import { runMain } from '../../../src/main.js';
import { plainPalette } from '../../../src/output/colour.js';
import { formatNames } from '../../../src/output/formats.js';
import { memoryContext } from '../../support/context.js';
import { parseWords } from '../../support/parse-words.js';

async function run(argv: readonly string[], columns?: number) {
	const context = memoryContext({ argv, columns, env: { NO_COLOR: '1' } });
	const exitCode = await runMain(context);
	return { exitCode, stdout: context.stdout.text, stderr: context.stderr.text };
}

const textOf = (topic: string): string => topicTexts.get(topic) ?? '';
const names = commands.map((entry) => entry.words.join(' '));

/** What a person would type in `$ …` lines, pipes taken apart, quotation marks taken off. */
function typed(line: string): string[][] {
	return line
		.split(/ \| | >>? | < |; /)
		.filter((part) => /(?:^|\s)supportctl /.test(part))
		.map((part) =>
			[...part.slice(part.indexOf('supportctl ') + 11).matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
				(match) => (match[1] ?? match[2] ?? match[3]) as string,
			),
		);
}

/** Reads a command line as the program does. @throws where a person who typed it would get an error */
async function parseExample(argv: readonly string[]): Promise<void> {
	if (argv[0] === 'help' || argv[0]?.startsWith('-')) return;
	const entry = commands.find(({ words }) => words.every((word, index) => argv[index] === word));
	if (entry === undefined) throw new Error(`${argv.join(' ')} is not a command`);
	parseWords(await entry.load(), entry.words, argv.slice(entry.words.length));
}

describe('supportctl alone', () => {
	it('prints a short orientation, whose commands exist', async () => {
		const { exitCode, stdout, stderr } = await run([], 80);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(stdout.split('\n').length).toBeLessThanOrEqual(20);
		for (const name of ['login', 'sandbox', 'help bulk']) expect(stdout).toContain(`supportctl ${name}`);
	});
});

describe('supportctl --help', () => {
	it('lists every command once, and every topic', async () => {
		const { exitCode, stdout } = await run(['--help'], 80);
		expect(exitCode).toBe(0);
		for (const name of names) expect(stdout.match(new RegExp(`^  ${name}  `, 'gm')), name).toHaveLength(1);
		for (const { name } of topics) expect(stdout).toContain(`help ${name}`);
		expect(await run(['help'], 80)).toEqual({ exitCode, stdout, stderr: '' });
	});

	it('lists the commands of a group', async () => {
		const { exitCode, stdout } = await run(['ticket'], 80);
		expect(exitCode).toBe(0);
		expect(stdout).toContain('ticket fields set');
		expect(stdout).not.toContain('reply update');
		expect((await run(['ticket', '--help'], 80)).stdout).toBe(stdout);
		expect((await run(['help', 'ticket'], 80)).stdout).toBe(stdout);
	});
});

describe.each(names)('help of %s', (name) => {
	it('opens with one sentence, shows at least two examples that the command understands, and fits', async () => {
		const words = name.split(' ');
		const { group, summary, examples: described } = describeCommand(words);
		expect(group).toMatch(/^[A-Z]/);
		expect(summary).toMatch(/^[A-Z].*[^.]$/);
		const examples = described.map(({ command }) => command);
		expect(examples.length).toBeGreaterThanOrEqual(2);
		for (const example of examples) {
			const lines = typed(example);
			expect(lines.length, example).toBeGreaterThan(0);
			for (const line of lines) await parseExample(line);
		}
		for (const columns of [60, 80, 200]) {
			const { exitCode, stdout, stderr } = await run([...words, '--help'], columns);
			expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
			const wide = stdout
				.split('\n')
				.filter((line) => line.length > columns && !/^ {2}(?:\$|#|supportctl|\.\.\.)/.test(line));
			expect(wide).toEqual([]);
			if (columns === 80) expect(stdout.split('\n').length).toBeLessThanOrEqual(61);
		}
		expect((await run(['help', ...words], 80)).stdout).toBe((await run([...words, '-h'], 80)).stdout);
	});
});

describe('help of a command', () => {
	it('fits a screen: its request, its own flags, and a line for the shared ones', async () => {
		const { stdout } = await run(['ticket', 'update', '--help'], 80);
		expect(stdout).toContain('\nREQUEST\n  POST /support-api/v1/tickets/<id>\n');
		expect(stdout).toMatch(/--status <status> +Named status \(supportctl help statuses\)/);
		expect(stdout).toMatch(/--time-adjustments-type <type> +\+ adds[^{]+\{positive\|negative\|\+\|-\}/);
		expect(stdout).toMatch(/--ticket-tag <terms> .*\(repeatable\)/);
		expect(stdout).not.toContain('--concurrency');
		expect(stdout).toMatch(/supportctl help flags +Shared flags: input, checks, guards, run, output,\s+connection\n/);
	});

	it('lists and accepts only flags that apply: commands that only read have no --yes', async () => {
		expect((await run(['user', 'id', '--help'], 80)).stdout).not.toMatch(/--yes|--blank|--undocumented/);
		for (const argv of ['user id ada --yes', 'ticket list --yes', 'ticket fields get 14 -y']) {
			const { exitCode, stderr } = await run(argv.split(' '));
			expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(/unknown flag (?:--yes|-y)/) });
		}
	});
});

it('help flags lists every flag that a command hides as shared, help statuses every status', async () => {
	const flags = (await run(['help', 'flags'], 80)).stdout;
	for (const entry of commands) {
		const command = await entry.load();
		const { own } = splitOptions(command.options);
		for (const option of command.options) if (!own.includes(option)) expect(flags).toContain(option.flags);
	}
	expect(flags).toMatch(/-j, --concurrency <n\|auto> [\s\S]*?\(default:\s+4\)/);
	const { stdout } = await run(['help', 'statuses'], 80);
	for (const status of ticketStatuses) expect(stdout).toMatch(new RegExp(`\\b${status}\\b`));
});

it('help --json prints the command tree, or the part below some words', async () => {
	const tree = JSON.parse((await run(['help', '--json'])).stdout);
	expect(tree.commands.map(({ name }: { name: string }) => name)).toEqual(names);
	expect(tree.exitCodes.map(({ code }: { code: number }) => code)).toEqual(Object.values(ExitCode));
	const { stdout } = await run(['ticket', 'update', '--help', '--json']);
	const [update, ...others] = JSON.parse(stdout).commands;
	expect(others).toEqual([]);
	expect(update).toMatchObject({
		name: 'ticket update',
		requests: [{ method: 'POST', path: '/tickets/<id>', documented: true }],
		arguments: [{ name: 'id', variadic: true }],
		exitCodes: [0, 1, 2, 3, 4, 5, 6, 130],
	});
	const flag = (name: string) => update.flags.find((each: { name: string }) => each.name === name);
	expect(flag('--status')).toMatchObject({ type: 'string', suggests: ticketStatuses, shared: false });
	expect(flag('--concurrency')).toMatchObject({ short: '-j', type: 'string', default: '4', shared: true });
	expect(flag('--format').choices).toEqual(formatNames);
});

describe.each([...topicTexts])('help %s', (name, text) => {
	it('fits, and every command in it is understood', async () => {
		const { exitCode, stdout } = await run(['help', name], 80);
		expect(exitCode).toBe(0);
		const prose = stdout.split('\n').filter((line) => line.length > 80);
		const page = readPage(text);
		const code = page.flatMap((block) => (block.kind === 'code' ? block.lines : []));
		for (const { kind, lines } of page)
			if (kind === 'list')
				for (const line of lines)
					expect(readEntry(line)).toEqual({ name: expect.stringMatching(/\S/), meaning: expect.stringMatching(/\S/) });
		expect(prose.filter((line) => !code.includes(line.trim()) && !code.includes(line.slice(2)))).toEqual([]);
		for (const line of code.filter((each) => each.startsWith('$ supportctl'))) {
			for (const argv of typed(line)) await parseExample(argv);
		}
	});
});

it('explains every format under help formats', async () => {
	const explained = [...textOf('formats').matchAll(/^- `([a-z]+)`:/gm)].map(([, name]) => name);
	expect(explained).toEqual(expect.arrayContaining([...formatNames]));
});

it('lists all commands for help help', async () => {
	expect(await run(['help', 'help'])).toEqual(await run(['--help']));
});

describe('an unknown topic or command', () => {
	it.each([
		[['tiket'], /unknown command "tiket"\nhint: did you mean: supportctl ticket --help\n/],
		[
			['ticket', 'updat'],
			/unknown command "updat" under "ticket"\nhint: did you mean: supportctl ticket update --help\n/,
		],
		[
			['ticket', 'update', '1', '--stauts', 'hold'],
			/unknown flag --stauts\nhint: did you mean: supportctl ticket update 1 --status hold/,
		],
		[['help', 'junit'], /hint: see: supportctl help \w+.*; topics: agents, /],
		[['help', 'undo'], /hint: see: supportctl help run undo, supportctl help \w+, /],
		[['help', 'bluk'], /unknown help topic "bluk"; did you mean "bulk"\?/],
		[['help', 'ticket', 'updaet'], /unknown help topic "ticket updaet"; did you mean "ticket update"\?/],
	])('%j is a usage error that names the nearest', async (argv, message) => {
		const { exitCode, stdout, stderr } = await run(argv);
		expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
		expect(stderr).toMatch(message);
	});
});

describe('layout', () => {
	it('wraps between words, and never within one', () => {
		expect(wrap('one two three verylongword x', 8)).toEqual(['one two', 'three', 'verylongword', 'x']);
		expect(wrap('', 8)).toEqual([]);
	});

	it('sets names and meanings in columns, a long name on a line of its own', () => {
		expect(definitionList(['- `a`: first', '- `a-name-that-is-too-long`: second entry of two lines'], 30)).toEqual([
			'a  first',
			'a-name-that-is-too-long',
			'   second entry of two lines',
		]);
	});

	it('is as wide as the terminal, within reason', () => {
		expect([undefined, 20, 60, 200].map(helpWidth)).toEqual([80, 40, 60, 100]);
	});

	it('sets headings, paragraphs, code and lists', () => {
		const page =
			'Some\ntext.\n\n## Title\n\n```\n$ one\n\ntwo\n```\n\n- `-f, --file X`: what it is\n- `--long`: more\n';
		expect(pageText(page, 40, plainPalette)).toBe(
			'Some text.\n\nTITLE\n  $ one\n\n  two\n\n  -f, --file X  what it is\n      --long    more\n',
		);
	});
});

describe('help formats', () => {
	it('says of every key that an outcome can have what it is', async () => {
		const documented = readPage(textOf('formats'))
			.flatMap(({ kind, lines }) => (kind === 'list' ? lines : []))
			.flatMap((line) => readEntry(line).name.split(', '));
		expect(documented).toEqual(expect.arrayContaining(outcomeKeys(idNames)));
	});

	it('has every ID of the table among the columns of an input', async () => {
		// A username is a field.
		const names = idNames.filter((name) => name !== 'username');
		const [columns = ''] = /^Columns can be field names, or .*/m.exec(textOf('bulk')) ?? [];
		for (const name of names) expect(columns).toContain(`\`${name}\``);
	});
});
