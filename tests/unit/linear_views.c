/* The time and memory that the views take grow with the bytes of a datafile, whatever is in it:
 * deep recursions, paths that differ only far from their ends, many threads and metrics. Sorting
 * takes n log n, which is within the slope that is allowed. */
#include "formats/encode.h"
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/growth.h"
#include "tests/lib/unit/run_view.h"
#include "tests/lib/unit/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BASE = 0x10000000, MODULE_BYTES = 0x1000000, MODULES = 12, NODE_BYTES = 8 * 5 };

struct made {
	VEC(struct build_node) nodes;
	VEC(struct build_tree) trees;
	VEC(struct build_thread) threads;
	VEC(struct build_metric) metrics;
	VEC(struct build_account) account;
	VEC(struct build_chunk) chunks;
	VEC(char) names;
	size_t first; /* node of the tree that is made */
};

/* In a process of growth.h, a failed assertion would go on with the tests. */
static void must(bool ok)
{
	if (!ok)
		abort();
}

static uint64_t add_node(struct made *m, uint64_t parent, unsigned function, uint64_t value)
{
	struct build_node node = {
	    .parent = parent, .ip = BASE + 16 * (uint64_t)function + 8, .metrics = {value}};
	must(vec_push(&m->nodes, node));
	return m->nodes.len - 1 - m->first;
}

/* A tree of the nodes from m->first on; they are in m->nodes, which may still move. */
static void end_tree(struct made *m, uint32_t thread, uint32_t creator_tree, uint64_t creator_node)
{
	must(vec_push(&m->trees, (struct build_tree){.version = CSP_VERSION_TREE,
						     .num_nodes = m->nodes.len - m->first,
						     .thread = thread,
						     .kind = CSP_TREE_COMPLETE,
						     .creator_tree = creator_tree,
						     .creator_node = creator_node}));
	m->first = m->nodes.len;
}

static uint64_t add_root(struct made *m)
{
	m->first = m->nodes.len;
	must(vec_push(&m->nodes, (struct build_node){0}));
	return 0;
}

/* ---- the families --------------------------------------------------------------------------- */

/* A path of functions that are called again after so many others, the same time in each. */
static void make_recursion(struct made *m, size_t bytes, unsigned period)
{
	uint64_t at = add_root(m);

	for (size_t i = 0; i < bytes / NODE_BYTES; i++)
		at = add_node(m, at, (unsigned)(i % period), 1000);
	end_tree(m, 0, CSP_NONE, 0);
}

static void make_recursion_1(struct made *m, size_t bytes)
{
	make_recursion(m, bytes, 1);
}

static void make_recursion_5(struct made *m, size_t bytes)
{
	make_recursion(m, bytes, 5);
}

static void make_recursion_100(struct made *m, size_t bytes)
{
	make_recursion(m, bytes, 100);
}

/* All time at the end of the path. */
static void make_deep(struct made *m, size_t bytes)
{
	uint64_t at = add_root(m);

	for (size_t i = 0; i < bytes / NODE_BYTES; i++)
		at = add_node(m, at, (unsigned)(i % 1000), 0);
	add_node(m, at, 1001, 1000);
	end_tree(m, 0, CSP_NONE, 0);
}

/* Paths that are the same but for the outermost function. */
static void make_twins(struct made *m, size_t bytes)
{
	uint64_t root = add_root(m);

	for (unsigned k = 0; k < 3; k++) {
		uint64_t at = add_node(m, root, 2000 + k, 0);
		for (size_t i = 0; i < bytes / NODE_BYTES / 3; i++)
			at = add_node(m, at, (unsigned)(i % 100), 1000);
	}
	end_tree(m, 0, CSP_NONE, 0);
}

/* A function that calls itself and another one, everywhere. */
static void make_comb(struct made *m, size_t bytes)
{
	uint64_t at = add_root(m);

	for (size_t i = 0; i < bytes / NODE_BYTES / 2; i++) {
		at = add_node(m, at, (unsigned)(i % 17), 0);
		add_node(m, at, 3000 + (unsigned)(i % 1000), 1000);
	}
	end_tree(m, 0, CSP_NONE, 0);
}

/* Callees of one function. */
static void make_wide(struct made *m, size_t bytes)
{
	uint64_t at = add_node(m, add_root(m), 0, 0);

	for (size_t i = 0; i < bytes / NODE_BYTES; i++)
		add_node(m, at, (unsigned)i, 1000);
	end_tree(m, 0, CSP_NONE, 0);
}

static const char *name_of(struct made *m, const char *kind, size_t i)
{
	char name[16];
	int n = snprintf(name, sizeof name, "%s%zu", kind, i) + 1;

	for (int k = 0; k < n; k++)
		must(m->names.len < m->names.cap);
	memcpy(m->names.at + m->names.len, name, (size_t)n);
	m->names.len += (size_t)n;
	return m->names.at + m->names.len - n;
}

