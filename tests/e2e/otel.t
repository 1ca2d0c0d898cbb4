#!/bin/bash
# What programs publish with OpenTelemetry, as labels: attributes of the process and of threads' contexts.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/labels.sh"

otel=$BUILD/programs/otel

measure() { # DATA ARGUMENTS
	timeout 60 "$hpcrun" -q -e CPUTIME@f2000 -o "$@" >said 2>said.err
	is "$1: the program ends as alone" "$? $(cat said said.err)" '0 done'
}
# A context's attributes are those of all that the threads did while they had it.
is_served() { # NAME DATA
	is_by "$1" route "$2" '/a 38' '/b 38' '- 24'
}

measure own "$otel"
is_served 'threads and their contexts, of a variable of the program' own
is_by 'a number' user own '1 38' '2 38' '- 24'
is_by 'and the name of the service' service.name own 'shop 100'
is 'identifiers are left out' "$(by trace_id own; by span_id own; by local_root_span_id own)" '- 100
- 100
- 100'
is 'and other attributes of the process' "$(by service.version own; by telemetry.sdk.language own)" '- 100
- 100'
measure asked --otel ids,service.version "$otel"
is_by 'they can be asked for' trace_id asked 'abababababababababababababababab 76' '- 24'
is_by 'the span' span_id asked '0000000000000001 38' '0000000000000002 38' '- 24'
is_by 'and an attribute that is one' local_root_span_id asked 'abcdef 76' '- 24'
is_by 'and what is said of the process' service.version asked '12 100'
is 'instead of its name' "$(by service.name asked)" '- 100'
measure nothing --otel none "$otel"
is 'nothing is asked for' "$(by route nothing; by service.name nothing)" '- 100
- 100'
measure process --otel service.name,service.version "$otel"
is 'only of the process' "$(by route process; by service.version process | grep -c '^12 ')" '- 100
1'
HPCRUN_OTEL=service.version measure variable "$otel"
is_by 'by the variable' service.version variable '12 100'
"$hpcrun" --otel traces true >said 2>&1
is 'a word that is none' "$? $(cat said)" \
	"125 hpcrun: --otel 'traces': expected thread, ids, none or the key of an attribute"

measure early "$otel" early
is_served 'as early publishers have it' early
measure found "$otel" found
is_served 'the program does not name the memory by libc' found
measure other "$otel" other
is 'contexts that are not as described' "$(by route other)" '- 100'
measure later "$otel" later
is_by 'a key that is added' third later 'x 67' '- 33'
is_by 'and another one' fourth later 'y 33' '- 67'
measure broken "$otel" broken
is_by 'records that are none, and memory that is not there' route broken '/ok 60' '- 40'
measure forked "$otel" fork
is_by 'a child before it publishes' route forked '/p 67' '- 33'
is_by 'and then' kind forked '/p 33' '- 67'

# Libraries, by how they refer to the variable.
cat >library.c <<'END2'
__attribute__((visibility("default"))) __thread void *volatile otel_thread_ctx_v1;
void set(void *record);
void set(void *record) { otel_thread_ctx_v1 = record; }
END2
case $(uname -m) in
x86_64) dialects='-mtls-dialect=gnu -mtls-dialect=gnu2' ;;
*) dialects='-mtls-dialect=trad -mtls-dialect=desc' ;;
esac
gcc -D_GNU_SOURCE -O2 -g -I"$top" -o plain "$top/tests/programs/otel.c" -lm
for how in $dialects -ftls-model=initial-exec -Wl,--hash-style=sysv; do
	# shellcheck disable=SC2086
	gcc -O2 -g -fPIC -shared $how -o "library$how.so" library.c
	measure "late$how" ./plain threads "$PWD/library$how.so"
	is_served "a library that is loaded late, $how" "late$how"
	LD_PRELOAD="$PWD/library$how.so" measure "first$how" ./plain threads "$PWD/library$how.so"
	is_served "one that is loaded at the start, $how" "first$how"
done
# A library that gets the number of one that was unloaded.
gcc -O2 -g -fPIC -shared "${dialects%% *}" -Dotel_thread_ctx_v1=another -o libraryother.so library.c
measure replaced ./plain replace "$PWD/libraryother.so" "$PWD/library${dialects%% *}.so"
is_by 'a block of an unloaded library is not read' route replaced '/new 50' '- 50'
# What goes wrong in the loader is the program's, and what goes on in other threads is no matter.
echo 'int not_there(void); int use(void); int use(void) { return not_there(); }' >undefined.c
gcc -fPIC -shared -o undefined.so undefined.c
measure failed "$otel" fail "$PWD/undefined.so"
measure storm ./plain storm "$PWD/library${dialects%% *}.so" "$PWD/libraryother.so" "$PWD/library${dialects##* }.so" \
	"$PWD/library${dialects%% *}.so"
done_testing
