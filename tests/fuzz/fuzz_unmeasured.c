/* Fuzzes the list of programs that were not measured: its names are parts of its lines, each has a
 * reason, and the starts are those of its lines in the right form. */
#include "hpcprof/load/unmeasured.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unmeasured_list list = {0};
	struct arena arena;
	struct error e;
	size_t lines = 0, starts = 0;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	arena_init(&arena);
	need(unmeasured_add(&list, (const char *)data, size, &arena, &e) == 0);
	need(list.len <= lines + 1);
	lines = list.len;
	unmeasured_sort(&list);
	for (size_t i = 0; i < list.len; i++) {
		const struct unmeasured *u = &list.at[i];
		need(u->name[0] && !strchr(u->name, '/') && !strchr(u->name, '\n'));
		need(memmem(data, size, u->name, strlen(u->name)) != NULL);
		need(u->reason && u->starts && (!i || u->starts <= list.at[i - 1].starts));
		starts += u->starts;
	}
	need(starts == lines);
	vec_free(&list);
	arena_deinit(&arena);
	return 0;
}
