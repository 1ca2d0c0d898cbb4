#!/bin/bash
# The folders depend on each other only along the arrows of CONTRIBUTING.md, the rooms of hpcprof
# along those of its README, and code for signal handlers never shares a file with code that is
# not. Every folder and file named here has to exist: a row for one that is gone fails.
. "$(dirname "$0")/../lib/shell/tap.sh"
cd "$top" || exit 1

# sources FOLDER...: the C and assembly files below it; a folder without any is a failure.
sources() {
	local folder found
	for folder; do
		found=$(find "$folder" -name '*.[chS]' 2>/dev/null)
		[ -n "$found" ] || {
			echo "$folder: no sources" >&2
			return 1
		}
		printf '%s\n' "$found"
	done
}

# bad_includes FOLDER ALLOWED...: each #include "..." in it of none of these. FOLDER/ are the files in
# it, FOLDER those below it, too. The headers that are installed beside each other include each other so.
bad_includes() {
	local folder=$1 files
	shift
	sources "$@" >/dev/null && files=$(sources "$folder") || return 1
	[[ $folder != */ ]] || files=$(grep "^$folder[^/]*$" <<<"$files")
	xargs grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null <<<"$files" |
		grep -v '^runtime/hpcrun_driver.h:[0-9]*:#include "hpcrun.h"$' |
		grep -vE "include[[:space:]]*\"($(printf '%s\n' "$@" | sed -E 's|/$|/[^/]*"|; s|[^"]$|&/|' | paste -sd'|'))"
}

# arrows FOLDER ALLOWED...: it includes from these only.
arrows() {
	is "$1 includes from ${*:2} only" "$(bad_includes "$@" 2>&1)" ""
}

# only_from FOLDER WHAT PATTERN...: of FOLDER, only files that match include WHAT.
only_from() {
	local folder=$1 what=$2 files bad
	shift 2
	if files=$(sources "$folder" 2>&1); then
		bad=$(xargs grep -nE "include[[:space:]]*\"$what" /dev/null <<<"$files" |
			grep -vE "$(printf '|%s' "$@" | cut -c2-)")
	else
		bad=$files
	fi
	is "$folder includes $what only in $*" "$bad" ""
}

arrows formats formats
arrows formats/base formats/base
arrows formats/identity formats/identity
arrows runtime runtime formats
only_from runtime formats/base/ '^runtime/(launcher|attach)/'
arrows reader reader formats
arrows symbolize symbolize formats/base formats/identity
arrows hpcprof hpcprof reader symbolize formats db # db: see below
arrows db db hpcprof reader formats
bad=$(sources formats runtime reader symbolize hpcprof | xargs grep -ln 'include[[:space:]]*"db/' |
	grep -v '^hpcprof/commands.c$')
is "of hpcprof only its table of commands includes db" "$bad" ""
bad=$(sources formats runtime reader symbolize hpcprof db | xargs grep -lE 'include[[:space:]]*"tests/')
is "nothing includes the tests" "$bad" ""

# The rooms of a folder, each with the rooms that it may include besides what the folder may. A room
# is named below those that it includes, so that there is no cycle.
rooms=()
# house FOLDER ALLOWED...: what follows are its rooms.
house() {
	house=$1
	shift
	outside=("$@")
	rooms=()
}
room() {
	local name=$1 r allowed=("${outside[@]}" "$house/$1/")
	shift
	for r; do
		case $r in
		reader | symbolize) allowed+=("$r") ;;
		*)
			allowed+=("$house/$r/")
			[[ " ${rooms[*]} " = *" $r "* ]] || not_ok "the row of $r is above that of $name"
			;;
		esac
	done
	arrows "$house/$name/" "${allowed[@]}"
	rooms+=("$name")
}
# all_named [FOLDER OF ROOMS...]: every folder of the house has its row.
all_named() {
	is "every folder of $house has its row" "$(find "$house" -mindepth 1 -type d | sort)" \
		"$(printf "$house/%s\n" "${rooms[@]}" "$@" | sort)"
}

