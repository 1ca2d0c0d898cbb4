/* How often instructions were executed, from samples, in flow graphs whose true numbers are known.
 */
#include "hpcprof/export/feedback/frequencies.h"

#include "hpcprof/export/feedback/code.h"
#include "tests/lib/unit/cmocka_all.h"

#include <math.h>
#include <stdlib.h>

enum { SIZE = 4 }; /* bytes of an instruction */

/* Adds a procedure's instructions one by one. Targets are numbers of instructions. */
static void add(struct feedback_module *m, enum instruction_flow flow, size_t target,
		uint64_t samples)
{
	size_t first = m->procedures.len ? m->procedures.at[m->procedures.len - 1].first : 0;

	struct feedback_instruction one = {.address = m->code.len * SIZE + SIZE,
					   .target = target ? (first + target) * SIZE + SIZE : 0,
					   .flow = flow,
					   .samples = samples};

	assert_true(vec_push(&m->code, one));
	m->procedures.at[m->procedures.len - 1].num++;
	m->procedures.at[m->procedures.len - 1].samples += samples;
}

static void add_plain(struct feedback_module *m, size_t n, uint64_t samples)
{
	for (size_t i = 0; i < n; i++)
		add(m, INSTRUCTION_NEXT, 0, samples);
}

static void begin(struct feedback_module *m)
{
	struct feedback_procedure p = {.first = m->code.len};

	assert_true(vec_push(&m->procedures, p));
}

static void end(struct feedback_module *m)
{
	vec_free(&m->code);
	vec_free(&m->procedures);
}

static double at(const struct feedback_module *m, size_t i)
{
	return m->code.at[i].executions;
}

static void assert_near(double value, double want, double error)
{
	if (fabs(value - want) > error)
		fail_msg("%g instead of %g", value, want);
}

/* 0-3: entry, a branch to 9; 4-8: one side, a jump to 14; 9-13: the other side; 14-17: the end. */
static void make_diamond(struct feedback_module *m, uint64_t both, uint64_t one, uint64_t other)
{
	begin(m);
	add_plain(m, 3, both);
	add(m, INSTRUCTION_BRANCH, 9, both);
	add_plain(m, 4, one);
	add(m, INSTRUCTION_LEAVES, 14, one);
	add_plain(m, 5, other);
	add_plain(m, 3, both);
	add(m, INSTRUCTION_LEAVES, 0, both);
}

static void test_exact(void **state)
{
	struct feedback_module m = {0};

	(void)state;
	make_diamond(&m, 100, 90, 10);
	assert_true(frequencies_estimate(&m));
	for (size_t i = 0; i < m.code.len; i++)
		assert_near(at(&m, i), i < 4 || i > 13 ? 100 : i < 9 ? 90 : 10, 0.5);
	end(&m);
}

/* All instructions of a block have one number, wherever its samples were taken. */
static void test_blocks(void **state)
{
	struct feedback_module m = {0};

	(void)state;
	make_diamond(&m, 100, 90, 10);
	m.code.at[4].samples = 0;
	m.code.at[5].samples = 450;
	m.code.at[6].samples = m.code.at[7].samples = m.code.at[8].samples = 0;
	assert_true(frequencies_estimate(&m));
	for (size_t i = 5; i < 9; i++)
		assert_true(at(&m, i) == at(&m, 4));
	assert_near(at(&m, 4), 90, 2);
	end(&m);
}

/* Blocks with wrong samples are set right by those around them, as far as they say it. */
static void test_flow(void **state)
{
	struct feedback_module m = {0};
	double sides;

	(void)state;
	make_diamond(&m, 100, 90, 10);
	for (size_t i = 14; i < 18; i++)
		m.code.at[i].samples = 0;
	assert_true(frequencies_estimate(&m));
	assert_near(at(&m, 0), at(&m, 17), 10);
	sides = at(&m, 4) + at(&m, 9);
	assert_near(sides, at(&m, 0), 0.05 * sides);
	assert_near(sides, at(&m, 17), 0.1 * sides);
	assert_true(at(&m, 17) > 50);
	assert_true(at(&m, 4) > 5 * at(&m, 9));
	end(&m);
}

/* Code that was not executed is 0, though least squares would give it a little. */
static void test_none(void **state)
{
	struct feedback_module m = {0};

	(void)state;
	make_diamond(&m, 1000, 1003, 0);
	assert_true(frequencies_estimate(&m));
	assert_near(at(&m, 4), 1000, 10);
	assert_true(at(&m, 9) == 0);
	end(&m);
}

/* 0-1: entry; 2-5: a loop to 2; 6-7: the end. The last block is left as often as it was entered. */
static void test_loop(void **state)
{
	struct feedback_module m = {0};

	(void)state;
	begin(&m);
	add_plain(&m, 2, 10);
	add_plain(&m, 3, 1000);
	add(&m, INSTRUCTION_BRANCH, 2, 1000);
	add_plain(&m, 1, 12);
	add(&m, INSTRUCTION_LEAVES, 0, 8);
	assert_true(frequencies_estimate(&m));
	assert_near(at(&m, 0), 10, 1);
	assert_near(at(&m, 2), 1000, 1);
	assert_near(at(&m, 7), 10, 1);
	end(&m);
}

/* 0-1: entry, a branch to 6; 2-4: one side; 5: padding; 6-9: the other side, which waits, so that
 * its samples say more than those of the entry. It is not entered through the padding. */
