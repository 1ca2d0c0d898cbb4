#!/bin/bash
# Files of other profilers: what hpcprof exported is read back without loss, and what pprof (Go),
# callgrind and perf wrote has the values that these tools print themselves.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

data=$top/tests/data/import
mkcsp=$BUILD/programs/mkcsp

# export FORMAT FILE PROFILE [OPTION...]
export_to() {
	local format=$1 file=$2 profile=$3
	shift 3
	"$hpcprof" export -q --format "$format" -o "$file" "$@" "$profile"
}

# ---- what we wrote -------------------------------------------------------------------

# by_path FILE: sorted, and those that differ only in the files of functions are one.
by_path() {
	awk '{ n = $NF; sub(/ [0-9]*$/, ""); sum[$0] += n } END { for (k in sum) printf "%s %d\n", k, sum[k] }' "$1" |
		LC_ALL=C sort >"$1.sums" && mv "$1.sums" "$1"
}

# same FORMAT PROFILE BACK...: all give the same bytes in a format.
same() {
	local format=$1 profile=$2 back
	shift 2
	export_to "$format" native "$profile" || return 1
	[ -s native ] || return 1
	for back; do
		export_to "$format" again "$back" || return 1
		if [ "$format" = folded ]; then
			by_path native
			by_path again
		fi
		cmp native again || return 1
	done
}

# functions_alike PLACE NAME: NAME.callgrind read back has the own values of each function.
functions_alike() {
	local total
	total=$(lib exported.py total "$1" CPUTIME) && [ "$total" -gt 0 ] &&
		export_to json "$2-back.json" "$2.callgrind" && cp "$2.callgrind" "$2-back.callgrind" &&
		lib exported.py alike "$total" "$2-back"
}

cat >script.py <<'END'
import json
for i in range(20):
    json.loads(json.dumps(list(range(9000))))
END
"$hpcrun" -q -o of-python "$python" script.py >said 2>&1
"$hpcrun" -q -o of-cxx "$(program cxx)" >said 2>&1
"$hpcrun" -q -o of-recursion "$(program recursion)" >said 2>&1
"$hpcrun" -q -o of-threads8 "$(program threads8)" 3 >said 2>&1
"$mkcsp" --paths "$top/tests/data/outputs/rank0.paths" rank0.csp
"$mkcsp" --paths "$top/tests/data/outputs/odd.paths" odd.csp
for name in python cxx recursion threads8 rank0; do
	place=of-$name
	[ -e "$place" ] || place=$name.csp
	export_to pprof "$name.pprof" "$place"
	export_to folded "$name.folded" "$place"
	export_to callgrind "$name.callgrind" "$place"
	gunzip <"$name.pprof" >"$name.pb"
	check "$name: pprof has all: paths, files, lines, modules, metrics, samples" \
		same csv "$place" "$name.pprof" "$name.pb"
	check "$name: collapsed stacks have the paths" same folded "$place" "$name.pprof" "$name.folded"
	check "$name: callgrind has the functions" functions_alike "$place" "$name"
done
export_to pprof again rank0.pprof
is "the period and the units stay" "$(lib exported.py about again | sed /addresses/d)" \
	"$(lib exported.py about rank0.pprof | sed /addresses/d)"
# Names that are hard to write; some load modules have the same one, so the order may be another.
export_to pprof odd.pprof odd.csp
for format in folded json csv speedscope callgrind; do
	export_to $format odd.$format odd.pprof
done
check "odd names: all formats are alike" lib exported.py alike "$(lib exported.py total odd.csp CPUTIME)" odd

export_to pprof threads.pprof of-threads8 --by thread
export_to csv threads.csv of-threads8 --by thread
export_to csv back.csv threads.pprof --by thread
check "the threads stay apart" lib exported.py parts threads.csv back.csv
check "the views read it" run 0 "$hpcprof" tree cxx.pprof
check "as its functions" says out 'shapes::'
check "callers, too" run 0 "$hpcprof" callers catcher cxx.pprof
check "and lines" run 0 "$hpcprof" --all cxx.pprof
check "with their names" says out 'cxx.cc:[0-9]'
check "a measurement and its export are alike" run 0 "$hpcprof" diff of-cxx cxx.pprof
check "a database is made of it" run 0 "$hpcprof" db -q -o cxx.db cxx.pprof
check "with the same paths" same folded of-cxx cxx.db
cp cxx.pprof another.pprof
check "two are summed" run 0 "$hpcprof" export --format folded cxx.pprof another.pprof
is "exactly" "$(awk '{ sum += $NF } END { printf "%d", sum }' out)" \
	$((2 * $(lib exported.py total of-cxx CPUTIME)))
