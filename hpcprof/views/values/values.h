/* Internal to the values view: shared by its files. */
#ifndef HPCPROF_VIEWS_VALUES_VALUES_H
#define HPCPROF_VIEWS_VALUES_VALUES_H

#include "hpcprof/command/common.h"
#include "hpcprof/load/profile.h"
#include "hpcprof/metrics/procedure_rows.h"
#include "hpcprof/model/values.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct values_options {
	struct common common;
	const char *function; /* or NULL: all */
	bool all;
};

/* What stands out, of a procedure that is shown. */
struct finding {
	uint64_t address;   /* of the instruction */
	double share;       /* of the times it was seen */
	uint64_t count;     /* how often it was seen */
	const char *what;   /* a sentence without its place */
	const char *advice; /* what a compiler or programmer can do */
};
typedef VEC(struct finding) findings;

/* The name of an address of code that is a value. */
struct place_name {
	uint32_t module;
	uint64_t address;
	const char *function; /* clean */
	uint64_t offset;
};

struct values_view {
	FILE *out;
	const struct profile *p;
	const struct model *m;
	const struct common *o;
	const struct values_options *own;
	struct arena arena;
	struct shown_metrics columns;
	bool *functions; /* [functions]: of the subject; NULL: all */
	struct procedure_rows of;
	VEC(struct place_name) places; /* by module and address */
	VEC(const char *) missing;     /* messages on modules without code; clean */
	bool starved;                  /* memory ran out */
};

/* The values of an instruction: rows [first, end) of the model. */
struct value_span {
	size_t first, end;
};
struct value_span values_between(const struct values_view *v, const struct instructions *p,
				 uint64_t low, uint64_t high);

/* Of a value that is not frequent for sure, the smallest share that is shown; what is said to be
 * always so; and how often an instruction must have been seen for a finding. */
#define VALUES_SHOWN 0.1
#define VALUES_NEARLY 0.9
enum { VALUES_SEEN = 10 };
enum { VALUES_COLUMN = 10 }; /* the width of a metric */

/* The part of the row's count that a frequent value has at least. */
double values_share(const struct model_value *row, const struct model_frequent *f);
/* The most frequent value; NULL: none is known. */
const struct model_frequent *values_best(const struct values_view *v,
					 const struct model_value *row);

/* A printf into the arena; NULL sets v->starved. */
const char *values_format(struct values_view *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A value in words: "10", "0x7ffe10", "work", "+0x10", "-16". */
const char *values_text(struct values_view *v, const struct instructions *p,
			const struct model_value *row, const struct model_frequent *f);
/* Resolve the names of all values that are addresses of code. 0, or -1 and *e if memory ran out. */
int values_name_places(struct values_view *v, struct error *e);

/* The arguments that a procedure reads, bit i for the i-th. Sets v->starved if memory ran out. */
uint8_t values_arguments(struct values_view *v, const struct instructions *p);

/* What stands out in a procedure, most invariant first. */
void values_find(struct values_view *v, const struct instructions *p, findings *out);

bool values_print(struct values_view *v, const uint32_t *order, size_t shown, size_t n);
int values_json(struct values_view *v, const uint32_t *order, size_t shown, size_t n,
		struct error *e);

#endif
