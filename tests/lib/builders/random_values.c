#include "tests/lib/builders/random_values.h"

#include "tests/lib/builders/random.h"

enum { ROWS = 60, FULL = CSP_VALUE_TOP };

/* Distinct ones; 0 is no address. */
static uint64_t value_of(uint32_t k, uint64_t base, uint32_t spread)
{
	uint64_t value = base + 8 * (k + FULL * random_below(spread));

	return k == 0 && random_below(4) == 0 ? 0 : value;
}

static void fill(struct build_value *v, uint64_t base, uint32_t spread)
{
	v->num_top = random_below(FULL + 1);
	for (uint32_t k = 0; k < v->num_top; k++) {
		v->top[k].value = value_of(k, base, spread);
		v->top[k].count = 1 + random_below(1000);
		v->top[k].error = random_below(2) * random_below(1001);
		v->count += v->top[k].count;
		if (v->num_top == FULL && v->top[k].count > v->rest)
			v->rest = v->top[k].count;
	}
	v->count += !v->count;
	v->zeros = random_below(2);
	v->same = random_below(3);
}

const struct build_windows *build_random_values(unsigned file)
{
	static const uint32_t kinds[] = {0, CSP_VALUE_ARGUMENT, CSP_VALUE_TARGET, CSP_VALUE_REPLAY};
	static const uint64_t bases[][2] = {{0x500000, 0x600000}, {0x7f0000000000, 0x7f1111110000}};
	static struct build_value rows[BUILD_VALUED_FILES][ROWS];
	static struct build_windows windows[BUILD_VALUED_FILES];
	struct build_windows *w = &windows[file];
	uint32_t epoch = file % 2;

	*w = (struct build_windows){.windows = 10 * file + 1,
				    .steps = 70,
				    .ns = 1000 + file,
				    .dropped = file,
				    .num_refused = 2,
				    .refused = {3, file},
				    .values = rows[file],
				    .num_values = ROWS};
	for (unsigned i = 0; i < ROWS; i++) {
		struct build_value *v = &rows[file][i];
		uint64_t base = bases[i % 2][epoch];
		*v = (struct build_value){.epoch = epoch,
					  .ip = base + 0x100 + i / 8,
					  .what = kinds[i / 2 % 4],
					  .bytes = 8};
		fill(v, base, 2 + i % 3);
	}
	return w;
}
