#compdef hpcrun hpcprof
# zsh completion for hpcrun and hpcprof. The programs themselves say what can be typed: see SHELL
# COMPLETION in hpcprof(1).

_hpcrun() {
	local line word directive
	local -a given described folders parts

	given=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
	for line in "${(@f)$(_call_program hpcrun ${(q)words[1]} --complete ${(q)given} 2>/dev/null)}"; do
		parts=("${(@ps:\t:)line}")
		word=$parts[1]
		case $word in
		('' | :names) ;;
		(:*) directive=${word#:} ;;
		(*/) folders+=("${word//:/\\:}:$parts[2]") ;;
		(*) described+=("${word//:/\\:}${parts[2]:+:$parts[2]}") ;;
		esac
	done
	(( $#described )) && _describe -V hpcrun described
	(( $#folders )) && _describe -V folders folders -S ''
	case $directive in
	(file | directory)
		[[ $PREFIX != --*=* ]] || compset -P '*='
		[[ $directive = file ]] && _files || _files -/
		;;
	(command\ *)
		word=$(( ${directive#command } + 1 ))
		shift $word words
		(( CURRENT -= word ))
		_normal
		;;
	esac
}

_hpcrun "$@"
