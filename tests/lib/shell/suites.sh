# Sourced after measure.sh: test suites of other projects, run alone and measured at 5000 samples a
# second, or by $suite_events. Where a test differs both are run again, up to ROUNDS (5) times: it counts
# as different if in most of them it came to what it never came to alone. SUITES names those to run.
. "$top/tests/lib/shell/sources.sh"

suites=${SUITES:-python tcl perl leveldb}
rounds=${ROUNDS:-5}
export HOME=$scratch
# As after a login: one of python's tests wants to see no descriptor below it but its own.
ulimit -Sn 1024

# run_suite NAME ROUND WAY FOLDER REPORT COMMAND...: once, WAY being alone or measured; the
# report is then NAME.WAY.ROUND, the data data-NAME-ROUND.
run_suite() {
	local name=$1 round=$2 way=$3 folder=$4 report=$5 before=() run=$1.$3.$2
	shift 5
	[ "$way" = alone ] || before=("$hpcrun" -e "${suite_events:-CPUTIME@f5000}" -o "$scratch/data-$name-$round")
	(cd "$folder" && timeout 900 "${before[@]}" "$@" </dev/null) >"$run.out" 2>"$run.err"
	echo $? >"$run.status"
	if [ "$report" = - ]; then
		mv "$run.out" "$run"
	else
		mv "$folder/$report" "$run" 2>/dev/null || : >"$run"
	fi
}

# suite NAME FOLDER REPORT COMMAND...: runs COMMAND in FOLDER; its report is then in REPORT
# (relative to FOLDER), or is what it prints if REPORT is -.
suite() {
	local name=$1 round status begin=$SECONDS
	shift
	for round in $(seq "$rounds"); do
		run_suite "$name" "$round" alone "$@"
		run_suite "$name" "$round" measured "$@"
		lib outcomes.py "$rounds" "$name" >outcomes 2>&1
		status=$?
		[ $status = 3 ] || break
	done
	is "$name: every test comes to the same" "$status" 0
	note "$(head -100 outcomes)"
	note "$(grep -ah '^hpcrun: ' "$name".measured.*.err | sed "s#$scratch/##")"
	check "$name: the accounts add up" lib account.py "data-$name-"*
	note "$name: $round rounds, $((SECONDS - begin)) s"
	rm -rf "data-$name-"*
}

suites_python() {
	local module
	"$python" -c 'import test.test_threading' 2>/dev/null || {
		skip "python's suites" "libpython3.11-testsuite is missing"
		return
	}
	mkdir python
	# Not those of virtual machines' sockets: they wait for an answer for ever where there
	# is a device of that name and nobody behind it.
	for module in threading signal subprocess select socket os asyncio multiprocessing_fork \
		multiprocessing_spawn; do
		suite "python-$module" python report.xml "$python" -m test --junit-xml=report.xml \
			-i '*VSOCK*' -v "test_$module"
	done
}

suites_tcl() {
	if ! command -v tclsh8.6 >/dev/null || ! fetch_sources tcl8.6; then
		skip "Tcl's suite" "no tclsh8.6, or no source: $(tail -1 fetched 2>/dev/null)"
		return
	fi
	suite tcl sources/tcl8.6 - tclsh8.6 tests/all.tcl -verbose 'pass skip body error' -tmpdir "$scratch" \
		-file 'exec.test io.test ioCmd.test chan.test chanio.test socket.test thread.test
			event.test timer.test fCmd.test unixInit.test pid.test async.test main.test interp.test'
}

# The interpreter is the system's, its tests those of the same version's source; these ask
# for it as ./perl, and for its library beside them.
suites_perl() {
	local part
	if ! fetch_sources perl; then
		skip "perl's suite" "no source: $(tail -1 fetched)"
		return
	fi
	for part in $(perl -MConfig -e 'print "$Config{privlib} $Config{archlib}"') \
		"$(dirname "$(perl -MConfig -e 'print $INC{"Config.pm"}')")"; do
		cp -aL "$part/." sources/perl/lib/
	done
	ln -sf "$(command -v perl)" sources/perl/perl
	ln -sf "$(command -v perl)" sources/perl/t/perl
	# shellcheck disable=SC2016
	suite perl sources/perl/t - sh -c 'exec prove -v -e ./perl io/*.t op/fork.t op/alarm.t op/exec.t \
		op/sleep.t op/kill0.t op/die_exit.t op/die_keeperr.t op/threads.t op/sigdispatch.t \
		op/sigsystem.t op/magic.t op/sselect.t op/readline.t op/sysio.t op/getppid.t op/goto.t op/sort.t'
}

# A C++ library whose tests are googletest's.
suites_leveldb() {
	local tests="env_test env_posix_test fault_injection_test recovery_test cache_test skiplist_test
		corruption_test db_test"
	if ! command -v cmake >/dev/null || ! fetch_sources leveldb; then
		skip "leveldb's suite" "no cmake, or no source: $(tail -1 fetched 2>/dev/null)"
		return
	fi
	mkdir leveldb
	# shellcheck disable=SC2086
	if ! (cd leveldb && cmake -DCMAKE_BUILD_TYPE=Release -DLEVELDB_BUILD_BENCHMARKS=OFF \
		../sources/leveldb && make -j2 $tests) >built 2>&1; then
		skip "leveldb's suite" "it does not build: $(grep -m1 -i error built)"
		return
	fi
	export BENCHMARK_FILTER=none # db_test would run its benchmarks behind its tests
	for name in $tests; do
		suite "$name" leveldb report.xml "./$name" --gtest_output=xml:report.xml --gtest_filter=-*Sparse*
	done
}

all_suites() {
	local suite
	for suite in $suites; do
		"suites_$suite"
	done
}
