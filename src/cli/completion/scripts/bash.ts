/** The completion script for bash, from 3.2 on. */

export const script = `# bash completion for supportctl: supportctl completion bash
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
