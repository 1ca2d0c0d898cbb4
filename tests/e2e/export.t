#!/bin/bash
# Files for other programs: read back by those programs, or by readers of our own that share no code
# with the toolkit. Totals are exact, and all formats have the same call paths.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

formats='folded pprof speedscope callgrind firefox chrome otlp csv json'
mkcsp=$BUILD/programs/mkcsp

# exported DIR NAME [OPTION...]: NAME.FORMAT is written in all formats.
exported() {
	local place=$1 name=$2 format
	shift 2
	for format in $formats; do
		"$hpcprof" export -q --format "$format" -o "$name.$format" "$@" "$place" || return 1
	done
}

# exact DIR NAME: each format adds up to the datafiles' sum, and all have the same paths.
exact() {
	local total
	total=$(lib exported.py total "$1" CPUTIME) && [ "$total" -gt 0 ] &&
		lib exported.py alike "$total" "$2"
}

cat >script.py <<'END2'
import json, re
for i in range(20):
    json.loads(json.dumps(list(range(9000))))
    re.sub("a(b|c)*", "x", "abcbcbcb" * 900)
END2
"$hpcrun" -q -o of-python "$python" script.py >said 2>&1
"$hpcrun" -q -o of-cxx "$(program cxx)" >said 2>&1
"$hpcrun" -q -o of-recursion "$(program recursion)" >said 2>&1
"$hpcrun" -q -o of-threads8 "$(program threads8)" 3 >said 2>&1
"$hpcrun" -q -o of-several sh -c '"$1" 2; "$1" 2' sh "$(program cxx)" >said 2>&1
"$mkcsp" --paths "$top/tests/data/outputs/rank0.paths" rank0.csp
"$mkcsp" --paths "$top/tests/data/outputs/odd.paths" odd.csp
names='python cxx recursion threads8 several'
for name in $names; do
	check "$name: all formats are written" exported "of-$name" "$name"
	check "$name: exact, and all alike" exact "of-$name" "$name"
done
for name in rank0 odd; do
	check "$name: all formats are written" exported $name.csp $name
	check "$name: exact, and all alike" exact $name.csp $name
done
check "inlined frames are there" grep -q '_\[i\];' cxx.folded
check "partial paths are there" grep -q '^\[partial call paths\];' rank0.folded
# The partial paths' frame has no address.
is "pprof has the units, the period and the program" "$(lib exported.py about rank0.pprof)" \
	"CPUTIME_samples count; CPUTIME nanoseconds; BYTES bytes; CPUTIME nanoseconds
period 1000000
first /usr/bin/work
addresses 44 of 45"
lib exported.py about several.pprof >about
check "the program that took most of the time is first" says about "^first $(program cxx)\$"
"$hpcprof" xml -q --callpath -o cxx.xml of-cxx
"$hpcprof" export -q --format pprof -o named.pprof cxx.xml
lib exported.py about named.pprof >about
check "frames of a CSPROFILE have names and no addresses" says about '^addresses 0 of [1-9]'
"$mkcsp" --paths "$top/tests/data/outputs/huge.paths" huge.csp
check "sums that a format cannot hold are a problem" run 1 "$hpcprof" export -q --format pprof \
	-o huge.pprof huge.csp
check "which is told" says err 'CPUTIME: the sum 18446744073709551615 is more than --format pprof holds'
is "and become the greatest that it can" "$("$python" - "$top/tests/lib/check" huge.pprof <<'END2'
import sys
sys.path.insert(0, sys.argv[1])
import exported
print(max(exported.read_pprof(sys.argv[2])[None].values()))
END2
)" 9223372036854775807
# Each line is a path and a number: the format has nothing else.
is "a sum by awk" "$(awk '{ sum += $NF } END { printf "%d", sum }' cxx.folded)" \
	"$(lib exported.py total of-cxx CPUTIME)"

