#!/bin/bash
# A program that loads and unloads the same libraries for ever does not grow, also where
# there are holes between a library's segments, which the unwinder must be told of.
. "$(dirname "$0")/../lib/shell/tap.sh"

cat >holes.c <<'END'
int holes_value = 1;
int holes(void) { return holes_value; }
END
cat >again.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static long pages(void)
{
	long n = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%ld", &n) != 1)
		exit(2);
	fclose(f);
	return n;
}
int main(int argc, char **argv)
{
	enum { SETTLED = 20, TIMES = 500, FEW = 50 };
	long before = 0;
	for (int i = 0; i < TIMES && argc > 1; i++) {
		void *handle = dlopen(argv[1], RTLD_NOW);
		if (!handle || dlclose(handle) != 0)
			return 1;
		if (i == SETTLED)
			before = pages();
	}
	printf("%s\n", pages() - before < FEW ? "as large" : "larger");
	return 0;
}
END
cc=${CC:-gcc}
"$cc" -shared -fPIC -Wl,-z,max-page-size=0x200000 -o holes.so holes.c || exit 1
"$cc" -O1 -o again again.c -ldl || exit 1
is 'without us' "$(timeout 60 ./again "$PWD/holes.so")" 'as large'
is 'and with us' "$(timeout 60 "$hpcrun" -q -o data ./again "$PWD/holes.so" 2>&1)" 'as large'
done_testing
