#!/bin/bash
# Names are kept with the measurement: they are the same after the program was built again, replaced
# or removed.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
export HPCRUN_PACK=yes

cat >work.cc <<'END'
#include <ctime>
#include <cstdlib>
static volatile double sink;
MORE
static inline __attribute__((always_inline)) void inlined() { for (int i = 0; i < 500; i++) sink = sink + i; }
template <class F> __attribute__((noinline)) static void apply(F f) { f(); }
__attribute__((noinline)) static void first() { for (int i = 0; i < 1000; i++) sink = sink + i; }
__attribute__((noinline)) static void second() { inlined(); apply([] { for (int i = 0; i < 700; i++) sink = sink * 3; }); }
int main(int argc, char **argv)
{
	while (clock() < 0.2 * CLOCKS_PER_SEC) {
		if (argc < 2 || atoi(argv[1]) != 2)
			first();
		if (argc < 2 || atoi(argv[1]) != 1)
			second();
	}
	return 0;
}
END
compile() { # compile MORE OPTION...
	g++ -O2 -g -w -DMORE="$1" -o program "${@:2}" work.cc
}
another='__attribute__((noinline,used)) static void zeroth() { for (int i = 0; i < 99; i++) sink = sink + i; }'

# same DIR: the report is the one from before.
same() {
	"$hpcprof" text --all -q "$1" >now 2>errors
	is "$1: $2" "status $? $(cat errors now)" "status 0 $(cat "$1.before")"
}

for id in sha1 none; do
	compile '' -Wl,--build-id=$id || exit 1
	check "$id: a program is measured" "$hpcrun" -q -o $id ./program
	"$hpcprof" text --all -q $id >$id.before
	check "$id: it has names" says $id.before 'lambda at work.cc'
	compile "$another" -Wl,--build-id=$id || exit 1
	same $id "names are the same after another build"
	strip program
	same $id "and after that was stripped"
	rm program
	same $id "and after it was removed"
	"$hpcprof" xml -q $id >$id.xml 2>/dev/null
	check "$id: XML has them as well" says $id.xml 'n="first'
	mkdir moved-$id
	check "$id: a merged file takes them along" "$hpcprof" merge -q -o moved-$id/all.csp $id
	"$hpcprof" --functions -q moved-$id >now 2>errors
	"$hpcprof" --functions -q $id >then
	is "$id: with the same functions" "$(cat now errors)" "$(cat then)"
done

compile '' && "$hpcrun" -q --pack no -o unpacked ./program
is "with --pack no, there are none" "$(ls unpacked | grep -v '^vdso\|csp$')" ""
check "they can be kept later" "$hpcprof" pack unpacked
"$hpcprof" text --all -q unpacked >unpacked.before
compile "$another"
same unpacked "then they are the same after another build"

# What only the second run reached.
compile '' && "$hpcrun" -q -o twice ./program 1
"$hpcrun" -q -o twice ./program 2
"$hpcprof" text --all -q twice >twice.before
check "pack says that nothing is new" eval '"$hpcprof" pack twice | grep -q "names were added for 0$"'
cp -r twice once
compile "$another"
same twice "both runs keep their names"

# Names of a part of the addresses are better than none, and it is said that some are missing.
rm -rf once/symbols
compile '' && "$hpcrun" -q --pack no -o half ./program 1
"$hpcprof" pack -q half
"$hpcrun" -q --pack no -o half ./program 2
compile "$another"
run 1 "$hpcprof" --functions half >/dev/null
check "some names: those are shown" says out ' first +program'
check "some names: it is said that others are missing" says err 'only the names that were kept'

# Two that end at the same time.
compile '' && mkdir both
"$hpcrun" -q -o both ./program 1 &
"$hpcrun" -q -o both ./program 2
wait
"$hpcprof" text --all -q both >both.before
compile "$another"
same both "names of two runs at the same time are all kept"

# A damaged file.
file=$(grep -l 'work.cc' both/symbols/*)
truncate -s 200 "$file"
run 1 "$hpcprof" text --all both >/dev/null
check "a damaged file is named with the place and what to do" says err 'symbols/[0-9a-f-]+: damaged at byte [0-9]+ \(remove it\)'
rm "$file" && mkfifo "$file"
run 1 timeout 10 "$hpcprof" text --all both
check "a FIFO in its place is not waited for" says err 'not a file of names'

# A comparison with another build.
compile '' && "$hpcrun" -q -o before ./program
compile "$another" && "$hpcrun" -q -o after ./program
"$hpcprof" diff -q --all --json before after >diff.json
is "functions of two builds are compared by name" \
	"$(lib rows.py functions 'f["before"] > 0 and f["after"] > 0 and f["name"] in ("first", "inlined")' <diff.json)" \
	"first inlined"

# What cannot be packed.
mkdir empty
run 3 "$hpcprof" pack before/*.csp
check "pack takes directories" says err 'program.*csp: not a directory \(name that of the datafiles\)'
check "a directory without datafiles has no names" run 3 "$hpcprof" pack empty
check "nor has one that is not there" run 3 "$hpcprof" pack nonesuch
check "of two, the other one is packed" run 1 "$hpcprof" pack empty before

# The launcher.
mkdir -p alone/bin && cp "$hpcrun" alone/bin && cp -r "$BUILD/lib" alone/
check "without hpcprof, hpcrun keeps none and says nothing" \
	eval 'alone/bin/hpcrun -o nobody ./program 2>said && [ "$(wc -l <said)" = 1 ]'
printf '#!/bin/sh\nexit 3\n' >alone/bin/hpcprof && chmod +x alone/bin/hpcprof
check "if hpcprof fails, that is said, and the status is that of the command" \
	eval 'alone/bin/hpcrun -o nobody sh -c "exit 7" 2>said; [ $? = 7 ] && says said "not all names were kept.*hpcprof pack nobody"'
printf '#!/bin/sh\necho $$ >packing; exec sleep 50\n' >alone/bin/hpcprof
alone/bin/hpcrun -o ended sh -c 'exit 7' 2>said &
launcher=$!
for _ in $(seq 200); do [ -s packing ] && break; sleep 0.05; done
kill -TERM $launcher
for _ in $(seq 400); do kill -0 $launcher 2>/dev/null || break; sleep 0.05; done
check "a signal to hpcrun is passed to the packing" eval '! kill -0 $launcher 2>/dev/null'
wait $launcher
is "then the status is that of the command" "$?" 7
check "the packing is gone" eval '! kill -0 "$(cat packing)" 2>/dev/null'
check "and hpcrun says no more" eval '[ "$(wc -l <said)" = 1 ]'
done_testing
