#include "runtime/base/sections.h"

#include "runtime/os/os.h"

/* The beginning of .bss, from the linker. */
extern char __bss_start[] __attribute__((visibility("hidden")));

static char before[1] CSPROF_BEFORE_TOGETHER __attribute__((aligned(OS_PAGE)));
static char after[1] CSPROF_AFTER_TOGETHER;

void csprof_touch_all(void)
{
	os_touch(__bss_start, after);
}

void csprof_touch_together(void)
{
	os_touch(before, after);
}
