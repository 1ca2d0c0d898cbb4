/* The labels that a thread has (runtime/hpcrun.h): keys with a text or a number. */
#ifndef RUNTIME_PROCESS_LABELS_H
#define RUNTIME_PROCESS_LABELS_H

#include "formats/identity/notes.h"
#include "runtime/process/otel.h"
#include "runtime/process/state.h"
#include "runtime/trees/names.h"

enum { CSPROF_LABELS_KEPT = 16 };
/* Of a path: with those of csprof_otel_ips, and one of the path's own. */
enum { CSPROF_LABELS_MOST = CSPROF_LABELS_KEPT + CSPROF_OTEL_LABELS + 1 };

struct csprof_label {
	struct csprof_name *key;
	_Atomic uint64_t numbered; /* of the value: see csprof_name_value */
	uint8_t kind, n;           /* enum csp_label_kind; bytes of the value */
	char value[CSP_LABEL_BYTES + 1];
};

/* Of a thread, made at its first label. The last one of a key is in force. */
struct csprof_labels {
	_Atomic uint32_t n;
	struct csprof_label at[CSPROF_LABELS_KEPT];
	struct csprof_known_names known;
};

/* The calling thread has this label until it is taken away; the one with its key is there again
 * then (push), or is replaced. value: cut at CSP_LABEL_BYTES; NULL: takes it away. Nothing happens
 * if there are too many. Not for handlers. */
void csprof_label_text(const char *key, const char *value, bool push);
void csprof_label_number(const char *key, int64_t value, bool push);
/* The same of a value that is written as the kind has it. */
void csprof_label_put(const char *key, enum csp_label_kind kind, const char *value);

/* Add the calling thread's labels to a list of n bytes (formats/identity/label_list.h); NULL: write
 * nothing. Returns its length. */
size_t csprof_labels_list(char *list, size_t n);

/* The numbers of the labels that are in force, as ips (formats/identity/notes.h) in the order of
 * their keys, put among n others, for which there is room: see csprof_labels_add. Returns how many
 * there are then. Async-signal-safe. */
uint32_t csprof_labels_ips(const csprof_state_t *state, uint64_t *ips, uint32_t n);

static inline uint64_t csprof_label_ip(enum csp_label_kind kind, uint64_t key, uint64_t value)
{
	return CSP_LABEL_BASE | (uint64_t)kind << 2 * CSP_NOTE_SHIFT | key << CSP_NOTE_SHIFT |
	       value;
}

/* Put another one among n of them, in the place of the one with its key. Returns how many there are
 * then. Async-signal-safe. */
uint32_t csprof_labels_add(uint64_t *ips, uint32_t n, uint64_t ip);

/* A label that never changes, of the program's own memory (runtime/hpcrun.h), as an ip; 0: there is
 * no memory. The first time not for handlers. */
struct hpcrun_fixed_label;
uint64_t csprof_label_fixed(struct hpcrun_fixed_label *label);

/* The calling thread's labels, for a thread that it makes; NULL: there are none. Takes no lock. */
struct csprof_labels *csprof_labels_copy(void);
void csprof_labels_free(struct csprof_labels *labels); /* takes NULL */
/* As those of regions. */
void csprof_labels_keep(csprof_state_t *state);
void csprof_labels_begin(csprof_state_t *state);
void csprof_labels_deinit(csprof_state_t *state);

#endif
