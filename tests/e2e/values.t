#!/bin/bash
# Value profiles: --values N single-steps N instructions after a sample, and records what they produce.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

values=$BUILD/programs/values
often=(-e CPUTIME@f4000 --values 12)

# of NAME...: the sums of these in all datafiles of data, such as "windows" or "refusal 2".
of() {
	"$hpcprof" dump data/*.csp 2>/dev/null >dumped
	local name
	for name; do
		grep -oE "(^| )$name:?  ?(samples )?[0-9]+" dumped | awk '{ n += $NF } END { printf "%d ", n }'
	done
}
# seen FUNCTION OFFSET KIND: "count zeros% value share%" of that row; OFFSET . is any.
seen() {
	[ -e "seen-$1" ] || lib values.py known.json "$values" "$1" >"seen-$1"
	awk -v at="$2" -v kind="$3" '$2 == kind && (at == "." || $1 == at) { $1 = $2 = ""; print substr($0, 3) }' "seen-$1"
}
# most MINIMUM "count zeros% value share%" VALUE SHARE: the value is that, in at least SHARE percent.
most() {
	read -r count _ value share <<<"$2"
	note "$2"
	[ "${count:-0}" -ge "$1" ] && [ "$value" = "$3" ] && [ "$share" -ge "$4" ]
}

# ---- what is known
rm -rf data
check 'a program whose values are known' timeout 60 "$hpcrun" -q "${often[@]}" -o data "$values" known
"$hpcprof" dump --json data/values.*.csp >known.json
check 'whose account adds up' lib account.py data
check 'a constant argument' most 5 "$(seen divide +0x0 argument-2)" 10 100
check 'an address that grows by 16' most 5 "$(seen strides . stride-of-address)" 16 95
check 'a branch that is taken' most 20 "$(seen strides . taken)" 1 95
zeros=$(seen flags . cl | awk '{ print $1, $2 }')
note "a flag, times and zeros in percent: $zeros"
check 'a flag that is zero in 90%' awk -v z="$zeros" 'BEGIN { split(z, f); exit !(f[1] > 100 && f[2] >= 84 && f[2] <= 95) }'
seen replays . stored >/dev/null
store=$(sed -n 's/^\(+[^ ]*\) stored .*/\1/p' seen-replays)
check 'a load that reads what a store has just written' most 5 "$(seen replays . replayed-store)" "replays$store" 100
counted=$(seen replays . stride-of-eax)
check 'a counter that falls by one' most 20 "$counted" -1 95
read -r windows steps <<<"$(of windows steps)"
check 'twelve steps in nearly every window' test $((steps * 10)) -gt $((windows * 12 * 9))

# ---- what hpcprof says of it
# shows PATTERN: in the view, as one line.
shows() {
	tr -s ' \n' ' ' <view | grep -qE -- "$1"
}
COLUMNS=120 "$hpcprof" values -n 0 data >view
check 'the constant argument' shows 'divide, values .*argument 2 is 10 all [0-9]+ times\. A copy of the function'
check 'and what to do with the divisor' shows 'it divides by 10 all [0-9]+ times\. A test for this divisor lets a multiplication'
check 'the stride' shows 'stride of address 16 \((9[0-9]|100)%\)'
check 'the flag' shows 'cl 0 \((8[4-9]|9[0-5])%\)'
check 'the load after a store' shows "it reads what the store at .${store#+} has just written (all|in 9.% of) [0-9]+ times"
check 'the branch back' shows 'jne [^ ]+ <[+]0x10> [0-9,]+ taken (9[5-9]|100)%'
check 'not the arguments that are not used' sh -c '! grep -q "argument [3-6]" view'
"$hpcprof" values --all --function divide data >view
check '--all: these too' shows 'argument 6'
check '--function: no other' sh -c '! grep -q strides view && grep -q divide view'
check '--json' "$python" -c '
import json, subprocess, sys
view = json.loads(subprocess.check_output([sys.argv[1], "values", "--json", "-n", "0", "data"]))
divide = next(p for p in view["values"]["procedures"] if p["procedure"] == "divide")
rows = [v for v in divide["values"] if v["kind"] == "argument 2"]
assert rows[0]["frequent"][0]["value"] == 10 and rows[0]["frequent"][0]["count"] == rows[0]["count"]
assert any("divides by 10" in f["what"] and f["share"] == 1 for f in divide["findings"])
assert view["windows"]["windows"] == int(sys.argv[2])' "$hpcprof" "$windows"
timeout 60 "$hpcrun" -q "${often[@]}" -o again "$values" known >out
"$hpcprof" merge -q -o both.csp data again
"$hpcprof" merge -q -o both2.csp again data
check 'two runs, merged in any order' cmp both.csp both2.csp
"$hpcprof" values data again >view
"$hpcprof" values both.csp >view2
check 'are the same as the two' cmp view view2
sums=$("$hpcprof" dump data/values.*.csp again/values.*.csp | grep -oE 'windows [0-9]+' | awk '{ n += $2 } END { print n }')
is 'with the windows of both' "$("$hpcprof" dump both.csp | grep -oE 'windows [0-9]+')" "windows $sums"

# ---- in a database
"$hpcprof" db -q -o both.db data again
"$hpcprof" db -q -o history.db data
"$hpcprof" db -q --append -o history.db again
sql() {
	sqlite3 "$1" "$2"
}
argument="SELECT seen || ' ' || value || ' ' || percent FROM instruction_values
	WHERE function = 'divide' AND kind = 'argument 2'"
seen=$("$hpcprof" values --json -n 0 data again | "$python" -c '
import json, sys
divide = next(p for p in json.load(sys.stdin)["values"]["procedures"] if p["procedure"] == "divide")
print(next(v for v in divide["values"] if v["kind"] == "argument 2")["count"])')
is 'of the two runs together' "$(sql both.db "$argument")" "$seen 10 100.0"
is 'of one after the other' "$(sql history.db "$argument")" "$seen 10 100.0"
is 'how they were recorded' "$(sql history.db "SELECT sum(count) FROM value_window WHERE what = 'windows'")" "$sums"
"$hpcprof" query -n 0 values both.db >out
check 'the query values' grep -qE 'divide +values +0x[0-9a-f]+ +[^ ]*values.c +[0-9]+ +argument 2 +10 ' out
"$hpcprof" query -n 0 values data again >out2
check 'is the same without a database' cmp out out2
# rows PROFILE...: what hpcprof values has, but for metrics and their order, and for the vdso, whose code is with
# the datafiles
rows() {
	"$hpcprof" values --json -n 0 "$@" 2>err | "$python" -c '
import json, sys
for p in json.load(sys.stdin)["values"]["procedures"]:
    for v in p["values"] if p["module"] != "[vdso]" else []:
        print(p["procedure"], p["address"], json.dumps(v))' | sed -E 's/"place": "[^"]*vdso[^"]*"/vdso/g' | sort
}
rows data again >rows1
rows both.db >rows2
check 'hpcprof values of a database' cmp rows1 rows2
check 'and there are some' test "$(wc -l <rows1)" -gt 50

rm -rf none
timeout 60 "$hpcrun" -q -o none true
check 'none were recorded' sh -c '! "$1" values none >out 2>&1 && grep -q "no values of instructions were recorded (measure with hpcrun --values 8)" out' - "$hpcprof"
cp "$values" gone
timeout 60 "$hpcrun" -q "${often[@]}" -o lost ./gone known >out
rm gone
"$hpcprof" values lost >view 2>&1
check 'a program that is gone' shows 'Some instructions with values cannot be shown: .*gone'

rm -rf data
timeout 60 "$hpcrun" -q -e CPUTIME@f4000 --values 8 --value-kind replay -o data "$values" known >/dev/null
of windows >/dev/null
check '--value-kind replay: only loads after stores' sh -c 'grep -q "(replayed store)" dumped && ! grep -qE "kind [0-9]+ \((rax|taken|argument 1)\)" dumped'
rm -rf data
timeout 60 "$hpcrun" -q -e CPUTIME@f4000 --values 8 --value-kind values -o data "$values" known >/dev/null
of windows >/dev/null
check '--value-kind values: only values' sh -c '! grep -q "(replayed store)" dumped && grep -q "(taken)" dumped'

# ---- programs see nothing of it
# same WHAT REFUSAL MINIMUM: as alone; no window for that reason (or -) at least MINIMUM times.
same() {
	local alone measured
	alone=$(timeout 60 "$values" "$1" 2>&1; echo $?)
	rm -rf data
	measured=$(timeout 60 "$hpcrun" -q "${often[@]}" -o data "$values" "$1" 2>&1; echo $?)
	is "$1: as alone" "$measured" "$alone"
	check "$1: the account adds up" lib account.py data
	if [ "$2" = - ]; then
		read -r windows <<<"$(of windows)"
		check "$1: with windows" test "$windows" -ge "$3"
	else
		read -r windows refused <<<"$(of windows "refusal $2")"
		check "$1: without windows ($windows), $refused times for this reason" test "$refused" -ge "$3"
		[ "$1" = later ] || check "$1: none since it does so" test "$windows" -le 5
	fi
}
ulimit -c 0
same handles 2 100
same later 2 100
same steps 2 100
same blocks 3 100
same ignores - 50
same dies - 50
same pushes - 50
same jumps - 50
same forks - 50
same threads - 50
same detached - 50
often=(-e CPUTIME@f4000 --values 64) # samples come in windows, too
same threads - 50
for _ in 1 2 3 4 5 6 7 8; do same detached - 50; done

# ---- where somebody else would see a trap
# debugged WHAT COMMAND...: under a debugger that runs the program.
debugged() {
	local what=$1
	shift
	rm -rf data
	timeout 60 "$hpcrun" -q "${often[@]}" -o data "$@" "$values" known >out 2>err
	is "under $what: as alone" "$? $(grep -cx done out)" '0 1'
	"$hpcprof" dump data/values.*.csp >dumped
	is 'and no window' "$(grep -oE 'windows [0-9]+' dumped)" 'windows 0'
	check 'for this reason' grep -qE 'refusal 0:  samples [1-9][0-9]+ .a debugger is attached' dumped
}
if strace -o /dev/null true 2>/dev/null; then
	debugged strace strace -f -o /dev/null -e trace=none
else
	skip strace 'it is not there, or may not trace'
fi
if gdb -batch -ex run true >/dev/null 2>&1; then
	debugged gdb gdb -q -batch -ex run --args
else
	skip gdb 'it is not there, or may not trace'
fi
confined=$(program confined)
rm -rf data
timeout 60 "$hpcrun" -q "${often[@]}" -o data "$confined" refused >out 2>err
is 'under a filter of system calls: as alone' "$?" 4
read -r refused <<<"$(of 'refusal 1')"
check 'no window since the filter' test "$refused" -gt 50

# ---- what was recorded stays
rm -rf data
timeout 60 "$hpcrun" -q "${often[@]}" -o data "$values" killed >/dev/null 2>&1
is 'a program that is killed' $? 137
"$hpcprof" dump data/values.*.csp >dumped
check 'has its values' grep -qE 'windows [1-9][0-9]+' dumped
check 'recovered from what it left' grep -q '"end"  value "signal 9"' dumped
done_testing
