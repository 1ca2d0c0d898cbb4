#!/bin/bash
# What is said of a program from outside: by hpcrun-mark, hpcrun --label, and the program that started it.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

passes=$(program passes)
mark=$BUILD/bin/hpcrun-mark

# where DATA KEY: "VALUE REGIONS MS", the CPU time of each value of a label and its regions in each other,
# in units of 100 ms, of what the test's own programs did.
where() {
	"$hpcprof" export -q --format folded -m CPUTIME --group-by "$2" "$1" | grep ';spin' |
		awk '{ ns = $NF; sub(/ [0-9]*$/, ""); n = split($0, f, ";"); k = sub(/^\[label\] [^=]*=/, "", f[1]) ? f[1] : "-"
				for (i = 1; i <= n; i++) if (sub(/^\[region\] /, "", f[i])) k = k "/" f[i]
				of[k] += ns }
			END { for (k in of) printf "%s %.0f\n", k, of[k] / 1e8 }' | LC_ALL=C sort
}

# ---- scripts -------------------------------------------------------------------------
cat >script <<'END'
"$mark" label phase=one user=me
"$passes" spin 100
"$mark" begin build
"$passes" spin 200
"$mark" begin "a, b=c\d"
"$mark" record BUILT 3 bytes
"$mark" record BUILT 4
"$mark" label phase=two
"$mark" run phase=three "$passes" spin 300
"$passes" spin 100
"$mark" end build
"$mark" unlabel user phase
"$passes" spin 100
"$mark" stop
"$passes" spin 200
"$mark" start
"$mark" begin rest
"$passes" spin 100
"$mark" end
END
export mark passes
for shell in bash dash; do
	command -v $shell >/dev/null || { skip "$shell is not installed" 7; continue; }
	timeout 100 "$hpcrun" -o of-$shell $shell -e script >out 2>err
	is "$shell: nothing is printed" "$? $(cat out; grep -v '^hpcrun: of-' err)" "0 "
	is "$shell: phases, and regions with the programs in them" "$(where of-$shell phase)" "- 1
-/rest 1
one 1
one/build 2
three/build/a, b=c\\d 3
two/build/a, b=c\\d 1"
	is "$shell: what was recorded" "$("$hpcprof" export -q --format folded -m BUILT of-$shell |
		awk '{ n += $NF } END { print n }')" 7
	is "$shell: in the regions" "$("$hpcprof" export -q --format folded -m BUILT of-$shell |
		cut -d';' -f1,2 | sort -u)" "[region] build;[region] a, b=c\\d"
	is "$shell: each region was entered once" "$("$hpcprof" export -q --format folded -m ENTRIES of-$shell)" \
		"[region] build 1
[region] build;[region] a, b=c\\d 1
[region] rest 1"
	is "$shell: one was left without an end" "$("$hpcprof" export -q --format folded -m UNBALANCED of-$shell)" \
		"[region] build;[region] a, b=c\\d 1"
	is "$shell: hpcrun-mark itself is not measured, nor missed" \
		"$(ls of-$shell | grep -c mark) $(grep -c 'not measured' err)" "0 0"
done