check "it cannot be a datafile" run 2 "$hpcprof" merge -o merged.csp cxx.pprof

# ---- pprof ---------------------------------------------------------------------------
"$hpcprof" "$data/go-cpu.pprof" >out 2>err
check "Go's CPU time has its unit and its samples" says out '^  recorded    370 ms CPUTIME in 37 samples$'
check "and its wall time" says out '^  wall time   602 ms$'
"$hpcprof" --threads "$data/go-cpu.pprof" >out
check "a label is a thread" says out ' ms +1  worker'
"$hpcprof" "$data/go-heap.pprof" >out 2>err
check "the heap's preferred type is first" says out '^  recorded +[0-9.]+ [KM]iB inuse_space$'
check "what is not read is told" says err 'go-heap.pprof: not read: labels'

pprof=$(ls /usr/lib/go-*/pkg/tool/*/pprof 2>/dev/null | tail -1)
[ -n "$pprof" ] || pprof=$(command -v pprof google-pprof-go)
# top TYPE FILE: the functions' own values and totals, as pprof prints them.
top_of() {
	PPROF_TMPDIR=$PWD timeout 60 "$pprof" -top -nodefraction=0 -nodecount=0 -sample_index="$1" \
		-unit="$2" "$3" 2>top.err | sed -n '/flat%/,$p' | sed -E 's/ \((partial-)?inline\)$//' |
		sort
}
agrees_with_pprof() {
	export_to pprof again.pprof "$data/$3" || return 1
	top_of "$1" "$2" "$data/$3" >theirs
	top_of "${4:-$1}" "$2" again.pprof >ours
	[ "$(wc -l <theirs)" -gt 3 ] && diff theirs ours
}
for row in 'cpu ns go-cpu.pprof CPUTIME' 'inuse_space B go-heap.pprof' \
	'alloc_objects count go-heap.pprof'; do
	read -ra row <<<"$row"
	if [ -n "$pprof" ]; then
		check "pprof prints the same values: ${row[0]}" agrees_with_pprof "${row[@]}"
	else
		skip "pprof prints the same values: ${row[0]}" "pprof (golang) is not installed"
	fi
done

# ---- callgrind -----------------------------------------------------------------------
"$hpcprof" export -q --format csv "$data/callgrind.out" | tail -n +3 | cut -d, -f4-7,9,11 >out
is "names and positions that are shortened, inlined files, several parts" "$(cat out)" \
	"malloc,/usr/lib/libc.so.6,,,900,9
main'2,/usr/bin/work,work.c,30,100,0
main,/usr/bin/work,work.c,10,80,6
main,/usr/bin/work,work.c,12,17,1
main,/usr/bin/work,work.h,20,10,1
free,/usr/bin/work,work.c,11,0,1"
check "it has no call paths" run 0 "$hpcprof" "$data/callgrind.out"
check "which is said" says out 'no call paths in the file, and so no totals'
check "like what is not read" says err 'not read: the call graph'
check "and no numbers of samples are invented" says out 'recorded +1,107 Ir$'

# annotated FILE: the functions by callgrind_annotate, without the totals of the program, which are not
# the sum, and without load modules, which it knows of some functions only.
annotated() {
	timeout 60 callgrind_annotate --auto=no --threshold=100 --show=Ir "$1" 2>annotate.err |
		sed -nE 's/^ *([0-9,]+) \( *[0-9.]+%\)  (.*:.*)$/\1 \2/p' | tr -d , | sed 's; \[[^ ]*\]$;;' |
		awk '{ sum[$2 " " $3] += $1 } END { for (i in sum) if (sum[i]) print sum[i], i }' | sort
}
agrees_with_callgrind() {
	annotated callgrind.out >theirs
	export_to callgrind again.callgrind callgrind.out
	annotated again.callgrind >ours
	[ "$(wc -l <theirs)" -gt 20 ] && diff theirs ours
}
if command -v valgrind callgrind_annotate >said; then
	timeout 60 valgrind -q --tool=callgrind --cache-sim=yes --dump-instr=yes --collect-jumps=yes \
		--callgrind-out-file=callgrind.out "$(program nothing)" >said 2>&1
	check "callgrind_annotate prints the same values" agrees_with_callgrind
	is "the sum is that of the file" \
		"$("$hpcprof" export -q --format folded -m Ir callgrind.out | awk '{ s += $NF } END { print s }')" \
		"$(sed -n 's/^totals: \([0-9]*\).*/\1/p' callgrind.out)"
else
	skip "callgrind_annotate prints the same values" "valgrind is not installed"
	skip "the sum is that of the file" "valgrind is not installed"
fi

# ---- perf script ---------------------------------------------------------------------
"$hpcprof" export -q --format csv "$data/perf.script" | tail -n +2 | cut -d, -f4- >out
is "names with blanks, inlined frames, modules, lines, the kernel, several events" "$(cat out)" \
	'main,/usr/bin/work,,,0,500000,500000,2,2,4,4,2,2,0,0
[unknown function],[unknown],,,0,250000,500000,1,2,0,0,0,0,0,0
init (constprop.0),/usr/lib/ld linux (2).so,,,0,250000,250000,1,1,0,0,0,0,0,0
_start,/usr/bin/work,,,0,0,250000,0,1,0,0,0,0,0,0
start_line,/usr/bin/work,crt.c,7,1,0,250000,0,1,0,0,0,0,0,0
__libc_start_main_impl,[unknown],,,0,0,250000,0,1,0,0,0,0,0,0
main,/usr/bin/work,,,0,0,250000,0,1,0,0,0,0,0,0
"operator delete(void*, unsigned long)",/usr/bin/work,work.cc,12,0,0,250000,0,1,0,0,0,0,0,0
"std::map<int, A (*)(int)>::at(int)",/usr/bin/work,,,1,0,250000,0,1,0,0,0,0,0,0
operator(),/usr/bin/work,,,1,0,250000,0,1,0,0,0,0,0,0
do_syscall_64,[kernel],,,0,0,250000,0,1,0,0,0,0,0,0
complete_walk,[kernel],,,0,250000,250000,1,1,0,0,0,0,0,0
[unknown function],/usr/bin/sh,,,0,0,0,0,0,0,0,0,0,1,1'
"$hpcprof" --threads "$data/perf.script" >out
check "clocks are times, and samples are counted" says out 'recorded +1.25 ms cpu-clock:u in 5 samples'
check "threads have the names of the file" says out ' 1  Web Content 2'
check "and processes are known" says out 'processes   2'
is "they are kept apart" "$("$hpcprof" export -q --format csv --by process "$data/perf.script" |
	tail -n +2 | cut -d, -f1 | sort -u | paste -sd,)" "process 7001,process 7002"

