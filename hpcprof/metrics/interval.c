#include "hpcprof/metrics/interval.h"

#include "formats/datafile.h"

#include <math.h>
#include <stdio.h>

double interval_spread(const uint64_t *weights, const uint64_t *samples, size_t n)
{
	double weight = 0, count = 0, mean, sum = 0;
	size_t nodes = 0;

	for (size_t i = 0; i < n; i++) {
		nodes += samples[i] != 0;
		weight += samples[i] ? (double)weights[i] : 0;
		count += (double)samples[i];
	}
	if (nodes < 2 || !(weight > 0))
		return 0;
	mean = weight / count;
	for (size_t i = 0; i < n; i++) {
		double difference;
		if (!samples[i])
			continue;
		difference = (double)weights[i] / (double)samples[i] / mean - 1;
		sum += (double)samples[i] * difference * difference;
	}
	return sum / (double)(nodes - 1);
}

double interval_jitter(const char *text)
{
	double low, high;

	if (sscanf(text, "uniform %lf-%lf", &low, &high) != 2 || !(low >= 0 && high > low))
		return 0;
	/* the variance of a uniform distribution is a twelfth of its width squared */
	return (high - low) * (high - low) / 12 / (((low + high) / 2) * ((low + high) / 2));
}

double interval_samples(const struct model *m, const struct model_metric *metric, bool of_samples)
{
	double samples = (double)metric->total.samples, spread;

	if (!(metric->flags & CSP_METRIC_ASYNC) || !metric->total.samples)
		return 0;
	if (of_samples)
		return samples;
	spread = interval_spread(metric->events, metric->samples, model_num_contexts(m));
	for (size_t i = 0; i < metric->jitters.len; i++)
		spread = fmax(spread, interval_jitter(metric->jitters.at[i]));
	return samples / (1 + spread);
}

struct interval interval_share(uint64_t value, uint64_t total, double samples)
{
	static const double z = 1.959963984540054; /* 97.5% of a normal distribution are below */
	double p = (double)value / (double)total, zz = z * z / samples;
	double middle = (p + zz / 2) / (1 + zz);
	double half = z / (1 + zz) * sqrt(p * (1 - p) / samples + zz / samples / 4);

	return (struct interval){fmax(middle - half, 0), fmin(middle + half, 1)};
}
