/* What is beyond noise.
 *
 * A row's value in a run is a sum of samples, each of which stands for a period's worth of events.
 * Its variance is value x period x (1 + spread), as if samples came by chance (interval.h).
 * Besides, runs of the same program differ: in what all rows have in common, as when the machine is
 * slower, and in each row by itself, by caches, the layout of memory and the like.
 *
 * What is common is a factor for each run: a mean, over all rows, of a row's value over its mean in
 * all runs, in which rows that are far from the others do not count (Tukey's biweight, begun with
 * the median; Huber, Robust Statistics, 1981). As far as it is uncertain, it is taken to be nearer
 * to 1: machines usually differ by COMMON from run to run. (James and Stein 1961.) All values are
 * divided by the factor of their run. What a row varies by itself is measured if a side has several
 * runs, as what their variance has more than sampling explains; rows with few samples learn from
 * all others (as in Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004). If
 * each side is a single run, it is taken to be SINGLE_BETWEEN.
 *
 * A change must be too large for two tests: a normal one with all these variances, and an exact
 * binomial one for the numbers of samples, which holds for few samples, too. Then it must be too
 * large for the number of rows (significance.h). A row's weight is its share: of the errors that
 * are allowed, most are for the rows in which a change matters most. */
#include "hpcprof/metrics/interval.h"
#include "hpcprof/metrics/significance.h"
#include "hpcprof/views/diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The probability to show any row of a table for two runs of an unchanged program. */
static const double WRONG = 0.005;
/* Relative standard deviations of rows between runs: assumed for single ones; the least for
 * several. */
static const double SINGLE_BETWEEN = 0.005, LEAST_BETWEEN = 0.003;
/* The usual deviation of the logarithm of a run's factor. */
static const double COMMON = 0.01;
/* How many runs' worth all rows together are for a row's variance. */
enum { SHARED_RUNS = 8 };
/* A row of fewer samples, in all runs, says nothing about a run's factor. */
enum { TELLING_SAMPLES = 20 };

double diff_value(const struct diff *d, const struct diff_table *t, size_t row, size_t run,
		  bool samples, bool inclusive)
{
	bool calls = t->grouping == DIFF_CALLS;

	return (double)stats_single(&d->stats.rows[calls], run, t->first_row + (uint32_t)row,
				    samples ? DIFF_SAMPLES : DIFF_EVENTS, inclusive || calls);
}

static double events_of(const struct diff *d, const struct diff_table *t, size_t row, size_t run)
{
	return diff_value(d, t, row, run, false, d->inclusive);
}

/* The variance of a value that was sampled in a run. */
static double sampled_variance(const struct diff *d, size_t run, double value)
{
	return value * d->runs[run].period * (1 + d->spread);
}

/* ---- what rows have in common ------------------------------------------------------ */

struct estimate {
	double value, precision; /* 1 / variance */
};

static int by_value(const void *pa, const void *pb)
{
	const struct estimate *a = pa, *b = pb;

	return (a->value > b->value) - (a->value < b->value);
}

static double weighted_median(struct estimate *all, size_t n)
{
	double half = 0, sum = 0;

	qsort(all, n, sizeof *all, by_value);
	for (size_t i = 0; i < n; i++)
		half += sqrt(all[i].precision) / 2;
	for (size_t i = 0; i < n; i++) {
		sum += sqrt(all[i].precision);
		if (sum >= half)
			return all[i].value;
	}
	return 0;
}

/* The weight of an estimate around a center: its precision, less the farther it is. */
static double biweight_of(const struct estimate *x, double center)
{
	static const double far = 4.685;
	double u = (x->value - center) * sqrt(x->precision) / far;

	return fabs(u) < 1 ? x->precision * (1 - u * u) * (1 - u * u) : 0;
}

/* The mean without outliers. It is 95% as efficient as the mean if there are none. */
static struct diff_common biweight(struct estimate *all, size_t n)
{
	enum { ROUNDS = 20 };
	struct diff_common mean = {.center = weighted_median(all, n)};

