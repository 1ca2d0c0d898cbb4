/* One wait without end. */
#include <unistd.h>

static __attribute__((noinline)) int waits_forever(void)
{
	for (;;)
		sleep(1000);
}

int main(void)
{
	return waits_forever();
}
