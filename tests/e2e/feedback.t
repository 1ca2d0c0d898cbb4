#!/bin/bash
# Profiles for compilers and linkers: they read them, the numbers add up, and what they make of them is
# what was measured.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

source=$top/tests/programs/sides.c
clang='clang-14 -O2 -g -fdebug-info-for-profiling'

# measured DIR PROGRAM [ARGUMENT...]
measured() {
	"$hpcrun" -q -o "$@" >said 2>&1
}
# feedback DIR FILE OPTION...
feedback() {
	local place=$1 file=$2
	shift 2
	"$hpcprof" export -o "$file" "$@" "$place" 2>err
}
# samples DIR [OPTION...]: how many there are in it.
samples() {
	"$hpcprof" export -q --format json -m CPUTIME "${@:2}" "$1" |
		"$python" -c 'import json, sys; print(json.load(sys.stdin)["metrics"][0]["total_samples"])'
}
# in_profile FILE: the sum of the functions' samples.
in_profile() {
	awk -F: '/^[^ ]/ { n += $(NF - 1) } END { print n + 0 }' "$1"
}
# left_out: the sum of what the messages say was left out.
left_out() {
	grep -oE '[0-9]+ samples? left out' err | awk '{ n += $1 } END { print n + 0 }'
}
# straight FILE SIDE: that side of the branch is the one without a jump.
straight() {
	[ "$(grep -o '# the [a-z]* side' "$1" | head -1)" = "# the $2 side" ]
}

# ---- clang ----------------------------------------------------------------------------
$clang -o sides "$source"
for side in left right; do
	measured of-$side ./sides $side
	feedback of-$side $side.prof --format llvm-sample
	is "$side: messages" "$(sed -E "s|$PWD/||; s/[0-9]+/N/g; /left out/d" err)" \
		"hpcprof: sides: N of N samples, in N functions, with counts for N places
hpcprof: N samples are few: measure longer, or several runs"
	is "$side: no sample is lost" "$(($(in_profile $side.prof) + $(left_out)))" "$(samples of-$side)"
	check "$side: most samples are in it" [ "$(in_profile $side.prof)" -gt "$(($(samples of-$side) * 9 / 10))" ]
	cp err said-$side
	note "$(grep -A12 '^sides:' $side.prof | paste -sd,)"
done
if command -v llvm-profdata-14 >/dev/null; then
	for side in left right; do
		check "$side: llvm-profdata reads it" llvm-profdata-14 show --sample -o shown $side.prof
		llvm-profdata-14 merge --sample --text -o again.prof $side.prof
		is "$side: and writes the same samples" "$(in_profile again.prof)" "$(in_profile $side.prof)"
	done
	# Samples as they are, as other counts are rounded.
	for side in left right; do feedback of-$side sum-$side.prof --format llvm-sample --weights sum; done
	"$hpcprof" export -q --for clang --weights sum -o both.prof of-left of-right
	llvm-profdata-14 merge --sample --text -o before.prof both.prof
	llvm-profdata-14 merge --sample --text -o after.prof sum-left.prof sum-right.prof
	check "merging before and after gives the same" cmp before.prof after.prof
	"$hpcprof" merge -q -o merged.csp of-left of-right
	feedback merged.csp merged.prof --for clang --weights sum
	check "a merged file gives the same as its parts" cmp both.prof merged.prof
else
	skip "llvm-profdata" "llvm-14 is not installed"
fi
for side in left right; do
	check "$side: clang uses it" clang-14 -O2 -g -Werror -fprofile-sample-use=$side.prof -S -o $side.s "$source"
	check "$side: the side that is taken is straight" straight $side.s $side
done

