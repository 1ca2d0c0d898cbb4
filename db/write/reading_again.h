/* The files that a profile was made of, to read them a second time. */
#ifndef DB_WRITE_READING_AGAIN_H
#define DB_WRITE_READING_AGAIN_H

#include "db/write/write.h"
#include "hpcprof/load/ingest.h"
#include "hpcprof/load/scan.h"

/* Find them again, without the complaints of the first time. 0, or -1 and *e. If 0, the caller
 * frees them with scan_deinit. */
int db_files_again(struct scan *files, const struct db_writing *w, struct error *e);
/* Whether the file could be read then. */
bool db_file_was_read(const struct db_writing *w, const char *path);
/* How to read them as then. */
struct ingest_options db_reading_options(const struct db_writing *w);
/* The same metric in the profile's model, or UINT32_MAX. */
uint32_t db_find_metric(const struct db_writing *w, const struct model_metric *k);
/* Sets *e: a file has something that it did not have then. Returns -1. */
int db_file_changed(struct error *e);

#endif
