# bash completion for supportctl
# For bash from 3.2 on.

_supportctl() {
	COMPREPLY=()
	local line
	local -a answer
	answer=()
	# What was typed is the program that is asked, so that a copy completes itself.
	while IFS= read -r line; do
		answer+=("$line")
	done < <("${1/#~\//$HOME/}" __complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	if [ "${answer[0]-}" = files ]; then
		type compopt >/dev/null 2>&1 && compopt -o default
	elif [ ${#answer[@]} -gt 1 ]; then
		COMPREPLY=("${answer[@]:1}")
		# readline replaces only what is behind the last break.
		[[ $COMP_WORDBREAKS == *=* ]] && COMPREPLY=("${COMPREPLY[@]#--*=}")
		type compopt >/dev/null 2>&1 && {
			compopt -o nosort 2>/dev/null
			[[ ${answer[1]} == *= ]] && compopt -o nospace
		}
	fi
	return 0
}

complete -F _supportctl supportctl
