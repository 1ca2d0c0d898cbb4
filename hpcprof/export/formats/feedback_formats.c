/* The formats for compilers and linkers, which are made of samples by instruction. */
#include "hpcprof/export/feedback/afdo.h"
#include "hpcprof/export/feedback/bolt.h"
#include "hpcprof/export/feedback/code.h"
#include "hpcprof/export/feedback/llvm_sample.h"
#include "hpcprof/export/feedback/locations.h"
#include "hpcprof/export/feedback/order.h"
#include "hpcprof/export/feedback/report.h"
#include "hpcprof/export/formats/formats.h"
#include "hpcprof/terminal/layout.h"

#include <stdlib.h>
#include <string.h>

/* Read the code with the samples of the first metric. */
static int read_code(struct export_data *x, struct feedback *f, struct error *e)
{
	if (!x->num_metrics)
		return error_set(e, ERROR_USAGE, "there is no metric, so there are no samples");
	return feedback_read(f, x->m, x->c, &x->o->common, x->columns.at[x->num_metrics].values, e);
}

/* The program that used most CPU time, or if it has no samples, the module with most. Programs and
 * libraries are built one by one. */
static const struct feedback_module *main_module(const struct feedback *f)
{
	const struct feedback_module *most = NULL;
	const char *program = export_program(f->m);

	for (size_t i = 0; i < f->modules.len; i++) {
		const struct feedback_module *m = &f->modules.at[i];
		if (strcmp(f->m->modules.at[m->module].name, program) == 0)
			return m;
		if (!most || m->samples > most->samples)
			most = m;
	}
	return most;
}

/* Say how much of it fits the other build. */
static int compare(struct export_data *x, const struct feedback *f,
		   const struct feedback_module *only, struct error *e)
{
	struct against a;

	if (!only && f->modules.len == 1)
		only = &f->modules.at[0];
	if (!only)
		return error_set(e, ERROR_USAGE,
				 "--against is for one load module (choose it with --module)");
	if (against_compare(&a, f, only, &x->o->common, x->o->against, e) != 0)
		return -1;
	if (x->p->diag)
		report_against(x->p->diag, x->o->against, &a);
	return 0;
}

typedef int write_locations(FILE *out, const struct locations *l, struct error *e);

static int write_samples(struct export_data *x, enum feedback_reader reader, write_locations *write,
			 struct error *e)
{
	struct feedback f = {0};
	struct locations l = {0};
	unsigned weights = x->o->weights ? x->o->weights - 1 : WEIGHTS_BLOCKS;
	const struct feedback_module *only;
	int rc = read_code(x, &f, e);

	if (rc == 0)
		rc = locations_init(&l, reader, weights, e);
	only = rc == 0 && !x->o->common.modules.len ? main_module(&f) : NULL;
	for (size_t i = 0; rc == 0 && i < f.modules.len; i++)
		if (!only || only == &f.modules.at[i])
			rc = x->o->contexts ? locations_add_contexts(&l, &f, &f.modules.at[i], e)
					    : locations_add(&l, &f, &f.modules.at[i], e);
	if (rc == 0) {
		locations_finish(&l);
		rc = write(x->out, &l, e);
	}
	if (rc == 0 && x->p->diag)
		report_locations(x->p->diag, &x->arena, &f, only, &l);
	if (rc == 0 && x->o->against)
		rc = compare(x, &f, only, e);
	locations_deinit(&l);
	feedback_deinit(&f);
	return rc;
}

static int write_llvm_sample(struct export_data *x, struct error *e)
{
	return write_samples(x, FEEDBACK_CLANG, llvm_sample_write, e);
}

static int write_afdo(struct export_data *x, struct error *e)
{
	return write_samples(x, FEEDBACK_GCC, afdo_write, e);
}

/* ---- formats of one module --------------------------------------------------------- */

/* Write the module's part. *written: how many samples it has. */
typedef int write_module(struct export_data *x, const struct feedback *f,
			 const struct feedback_module *m, uint64_t *written, struct error *e);

static int write_one(struct export_data *x, write_module *write, struct error *e)
{
	struct feedback f = {0};
	const struct feedback_module *m = NULL;
	uint64_t written = 0;
	int rc = read_code(x, &f, e);

	if (rc == 0) {
		m = main_module(&f);
		rc = m ? write(x, &f, m, &written, e)
		       : error_set(e, ERROR_USAGE, "no samples are in a file with code");
	}
	if (rc == 0 && x->p->diag)
		report_module(x->p->diag, &x->arena, &f, m, written);
	feedback_deinit(&f);
	return rc;
}

static int put_order(struct export_data *x, const struct feedback *f,
		     const struct feedback_module *m, uint64_t *written, struct error *e)
{
	uint32_t *order;
	size_t n;
	/* with -ffunction-sections, each function has a section */
	const char *section = x->o->reader == EXPORT_FOR_GOLD ? ".text." : "";

	if (order_procedures(f, m, &order, &n, e) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct feedback_procedure *p = &m->procedures.at[order[i]];
		const char *name = p->symbol ? layout_clean(&x->arena, p->symbol) : NULL;
		if (!p->symbol)
			continue;
		if (!name) {
			free(order);
			return error_memory(e, strlen(p->symbol));
		}
		fprintf(x->out, "%s%s\n", section, name);
		*written += p->samples;
	}
	free(order);
	return 0;
}

static int write_order(struct export_data *x, struct error *e)
{
	return write_one(x, put_order, e);
}

static int put_bolt(struct export_data *x, const struct feedback *f,
		    const struct feedback_module *m, uint64_t *written, struct error *e)
{
	(void)f;
	(void)e;
	*written = bolt_write(x->out, m);
	return 0;
}

static int write_bolt(struct export_data *x, struct error *e)
{
	return write_one(x, put_bolt, e);
}

#define CODE_FORMAT(id, word, is_binary)                                                           \
	const struct export_format export_##id = {.name = (word),                                  \
						  .one_metric = true,                              \
						  .code = true,                                    \
						  .binary = (is_binary),                           \
						  .most = UINT64_MAX,                              \
						  .write = write_##id}

CODE_FORMAT(llvm_sample, "llvm-sample", false);
CODE_FORMAT(afdo, "afdo", true);
CODE_FORMAT(order, "order", false);
CODE_FORMAT(bolt, "bolt", false);
