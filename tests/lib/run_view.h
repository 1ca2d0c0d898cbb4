/* Run hpcprof's views from within a test, as main does. Used by one thread. */
#ifndef TESTS_LIB_RUN_VIEW_H
#define TESTS_LIB_RUN_VIEW_H

#include "formats/base/error.h"
#include "hpcprof/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A view with one thread of work; what it tells on stderr is not shown. What it gives, and *e,
 * which is empty where there was no error. */
int run_view(struct options o, FILE *out, struct error *e);
/* hpcprof db -o TO FROM...: the same. */
int run_db(const char *to, const char *const *from, size_t n, bool append, struct error *e);
/* hpcprof query --format csv -n 0 QUERY... PROFILE: the n words, of which the last is the
 * profile. malloc'd text, or NULL and *e. */
char *run_query(const char *const *words, size_t n, struct error *e);

/* All bytes of a file, malloc'd and with a NUL behind; NULL if there is none. */
char *read_file(const char *path, size_t *n);

#endif
