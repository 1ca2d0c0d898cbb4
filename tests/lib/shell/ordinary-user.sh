# Sourced after measure.sh by the short and the long test of an ordinary user.

# as_user COMMAND...: with uid 65534, if we are root.
as_user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# rate DIR LEAST: samples per CPU second.
rate() {
	lib rate.py "$2" "$1"
}

# one_setting NAME SECONDS WRAPPER...: all checks, with the wrapper before hpcrun.
one_setting() {
	local name=$1 seconds=$2 status
	shift 2
	check "$name: a program can be measured" as_user timeout 60 "$@" tool/bin/hpcrun \
		-q -o "user/$name" sh -c "exec ./truth 2000 >'user/$name.truth'"
	check "$name: 900 samples per CPU second" rate "user/$name"/truth.* 900
	check "$name: shares are right, kernel time included" \
		lib shares.py chance "user/$name.truth" "user/$name"/truth.*
	check "$name: the account adds up" lib account.py "user/$name"

	as_user timeout $((seconds + 60)) "$@" tool/bin/hpcrun -q -o "user/$name-eintr" \
		./eintr "$seconds" >"$name.calls"
	status=$?
	note "call, made, cut short:"
	note "$(cat "$name.calls")"
	is "$name: no restartable call is cut short, and no sleeper woken" "$status" 0
	# If not waking conflicts with 900 samples, not waking has priority: only note the rate.
	note "$(rate "user/$name-eintr"/eintr.* 0)"
}

# ordinary_user SECONDS
ordinary_user() {
	mkdir -m 777 user
	mkdir tool
	cp -r "$BUILD/bin" "$BUILD/lib" tool/
	cp "$(program truth)" "$(program eintr)" "$(program noperf)" "$(program bursts)" .
	note "perf_event_paranoid is $(cat /proc/sys/kernel/perf_event_paranoid)"
	one_setting plain "$1"
	one_setting no-perf "$1" ./noperf
	# It computes before it waits: its first samples need no event.
	check "no-perf: a program that computes, and then waits" as_user ./noperf tool/bin/hpcrun -q \
		-o user/refused -e CPUTIME@f1000 ./bursts 20000 2000 20
	is "no-perf: what the kernel has refused is not named as a source" \
		"$("$hpcprof" dump user/refused/*.csp | grep -o 'key "source".*' | sort -u)" 'key "source"  value "thread timers"'
	if as_user unshare -U true 2>/dev/null; then
		one_setting namespace "$1" unshare -U
	else
		skip "namespace: all of it" "the kernel gives no user namespace"
	fi
}
