/* The command line of hpcprof: the tables of options, and what is accepted and refused. */
#include "hpcprof/commands.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/run_view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the tables ------------------------------------------------------------------------ */

static const struct option_row *rows[1000];
static size_t num_rows;

static void collect(void)
{
	num_rows = 0;
	for (const struct command *const *c = commands_all; *c; c++)
		for (const struct option_row *const *t = (*c)->options; *t; t++)
			for (const struct option_row *r = *t; r->name; r++)
				rows[num_rows++] = r;
	for (const struct option_row *r = common_input_options; r->name; r++)
		rows[num_rows++] = r;
	assert_in_range(num_rows, 40, 1000);
}

/* A letter has one name and a name has one letter, and it always or never takes a value: options
 * are read before the command is known. */
static void test_one_meaning(void **state)
{
	(void)state;
	collect();
	for (size_t i = 0; i < num_rows; i++)
		for (size_t k = 0; k < i; k++) {
			const struct option_row *a = rows[i], *b = rows[k];
			bool same = strcmp(a->name, b->name) == 0;
			if (a->letter && a->letter == b->letter && !same)
				fail_msg("-%c is --%s and --%s", a->letter, a->name, b->name);
			if (same && (a->letter != b->letter || !a->argument != !b->argument))
				fail_msg("--%s differs", a->name);
		}
}

/* No option is in two tables of a command. */
static void test_no_row_twice(void **state)
{
	(void)state;
	for (const struct command *const *c = commands_all; *c; c++) {
		const char *names[100];
		size_t n = 0;
		for (const struct option_row *const *t = (*c)->options; *t; t++)
			for (const struct option_row *r = *t; r->name; r++) {
				for (size_t i = 0; i < n; i++)
					assert_string_not_equal(names[i], r->name);
				assert_true(r->field < (*c)->size);
				names[n++] = r->name;
			}
		assert_true((*c)->size >= sizeof(struct common));
		assert_non_null((*c)->run);
	}
}

/* ---- lines ----------------------------------------------------------------------------- */

static void parse(struct view_line *v, const char *line)
{
	struct error e;

	if (view_line_parse(v, line, NULL, 0, &e) != 0)
		fail_msg("%s: %s", line, e.text);
}

static void test_values(void **state)
{
	(void)state;
	struct view_line v;

	parse(&v, "-m A -mB --metric=C -n 0 -s total --samples --by host --stats data");
	assert_string_equal(v.parsed.command->name, "text");
	assert_false(v.parsed.named);
	assert_int_equal(v.common->metrics.len, 3);
	assert_string_equal(v.common->metrics.at[2], "C");
	assert_true(v.common->rows == UINT64_MAX);
	assert_int_equal(v.common->sort, SORT_INCLUSIVE);
	assert_true(v.common->samples && v.common->stats && !v.common->ci);
	assert_int_equal(v.common->by, UNIT_HOST);
	assert_int_equal(v.common->num_profiles, 1);
	view_line_free(&v);
	parse(&v, "text a b");
	assert_true(v.common->rows == 0 && v.common->sort == SORT_USUAL && !v.common->by);
	assert_int_equal(v.common->num_profiles, 2);
	view_line_free(&v);
}

/* The command may follow options, if it is the first word that is not an option. */
static void test_command(void **state)
{
	(void)state;
	static const char *const lines[] = {"callers f data -n 3", "-n 3 callers f data",
					    "-n3 callers -- f data", "--row 3 callers f data"};
	struct view_line v;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		parse(&v, lines[i]);
		assert_string_equal(v.parsed.command->name, "callers");
		assert_string_equal(v.common->subject, "f");
		assert_string_equal(v.common->profiles[0], "data");
		assert_int_equal(v.common->num_profiles, 1);
		assert_int_equal(v.common->rows, 3);
		view_line_free(&v);
	}
	parse(&v, "query --list");
	assert_int_equal(v.common->num_profiles, 0);
	view_line_free(&v);
}