# ---- what clang does not see in names and lines ------------------------------------------
clang-14 -O2 -g -o plain "$source"
measured of-plain ./plain left
feedback of-plain plain.prof --for clang
check "without discriminators: it is said" grep -q -- 'no discriminators.*-fdebug-info-for-profiling' err
clang-14 -O2 -o bare "$source"
measured of-bare ./bare left
feedback of-bare bare.prof --for clang
check "without debug information: it is said" grep -q 'bare: [0-9]* samples left out: it has no debug information (compile it with -g)' err
is "and no function is written" "$(cat bare.prof)" ""
mkdir two
cat >two/one.c <<'END'
static __attribute__((noinline)) unsigned long busy(unsigned long n)
{
	for (unsigned long i = 0; i < 3000000; i++) { n = n * 3 + i; __asm__ volatile("" : "+r"(n)); }
	return n;
}
unsigned long one(unsigned long n) { return busy(n); }
END
sed 's/one(/two(/; s/n \* 3/n * 5/; s/^static/\n\nstatic/' two/one.c >two/two.c
cat >two/main.c <<'END'
#include <time.h>
unsigned long one(unsigned long), two(unsigned long);
int main(void)
{
	unsigned long n = 1;
	while (clock() < CLOCKS_PER_SEC / 2) n = one(n) + two(n);
	return n == 0;
}
END
$clang -o same-names two/*.c
measured of-same ./same-names
feedback of-same same.prof --for clang
check "functions with one name: it is said" grep -q '1 name is of functions that are not the same' err
$clang -funique-internal-linkage-names -o unique-names two/*.c
measured of-unique ./unique-names
feedback of-unique unique.prof --for clang
is "with unique names: they are apart" "$(grep -c '^_ZL4busym\.__uniq\.[0-9]*:' unique.prof) $(grep -c 'not the same' err)" "2 0"

# ---- C++: targets of indirect calls, and inlining ----------------------------------------
cat >shapes.cc <<'END'
#include <ctime>
struct Shape { virtual unsigned long area(unsigned long n) const = 0; virtual ~Shape() = default; };
static inline __attribute__((always_inline)) unsigned long mix(unsigned long n, int steps)
{
#pragma clang loop unroll(full)
	for (int i = 0; i < steps; i++) { n = n * 3 + 1; __asm__ volatile("" : "+r"(n)); }
	return n;
}
struct Square : Shape { unsigned long area(unsigned long n) const override { return mix(n, 16); } };
struct Circle : Shape { unsigned long area(unsigned long n) const override { return mix(n, 8); } };
__attribute__((noinline)) unsigned long total(const Shape *const *shapes, int n)
{
	unsigned long sum = 0;
	for (int i = 0; i < n; i++)
		sum += shapes[i]->area(sum);
	return sum;
}
int main()
{
	Square square;
	Circle circle;
	const Shape *shapes[8] = {&square, &square, &square, &square, &square, &square, &square, &circle};
	unsigned long sum = 0;
	while (clock() < 2 * CLOCKS_PER_SEC)
		for (int k = 0; k < 100; k++)
			sum += total(shapes, 8);
	return sum == 0;
}
END
$clang -x c++ -o shapes shapes.cc -lstdc++
measured of-shapes ./shapes
feedback of-shapes shapes.prof --for clang
check "C++: the targets of a virtual call, the one that is called more often first" \
	grep -qE '^ [0-9.]+: [0-9]+ _ZNK6Square4areaEm:[0-9]+ _ZNK6Circle4areaEm:[0-9]+$' shapes.prof
# How often each was called is for tests/unit/calls.c: processors take samples ahead of what they have
# done, so that of functions as short as these the shares are off by as much as the processor likes.
check "C++: all calls have a target" awk -F'[: ]+' '/ _ZNK6Square4areaEm:/ { n = 0
	for (i = 5; i <= NF; i += 2) n += $i
	if (n < $3 - 1 || n > $3 + 1) exit 1 }' shapes.prof
check "C++: an inlined function is below its caller" grep -qE '^ 0: _ZL3mixmi:[0-9]+$' shapes.prof
note "$(grep -A9 '^_Z5total' shapes.prof | paste -sd,)"
clang-14 -O2 -g -x c++ -fprofile-sample-use=shapes.prof -S -emit-llvm -o shapes.ll shapes.cc
check "clang compares with the target that is called most" grep -q 'icmp eq .*@_ZNK6Square4areaEm' shapes.ll

# ---- contexts -------------------------------------------------------------------------
measured of-both ./sides both
feedback of-both both.prof --for clang --contexts
check "contexts: a function by what called it, and this by what called it" \
	[ "$(grep -cE '^\[main:[0-9.]+ @ mostly_(left|right)(:[0-9]+ @ sides)?\]:[0-9]+:[0-9]+$' both.prof)" = 4 ]
is "contexts: no sample is lost" "$(($(in_profile both.prof) + $(left_out)))" "$(samples of-both)"
check "contexts: it is said how many" grep -qE 'in 4 functions and [5-9] contexts, with counts' err
if command -v llvm-profdata-14 >/dev/null; then
	llvm-profdata-14 merge --sample --text -o again.prof both.prof
	is "contexts: llvm-profdata writes the same samples" "$(in_profile again.prof)" "$(in_profile both.prof)"
	check "contexts: and the same contexts" cmp <(grep -o '^\[.*\]' both.prof | sort) <(grep -o '^\[.*\]' again.prof | sort)
else
	skip "contexts: llvm-profdata" "llvm-14 is not installed"
fi
check "contexts: clang uses it" \
	clang-14 -O2 -g -DKEEP=inline -Werror -fprofile-sample-use=both.prof -S -o both.s "$source"
for side in left right; do
	sed -n "/^mostly_$side:/,/\.cfi_endproc/p" both.s >mostly_$side.s
	check "contexts: in mostly_$side, the $side side is straight" straight mostly_$side.s $side
done
note "$(grep -A6 '@ sides]' both.prof | paste -sd,)"
cat >odd.c <<'END'
#include <time.h>
unsigned long odd(unsigned long n) __asm__("odd:name");
__attribute__((noinline)) unsigned long odd(unsigned long n)
{
	for (int i = 0; i < 1000; i++) { n = n * 3 + 1; __asm__ volatile("" : "+r"(n)); }
	return n;
}
int main(void)
{
	unsigned long n = 1;
	while (clock() < CLOCKS_PER_SEC / 2)
		for (int i = 0; i < 100; i++) n += odd(n);
	return n == 0;
}
END
$clang -o odd odd.c
measured of-odd ./odd
feedback of-odd odd.prof --for clang --contexts
is "contexts: a name with what separates them is left out, and counted" \
	"$(grep -c odd: odd.prof) $(grep -c 'in functions without the name of a symbol' err) $(($(in_profile odd.prof) + $(left_out)))" \
	"0 1 $(samples of-odd)"
feedback of-shapes shapes-contexts.prof --for clang --contexts
is "contexts: inlined functions have theirs, too, and no sample is lost" \
	"$(grep -c '@ _ZL3mixmi\]:' shapes-contexts.prof) $(($(in_profile shapes-contexts.prof) + $(left_out)))" \
	"2 $(samples of-shapes)"

# ---- against a newer build ------------------------------------------------------------
# against FILE [DIR]: what is said of it.
against() {
	feedback "${2:-of-left}" left.prof --for clang --against "$1"
	sed -nE "s|^hpcprof: $1: (.*)|\1|p" err
}
functions=$(sed -nE 's/.* in ([0-9]+) functions?, .*/\1/p' said-left)
is "against: what the profile made of it" "$(clang-14 -O2 -g -fprofile-sample-use=left.prof -o faster "$source" 2>&1; against faster)" \
	"all $functions functions have as many lines as before"
