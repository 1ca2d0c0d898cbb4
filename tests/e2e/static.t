#!/bin/bash
# Static programs that libhpcrun.a is linked into.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/following.sh"

cc=${CC:-gcc}
cxx=${CXX:-g++}
linked=@$BUILD/lib/libhpcrun.link
echo 'int main(void) { return 0; }' >nothing.c
$cc -static -o nothing nothing.c 2>/dev/null || skip_all "there is no static C library"

for kind in static static-pie; do
	follow=$scratch/follow-$kind
	check "-$kind: it links, without a word" sh -c "
		$cc -O2 -g -D_GNU_SOURCE -pthread -$kind -o $follow $top/tests/programs/follow.c $linked 2>&1 |
			grep . && exit 1; test -x $follow"
	mkdir -p "$kind"
	cd "$kind" || exit 1
	"$follow" 1 alone.report fork >alone.out 2>&1
	is "-$kind: it runs without hpcrun, too" "$? $(cat alone.out)" "0 "
	is "-$kind: and leaves nothing then" "$(ls)" "alone.out
alone.report"
	"$hpcrun" -q -o quiet "$follow" 1 quiet.report plain >quiet.out 2>&1
	is "-$kind: hpcrun has nothing to say of it" "$? $(cat quiet.out)" "0 "
	cd ..
done

# Both run what there is of following.t for a C library without a loader.
for kind in static static-pie; do
	follow=$scratch/follow-$kind
	mkdir -p "rows-$kind"
	cd "rows-$kind" || exit 1
	scratch=$PWD
	for way in plain exit _exit _Exit quick_exit exit_group-call thread-exit c11 cancel threads \
		main-thread-exit detached timer-threads queue-threads bad-exec; do
		followed 1 0 $way
	done
	for way in exec execve-empty fexecve execl fork _Fork clone clone-call clone-inline \
		vfork-exec spawn spawnp-empty daemon; do
		followed 2 0 $way
	done
	for way in fork-exec system system-empty popen; do
		followed 3 0 $way
	done
	followed 1 139 segv
	followed 1 137 kill
	followed 1 0 threads -t all
	scratch=${PWD%/*}
	cd ..
done

# Exceptions go through the unwinder that the program brings, and paths go to main.
cat >throws.cc <<'END'
#include <stdexcept>
#include <thread>
#include <vector>
#include <ctime>
static volatile unsigned sink;
__attribute__((noinline)) static void burn_and_throw(int depth)
{
	if (depth > 0) {
		burn_and_throw(depth - 1);
		sink++;
		return;
	}
	for (int i = 0; i < 200000; i++)
		sink += i;
	throw std::runtime_error("deep");
}
static void work()
{
	for (std::clock_t until = std::clock() + CLOCKS_PER_SEC / 2; std::clock() < until;)
		try {
			burn_and_throw(10);
		} catch (const std::runtime_error &) {
			sink++;
		}
}
int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back(work);
	for (auto &t : threads)
		t.join();
	return 0;
}
END
if $cxx -O2 -g -static -pthread -o throws throws.cc "$linked" 2>/dev/null; then
	"$hpcrun" -q -o throws.d ./throws >throws.out 2>&1
	is "exceptions in threads" "$? $(cat throws.out)" "0 "
	check "with whole paths" sh -c "'$hpcprof' --all throws.d | grep -q '100.0% of the [0-9]* recorded samples are complete'"
	check "and accounts that add up" lib account.py throws.d
else
	skip "exceptions" "there is no static C++ library"
fi

# The one who starts a program with other rights must not have a say in where it writes.
cat >privileged.c <<'END'
#include <stdio.h>
#include <sys/auxv.h>
#include <time.h>
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 5)
		;
	printf("%lu\n", getauxval(AT_SECURE));
	return 0;
}
END
check "a program that says whether it is privileged" $cc -static -o privileged privileged.c "$linked"
"$hpcrun" -q -o ordinary.d ./privileged >ordinary.out 2>&1
is "it is not, and is measured" "$(cat ordinary.out) $(find ordinary.d -name '*.csp' | wc -l)" "0 1"
if chown nobody privileged 2>/dev/null && chmod 4755 privileged && [ "$(./privileged)" = 1 ]; then
	mkdir -m 777 privileged.d
	"$hpcrun" -q -o privileged.d ./privileged >privileged.out 2>&1
	is "one that is setuid goes on as alone" "$? $(tail -1 privileged.out)" "0 1"
	is "and writes nothing" "$(find privileged.d -type f ! -name not-measured | wc -l)" 0
else
	skip "one that is setuid goes on as alone" "no file can be made setuid for another user here"
	skip "and writes nothing" "no file can be made setuid for another user here"
fi

# An installed archive is found where it is.
make -s -C "$top" install BUILD="$BUILD" PREFIX="$scratch/usr" >install.out 2>&1
is "an install holds the archive" "$? $(cd usr/lib && echo libhpcrun.*)" "0 libhpcrun.a libhpcrun.link libhpcrun.so"
check "a program links with it" $cc -static -o installed nothing.c "@$scratch/usr/lib/libhpcrun.link"
check "and is measured" sh -c "'$scratch/usr/bin/hpcrun' -q -o installed.d ./installed 2>&1 | grep . && exit 1
	ls installed.d/installed.*.csp"
done_testing
