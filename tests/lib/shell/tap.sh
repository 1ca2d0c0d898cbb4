# Sourced by the whole-tool tests: prints TAP. A test looks like this:
#
#     . "$(dirname "$0")/../lib/shell/tap.sh"
#     is "what it should be" "$got" "$expected"
#     check "it works" COMMAND...
#     done_testing
#
# Given: $top (the repository), $BUILD, $hpcrun and $hpcprof (absolute), and $scratch,
# a folder that is removed at the end. The working directory is $scratch.

set -u
export LC_ALL=C.UTF-8
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
BUILD=${BUILD:-build}
case $BUILD in
/*) ;;
*) BUILD=$top/$BUILD ;;
esac
hpcrun=$BUILD/bin/hpcrun
hpcprof=$BUILD/bin/hpcprof
scratch=$(mktemp -d "${TMPDIR:-/tmp}/hpctest.XXXXXX")
chmod 755 "$scratch"
trap 'rm -rf "$scratch"' EXIT
trap 'exit 143' TERM INT
export XDG_CACHE_HOME=$BUILD/cache # the cost of sampling on this machine is measured once
export HPCRUN_PACK=no # it takes time after each run; see packed.t
export HPCRUN_BUDGET=100 # tests that request many samples must get them; see budget.t
cd "$scratch" || exit 1

tap_count=0
tap_failed=0

# ok DESCRIPTION: a test point that succeeded.
ok() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

# not_ok DESCRIPTION [TEXT]: one that failed, and a description, which prove shows. With TAP_STOP in
# the environment the test ends there.
not_ok() {
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
	[ -z "${2:-}" ] || note "$2" >&2
	[ -z "${TAP_STOP:-}" ] || exit 1
}

# note TEXT: print each line as a TAP comment.
note() {
	printf '%s\n' "$1" | sed 's/^/# /'
}

# is DESCRIPTION GOT EXPECTED
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got:      $2
expected: $3"
	fi
}

# check DESCRIPTION COMMAND...: succeeds if the command does; its output is noted.
check() {
	local description=$1 output
	shift
	if output=$("$@" 2>&1); then
		ok "$description"
		[ -z "$output" ] || note "$output"
	else
		not_ok "$description" "$(printf '%s\n' "$*: status $?" "$output" | head -50)"
	fi
}

# skip DESCRIPTION REASON: a point that cannot be tested here.
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# skip_all REASON: nothing in this file can be tested here.
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# says FILE PATTERN: a line of FILE matches.
says() {
	grep -qE -- "$2" "$1" || {
		echo "no '$2' in:"
		cat "$1"
		return 1
	}
}

# run STATUS COMMAND...: output to ./out and ./err; checks the exit status.
run() {
	local want=$1 got
	shift
	timeout 60 "$@" >out 2>err </dev/null
	got=$?
	[ "$got" = "$want" ] || {
		echo "exit status $got in place of $want: $*"
		cat out err
		return 1
	}
}

# A command that does not exist would be a point that is never tested. The first handler is for a
# name, which bash may look up in a subshell; the second is for a path, outside functions and
# conditions.
command_not_found_handle() {
	echo "$1: command not found" | tee -a "$scratch/.not-found" >&2
	return 127
}
trap 'case $? in 126 | 127) echo "$BASH_COMMAND: status $?" >>"$scratch/.not-found" ;; esac' ERR

# done_testing: the last line of a test.
done_testing() {
	[ ! -e "$scratch/.not-found" ] || not_ok "all commands exist" "$(cat "$scratch/.not-found")"
	echo "1..$tap_count"
	exit $((tap_failed != 0))
}