	for (int round = 0; round < ROUNDS; round++) {
		double sum = 0, precision = 0;
		for (size_t i = 0; i < n; i++) {
			double weight = biweight_of(&all[i], mean.center);
			sum += weight * all[i].value;
			precision += weight;
		}
		if (!(precision > 0))
			break;
		mean.sum = sum;
		mean.precision = precision;
		if (round < ROUNDS - 1)
			mean.center = sum / precision;
	}
	return mean;
}

/* What a row says about the logarithm of a run's factor: a precision of 0 if nothing. */
static struct estimate row_says(const struct diff *d, const struct diff_table *t, size_t row,
				size_t run)
{
	double value = events_of(d, t, row, run), variance;
	const struct diff_row *x = &t->rows[row];

	if (x->samples[BEFORE] + x->samples[AFTER] < TELLING_SAMPLES || !(value > 0))
		return (struct estimate){0};
	variance =
	    sampled_variance(d, run, x->all) / (x->all * x->all) + SINGLE_BETWEEN * SINGLE_BETWEEN;
	return (struct estimate){log(value / x->all), 1 / variance};
}

/* The logarithm of a factor, of which sum and precision are known: nearer to 0 as far as it is not
 * certain. Its usual variance is at least what was seen without what is not certain of it. */
static struct estimate likely(double sum, double precision)
{
	struct estimate seen = {precision > 0 ? sum / precision : 0, 0.95 * precision};
	double usual = COMMON * COMMON, all;

	if (precision > 0)
		usual = fmax(usual, seen.value * seen.value - 1 / seen.precision);
	all = seen.precision + 1 / usual;
	return (struct estimate){seen.value * seen.precision / all, all};
}

/* Find what the rows that did not change have in common. */
static int find_common(struct diff *d, const struct diff_table *t, struct error *e)
{
	struct estimate *all = malloc((t->num_rows + 1) * sizeof *all);

	if (!all)
		return error_memory(e, t->num_rows * sizeof *all);
	for (size_t r = 0; r < d->num_runs; r++) {
		size_t n = 0;
		for (size_t i = 0; i < t->num_rows; i++) {
			all[n] = row_says(d, t, i, r);
			n += all[n].precision > 0 && !t->rows[i].beyond;
		}
		d->runs[r].common = biweight(all, n);
		d->runs[r].factor =
		    exp(likely(d->runs[r].common.sum, d->runs[r].common.precision).value);
	}
	free(all);
	return 0;
}

/* The factor of a run for a row, without what the row itself said. *variance: of its
 * logarithm. */
static double factor_of(const struct diff *d, const struct diff_table *t, size_t row, size_t run,
			double *variance)
{
	const struct diff_common *c = &d->runs[run].common;
	struct estimate others;

	*variance = 0;
	if (d->normal != NORMAL_USUAL || !d->sampled)
		return d->runs[run].factor;
	others = likely(c->sum, c->precision);
	if (t->grouping == BY_FUNCTION && !d->inclusive && !t->rows[row].beyond) {
		struct estimate own = row_says(d, t, row, run);
		double weight = biweight_of(&own, c->center);
		others = likely(c->sum - weight * own.value, c->precision - weight);
	}
	*variance = 1 / others.precision;
	return exp(others.value);
}

/* Factors that make the references equal. */
static void equal_factors(struct diff *d)
{
	double mean = 0;

	for (size_t r = 0; r < d->num_runs; r++)
		mean += d->runs[r].reference / (double)d->num_runs;
	for (size_t r = 0; r < d->num_runs; r++)
		d->runs[r].factor = d->runs[r].reference / mean;
}

