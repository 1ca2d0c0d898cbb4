#include "hpcprof/commands.h"

#include "db/db.h"
#include "hpcprof/importers.h"

const struct command *const all_commands[] = {&text_command,
					      &tree_command,
					      &callers_command,
					      &callees_command,
					      &annotate_command,
					      &xml_command,
					      &merge_command,
					      &dump_command,
					      &recover_command,
					      &top_command,
					      &db_command,
					      &query_command,
					      NULL};

void commands_add_importers(void)
{
	importers_add(&db_importer);
}
