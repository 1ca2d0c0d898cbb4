#!/bin/bash
# What hpcprof prints, word for word: the transcripts in tests/data/outputs/*.txt. A line that begins
# with "$ " is a command; the lines up to the next are its output, then its messages, each after
# "! ", and its exit status, if it is not 0. The files that they read are built from texts there.
#
# outputs.t NAME... compares NAME.txt... alone. With GOLDEN_WRITE=1 in the environment the
# transcripts are written instead: read the difference before you commit it. For tests/mutate, which
# runs few commands often: OUTPUTS_ONLY is a file that lists the commands to run, as NAME.NUMBER, and
# OUTPUTS_WROTE one to which those that write files are appended. With OUTPUTS_KEEP in the environment,
# a folder, the outputs of "each" are kept there: compare those of two builds.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

data=$top/tests/data/outputs
mkcsp=$BUILD/programs/mkcsp
PATH=$BUILD/bin:$BUILD/programs:$PATH
export BUILD TZ=UTC COLUMNS=100
unset NO_COLOR HPCRUN_BUDGET

[ "$(uname -m)" = x86_64 ] || skip_all "the measured library is code for x86-64"

# The measured job: libraries with all, only symbols, and no names, the sources, and datafiles.
#
# The library is kept as assembly, since another compiler would give other addresses and lines. It is
# made in tests/data/outputs/src, with gcc 12; the *.paths contain addresses in it:
#
#     for f in work.c list.cc; do
#         gcc -O2 -g -fPIC -fno-optimize-sibling-calls -fcf-protection=none \
#             -fno-asynchronous-unwind-tables -fno-exceptions -fvisibility=hidden \
#             -ffile-prefix-map=$PWD=/src -S -o - $f | sed -E 's/[ \t]+#.*$//; s/[ \t]+$//' >../${f%.*}.s
#     done
build_job() {
	local file
	for file in work list; do
		as -o $file.o "$data/$file.s" || return 1
	done
	mkdir -p root/usr/lib names/usr/lib debug/.build-id/01
	ld -shared --build-id=0x0123456789abcdef0123456789abcdef01234567 -o root/usr/lib/libwork.so work.o list.o &&
		ld -shared --build-id=0x89abcdef0123456789abcdef0123456789abcdef -s -o root/usr/lib/libplain.so list.o &&
		objcopy --only-keep-debug root/usr/lib/libwork.so \
			debug/.build-id/01/23456789abcdef0123456789abcdef01234567.debug &&
		objcopy -g root/usr/lib/libwork.so names/usr/lib/libwork.so &&
		cp -r "$data/src" . && touch -d 2020-01-01 src/* &&
		"$mkcsp" --paths "$data/rank0.paths" rank0.csp &&
		"$mkcsp" --paths "$data/rank1.paths" rank1.csp &&
		"$mkcsp" --paths "$data/counters.paths" counters.csp &&
		"$mkcsp" --paths "$data/odd.paths" odd.csp && "$mkcsp" --paths "$data/huge.paths" huge.csp &&
		cp "$top/tests/data/example.csp" old.csp && cp "$data/corner.xml" "$data/rank0.paths" . &&
		"$mkcsp" --big --width 4 --shuffle 5 --relabel solver.csp
}
# Datafiles made by chance.
random_files=14
build_random() {
	mkdir random && "$python" "$top/tests/lib/builders/random_paths.py" random $(seq $random_files) || return 1
	local i
	for ((i = 1; i <= random_files; i++)); do
		"$mkcsp" --paths random/$i.paths random/$i.csp || return 1
	done
	rm random/*.paths
}

check "the measured job is built" build_job
check "and files by chance" build_random
[ $tap_failed = 0 ] || done_testing
rm -f ./*.o
fresh=$scratch.fresh
trap 'rm -rf "$scratch" "$fresh"' EXIT
cp -a "$scratch" "$fresh"

[ $# -gt 0 ] || set -- $(cd "$data" && basename -s .txt ./*.txt)
compared=
while IFS= read -r line; do
	case $line in
	"ok - "*) ok "${line#ok - }" ;;
	"not ok - "*) not_ok "${line#not ok - }" ;;
	"# compared") compared=yes ;;
	esac
done < <(lib transcripts.py "$data" "$fresh" "$@")
check "all transcripts were compared" [ -n "$compared" ]
done_testing
