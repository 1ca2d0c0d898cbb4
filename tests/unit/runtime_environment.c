/* The environment of the next image. */
#include "tests/lib/unit/cmocka_all.h"

#include "runtime/base/options.h"
#include "runtime/process/environment.h"
#include "runtime/process/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "/some/lib/libhpcrun.so"

/* The environment from the launcher; read once, as in a process. */
static char *launched[] = {(char *)"HPCRUN_OUT=/out",     (char *)"HPCRUN_LIBRARY=" LIBRARY,
			   (char *)"HPCRUN_IMAGE=1.5",    (char *)"HPCRUN_EVENTS=CPUTIME@f100",
			   (char *)"LD_PRELOAD=" LIBRARY, NULL};

static int read_options(void **unused)
{
	(void)unused;
	if (!csprof_options_read(launched))
		return -1;
	csprof_options.seq = 7; /* an eighth image of this process */
	return 0;
}

/* The environment that a call was given. */
struct given {
	char *const *variables;
	char text[512]; /* all variables, each ended by a newline */
};

static int look(char *const *variables, void *arg)
{
	struct given *g = arg;
	g->variables = variables;
	g->text[0] = '\0';
	for (size_t n = 0; *variables && n < sizeof g->text; variables++)
		n += (size_t)snprintf(g->text + n, sizeof g->text - n, "%s\n", *variables);
	return 42;
}

static void assert_given(char *const *variables, enum csprof_next next, const char *expected)
{
	struct given g;
	assert_int_equal(csprof_environment_call(variables, next, look, &g), 42);
	assert_string_equal(g.text, expected);
}

#define OURS "HPCRUN_OUT=/out\nHPCRUN_LIBRARY=" LIBRARY "\nHPCRUN_EVENTS=CPUTIME@f100\n"

static void complete_ones_stand(void **unused)
{
	(void)unused;
	struct given g;
	char *both[] = {(char *)"LD_PRELOAD=a.so:" LIBRARY, (char *)"HPCRUN_OUT=/other", NULL};
	csprof_environment_call(launched, CSPROF_NEXT_CHILD, look, &g);
	assert_ptr_equal(g.variables, launched);
	csprof_environment_call(both, CSPROF_NEXT_CHILD, look, &g);
	assert_ptr_equal(g.variables, both);
}

static void children_are_told_of_their_parent(void **unused)
{
	(void)unused;
	char *both[] = {(char *)"LD_PRELOAD=a.so:" LIBRARY, (char *)"HPCRUN_OUT=/other",
			(char *)"HPCRUN_IMAGE=9.9.9", NULL};
	csprof_process.pid = 123;
	csprof_process.pid_space = 18446744073709551615u;
	assert_given(both, CSPROF_NEXT_CHILD,
		     "HPCRUN_OUT=/other\nLD_PRELOAD=a.so:" LIBRARY
		     "\nHPCRUN_IMAGE=123.8.18446744073709551615\n");
	csprof_process.pid = 0;
}

static uint64_t space_read_from(char *image)
{
	char *variables[] = {(char *)"HPCRUN_OUT=/out", image, NULL};
	struct csprof_options before = csprof_options;
	csprof_options_read(variables);
	uint64_t space = csprof_options.pid_space;
	csprof_options = before;
	return space;
}

static void the_pid_space_is_that_of_the_process_or_its_parent(void **unused)
{
	(void)unused;
	char image[64];
	snprintf(image, sizeof image, "HPCRUN_IMAGE=%d.0.77", (int)getpid());
	assert_int_equal(space_read_from(image), 77);
	snprintf(image, sizeof image, "HPCRUN_IMAGE=%d.0.77", (int)getppid());
	assert_int_equal(space_read_from(image), 77);
	snprintf(image, sizeof image, "HPCRUN_IMAGE=%d.0.77", (int)getpid() + 1);
	assert_int_equal(space_read_from(image), 0);
	snprintf(image, sizeof image, "HPCRUN_IMAGE=%d", (int)getpid());
	assert_int_equal(space_read_from(image), 0);
}

static void stripped_ones_are_completed(void **unused)
{
	(void)unused;
	char *nothing[] = {NULL};
	char *some[] = {(char *)"A=1", (char *)"HPCRUN_OUT=/other", (char *)"B=2", NULL};
	assert_given(nothing, CSPROF_NEXT_CHILD, OURS "LD_PRELOAD=" LIBRARY "\n");
	assert_given(NULL, CSPROF_NEXT_CHILD, OURS "LD_PRELOAD=" LIBRARY "\n");
	assert_given(some, CSPROF_NEXT_CHILD,
		     "A=1\nHPCRUN_OUT=/other\nB=2\nHPCRUN_LIBRARY=" LIBRARY
		     "\nHPCRUN_EVENTS=CPUTIME@f100\nLD_PRELOAD=" LIBRARY "\n");
}

static void the_programs_own_preload_is_kept(void **unused)
{
	(void)unused;
	char *own[] = {(char *)"LD_PRELOAD=a.so b.so", NULL};
	char *empty[] = {(char *)"LD_PRELOAD=", NULL};
	assert_given(own, CSPROF_NEXT_CHILD, OURS "LD_PRELOAD=" LIBRARY ":a.so b.so\n");
	assert_given(empty, CSPROF_NEXT_CHILD, OURS "LD_PRELOAD=" LIBRARY "\n");
}

