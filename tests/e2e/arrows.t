#!/bin/bash
# The folders depend on each other only along the arrows of CONTRIBUTING.md, and code
# for signal handlers never shares a file with code that is not.
. "$(dirname "$0")/../lib/tap.sh"
cd "$top" || exit 1

# arrows FOLDER ALLOWED...: every #include "..." in it begins with one of these.
arrows() {
	local folder=$1 allowed bad
	shift
	allowed=$(printf '|%s/' "$@")
	bad=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.[chS]' \
		"$folder" | grep -vE "include[[:space:]]*\"(${allowed#|})")
	is "$folder includes from $* only" "$bad" ""
}

# only_from FOLDER WHAT PATTERN...: of FOLDER, only files that match include WHAT.
only_from() {
	local folder=$1 what=$2 bad
	shift 2
	bad=$(grep -rnE "include[[:space:]]*\"$what" --include='*.[chS]' "$folder" |
		grep -vE "$(printf '|%s' "$@" | cut -c2-)")
	is "$folder includes $what only in $*" "$bad" ""
}

arrows formats formats
arrows formats/base formats/base
arrows runtime runtime formats
only_from runtime formats/base/ '^runtime/launch'
arrows reader reader formats
arrows symbolize symbolize formats/base
arrows hpcprof hpcprof reader symbolize formats db # db: see below
arrows db db hpcprof reader formats
bad=$(grep -rln 'include[[:space:]]*"db/' --include='*.[ch]' . | grep -vE '^\./(db|build|tests)' |
	grep -v '^./hpcprof/commands.c$')
is "of hpcprof only its table of commands includes db" "$bad" ""
bad=$(grep -rlE 'include[[:space:]]*"tests/' --include='*.[ch]' formats runtime reader symbolize hpcprof)
is "nothing includes the tests" "$bad" ""

# What a handler may run must not reach for the offline half's libraries.
bad=$(grep -rnE 'include[[:space:]]*<(elfutils/|dwarf|gelf|libelf|sqlite3|expat|stdio)' \
	--include='*.[ch]' runtime formats/encode.* formats/store.* formats/datafile.h |
	grep -v '^runtime/launch')
is "the runtime includes no offline library and no stdio" "$bad" ""
done_testing