static int find_factors(struct diff *d, const struct diff_table *t, struct error *e)
{
	double sums[SIDES] = {0};
	int rc = 0;

	for (size_t r = 0; r < d->num_runs; r++)
		d->runs[r].factor = 1;
	if (d->normal == NORMAL_USUAL && d->sampled)
		rc = find_common(d, t, e);
	else if (d->normal != NORMAL_USUAL && d->normal != NORMAL_NONE)
		equal_factors(d);
	for (size_t r = 0; r < d->num_runs; r++)
		sums[d->runs[r].side] +=
		    log(d->runs[r].factor) / (double)d->side_runs[d->runs[r].side];
	d->factor = exp(sums[AFTER] - sums[BEFORE]);
	return rc;
}

/* ---- rows -------------------------------------------------------------------------- */

/* The variance of a row between the runs of a side, relative to its mean, besides sampling. Fewer
 * than two runs: 0. */
static double row_excess(const struct diff *d, const struct diff_table *t, size_t row,
			 enum diff_side side)
{
	double k = (double)d->side_runs[side], mean = t->rows[row].mean[side], sum = 0, sampled = 0;

	if (k < 2 || !(mean > 0))
		return 0;
	for (size_t r = 0; r < d->num_runs; r++) {
		double variance, f = factor_of(d, t, row, r, &variance);
		double value = events_of(d, t, row, r) / f;
		if (d->runs[r].side != side)
			continue;
		sum += (value - mean) * (value - mean);
		sampled += sampled_variance(d, r, mean * f) / (f * f) / k;
	}
	return sum / (k - 1) - sampled;
}

/* The relative variance between runs that all rows of the table share. */
static double shared_between(const struct diff *d, const struct diff_table *t)
{
	double excess = 0, squares = 0;

	for (size_t i = 0; i < t->num_rows; i++)
		for (int s = 0; s < SIDES; s++) {
			double df = (double)d->side_runs[s] - 1, mean = t->rows[i].mean[s];
			excess += df * row_excess(d, t, i, (enum diff_side)s);
			squares += df * mean * mean;
		}
	if (!(squares > 0))
		return d->sampled ? SINGLE_BETWEEN * SINGLE_BETWEEN : 0;
	return fmax(excess / squares, LEAST_BETWEEN * LEAST_BETWEEN);
}

/* The relative variance of a row between runs. */
static double row_between(const struct diff *d, const struct diff_table *t, size_t row,
			  double shared)
{
	double own = 0, df = (double)d->num_runs - SIDES, squares = 0;

	for (int s = 0; s < SIDES; s++) {
		double of_side = (double)d->side_runs[s] - 1, mean = t->rows[row].mean[s];
		own += of_side * row_excess(d, t, row, (enum diff_side)s);
		squares += of_side * mean * mean;
	}
	if (!(df > 0) || !(squares > 0))
		return shared;
	own = fmax(own / squares, LEAST_BETWEEN * LEAST_BETWEEN);
	return (SHARED_RUNS * shared + df * own) / (SHARED_RUNS + df);
}

/* The share of a row's samples that would be of the side AFTER if nothing had changed. */
static double expected_share(const struct diff *d)
{
	double expected[SIDES] = {0};

	for (size_t r = 0; r < d->num_runs; r++)
		if (d->runs[r].period > 0)
			expected[d->runs[r].side] += d->runs[r].factor / d->runs[r].period;
	return expected[AFTER] / (expected[BEFORE] + expected[AFTER]);
}

static double p_of(const struct diff *d, const struct diff_row *row, double share)
{
	double n = (row->samples[BEFORE] + row->samples[AFTER]) / (1 + d->spread);
	double k = row->samples[AFTER] / (1 + d->spread);
	double p = row->deviation > 0 ? significance_normal(row->change / row->deviation)
				      : row->change == 0;

	if (d->sampled && n > 0 && share > 0 && share < 1)
		p = fmax(p, significance_binomial(k, n, share));
	return p;
}