house formats formats/ # datafile.h and its records
room base
room identity
room store base identity
all_named

house hpcprof formats
room terminal
room command terminal
room model reader symbolize
room correlate terminal command model symbolize
room load terminal command model correlate reader
room complete command load reader
room import model load
room metrics terminal command model correlate load
room export terminal command model correlate load metrics reader
room export/feedback terminal command model correlate load metrics symbolize
room export/formats export/feedback terminal command model correlate load metrics
room views/text terminal command model correlate load metrics
room views/tree terminal command model correlate load metrics
room views/html terminal command model correlate load metrics views/text
room views/diff terminal command model correlate load metrics views/html
room views/annotate terminal command model correlate load metrics symbolize
room views/values terminal command model correlate load metrics reader symbolize
room views/top terminal command model correlate load metrics views/text symbolize
room views/dump terminal command load reader
all_named views
is "only the table of commands and main stand outside the rooms" \
	"$(cd hpcprof && printf '%s ' *.[ch])" "commands.c commands.h main.c "

house db formats hpcprof reader
room base
room write base
room import base
room query base write
all_named

# The runtime's rooms stand around the state of a thread, which has a part of each: those that may
# include it may include each other, as far as is said here.
for row in 'os' 'os/linux os cpu' 'base os process events' 'cpu base cpu/x86_64 cpu/aarch64' \
	'cpu/x86_64 cpu base' 'cpu/x86_64/marks cpu cpu/x86_64' 'cpu/aarch64 cpu' 'launcher base events' 'mark base launcher' 'attach' 'events os base cpu drivers' \
	'drivers os base process interception' 'trees os base process sample' \
	'sample os base cpu process trees interception interpreters' \
	'interpreters os base process sample trees' \
	'sandboxes os base cpu process trees' \
	'interception os base cpu drivers process sample sandboxes trees' \
	'process os base cpu events interception interpreters sample sandboxes trees' \
	'static base interception launcher sample' 'plugins'; do
	read -ra row <<<"$row"
	row=("${row[@]/#/runtime/}")
	arrows "${row[0]}/" "${row[@]/%//}" runtime/ formats
	rooms_of_runtime+=("${row[0]}")
done
is "every folder of runtime has its row" "$(find runtime -mindepth 1 -type d | sort)" \
	"$(printf '%s\n' "${rooms_of_runtime[@]}" | sort)"

# The test itself: a folder that is gone, one that it may include and is gone, an arrow backwards.
mkdir -p "$scratch/a/x" "$scratch/a/y"
echo '#include "y/y.h"' >"$scratch/a/x/x.c"
echo '#include "x/x.h"' >"$scratch/a/y/y.h"
here=$PWD
cd "$scratch/a" || exit 1
is "an allowed arrow passes" "$(bad_includes x x y 2>&1)" ""
is "a backward arrow is found" "$(bad_includes y y 2>&1)" 'y/y.h:1:#include "x/x.h"'
is "a folder that is gone is found" "$(bad_includes z x 2>&1)" 'z: no sources'
is "so is one that may be included" "$(bad_includes x x y z 2>&1)" 'z: no sources'
cd "$here" || exit 1

# What a handler may run must not reach for the offline half's libraries.
safe=$(ls formats/encode.[ch] formats/identity/label_list.[ch] formats/store/store.[ch] formats/store/survey.[ch] formats/datafile.h 2>&1)
bad=$({ sources runtime && echo "$safe"; } 2>&1 |
	xargs grep -nE 'include[[:space:]]*<(elfutils/|dwarf|gelf|libelf|sqlite3|expat|stdio)' 2>&1 |
	grep -vE '^runtime/(launcher|mark|attach|plugins)/')
is "the runtime includes no offline library and no stdio" "$bad" ""
done_testing