static void test_help(void **state)
{
	(void)state;
	char *argv[] = {(char *)"hpcprof", (char *)"tree", (char *)"--help", NULL};
	char *brief[] = {(char *)"hpcprof", (char *)"-h", NULL};
	struct command_line l;
	struct error e;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_int_equal(command_line_parse(&l, commands_all, 2, brief, stdout, &e), 0);
	assert_true(l.help && !l.named);
	assert_int_equal(command_line_parse(&l, commands_all, 3, argv, stdout, &e), 0);
	assert_true(l.help && l.named && !l.options);
	command_help(out, l.command);
	fclose(out);
	assert_non_null(strstr(text, "--bottom-up"));
	assert_non_null(strstr(text, "--metric"));
	assert_null(strstr(text, "--append"));
	free(text);
	command_line_deinit(&l);
}

static void test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *line, *says;
	} cases[] = {
	    {"", "no PROFILE given"},
	    {"tree", "no PROFILE given"},
	    {"callers f", "callers needs FUNCTION and a PROFILE"},
	    {"query", "no PROFILE given"},
	    {"tree -n 3 data", "tree does not take --rows"},
	    {"top --format csv data", "top does not take --format"},
	    {"tree -x data", "unknown option -x"},
	    {"tree --nothing data", "unknown option --nothing"},
	    {"tree --botom-up data", "unknown option --botom-up; did you mean --bottom-up?"},
	    {"--lins data", "unknown option --lins; did you mean --lines?"},
	    {"--screns=3 top data", "unknown option --screns; did you mean --screens?"},
	    {"dump --apend data", "unknown option --apend; did you mean --append?"},
	    {"--f data", "--f can be any of --focus, --folders, --files, --functions, "},
	    {"tree --all=3 data", "--all takes no value"},
	    {"tre", "tre is neither a command nor a file; did you mean tree?"},
	    {"calers f data", "calers is neither a command nor a file; did you mean callers?"},
	    {"tree data -m", "-m needs a value"},
	    {"-n 4294967296 data", "-n takes a whole number up to 4294967295, not '4294967296'"},
	    {"-n -1 data", "-n takes a whole number"},
	    {"-n 1x data", "-n takes a whole number"},
	    {"-j 0 data", "-j takes a number from 1 to 1024, not '0'"},
	    {"-j 1025 data", "-j takes a number from 1 to 1024"},
	    {"-s x data", "-s takes self, total or name, not 'x'"},
	    {"db --per-profile x data", "--per-profile takes yes or no, not 'x'"},
	    {"tree --min 100.1 data", "--min takes a percentage from 0 to 100"},
	    {"tree --min -1 data", "--min takes a percentage"},
	    {"tree --min 0x1 data", "--min takes a percentage"},
	    {"top -d 0.09 data", "-d takes a number of seconds from 0.1 to 86400"},
	    {"top -d 86401 data", "-d takes a number of seconds"},
	    {"nothing data", "nothing is neither a command nor a file (the commands are text, "},
	    {"--files-from /nonexistent/list", "/nonexistent/list cannot be read"},
	};

	char empty[] = "/tmp/command.XXXXXX";

	assert_non_null(mkdtemp(empty));
	assert_int_equal(chdir(empty), 0); /* without a newest measurement */
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct view_line v;
		struct error e;
		if (view_line_parse(&v, cases[i].line, NULL, 0, &e) == 0)
			fail_msg("'%s' is taken", cases[i].line);
		if (!strstr(e.text, cases[i].says))
			fail_msg("'%s' says '%s'", cases[i].line, e.text);
		view_line_free(&v);
	}
	assert_int_equal(rmdir(empty), 0);
}

/* The smallest and largest values of options. */
static void test_bounds(void **state)
{
	(void)state;
	static const char *const lines[] = {
	    "-n 4294967295 -j 1024 data", "-j 1 data",       "tree --min 0 --depth 4294967295 data",
	    "tree --min 100 data",        "top -d 0.1 data", "top -d 86400 --screens 0 data"};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct view_line v;
		parse(&v, lines[i]);
		view_line_free(&v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one_meaning), cmocka_unit_test(test_no_row_twice),
	    cmocka_unit_test(test_values),      cmocka_unit_test(test_command),
	    cmocka_unit_test(test_help),        cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_bounds)};

	return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
