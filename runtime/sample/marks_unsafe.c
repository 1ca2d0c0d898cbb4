#include "runtime/sample/marks_unsafe.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* Sorted and disjoint. */
struct range {
	uintptr_t low, high;
};
enum { MOST = 8 };
static struct range table[MOST];
static uint32_t num_ranges;

static void add(uintptr_t low, uintptr_t high)
{
	uint32_t at = num_ranges;
	for (uint32_t i = 0; i < num_ranges; i++)
		if (low < table[i].high && table[i].low < high)
			return; /* another name of the same function */
	if (num_ranges == MOST)
		return;
	for (; at > 0 && table[at - 1].low > low; at--)
		table[at] = table[at - 1];
	table[at] = (struct range){low, high};
	num_ranges++;
}

void csprof_marks_learn_unsafe(void)
{
	static const char *const names[] = {"mcount", "_mcount", "__fentry__"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		void *function = dlsym(RTLD_DEFAULT, names[i]);
		const ElfW(Sym) *symbol = NULL;
		Dl_info info;
		if (function && dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) &&
		    symbol)
			add((uintptr_t)function, (uintptr_t)function + symbol->st_size);
	}
	(void)dlerror(); /* the program asks for errors of its own */
}

bool csprof_marks_is_unsafe(uintptr_t ip)
{
	for (uint32_t i = 0; i < num_ranges && table[i].low <= ip; i++)
		if (ip < table[i].high)
			return true;
	return false;
}