static void test_padding(void **state)
{
	struct feedback_module m = {0};

	(void)state;
	begin(&m);
	add_plain(&m, 1, 1);
	add(&m, INSTRUCTION_BRANCH, 6, 1);
	add_plain(&m, 2, 0);
	add(&m, INSTRUCTION_LEAVES, 0, 0);
	add(&m, INSTRUCTION_PADS, 0, 0);
	add_plain(&m, 3, 20);
	add(&m, INSTRUCTION_LEAVES, 0, 20);
	assert_true(frequencies_estimate(&m));
	assert_true(at(&m, 5) == 0);
	assert_true(at(&m, 2) < 0.1 * at(&m, 0));
	assert_near(at(&m, 6) / at(&m, 0), 1, 0.1);
	end(&m);

	/* 2: padding before a loop, which is entered through it; 7: what is not executed */
	begin(&m);
	add_plain(&m, 1, 100);
	add(&m, INSTRUCTION_BRANCH, 7, 100);
	add(&m, INSTRUCTION_PADS, 0, 0);
	add_plain(&m, 2, 1000);
	add(&m, INSTRUCTION_BRANCH, 3, 1000);
	add(&m, INSTRUCTION_LEAVES, 0, 100);
	add(&m, INSTRUCTION_LEAVES, 0, 0);
	assert_true(frequencies_estimate(&m));
	assert_near(at(&m, 0), 100, 1);
	assert_near(at(&m, 3), 1000, 1);
	assert_near(at(&m, 6), 100, 1);
	assert_true(at(&m, 2) == 0 && at(&m, 7) == 0);
	end(&m);

	/* 2: no-ops with samples, which a jump that is not seen leads to */
	begin(&m);
	add_plain(&m, 1, 100);
	add(&m, INSTRUCTION_LEAVES, 0, 100);
	add(&m, INSTRUCTION_PADS, 0, 70);
	add(&m, INSTRUCTION_LEAVES, 0, 70);
	add_plain(&m, 1, 70);
	add(&m, INSTRUCTION_BRANCH, 3, 70);
	add(&m, INSTRUCTION_LEAVES, 0, 0);
	assert_true(frequencies_estimate(&m));
	assert_true(at(&m, 2) > 0);
	assert_true(at(&m, 3) > at(&m, 4));
	end(&m);
}

/* 0-1: an indirect jump; 2-4, 5-7: cases, which nothing is known to lead to. */
static void test_indirect(void **state)
{
	struct feedback_module m = {0};

	(void)state;
	begin(&m);
	add_plain(&m, 1, 100);
	add(&m, INSTRUCTION_LEAVES, 0, 100);
	add_plain(&m, 2, 70);
	add(&m, INSTRUCTION_LEAVES, 0, 70);
	add_plain(&m, 2, 30);
	add(&m, INSTRUCTION_LEAVES, 0, 30);
	assert_true(frequencies_estimate(&m));
	assert_near(at(&m, 0), 100, 1);
	assert_near(at(&m, 2), 70, 1);
	assert_near(at(&m, 5), 30, 1);
	end(&m);
}

/* Calls go on; a target that is no instruction of the procedure is no edge. */
static void test_edges(void **state)
{
	struct feedback_module m = {0};

	(void)state;
	begin(&m);
	add_plain(&m, 2, 50);
	add(&m, INSTRUCTION_CALL, 1, 50);
	add_plain(&m, 1, 50);
	add(&m, INSTRUCTION_BRANCH, 1000, 50);
	m.code.at[4].target += 1;
	add(&m, INSTRUCTION_BRANCH, 4, 20);
	m.code.at[5].target += 1; /* in the middle of one */
	add(&m, INSTRUCTION_LEAVES, 0, 20);
	assert_true(frequencies_estimate(&m));
	assert_near(at(&m, 0), 50, 1);
	assert_true(at(&m, 0) == at(&m, 4));
	assert_near(at(&m, 6), 20, 2);
	end(&m);
}

/* Several procedures are estimated by themselves; those without samples are 0. */
static void test_procedures(void **state)
{
	struct feedback_module m = {0};

	(void)state;
	make_diamond(&m, 0, 0, 0);
	begin(&m);
	add_plain(&m, 3, 7);
	add(&m, INSTRUCTION_LEAVES, 0, 7);
	begin(&m); /* without instructions */
	assert_true(frequencies_estimate(&m));
	for (size_t i = 0; i < 18; i++)
		assert_true(at(&m, i) == 0);
	for (size_t i = 18; i < 22; i++)
		assert_near(at(&m, i), 7, 1e-9);
	end(&m);
}

/* In any graph: finite, not negative, and what enters a block leaves it. */
static void test_random(void **state)
{
	(void)state;
	srand(22);
	for (int round = 0; round < 300; round++) {
		struct feedback_module m = {0};
		size_t n = 1 + (size_t)rand() % 60;
		begin(&m);
		for (size_t i = 0; i < n; i++) {
			unsigned kind = (unsigned)rand() % 8;
			add(&m, kind < 4 ? INSTRUCTION_NEXT : (enum instruction_flow)(kind - 4),
			    (size_t)rand() % (n + 3), rand() % 3 ? 0 : (uint64_t)rand() % 50);
		}
		assert_true(frequencies_estimate(&m));
		for (size_t i = 0; i < n; i++)
			assert_true(isfinite(at(&m, i)) && at(&m, i) >= 0);
		end(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exact),      cmocka_unit_test(test_blocks),
	    cmocka_unit_test(test_flow),       cmocka_unit_test(test_none),
	    cmocka_unit_test(test_loop),       cmocka_unit_test(test_padding),
	    cmocka_unit_test(test_indirect),   cmocka_unit_test(test_edges),
	    cmocka_unit_test(test_procedures), cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
