/* Profile databases as PROFILEs: hpcprof/commands.c registers the importer. */
#ifndef DB_IMPORT_IMPORT_H
#define DB_IMPORT_IMPORT_H

#include "hpcprof/load/importers.h"

/* Databases that hpcprof db wrote, as PROFILEs. */
extern struct importer db_importer;

#endif