# ---- by the programs themselves ------------------------------------------------------
pprof=$(ls /usr/lib/go-*/pkg/tool/*/pprof 2>/dev/null | tail -1)
[ -n "$pprof" ] || pprof=$(command -v pprof google-pprof-go)
read_by_pprof() {
	PPROF_TMPDIR=$PWD timeout 60 "$pprof" -top -unit=ns -nodefraction=0 -nodecount=0 "$1.pprof" \
		>"$1.top" 2>"$1.err" && lib exported.py pprof "$1.top" "$1.pprof"
}
# It takes a file of its working directory for two, as the caller and as what is called.
mkdir elsewhere
read_by_callgrind() {
	(cd elsewhere && timeout 60 callgrind_annotate --auto=no --threshold=100 --show=CPUTIME --inclusive=yes \
		"../$1.callgrind") >"$1.inclusive" 2>"$1.err" && [ ! -s "$1.err" ] &&
		lib exported.py inclusive "$1.inclusive" "$1.json" &&
		timeout 60 callgrind_annotate --auto=no "$1.callgrind" >"$1.annotated" &&
		tr -d , <"$1.annotated" | grep -q "^ *$2 (100.0%) .*PROGRAM TOTALS"
}
for name in $names rank0; do
	if [ -n "$pprof" ]; then
		check "$name: pprof reads the values of each function" read_by_pprof $name
	else
		skip "$name: pprof reads the values of each function" "pprof (golang) is not installed"
	fi
	if command -v callgrind_annotate >/dev/null; then
		place=of-$name
		[ -e "$place" ] || place=$name.csp
		check "$name: callgrind_annotate reads the inclusive values, too" read_by_callgrind $name \
			"$(lib exported.py total $place CPUTIME)"
	else
		skip "$name: callgrind_annotate reads the inclusive values, too" "valgrind is not installed"
	fi
done

# ---- threads and processes -----------------------------------------------------------
by_parts() {
	local format
	for format in pprof speedscope firefox chrome otlp csv; do
		"$hpcprof" export -q --format $format --by "$3" -o "$2.$format" "$1" || return 1
	done
	for format in pprof speedscope firefox chrome otlp; do
		lib exported.py parts "$2.csv" "$2.$format" || return 1
	done
}
check "threads are kept apart, alike in all formats" by_parts of-threads8 threads thread
is "there are eight" "$(tail -n +2 threads.csv | cut -d, -f1 | sort -u | wc -l)" 8
check "and processes" by_parts of-several processes process
"$hpcprof" export -q --format folded --by thread of-threads8 >threads.folded
is "together they are everything" "$(awk '{ sum += $NF } END { printf "%d", sum }' threads.folded)" \
	"$(lib exported.py total of-threads8 CPUTIME)"

# One of the two files has no rank.
sed '/^process rank/d' "$top/tests/data/outputs/odd.paths" >rankless.paths
"$mkcsp" --paths rankless.paths rankless.csp
"$hpcprof" export -q --format folded --by rank rank0.csp rankless.csp >ranks.folded
is "what belongs to none is a part of its own" "$(cut -d';' -f1 ranks.folded | sort -u | paste -sd,)" \
	"others,rank 0"
is "and nothing is missing" "$(awk '{ sum += $NF } END { printf "%d", sum }' ranks.folded)" \
	$(($(lib exported.py total rank0.csp CPUTIME) + $(lib exported.py total rankless.csp CPUTIME)))

"$hpcprof" export -q --format speedscope --by profile -m BYTES rank0.csp odd.csp >bytes.speedscope
is "a part without values is no profile" "$(grep -c '"type":"evented"' bytes.speedscope)" 1

# ---- the same bytes ------------------------------------------------------------------
again() {
	local format
	exported of-several again -j 4 || return 1
	for format in $formats; do
		cmp again.$format several.$format || return 1
	done
}
check "the same input gives the same bytes" again

# ---- rows ----------------------------------------------------------------------------
"$hpcprof" export -q --format csv -n 7 of-python >few.csv
is "-n chooses rows" "$(wc -l <few.csv)" 8
"$hpcprof" export -q --format json --min 10 of-python >few.json
check "what --min leaves out is said, and the sum is the total" "$python" - few.json <<'END2'
import json, sys
p = json.load(open(sys.argv[1]))
total = p["metrics"][0]["total"]
assert 0 < len(p["nodes"]) < 100 and p["left_out"]["nodes"] > 0
assert all(n["total"][0] * 10 >= total for n in p["nodes"])
assert sum(n["self"][0] for n in p["nodes"]) + p["left_out"]["self"][0] == total
END2

# ---- long paths ----------------------------------------------------------------------
# The middle of paths is left out where each path is written in full, and together they are long.
"$python" -c 'for i in range(1000): print("main" + ";f" * i, 1)' >deep
"$python" -c 'for i in range(3000): print("main" + ";f" * i, 1)' >deeper
for format in folded otlp pprof; do
	check "$format: a long path" run 0 "$hpcprof" export --format $format -o deep.$format deep
	is "is written as it is" "$(grep -c 'without their middle' err)" 0
	check "$format: a recursion that is too long" \
		run 0 "$hpcprof" export --format $format -o deeper.$format deeper
	check "is shortened, and it is said" says err 'more than [0-9]+ frames were written without their middle'
done
is "the long path has all frames" "$(awk 'length > n { n = length } END { print n }' deep.folded)" 2004
check "pprof's is read again" run 0 "$hpcprof" export -q --format folded deep.pprof
check "and has them all" cmp out deep.folded
check "that of the recursion, too" run 0 "$hpcprof" export -q --format folded deeper.pprof
is "and has both ends" "$(sed 's/ [0-9]*$//' out | sort -u | md5sum)" \
	"$(sed 's/ [0-9]*$//' deeper.folded | sort -u | md5sum)"
check "of the same length" "$python" -c 'for line in open("deeper.folded"):
    a, middle, b = line.partition(";[frames left out];")
    assert not middle or a.count(";") == b.count(";") > 32, line'
check "speedscope has all of it" run 0 "$hpcprof" export --format speedscope deeper
is "each frame is opened once" "$(grep -c '"type":"O"' out)" 3000
is "and it has nothing to say" "$(grep -c 'without their middle' err)" 0

# ---- what is wrong -------------------------------------------------------------------
check "a format is needed" run 2 "$hpcprof" export of-python
check "and it says so" says err 'no format is named \(use --format: folded, pprof, .* or bolt\)'
check "an unknown format is a usage error" run 2 "$hpcprof" export --format svg of-python
check "which names the formats" says err 'folded.*pprof.*json'
check "callgrind takes no threads" run 2 "$hpcprof" export --format callgrind --by thread of-python
check "folded takes no -n" run 2 "$hpcprof" export --format folded -n 5 of-python
check "and one metric" run 2 "$hpcprof" export --format folded -m CPUTIME -m BYTES rank0.csp
check "-m chooses it" run 0 "$hpcprof" export --format folded -m BYTES rank0.csp
check "which is what is written" grep -q ' 1048576$' out
check "what is lost is said" run 0 "$hpcprof" export --format callgrind of-python
check "on standard error" says err '^hpcprof: --format callgrind does not hold'
check "but not with -q" run 0 "$hpcprof" export -q --format callgrind of-python
is "then it is silent" "$(cat err)" ""
script=$(command -v script)
if [ -n "$script" ]; then
	"$script" -qec "$hpcprof export --format pprof of-python" /dev/null >said 2>&1 </dev/null
	is "a binary file is not for a terminal" "$?" 2
	check "and -o is named" says said 'use -o FILE'
else
	skip "a binary file is not for a terminal" "script is not installed"
fi
echo before >kept
check "a profile that is not there" run 3 "$hpcprof" export --format pprof -o kept nothing
is "leaves the file as it was" "$(cat kept)" before
done_testing
