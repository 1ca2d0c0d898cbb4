#!/bin/bash
# What a Python program says of itself by runtime/hpcrun.py. PYTHONS: interpreters to test, the system's if it
# is not set.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

export PYTHONPATH=$top/runtime PYTHONDONTWRITEBYTECODE=1

cat >spin.py <<'END'
import time

def spin(ms):
    end = time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID) + ms / 1000
    while time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID) < end:
        pass
END
cat >regions.py <<'END'
import sys, threading
import hpcrun
from spin import spin

def inner():
    with hpcrun.region("inner"):
        spin(100)

@hpcrun.region("decorated")
def decorated(fail):
    """what it does"""
    spin(50)
    if fail:
        raise ValueError

def sort_key(x):
    with hpcrun.region("key"):
        spin(20)
    return x

with hpcrun.region("outer"):
    inner()
    spin(100)
    inner()
for fail in False, True:
    try:
        decorated(fail)
    except ValueError:
        pass
sorted(range(5), key=sort_key)
thread = threading.Thread(target=inner)
thread.start()
thread.join()
spin(100)
for _ in range(1000):
    with hpcrun.region("é often"):
        pass
print(hpcrun.measured, decorated.__doc__)
END
cat >labels.py <<'END'
import asyncio, concurrent.futures
import hpcrun
from spin import spin

async def step(ms):
    spin(ms)
    await asyncio.sleep(0)

async def serve(ms):
    for _ in range(4):
        await step(ms)
    return ms

async def both():
    with_labels = asyncio.ensure_future(hpcrun.labelled(serve(25), request=1, kind="a"))
    others = [hpcrun.labelled(serve(50), request=2), serve(25)]
    print(await asyncio.gather(with_labels, *others))

async def fails():
    await asyncio.sleep(0)
    raise KeyError("x")

async def cancelled():
    task = asyncio.ensure_future(hpcrun.labelled(asyncio.sleep(100), request=3))
    await asyncio.sleep(0.01)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled")

def run(coroutine):
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(coroutine)
    finally:
        loop.close()

run(both())
try:
    run(hpcrun.labelled(fails(), request=4))
except KeyError as e:
    print(e)
run(cancelled())
with hpcrun.label("request", 17):
    spin(100)
    with hpcrun.label("request", "text"):
        spin(100)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(spin, 100).result()
hpcrun.label_set("request", 2**70)
spin(100)
hpcrun.label_clear("request")
spin(100)
END
cat >metrics.py <<'END'
import sys
import hpcrun

done = hpcrun.Metric("DONE")
size = hpcrun.Metric("SIZE", "bytes")

def work(n):
    done.record()
    size.record(n)

def deep(n):
    if n:
        deep(n - 1)
    else:
        work(7)

def callback(x):
    work(x)
    return x

for i in range(100):
    work(i)
deep(100)
list(map(callback, range(10)))
for wrong in -1, 2**64, 1.5:
    try:
        size.record(wrong)
    except (ValueError, TypeError) as e:
        print(e)
for wrong in (), (1, 2), ("\ud800\0",):
    try:
        with hpcrun.region(*wrong):
            pass
    except TypeError as e:
        print(type(e))
print(hpcrun.Metric("CPUTIME").record(), hpcrun.Metric("DONE").record() == hpcrun.measured)
hpcrun.stop()
work(1000)
hpcrun.start()
with hpcrun.stopped():
    work(1000)
END
cat >misuse.py <<'END'
import hpcrun
for scope in hpcrun.region("x"), hpcrun.label("x", 1):
    try:
        @scope
        def generator():
            yield 1
    except TypeError as e:
        print(e)
END

# of METRIC DATA: the sum of a metric by regions in each other.
of() {
	"$hpcprof" export -q --format folded -m "$1" "$2" |
		awk '{ n = $NF; sub(/ [0-9]*$/, ""); m = split($0, f, ";"); k = ""
				for (i = 1; i <= m; i++) if (sub(/^\[region\] /, "", f[i])) k = k "/" f[i]
				of[k] += n }
			END { for (k in of) printf "%s %d\n", k, of[k] }' | LC_ALL=C sort
}
# times DATA: CPU time by regions, in units of 100 ms.
times() {
	of CPUTIME "$1" | awk '{ n = $NF; sub(/ [0-9]*$/, ""); if (n >= 3e7) printf "%s %.0f\n", $0, n / 1e8 }'
}
by_label() { # KEY DATA
	"$hpcprof" export -q --format folded -m CPUTIME --group-by "$1" "$2" | grep -v 'import\|site' |
		awk '{ n = $NF; sub(/;.*/, ""); of[sub(/^\[label\] [^=]*=/, "") ? $0 : "-"] += n }
			END { for (k in of) printf "%s %.0f\n", k, of[k] / 1e8 }' | LC_ALL=C sort
}
no_import='import sys, hpcrun; print(hpcrun.measured, "ctypes" in sys.modules)'

for python in ${PYTHONS:-$python}; do
	version=$("$python" -c 'import sys; print("Python %d.%d" % sys.version_info[:2])')
	rm -rf of-*
	is "$version: without hpcrun nothing is there" "$("$python" -c "$no_import" 2>&1)" 'False False'
	for script in regions labels metrics; do
		"$python" $script.py >$script.alone 2>&1
		timeout 100 "$hpcrun" -q -o of-$script "$python" $script.py >$script.out 2>&1
		sed -i '1s/^True/False/' $script.out
		check "$version: $script.py prints what it prints alone" cmp $script.alone $script.out
	done
	is "$version: time by regions" "$(times of-regions | grep /)" '/decorated 1
/inner 1
/key 1
/outer 1
/outer/inner 2'
	is "$version: each entry is counted" "$(of ENTRIES of-regions)" '/decorated 2
/inner 1
/key 5
/outer 1
/outer/inner 2
/é often 1000'
	is "$version: and each has its end" "$(of UNBALANCED of-regions 2>&1 | grep -c '[0-9]$')" 0
	# of 3.8 to 3.13 functions are seen, else the interpreter's frames
	owners='<module>;[region] decorated
<module>;[region] outer
inner;[region] inner
sort_key;[region] key'
	recorder=work
	case ${version#* } in 3.[67])
		owners='_PyEval_EvalFrameDefault;[region]'
		recorder=_PyEval_EvalFrameDefault
		;;
	esac
	is "$version: a region is in the frame that it belongs to" \
		"$("$hpcprof" export -q --no-inline --format folded -m CPUTIME of-regions |
			grep -o '[^;]*;\[region\] [^;]*' | sed '/^_PyEval/s/ [^ ]*$//' | grep -v '^\[region\]\|often' |
			LC_ALL=C sort -u)" "$owners"
	is "$version: labels of coroutines, blocks and threads" "$(by_label request of-labels | grep -v '^-')" \
		"1 1
1180591620717411303424 1
17 2
2 2
text 1"
	is "$version: each with all of its own" "$(by_label kind of-labels | grep -v '^-')" 'a 1'
	is "$version: what was recorded" "$(of DONE of-metrics) $(of SIZE of-metrics)" ' 112  5002'
	is "$version: at the function that records it" "$("$hpcprof" export -q --no-inline --format folded -m SIZE of-metrics |
		grep -vc ";$recorder [0-9]*$")" 0
	for before in "" "$hpcrun -q -o of-misuse"; do
		$before "$python" misuse.py >out 2>&1
		is "$version: a function that is suspended cannot be in one${before:+, measured}" \
			"$(grep -c '^generator() is suspended' out) $(wc -l <out)" '2 2'
	done
done
done_testing
