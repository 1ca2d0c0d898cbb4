/* Fuzzes the text of labels and regions, which comes in the environment. What is read of it is
 * written again, and must read as the same, as far as there is room. */
#include "formats/identity/label_list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool ok)
{
	if (!ok)
		abort();
}

static size_t write_again(char *list, size_t n, const struct label_list_item *item)
{
	return item->region ? label_list_add_region(list, n, item->key)
			    : label_list_add(list, n, item->key, item->value, !item->number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), list[LABEL_LIST_BYTES + 1] = "";
	struct label_list_item item, again;
	const char *at = text, *other = list;
	size_t n = 0;
	need(text);
	memcpy(text, data, size);
	text[size] = '\0';
	while (label_list_next(&at, &item)) {
		size_t had = n;
		n = write_again(list, n, &item);
		need(n <= LABEL_LIST_BYTES && list[n] == '\0' && strlen(list) == n);
		if (n == had)
			continue;
		need(label_list_next(&other, &again));
		need(strcmp(item.key, again.key) == 0 && strcmp(item.value, again.value) == 0);
		need(item.number == again.number && item.region == again.region);
	}
	need(!label_list_next(&other, &again));
	free(text);
	return 0;
}
