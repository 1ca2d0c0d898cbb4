#!/bin/bash
# Functions of Python programs in call paths: names, lines, shares, threads, processes. All of it for the
# system's interpreter, a part of it for those of PYTHONS (tests/lib/shell/pythons.sh).
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/pythons.sh"

programs=$top/tests/python
export PYTHONPATH=$programs PYTHONDONTWRITEBYTECODE=1
cc=${CC:-gcc}

# measured DIR COMMAND...: what it prints is in DIR.out.
measured() {
	local dir=$1
	shift
	rm -rf "$dir" "$dir.folded"
	timeout 60 "$hpcrun" -q -o "$dir" ${options[@]+"${options[@]}"} "$@" >"$dir.out" 2>&1
}
options=()
folded() { # folded DIR [METRIC]: its paths, into DIR.folded
	"$hpcprof" export -q --format folded -m "${2:-CPUTIME}" "$1" >"$1.folded"
}
# ms DIR REGEX: of paths that match.
ms() {
	path=$2 awk '$0 ~ ENVIRON["path"] { s += $NF } END { printf "%.0f\n", s / 1e6 }' "$1.folded"
}
# near NAME DIR REGEX MS: within a twelfth and 12 ms. What begins and ends is not all seen.
near() {
	local got
	got=$(ms "$2" "$3")
	if [ $((12 * got)) -ge $((11 * $4 - 144)) ] && [ $((12 * got)) -le $((13 * $4 + 144)) ]; then
		ok "$1: $4 ms"
	else
		not_ok "$1: $4 ms" "$got ms in paths like $3
$(sort -t' ' -n -k2 "$2.folded" | tail -5 | cut -c1-1000)"
	fi
}
complete() { # complete NAME DIR...
	check "$1: 99% of the paths are complete" lib paths.py "${@:2}"
}
# of_python NAME DIR: each native frame that runs Python was found to run some.
of_python() {
	check "$1: the interpreter's own frames are not shown" awk '
		/;_PyEval_EvalFrameDefault/ { bad += $NF } { all += $NF } END { print bad / all; exit !(all && bad <= 0.005 * all) }' "$2.folded"
}
# qualified VERSION LONG SHORT: the name that a function has there.
qualified() {
	case $1 in
	3.8 | 3.9 | 3.10) echo "$3" ;;
	*) echo "$2" ;;
	esac
}

# shares_are VERSION PYTHON SCALE
shares_are() {
	"$2" "$programs/shares.py" alone 0.01 >shares.alone
	measured shares "$2" "$programs/shares.py" truth "$3"
	is "$1: the program prints what it prints alone" "$(cat shares.out)" "$(cat shares.alone)"
	"$hpcprof" db -q -o "shares-$1.db" shares
	check "$1: functions of all kinds have their share, and their names" \
		lib pythonshares.py truth "shares-$1.db" "$programs/shares.py"
	complete "$1" shares
	folded shares
	of_python "$1" shares
}

lines_are() { # lines_are VERSION PYTHON
	measured lines "$2" "$programs/lines.py" lines.truth
	"$hpcprof" db -q -o "lines-$1.db" lines
	check "$1: lines have their shares" lib pythonlines.py "$programs/lines.py" lines.truth "lines-$1.db"
	complete "$1: lines.py" lines
}

# Each thread waits half of the time for the other one.
waits_for_the_lock() {
	options=(-e REALTIME)
	measured gil "$2" "$programs/gil.py"
	options=()
	folded gil BLOCKED
	local name waits
	name=$(qualified "$1" 'Thread\.run' run)
	waits=$(ms gil ";$name;computes;\[waiting for the GIL\] ")
	check "$1: a wait for the GIL is below the function that waits ($waits ms)" test "$waits" -ge 200
	is "$1: and it is the innermost frame" "$(grep 'waiting for the GIL' gil.folded | grep -vc 'waiting for the GIL\] [0-9]*$')" 0
}

has_interpreters() {
	"$1" -c 'try:
    import _interpreters
except ImportError:
    import _xxsubinterpreters' 2>/dev/null
}
runs_interpreters() {
	has_interpreters "$2" || { skip "$1: further interpreters" "this Python has no module for them"; return; }
	measured interpreters "$2" "$programs/interpreters.py"
	folded interpreters
	for each in one two thread; do
		near "$1: interpreter $each" interpreters ";in_$each;spin[ ;]" 150
	done
	case $1 in
	3.8 | 3.9) skip "$1: interpreters: 99% of the paths are complete" \
		"it does not say which one runs while a thread waits in it" ;;
	*) complete "$1: interpreters" interpreters ;;
	esac
}

starts_processes() { # starts_processes VERSION PYTHON WAY...
	local way
	for way in "${@:3}"; do
		measured "$way" "$2" "$programs/processes.py" "$way"
		is "$1: $way: it ends as it should" "$? $(sort "$way.out" | uniq -c | xargs)" \
			"0 $(case $way in mp-fork) echo '1 [100, 100, 100, 100]' ;; mp-*) echo '4 0' ;; esac)"
		folded "$way"
		near "$1: $way: in four processes" "$way" ';works;outer;inner;spin[ ;]' 400
	done
	complete "$1: processes" "${@:3}"
}