# The own values of each symbol, by perf itself.
agrees_with_perf() {
	perf report -i perf.data --no-children -g none --stdio -F period,sym 2>said |
		sed -nE 's/^ *([0-9]+)  \[.\] (.*[^ ]) *$/\1 \2/p' |
		awk '{ n = $1; $1 = ""; name = $0 ~ /^ 0x[0-9a-f]+$/ || $0 == " [unknown]" ? " ?" : $0
			sum[name] += n } END { for (i in sum) print sum[i] i }' | sort >theirs
	export_to folded perf.folded perf.txt && awk '{ n = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, "")
		sub(/_\[[ki]\]$/, ""); name = $0 == "[unknown function]" ? "?" : $0
		sum[name] += n } END { for (i in sum) print sum[i] " " i }' perf.folded | sort >ours
	[ "$(wc -l <theirs)" -gt 3 ] && diff theirs ours
}
if timeout 20 perf record -q -F 997 -g -e cpu-clock -o perf.data "$(program recursion)" >said 2>&1 &&
	timeout 60 perf script -i perf.data >perf.txt 2>said; then
	check "perf report prints the same values" agrees_with_perf
	is "and as many samples" "$("$hpcprof" export -q --format csv perf.txt | tail -n +2 |
		sed -E 's/.*,([0-9]+),[0-9]+$/\1/' | awk '{ s += $1 } END { print s }')" \
		"$(grep -c 'cpu-clock:' perf.txt)"
