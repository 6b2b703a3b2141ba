# fish completion for supportctl

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
