#include "runtime/launcher/labels.h"

#include "formats/identity/label_list.h"
#include "runtime/base/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *launch_label_add(char *list, const char *word)
{
	const char *equals = strchr(word, '=');
	char key[CSP_NAME_BYTES + 1];
	size_t n = equals ? (size_t)(equals - word) : 0, had = strlen(list);
	if (n == 0 || n >= sizeof key)
		return "expected KEY=VALUE, with a key of 1 to 255 bytes";
	if (strlen(equals + 1) > CSP_LABEL_BYTES)
		return "a value has at most 95 bytes";
	snprintf(key, sizeof key, "%.*s", (int)n, word);
	return label_list_add(list, had, key, equals + 1, false) == had
		   ? "there are too many labels"
		   : NULL;
}

int launch_labels_pass(const char *list)
{
	const char *had = getenv(HPCRUN_ENV_LABELS);
	char *all;
	if (!*list)
		return 0;
	if (asprintf(&all, "%s%s%s", had ? had : "", had && *had ? "," : "", list) < 0)
		return -1;
	int r = setenv(HPCRUN_ENV_LABELS, all, 1);
	free(all);
	return r;
}
