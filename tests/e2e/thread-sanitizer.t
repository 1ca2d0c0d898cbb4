#!/bin/bash
# hpcprof's threads under ThreadSanitizer: several modules, resolved side by side.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

tsan=$BUILD/thread
if ! echo 'int main(void) { return 0; }' | gcc -fsanitize=thread -o probe -x c - 2>/dev/null || ! ./probe; then
	skip_all "the compiler has no ThreadSanitizer that runs here"
fi
check "hpcprof builds with ThreadSanitizer" \
	make -C "$top" --no-print-directory TSAN=1 OPT='-O0 -g' BUILD="$tsan" "$tsan/bin/hpcprof"
"$hpcrun" -q -e CPUTIME@f5000 -o data "$(program cxx)" 4 >/dev/null 2>&1
"$hpcrun" -q -e CPUTIME@f5000 -o data sh -c "echo 'int main(void) { return 0; }' >a.c; gcc -c a.c; ls -lR /usr/share/doc | sort | tail -1" >/dev/null
for threads in 1 4; do
	check "text view with $threads threads" sh -c "'$tsan/bin/hpcprof' -j $threads data >text.$threads 2>errors.$threads"
	check "ThreadSanitizer says nothing" sh -c "! grep -A20 ThreadSanitizer errors.$threads"
done
check "the same bytes" cmp text.1 text.4
done_testing