sed 's/^static unsigned long state/\n\n&/' "$source" >moved.c
clang-14 -O3 -g -o moved moved.c
is "against: functions that begin elsewhere" "$(against moved)" \
	"$functions of $functions functions, with 100.0% of the samples, have as many lines as before ($functions begin elsewhere); 0 have not, and 0 were not found"
sed 's/^	if (taken < limit) {/\n\n&/' "$source" >changed.c
clang-14 -O2 -g -o changed changed.c
check "against: a function with more lines" grep -qE '^[0-9]+ of [0-9]+ functions?, with [0-9]\.[0-9]% of the samples, .*; 1 has not, and 0 were not found$' <<<"$(against changed)"
sed 's/\<sides(unsigned/other_name(unsigned/; s/\<sides(/other_name(/' "$source" >gone.c
clang-14 -O2 -g -o gone gone.c
check "against: a function that is gone" grep -qE '; 0 have not, and 1 was not found$' <<<"$(against gone)"
check "against: it is read as another compiler's" \
	"$hpcprof" export --for gcc --against faster -o any of-left 2>/dev/null
strip -o stripped faster
feedback of-left left.prof --for clang --against stripped
is "against: no debug information: it is refused" "$? $(grep -c 'stripped has none of the measured functions with debug information' err)" "2 1"
feedback of-left left.prof --for clang --against nothing
is "against: no such file: it is refused" "$? $(grep -c 'nothing: No such file' err)" "3 1"

# ---- gcc ------------------------------------------------------------------------------
gcc -O2 -g -o sides-gcc "$source"
for side in left right; do
	measured gcc-$side ./sides-gcc $side
	feedback gcc-$side $side.afdo --for gcc
	check "gcc, $side: it reads it without a warning" \
		gcc -O2 -g -Wall -Wextra -Werror -fauto-profile=$side.afdo -S -o $side-gcc.s "$source"
	check "gcc, $side: the side that is taken is straight" straight $side-gcc.s $side
done
"$hpcprof" export -q --format afdo -o again.afdo gcc-left
feedback gcc-left named.afdo --format afdo
check "gcc: the same input gives the same bytes" cmp again.afdo named.afdo
feedback gcc-left foreign.prof --for clang
check "gcc compiled it, and clang is to read the profile: it is said" \
	grep -q 'gcc compiled it, whose discriminators clang does not know: code of one line' err
