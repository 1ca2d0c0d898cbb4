#include "tests/lib/unit/golden.h"

#include "hpcprof/load/ingest.h"
#include "hpcprof/terminal/layout.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/run_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void complain(void *context, const char *text)
{
	(void)context;
	fail_msg("%s", text);
}

void golden_add(struct model *m, const struct build_file *f, const char *path)
{
	struct reader *r;
	struct error e = {0};
	struct built b;

	build(f, &b);
	if (reader_open_memory(b.bytes, b.n, &r, &e) != 0)
		fail_msg("%s", e.text);
	if (ingest_datafile(m, r, path, NULL, complain, NULL, &e) != 0)
		fail_msg("%s", e.text);
	reader_close(r);
	built_free(&b);
}

char *golden_print(const char *line, unsigned width, const struct profile *p)
{
	struct error e = {0};
	size_t n = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &n);

	if (print_view(line, width, p, out, &e) != 0)
		fail_msg("%s", e.text);
	fclose(out);
	return text;
}

void golden_no_line_wider(const char *text, unsigned width)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = strndup(text, n);
		if (layout_width(line) > width)
			fail_msg("%u columns in place of %u: '%s'", layout_width(line), width,
				 line);
		free(line);
		text += n + (text[n] == '\n');
	}
}

void golden_check(const char *text, const char *folder, const char *name, unsigned width)
{
	const char *data = getenv("TAP_DATA");
	char path[4096];
	size_t n;
	char *want;
	FILE *f;

	golden_no_line_wider(text, width);
	snprintf(path, sizeof path, "%s/%s/%s.%u", data ? data : "tests/data", folder, name, width);
	if (getenv("GOLDEN_WRITE")) {
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(text, f);
		fclose(f);
		return;
	}
	f = fopen(path, "r");
	if (!f)
		fail_msg("cannot open %s", path);
	want = calloc(1, 100000);
	n = fread(want, 1, 99999, f);
	fclose(f);
	if (n != strlen(text) || memcmp(want, text, n) != 0)
		fail_msg("%s differs; this was printed:\n%s", path, text);
	free(want);
}
