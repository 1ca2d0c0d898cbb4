/* Compares the text view with golden outputs, and tests its layout functions. */
#include "formats/base/utf8.h"
#include "hpcprof/terminal/layout.h"
#include "hpcprof/terminal/name_cuts.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/fake_code.h"
#include "tests/lib/unit/golden.h"
#include "tests/lib/unit/run_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- layout ---------------------------------------------------------------------- */

static void test_clean(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} cases[] = {
	    {"", ""},
	    {"plain", "plain"},
	    {"a\x1b[31mb\n", "a\\x1b[31mb\\x0a"},
	    {"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80",
	     "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80"},
	    {"\xc3", "\\xc3"},
	    {"\xc0\xaf", "\\xc0\\xaf"},                   /* overlong */
	    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* surrogate */
	    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* above the last code point */
	    {"\xff", "\\xff"},
	    {"\xc2\x9b", "\\u{9b}"},           /* a two-byte control character */
	    {"x\xe2\x80\xaey", "x\\u{202e}y"}, /* changes the direction of text */
	    {"\x7f", "\\x7f"},
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(layout_clean(&a, cases[i].in), cases[i].out);
	arena_deinit(&a);
}

/* The control characters, and those of Unicode that change how the text around them is shown. */
static void test_harmful_characters(void **state)
{
	(void)state;
	static const uint32_t ranges[][2] = {{0x01, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},
					     {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
					     {0xfeff, 0xfeff}};
	struct arena a;

	arena_init(&a);
	for (uint32_t code = 1; code < 0x10400; code++) {
		char in[5] = "", want[16] = "";
		bool harmful = false;
		if (code >= 0xd800 && code < 0xe000)
			continue; /* surrogates */
		for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
			harmful |= code >= ranges[i][0] && code <= ranges[i][1];
		if (code < 0x80)
			in[0] = (char)code;
		else if (code < 0x800)
			sprintf(in, "%c%c", 0xc0 | code >> 6, 0x80 | (code & 63));
		else if (code < 0x10000)
			sprintf(in, "%c%c%c", 0xe0 | code >> 12, 0x80 | (code >> 6 & 63),
				0x80 | (code & 63));
		else
			sprintf(in, "%c%c%c%c", 0xf0 | code >> 18, 0x80 | (code >> 12 & 63),
				0x80 | (code >> 6 & 63), 0x80 | (code & 63));
		sprintf(want, code < 0x80 ? "\\x%02x" : "\\u{%x}", code);
		assert_string_equal(layout_clean(&a, in), harmful ? want : in);
	}
	arena_deinit(&a);
}

static void test_widths_and_cuts(void **state)
{
	(void)state;
	struct arena a;

	arena_init(&a);
	assert_int_equal(layout_width("abc"), 3);
	assert_int_equal(layout_width("na\xc3\xafve"), 5);
	assert_int_equal(layout_width("\xe6\xbc\xa2\xe5\xad\x97"), 4); /* two wide ones */
	assert_int_equal(layout_width("e\xcc\x81"), 1);                /* an accent of its own */
	assert_int_equal(layout_width("\xcd\xb8"), 1); /* U+0378, which is no character */
	assert_string_equal(layout_cut_middle(&a, "0123456789", 10), "0123456789");
	assert_string_equal(layout_cut_middle(&a, "0123456789a", 10), "01...6789a");
	assert_string_equal(layout_cut_left(&a, "/usr/lib/x.so", 9), "...b/x.so");
	assert_string_equal(layout_cut_left(&a, "/usr/lib/x.so", 2), "..");
	for (unsigned width = 0; width < 30; width++) {
		const char *s =
		    "std::vector<\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2>::push_back(\xc3\xaf)";
		assert_true(layout_width(layout_cut_middle(&a, s, width)) <= width);
		assert_true(layout_width(layout_cut_left(&a, s, width)) <= width);
	}
	assert_string_equal(layout_cut_name(&a, "f(int, long)", 12), "f(int, long)");
	assert_string_equal(layout_cut_name(&a, "f(int, long)", 11), "f(...)");
	assert_string_equal(layout_cut_name(&a, "a<b<c> >::d() const", 17), "a<...>::d() const");
	assert_string_equal(layout_cut_name(&a, "a<b<c> >::d() const", 11), "a<...>::d()");
	assert_string_equal(layout_cut_name(&a, "void a<b>::done(int) const", 14), "void a::done");
	assert_string_equal(layout_cut_name(&a, "Outer.f.<locals>.<lambda>", 20),
			    "Outer....s>.<lambda>");
	assert_string_equal(layout_cut_name(&a, "std::operator<< <char, long>(x&)", 26),
			    "std::operator<< <...>(...)");
	assert_string_equal(layout_cut_name(&a, "T::operator()(int, int, int) const", 26),
			    "T::operator()(...) const");
	arena_deinit(&a);
}

static void test_numbers(void **state)
{
	(void)state;
	static const struct {
		uint64_t value;
		const char *unit, *text;
	} cases[] = {
	    {0, "ns", "0 ns"},
	    {999, "ns", "999 ns"},
	    {1000, "ns", "1.00 us"},
	    {1234567, "ns", "1.23 ms"},
	    {12345678, "ns", "12.3 ms"},
	    {999600000, "ns", "1.00 s"},
	    {100000000000, "ns", "100 s"},
	    {119000000000, "ns", "119 s"},
	    {150000000000, "ns", "2.50 min"},
	    {7200000000000, "ns", "2.00 h"},
	    {UINT64_MAX, "ns", "5124095.58 h"},
	    {1023, "bytes", "1023 B"},
	    {1536, "bytes", "1.50 KiB"},
	    {UINT64_C(1) << 40, "bytes", "1.00 TiB"},
	    {0, "count", "0"},
	    {123456, "count", "123,456"},
	    {12345678, "", "12.3 M"},
	    {UINT64_MAX, "count", "18446744 T"},
	};
	char out[LAYOUT_NUMBER_BYTES];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(layout_value(out, cases[i].value, cases[i].unit),
				    cases[i].text);
	assert_string_equal(layout_exact(out, UINT64_MAX), "18,446,744,073,709,551,615");
	assert_string_equal(layout_percent(out, 1, 3), "33.3%");
	assert_string_equal(layout_percent(out, 3, 3), "100.0%");
	assert_string_equal(layout_percent(out, 3, 0), "-");
}

/* ---- names that stay different when they are cut ----------------------------------------- */

static const char *const alike[] = {
    "search::Pair<search::And>::evaluate(search::Index const&) const",
    "search::Pair<search::Or>::evaluate(search::Index const&) const",
    "search::Pair<search::Or>::evaluate(search::Text const&) const",
    "a_function_whose_name_is_long_and_ends_in_a_number_17",
    "a_function_whose_name_is_long_and_ends_in_a_number_18",
    "a_function_whose_name_is_long_18_and_ends_in_a_number",
    "a_function_whose_name_is_long_19_and_ends_in_a_number",
    "a_function_whose_name_is_long_and_ends_in_a_number_17", /* again */
    "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97::f",
    "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa3\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97::f",
    "short",
    "",
};
enum { ALIKE = sizeof alike / sizeof *alike };

static void assert_apart(const char *const *shown, unsigned width)
{
	for (size_t i = 0; i < ALIKE; i++) {
		uint32_t code;
		assert_non_null(shown[i]);
		assert_true(layout_width(shown[i]) <= width);
		for (const char *s = shown[i]; *s; s += utf8_decode(s, SIZE_MAX, &code))
			assert_true(utf8_decode(s, SIZE_MAX, &code) > 0);
		for (size_t k = 0; k < i; k++)
			assert_int_equal(strcmp(shown[i], shown[k]) == 0,
					 strcmp(alike[i], alike[k]) == 0);
	}
}

static void test_names_apart(void **state)
{
	(void)state;
	const char *shown[ALIKE];
	struct arena a;

	arena_init(&a);
	for (unsigned width = 4; width <= 70; width++) {
		for (size_t i = 0; i < ALIKE; i++)
			shown[i] = layout_cut_name(&a, alike[i], width);
		assert_true(name_cuts_all(&a, alike, shown, ALIKE, width));
		assert_apart(shown, width);
	}
	for (size_t i = 0; i < ALIKE; i++)
		shown[i] = layout_cut_name(&a, alike[i], 40);
	assert_true(name_cuts_all(&a, alike, shown, ALIKE, 40));
	assert_string_equal(shown[0], "search::Pair<sea...And...uate(...) const");
	assert_non_null(strstr(shown[5], "18_and"));
	assert_string_equal(shown[10], "short");
	arena_deinit(&a);
}

/* The same, one after the other: the first stays as it was. */
static void test_next_name_apart(void **state)
{
	(void)state;
	const char *shown[ALIKE];
	struct arena a;

	arena_init(&a);
	for (unsigned width = 4; width <= 70; width++) {
		struct name_cuts cuts = {.arena = &a};
		for (size_t i = 0; i < ALIKE; i++)
			shown[i] = name_cuts_next(&cuts, alike[i], width);
		assert_apart(shown, width);
		assert_string_equal(shown[0], layout_cut_name(&a, alike[0], width));
		name_cuts_deinit(&cuts);
	}
	arena_deinit(&a);
}

/* Many names that differ where there is no room to show it are numbered. */
static void test_names_numbered(void **state)
{
	(void)state;
	enum { MANY = 300, WIDTH = 6 };
	static const char *names[MANY], *shown[MANY];
	struct arena a;

	arena_init(&a);
	for (int i = 0; i < MANY; i++) {
		names[i] = layout_format(&a, "f%0*d%04d%0*d", i % 7 * 10, 0, i, i % 5 * 10, 0);
		shown[i] = layout_cut_name(&a, names[i], WIDTH);
	}
	assert_true(name_cuts_all(&a, names, shown, MANY, WIDTH));
	for (int i = 0; i < MANY; i++) {
		assert_true(layout_width(shown[i]) <= WIDTH);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(shown[i], shown[k]);
	}
	/* one after the other, each always the same */
	struct name_cuts cuts = {.arena = &a};
	for (int i = 0; i < MANY; i++)
		shown[i] = name_cuts_next(&cuts, names[i], WIDTH);
	for (int i = MANY - 1; i >= 0; i--)
		assert_string_equal(name_cuts_next(&cuts, names[i], WIDTH), shown[i]);
	name_cuts_deinit(&cuts);
	arena_deinit(&a);
}

/* A table cuts no cell if the output has no width; one that is longer than its column moves only
 * its row. */
static void test_whole_table(void **state)
{
	(void)state;
	static const struct layout_column columns[] = {{"name", false, CUT_NAME, 10},
						       {"module", false, CUT_LEFT, 10}};
	struct arena a;
	char *text = NULL, longest[201];
	size_t size;

	memset(longest, 'x', 200);
	longest[200] = '\0';
	arena_init(&a);
	for (int whole = 0; whole < 2; whole++) {
		struct layout_table t = {.arena = &a, .columns = columns, .num_columns = 2};
		FILE *out = open_memstream(&text, &size);
		const char *second;
		assert_true(layout_cell(&t, longest) && layout_cell(&t, "one") &&
			    layout_cell(&t, "short") && layout_cell(&t, "two"));
		assert_true(layout_print(out, &t, whole ? LAYOUT_WHOLE : LAYOUT_USUAL));
		fclose(out);
		assert_int_equal(strstr(text, longest) != NULL, whole);
		second = strstr(text, "  short");
		assert_in_range(strstr(second, "two") - second, 7, LAYOUT_USUAL - 3);
		layout_table_deinit(&t);
		free(text);
	}
	arena_deinit(&a);
}

/* ---- golden outputs ------------------------------------------------------------------ */

/* The report in short, as NAME, and with all sections, as NAME-all. */
static void golden_widths(const struct profile *p, const char *options, const char *name)
{
	static const unsigned widths[] = {80, 200};
	for (int i = 0; i < 4; i++) {
		bool all = i >= 2;
		char line[100], file[100];
		snprintf(line, sizeof line, "text%s %s", all ? " --all" : "", options);
		snprintf(file, sizeof file, "%s%s", name, all ? "-all" : "");
		char *text = golden_print(line, widths[i % 2], p);
		golden_check(text, "text", file, widths[i % 2]);
		free(text);
	}
}

enum { MAIN = 1, FIB, EVAL, CALL, PUSH, SORT, LESS, START, WORKER, COPY };
static const char *const names[FAKE_FUNCTIONS] = {
    "main",
    "fib",
    "_PyEval_EvalFrameDefault",
    "_PyFunction_Vectorcall",
    "std::vector<std::pair<std::__cxx11::basic_string<char, std::char_traits<char>, "
    "std::allocator<char> >, unsigned long>, std::allocator<std::pair<std::__cxx11::basic_string<"
    "char, std::char_traits<char>, std::allocator<char> >, unsigned long> > >::emplace_back<"
    "std::__cxx11::basic_string<char> const&, unsigned long>(std::__cxx11::basic_string<char> "
    "const&, unsigned long&&)",
    "sort_\xc3\xa4hnlich",
    "less\x1b[1m",
    "_start",
    "worker",
    "copy",
};

#define AT(base, f) ((base) + FAKE_CODE(f, 0, 0, 0))
#define BASE 0x10000000
#define LIB 0x70000000

static const struct build_pair cpu_about[] = {
    {"unit", "ns", 0},        {"source", "perf task-clock", 0},
    {"requested", "1000", 0}, {"achieved", "991", 0},
    {"kernel", "yes", 0},     {"jitter", "uniform", 0}};
static const struct build_pair count_about[] = {{"unit", "count", 0}};
static const struct build_metric metrics[] = {
    {"CPUTIME", CSP_METRIC_ASYNC, 1, cpu_about, 6},
    {"CPUTIME # samples", CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, 1000000, count_about, 1},
};
static const struct build_module modules[] = {
    {"/home/someone/projects/with a long name/build/release/bin/program", 0, BASE, 0x10000000,
     "aa"},
    {"/opt/nowhere/lib/x86_64-linux/libpython3.11.so.1.0", 0, LIB, 0x10000000, "bb"},
};
static const struct build_epoch epoch = {modules, 2};
static const struct build_node complete[] = {
    {0, 0, 0, {0}},
    {0, AT(BASE, START) + 1, 0, {0}},                                 /* 1 */
    {1, AT(BASE, MAIN) + 1, 0, {0}},                                  /* 2 */
    {2, AT(BASE, FIB) + 1, 0, {0}},                                   /* 3 */
    {3, AT(BASE, FIB) + 1, 0, {0}},                                   /* 4 */
    {4, AT(BASE, FIB) + 1, 0, {0}},                                   /* 5 */
    {5, AT(BASE, FIB), 0, {400000000, 400}},                          /* 6 */
    {3, AT(BASE, FIB), 0, {100000000, 100}},                          /* 7 */
    {2, AT(LIB, EVAL) + 1, 0, {0}},                                   /* 8 */
    {8, AT(LIB, CALL) + 1, 0, {0}},                                   /* 9 */
    {9, AT(LIB, EVAL) + 1, 0, {0}},                                   /* 10 */
    {10, AT(LIB, CALL) + 1, 0, {0}},                                  /* 11 */
    {11, LIB + FAKE_CODE(EVAL, 0, 0, 7), 0, {150000000, 150}},        /* 12 */
    {2, AT(BASE, PUSH) + 1, 0, {0}},                                  /* 13 */
    {13, BASE + FAKE_CODE(LESS, COPY, SORT, 3), 0, {200000000, 199}}, /* 14 */
    {13, AT(BASE, COPY), 0, {33333333, 33}},                          /* 15 */
};
static const struct build_node partial[] = {
    {0, 0, 0, {0}},
    {0, AT(BASE, WORKER) + 1, 0, {0}},
    {1, BASE + FAKE_CODE(COPY, 0, 0, 9), 0, {50000000, 51}},
};
static const struct build_tree trees[] = {{NULL, 0, complete, 16, 0, 0, CSP_NONE, 0},
					  {NULL, 0, partial, 3, 0, 1, CSP_NONE, 0}};
static const struct build_pair process[] = {
    {"command", "program\0--input\0a file", 22},
    {"executable", "/home/someone/projects/with a long name/build/release/bin/program", 0},
    {"host", "node7", 0},
    {"pid", "4242", 0},
    {"ppid", "1", 0},
    {"start_ns", "1700000000000000000", 0},
    {"wall_ns", "1000000000", 0},
    {"cpu_ns", "960000000", 0},
    {"end", "exit 0", 0},
    {"tool", "hpcrun 1.0", 0},
};
static const struct build_pair child_process[] = {
    {"command", "cc1", 0},
    {"host", "node7", 0},
    {"pid", "4243", 0},
    {"ppid", "4242", 0},
    {"start_ns", "1700000000100000000", 0},
    {"wall_ns", "2000000000", 0},
    {"cpu_ns", "960000000", 0},
    {"end", "signal 9", 0},
};
static const struct build_thread threads[] = {{4242, "program", 0, 1000000000, 960000000}};
static const struct build_account account[] = {
    {0, 0, "recorded", 882, 883333333},
    {0, 0, "partial", 51, 50000000},
    {0, 0, "unsafe code", 3, 3000000},
    {0, 0, "exception handling", 0, 0},
    {0, 0, "load map changing", 0, 0},
    {0, 0, "unwind failed", 20, 20000000},
    {0, 0, "out of memory", 0, 0},
    {0, 0, "own code", 0, 0},
    {0, 0, "reentered", 0, 0},
    {0, 0, "signal taken", 0, 0},
    {0, 0, "fault", 0, 0},
    {0, 0, "measuring off", 0, 0},
    {0, 0, "tail", 0, 3666667},
};
static const struct build_file program = {
    .target = "/bin/program",
    .metrics = metrics,
    .num_metrics = 2,
    .epochs = &epoch,
    .num_epochs = 1,
    .trees = trees,
    .num_trees = 2,
    .process = process,
    .num_process = 10,
    .threads = threads,
    .num_threads = 1,
    .account = account,
    .num_account = 13,
};

/* The profile of one or two processes; no file is read. */
static void make_profile(struct profile *p, bool two, bool other_order)
{
	struct build_file child = program;

	child.process = child_process;
	child.num_process = 8;
	memset(p, 0, sizeof *p);
	p->model = model_create();
	if (two && other_order)
		golden_add(p->model, &child, "b.csp");
	golden_add(p->model, &program, "a.csp");
	if (two && !other_order)
		golden_add(p->model, &child, "b.csp");
	assert_int_equal(model_finish(p->model, NULL), 0);
	fake_code(p->model, names, &p->code);
}

static void test_golden(void **state)
{
	(void)state;
	struct profile p;

	make_profile(&p, false, false);
	golden_widths(&p, "", "one-process");
	golden_widths(&p, "--samples -s total -n 3", "samples-total-3");
	profile_deinit(&p);
}

static void test_golden_two_processes(void **state)
{
	(void)state;
	struct profile p, q;
	char *a, *b;

	make_profile(&p, true, false);
	make_profile(&q, true, true);
	golden_widths(&p, "", "two-processes");
	a = golden_print("text --all", 100, &p);
	b = golden_print("text --all", 100, &q);
	assert_string_equal(a, b);
	free(a);
	free(b);
	profile_deinit(&p);
	profile_deinit(&q);
}

/* A sampled and a recorded metric, in the requested order. */
static void test_golden_two_metrics(void **state)
{
	(void)state;
	static const struct build_pair bytes[] = {{"unit", "bytes", 0}};
	static const struct build_metric both[] = {
	    {"CPUTIME", CSP_METRIC_ASYNC, 1, cpu_about, 6},
	    {"BYTES", 0, 1, bytes, 1},
	};
	struct build_file f = program;
	struct profile p = {0};

	f.metrics = both;
	f.without = 1 << CSP_CHUNK_ACCOUNT;
	p.model = model_create();
	golden_add(p.model, &f, "both.csp");
	assert_int_equal(model_finish(p.model, NULL), 0);
	fake_code(p.model, names, &p.code);
	golden_widths(&p, "-m bytes -m CPUTIME", "two-metrics");
	profile_deinit(&p);
}

/* An old file has no trailer, and its metric has no flags. */
static void test_golden_old_file(void **state)
{
	(void)state;
	static const struct build_metric old[] = {{"CPUTIME", 0, 1000, NULL, 0}};
	struct build_file f = program;
	struct profile p = {0};

	f.metrics = old;
	f.num_metrics = 1;
	f.no_flags = true;
	f.no_trailer = true;
	p.model = model_create();
	golden_add(p.model, &f, "old.csp");
	assert_int_equal(model_finish(p.model, NULL), 0);
	fake_code(p.model, names, &p.code);
	golden_widths(&p, "", "old-file");
	profile_deinit(&p);
}

/* A program that did nothing: zeros, and no division by zero. */
static void test_golden_nothing(void **state)
{
	(void)state;
	static const struct build_node root[] = {{0, 0, 0, {0}}};
	static const struct build_tree empty = {NULL, 0, root, 1, 0, 0, CSP_NONE, 0};
	static const struct build_account rows[] = {{0, 0, "recorded", 0, 0},
						    {0, 0, "tail", 0, 250000}};
	static const struct build_thread thread = {1, "true", 0, 300000, 250000};
	struct build_file f = program;
	struct profile p = {0};

	f.trees = &empty;
	f.num_trees = 1;
	f.account = rows;
	f.num_account = 2;
	f.threads = &thread;
	p.model = model_create();
	golden_add(p.model, &f, "idle.csp");
	assert_int_equal(model_finish(p.model, NULL), 0);
	fake_code(p.model, names, &p.code);
	golden_widths(&p, "", "nothing");
	profile_deinit(&p);
}

/* For any width from 60 columns, no line is wider. */
static void test_every_width(void **state)
{
	(void)state;
	struct profile p;

	make_profile(&p, true, false);
	for (unsigned width = 60; width < 260; width++) {
		char *text = golden_print(width % 2 ? "text" : "text --all", width, &p);
		golden_no_line_wider(text, width);
		free(text);
	}
	profile_deinit(&p);
}

static void test_unknown_metric(void **state)
{
	(void)state;
	struct error e = {0};
	struct profile p;
	FILE *out = fopen("/dev/null", "w");

	make_profile(&p, false, false);
	assert_int_equal(print_view("text -m BYTES", 80, &p, out, &e), -1);
	assert_int_equal(e.kind, ERROR_USAGE);
	assert_string_equal(e.text, "no metric 'BYTES' (the metrics are: CPUTIME)");
	fclose(out);
	profile_deinit(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_clean),
	    cmocka_unit_test(test_harmful_characters),
	    cmocka_unit_test(test_widths_and_cuts),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_names_apart),
	    cmocka_unit_test(test_next_name_apart),
	    cmocka_unit_test(test_names_numbered),
	    cmocka_unit_test(test_whole_table),
	    cmocka_unit_test(test_golden),
	    cmocka_unit_test(test_golden_two_processes),
	    cmocka_unit_test(test_golden_two_metrics),
	    cmocka_unit_test(test_golden_old_file),
	    cmocka_unit_test(test_golden_nothing),
	    cmocka_unit_test(test_every_width),
	    cmocka_unit_test(test_unknown_metric),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
