#include "hpcprof/load/importers.h"

#include "hpcprof/load/ingest_xml.h"
#include "reader/xml.h"

static int add_xml(struct model *m, const char *path, const char **lost, struct error *e)
{
	*lost = NULL;
	return ingest_xml(m, path, e);
}

static struct importer xml_importer = {.is = reader_xml_is, .add = add_xml};

static struct importer *first = &xml_importer;

void importers_add(struct importer *importer)
{
	for (const struct importer *i = first; i; i = i->next)
		if (i == importer)
			return;
	importer->next = first;
	first = importer;
}

const struct importer *importers_of(const char *path)
{
	for (const struct importer *i = first; i; i = i->next)
		if (i->is(path))
			return i;
	return NULL;
}