static void count_row(const struct diff *d, const struct diff_table *t, size_t row)
{
	struct diff_row *to = &t->rows[row];

	to->all = to->samples[BEFORE] = to->samples[AFTER] = 0;
	for (size_t r = 0; r < d->num_runs; r++) {
		to->all += events_of(d, t, row, r) / (double)d->num_runs;
		to->samples[d->runs[r].side] += diff_value(d, t, row, r, true, d->inclusive);
	}
}

static void average_row(const struct diff *d, const struct diff_table *t, size_t row)
{
	struct diff_row *to = &t->rows[row];

	to->mean[BEFORE] = to->mean[AFTER] = 0;
	for (size_t r = 0; r < d->num_runs; r++) {
		enum diff_side s = d->runs[r].side;
		double variance, f = factor_of(d, t, row, r, &variance);
		to->mean[s] += events_of(d, t, row, r) / f / (double)d->side_runs[s];
	}
	to->change = to->mean[AFTER] - to->mean[BEFORE];
}

/* The standard deviation of the row's change, if there was none. */
static double deviation(const struct diff *d, const struct diff_table *t, size_t row,
			double between)
{
	double k[SIDES] = {(double)d->side_runs[BEFORE], (double)d->side_runs[AFTER]};
	const struct diff_row *x = &t->rows[row];
	double mean =
	    (k[BEFORE] * x->mean[BEFORE] + k[AFTER] * x->mean[AFTER]) / (k[BEFORE] + k[AFTER]);
	double sum = 0, relative = row_between(d, t, row, between);

	for (size_t r = 0; r < d->num_runs; r++) {
		double variance, f = factor_of(d, t, row, r, &variance), n = k[d->runs[r].side];
		sum += (mean * mean * (relative + variance) +
			sampled_variance(d, r, mean * f) / (f * f)) /
		       (n * n);
	}
	return sqrt(sum);
}

static double row_weight(const struct diff *d, const struct diff_row *row)
{
	return d->sampled ? row->samples[BEFORE] + row->samples[AFTER]
			  : row->mean[BEFORE] + row->mean[AFTER];
}

static int test_rows(struct diff *d, struct diff_table *t, struct error *e)
{
	struct significance_test *tests = calloc(t->num_rows + 1, sizeof *tests);
	bool *beyond = calloc(t->num_rows + 1, sizeof *beyond);
	double share = expected_share(d), between;
	bool ok = tests && beyond;

	for (size_t i = 0; i < t->num_rows; i++)
		average_row(d, t, i);
	between = shared_between(d, t);
	if (t->grouping == BY_FUNCTION && !d->inclusive)
		d->between = sqrt(between);
	for (size_t i = 0; ok && i < t->num_rows; i++) {
		struct diff_row *row = &t->rows[i];
		row->deviation = deviation(d, t, i, between);
		row->p = p_of(d, row, share);
		tests[i] = (struct significance_test){row->p, row_weight(d, row)};
	}
	ok = ok && significance_choose(tests, t->num_rows, WRONG, beyond);
	t->num_beyond = 0;
	for (size_t i = 0; ok && i < t->num_rows; i++) {
		t->rows[i].beyond = beyond[i];
		t->num_beyond += beyond[i];
	}
	free(tests);
	free(beyond);
	return ok ? 0 : error_memory(e, t->num_rows * sizeof *tests);
}

/* ---- the totals -------------------------------------------------------------------- */

/* Student's test of the logarithms of the runs' totals. */
static void test_total(struct diff *d)
{
	double mean[SIDES] = {0}, squares = 0, df = (double)d->num_runs - SIDES, variance;
	double least = LEAST_BETWEEN * LEAST_BETWEEN;

	for (size_t r = 0; r < d->num_runs; r++) {
		enum diff_side s = d->runs[r].side;
		d->total[s] += d->runs[r].events / (double)d->side_runs[s];
		mean[s] += log(fmax(d->runs[r].events, 1)) / (double)d->side_runs[s];
	}
	d->total_p = -1;
	if (!(df > 0))
		return;
	for (size_t r = 0; r < d->num_runs; r++) {
		double x = log(fmax(d->runs[r].events, 1)) - mean[d->runs[r].side];
		squares += x * x;
	}
	variance = fmax(squares / df, least) *
		   (1 / (double)d->side_runs[BEFORE] + 1 / (double)d->side_runs[AFTER]);
	d->total_p = significance_student((mean[AFTER] - mean[BEFORE]) / sqrt(variance), df);
	d->total_beyond = d->total_p < WRONG;
}