# of VERSION WHAT: what sysconfig says.
of() {
	"$1" -c 'import sys, sysconfig
paths = {"include": sysconfig.get_path("include"), "libs": "-L%s -Wl,-rpath,%s -lpython%s%s" % (
    sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("LDVERSION"),
    " " + " ".join(sysconfig.get_config_var(v) or "" for v in ("LIBS", "SYSLIBS")))}
print(paths[sys.argv[1]])' "$2"
}
# with_headers VERSION PYTHON: what is compiled.
with_headers() {
	local include
	include=$(of "$2" include)
	if [ ! -e "$include/internal/pycore_pystate.h" ]; then
		skip "$1: where the interpreter has what" "its headers are not installed (libpython3-dev)"
		skip "$1: an interpreter in a program" "its headers are not installed (libpython3-dev)"
		return
	fi
	# shellcheck disable=SC2046
	check "$1: layout.c is compiled" $cc -w -I"$top" -I"$include" -I"$include/internal" -o layout "$programs/layout.c" \
		"$top/runtime/interpreters/cpython_layout.c"
	check "$1: the table of offsets is that of the headers" ./layout
	# shellcheck disable=SC2046
	if ! $cc -w -I"$include" -o with-python "$programs/embedded.c" -pthread $(of "$2" libs) 2>errors; then
		skip "$1: an interpreter in a program" "$(tail -1 errors)"
		return
	fi
	PYTHONHOME=$("$2" -c 'import sys; print(sys.base_prefix)') measured embedded ./with-python
	is "$1: an interpreter in a program: it ends well" "$? $(cat embedded.out)" '0 '
	folded embedded
	near "$1: what it runs" embedded ';<module>;in_main;spin[ ;]' 200
	near "$1: Python that was called by C that was called by Python" embedded ';<module>;calls;.*;called_back;spin[ ;]' 200
	near "$1: in a thread that Python did not make" embedded ';run_thread;.*;in_thread;spin[ ;]' 400
	complete "$1: an interpreter in a program" embedded
}

