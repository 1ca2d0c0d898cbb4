/* Fuzzes the command line of hpcprof and the views that use its words: options, percentages,
 * folders, names and regular expressions. The input has an argument per line. What
 * command_line_parse accepts is run on a small profile. The view must print something or fail with
 * a message, and the trees' exclusive values must add up. */
#include "hpcprof/commands.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/load/profile.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/fake_code.h"
#include "tests/lib/unit/run_view.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *names[FAKE_FUNCTIONS];

static void need(bool ok)
{
	if (!ok)
		abort();
}

static void ignore(void *context, const char *text)
{
	(void)context;
	(void)text;
}

static struct profile *make_profile(void)
{
	static struct diag quiet = {.quiet = true};
	static struct profile p = {.diag = &quiet};
	struct reader *r;
	struct built b;
	struct error e;

	static const char *const some[] = {"main",
					   "std::vector<int, std::allocator<int> >::at(int)",
					   "a\x1b]0;b", "fib", "walk(tree*)"};

	if (p.model)
		return &p;
	for (unsigned i = 0; i < FAKE_FUNCTIONS; i++)
		names[i] = some[i % (sizeof some / sizeof *some)];
	build(&build_example, &b);
	p.model = model_create();
	need(reader_open_memory(b.bytes, b.n, &r, &e) == 0 &&
	     ingest_datafile(p.model, r, "example.csp", "/nonexistent", ignore, NULL, &e) == 0);
	reader_close(r);
	built_free(&b);
	need(model_finish(p.model, &e) == 0);
	fake_code(p.model, names, &p.code);
	return &p;
}

/* Commands that write files are not run. */
static void show(const struct command_line *l, bool writes)
{
	struct error e = {0};
	FILE *out;

	if (!l->command->print || writes)
		return;
	out = fopen("/dev/null", "w");
	need(out != NULL);
	if (l->command->print(out, make_profile(), l->options, &e) < 0)
		need(e.kind != ERROR_NONE && e.text[0]);
	fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { MOST = 32 };
	char *text = malloc(size + 1), *argv[MOST + 2] = {(char *)"hpcprof"}, *at, *word;
	struct command_line l;
	struct error e = {0};
	bool writes = false;
	int argc = 1;

	need(text != NULL);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	for (at = text; argc < MOST && (word = strsep(&at, "\n"));)
		argv[argc++] = word;
	for (int i = 1; i < argc; i++)
		writes |= strncmp(argv[i], "-o", 2) == 0 || strncmp(argv[i], "--o", 3) == 0;
	if (command_line_parse(&l, commands_all, argc, argv, stdout, &e) != 0)
		need(e.kind != ERROR_NONE && e.text[0]);
	else if (!l.help && !l.version)
		show(&l, writes);
	command_line_deinit(&l);
	free(text);
	return 0;
}