double diff_smallest_change(const struct diff *d, double share)
{
	double variance = 0, low = 0, high = 40;

	for (size_t r = 0; r < d->num_runs; r++) {
		double k = (double)d->side_runs[d->runs[r].side], value = share * d->runs[r].events;
		double common = d->normal == NORMAL_USUAL && d->sampled
				    ? 1 / likely(0, d->runs[r].common.precision).precision
				    : 0;
		if (!(value > 0))
			return 0;
		variance += (sampled_variance(d, r, value) / (value * value) + common +
			     d->between * d->between) /
			    (k * k);
	}
	for (int i = 0; i < 60; i++) {
		double z = (low + high) / 2;
		if (significance_normal(z) > WRONG * share)
			low = z;
		else
			high = z;
	}
	return high * sqrt(variance);
}

static bool *keep_verdicts(struct diff *d, const struct diff_table *t)
{
	bool *out = arena_alloc(&d->arena, t->num_rows + 1);

	for (size_t i = 0; out && i < t->num_rows; i++)
		out[i] = t->rows[i].beyond;
	return out;
}

/* Keep what was found of the functions' self, test their totals, too, and leave the rows as they
 * were. */
static int test_both(struct diff *d, struct error *e)
{
	struct diff_table t = d->tables[BY_FUNCTION];
	size_t bytes = (t.num_rows + 1) * sizeof *t.rows;
	int rc;

	t.rows = malloc(bytes);
	if (!t.rows)
		return error_memory(e, bytes);
	memcpy(t.rows, d->tables[BY_FUNCTION].rows, bytes);
	d->inclusive = true;
	for (size_t i = 0; i < t.num_rows; i++)
		count_row(d, &t, i);
	rc = test_rows(d, &t, e);
	d->inclusive = false;
	if (rc == 0)
		d->beyond_total = keep_verdicts(d, &t);
	free(t.rows);
	d->beyond_self = keep_verdicts(d, &d->tables[BY_FUNCTION]);
	if (rc == 0 && !(d->beyond_self && d->beyond_total))
		rc = error_memory(e, t.num_rows);
	return rc;
}

int diff_test(struct diff *d, struct error *e)
{
	struct diff_table *functions = &d->tables[BY_FUNCTION];
	int rc = 0;

	for (size_t i = 0; i < d->metric->jitters.len; i++)
		d->spread = fmax(d->spread, interval_jitter(d->metric->jitters.at[i]));
	/* Once for what changed, and once without it. What functions have in common is seen in
	 * self, where no two rows share samples. */
	for (size_t i = 0; i < functions->num_rows; i++)
		count_row(d, functions, i);
	for (int round = 0; rc == 0 && round < 2; round++) {
		rc = find_factors(d, functions, e);
		if (rc == 0)
			rc = test_rows(d, functions, e);
	}
	if (rc == 0)
		diff_find_moved(d);
	if (rc == 0 && d->own->html)
		rc = test_both(d, e);
	d->inclusive = d->own->inclusive;
	for (int g = 0; rc == 0 && g < DIFF_TABLES; g++) {
		struct diff_table *t = &d->tables[g];
		if (!t->rows || (t == functions && !d->inclusive))
			continue;
		for (size_t i = 0; i < t->num_rows; i++)
			count_row(d, t, i);
		rc = test_rows(d, t, e);
	}
	diff_choose_paths(d);
	test_total(d);
	return rc;
}