check "cpython_lines.c is compiled" $cc -shared -fPIC -O2 -I"$top" -o lines.so "$top/runtime/interpreters/cpython_lines.c"
mapfile -t pythons < <(pythons)
check "there are interpreters" test ${#pythons[@]} -ge 1
note "${pythons[*]}"
for each in "${pythons[@]}"; do
	version=${each%% *} interpreter=${each#* }
	if [ "$each" = "${pythons[0]}" ]; then
		system=$version
		shares_are "$version" "$interpreter" 0.6
		starts_processes "$version" "$interpreter" fork server mp-fork mp-spawn mp-forkserver
	else
		shares_are "$version" "$interpreter" 0.3
		starts_processes "$version" "$interpreter" fork
	fi
	check "$version: lines of the library's functions are those that the interpreter finds" \
		"$interpreter" "$programs/tables.py" ./lines.so 60
	lines_are "$version" "$interpreter"
	waits_for_the_lock "$version" "$interpreter"
	runs_interpreters "$version" "$interpreter"
	with_headers "$version" "$interpreter"
done

# ---- names and files

is "names have what they are in from 3.11 on" "$(sqlite3 "shares-$system.db" "SELECT function FROM functions
	WHERE function LIKE '%method' AND total_percent > 1")" "$(qualified "$system" Outer.Inner.method method)"
mkdir -p folder/package
cat >folder/package/__main__.py <<'EOF'
from spinning import outer
def works():
    outer(200)
works()
EOF
cp "$programs/spinning.py" folder/package/
cd folder || exit 1
measured ../module "$python" -m package
measured ../relative "$python" package/../package/__main__.py
measured ../command "$python" -c 'import spinning
def works():
    spinning.outer(200)
works()'
(echo 'def 函数(ms): return outer(ms)'; echo 'from spinning import outer') >'naïve 函数.py'
measured ../unicode "$python" -c 'exec(open("naïve 函数.py").read() + "\n函数(200)")'
echo '函数(200)' >>'naïve 函数.py'
measured ../unicode "$python" 'naïve 函数.py'
cd ..
for each in module relative command; do
	folded $each
	near "python3 ($each)" $each '<module>;works;outer;inner;spin[ ;]' 200
done
file_of() { # file_of DIR FUNCTION: as the program has it
	"$hpcprof" query --format csv "SELECT file, line FROM functions WHERE function = '$2'" "$1" | tail -n +2
}
is "-m: the file's path" "$(file_of module works)" "$PWD/folder/package/__main__.py,2"
is "a file's path is the interpreter's" "$(file_of relative works)" \
	"$("$python" -c 'import sys; print("/".join(["'"$PWD"'/folder"] * (sys.version_info >= (3, 9)) + ["package/../package/__main__.py"]))'),2"
is "-c: there is no file" "$(file_of command works)" '<string>,2'
folded unicode
near "names in any script" unicode '<module>;函数;outer;inner;spin[ ;]' 200
is "and their files'" "$(file_of unicode 函数)" "$PWD/folder/naïve 函数.py,1"

# ---- in a virtual environment

if "$python" -m venv --without-pip venv >venv.out 2>&1; then
	measured venv.data venv/bin/python3 "$programs/spinning.py"
	folded venv.data
	near "in a virtual environment" venv.data '<module>;outer;inner;spin[ ;]' 300
else
	skip "in a virtual environment" "$(tail -1 venv.out)"
fi

# ---- stacks that are switched

if "$python" -c 'import greenlet' 2>/dev/null; then
	"$python" "$programs/greenlets.py" >alone.out
	measured greenlets "$python" "$programs/greenlets.py"
	is "greenlets: it prints what it prints alone" "$(cat greenlets.out)" "$(cat alone.out)"
	folded greenlets
	near "greenlets: the first" greenlets ';first;(deep;)+spin[ ;]' 100
	near "greenlets: the second" greenlets ';second;(deep;)+spin[ ;]' 200
	near "greenlets: what is thrown into one" greenlets ';waits;spin[ ;]' 100
	near "greenlets: the main one" greenlets '<module>;spin[ ;]' 100
	is "greenlets: none is in another" "$(grep -c 'first;.*second;\|second;.*first;' greenlets.folded)" 0
else
	skip "greenlets" "python3-greenlet is not installed"
fi

# ---- ends

cat >killed.py <<'EOF'
import os, signal
from spinning import outer
def works():
    outer(400)
    os.kill(os.getpid(), getattr(signal, sys.argv[1]))
import sys
works()
EOF
for signal in SIGKILL SIGTERM; do
	measured killed-$signal "$python" killed.py $signal
	is "$signal: its status" "$?" "$([ $signal = SIGKILL ] && echo 137 || echo 143)"
	folded killed-$signal
	near "$signal: what was recorded is kept, with names" killed-$signal '<module>;works;outer;inner;spin[ ;]' 400
	is "$signal: and lines" "$("$hpcprof" query --format csv "SELECT line FROM lines WHERE function = 'works' AND
		metric = 'CPUTIME' ORDER BY total DESC LIMIT 1" killed-$signal | tail -1)" 4
done
cat >fails.py <<'EOF'
from spinning import outer
def fails():
    outer(50)
    raise KeyError("a message")
fails()
EOF
"$python" fails.py >alone.out 2>&1
alone=$?
measured fails "$python" fails.py
is "an exception that nobody catches" "$? $(cat fails.out)" "$alone $(cat alone.out)"

# ---- attached

if [ "$(uname -m)" = x86_64 ]; then
	cat >attached.py <<'EOF'
import os, threading, time
from spinning import spin
def thread_works():
    while not os.path.exists("go"): time.sleep(0.01)
    spin(300)
def works():
    while not os.path.exists("go"): time.sleep(0.01)
    spin(300)
threading.Thread(target=thread_works).start()
print("runs", flush=True)
works()
EOF
	"$python" attached.py >attached.out 2>&1 &
	pid=$!
	until_true grep -q runs attached.out
	timeout 60 "$hpcrun" attach -q -o attached "$pid" >said 2>&1 &
	tracer=$!
	until_true grep -q /libhpcrun "/proc/$pid/maps"
	sleep 0.5
	touch go
	wait "$pid"
	is "attached: it ends as it would" "$? $(cat attached.out)" '0 runs'
	wait "$tracer"
	folded attached
	near "attached: the main thread" attached '<module>;works;spin[ ;]' 300
	near "attached: another one" attached ';thread_works;spin[ ;]' 300
	complete attached attached
else
	skip "attached" "attach is for x86-64"
fi

# ---- functions are no unknown code, for which the mappings of the process are read

if strace -f -o log true 2>/dev/null; then
	strace -f -qq -e trace=openat -o log "$hpcrun" -q -o mapped "$python" -c 'sum(i * i for i in range(3000000))'
	is "the mappings of the process are not read" "$(grep -c '/maps"' log)" 0
else
	skip "the mappings of the process are not read" "strace is not there, or may not trace"
fi

# ---- a script that cannot be run

echo 'print(1)' >script.py
for mode in 644 755; do
	chmod $mode script.py
	"$hpcrun" -q -o script ./script.py >out 2>err || true
	check "a script of mode $mode that names no interpreter: what to type" says err 'hpcrun python3 \./script\.py$'
	"$hpcrun" -q -o script script.py 1 2 >out 2>err || true
	check "and one that is not in PATH" says err 'hpcrun: script.py: not found; .* hpcrun python3 script\.py \.\.\.$'
done
"$hpcrun" -q -o script nothing.py >out 2>err || true
is "none where there is no such file" "$(cat err)" 'hpcrun: nothing.py: not found'
done_testing
