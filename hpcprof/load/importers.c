#include "hpcprof/load/importers.h"

#include "hpcprof/load/ingest_xml.h"
#include "reader/xml.h"

static struct importer xml_importer = {.is = reader_xml_is, .add = ingest_xml};

static struct importer *first = &xml_importer;

void importers_add(struct importer *importer)
{
	struct importer **at = &first;

	while (*at && *at != importer)
		at = &(*at)->next;
	*at = importer;
}

const struct importer *importers_of(const char *path)
{
	for (const struct importer *i = first; i; i = i->next)
		if (i->is(path))
			return i;
	return NULL;
}
