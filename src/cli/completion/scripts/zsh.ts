/** The completion script for zsh. */

export const script = `#compdef supportctl
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
