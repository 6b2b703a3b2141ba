/** A real interactive shell in a pseudo-terminal, into which a test types, with `supportctl` on its PATH. */

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import { binary } from '../support/cli.js';
import { temporaryFolder } from '../support/temporary.js';
import { whenTestEnds } from '../support/test-end.js';

export type ShellName = 'bash' | 'zsh' | 'fish';

export interface Shell {
	/** The folder in which it was started. */
	readonly cwd: string;
	readonly home: string;
	/** Types, and gives the command line as it then stands. */
	line(typed: string): Promise<string>;
	/** Types, and gives what the terminal showed till then, escape sequences taken out. */
	screen(typed: string): Promise<string>;
	/** Runs a command and gives its output. */
	run(command: string): Promise<string>;
}

const MARK = '\x07';

/** What each shell is started with: a prompt that can be waited for, and Ctrl-G to print the line that is being typed. */
const setups: Record<ShellName, { args(rc: string): string[]; rcName: string; rc: string }> = {
	bash: {
		args: (rc) => ['--noprofile', '--rcfile', rc, '-i'],
		rcName: 'bashrc',
		rc: [
			"PS1='<ready>'",
			'set +o history',
			`bind 'set bell-style none'`,
			`bind 'set completion-query-items 0'`,
			`bind 'set page-completions off'`,
			`bind 'set show-all-if-ambiguous on'`,
			`bind -x '"\\C-g": printf "\\n<line:%s:%s>\\n" "$READLINE_LINE" end'`,
		].join('\n'),
	},
	zsh: {
		args: () => ['-i'],
		rcName: '.zshrc',
		rc: [
			"PROMPT='<ready>'",
			'unsetopt beep',
			'LISTMAX=10000',
			'autoload -Uz compinit && compinit -u -d "$ZDOTDIR/dump"',
			'show() { print; print -r -- "<line:"$BUFFER":end>" }',
			'zle -N show',
			"bindkey '^G' show",
		].join('\n'),
	},
	fish: {
		args: (rc) => ['--no-config', '--interactive', '--init-command', `source ${rc}`],
		rcName: 'config.fish',
		rc: [
			'function fish_prompt; printf "<ready>"; end',
			'function fish_greeting; end',
			'set -g fish_autosuggestion_enabled 0',
			'bind \\cg \'printf "\\n<line:%s:end>\\n" (commandline | string collect)\'',
		].join('\n'),
	},
};

function plain(text: string): string {
	return text
		.replace(/\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, '')
		.replace(/\x1b\[[0-9;?>=]*[ -/]*[@-~]/g, '')
		.replace(/\x1b[=>()][A-Z0-9]?/g, '')
		.replace(/[\r\x07\x0f]/g, '');
}

/** Starts the shell; `before` and `setup` are lines of its start-up file, before and after ours. */
export async function openShell(
	name: ShellName,
	{ before = '', setup = '', env = {} }: { before?: string; setup?: string; env?: Record<string, string> } = {},
): Promise<Shell> {
	const home = temporaryFolder();
	const cwd = join(home, 'edits');
	const bin = join(home, 'bin');
	mkdirSync(cwd);
	mkdirSync(bin);
	chmodSync(binary, 0o755);
	symlinkSync(binary, join(bin, 'supportctl'));
	const { args, rcName, rc } = setups[name];
	const rcFile = join(home, rcName);
	writeFileSync(rcFile, `${before}\n${rc}\n${setup}\n`);
	const terminal: IPty = spawn(name, args(rcFile), {
		cols: 200,
		rows: 200,
		cwd,
		env: {
			PATH: `${bin}:${process.env.PATH}`,
			HOME: home,
			ZDOTDIR: home,
			XDG_CONFIG_HOME: join(home, 'config'),
			XDG_DATA_HOME: join(home, 'data'),
			SUPPORTCTL_CONFIG_DIR: join(home, 'supportctl'),
			SUPPORTCTL_STATE_DIR: join(home, 'state'),
			TERM: 'xterm',
			LANG: 'C.UTF-8',
			LC_ALL: 'C.UTF-8',
			...env,
		},
	});
	let text = '';
	let look = (): void => undefined;
	terminal.onData((more) => {
		text += more;
		look();
	});
	const ended = new Promise<void>((resolve) => terminal.onExit(() => resolve()));
	whenTestEnds(async () => {
		terminal.kill('SIGKILL');
		await ended;
	});

	/** Resolves once what came since `from` matches. */
	const until = (pattern: RegExp, from: number): Promise<RegExpExecArray> =>
		new Promise((resolve) => {
			look = () => {
				const match = pattern.exec(plain(text.slice(from)));
				if (match === null) return;
				look = () => undefined;
				resolve(match);
			};
			look();
		});

	await until(/<ready>/, 0);

	async function type(typed: string): Promise<RegExpExecArray> {
		const from = text.length;
		// Ctrl-U empties the line that was left from before.
		terminal.write(`\x15${typed}${MARK}`);
		return until(/([\s\S]*?)<line:([\s\S]*?):end>/, from);
	}

	return {
		cwd,
		home,
		line: async (typed) => ((await type(typed))[2] as string).replaceAll('\n', ''),
		screen: async (typed) => (await type(typed))[1] as string,
		async run(command) {
			const from = text.length;
			terminal.write(`\x15${command}; echo '<do''ne>'\r`);
			const match = await until(/\n([\s\S]*?)<done>/, from);
			return match[1] as string;
		},
	};
}