# gcc looks up one count for all code of a line.
lines=$top/tests/programs/unlike_lines.c
line_of() { # TEXT FUNCTION: the line of the first TEXT behind that of the function, counted from this
	awk -v text="$1" -v name=" $2(" 'index($0, name) && !at { at = NR } at && index($0, text) { print NR - at; exit }' "$lines"
}
gcc -O2 -g -o unlike "$lines"
measured of-lines ./unlike
feedback of-lines lines.afdo --for gcc
check "gcc, lines: it reads it without a warning" \
	gcc -O2 -g -Wall -Wextra -Werror -fauto-profile=lines.afdo -S -o lines.s "$lines"
check "gcc: it is said which lines have no count" grep -q '1 place has no count: code there branches to code of the same line' err
sed -n '/^on_one_line:/,/\.cfi_endproc/p' lines.s >on_one_line.s
check "gcc: what a branch on its own line leads to and is rare is not straight" straight on_one_line.s usual
feedback of-lines lines.prof --for clang
awk '/^[^ ]/ { name = $0; sub(":.*", "", name) } { print name $0 }' lines.prof >named.prof
is "gcc: the count of such a line is left out, that of the one before it is not" \
	"$(grep -c "^on_one_line $(line_of '{ RARE' on_one_line):" named.prof) $(grep -c "^on_one_line $(line_of 'sum ^=' on_one_line): [1-9]" named.prof)" "0 1"
check "gcc: a line whose load was moved counts where its statement is" \
	awk -v rare="moved $(line_of 'n = p[6]' moved): " -v usual="moved $(line_of '2 * p[6]' moved): " '
		index($0, rare) == 1 { r = $3 } index($0, usual) == 1 { u = $3 } END { exit !(r != "" && r < u / 10) }' named.prof
note "$(sed -n 's/^moved//p' named.prof | paste -sd,)"
# Inlined functions in unnamed namespaces have no symbols.
cat >within.cc <<END
#include <stdio.h>
#include <string.h>
#include <time.h>
namespace
{
#define KEEP inline __attribute__((always_inline))
#define main all
#include "$source"
#undef main
} // namespace
int main(int argc, char **argv)
{
	return all(argc, argv);
}
END
g++ -O2 -g -o within within.cc
measured gcc-both ./within both
feedback gcc-both both.afdo --for gcc
check "gcc, C++: it reads it without a warning" g++ -O2 -g -Wall -Wextra -Werror -fauto-profile=both.afdo -S -o both.s within.cc
for side in left right; do
	sed -n "/^[^.]*mostly_$side/,/\.cfi_endproc/p" both.s >mostly_$side.s
	check "gcc, C++: in mostly_$side, the $side side is straight" straight mostly_$side.s $side
done
check "gcc, C++: all code has a line" [ "$(grep -c 'count for no line' err)" = 0 ]
feedback gcc-both within.prof --for clang
nowhere=$(sed -nE 's/.*: ([0-9]+) samples? count for no line: in inlined functions without the name.*/\1/p' err)
check "gcc, C++, and clang is to read it: it is said what has no name" [ "${nowhere:-0}" -gt "$(($(in_profile within.prof) / 2))" ]
is "gcc: no place has a discriminator" "$(grep -cE '^ +[0-9]+\.[0-9]+:' foreign.prof)" 0

# ---- linkers --------------------------------------------------------------------------
cat >order.c <<'END'
#include <time.h>
#define WORK(name, steps) __attribute__((noinline)) unsigned long name(unsigned long n) \
	{ for (int i = 0; i < (steps); i++) { n = n * 3 + 1; __asm__ volatile("" : "+r"(n)); } return n; }
WORK(first, 200)
__attribute__((noinline)) unsigned long never(unsigned long n) { return n + 1; }
WORK(second, 2000)
static WORK(inner, 4000)
__attribute__((noinline)) unsigned long outer(unsigned long n)
{
	for (int i = 0; i < 3; i++) n += inner(n);
	return n;
}
int main(int argc, char **argv)
{
	unsigned long n = 1;
	(void)argv;
	if (argc > 5) n = never(n);
	while (clock() < CLOCKS_PER_SEC)
		for (int i = 0; i < 100; i++) n += first(n) + second(n) + outer(n);
	return n == 0;
}
END
# written: the number of samples that the message says are in the file.
written() {
	sed -nE 's/^.*: ([0-9]+) of [0-9]+ samples.*/\1/p' err
}
# functions FILE: in the order of their addresses.
functions() {
	nm "$1" | sort | awk '$3 ~ /^(first|second|inner|outer)$/ { print $3 }' | paste -sd' '
}
gcc -O2 -g -ffunction-sections -o order order.c
measured of-order ./order
feedback of-order order.txt --for lld
check "order: outer is before inner, which it calls" \
	[ "$(grep -nx outer order.txt | cut -d: -f1)" -lt "$(grep -nx inner order.txt | cut -d: -f1)" ]
