/* Values of instructions of several files are added up within their bounds: for streams that are
 * known, what the model says of each value is true. */
#include "hpcprof/model/values.h"
#include "tests/lib/builders/random.h"
#include "tests/lib/unit/cmocka_all.h"

#include <string.h>

enum { STREAMS = 6, LENGTH = 3000, VALUES = 64 };

struct summary {
	struct value_row row;
	struct model_frequent top[CSP_VALUE_TOP];
	uint32_t n;
};

/* As the runtime counts (trees/values.c). */
static void count_value(struct summary *s, uint64_t value)
{
	struct model_frequent *least = &s->top[0];
	s->row.count++;
	s->row.zeros += value == 0;
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->top[i].value == value) {
			s->top[i].count++;
			return;
		}
		if (s->top[i].count < least->count)
			least = &s->top[i];
	}
	if (s->n < CSP_VALUE_TOP)
		s->top[s->n++] = (struct model_frequent){value, 1, 0, MODEL_NO_MODULE};
	else
		*least =
		    (struct model_frequent){value, least->count + 1, least->count, MODEL_NO_MODULE};
}

static void end_of_stream(struct summary *s)
{
	for (uint32_t i = 0; s->n == CSP_VALUE_TOP && i < s->n; i++)
		if (!i || s->top[i].count < s->row.rest)
			s->row.rest = s->top[i].count;
}

/* Of many distributions: constants, few values, some frequent and many rare ones, none frequent. */
static uint64_t draw(unsigned shape, unsigned stream)
{
	switch (shape) {
	case 0:
		return 7;
	case 1:
		return random_below(3);
	case 2:
		return random_below(10) < 6 ? 10 + stream % 2 : random_below(VALUES);
	case 3:
		return random_below(4) ? 5 : random_below(2) ? 6 : random_below(VALUES);
	default:
		return random_below(VALUES);
	}
}

static void check_row(const struct model *m, const struct model_value *v, const uint64_t *truth)
{
	bool listed[VALUES] = {false};
	uint64_t total = 0;
	for (unsigned i = 0; i < VALUES; i++)
		total += truth[i];
	assert_int_equal(v->count, total);
	assert_int_equal(v->zeros, truth[0]);
	for (uint32_t i = 0; i < v->num_frequent; i++) {
		const struct model_frequent *f = &m->frequent.at[v->first_frequent + i];
		assert_true(f->value < VALUES && !listed[f->value]);
		listed[f->value] = true;
		assert_true(truth[f->value] <= f->count);
		assert_true(f->error >= f->count || truth[f->value] >= f->count - f->error);
	}
	for (unsigned i = 0; i < VALUES; i++) {
		assert_true(listed[i] || truth[i] <= v->rest);
		assert_true(listed[i] || truth[i] * 2 <= total);
	}
}

static void bounds_hold(void **state)
{
	(void)state;
	for (unsigned shape = 0; shape < 5; shape++) {
		uint64_t truth[VALUES] = {0};
		struct error e;
		struct model *m = model_create();
		uint32_t module =
		    model_module(m, (struct reader_text){"/p", 2}, (struct reader_text){"aa", 2});
		for (unsigned stream = 0; stream < STREAMS; stream++) {
			struct summary s = {.row = {.place = {0x1000, module, 3}, .bytes = 8}};
			for (unsigned i = 0; i < (unsigned)LENGTH >> stream; i++) {
				uint64_t value = draw(shape, stream);
				truth[value]++;
				count_value(&s, value);
			}
			end_of_stream(&s);
			assert_true(model_add_value(m, &s.row, s.top, s.n, stream % 2));
		}
		assert_int_equal(model_finish(m, &e), 0);
		assert_int_equal(m->values.len, 1);
		check_row(m, &m->values.at[0], truth);
		model_destroy(m);
	}
}

/* They are sorted, and one after another can be found. */
static void rows_are_found(void **state)
{
	(void)state;
	struct error e;
	struct model *m = model_create();
	uint32_t modules[2] = {
	    model_module(m, (struct reader_text){"/z", 2}, (struct reader_text){"aa", 2}),
	    model_module(m, (struct reader_text){"/a", 2}, (struct reader_text){"bb", 2})};
	for (unsigned i = 0; i < 100; i++) {
		struct value_row row = {.place = {0x1000 + i * 37 % 50, modules[i % 2], i % 3},
					.count = 1};
		assert_true(model_add_value(m, &row, NULL, 0, false));
	}
	assert_int_equal(model_finish(m, &e), 0);
	for (size_t i = 1; i < m->values.len; i++) {
		const struct model_value *a = &m->values.at[i - 1], *b = &m->values.at[i];
		assert_true(
		    a->module < b->module ||
		    (a->module == b->module &&
		     (a->address < b->address || (a->address == b->address && a->what < b->what))));
	}
	for (uint32_t module = 0; module < 2; module++)
		for (uint64_t address = 0xfff; address < 0x1035; address++) {
			size_t at = model_first_value(m, module, address);
			assert_true(at == m->values.len || m->values.at[at].module > module ||
				    m->values.at[at].address >= address);
			assert_true(at == 0 || m->values.at[at - 1].module < module ||
				    m->values.at[at - 1].address < address);
		}
	model_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold),
					   cmocka_unit_test(rows_are_found)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
