/** The completion script for fish. */

export const script = `# fish completion for supportctl: supportctl completion fish
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
