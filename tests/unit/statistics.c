/* Sums over units are exact and do not depend on how units are divided; the 95% interval contains a
 * known share as often as it should. */
#include "hpcprof/metrics/interval.h"
#include "hpcprof/metrics/tally.h"
#include "tests/lib/unit/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * UINT64_C(0x2545f4914f6cdd1d);
}

/* A number between 0 and 1, exclusive. */
static double uniform(void)
{
	return ((double)(any() >> 11) + 0.5) / 0x1p53;
}

/* ---- tallies --------------------------------------------------------------------------- */

enum { UNITS = 60 };

static void fill(uint64_t *values, int shape)
{
	for (int i = 0; i < UNITS; i++) {
		values[i] = shape == 0   ? any() % 5
			    : shape == 1 ? any() >> any() % 64
			    : shape == 2 ? UINT64_MAX - any() % 3
					 : (i > 40) * (any() % 1000);
		if (shape != 2 && any() % 4 == 0)
			values[i] = 0;
	}
}

static void add_range(struct tally *t, const uint64_t *values, uint32_t from, uint32_t end)
{
	for (uint32_t i = from; i < end; i++)
		if (values[i])
			tally_add(t, i - from, values[i]);
}

/* Compare a summary with one computed from all values. */
static void compare_plainly(const struct summary *s, const uint64_t *values)
{
	long double sum = 0, squares = 0;
	uint32_t least = 0, most = 0, present = 0;

	for (uint32_t i = 0; i < UNITS; i++) {
		sum += (long double)values[i];
		present += values[i] != 0;
		if (values[i] < values[least])
			least = i;
		if (values[i] > values[most])
			most = i;
	}
	for (uint32_t i = 0; i < UNITS; i++) {
		long double d = (long double)values[i] - sum / UNITS;
		squares += d * d;
	}
	assert_int_equal(s->present, present);
	assert_int_equal(s->least_unit, least);
	assert_true(s->least == values[least] && s->most == values[most]);
	if (present)
		assert_int_equal(s->most_unit, most);
	assert_true(fabsl(s->sum - sum) <= sum * 1e-17L);
	assert_true(fabsl(s->deviation - sqrtl(squares / (UNITS - 1))) <=
		    1e-12L * s->deviation + sum * 1e-17L);
}

static void splits_change_nothing(void **unused)
{
	(void)unused;
	state = 1;
	for (int round = 0; round < 400; round++) {
		uint64_t values[UNITS];
		struct tally whole = {0}, joined = {0};
		struct summary s;
		uint32_t at = 0;
		fill(values, round % 4);
		add_range(&whole, values, 0, UNITS);
		while (at < UNITS) {
			uint32_t end = at + (uint32_t)(any() % 20);
			struct tally part = {0};
			end = end < UNITS ? end : UNITS;
			add_range(&part, values, at, end);
			tally_join(&joined, at, &part);
			at = end;
		}
		assert_memory_equal(&whole, &joined, sizeof whole);
		s = tally_summary(&whole, UNITS);
		compare_plainly(&s, values);
	}
}

/* Values that differ by one in 2^64: pure floating point would not see the difference. */
static void nothing_is_rounded_away(void **unused)
{
	struct tally t = {0};
	struct summary s;

	(void)unused;
	for (uint32_t i = 0; i < 4; i++)
		tally_add(&t, i, UINT64_MAX - (i & 1));
	s = tally_summary(&t, 4);
	assert_true(fabsl(s.deviation - sqrtl(1 / 3.0L)) < 1e-15L);
	assert_int_equal(s.least_unit, 1);
	assert_int_equal(s.most_unit, 0);
}

static void one_unit_alone(void **unused)
{
	struct tally t = {0};
	struct summary s;

	(void)unused;
	tally_add(&t, 0, 7);
	s = tally_summary(&t, 1);
	assert_true(s.sum == 7 && s.mean == 7 && s.deviation == 0 && s.variation == 0);
	assert_true(s.least == 7 && s.most == 7 && s.present == 1);
}

/* ---- intervals ------------------------------------------------------------------------- */

enum { RUNS = 1000, NODES = 60 };

/* The weight of a sample: with a jittered period; with a timer that waits for a tick, so that most
 * samples wait for one tick and few for many. */