# ---- programs --------------------------------------------------------------------------
timeout 100 "$hpcrun" -q -o ways --label n=3 --label 'odd,key=a\b=c' "$passes" ways
is 'programs have the labels of the thread that starts them' "$? $(where ways way)" '0 fork 1
own 1
popen 1
spawn 1
system 1
vfork 1'
is 'numbers, of which those that a program sets itself come last' "$(where ways n)" '-8 5
5 1'
is 'and texts that look like numbers' "$(where ways text)" '17 6'
is 'and of hpcrun --label' "$(where ways odd,key)" 'a\b=c 6'
is 'programs do not see them' "$(HPCRUN_LABELS=a=1 "$hpcrun" -q -o seen --label b=2 "$passes") \
$("$hpcrun" -q -r no --label b=2 -o seen "$passes" 2>&1)" 'none none'
is 'but those that are not measured do' "$("$hpcrun" -q -o seen --only other --label b=2 "$passes")" 'b=2'
HPCRUN_LABELS='a=1,,=,b' "$hpcrun" -q -o given --label a=2 "$passes" spin 100
is 'those that are given come first, and what is no label is left out' "$(where given a)" '2/b 1'
for wrong in key =value "k=$(printf '%096d' 0)"; do
	"$hpcrun" --label "$wrong" -o never true 2>err
	status=$?
	why='expected KEY=VALUE, with a key of 1 to 255 bytes'
	[ ${#wrong} -lt 95 ] || why='a value has at most 95 bytes'
	is "--label ${wrong:0:9}" "$status $(cat err)" "125 hpcrun: --label '$wrong': $why"
done

# ---- a process that is named -------------------------------------------------------------
mkfifo go
timeout 100 "$hpcrun" -q -o churn "$passes" churn <go >pid &
exec 9>go
while kill -0 $! && [ ! -s pid ]; do
	sleep 0.02
done
pid=$(cat pid)
failed=0
for i in $(seq 50); do
	HPCRUN_OUT=$PWD/churn "$mark" -p "$pid" label asked="$i" || : $((failed += 1))
	HPCRUN_OUT=$PWD/churn "$mark" -p "$pid" record ASKED 2 || : $((failed += 1))
done
HPCRUN_OUT=$PWD/churn "$mark" -p "$pid" stop || : $((failed += 1))
HPCRUN_OUT=$PWD/churn "$mark" -p "$pid" start || : $((failed += 1))
sleep 1 # with the last label
exec 9>&-
wait $!
is 'a program that changes its labels all the time can be asked, too' "$? $failed" '0 0'
is 'and does what it is asked for' "$("$hpcprof" export -q --format folded -m ASKED churn | awk '{ n += $NF } END { print n }')" 100
is 'no label is torn' "$("$hpcprof" export -q --format folded -m CPUTIME --group-by a churn | grep -v '^\[label\] a=\(1\|a longer value than the other one\);' |
	grep -c '^\[label\]')" 0
check 'it has the label that was set last' awk '/^\[label\] asked=50;/ { n += $NF } END { exit !(n > 1e8) }' \
	<("$hpcprof" export -q --format folded -m CPUTIME --group-by asked churn)
is 'no request is left' "$(ls -A churn | grep -c said)" 0

# One that waits for an answer takes its request back when it is interrupted.
timeout 100 "$hpcrun" -q -o stopped bash -c 'kill -STOP $$; exec sleep 0' &
for _ in $(seq 500); do
	stopped=$(ps -o pid= --ppid $! | tr -d ' ')
	[ -z "$stopped" ] || stopped=$(ps -o stat=,pid= --ppid "$stopped" | awk '$1 ~ /^T/ { print $2 }')
	[ -z "$stopped" ] || break
	sleep 0.02
done
HPCRUN_OUT=$PWD/stopped timeout -s INT 0.3 "$mark" -p "$stopped" label a=1 2>/dev/null
is 'interrupted it takes its request back' "$? $(ls -A stopped | grep -c said)" '124 0'
kill -CONT "$stopped"
wait $!

# ---- without a measurement, and misuse -----------------------------------------------------
"$mark" begin x >out 2>&1
is 'without hpcrun nothing happens' "$? $(cat out)" '0 '
is 'but COMMAND runs' "$("$mark" run a=b c=d -- echo a=b 2>&1)" 'a=b'
HPCRUN_OUT=$PWD/churn "$mark" begin x >out 2>err
is 'nor to a process that is not measured' "$? $(cat out) $(sed 's/[0-9][0-9]*/N/' err)" \
	'0  hpcrun-mark: process N is not measured, or cannot be reached'
HPCRUN_OUT=$PWD/churn "$mark" -q begin x >out 2>&1
is 'about which -q is silent' "$? $(cat out)" '0 '
expects() { # ARGUMENTS... = STATUS MESSAGE
	local words=()
	while [ "$1" != = ]; do
		words+=("$1")
		shift
	done
	"$mark" "${words[@]}" >out 2>err
	is "hpcrun-mark ${words[*]}" "$? $(cat err)" "$2 hpcrun-mark: $3"
}
expects = 125 'what is to be said? (see hpcrun-mark --help)'
expects lable a=b = 125 'unknown word lable (see hpcrun-mark --help)'
expects label = 125 'expected: hpcrun-mark label KEY=VALUE...'
expects label ab = 125 "'ab': expected KEY=VALUE, with a key of 1 to 255 bytes (see hpcrun-mark --help)"
expects begin a b = 125 'expected: hpcrun-mark begin NAME'
expects begin '' = 125 'a name has 1 to 255 bytes, not  (see hpcrun-mark --help)'
expects record m -1 = 125 'expected a whole number, not -1 (see hpcrun-mark --help)'
expects record m 1 kilobytes = 125 'a unit has at most 7 characters, not kilobytes (see hpcrun-mark --help)'
expects -p x stop = 125 'expected the number of a process, not x (see hpcrun-mark --help)'
expects -z = 125 'unknown option -z (see hpcrun-mark --help)'
expects run a=b = 125 'which COMMAND? (see hpcrun-mark --help)'
expects run ./nothing = 127 './nothing: not found'
expects run ./script = 126 './script: cannot be executed'
for word in $("$mark" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	check "$word is in the manual" grep -qE "^\.BR .*\\b$word\\b" "$top/share/man/hpcrun-mark.1"
done
done_testing
