#!/bin/bash
# What the sampling handler can reach, from the runtime's objects: nothing of the C
# library but a few functions that take no lock and allocate nothing.
. "$(dirname "$0")/../lib/shell/tap.sh"

reachable=$top/tests/lib/check/reachable.py
cc=${CC:-gcc}

# Pure functions of numbers; the loader's lookup, which is made for handlers; constant texts.
pure='__popcountdi2 __errno_location _dl_find_object pthread_self pthread_getspecific strerrordesc_np __libc_stack_end'
# A store into the thread, as long as the key is one of the first (csprof_thread_end_later).
keys='pthread_setspecific'
# Async-signal-safe by POSIX, or the bare system call; a look into memory that never changes.
system='__sigaction getauxval'
# Addresses that the linker defines.
linker='__ehdr_start etext'

names() { # names OPTION NAME...
	local option=$1 name
	shift
	for name; do printf '%s %s ' "$option" "$name"; done
}

# ---- the check itself must see a call of malloc, however it is hidden -----------
cat >hidden.c <<'END'
#include <stdlib.h>
struct ops { void *(*plain)(void); void *(*take)(size_t); };
static void *take(size_t n) { return malloc(n); }
static void *plain(void) { return NULL; }
static const struct ops table = {plain, take};
static const struct ops *current;
const struct ops *const all[] = {&table, NULL};
void choose(void) { current = &table; }
__attribute__((noinline)) static void *inner(const struct ops *ops) { return ops->take(1); }
void *by_variable(void) { return inner(current); }
void *by_table(int i) { return all[i]->plain(); }
void *by_call(void) { return take(2); }
void *by_tail(size_t n) { return malloc(n); }
int harmless(int n) { return n + 1; }
END
$cc -O2 -fPIC -c -o hidden.o hidden.c || exit 1
for root in by_variable by_table by_call by_tail; do
	if "$reachable" --root $root hidden.o >out 2>&1; then
		not_ok "malloc is found behind $root" "$(cat out)"
	else
		is "malloc is found behind $root" "$(grep -c 'not allowed: .*malloc$' out)" 1
	fi
done
check 'harmless code passes' "$reachable" --root harmless hidden.o
check 'what is allowed passes' "$reachable" --root by_call --allow malloc hidden.o
if "$reachable" --root nothing hidden.o >out 2>&1; then
	not_ok 'a root that is not there is told' "$(cat out)"
else
	ok 'a root that is not there is told'
fi

# ---- the handler ------------------------------------------------------------------
# All that the library is linked of. Each C file that was compiled into it is a symbol there.
mapfile -t objects < <(cd "$top" && xargs -r realpath <"$BUILD/runtime-obj/linked")
is "the objects looked at are those of the library" \
	"$(for object in "${objects[@]}"; do
		source=${object#*/runtime-obj/}
		[ ! -e "$top/${source%.o}.c" ] || basename "${source%.o}.c"
	done | sort)" \
	"$(readelf -sW "$BUILD/lib/libhpcrun.so" |
		awk '$4 == "FILE" && $8 ~ /\.c$/ && $8 !~ /^crtstuff/ { print $8 }' | sort)"
# A driver is reached through the state of a thread, in memory that no object shows:
# all of them are roots. To start is not the handler's, but for those that say so.
excluded=$(for unit in task_clock itimer; do names --not $unit:start; done)
# shellcheck disable=SC2046,SC2086
if "$reachable" --root csprof_signal_handler --root csprof_samplings --root csprof_cpu $excluded \
	$(names --allow $pure $keys $system $linker) "${objects[@]}" >out 2>&1; then
	ok 'the handler reaches only what is safe in a handler'
else
	not_ok 'the handler reaches only what is safe in a handler'
fi
note "$(cat out)"

# ---- what programs call in their handlers ---------------------------------------------
# POSIX allows these there, so the wrappers look nothing up.
wrappers='sigprocmask pthread_sigmask sigaction signal sigpending sigset sigaltstack'
# shellcheck disable=SC2046,SC2086
if "$reachable" $(names --root $wrappers csprof_fault_handler) $excluded \
	$(names --allow $pure $keys $system $linker) "${objects[@]}" >out 2>&1; then
	ok 'so do the handler of faults, and what may be called in handlers of the program'
else
	not_ok 'so do the handler of faults, and what may be called in handlers of the program'
fi
note "$(cat out)"

# ---- what it takes from other libraries --------------------------------------------------
imported() { # imported LIBRARY
	nm -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u
}
is 'the library takes from others what runtime/imports lists' "$(imported "$BUILD/lib/libhpcrun.so")" \
	"$(grep -v "$([ "$(uname -m)" = aarch64 ] && echo '; x86-64 only' || echo '; AArch64 only')" "$top/runtime/imports" |
		sed 's/#.*//; s/ .*//; /^$/d' | sort -u)"
if [ -e "$BUILD/lib/libhpcrun-marks.so" ]; then
	is 'and so does the library that marks' "$(imported "$BUILD/lib/libhpcrun-marks.so")" \
		"$(imported "$BUILD/lib/libhpcrun.so")"
fi
done_testing