static double jittered(void)
{
	return 0.5 + uniform();
}
static double waiting(void)
{
	return -log(uniform());
}

/* One run of samples: nodes 0 .. NODES / 3 - 1 are the row and have the share; inside and outside
 * the row, some nodes are hotter than others. Returns whether the interval contains the share. */
static bool holds(double share, size_t samples, double (*weight)(void), double least)
{
	uint64_t weights[NODES] = {0}, counts[NODES] = {0}, row = 0, all = 0;
	struct interval i;
	double spread;

	for (size_t n = 0; n < samples; n++) {
		bool inside = uniform() < share;
		double place = uniform() * uniform();
		size_t first = inside ? 0 : NODES / 3,
		       room = inside ? NODES / 3 : NODES - NODES / 3;
		size_t node = first + (size_t)(place * (double)room);
		weights[node] += (uint64_t)(1e6 * weight() + 0.5);
		counts[node]++;
	}
	for (size_t n = 0; n < NODES; n++) {
		all += weights[n];
		row += n < NODES / 3 ? weights[n] : 0;
	}
	spread = fmax(interval_spread(weights, counts, NODES), least);
	i = interval_share(row, all, (double)samples / (1 + spread));
	return i.low <= share && share <= i.high;
}

static void intervals_hold(void **unused)
{
	static const double shares[] = {0.5, 0.1, 0.02};
	static const struct {
		const char *name;
		double (*weight)(void);
		const char *jitter;
	} timers[] = {{"jittered", jittered, "uniform 0.5-1.5"}, {"waiting", waiting, ""}};
	static const size_t samples[] = {3000, 20000};

	(void)unused;
	state = 20;
	for (size_t t = 0; t < 2; t++)
		for (size_t k = 0; k < 2; k++)
			for (size_t s = 0; s < 3; s++) {
				int held = 0;
				for (int run = 0; run < RUNS; run++)
					held += holds(shares[s], samples[k], timers[t].weight,
						      interval_jitter(timers[t].jitter));
				print_message("# %s, %zu samples, share %g: %.1f%% of %d runs\n",
					      timers[t].name, samples[k], shares[s],
					      100.0 * held / RUNS, RUNS);
				assert_in_range(held, RUNS * 93 / 100, RUNS * 97 / 100);
			}
}

static void jitters_are_read(void **unused)
{
	(void)unused;
	assert_true(fabs(interval_jitter("uniform 0.5-1.5") - 1.0 / 12) < 1e-15);
	assert_true(fabs(interval_jitter("uniform 0-2") - 1.0 / 3) < 1e-15);
	assert_true(interval_jitter("") == 0);
	assert_true(interval_jitter("uniform") == 0);
	assert_true(interval_jitter("uniform 2-1") == 0);
	assert_true(interval_jitter("uniform nan-1") == 0);
}

static void spreads_of_few_nodes(void **unused)
{
	const uint64_t weights[] = {10, 0, 30}, counts[] = {1, 0, 1}, none[] = {0, 0, 0};

	(void)unused;
	assert_true(interval_spread(weights, counts, 1) == 0);
	assert_true(interval_spread(none, none, 3) == 0);
	assert_true(interval_spread(none, counts, 3) == 0);
	/* 10 and 30 differ from their mean by half of it */
	assert_true(fabs(interval_spread(weights, counts, 3) - 0.5) < 1e-15);
}

/* Wilson's intervals for 0 and 1 of 10, which tables have. */
static void known_intervals(void **unused)
{
	struct interval none = interval_share(0, 10, 10), one = interval_share(1, 10, 10);

	(void)unused;
	assert_true(none.low == 0 && fabs(none.high - 0.2775) < 1e-4);
	assert_true(fabs(one.low - 0.0179) < 1e-4 && fabs(one.high - 0.4042) < 1e-4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(splits_change_nothing), cmocka_unit_test(nothing_is_rounded_away),
	    cmocka_unit_test(one_unit_alone),        cmocka_unit_test(jitters_are_read),
	    cmocka_unit_test(spreads_of_few_nodes),  cmocka_unit_test(known_intervals),
	    cmocka_unit_test(intervals_hold),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