static void foreign_ones_have_our_library_taken_out(void **unused)
{
	(void)unused;
	struct given g;
	char *ours_alone[] = {(char *)"LD_PRELOAD=" LIBRARY, (char *)"A=1", NULL};
	char *both[] = {(char *)"LD_PRELOAD=a.so:" LIBRARY ":b.so", (char *)"A=1", NULL};
	char *own[] = {(char *)"LD_PRELOAD=a.so", NULL};
	assert_given(ours_alone, CSPROF_NEXT_FOREIGN, "A=1\n");
	assert_given(both, CSPROF_NEXT_FOREIGN, "A=1\nLD_PRELOAD=a.so:b.so\n");
	csprof_environment_call(own, CSPROF_NEXT_FOREIGN, look, &g);
	assert_ptr_equal(g.variables, own);
}

static int look_not(char *const *variables, void *arg)
{
	(void)variables, (void)arg;
	return 0;
}

static int look_later(char *const *variables, void *arg)
{
	csprof_environment_put_clock(1234567890123);
	return look(variables, arg);
}

static void the_next_image_is_told_its_number(void **unused)
{
	(void)unused;
	char *nothing[] = {NULL}, expected[512];
	csprof_process.pid = (uint32_t)getpid();
	csprof_process.pid_space = 77;
	snprintf(expected, sizeof expected,
		 OURS "LD_PRELOAD=" LIBRARY "\nHPCRUN_IMAGE=%d.8.77.00000000000000000000\n",
		 (int)getpid());
	assert_given(nothing, CSPROF_NEXT_IMAGE, expected);
	struct given g;
	csprof_environment_call(launched, CSPROF_NEXT_IMAGE, look, &g);
	assert_non_null(strstr(g.text, strstr(expected, "HPCRUN_IMAGE")));
	assert_null(strstr(strstr(g.text, "HPCRUN_IMAGE") + 1, "HPCRUN_IMAGE"));
	csprof_environment_call(nothing, CSPROF_NEXT_IMAGE, look_later, &g);
	assert_non_null(strstr(g.text, ".8.77.00000001234567890123\n"));
	/* of a call that has come back the memory is gone: this one is mapped */
	static char *many[2000 + 1];
	for (size_t i = 0; i < 2000; i++)
		many[i] = (char *)"A=1";
	csprof_environment_call(many, CSPROF_NEXT_IMAGE, look_not, NULL);
	csprof_environment_put_clock(1);
	csprof_environment_call(nothing, CSPROF_NEXT_FOREIGN, look_later, &g);
	csprof_process.pid = 0;
}

static int count_variables(char *const *variables, void *arg)
{
	int n = 0;
	(void)arg;
	while (variables[n])
		n++;
	return n;
}

static void large_ones(void **unused)
{
	(void)unused;
	enum { MANY = 5000, MADE = 4 };
	static char *many[MANY + 1];
	for (int i = 0; i < MANY; i++)
		many[i] = (char *)"X=1";
	assert_int_equal(csprof_environment_call(many, CSPROF_NEXT_CHILD, count_variables, NULL),
			 MANY + MADE);
}

static void environ_is_lent(void **unused)
{
	(void)unused;
	char *own[] = {(char *)"A=1", NULL}, *other[] = {(char *)"B=2", NULL};
	char **before = environ;
	environ = own;
	char **first = csprof_environment_lend();
	assert_non_null(first);
	assert_ptr_equal(environ, first);
	assert_string_equal(getenv("LD_PRELOAD"), LIBRARY);
	assert_string_equal(getenv("A"), "1");
	char **second = csprof_environment_lend();
	assert_ptr_equal(second, first);
	csprof_environment_take_back(first);
	assert_ptr_equal(environ, first); /* the second call has not ended */
	csprof_environment_take_back(second);
	assert_ptr_equal(environ, own);
	assert_ptr_equal(csprof_environment_lend(), first); /* nothing has changed */
	environ = other;
	csprof_environment_take_back(first);
	assert_ptr_equal(environ, other);
	environ = launched;
	assert_null(csprof_environment_lend());
	assert_ptr_equal(environ, launched);
	csprof_environment_take_back(NULL);
	/* of many, the last one works like the first */
	char name[16], *changing[] = {name, NULL};
	for (int i = 0; i < 100; i++) {
		char *unlike[] = {(char *)"C=3", i % 2 ? name : NULL, NULL};
		snprintf(name, sizeof name, "D=%d", i);
		environ = i % 3 ? changing : unlike;
		char **lent = csprof_environment_lend();
		assert_string_equal(getenv("HPCRUN_OUT"), "/out");
		csprof_environment_take_back(lent);
		assert_null(getenv("HPCRUN_OUT"));
	}
	environ = before;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(complete_ones_stand),
	    cmocka_unit_test(children_are_told_of_their_parent),
	    cmocka_unit_test(stripped_ones_are_completed),
	    cmocka_unit_test(the_programs_own_preload_is_kept),
	    cmocka_unit_test(foreign_ones_have_our_library_taken_out),
	    cmocka_unit_test(the_next_image_is_told_its_number),
	    cmocka_unit_test(large_ones),
	    cmocka_unit_test(environ_is_lent),
	    /* reads the options again */
	    cmocka_unit_test(the_pid_space_is_that_of_the_process_or_its_parent),
	};
	return cmocka_run_group_tests(tests, read_options, NULL);
}
