/* The processes and threads that the user chose by --program, --process, --host, --rank and
 * --thread, and the labels by --label. Datafiles of other processes are not read. A choice may be
 * used by several threads. */
#ifndef HPCPROF_LOAD_CHOICE_H
#define HPCPROF_LOAD_CHOICE_H

#include "hpcprof/command/common.h"
#include "reader/reader.h"

#include <stdbool.h>

struct choice;

/* *out is NULL if all are wanted. o must outlive it. 0, or -1 and *e. */
int choice_create(struct choice **out, const struct common *o, struct error *e);
void choice_destroy(struct choice *c); /* takes NULL */

/* Whether the process of a datafile, which is not a merged one, is wanted, and has a thread that
 * is. True for NULL. */
bool choice_process(const struct choice *c, const struct reader *r);
/* Whether only some processes or threads are wanted. */
bool choice_has_processes(const struct choice *c);
/* Whether only some threads are wanted; whether this one is. */
bool choice_has_threads(const struct choice *c);
bool choice_thread(const struct choice *c, const struct reader_thread *t);

/* Whether only values with some labels are wanted; whether those with these n are. */
struct choice_label {
	struct reader_text key, value;
};
enum { CHOICE_LABELS = 64 }; /* at most, of a value */
bool choice_has_labels(const struct choice *c);
bool choice_labels(const struct choice *c, const struct choice_label *labels, size_t n);

#endif
