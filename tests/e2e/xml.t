#!/bin/bash
# PROFILE and CSPROFILE: valid, true by a foreign parser's count, and back again as they were. With
# PROGRAMS=all, of all test programs: see tests/soak/xml-programs.t.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"

command -v xmllint >/dev/null || skip_all "xmllint is not installed"

# exported DIR NAME: NAME.xml and NAME.cs.xml are written, both valid.
exported() {
	"$hpcprof" xml -q -o "$2.xml" "$1" || return 1
	"$hpcprof" xml -q --callpath -o "$2.cs.xml" "$1" || return 1
	xmllint --noout --valid "$2.xml" && xmllint --huge --noout --valid "$2.cs.xml"
}

# back_again NAME: reading both and writing them gives the same bytes.
back_again() {
	"$hpcprof" xml -q "$1.xml" | cmp - "$1.xml" &&
		"$hpcprof" xml -q --callpath "$1.cs.xml" | cmp - "$1.cs.xml"
}

# weighed DIR NAME: the values are those of the datafiles, the text view, and each other.
weighed() {
	lib xmlcheck.py all "$hpcprof" "$1" "$2.xml" "$2.cs.xml"
}

tree() {
	sed -n '/^<PROFILESCOPETREE>/,$p' "$@"
}

# ---- every test program -----------------------------------------------------------
cat >script.py <<'END'
import json, re
for i in range(30):
    json.loads(json.dumps(list(range(9000))))
    re.sub("a(b|c)*", "x", "abcbcbcb" * 900)
