# fish completion for hpcrun and hpcprof. The programs themselves say what can be typed: see SHELL
# COMPLETION in hpcprof(1).

function __hpcrun_complete
	set -l given (commandline -opc)
	set -l typed (commandline -ct)
	set -l program $given[1]
	set -e given[1]
	for line in ($program --complete $given (string unescape -- $typed) 2>/dev/null)
		switch $line
			case ':names'
			case ':file' ':directory'
				# one element in any case: it is joined with each path
				set -l option (string match -r -- '^--[^=]*=|$' $typed)[1]
				set -l value (string replace -r -- '^--[^=]*=' '' $typed)
				if test $line = ':file'
					printf '%s\n' $option(__fish_complete_path "$value")
				else
					printf '%s\n' $option(__fish_complete_directories "$value" '')
				end
			case ':command *'
				set -l from (math (string replace ':command ' '' $line) + 1)
				complete -C (string join ' ' -- (string escape -- $given[$from..]) "$typed")
			case '*'
				echo $line
		end
	end
end

for program in hpcrun hpcprof
	complete -c $program -e
	complete -c $program -f -k -a '(__hpcrun_complete)'
end
