#include "hpcprof/commands.h"

#include "db/import/import.h"
#include "hpcprof/command/list.h"
#include "hpcprof/import/import.h"
#include "hpcprof/load/importers.h"

#define COMMAND_ROW(name) &name##_command,
const struct command *const commands_all[] = {COMMAND_LIST(COMMAND_ROW) NULL};

void commands_add_importers(void)
{
	importers_add(&db_importer);
	importers_add(&import_importer);
}
