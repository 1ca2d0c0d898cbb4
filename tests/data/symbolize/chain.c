#ifdef __clang__
#define noclone noinline
#endif

/* A chain of inlined calls with a label in the innermost, a call through the PLT,
 * and a function that is also called out of line. */
#include <stdio.h>
#include <stdlib.h>

static inline __attribute__((always_inline)) int leaf(int x) /* DECL leaf */
{
	__asm__ volatile(".globl mark_leaf\nmark_leaf: nop" : "+r"(x)); /* LINE leaf */
	return x + 1;
}

static inline __attribute__((always_inline)) int middle(int x)
{
	int y = x * 3;
	return leaf(y) * 2; /* LINE middle */
}

__attribute__((noinline, noclone)) int outer(int x) /* DECL outer */
{
	return middle(x) + 1; /* LINE outer */
}

static inline int both(int x) /* DECL both */
{
	__asm__ volatile("nop" : "+r"(x));
	return x ^ 7;
}

int (*volatile pointer)(int) = both;

__attribute__((noinline, noclone)) int nested(int x)
{
	int a = x;
	{
		int b = a + 1;
		{
			int c = b * 2;
			if (c > 5) {
				__asm__ volatile(".globl mark_both\nmark_both: nop");
				a = both(c); /* LINE nested */
			}
		}
	}
	return a;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? (int)strtol(argv[1], NULL, 0) : 5;
	return outer(n) + pointer(n) + nested(n) == 1 << 20;
}
