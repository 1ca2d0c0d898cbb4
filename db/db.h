/* What db adds to hpcprof: main registers it. */
#ifndef DB_DB_H
#define DB_DB_H

#include "hpcprof/views.h"

/* hpcprof db and hpcprof query. */
extern const struct view db_view, query_view;

#endif