else
	skip "perf report prints the same values" "perf cannot record here"
	skip "and as many samples" "perf cannot record here"
fi

# ---- collapsed stacks ----------------------------------------------------------------
printf '%s\n' 'main;work (a.py:3);libx`f 3' '<module> (a.py:9);work (a.py:4) 5' \
	'main;read_[k] 2' 'main;a_[i] 1' '[partial call paths];g_[j] 18446744073709551615' >own.folded
"$hpcprof" export --format csv own.folded 2>err | tail -n +2 | cut -d, -f4-9 >out
is "lines of py-spy, modules of DTrace, marks" "$(cat out)" \
	"main,[unknown],,,0,0
work,[unknown],a.py,3,0,0
f,libx,,,0,3
read,[kernel],,,0,2
a,[unknown],,,1,1
<module>,[unknown],a.py,9,0,0
work,[unknown],a.py,4,0,5
[partial call paths],,,,0,0
g,[jit],,,0,18446744073709551615"

# ---- what is refused -----------------------------------------------------------------

# refused FILE PATTERN: it is not read, and the message says what matches.
refused() {
	run 3 "$hpcprof" "$1" && says err "^hpcprof: $1: $2"
}
{
	cat "$data/perf.script"
	echo 'neither a frame nor a sample'
} >bad.script
check "a bad line of perf script has its number" refused bad.script "line 30: expected .*found 'neither a"
sed 's/^12 10$/+x 10/; s/^+4 12 10$/+4 x 10/' "$data/callgrind.out" >bad.callgrind
check "one of callgrind" refused bad.callgrind "line 22: expected a position"
sed 's/^cfn=(2) malloc$/cfn=(9)/' "$data/callgrind.out" >unnamed.callgrind
sed '/^\* \* 900 9$/d' "$data/callgrind.out" >call.callgrind
check "a call without costs" refused call.callgrind 'line 27: expected the costs of a call'
check "a number without a name" refused unnamed.callgrind 'line 25: expected a number that has a name'
sed 's/^+4 +2 4 1$/+4 +2 4 1 9/' "$data/callgrind.out" >costs.callgrind
check "more costs than events" refused costs.callgrind 'line 17: expected no more costs'
{
	yes 'main;work 1' | head -2000
	echo 'main;work 1.5'
} >bad.folded
check "one of collapsed stacks" refused bad.folded 'line 2001: expected a call path and a whole number'
printf 'a;b 1 2\na;c 3 4\n' >two.folded
check "a difference of collapsed stacks" refused two.folded 'each line ends in two numbers'
head -c 400 "$data/go-cpu.pprof" >cut.pprof
check "a compressed file that was cut" refused cut.pprof 'cannot be unpacked after [0-9]+ bytes'
gunzip <"$data/go-cpu.pprof" | head -c 500 >cut.pb
check "one that is not compressed" refused cut.pb 'byte [0-9]+ of the profile'
check "negative values" "$python" - negative.pprof <<'END'
import sys
def field(n, body): return bytes([n << 3 | 2, len(body)]) + body
minus = b"\xff" * 9 + b"\x01"
with open(sys.argv[1], "wb") as f:
    f.write(field(1, b"\x08\x01\x10\x02") + field(2, b"\x0a\x01\x01" + field(2, minus)) +
            field(4, b"\x08\x01") + field(6, b"") + field(6, b"x") + field(6, b"count"))
END
check "are refused with advice" refused negative.pprof 'byte [0-9]+ .*a negative value.*hpcprof diff'
for text in 'one line of text' 'int main(void) { return 0; }' 'a, b; c 3' '{"a": 1}'; do
	printf '%s\nand another\n' "$text" >plain.txt
	check "'$text' is no profile" refused plain.txt 'a text file and no datafile'
done
gzip -c plain.txt >plain.gz
check "nor is it when compressed" refused plain.gz 'compressed by gzip'
check "the rest is read" run 1 "$hpcprof" export --format folded bad.folded own.folded
check "all of it" says out '^main;work;f 3$'
check "and nothing of the bad file" test "$(grep -c . out)" = 5
done_testing