END
cat >several.sh <<'END'
for i in 1 2; do (while [ $((i += 1)) -lt 60000 ]; do :; done) & done; wait
END
small=0
for path in "$top"/tests/programs/*.c "$top"/tests/programs/*.cc python several; do
	name=$(basename "${path%.c*}")
	command=("$(program "$name")")
	# what takes long without arguments does the same in less time
	case $name in
	python) command=("$python" script.py) ;;
	transfers | unnamed) command+=(0.3) ;;
	eintr) command+=(1) ;;
	shares) command+=(300) ;;
	ended) command+=(10) ;;
	labels) command+=(strange) ;;
	several) command=(bash several.sh) ;;
	*_plugin | forever) continue ;;
	esac
	[ -x "${command[0]}" ] || [ "$name" = several ] || continue
	timeout 60 "$hpcrun" -q -o "of-$name" "${command[@]}" >out 2>&1 </dev/null
	[ -n "$(ls "of-$name"/*.csp 2>/dev/null)" ] || continue
	# many want arguments and end at once: of profiles with hardly anything in them some are enough
	if [ "$("$hpcprof" dump "of-$name"/*.csp | grep -c '^ *node: ')" -lt 20 ]; then
		[ $((small += 1)) -le 3 ] || [ "${PROGRAMS:-}" = all ] || continue
	fi
	check "$name: valid" exported "of-$name" "$name"
	check "$name: true" weighed "of-$name" "$name"
	check "$name: the same when it comes back" back_again "$name"
done
check "there were programs" test -s cxx.xml -a -s truth.xml -a -s python.xml
"$hpcprof" xml -q --no-inline -o folded.xml of-cxx
check "without inlined functions, too" lib xmlcheck.py text "$hpcprof" of-cxx folded.xml --no-inline
check "a CSPROFILE has whole paths" grep -q 'p="main"' cxx.cs.xml

# ---- HPCView ----------------------------------------------------------------------
# seen DIR NAME: HPCView's way of reading NAME.xml has every value, in its load module.
seen() {
	[ -e "$2.db" ] || "$hpcprof" db -q -o "$2.db" "$1" || return 1
	lib hpcview.py "$2.xml" "$2.db"
}

for i in $(seq 300); do
	echo "int f$i(int a) { int s = 0; for (int i = 0; i < a; i++) s += i * $i ^ s; return s; }"
done >big.c
# one file, compiled twice: two functions of one name
cat >twice.c <<'END'
#define LOOP for (long i = 0; i < 30000000; i++) sink = sink * 3 + 1
static volatile unsigned long sink;
#ifdef ONE
static __attribute__((noinline)) void work(void) { LOOP; }
void other(void);
int main(void) { work(); other(); return 0; }
#else
static __attribute__((noinline)) void work(void) { LOOP; LOOP; }
void other(void) { work(); }
#endif
END
"$hpcrun" -q -o of-gcc gcc -O2 -g -c big.c
gcc -O1 -g -c -DONE -o one.o twice.c && gcc -O1 -g -o twice one.o twice.c
"$hpcrun" -q -o of-twice ./twice
for name in gcc twice; do
	check "$name: valid" exported "of-$name" "$name"
	check "$name: true" weighed "of-$name" "$name"
	check "$name: the same when it comes back" back_again "$name"
done
for name in gcc twice cxx python several truth; do
	check "$name: HPCView has it all" seen "of-$name" "$name"
done
check "a file in several load modules is told apart by them" \
	grep -q '<F n="\[unknown file\] \[cc1\]" path="\[unknown file\]">' gcc.xml
is "and procedures of one name by their lines" "$(grep -o '<P n="work.*' twice.xml)" \
	'<P n="work [line 4]" name="work" b="4">
<P n="work [line 8]" name="work" b="8">'

# Without these names, and with values outside of S, as an older hpcprof wrote it.
old_form() {
	sed -E 's/<(F|P) n="[^"]*" (path|name)=/<\1 n=/; s/<S b="[0-9]+" id="\?">(.*)<\/S>/\1/' "$1"
}
old_form gcc.xml >older.xml
lib hpcview.py older.xml gcc.db >out
is "HPCView loses much of the older form" "$? $(grep -c 'events in M outside of S' out)" "1 1"
check "but is read as the same" bash -c '"$1" xml -q older.xml | cmp - gcc.xml' - "$hpcprof"

# ---- the DTDs ---------------------------------------------------------------------
for kind in profile:cxx.xml csprofile:cxx.cs.xml; do
	dtd=$top/share/hpcprof/${kind%%:*}.dtd
	sed -n '/^<!DOCTYPE/,/^]>/p' "${kind#*:}" | sed '1d;$d' >subset
	check "${kind%%:*}.dtd is what stands in the file" cmp subset "$dtd"
	check "and the file is valid by it" xmllint --huge --noout --dtdvalid "$dtd" "${kind#*:}"
done

# ---- order --------------------------------------------------------------------------
"$hpcrun" -q -o again "$(program cxx)" >out 2>&1
files=(again/*.csp of-cxx/*.csp)
"$hpcprof" xml -q -j 1 "${files[@]}" >one.xml
"$hpcprof" xml -q -j 4 "${files[1]}" "${files[0]}" >two.xml
check "neither order nor threads show" cmp one.xml two.xml
"$hpcprof" xml -q -o again.xml again
tree one.xml >one.tree
"$hpcprof" xml -q again.xml cxx.xml | tree >parts.tree
check "merging PROFILEs is merging datafiles" cmp one.tree parts.tree
"$hpcprof" xml -q again cxx.xml | tree >mixed.tree
check "and so is one of each" cmp one.tree mixed.tree
check "metrics can be chosen" bash -c '"$1" xml -q -m cputime again | grep -q "<METRIC .*CPUTIME"' - "$hpcprof"
"$hpcprof" xml -q -m NONE again >out 2>err
is "one that is not there is a usage error" $? 2

# ---- names --------------------------------------------------------------------------
cat >evil.c <<'END'
volatile unsigned long sink;
#define WORK(name) __attribute__((noinline)) void name(void)                                   \
	{ for (long i = 0; i < 30000000; i++) sink = sink * 3 + 1; }
WORK(e1) WORK(e2) WORK(e3) WORK(e4) WORK(e5) WORK(e6) WORK(e7) WORK(e8)
int main(void)
{
	e1(); e2(); e3(); e4(); e5(); e6(); e7(); e8();
	return 0;
}
END
names=('operator<' 'a&b' '"quoted" and '\' $'a\x01\x1b[31mb' $'\xff\xfe' $'na\xc3\xafve'
	$'back\\x41slash\\' ']]><!--[unknown file]')
cc -O1 -o plain evil.c
renames=()
for i in "${!names[@]}"; do
	renames+=(--redefine-sym "e$((i + 1))=${names[$i]}")
done
folder=$'d<i>r & "q" \x02\xfe \\x42'
mkdir "$folder"
check "a program gets evil names" objcopy "${renames[@]}" plain "$folder/pro&gram"
"$hpcrun" -q -o of-evil "$folder/pro&gram"
check "evil names: valid" exported of-evil evil
check "evil names: the same when they come back" back_again evil
check "evil names: nothing is lost" lib xmlcheck.py data of-evil evil.xml
check "evil names: by call path, too" lib xmlcheck.py alike evil.xml evil.cs.xml
for name in "${names[@]}" "$PWD/$folder/pro&gram"; do
	"$python" -c 'import sys, os; print(os.fsencode(sys.argv[1]))' "$name"
done | sort >expected
lib xmlcheck.py names evil.xml | sort >found
is "evil names: all are there as they were" "$(comm -23 expected found)" ""
check "a CSPROFILE that was read is shown" bash -c '"$1" evil.cs.xml | grep -q "operator<"' - "$hpcprof"

# ---- nothing half-written ---------------------------------------------------------
echo before >kept.xml
(ulimit -f 1; "$hpcprof" xml -q --callpath -o kept.xml of-python) 2>err
is "a file that cannot be written fails" $? 3
check "which is said" grep -q 'hpcprof: kept.xml: cannot be written: File too large' err
is "what was there before stays" "$(cat kept.xml)" before
is "and nothing else is left" "$(ls kept.xml*)" kept.xml
"$hpcprof" xml -q -o /dev/full of-python 2>err
is "a full disk fails" $? 3
check "which is said, too" grep -q 'No space left on device' err
# whether memory ends while libdw or we read, the file is whole or not there
"$hpcrun" -q -o of-hpcprof -e CPUTIME@f2000 "$hpcprof" text -q of-python >out 2>err
# ends_well KIB: within so much memory
ends_well() {
	local kib=$1 status
	(ulimit -v "$kib" && exec "$hpcprof" xml -q -o tight.xml of-hpcprof) >out 2>err
	status=$?
	case $status in
	0) cmp whole.xml tight.xml && rm tight.xml ;;
	1) grep -q ': no memory to read' err && rm tight.xml ;; # without a module's names
	3) grep -q memory err ;;
	*) return 1 ;;
	esac && [ "$(echo tight.xml*)" = 'tight.xml*' ]
}
"$hpcprof" xml -q -o whole.xml of-hpcprof
# with less, not even the program is loaded
least=20000
until (ulimit -v "$least" && exec "$hpcprof" --version) >out 2>&1 || [ "$least" -ge 200000 ]; do
	least=$((least + 1000))
done
for kib in $(seq "$least" 1000 $((least + 40000))); do
	ends_well "$kib" || echo "$kib"
done >wrong
is "with any amount of memory" "$(cat wrong)" ""
"$hpcprof" xml -q -o no/such/place.xml of-python 2>err
is "so does a folder that is not there" $? 3
"$hpcprof" xml -q of-python >/dev/full 2>err
is "standard output that is full is told" $? 1
mkdir links
ln -s ../target.xml links/link.xml
echo before >target.xml
"$hpcprof" xml -q -o links/link.xml of-python
is "a symbolic link stays one" "$(readlink links/link.xml) $(grep -c '^<PGM' target.xml) $(ls links)" \
	"../target.xml 1 link.xml"
# As root this once replaced /dev/stdout.
{ echo before && "$hpcprof" xml -q -o /dev/stdout of-python && echo after; } >target.xml
is "standard output in a file is written like a pipe" \
	"$(head -n 1 target.xml) $(grep -c '^<PGM' target.xml) $(tail -n 1 target.xml)" "before 1 after"
check "and /dev/stdout is what it was" test -L /dev/stdout
check "a pipe is written as it is" bash -c '"$1" xml -q -o /dev/stdout "$2" | grep -q "^<PGM"' - \
	"$hpcprof" of-python

# ---- bad files ------------------------------------------------------------------------
sed 's/<PGM /<PGN /' cxx.xml >broken.xml
"$hpcprof" xml -q -o out.xml again broken.xml 2>err
is "a broken PROFILE is left out" $? 1
line=$(grep -n '<PGN' broken.xml | cut -d: -f1)
check "with its line and column" grep -q "broken.xml: line $line, column 1: no element of a PROFILE or CSPROFILE is named PGN" err
check "the rest is there" cmp again.xml out.xml
"$hpcprof" broken.xml 2>err
is "alone there is nothing to show" $? 3
head -c 5000 cxx.cs.xml >cut.xml
"$hpcprof" cut.xml >out 2>err
is "so with one that was cut short" $? 3
cat >laughs.xml <<'END'
<?xml version="1.0"?>
<!DOCTYPE PROFILE [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<PROFILE version="3.0"><PROFILEHDR>&b;</PROFILEHDR></PROFILE>
END
"$hpcprof" laughs.xml >out 2>err
check "entities are refused" grep -q 'laughs.xml: line 2, column .*no entity declarations, found a' err

# ---- much ---------------------------------------------------------------------------
lib bigxml.py 100 >big.xml
check "100 MB stream in little memory" bash -c \
	'ulimit -v 100000; "$1" xml -q -j 1 -o small.xml big.xml' - "$hpcprof"
is "and nothing of it is lost" "$(sed -n 's/.* v="\([0-9]*\)".*/\1/p' small.xml |
	awk '{ sum += $1 } END { printf "%.0f", sum }')" "$(($(grep -c '<S ' big.xml) * 1000))"
