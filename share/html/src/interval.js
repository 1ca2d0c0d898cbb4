// Confidence intervals of shares of samples, as hpcprof computes them (hpcprof/metrics/interval.h).

import { percent } from './format.js';

const Z = 1.959963984540054;  // 97.5% of a normal distribution are below

/** Wilson's 95% interval of a share of so many samples: [low, high]. */
export function interval(share, samples) {
	const zz = Z * Z / samples, middle = (share + zz / 2) / (1 + zz);
	const half = Z / (1 + zz) * Math.sqrt(share * (1 - share) / samples + zz / samples / 4);
	return [Math.max(middle - half, 0), Math.min(middle + half, 1)];
}

/**
 * How many samples of equal weight the samples of a metric are worth; 0 if its shares are exact. of
 * is 'events' or 'samples'.
 */
export function effectiveSamples({ report, metrics }, metric, of) {
	const { name, sampled, samples } = metrics[metric];
	const told = report.metrics?.find((m) => m.name === name)?.effective_samples;
	return !sampled ? 0 : of === 'samples' ? samples : told ?? 0;
}

/** "11.8% to 12.8%" for a value of a total that samples were taken of; '' if it is exact. */
export function intervalText(value, total, samples) {
	if (!(samples > 0) || !(total > 0) || !(value >= 0) || value > total)
		return '';
	const [low, high] = interval(value / total, samples);
	return `${percent(low, 1)} to ${percent(high, 1)}`;
}
