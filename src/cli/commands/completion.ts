/** `completion`: scripts that call `__complete SHELL`, which prints `files` or `words`, then what belongs to it. */

import { ExitCode } from '../../errors.js';
import { defineCommand } from '../command.js';

/** For bash from 3.2 on. */
const bash = `# bash completion for supportctl

_supportctl() {
	COMPREPLY=()
	local line
	local -a answer
	answer=()
	# What was typed is the program that is asked, so that a copy completes itself.
	while IFS= read -r line; do
		answer+=("$line")
	done < <("\${1/#~\\//$HOME/}" __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
	if [ "\${answer[0]-}" = files ]; then
		type compopt >/dev/null 2>&1 && compopt -o default
	elif [ \${#answer[@]} -gt 1 ]; then
		COMPREPLY=("\${answer[@]:1}")
		type compopt >/dev/null 2>&1 && {
			compopt -o nosort 2>/dev/null
			[[ \${answer[1]} == *= ]] && compopt -o nospace
		}
	fi
	return 0
}

complete -F _supportctl supportctl
`;

const zsh = `#compdef supportctl

_supportctl() {
	local -a before answer values space
	(( CURRENT > 2 )) && before=("\${(@Q)words[2,CURRENT-1]}")
	# What was typed is the program that is asked, so that a copy completes itself.
	answer=("\${(@f)$("\${~words[1]}" __complete zsh "\${before[@]}" "\${(Q)PREFIX}" 2>/dev/null)}")
	if [[ $answer[1] == files ]]; then
		compset -p \${#answer[2]}
		_files
		return
	fi
	values=(\${answer[2,-1]})
	[[ $answer[2] == *= ]] && space=(-S '')
	_describe -V supportctl values "\${space[@]}"
}

if [ "$funcstack[1]" = "_supportctl" ]; then
	_supportctl "$@"
else
	(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
	compdef _supportctl supportctl
fi
`;

const fish = `# fish completion for supportctl

# Asks what to offer; fails where fish is to complete a path by itself.
function __supportctl_ask
	set -l before (commandline -opc)
	set -l current (commandline -ct)
	set -l plain (string unescape -- $current 2>/dev/null)
	and set current $plain
	# What was typed is the program that is asked, so that a copy completes itself.
	set -l program (string replace -r '^~/' "$HOME/" -- $before[1])
	set -l answer ($program __complete fish $before[2..-1] "$current" 2>/dev/null)
	set -g __supportctl_offer $answer[2..-1]
	if test "$answer[1]" = files
		set -g __supportctl_offer "$answer[2]"(__fish_complete_path "$answer[3]")
		not string match -qr '^(--[a-z-]+=)?$' -- "$answer[2]"
	end
end

complete -c supportctl -e
complete -c supportctl -n __supportctl_ask -f -k -a '$__supportctl_offer'
`;

/** For PowerShell from 5.1 on. */
const powershell = `# PowerShell completion for supportctl

Register-ArgumentCompleter -Native -CommandName supportctl -ScriptBlock {
	param($current, $line, $cursor)
	# The words before the cursor without their quotes; the last one is typed, or not yet begun.
	$words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $cursor } |
		ForEach-Object { if ($null -ne $_.Value) { $_.Value } else { $_.Extent.Text } })
	if ($current -eq '') { $words += '' }
	$kind, $first, $path, $rest = $answer = @($words | supportctl __complete powershell 2>$null)
	if ($kind -eq 'files') {
		[Management.Automation.CompletionCompleters]::CompleteFilename([string]$path) | ForEach-Object {
			[Management.Automation.CompletionResult]::new("$first$($_.CompletionText)", $_.ListItemText, $_.ResultType, $_.ToolTip)
		}
		return
	}
	$answer | Select-Object -Skip 1 | ForEach-Object {
		$value, $help = $_ -split "\`t", 2
		$text = if ($value -match '[^A-Za-z0-9_./:=+-]') { "'" + $value.Replace("'", "''") + "'" } else { $value }
		[Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $(if ($help) { $help } else { $value }))
	}
}
`;

const scripts = { bash, zsh, fish, powershell };

export const command = defineCommand({
	arguments: [{ name: 'shell', help: 'Your shell', required: true, choices: ['bash', 'zsh', 'fish', 'powershell'] }],
	options: [],
	async run({ args, context }) {
		context.stdout.write(scripts[args[0]]);
		return ExitCode.ok;
	},
});
