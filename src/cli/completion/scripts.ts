/** The completion scripts. Each calls `supportctl __complete SHELL` at each Tab; `answers.ts` has what they ask and read. */

/** From 3.2 on. */
const bash = `# bash completion for supportctl: supportctl completion bash
# For every shell: put it into ~/.local/share/bash-completion/completions/supportctl
# For this one:    source <(supportctl completion bash)

_supportctl() {
	COMPREPLY=()
	local program=supportctl line
	local -a answer
	answer=()
	# A path that was typed is the program that is asked, so that a copy completes itself.
	case $1 in
	'~/'*) program=$HOME/\${1:2} ;;
	*/*) program=$1 ;;
	esac
	while IFS= read -r line; do
		answer+=("$line")
	done < <("$program" __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
	case \${answer[0]-} in
	files)
		# The path to look for, how much of it stays out, what goes before it, and whether a quotation mark is open.
		while IFS= read -r line; do
			line=\${line:\${answer[2]}}
			if [ -n "\${answer[3]-}" ]; then
				[ -d "$line" ] && line=$line/ && type compopt >/dev/null 2>&1 && compopt -o nospace
				[ -z "\${answer[4]-}" ] && printf -v line %q "$line"
			fi
			COMPREPLY+=("\${answer[3]-}$line")
		done < <(compgen -f -- "\${answer[1]}")
		# bash quotes names of files itself, but not what stands before them.
		[ -z "\${answer[3]-}" ] && type compopt >/dev/null 2>&1 && compopt -o filenames
		;;
	words | open)
		type compopt >/dev/null 2>&1 && {
			compopt -o nosort 2>/dev/null
			[ "\${answer[0]}" = open ] && compopt -o nospace
		}
		[ \${#answer[@]} -gt 1 ] && COMPREPLY=("\${answer[@]:1}")
		;;
	esac
	return 0
}

complete -F _supportctl supportctl
`;

const zsh = `#compdef supportctl
# zsh completion for supportctl: supportctl completion zsh
# For every shell: put it as _supportctl into a folder of $fpath, before compinit runs
# For this one:    source <(supportctl completion zsh)

_supportctl() {
	local program=supportctl line
	local -a before answer values
	# A path that was typed is the program that is asked, so that a copy completes itself.
	[[ $words[1] == */* ]] && program=\${~words[1]}
	(( CURRENT > 2 )) && before=("\${(@Q)words[2,CURRENT-1]}")
	answer=("\${(@f)$("$program" __complete zsh "\${before[@]}" "\${(Q)PREFIX}" 2>/dev/null)}")
	case $answer[1] in
	files)
		compset -p \${#answer[2]}
		_files
		;;
	words | open)
		for line in "\${(@)answer[2,-1]}"; do
			[[ -n $line ]] || continue
			# What stands before the first tab is the value; its colons are not the one that ends it.
			if [[ $line == *$'\\t'* ]]; then
				values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
			else
				values+=("\${line//:/\\\\:}")
			fi
		done
		if [[ $answer[1] == open ]]; then
			_describe -V supportctl values -S ''
		else
			_describe -V supportctl values
		fi
		;;
	*)
		return 1
		;;
	esac
}

if [ "$funcstack[1]" = "_supportctl" ]; then
	_supportctl "$@"
else
	(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
	compdef _supportctl supportctl
fi
`;

const fish = `# fish completion for supportctl: supportctl completion fish
# For every shell: put it into ~/.config/fish/completions/supportctl.fish
# For this one:    supportctl completion fish | source

# Asks what to offer; fails where fish is to complete a path by itself.
function __supportctl_ask
	set -l before (commandline -opc)
	set -l current (commandline -ct)
	set -l plain (string unescape -- $current 2>/dev/null)
	and set current $plain
	set -l program supportctl
	# A path that was typed is the program that is asked, so that a copy completes itself.
	string match -q '*/*' -- $before[1]
	and set program (string replace -r '^~/' "$HOME/" -- $before[1])
	set -g __supportctl_offer
	set -l answer ($program __complete fish $before[2..-1] "$current" 2>/dev/null)
	switch "$answer[1]"
		case files
			if string match -qr '^(--[a-z-]+=)?$' -- "$answer[2]"
				return 1
			end
			for path in (__fish_complete_path "$answer[3]")
				set -a __supportctl_offer "$answer[2]$path"
			end
		case words open
			set __supportctl_offer $answer[2..-1]
	end
	return 0
end

complete -c supportctl -e
complete -c supportctl -n __supportctl_ask -f -k -a '$__supportctl_offer'
`;

/** 5.1 and later. */
const powershell = `# PowerShell completion for supportctl: supportctl completion powershell
# For every shell: append it to the file that $PROFILE names
# For this one:    supportctl completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName supportctl -ScriptBlock {
	param($wordToComplete, $commandAst, $cursorPosition)
	# The words before the cursor without their quotes; the last one is typed, or not yet begun.
	$words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object {
		if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
	})
	if ($wordToComplete -eq '') { $words += '' }
	# Empty words and quotation marks would be lost on the way to a program.
	$json = ConvertTo-Json -Compress -InputObject @($words)
	$question = [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($json))
	$answer = @(supportctl __complete powershell $question 2>$null)
	if ($answer.Count -eq 0) { return }
	if ($answer[0] -eq 'files') {
		$before = $answer[1]
		[System.Management.Automation.CompletionCompleters]::CompleteFilename([string]$answer[2]) | ForEach-Object {
			[System.Management.Automation.CompletionResult]::new("$before$($_.CompletionText)", $_.ListItemText, $_.ResultType, $_.ToolTip)
		}
		return
	}
	$answer | Select-Object -Skip 1 | ForEach-Object {
		$value, $help = $_ -split "\`t", 2
		if (-not $help) { $help = $value }
		$text = if ($value -match '[^A-Za-z0-9_./:=+-]') { "'" + $value.Replace("'", "''") + "'" } else { $value }
		[System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $help)
	}
}
`;

export const scripts = { bash, zsh, fish, powershell } as const;
