/* What db adds to hpcprof: main registers it. */
#ifndef DB_DB_H
#define DB_DB_H

#include "hpcprof/importers.h"
#include "hpcprof/views.h"

/* hpcprof db and hpcprof query. */
extern const struct view db_view, query_view;
/* Databases that hpcprof db wrote, as PROFILEs. */
extern const struct importer db_importer;

#endif
