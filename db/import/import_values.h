/* Internal to the import of databases: values of instructions. */
#ifndef DB_IMPORT_IMPORT_VALUES_H
#define DB_IMPORT_IMPORT_VALUES_H

#include "db/base/sql.h"
#include "db/import/ids.h"
#include "hpcprof/model/model.h"

/* Add those of all measurements to the model, which has the modules. 0, or -1 and *e. */
int import_values(sqlite3 *db, struct model *m, const struct ids *modules, struct error *e);

#endif
