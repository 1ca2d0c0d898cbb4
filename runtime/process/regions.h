/* The regions that a thread says it is in (runtime/hpcrun.h), and how often it entered them. */
#ifndef RUNTIME_PROCESS_REGIONS_H
#define RUNTIME_PROCESS_REGIONS_H

#include "runtime/process/state.h"
#include "runtime/trees/names.h"

enum { CSPROF_REGIONS_KEPT = 48 };

struct csprof_region {
	struct csprof_name *name;
	/* What the stack pointer was before the call of the function that began it (the CFA of its
	 * frame), and where it returns to. 0: not known. */
	uintptr_t where, to;
	uint32_t script;      /* see struct csprof_found */
	store_ref tree, node; /* the node that counts its entries, in that tree; 0: none yet */
	/* Written by the handler. depth: see formats/identity/notes.h. */
	uint32_t depth;
	bool placed; /* depth is known; */
	bool exact;  /* there was such a frame */
	/* Programs that the thread starts begin in it; given: so did this one. */
	bool passed, given;
};

/* Of a thread, made at its first region. The outermost region is first. */
struct csprof_regions {
	/* Regions in each other, of which the first CSPROF_REGIONS_KEPT are here. */
	_Atomic uint32_t n;
	/* The regions from this one on, less 1, are of a function that was left by longjmp or the
	 * like; 0: none is. Written by the handler. */
	_Atomic uint32_t left;
	struct csprof_region in[CSPROF_REGIONS_KEPT];
	struct csprof_known_names known;
};

/* The calling thread enters a region, and leaves the innermost one of that name (NULL: the
 * innermost one). Not for handlers. where, to, script: as above. */
void csprof_region_begin(const char *name, uintptr_t where, uintptr_t to, uint32_t script);
void csprof_region_end(const char *name);

/* The calling thread enters a region of all of its path, in which the programs are, too, that it
 * starts. Not for handlers. */
void csprof_region_begin_passed(const char *name);
/* All threads of this program are in it, from the calling one on. Their number is limited. */
void csprof_region_give(const char *name);
/* Add the names of the calling thread's regions that are passed to a list of n bytes
 * (formats/identity/label_list.h); NULL: write nothing. Returns its length. */
size_t csprof_regions_list(char *list, size_t n);

/* The state of the thread that forks goes, and the child's first thread begins: it is in the same
 * regions. */
void csprof_regions_keep(csprof_state_t *state);
void csprof_regions_begin(csprof_state_t *state);

/* The thread's trees were moved: the nodes that count are others. The caller holds the lock, and
 * the thread is not just counting. */
void csprof_regions_forget(csprof_state_t *state);

/* The calling thread ends: the regions that it is in are counted as unbalanced. */
void csprof_regions_end(csprof_state_t *state);
/* Another measurement of the process begins, with other columns. */
void csprof_regions_attach(void);
/* Free the memory. */
void csprof_regions_deinit(csprof_state_t *state);

#endif
