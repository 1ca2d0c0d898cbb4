#!/bin/bash
# A program that was replaced after it was measured: its old addresses get no names of the new one,
# and that is said, also where the linker wrote no build-id.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
unset HPCRUN_BUDGET

cat >work.c <<'END2'
#include <time.h>
static volatile double sink;
__attribute__((noinline)) static void before(void)
{
	EXTRA
}
__attribute__((noinline)) static void busy(double cpu)
{
	struct timespec now;
	do {
		for (int i = 0; i < 1000; i++)
			sink = sink + i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec + now.tv_nsec * 1e-9 < cpu);
}
int main(void)
{
	before();
	busy(0.1);
	return 0;
}
END2

# compile EXTRA OPTION...: the program, in which before does EXTRA.
compile() {
	local extra=$1
	shift
	"${CC:-gcc}" -O1 -g -DEXTRA="$extra" -o program "$@" work.c
}

# reads STATUS PATTERN ARGUMENT...: hpcprof text ends so, and a line of its report matches.
reads() {
	local status=$1 pattern=$2
	shift 2
	run "$status" "$hpcprof" text --all -n 3 "$@" && says out "$pattern"
}

for id in none sha1; do
	with=
	[ $id = sha1 ] || with=', without a build-id'
	compile 'sink = 1;' -Wl,--build-id=$id || exit 1
	check "a program is measured$with" "$hpcrun" -q -o $id ./program
	check "its functions have names$with" reads 0 "  busy " $id
	cp program original
	strip program
	check "a stripped copy is the same program$with" reads 0 'program\+0x' $id
	mkdir -p "root$scratch"
	cp original "root$scratch/program"
	check "so is the original below --sysroot, which has the names$with" \
		reads 0 "  busy " --sysroot root $id
	compile 'for (int i = 0; i < 100; i++) sink = sink * 2 + 1;' -Wl,--build-id=$id || exit 1
	check "another build gives no names, with status 1$with" reads 1 'program\+0x' $id
	check "it gives no wrong names$with" eval '! says out "  busy|before" >/dev/null'
	check "that is said$with" says err '^hpcprof: /.*/program: not the file that was measured .*--sysroot'
	check "the report says why$with" says out 'changed on disk since it was measured'
	check "the original below --sysroot still gives names$with" \
		reads 0 "  busy " --sysroot root $id
	rm -f program
done

compile 'sink = 1;' -Wl,--build-id=none || exit 1
"$hpcrun" -q -o dumped ./program
check "the datafile says what the program was" \
	eval '"$hpcprof" dump dumped/*.csp >dump && says dump "build_id \"content:[0-9a-f]{16}\""'

# More than three are counted. They are large: only a part of their contents is read.
cat >many.c <<'END2'
#define CODE(n) int f##n(int x) { return x * n + 1; }
#define TEN(n) CODE(n##0) CODE(n##1) CODE(n##2) CODE(n##3) CODE(n##4) CODE(n##5) CODE(n##6) CODE(n##7) CODE(n##8) CODE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6) HUNDRED(7) HUNDRED(8) HUNDRED(9)
const char large[SIZE] = "x";
static volatile double sink;
__attribute__((noinline)) void busy_in_library(void)
{
	for (int i = 0; i < 20000000; i++)
		sink = sink + i;
}
END2
cat >loads.c <<'END2'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void (*f)(void) = (void (*)(void))dlsym(dlopen(argv[i], RTLD_NOW), "busy_in_library");
		f();
	}
	return argc < 6;
}
END2
"${CC:-gcc}" -O1 -g -o loads loads.c || exit 1
for n in 1 2 3 4 5; do
	"${CC:-gcc}" -O1 -g -shared -fPIC -DSIZE=1000000 -Wl,--build-id=none -o lib$n.so many.c || exit 1
done
check "five large libraries are measured" "$hpcrun" -q -o many ./loads ./lib?.so
check "they are read" reads 0 busy_in_library many
for n in 1 2 3 4 5; do
	"${CC:-gcc}" -O1 -g -shared -fPIC -DSIZE=1000001 -Wl,--build-id=none -o lib$n.so many.c || exit 1
done
check "with another size of its data each is noticed" reads 1 'lib5.so\+0x' -n 9 many
is "three of five others are named, and two counted" \
	"$(grep -c 'so: not the file' err), $(grep -oE '[0-9]+ more load modules.*' err)" \
	"3, 2 more load modules are not the files that were measured"

cat >forks.c <<'END2'
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	for (volatile long i = 0; i < 50000000; i++)
		;
	if (fork() == 0)
		for (volatile long i = 0; i < 50000000; i++)
			;
	wait(NULL);
	return 0;
}
END2
"${CC:-gcc}" -O1 -g -Wl,--build-id=none -o forks forks.c || exit 1
"$hpcrun" -q -o forked ./forks
for datafile in forked/*.csp; do
	"$hpcprof" dump "$datafile" | grep -oE 'content:[0-9a-f]+'
done | sort -u >contents
is "a forked child's says the same" "$(ls forked/*.csp | wc -l) datafiles, $(wc -l <contents) content" \
	"2 datafiles, 1 content"
done_testing
