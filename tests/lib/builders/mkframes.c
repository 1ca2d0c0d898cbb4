/* mkframes [-l] FILE <ADDRESSES: resolve the hexadecimal addresses of a load module and print the
 * results in the format of addr2line -a -i -f -C; with -l with linkage names, where there are any.
 */
#include "symbolize/symbolize.h"

#include "formats/base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static size_t sort_distinct(uint64_t *at, size_t n)
{
	size_t m = 0;
	if (n)
		qsort(at, n, sizeof *at, compare);
	for (size_t i = 0; i < n; i++)
		if (!m || at[m - 1] != at[i])
			at[m++] = at[i];
	return m;
}

int main(int argc, char **argv)
{
	VEC(uint64_t) addresses = {0};
	struct symbol_table table;
	struct error why;
	char line[64];
	bool linkage = argc == 3 && strcmp(argv[1], "-l") == 0;
	if (argc != 2 + linkage)
		return 2;
	while (fgets(line, sizeof line, stdin))
		if (!vec_push(&addresses, strtoull(line, NULL, 16)))
			return 1;
	size_t n = sort_distinct(addresses.at, addresses.len);
	struct symbolize_request request = {.path = argv[argc - 1],
					    .name = "module",
					    .addresses = addresses.at,
					    .num_addresses = n};
	struct symbolizer *s = symbolizer_create(NULL);
	if (!s || symbolize_module(s, &request, &table, &why) != 0)
		return 1;
	if (why.kind != ERROR_NONE)
		fprintf(stderr, "%s\n", why.text);
	for (size_t i = 0; i < n; i++) {
		printf("0x%llx\n", (unsigned long long)addresses.at[i]);
		for (size_t k = table.first[i]; k < table.first[i + 1]; k++) {
			const struct symbol_frame *f = &table.frames[k];
			printf("%s\n%s:%u\n",
			       linkage ? f->function->linkage_name : f->function->name,
			       f->file ? f->file : "??", f->line);
		}
	}
	symbol_table_free(&table);
	symbolizer_destroy(s);
	vec_free(&addresses);
	return 0;
}
