#!/bin/bash
# Public names have their folder's prefix, and no two types of the product have one name.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
cd "$top" || exit 1

check "public names have a prefix, and each type's name is its own" \
	lib prefixes.py "$BUILD" formats runtime reader symbolize hpcprof db

# The check itself.
mkdir -p "$scratch/part/other" "$scratch/build/obj/part/other"
cd "$scratch" || exit 1
cat >part/thing.h <<'END'
struct device {
	int x;
};
int thing_open(void);
int device_open(void);
END
cat >part/thing.c <<'END'
struct twice {
	int x;
};
int thing_open(void) { return 1; }
int device_open(void) { return 2; }
int part_open(void) { return 3; }
static int open_it(void) { return 4; }
int (*thing_call)(void) = open_it;
END
cat >part/other/other.c <<'END'
int other_open(void) { return 1; }
END
compile() {
	"${CC:-gcc}" -c -o build/obj/part/thing.o part/thing.c &&
		"${CC:-gcc}" -c -o build/obj/part/other/other.o part/other/other.c
}
check "the test's program compiles" compile
check "names with the prefix of folder, file and type pass" lib prefixes.py build part
echo 'int thing(void) { return 1; } int lost(void) { return 2; }' >>part/other/other.c
compile
is "a name without any is found" "$(lib prefixes.py build part | grep -oE 'other.c: [a-z]+')" \
	"other.c: lost
other.c: thing"
sed -i '$d' part/other/other.c
printf 'struct twice {\n\tint y;\n};\n' >>part/other/other.c
compile
is "a name of two types is found" "$(lib prefixes.py build part)" \
	"type twice: part/other/other.c, part/thing.c"
if lib prefixes.py build/nothing part >said 2>&1; then
	not_ok "objects that are not there are a failure"
else
	ok "objects that are not there are a failure"
fi
done_testing
