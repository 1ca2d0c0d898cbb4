#!/bin/bash
# The state of the house: what a reviewer would otherwise have to look for.
. "$(dirname "$0")/../lib/shell/tap.sh"
cd "$top" || exit 1

if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
	mapfile -t files < <(git -c safe.directory='*' ls-files | while read -r f; do
		[ -f "$f" ] && echo "$f"
	done)
else
	mapfile -t files < <(find . -type f -not -path './build*' | sed 's|^\./||')
fi
mapfile -t text < <(grep -lI . "${files[@]}")
mapfile -t code < <(printf '%s\n' "${files[@]}" | grep -E '\.([chS]|cc|py|sh|t|mk|m?js|css)$|^Makefile$' | grep -v '/vendor/')

self=tests/e2e/house.t
places='/(root|home|work|farm|Users)/[a-z]'
bad=$(grep -nE "$places" "${text[@]}" | grep -vE "^$self:|/home/someone/")
is "no path of somebody's machine" "$bad" ""

marks='TO''DO|FIX''ME|XX''X\b|HA''CK\b'
bad=$(grep -nE "\b($marks)" "${text[@]}" | grep -vE 'XXXXX')
is "nothing is left to be done later" "$bad" ""

bad=$(wc -l "${code[@]}" | awk '$1 > 600 && $2 != "total" { print $2 ": " $1 " lines" }')
is "files have at most 600 lines" "$bad" ""

bad=$(grep -nE '[[:space:]]+$' "${code[@]}")
is "no line ends in spaces" "$bad" ""

bad=$(printf '%s\n' "${files[@]}" | grep -E '(^|/)build/|\.(o|so|a|orig|rej|pyc)$')
is "nothing that is built is kept" "$bad" ""

bad=$(for f in "${files[@]}"; do
	case $f in
	*.t | *.sh | .ci/run | share/demo/run | share/demo/faster | share/install-packages) ;;
	*) continue ;;
	esac
	case $f in
	tests/lib/*) [ ! -x "$f" ] || echo "$f is only sourced, but executable" ;;
	*) [ -x "$f" ] || echo "$f is not executable" ;;
	esac
	bash -n "$f" 2>&1
done)
is "scripts can be run" "$bad" ""

for page in share/man/*.[1-8]; do
	is "$page renders without a warning" "$(groff -man -Tutf8 -ww -z "$page" 2>&1)" ""
done

# Each page has the options that --help has, and the other way round.
options() {
	grep -oE -- '--[a-z][a-z-]+' | sort -u
}
# paged PAGE: its options; named at the beginning of a line, not in examples.
paged() {
	sed 's/\\-/-/g' "$1" | grep -E '^\.(B|BR|BI|TP|RB|IR) ' | options
}
# section PAGE TITLE
section() {
	sed 's/\\-/-/g' "$1" | awk -v title=".SH $2" '/^\.SH/ { on = $0 == title } on'
}
is "hpcrun(1) and hpcrun --help name the same options" "$(paged share/man/hpcrun.1)" \
	"$("$BUILD/bin/hpcrun" --help 2>&1 | options)"
is "hpcrun-control(1) and hpcrun control --help name the same options" "$(paged share/man/hpcrun-control.1)" \
	"$("$BUILD/bin/hpcrun" control --help 2>&1 | options)"
is "hpcrun-attach(1) and hpcrun attach --help name the same options" "$(paged share/man/hpcrun-attach.1)" \
	"$("$BUILD/bin/hpcrun" attach --help 2>&1 | options)"
is "hpcrun-detach(1) and hpcrun detach --help name the same options" "$(paged share/man/hpcrun-detach.1)" \
	"$("$BUILD/bin/hpcrun" detach --help 2>&1 | options)"
is "hpcrun-mark(1) and hpcrun-mark --help name the same options" "$(paged share/man/hpcrun-mark.1)" \
	"$("$BUILD/bin/hpcrun-mark" --help 2>&1 | options)"
commands=$("$BUILD/bin/hpcprof" --help |
	awk '/^Commands:/ { on = 1; next } !NF { on = 0 } on { print $1 }')
check "hpcprof has commands" test -n "$commands"
for command in $commands; do
	page=share/man/hpcprof-$command.1
	is "$page and hpcprof $command --help name the same options" "$(paged "$page")" \
		"$("$BUILD/bin/hpcprof" "$command" --help 2>&1 | options)"
	check "and the latter names the page" bash -c '"$1" "$2" --help | grep -qF "man hpcprof-$2"' - \
		"$BUILD/bin/hpcprof" "$command"
	check "hpcprof(1) names it, too" grep -qxF ".BR hpcprof\\-$command (1)" share/man/hpcprof.1
	# what a page leaves to hpcprof(1) is there: an entry for each
	left=$(section "$page" 'COMMON OPTIONS' | options)
	there=$(section share/man/hpcprof.1 OPTIONS | grep -A1 -E '^\.T[PQ]' | options)
	is "what it leaves to hpcprof(1) is there" "$(comm -23 <(echo "$left") <(echo "$there"))" ""
done
is "no other command has a page" "$(for page in share/man/hpcprof-*.1; do
	name=${page##*/hpcprof-}
	echo "${name%.1}"
done | sort)" "$(echo "$commands" | sort)"

version=$("$hpcrun" --version | grep -oE '[0-9]+\.[0-9]+' | head -1)
check "hpcrun knows its version" test -n "$version"
is "hpcprof is of the same" \
	"$("$hpcprof" --version | grep -oE '[0-9]+\.[0-9]+' | head -1)" "$version"

# What it needs would be loaded into every program.
needed=$(readelf -dW "$BUILD/lib/libhpcrun.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
is "libhpcrun.so needs the C library alone" "$needed" "ld-linux-x86-64.so.2 libc.so.6 "

# An installed tree is whole.
make -s install BUILD="$BUILD" PREFIX=/usr DESTDIR="$scratch/dest" >"$scratch/install" 2>&1
is "make install succeeds" "$?" 0
for file in bin/hpcrun bin/hpcrun-mark bin/hpcprof share/hpcrun/hpcrun.py lib/libhpcrun.so include/hpcrun.h include/hpcrun.f90 lib/pkgconfig/hpcrun.pc share/gdb/hpcrun.py share/man/man1/hpcrun.1 share/man/man1/hpcprof-text.1; do
	check "installed: $file" test -e "$scratch/dest/usr/$file"
done
if command -v pkg-config >/dev/null; then
	installed() {
		PKG_CONFIG_LIBDIR=$scratch/dest/usr/lib/pkgconfig pkg-config --define-prefix "$@" hpcrun
	}
	is "pkg-config knows it" "$(installed --modversion)" "$version"
	printf '#include <hpcrun.h>\nint main(void) { hpcrun_region_begin("a"); hpcrun_region_end("a"); return 0; }\n' >"$scratch/own.c"
	# shellcheck disable=SC2046
	check "a program finds the header by it" "${CC:-gcc}" $(installed --cflags) -o "$scratch/own" "$scratch/own.c"
	check "and a Fortran program the module" test -r "$(installed --variable=fortran)"
	check "and a static program the library" test -r "$(installed --variable=static | sed 's/^@//')"
else
	skip "pkg-config is not installed" 4
fi
(cd "$scratch" && "$scratch/dest/usr/bin/hpcrun" -q -o installed true &&
	ls installed/true.*.csp) >"$scratch/said" 2>&1
is "an installed hpcrun finds its library" "$?" 0
make -s uninstall PREFIX=/usr DESTDIR="$scratch/dest"
is "make uninstall leaves no file" "$(find "$scratch/dest" -type f)" ""
done_testing