static void add_threads(struct made *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		must(vec_push(&m->threads,
			      (struct build_thread){
				  .tid = i + 2, .end_ns = 1, .name = name_of(m, "t", i * 7919)}));
}

static void add_metrics(struct made *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		must(vec_push(&m->metrics, (struct build_metric){.name = name_of(m, "m", i),
								 .flags = CSP_METRIC_ASYNC,
								 .period = 1}));
}

/* Threads and metrics, most of which have no values. */
static void make_threads(struct made *m, size_t bytes)
{
	size_t n = bytes / 150, metrics = n < 900 ? n : 900;

	add_threads(m, n);
	add_metrics(m, metrics);
	add_node(m, add_node(m, add_root(m), 0, 1000), 1, 1000);
	end_tree(m, 0, CSP_NONE, 0);
}

/* Rows of the account for threads and metrics, most of which have no values. */
static void make_account(struct made *m, size_t bytes)
{
	size_t n = bytes / 200, metrics = n < 900 ? n : 900;

	make_threads(m, 150 * n);
	for (size_t i = 0; i < n; i++)
		must(vec_push(&m->account, (struct build_account){.metric = (uint32_t)(i % metrics),
								  .thread = (uint32_t)i,
								  .disposition = "recorded",
								  .samples = 1,
								  .weight = i}));
}

/* Threads that were created by each other, or deep in the first. */
static void make_creators(struct made *m, size_t bytes)
{
	size_t n = bytes / 300;
	uint64_t at = add_root(m);

	add_threads(m, n);
	for (size_t i = 0; i < n; i++)
		at = add_node(m, at, (unsigned)(i % 1000), 1);
	end_tree(m, 0, CSP_NONE, 0);
	for (size_t i = 1; i < n; i++) {
		add_node(m, add_root(m), 2000, 1000);
		end_tree(m, (uint32_t)i, i % 2 ? 0 : (uint32_t)i - 1, i % 2 ? at : 1);
	}
}

/* What merged files have of the images and threads that they were made of, and a value of each. */
static void begin_merged(struct made *m, struct csp_sink *s, size_t bytes, size_t n)
{
	size_t metrics = n < 900 ? n : 900;

	add_metrics(m, metrics);
	add_node(m, add_node(m, add_root(m), 0, 1000), 1, 1000);
	end_tree(m, CSP_NONE, CSP_NONE, 0);
	*s = (struct csp_sink){.buf = calloc(2 * bytes + 4096, 1), .cap = 2 * bytes + 4096};
	must(s->buf);
}

static void put_sum(struct csp_sink *s, const struct made *m, size_t i)
{
	csp_put_u32(s, 1);
	csp_put_u32(s, (uint32_t)(i % m->metrics.len));
	csp_put_u64(s, i + 1);
	csp_put_u64(s, 1);
}

static void end_merged(struct made *m, const struct csp_sink *s, uint32_t tag)
{
	must(vec_push(&m->chunks, (struct build_chunk){tag, s->buf, (uint32_t)s->len}));
}

static void put_images(struct csp_sink *s, const struct made *m, size_t n)
{
	csp_put_u32(s, 0);
	csp_put_u32(s, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		csp_put_u32(s, 0);
		put_sum(s, m, i);
	}
}

static void make_images(struct made *m, size_t bytes)
{
	size_t n = bytes / 40;
	struct csp_sink s;

	begin_merged(m, &s, bytes, n);
	put_images(&s, m, n);
	end_merged(m, &s, CSP_CHUNK_MERGED);
}

static void make_groups(struct made *m, size_t bytes)
{
	size_t n = bytes / 80;
	struct csp_sink s;

	begin_merged(m, &s, bytes, n);
	put_images(&s, m, 1);
	end_merged(m, &s, CSP_CHUNK_MERGED);
	s = (struct csp_sink){.buf = calloc(2 * bytes + 4096, 1), .cap = 2 * bytes + 4096};
	must(s.buf);
	csp_put_u32(&s, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		/* groups whose names are alike but for numbers are one */
		const char name[] = {(char)('a' + i / 676 % 26), (char)('a' + i / 26 % 26),
				     (char)('a' + i % 26), (char)('a' + i / 17576 % 26)};
		csp_put_u32(&s, CSP_GROUP_NOT_SAID);
		csp_put_text(&s, name, sizeof name);
		csp_put_text(&s, name, sizeof name);
		csp_put_u64(&s, 1);
		csp_put_u32(&s, 0);
		put_sum(&s, m, i);
	}
	end_merged(m, &s, CSP_CHUNK_GROUPS);
}

