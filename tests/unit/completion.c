/* What the shells are told that can be typed next. */
#include "formats/base/completion.h"
#include "hpcprof/commands.h"
#include "hpcprof/complete/complete.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

/* Split a line at its spaces; a space at its end begins an empty word. Returns their number. */
static size_t split(char *line, const char **words)
{
	size_t n = 0;
	char *word;

	while ((word = strsep(&line, " "))) {
		assert_in_range(n, 0, MOST - 1);
		words[n++] = word;
	}
	return n;
}

/* ---- the place in a line -------------------------------------------------------------------- */

static const char *const sizes[] = {"small", "large", "x\ny", NULL};
static const struct completion_option options[] = {
    {'s', "size", "SIZE", sizes, "how much"},
    {'o', "output", "FILE", NULL, "write\nthere"},
    {0, "folder", "DIR", NULL, NULL},
    {'q', "quiet", NULL, NULL, "say nothing"},
};
enum { OPTIONS = sizeof options / sizeof *options };

/* What is offered for the last word of the line: options, values. */
static void offers(const char *line, bool is_prefix, size_t num_plain, const char *expected)
{
	char *copy = strdup(line), *text = NULL;
	const char *words[MOST], *plain[MOST];
	struct completion c;
	size_t bytes, n = split(copy, words);
	FILE *out = open_memstream(&text, &bytes);

	completion_find(&c, options, OPTIONS, words, n, is_prefix, plain, out);
	if (c.option)
		completion_offer_values(&c);
	for (size_t i = 0; c.is_option && i < OPTIONS; i++)
		completion_offer_option(&c, &options[i]);
	fclose(out);
	if (strcmp(text, expected) != 0)
		fail_msg("'%s' has '%s'", line, text);
	if (c.num_plain != num_plain)
		fail_msg("'%s' has %zu plain words", line, c.num_plain);
	assert_int_equal(c.first_plain<n, num_plain> 0);
	if (num_plain)
		assert_ptr_equal(words[c.first_plain], plain[0]);
	free(text);
	free(copy);
}

static void places_in_a_line(void **unused)
{
	static const char all[] =
	    "--size\thow much\n--output\twrite there\n--folder\t\n--quiet\tsay nothing\n";
	(void)unused;

	offers("-", false, 0, all);
	offers("--", false, 0, all);
	offers("a --q", false, 1, "--quiet\tsay nothing\n");
	offers("--qx", false, 0, "");
	offers("--size ", false, 0, "small\t\nlarge\t\n"); /* not the one with a newline */
	offers("-s s", false, 0, "small\t\n");
	offers("-qs s", false, 0, "small\t\n");
	offers("-ss", false, 0, "-ssmall\t\n");
	offers("-qsl", false, 0, "-qslarge\t\n");
	offers("--size=", false, 0, "--size=small\t\n--size=large\t\n");
	offers("--size=l", false, 0, "--size=large\t\n");
	offers("--size=l a ", false, 1, "");
	offers("--size small b a", false, 1, "");
	offers("--quiet=", false, 0, "");
	offers("-o ", false, 0, ":file\n");
	offers("-ox ", false, 0, "");
	offers("--output=x", false, 0, ":file\n");
	offers("--folder x", false, 0, ":directory\n");
	offers("--unknown s", false, 0, "");
	offers("-z s", false, 0, "");
	offers("-- -", false, 0, "");
	offers("-- --size ", false, 1, "");
	offers("a -s --", false, 1, "");
	offers("a --si", false, 1, "--size\thow much\n");
	offers("a --si", true, 1, ""); /* a's own */
	offers("-q a -s ", true, 2, "");
	offers("a -q b -s ", true, 4, "");
	offers("- b ", false, 2, "");
}

/* ---- hpcprof -------------------------------------------------------------------------------- */

static char *answer_to(const char *line)
{
	char *copy = strdup(line), *text = NULL;
	const char *words[MOST];
	struct error e;
	size_t bytes, n = split(copy, words);
	FILE *out = open_memstream(&text, &bytes);

	assert_int_equal(complete(out, commands_all, words, n, &e), 0);
	fclose(out);
	free(copy);
	return text;
}

static bool has_line(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (; *text; text += strcspn(text, "\n") + 1)
		if (strncmp(text, word, n) == 0 && (text[n] == '\t' || text[n] == '\n'))
			return true;
	return false;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void check_rows(const struct command *c, const struct option_row *const *tables,
		       const char *text, size_t *n)
{
	char word[200];

	for (; *tables; tables++)
		for (const struct option_row *r = *tables; r->name; r++, ++*n) {
			snprintf(word, sizeof word, "--%s", r->name);
			if (!has_line(text, word))
				fail_msg("%s: no %s", c->name, word);
			for (const char *const *w = r->words; w && *w; w++) {
				char *values;
				snprintf(word, sizeof word, "%s --%s=", c->name, r->name);
				values = answer_to(word);
				snprintf(word, sizeof word, "--%s=%s", r->name, *w);
				if (!has_line(values, word))
					fail_msg("%s: no %s", c->name, word);
				free(values);
			}
		}
}

/* Each option of each command and each of its words is offered, and none besides. */
static void every_option(void **unused)
{
	(void)unused;
	for (const struct command *const *c = commands_all; *c; c++) {
		char line[64], *text;
		size_t n = 0;
		snprintf(line, sizeof line, "%s --", (*c)->name);
		text = answer_to(line);
		check_rows(*c, (*c)->options, text, &n);
		check_rows(*c, command_common_options, text, &n);
		assert_in_range(n, 5, 100);
		assert_int_equal(count_lines(text), n);
		free(text);
	}
}

static void every_command(void **unused)
{
	char *text = answer_to("");
	(void)unused;

	for (const struct command *const *c = commands_all; *c; c++)
		if (!has_line(text, (*c)->name))
			fail_msg("no %s", (*c)->name);
	free(text);
	text = answer_to("tree tr"); /* a PROFILE */
	assert_null(strstr(text, "tree"));
	free(text);
}

static void named_queries_and_subjects(void **unused)
{
	char *text = answer_to("query --format csv only");
	(void)unused;

	assert_true(has_line(text, "only-beneath"));
	assert_int_equal(count_lines(text), 1);
	free(text);
	text = answer_to("annotate x");
	assert_string_equal(text, ":file\n");
	free(text);
	text = answer_to("callers x");
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(places_in_a_line), cmocka_unit_test(every_option),
	    cmocka_unit_test(every_command), cmocka_unit_test(named_queries_and_subjects)};

	return cmocka_run_group_tests_name("completion", tests, NULL, NULL);
}
