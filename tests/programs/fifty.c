/* Fifty functions in turn, each with its part of the time: one with about a third, nine with 3%,
 * and forty with 1%.
 *
 * fifty ROUNDS [FUNCTION PERCENT]: with work in FUNCTION (0 to 49) of PERCENT of the usual. The
 * third has number 7. 10,000 rounds take about 2 seconds. Compiled with -DMOVED, all code and lines
 * are elsewhere. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef MOVED
static volatile uint64_t before;
__attribute__((noinline)) static void more(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		before = before * 3 + i;
}

#endif

static volatile uint64_t result;

#define WORK(number)                                                                               \
	__attribute__((noinline)) static void work##number(uint64_t n)                             \
	{                                                                                          \
		uint64_t x = (number) + 1;                                                         \
		for (uint64_t i = 0; i < n; i++)                                                   \
			x = x * UINT64_C(6364136223846793005) + (number);                          \
		result = x;                                                                        \
	}
#define FIFTY(X)                                                                                   \
	X(0)                                                                                       \
	X(1)                                                                                       \
	X(2)                                                                                       \
	X(3)                                                                                       \
	X(4)                                                                                       \
	X(5)                                                                                       \
	X(6)                                                                                       \
	X(7)                                                                                       \
	X(8)                                                                                       \
	X(9)                                                                                       \
	X(10)                                                                                      \
	X(11)                                                                                      \
	X(12)                                                                                      \
	X(13)                                                                                      \
	X(14)                                                                                      \
	X(15)                                                                                      \
	X(16)                                                                                      \
	X(17)                                                                                      \
	X(18)                                                                                      \
	X(19)                                                                                      \
	X(20)                                                                                      \
	X(21)                                                                                      \
	X(22)                                                                                      \
	X(23)                                                                                      \
	X(24)                                                                                      \
	X(25)                                                                                      \
	X(26)                                                                                      \
	X(27)                                                                                      \
	X(28)                                                                                      \
	X(29)                                                                                      \
	X(30)                                                                                      \
	X(31)                                                                                      \
	X(32)                                                                                      \
	X(33)                                                                                      \
	X(34)                                                                                      \
	X(35)                                                                                      \
	X(36)                                                                                      \
	X(37)                                                                                      \
	X(38)                                                                                      \
	X(39)                                                                                      \
	X(40)                                                                                      \
	X(41)                                                                                      \
	X(42)                                                                                      \
	X(43)                                                                                      \
	X(44)                                                                                      \
	X(45)                                                                                      \
	X(46)                                                                                      \
	X(47)                                                                                      \
	X(48)                                                                                      \
	X(49)

FIFTY(WORK)

#define CALL(number) work##number(work[number]);

int main(int argc, char **argv)
{
	uint64_t work[50];
	long rounds = argc > 1 ? atol(argv[1]) : 0;
	int slow = argc > 3 ? atoi(argv[2]) : 0;

	if (rounds < 1 || slow < 0 || slow > 49) {
		fprintf(stderr, "usage: fifty ROUNDS [FUNCTION PERCENT]\n");
		return 2;
	}
#ifdef MOVED
	more((uint64_t)argc);
#endif
	for (int i = 0; i < 50; i++)
		work[i] = i == 7 ? 60000 : i % 5 ? 1500 : 4500;
	if (argc > 3)
		work[slow] = work[slow] * (uint64_t)atol(argv[3]) / 100;
	for (long r = 0; r < rounds; r++) {
		FIFTY(CALL)
	}
	return 0;
}
