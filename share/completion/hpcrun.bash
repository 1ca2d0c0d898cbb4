# bash completion for hpcrun and hpcprof. The programs themselves say what can be typed: see SHELL
# COMPLETION in hpcprof(1).

_hpcrun() {
	local line=$COMP_LINE rest word i candidate directive= prefix typed fragment names=
	local -a whole=() first=()
	COMPREPLY=()

	# bash ends words also at "=", ":" and "@"; put together what has no space between it.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		rest=${line#"${line%%[![:space:]]*}"}
		if ((i > 0)) && [[ $rest == "$line" ]]; then
			whole[-1]+=$word
		else
			whole+=("$word")
			first+=("$i")
		fi
		line=${rest#"$word"}
	done
	# What readline replaces is only the last part of the word.
	fragment=${COMP_WORDS[COMP_CWORD]}
	[[ $fragment != [=:@] ]] || fragment=
	typed=${whole[-1]}
	prefix=${typed%"$fragment"}
	typed=${typed#[\"\']}
	whole[-1]=${typed//\\/}

	while IFS= read -r candidate; do
		case $candidate in
		:names) names=1 ;;
		:*) directive=${candidate#:} ;;
		*)
			candidate=${candidate%%$'\t'*}
			COMPREPLY+=("${candidate#"$prefix"}")
			;;
		esac
	done < <("${1/#\~\//$HOME/}" --complete "${whole[@]:1}" 2>/dev/null)

	case $directive in
	file)
		names=1
		while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "$fragment")
		;;
	directory)
		names=1
		while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -d -- "$fragment")
		;;
	command\ *)
		i=${first[${directive#command } + 1]}
		if declare -F _command_offset >/dev/null; then
			_command_offset "$i"
			return
		fi
		names=1
		((i == COMP_CWORD)) && word=-c || word=-f
		while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen "$word" -- "$fragment")
		;;
	esac
	[[ -z $names ]] || compopt -o filenames 2>/dev/null
	return 0
}
complete -F _hpcrun hpcrun hpcprof