for signal in INT TERM HUP; do
	# whoever runs us may ignore SIGINT or SIGHUP
	"$python" - $signal "$hpcprof" >ended <<'END'
import glob, signal, subprocess, sys, time
number = getattr(signal, "SIG" + sys.argv[1])
p = subprocess.Popen([sys.argv[2], "xml", "-q", "-o", "half.xml", "big.xml"],
                     preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
while not glob.glob("half.xml.*.tmp") and p.poll() is None:
    time.sleep(0.001)
p.send_signal(number)
print(signal.Signals(-p.wait()).name)
END
	is "SIG$signal ends it, and nothing half-written is left" "$(cat ended) $(echo half.xml*)" \
		"SIG$signal half.xml*"
done
rm big.xml
check "what a killed process of the same number has left is no hindrance" \
	bash -c ': >left.xml.$$-0.tmp; exec "$1" xml -q -o left.xml small.xml' - "$hpcprof"
is "and stays" "$(echo left.xml.*-0.tmp | wc -w) $(head -c 5 left.xml)" "1 <?xml"

cat >deep.py <<'END'
print('<CSPROFILE version="1.0.2"><CSPROFILEHDR/><CSPROFILEPARAMS><TARGET name="t"/><METRICS>'
      '<METRIC shortName="0" nativeName="CYC" period="1"/></METRICS></CSPROFILEPARAMS>'
      '<CSPROFILETREE><PGM n="t">')
for i in range(100000):
    print('<CALLSITE f="a.c" p="f%d" l="%d" c="1">' % (i % 7, i % 5))
print('<S f="a.c" p="leaf" l="3" c="9"/>')
print("</CALLSITE>" * 100000 + "</PGM></CSPROFILETREE></CSPROFILE>")
END
"$python" deep.py >deep.xml
check "100,000 levels on a small stack" bash -c \
	'ulimit -s 256; "$1" xml -q --callpath -o deeper.xml deep.xml' - "$hpcprof"
check "are all there" bash -c '[ "$(grep -c "^<CALLSITE" deeper.xml)" = 100000 ]'
check "and come back" bash -c '"$1" xml -q --callpath deeper.xml | cmp - deeper.xml' - "$hpcprof"
done_testing
