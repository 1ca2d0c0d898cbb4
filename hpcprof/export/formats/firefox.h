/* A thread of a processed profile of the Firefox Profiler, while it is written. Each table is an
 * object of columns. Used by one thread. */
#ifndef HPCPROF_EXPORT_FORMATS_FIREFOX_H
#define HPCPROF_EXPORT_FORMATS_FIREFOX_H

#include "hpcprof/export/formats/formats.h"

#define FIREFOX_NO_SYMBOL UINT32_MAX

struct firefox {
	struct export_data *x;
	struct export_part part;
	size_t column;
	struct strings *strings; /* of the thread */
	uint32_t num_strings;
	struct interner functions;  /* function << 32 | file; UINT64_MAX: above partial paths */
	struct interner places;     /* function of the thread << 32 | line */
	struct interner levels;     /* place << 32 | depth of inlining */
	struct interner symbols;    /* a function with an address, which is not inlined */
	struct interner frame_keys; /* level << 32 | symbol or FIREFOX_NO_SYMBOL */
	uint32_t *stacks;           /* [nodes] the stack of a node with values */
	uint32_t *nodes;            /* the node of each stack */
	uint32_t *frames;           /* the frame of each stack */
	uint32_t *depths;           /* [nodes] of inlining */
	uint32_t *within;           /* [nodes] the symbol that contains the code */
	uint32_t num_stacks;
	bool starved, any;
};

/* Print an element of a column. */
typedef void firefox_cell(struct firefox *s, uint32_t i);
/* Print ,"NAME":[...] with n elements. */
void firefox_put_column(struct firefox *s, const char *name, uint32_t n, firefox_cell *cell);
/* The index of a string in the thread's table; UINT32_MAX, and s->starved, if memory ran out. */
uint32_t firefox_string(struct firefox *s, const char *text);

/* Print ,"NAME":{...}: the tables of functions, of frames and of symbols, which are complete. */
void firefox_put_functions(struct firefox *s);
void firefox_put_frames(struct firefox *s);
void firefox_put_symbols(struct firefox *s);

#endif
