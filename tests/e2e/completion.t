#!/bin/bash
# What bash, zsh and fish complete: through the scripts that are installed, by the shells themselves.
. "$(dirname "$0")/../lib/shell/tap.sh"

scripts=$top/share/completion
mkdir measured && cd measured || exit 1
mkdir mine empty
HOME=$PWD/mine
export PATH=$BUILD/bin:$PATH
"$hpcrun" -q -o 'two words' true
mv 'two words' hpcrun-true-1
cp hpcrun-true-1/*.csp alone.csp
"$hpcprof" xml -q -o xml-of-it hpcrun-true-1
"$hpcprof" db -q -o database hpcrun-true-1
echo text >notes.txt
cp -r hpcrun-true-1 mine

# Lines of --help: "-x, --option VALUE".
options_of() {
	"$@" --help | sed -nE 's/^ +(-., )?(--[a-z-]+).*/\2/p' | sort -u
}

# ---- bash: its own function, called as readline calls it
# completed LINE WORD...: what it replies for this line, which bash has split so.
completed() {
	bash --norc -c '. "$1" || exit
		COMP_LINE=$2 COMP_POINT=${#2}
		COMP_WORDS=("${@:3}") COMP_CWORD=$(($# - 3))
		_hpcrun "${COMP_WORDS[0]}"
		printf "%s\n" "${COMPREPLY[@]}"' - "$scripts/hpcrun.bash" "$@"
}
# in_bash DESCRIPTION EXPECTED LINE WORD...: EXPECTED has spaces between the words.
in_bash() {
	is "bash: $1" "$(completed "${@:3}" | sort | paste -sd' ')" "$2"
}

is "bash: all of hpcrun's options" "$(completed 'hpcrun --' hpcrun -- | sort)" "$(options_of hpcrun)"
check "which are some" test "$(options_of hpcrun | wc -l)" -gt 10
commands=$("$hpcprof" --help | awk '/^Commands:/ { on = 1; next } !NF { on = 0 } on { print $1 }')
for command in $commands; do
	is "bash: all of hpcprof $command's options" "$(completed "hpcprof $command --" hpcprof "$command" -- | sort)" \
		"$(options_of hpcprof "$command")"
done
for command in $commands; do
	check "bash: the command $command" grep -qx "$command" <(completed 'hpcprof ' hpcprof '')
done
in_bash "a command" tree 'hpcprof tre' hpcprof tre
in_bash "the value of an option" "name self total" 'hpcprof -s ' hpcprof -s ''
in_bash "its beginning" self 'hpcprof --sort s' hpcprof --sort s
in_bash "after =, which ends a word of bash" "name self total" 'hpcprof --sort=' hpcprof --sort =
in_bash "an option after that" --bottom-up 'hpcprof tree --sort=t --bot' hpcprof tree --sort = t --bot
# Those that this user can sample here, without the forms of names.
events() {
	"$hpcrun" -l | sed -n '/^$/q; s/ .*//; /^SYSTEM:\|^rHEX\|^PMU/d; p'
}
in_bash "an event" "$(events | sort | paste -sd' ')" 'hpcrun -e ' hpcrun -e ''
in_bash "a signal" "PROF" 'hpcrun --signal PR' hpcrun --signal PR
in_bash "a metric of the newest measurement" CPUTIME 'hpcprof -m ' hpcprof -m ''
in_bash "a metric of a datafile" CPUTIME 'hpcprof alone.csp -m C' hpcprof alone.csp -m C
in_bash "no metric where there is no measurement" "" "hpcprof $PWD/empty -m X" hpcprof "$PWD/empty" -m X
in_bash "PROFILEs and folders" "alone.csp database empty/ hpcrun-true-1/ mine/ xml-of-it" 'hpcprof tree ' hpcprof tree ''
in_bash "in a folder" "mine/hpcrun-true-1/" 'hpcprof tree mine/h' hpcprof tree mine/h
# shellcheck disable=SC2088
in_bash "in the home directory" "~/hpcrun-true-1/" 'hpcprof ~/h' hpcprof '~/h'
in_bash "a named query" "functions" 'hpcprof query fu' hpcprof query fu
in_bash "any file" "notes.txt" 'hpcprof --files-from n' hpcprof --files-from n
in_bash "a directory" "mine" 'hpcrun -o mi' hpcrun -o mi
in_bash "no option of hpcrun after COMMAND" "" 'hpcrun ls --out' hpcrun ls --out
in_bash "COMMAND's files" "notes.txt" 'hpcrun -e CPUTIME@f10 cat no' hpcrun -e CPUTIME @ f10 cat no
in_bash "a directory to control" "hpcrun-true-1" 'hpcrun control hpc' hpcrun control hpc
in_bash "what to do with it" "snapshot start stop" 'hpcrun control hpcrun-true-1 s' hpcrun control hpcrun-true-1 s
in_bash "the options of detach" "--help --quiet" 'hpcrun detach --' hpcrun detach --
in_bash "a directory to detach" "hpcrun-true-1" 'hpcrun detach hpc' hpcrun detach hpc
in_bash "its options" "--for --help --quiet" 'hpcrun control hpcrun-true-1 stop --' hpcrun control hpcrun-true-1 stop --
check "bash: COMMAND" grep -qx prlimit <(completed 'hpcrun -q prl' hpcrun -q prl)
check "bash: bash-completion's way for COMMAND is taken" grep -qx 3 <(bash --norc -c '. "$1"
	_command_offset() { echo "$1"; }
	COMP_LINE="hpcrun -o x git com" COMP_WORDS=(hpcrun -o x git com) COMP_CWORD=4
	_hpcrun hpcrun' - "$scripts/hpcrun.bash")
mkdir 'with space'
is "bash: a name with a space" "$(completed 'hpcprof with\ s' hpcprof 'with\ s')" 'with space/'
rmdir 'with space'
is "bash: both programs have it" "$(bash --norc -c '. "$1"; complete -p hpcrun hpcprof' - "$scripts/hpcrun.bash")" \
	$'complete -F _hpcrun hpcrun\ncomplete -F _hpcrun hpcprof'

# ---- fish
in_fish() {
	is "fish: $1" "$(fish --no-config -c '. $argv[1]; complete -C $argv[2]' "$scripts/hpcrun.fish" "$3" |
		cut -f1 | sort | paste -sd' ')" "$2"
}
if command -v fish >/dev/null; then
	in_fish "hpcrun's options" "$(options_of hpcrun | paste -sd' ')" 'hpcrun --'
	in_fish "those of a command" "$(options_of hpcprof tree | paste -sd' ')" 'hpcprof tree --'
	in_fish "a value after =" "--sort=self" 'hpcprof --sort=s'
	in_fish "an event" CPUTIME 'hpcrun -e C'
	in_fish "PROFILEs and folders" "alone.csp database empty/ hpcrun-true-1/ mine/ xml-of-it" 'hpcprof '"tree "
	in_fish "a directory" "mine/" 'hpcrun -o mi'
	in_fish "a file after =" "--output=notes.txt" 'hpcprof db --output=no'
	in_fish "COMMAND's files" notes.txt 'hpcrun -q cat no'
else
	skip "fish" "fish is not installed"
fi

# ---- zsh: on a terminal, as its completion works only there
if command -v zsh >/dev/null; then
	mkdir functions
	cp "$scripts/hpcrun.zsh" functions/_hpcrun
	cat >ask.zsh <<'EOF'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= RPS1=; TERM=dumb; fpath=($PWD/functions \$fpath); autoload -Uz compinit; compinit -u -D; print rea''dy"
zpty -r shell seen '*ready*'
zpty -w -n shell "$1"$'\t'
zpty -r shell seen "*$2*"
EOF
	# in_zsh DESCRIPTION LINE PATTERN: the line becomes that, or a list with it is shown.
	in_zsh() {
		check "zsh: $1" timeout 30 zsh -f ask.zsh "$2" "$3"
	}
	in_zsh "a command" 'hpcprof tre' 'hpcprof tree '
	in_zsh "an option" 'hpcrun --fol' 'hpcrun --follow '
	in_zsh "options with what they do" 'hpcprof tree --b' '--bottom-up *-- start at the functions'
	in_zsh "a value after =" 'hpcprof --sort=se' 'hpcprof --sort=self '
	in_zsh "an event" 'hpcrun -e C' 'hpcrun -e CPUTIME '
	in_zsh "a PROFILE" 'hpcprof al' 'hpcprof alone.csp '
	in_zsh "a file after =" 'hpcprof db --output=no' 'hpcprof db --output=notes.txt '
	in_zsh "COMMAND's files" 'hpcrun -q cat no' 'hpcrun -q cat notes.txt '
else
	skip "zsh" "zsh is not installed"
fi

# ---- installed where the shells look
make -s -C "$top" install BUILD="$BUILD" PREFIX=/usr/local DESTDIR="$scratch/dest" >"$scratch/install" 2>&1
for file in bash-completion/completions/hpcrun bash-completion/completions/hpcprof zsh/site-functions/_hpcrun \
	fish/vendor_completions.d/hpcrun.fish fish/vendor_completions.d/hpcprof.fish; do
	check "installed: $file" test -s "$scratch/dest/usr/local/share/$file"
done
done_testing
