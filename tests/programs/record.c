/* Record two amounts through the test build's wrapper: one at blamed_callee, and one, from the same
 * place, at its caller. Exits with 1 if there is no such wrapper. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

static int (*record)(uint64_t amount, uint32_t unwinds);
static volatile int sink;

__attribute__((noinline)) static void blamed_callee(void)
{
	sink += record(123457, 2);
	sink += record(765433, 3);
}

__attribute__((noinline)) static void blamed_caller(void)
{
	blamed_callee();
	sink++;
}

int main(void)
{
	record = (int (*)(uint64_t, uint32_t))dlsym(RTLD_DEFAULT, "oracle_record");
	if (!record)
		return 1;
	blamed_caller();
	return sink == 1 ? 0 : 2;
}
