# Sourced after measure.sh: real programs with inputs of two sizes.

workloads="python sqlite xz gcc perl cxx threads8 constructor"

# workload NAME short|full: sets the array `command`, and puts its input files in the working
# directory (`input`, if there is one, is its standard input).
workload() {
	rm -f input
	"workload_$1" "$2"
}

# pick SIZE SHORT FULL
pick() {
	[ "$1" = short ] && echo "$2" || echo "$3"
}

workload_python() {
	cat >recursive.py <<'END'
import sys

def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

def permutations(items):
    if not items:
        return [[]]
    return [[x] + rest for i, x in enumerate(items)
            for rest in permutations(items[:i] + items[i + 1:])]

def depth(n):
    return 1 + depth(n - 1) if n else 0

size = int(sys.argv[1])
sys.setrecursionlimit(5000)
print(fibonacci(size), len(permutations(list(range(size // 4)))),
      sum(depth(900) for _ in range(size * 10)))
print("done", file=sys.stderr)
sys.exit(5)
END
	command=("$python" recursive.py "$(pick "$1" 31 36)")
}

workload_sqlite() {
	awk -v rows="$(pick "$1" 30000 200000)" 'BEGIN {
		print "CREATE TABLE t(id INTEGER PRIMARY KEY, word TEXT, n INTEGER);"
		print "BEGIN;"
		for (i = 0; i < rows; i++) {
			n = (i * 7919) % 104729
			print "INSERT INTO t(word, n) VALUES (\"w" n % 977 "\", " n ");"
		}
		print "COMMIT;"
		print "CREATE INDEX by_word ON t(word, n);"
		print "SELECT word, count(*), sum(n) FROM t GROUP BY word ORDER BY 3 DESC LIMIT 5;"
		print "SELECT count(*) FROM t a JOIN t b ON a.n = b.id WHERE a.word < b.word;"
		print "SELECT max(length(group_concat(word))) FROM t GROUP BY n % 10;"
		print "SELECT nothing FROM t;"
	}' | tr '"' "'" >input
	command=(sqlite3 :memory:)
}

workload_xz() {
	awk -v size="$(pick "$1" 3000000 30000000)" 'BEGIN {
		srand(1)
		while (written < size) {
			line = ""
			for (i = 0; i < 12; i++)
				line = line " " int(exp(rand() * 6)) "word"
			print line
			written += length(line) + 1
		}
	}' >text
	command=(xz -9 -c text)
}

workload_gcc() {
	awk -v functions="$(pick "$1" 300 2000)" 'BEGIN {
		for (i = 0; i < functions; i++) {
			print "static int f" i "(int n, int *a)\n{"
			print "\tfor (int i = 0; i < n; i++) a[i] = a[i] * " i " + (a[i] >> 3);"
			print "\treturn n > " i " ? a[n / 2] " (i ? "+ f" i - 1 "(n - 1, a)" : "") " : n;"
			print "}"
		}
		print "int last(int n, int *a) { return f" functions - 1 "(n, a); }"
	}' >generated.c
	command=(gcc -O2 -Wall -c generated.c -o generated.o)
}

workload_perl() {
	cat >words.pl <<'END'
use strict;
my ($rounds, %count, $seed) = ($ARGV[0], (), 1);
sub hanoi {
	my ($n, $from, $to, $by) = @_;
	return $n ? hanoi($n - 1, $from, $by, $to) + 1 + hanoi($n - 1, $by, $to, $from) : 0;
}
for (1 .. $rounds) {
	my $text = join ' ', map { $seed = ($seed * 16807) % 2147483647; 'w' . $seed % 5000 } 1 .. 2000;
	$count{$1}++ while $text =~ /(\w+)/g;
}
my @order = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
print "$_ $count{$_}\n" for @order[0 .. 9];
print hanoi(15, 'a', 'b', 'c'), "\n";
die "the end\n";
END
	command=(perl words.pl "$(pick "$1" 200 3000)")
}

workload_cxx() {
	command=("$(program cxx)" "$(pick "$1" 6 60)")
}

workload_threads8() {
	command=("$(program threads8)" "$(pick "$1" 12 150)")
}

# Time in a library's constructor, which the loader calls before the program's entry.
workload_constructor() {
	cat >early.c <<'END'
#include <time.h>
static void burn(void)
{
	while (clock() < MILLISECONDS * 1000)
		continue;
}
__attribute__((constructor)) static void before(void) { burn(); }
int early(void) { return 6; }
END
	echo 'int early(void); int main(void) { return early(); }' >main.c
	gcc -O2 -shared -fPIC -DMILLISECONDS="$(pick "$1" 400 3000)" -o libearly.so early.c
	gcc -O2 -o constructor main.c -L. -learly -Wl,-rpath,'$ORIGIN'
	command=(./constructor)
}