/* A node with any ip. */
static uint64_t add_ip(struct made *m, uint64_t parent, uint64_t ip, uint64_t value)
{
	uint64_t at = add_node(m, parent, 0, value);

	m->nodes.at[m->nodes.len - 1].ip = ip;
	return at;
}

static struct csp_sink begin_codes(size_t bytes, size_t n)
{
	struct csp_sink s = {.buf = calloc(2 * bytes + 4096, 1), .cap = 2 * bytes + 4096};

	must(s.buf);
	csp_put_u32(&s, (uint32_t)n);
	return s;
}

/* Functions of an interpreter that call each other, half of them by way of its own. */
static void make_functions(struct made *m, size_t bytes)
{
	size_t n = bytes / 120;
	struct csp_sink s = begin_codes(bytes, n);
	uint64_t at = add_root(m);

	add_node(m, add_node(m, at, 0, 0), 1, 1000);
	for (size_t i = 0; i < n; i++) {
		struct csp_code code = {CSP_SOURCE_BASE + 2 * i, 2, (uint32_t)i, NULL, 0, "\5", 2};
		code.name = name_of(m, "f", i);
		code.name_bytes = (uint32_t)strlen(code.name);
		csp_put_code(&s, &code);
		if (i % 2 == 0)
			at = add_node(m, at, 1, 1000);
		at = add_ip(m, at, code.ip + 1, 1000);
	}
	end_tree(m, 0, CSP_NONE, 0);
	end_merged(m, &s, CSP_CHUNK_CODE);
}

/* A function with a line for each address, all of which were seen. */
static void make_lines(struct made *m, size_t bytes)
{
	size_t n = bytes / (NODE_BYTES + 3);
	char *table = calloc(2 * n + 1, 1);
	uint64_t at = add_node(m, add_root(m), 0, 0);
	struct csp_sink s = begin_codes(bytes, 1);

	must(table);
	add_node(m, at, 1, 1000);
	for (size_t i = 0; i < n; i++) {
		memcpy(table + 2 * i, "\3\1", 2);
		add_ip(m, at, CSP_SOURCE_BASE + i, 1000);
	}
	end_tree(m, 0, CSP_NONE, 0);
	csp_put_code(&s, &(struct csp_code){CSP_SOURCE_BASE, (uint32_t)n, 1, "f", 1, table,
					    (uint32_t)(2 * n)});
	free(table);
	end_merged(m, &s, CSP_CHUNK_CODE);
}

/* At each depth of a path of several modules another one runs a function of an interpreter. */
static void make_runners(struct made *m, size_t bytes)
{
	uint64_t at = add_root(m);

	add_node(m, add_node(m, at, 0, 0), 1, 1000);
	for (size_t i = 0; i < bytes / NODE_BYTES / 2; i++) {
		at = add_ip(m, at, BASE + (i * 7 % MODULES) * MODULE_BYTES + 8 * (i % 100), 0);
		add_ip(m, at, CSP_SOURCE_BASE, 1000);
	}
	end_tree(m, 0, CSP_NONE, 0);
}

/* ---- the measurement ------------------------------------------------------------------------ */

typedef void maker(struct made *m, size_t bytes);

struct family {
	const char *name;
	maker *make;
	const char *line;
	char path[256], other[256], out[256];
};

/* Write the file, and another one that is the same. */
static void write_files(struct family *f, size_t bytes)
{
	struct build_module modules[MODULES + 1] = {{"/none", 0, BASE, MODULE_BYTES, "0011"}};
	const struct build_epoch epochs[] = {{modules, MODULES + 1}};
	struct made m = {0};
	struct built b;

	must(vec_reserve(&m.names, 32 * bytes));
	for (unsigned i = 1; i < MODULES; i++)
		modules[i] = (struct build_module){name_of(&m, "/none", i), 0,
						   BASE + i * MODULE_BYTES, MODULE_BYTES, NULL};
	modules[MODULES] =
	    (struct build_module){"/none.py", 0, CSP_SOURCE_BASE, MODULE_BYTES, NULL};
	f->make(&m, bytes);
	if (!m.metrics.len)
		add_metrics(&m, 1);
	size_t at = 0;
	for (size_t i = 0; i < m.trees.len; i++) {
		m.trees.at[i].nodes = m.nodes.at + at;
		at += m.trees.at[i].num_nodes;
	}
	struct build_file file = {.chunks = m.chunks.at,
				  .num_chunks = (uint32_t)m.chunks.len,
				  .target = "/none",
				  .metrics = m.metrics.at,
				  .num_metrics = (uint32_t)m.metrics.len,
				  .epochs = epochs,
				  .num_epochs = 1,
				  .trees = m.trees.at,
				  .num_trees = (uint32_t)m.trees.len,
				  .threads = m.threads.at,
				  .num_threads = (uint32_t)m.threads.len,
				  .account = m.account.at,
				  .num_account = (uint32_t)m.account.len,
				  .no_fields = true};
	build(&file, &b);
	built_write(&b, f->path);
	built_write(&b, f->other);
	built_free(&b);
	vec_free(&m.nodes);
	vec_free(&m.trees);
	vec_free(&m.threads);
	vec_free(&m.metrics);
	vec_free(&m.account);
	for (size_t i = 0; i < m.chunks.len; i++)
		free((void *)(uintptr_t)m.chunks.at[i].bytes);
	vec_free(&m.chunks);
	vec_free(&m.names);
}

