/* Functions of local and unnamed types, which gcc gives no linkage name: each is one of its own. */
#include "symbolize/symbolize.h"

#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/builders/elfmake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 8, NAME_BYTES = 400 };

/* What is expected at a label of local.cc: names, the innermost first, in which $TEXT$ is
 * local.cc:LINE with the line that contains "TYPE TEXT". */
struct expected {
	const char *label;
	const char *names[MOST_FRAMES];
};

static const struct expected all[] = {
    {"mark_one",
     {"main::{lambda at $one$:14}::operator()", "apply<main()::{lambda at $one$:14} >", "main"}},
    {"mark_two",
     {"main::{lambda at $two$:14}::operator()", "apply<main()::{lambda at $two$:14} >", "main"}},
    {"mark_left",
     {"main::{lambda at $left$:9}::operator()", "apply<main()::{lambda at $left$:9} >", "main"}},
    {"mark_right",
     {"main::{lambda at $left$:36}::operator()", "apply<main()::{lambda at $left$:36} >", "main"}},
    {"mark_local",
     {"main::Local::operator()", "apply<main()::Local> [Local at $local$:9]", "main"}},
    {"mark_inner",
     {"main::Local::operator()", "apply<main()::Local> [Local at $inner$:10]", "main"}},
    {"mark_boxed",
     {"main::Boxed::operator()", "shown::Box<main()::Boxed>::open [Boxed at $boxed$:10]", "main"}},
    {"mark_within",
     {"main::{lambda at $outside$:10}::operator()::{lambda at $within$:10}::operator()",
      "apply<main()::{lambda at $outside$:10}::{lambda at $within$:10} >",
      "main::{lambda at $outside$:10}::operator()", "apply<main()::{lambda at $outside$:10} >",
      "main"}},
    {"mark_unnamed", {"main::{unnamed type at $unnamed$:9}::go", "main"}},
    {"mark_work", {"(anonymous namespace)::Hidden::work", "main"}},
    {"mark_plain", {"plain"}}, /* extern "C", in a namespace */
    {"mark_hidden",
     {"(anonymous namespace)::Hidden::operator()",
      "apply<(anonymous namespace)::Hidden> [Hidden at $hidden$:8]", "main"}},
};
enum { NUM_ALL = sizeof all / sizeof *all };

/* The frames at the labels; the symbolizer owns their names. */
static struct symbolizer *symbolizer;
static struct symbol_table tables[NUM_ALL];

static void forget(void)
{
	for (size_t i = 0; i < NUM_ALL; i++)
		symbol_table_free(&tables[i]);
	symbolizer_destroy(symbolizer);
	symbolizer = NULL;
}

static int teardown(void **state)
{
	(void)state;
	forget();
	return 0;
}

static void resolve(const char *file)
{
	struct error why;

	forget();
	symbolizer = symbolizer_create(NULL);
	assert_non_null(symbolizer);
	for (size_t i = 0; i < NUM_ALL; i++) {
		uint64_t address = elfmake_symbol(file, all[i].label);
		struct symbolize_request request = {.path = elfmake_path("%s", file),
						    .name = file,
						    .addresses = &address,
						    .num_addresses = 1};
		assert_int_equal(symbolize_module(symbolizer, &request, &tables[i], &why), 0);
		assert_int_equal(why.kind, ERROR_NONE);
	}
}

/* text with each $WHAT$ replaced; the same buffer each time. */
static const char *located(const char *text)
{
	static char name[NAME_BYTES];
	char *to = name;

	while (*text) {
		char what[32] = "TYPE ";
		const char *end = *text == '$' ? strchr(text + 1, '$') : NULL;
		if (!end) {
			*to++ = *text++;
			continue;
		}
		strncat(what, text + 1, (size_t)(end - text - 1));
		to += sprintf(to, "local.cc:%u", elfmake_line("local.cc", what));
		text = end + 1;
	}
	*to = '\0';
	return name;
}

static void names_say_where_types_are(void **state)
{
	(void)state;
	static const char *const kinds[] = {"-O2", "-O2 -gdwarf-4", "-O2 -gsplit-dwarf",
					    "-O2 -fdebug-types-section", "-O2 -flto -w"};

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		elfmake_run("g++ -g %s -o local $data/local.cc", kinds[k]);
		resolve("local");
		for (size_t i = 0; i < NUM_ALL; i++) {
			size_t n = tables[i].first[1];
			for (size_t f = 0; f < n; f++)
				assert_string_equal(tables[i].frames[f].function->name,
						    located(all[i].names[f]));
			assert_null(all[i].names[n]);
		}
	}
}

/* Whatever the compiler: two labels are in different functions, and the innermost have names, or
 * places, that tell them apart. */
static void expect_apart(void)
{
	for (size_t i = 0; i < NUM_ALL; i++)
		for (size_t k = 0; k < i; k++) {
			const struct symbol_function *a = tables[i].frames[0].function;
			const struct symbol_function *b = tables[k].frames[0].function;
			assert_true(strcmp(a->name, b->name) != 0 || a->line != b->line);
		}
}

static void each_is_a_function_of_its_own(void **state)
{
	(void)state;
	static const char *const compilers[] = {"g++", "clang++-14"};

	for (size_t c = 0; c < 2; c++) {
		if (!elfmake_have(compilers[c]))
			continue;
		for (int level = 0; level < 3; level++) {
			elfmake_run("%s -g -O%d -o local $data/local.cc", compilers[c], level);
			resolve("local");
			expect_apart();
		}
	}
}

static void the_deleting_destructor_is_another(void **state)
{
	(void)state;
	struct error why;
	static const char *const symbols[] = {"_ZN5shown7DerivedD0Ev", "_ZN5shown7DerivedD1Ev",
					      "_ZZ4mainEN7DroppedD0Ev", "_ZZ4mainEN7DroppedD1Ev"};
	static const char *const names[] = {
	    "shown::Derived::~Derived() [deleting]", "shown::Derived::~Derived()",
	    "main::Dropped::~Dropped [deleting]", "main::Dropped::~Dropped"};

	for (int level = 0; level < 3; level += 2) {
		elfmake_run("g++ -g -O%d -o local $data/local.cc", level);
		forget();
		symbolizer = symbolizer_create(NULL);
		for (size_t i = 0; i < 4; i++) {
			uint64_t address = elfmake_symbol("local", symbols[i]);
			struct symbolize_request request = {.path = elfmake_path("local"),
							    .name = "local",
							    .addresses = &address,
							    .num_addresses = 1};
			struct symbol_table *t = &tables[i];
			assert_int_equal(symbolize_module(symbolizer, &request, t, &why), 0);
			assert_string_equal(t->frames[t->first[1] - 1].function->name, names[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(names_say_where_types_are, teardown),
	    cmocka_unit_test_teardown(each_is_a_function_of_its_own, teardown),
	    cmocka_unit_test_teardown(the_deleting_destructor_is_another, teardown),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	elfmake_clean();
	return failed;
}
