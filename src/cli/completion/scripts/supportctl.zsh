#compdef supportctl

_supportctl() {
	local -a before answer values space
	(( CURRENT > 2 )) && before=("${(@Q)words[2,CURRENT-1]}")
	# What was typed is the program that is asked, so that a copy completes itself.
	answer=("${(@f)$("${~words[1]}" __complete zsh "${before[@]}" "${(Q)PREFIX}" 2>/dev/null)}")
	if [[ $answer[1] == files ]]; then
		compset -p ${#answer[2]}
		_files
		return
	fi
	values=(${answer[2,-1]})
	[[ $answer[2] == *= ]] && space=(-S '')
	_describe -V supportctl values "${space[@]}"
}

if [ "$funcstack[1]" = "_supportctl" ]; then
	_supportctl "$@"
else
	(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
	compdef _supportctl supportctl
fi
