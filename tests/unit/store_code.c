/* Source files and functions of an interpreter: from a store to a datafile, and what may be wrong
 * with them. */
#include "formats/store/recover.h"
#include "tests/lib/builders/build_store.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/walk_datafile.h"

#include <stdlib.h>
#include <string.h>

#define AT(source, n) (CSP_SOURCE_BASE + ((uint64_t)(source) << CSP_SOURCE_SHIFT) + (n))

struct coded {
	struct made_store s;
	store_ref sources[2], codes[3];
};

static void begin(struct coded *x)
{
	const uint64_t ips[] = {0x10010, AT(1, 2)};
	store_ref epoch, thread, tree;

	made_begin(&x->s, 2);
	epoch = made_epoch(&x->s);
	made_module(&x->s, epoch, "/usr/bin/made", 0x10000);
	thread = made_thread(&x->s, 7);
	tree = made_tree(&x->s, made_thread_at(&x->s, thread), epoch, CSP_TREE_COMPLETE);
	made_sample(&x->s, thread, tree, ips, 2, 100);
	x->sources[0] = made_source(&x->s, "/a.py");
	x->sources[1] = made_source(&x->s, "/b.py");
	x->codes[0] = made_code(&x->s, x->sources[1], "f", 3, "\7\1");
	x->codes[1] = made_code(&x->s, x->sources[0], "g", 2, "");
	x->codes[2] = made_code(&x->s, x->sources[1], "h", 4, "\11\2");
}

/* Convert, and expect so many modules and functions. */
static struct reader *convert(const struct coded *x, uint8_t **datafile, uint32_t modules,
			      uint32_t codes)
{
	struct store_copy c;
	struct reader *r = NULL;
	struct error e = {0};
	bool opened, warned;
	size_t n;

	assert_int_equal(store_copy_from(&c, x->s.bytes, x->s.n, &e), 0);
	if (store_copy_to_datafile(&c, datafile, &n, &e) < 0)
		fail_msg("%s", e.text);
	store_copy_free(&c);
	assert_null(walk_bytes(*datafile, n, &opened, &warned));
	assert_true(opened);
	assert_int_equal(reader_open_memory(*datafile, n, &r, &e), 0);
	assert_int_equal(reader_epoch(r, 0)->num_modules, modules);
	assert_int_equal(reader_num_code(r), codes);
	return r;
}

static void end(struct reader *r, uint8_t *datafile)
{
	reader_close(r);
	free(datafile);
}

static void test_converted(void **state)
{
	static const uint64_t at[] = {AT(0, 0), AT(1, 0), AT(1, 3)};
	static const char *const names[] = {"g", "f", "h"};
	struct coded x;
	uint8_t *datafile;
	struct reader *r;

	(void)state;
	begin(&x);
	r = convert(&x, &datafile, 3, 3);
	assert_null(reader_warning(r));
	for (uint32_t i = 0; i < 3; i++) {
		const struct reader_code *code = reader_code(r, i);
		assert_int_equal(code->ip, at[i]);
		assert_memory_equal(code->name.at, names[i], 1);
	}
	assert_int_equal(reader_code_line(reader_code(r, 1), AT(1, 2)), 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct reader_module *m = &reader_epoch(r, 0)->modules[1 + i];
		assert_int_equal(m->mapped_address, AT(m->name.at[1] - 'a', 0));
		assert_int_equal(m->virtual_address, 0);
		assert_int_equal(m->extent, m->name.at[1] == 'a' ? 2 : 7);
	}
	end(r, datafile);
	made_end(&x.s);
}

static void expect(const struct coded *x, uint32_t modules, uint32_t codes)
{
	uint8_t *datafile;
	struct reader *r = convert(x, &datafile, modules, codes);

	end(r, datafile);
}

/* What cannot be is left out, and what is below a function that belongs to no file is not. */
static void test_damaged(void **state)
{
	struct coded x;
	struct store_code *f, *g;
	struct store_source *b;

	(void)state;
	begin(&x);
	f = made_at(&x.s, x.codes[0]);
	g = made_at(&x.s, x.codes[1]);
	b = made_at(&x.s, x.sources[1]);
	f->source = x.codes[2]; /* no source */
	expect(&x, 3, 2);
	f->source = UINT32_MAX;
	expect(&x, 3, 2);
	f->source = x.sources[0];
	f->extent = 0;
	expect(&x, 3, 2);
	f->extent = UINT32_MAX;
	f->start = 1;
	expect(&x, 3, 2);
	f->extent = 1;
	f->start = 9;
	f->right = x.codes[0]; /* itself */
	expect(&x, 3, 3);
	f->right = x.sources[0]; /* another record */
	g->name_bytes = CSP_CODE_NAME_BYTES + 1;
	expect(&x, 3, 1);
	g->name_bytes = CSP_CODE_NAME_BYTES;
	g->lines_bytes = UINT32_MAX;
	expect(&x, 3, 1);
	b->number = CSP_SOURCES;
	expect(&x, 2, 1);
	b->number = 1;
	b->n = CSP_SOURCE_NAME_BYTES + 1;
	expect(&x, 2, 1);
	made_header(&x.s)->codes = x.s.next + 1000000;
	made_header(&x.s)->sources = UINT32_MAX;
	expect(&x, 1, 0);
	made_end(&x.s);
}

/* Two functions at one address, as no runtime writes them: then none is read. */
static void test_at_one_address(void **state)
{
	struct coded x;
	struct store_code *h;
	struct reader *r;
	uint8_t *datafile;

	(void)state;
	begin(&x);
	h = made_at(&x.s, x.codes[2]);
	h->start = 1;
	r = convert(&x, &datafile, 3, 0);
	assert_non_null(reader_warning(r));
	end(r, datafile);
	made_end(&x.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_converted),
	    cmocka_unit_test(test_damaged),
	    cmocka_unit_test(test_at_one_address),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
