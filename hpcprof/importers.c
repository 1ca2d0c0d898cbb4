#include "hpcprof/importers.h"

#include "hpcprof/xml.h"
#include "reader/xml.h"

static const struct importer xml_importer = {.is = reader_xml_is, .add = model_add_xml};

enum { MOST_IMPORTERS = 4 };

static const struct importer *importers[MOST_IMPORTERS] = {&xml_importer};

void importers_add(const struct importer *importer)
{
	for (int i = 0; i < MOST_IMPORTERS; i++)
		if (!importers[i]) {
			importers[i] = importer;
			return;
		}
}

const struct importer *importer_of(const char *path)
{
	for (int i = 0; i < MOST_IMPORTERS && importers[i]; i++)
		if (importers[i]->is(path))
			return importers[i];
	return NULL;
}
