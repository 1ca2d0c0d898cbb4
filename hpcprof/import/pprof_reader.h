/* Reading pprof's profile.proto: what its files share. */
#ifndef HPCPROF_IMPORT_PPROF_READER_H
#define HPCPROF_IMPORT_PPROF_READER_H

#include "hpcprof/import/parsed.h"
#include "hpcprof/import/wire.h"

typedef VEC(struct cursor) pprof_messages;

struct pprof_type {
	const char *name, *unit;
	uint32_t metric; /* that it is the events or samples of */
	bool samples;    /* it is the samples */
	bool paired;     /* another type is its samples */
	uint64_t factor; /* to the metric's unit */
};
struct pprof_function {
	const char *name, *linkage_name, *file;
	uint32_t line;
};
struct pprof_line {
	uint64_t function;
	uint32_t line;
};
struct pprof_location {
	uint32_t module;
	size_t first, end; /* of the lines */
};

struct pprof_reader {
	struct parsed *p;
	struct error *e;
	pprof_messages types, samples, mappings, locations, functions;
	VEC(struct span) strings;
	const char **texts; /* [strings], of those that are used: NULL until then */
	struct cursor period_type;
	uint64_t period, time_ns, duration_ns;
	uint64_t preferred; /* the string with the name of a type; 0: the last one */
	VEC(struct pprof_type) sample_types;
	struct interner function_ids, mapping_ids, location_ids; /* by the ids of the file */
	VEC(struct pprof_function) function_list;
	VEC(uint32_t) modules; /* by mapping */
	VEC(struct pprof_location) location_list;
	VEC(struct pprof_line) lines;
	uint64_t most_visits; /* of frames */
	size_t most_nodes;
	/* the sample that is being read */
	VEC(uint64_t) values;
	VEC(uint64_t) path; /* location ids, innermost first */
};

/* Functions that return int return 0, or -1 and r->e. */
int pprof_out_of_memory(const struct pprof_reader *r);
/* A profile that is damaged: "byte OFFSET of the profile (unpacked): WHAT ...". */
int pprof_damaged(const struct pprof_reader *r, size_t offset, const char *what);
/* The string of the field that was read at an offset, or NULL. */
int pprof_text_in(struct pprof_reader *r, const struct wire_field *f, size_t at, const char **out);

/* Fill sample_types and the metrics. There is at least one type. */
int pprof_types_read(struct pprof_reader *r);
/* Fill function_list, modules, location_list and lines. */
int pprof_code_read(struct pprof_reader *r);
/* Call read for each message. */
int pprof_each(struct pprof_reader *r, const pprof_messages *list,
	       int (*read)(struct pprof_reader *r, struct cursor c));

#endif