/* All lines read the same files. */
static size_t prepare(void *context, size_t bytes)
{
	struct family *f = context;
	struct stat st;
	char name[100];

	snprintf(name, sizeof name, "%s-%zu.csp", f->name, bytes);
	snprintf(f->path, sizeof f->path, "%s", scratch_path(name));
	snprintf(name, sizeof name, "%s-%zu-too.csp", f->name, bytes);
	snprintf(f->other, sizeof f->other, "%s", scratch_path(name));
	if (stat(f->path, &st) != 0)
		write_files(f, bytes);
	must(stat(f->path, &st) == 0);
	return (size_t)st.st_size;
}

static void run(void *context)
{
	struct family *f = context;
	const char *more[] = {f->path, f->other};
	size_t n = strcmp(f->line, "diff") == 0 ? 2 : 1;
	FILE *out = fopen("/dev/null", "w");
	struct error e;

	if (!out || (strcmp(f->line, "db") == 0 ? run_db(f->out, more, n, false, &e)
						: run_view(f->line, more, n, out, &e)) != 0) {
		fprintf(stderr, "%s: %s\n", f->line, e.text);
		abort();
	}
	fclose(out);
}

static const struct {
	const char *name;
	maker *make;
} families[] = {
    {"recursion", make_recursion_1},
    {"recursion through 5", make_recursion_5},
    {"recursion through 100", make_recursion_100},
    {"deep", make_deep},
    {"twins", make_twins},
    {"comb", make_comb},
    {"wide", make_wide},
    {"threads", make_threads},
    {"account", make_account},
    {"creators", make_creators},
    {"images", make_images},
    {"groups", make_groups},
    {"functions", make_functions},
    {"lines", make_lines},
    {"runners", make_runners},
};

static const char *const lines[] = {
    "text",
    "text -n 1000000",
    "text --join-threads",
    "tree --depth 0",
    "tree --bottom-up --depth 0",
    "callers none+0x7",
    "callees none+0x7",
    "dump",
    "html -o /dev/null",
    "db",
    "diff",
    "export --format folded",
    "export --format pprof -o /dev/null",
    "export --format speedscope",
    "export --format callgrind",
    "export --format firefox",
    "export --format chrome",
    "export --format otlp",
    "export --format csv",
    "export --format json",
    "export --format llvm-sample",
    "export --format llvm-sample --contexts",
    "export --format afdo -o /dev/null",
    "xml",
    "xml --callpath",
    "text --json",
    "tree --json --depth 0 --min 0",
    "tree --json --bottom-up --depth 8 --min 0",
    "dump --json",
    "merge -o /dev/null",
};

static void all_grow_with_their_bytes(void **state)
{
	const char *only = getenv("VIEW"), *family = getenv("FAMILY");
	(void)state;

	for (size_t k = 0; k < sizeof families / sizeof *families; k++)
		for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
			struct family f = {
			    .name = families[k].name, .make = families[k].make, .line = lines[i]};
			char name[100];
			if (only && strcmp(only, f.line) != 0)
				continue;
			if (family && strcmp(family, families[k].name) != 0)
				continue;
			snprintf(f.out, sizeof f.out, "%s", scratch_path("made.db"));
			snprintf(name, sizeof name, "%s, %s", families[k].name, f.line);
			growth_is_linear(name, prepare, run, &f);
		}
}

/* Callers of a recursion without a limit of the depth would be followed its length squared. */
static void what_was_not_followed_is_said(void **state)
{
	(void)state;
	struct family f = {.name = "deep recursion", .make = make_recursion_1};
	const char *more[] = {f.path};
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	struct error e;

	assert_non_null(out);
	prepare(&f, 10000 * (size_t)NODE_BYTES);
	assert_int_equal(run_view("tree --bottom-up --depth 0", more, 1, out, &e), 0);
	fclose(out);
	assert_non_null(strstr(text, " more frames ..."));
	assert_non_null(strstr(text, "... 2 callers deeper\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_grow_with_their_bytes),
	    cmocka_unit_test(what_was_not_followed_is_said),
	};
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