is "order: each once, and only what is on call paths" "$(grep -cx never order.txt) $(sort order.txt | uniq -d)" "0 "
is "order: no sample is lost" "$(($(written) + $(left_out)))" "$(samples of-order)"
for linker in lld gold; do
	option=--symbol-ordering-file
	[ $linker = lld ] || option=--section-ordering-file
	feedback of-order $linker.txt --for $linker
	if ! gcc -O2 -ffunction-sections -fuse-ld=$linker -o nothing order.c 2>/dev/null; then
		skip "$linker: it has this order" "$linker is not installed"
		continue
	fi
	check "$linker: it reads the file" gcc -O2 -ffunction-sections -fuse-ld=$linker -Wl,$option=$linker.txt \
		-Wl,--fatal-warnings -o by-$linker order.c
	is "$linker: it has this order" "$(functions by-$linker)" \
		"$(grep -xE 'first|second|inner|outer' order.txt | paste -sd' ')"
done
check "gold: sections" grep -qx '\.text\.outer' gold.txt
feedback of-order order.fdata --format bolt
is "bolt: a header, and all samples of functions with a symbol" \
	"$(head -1 order.fdata) $(awk 'NR > 1 { n += $4 } END { print n }' order.fdata)" "no_lbr cpu-clock: $(written)"
check "bolt: a local symbol has a number" grep -qE '^1 inner/1 [0-9a-f]+ [0-9]+$' order.fdata
bolt=$(command -v llvm-bolt-16 llvm-bolt-15 llvm-bolt-14 | head -1)
if [ -n "$bolt" ]; then
	gcc -O2 -g -ffunction-sections -Wl,-q -no-pie -o relocatable order.c
	measured of-relocatable ./relocatable
	feedback of-relocatable relocatable.fdata --for bolt
	"$bolt" relocatable -data relocatable.fdata -reorder-blocks=cache -o bolted >said 2>&1
	is "bolt: it reads it" "$?" 0
	check "bolt: it finds the functions" grep -qE '[1-9][0-9]* out of [0-9]+ functions in the binary .* have non-empty execution profile' said
	check "bolt: what it makes runs" ./bolted
else
	skip "bolt: it reads it" "llvm-bolt is not installed"
fi

# ---- an interpreter -------------------------------------------------------------------
# What runs is its own code to a compiler, not lines of the script.
measured of-python "$python" -S -c 'for i in range(5000000): i = str(i)'
feedback of-python python.txt --for lld
nowhere=$(sed -nE 's/.*: ([0-9]+) samples? left out: in code that is in no file.*/\1/p' err)
check "an interpreter's samples are in its own code" [ "${nowhere:-0}" -lt "$(($(samples of-python) / 10))" ]
is "an interpreter: no sample is lost" "$(($(written) + $(left_out)))" "$(samples of-python)"
"$hpcprof" export --for clang --module . --against faster -o any.prof of-python of-left 2>err
is "against: several load modules: it is refused" "$? $(grep -c 'is for one load module' err)" "2 1"

# ---- choosing -------------------------------------------------------------------------
feedback of-order libc.prof --for clang --module libc
is "--module: the others are not there" "$(grep -c '^outer:' libc.prof)" 0
for bad in '--for clang --format bolt' '--for nobody' '--format order --weights sum' '--format bolt --by thread' \
	'--format llvm-sample -n 5' '--for gcc --contexts' '--for lld --against order'; do
	# shellcheck disable=SC2086 # the words are options
	"$hpcprof" export $bad -o bad.out of-order 2>err
	is "$bad: refused" "$? $(ls bad.out 2>&1 | grep -c 'No such')" "2 1"
done
"$hpcprof" export --for gcc of-order >direct.afdo 2>/dev/null
check "to standard output" cmp direct.afdo <("$hpcprof" export -q --format afdo of-order)
"$BUILD/programs/mkcsp" --paths "$top/tests/data/outputs/rank0.paths" rank0.csp
"$hpcprof" export --for clang -o none.prof rank0.csp 2>err
is "binaries that are not there: an empty profile" "$? $(cat none.prof)" "0 "
check "and what was left out is said" grep -q 'left out' err
done_testing
