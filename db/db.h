/* What db adds to hpcprof: main registers it. */
#ifndef DB_DB_H
#define DB_DB_H

#include "hpcprof/importers.h"
#include "hpcprof/command/command.h"

/* hpcprof db and hpcprof query. */
extern const struct command db_command, query_command;
/* Databases that hpcprof db wrote, as PROFILEs. */
extern struct importer db_importer;

#endif
