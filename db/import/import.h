/* Profile databases as PROFILEs: hpcprof/commands.c registers the importer. */
#ifndef DB_IMPORT_IMPORT_H
#define DB_IMPORT_IMPORT_H

#include "hpcprof/load/importers.h"

/* Databases that hpcprof db wrote, as PROFILEs. What a database has too much of for its bytes is
 * refused (import_internal.h). So time and memory grow with them: at most 256 bytes of memory for
 * each, as tests/unit/linear_databases.c holds (at most 97 are seen). */
extern struct importer db_importer;

#endif
