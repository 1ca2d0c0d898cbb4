#include "hpcprof/correlate/pack.h"

#include "hpcprof/correlate/correlate.h"
#include "symbolize/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pack_exists(const char *folder)
{
	size_t size = strlen(folder) + sizeof "/" SYMBOL_PACK_FOLDER;
	char *path = malloc(size);
	int there;

	if (!path)
		return -1;
	snprintf(path, size, "%s/" SYMBOL_PACK_FOLDER, folder);
	there = access(path, F_OK) == 0;
	free(path);
	return there;
}

/* The image of a vdso is saved beside the datafile as it is. */
static bool has_file(const struct model_module *m)
{
	return m->build_id && m->name[0] == '/' && !m->image;
}

static int pack_module(struct pack *p, struct symbolizer *s, const struct model *m, uint32_t module,
		       struct error *e)
{
	bool image;
	struct symbolize_request request = correlate_request(&m->modules.at[module], &image);
	uint64_t *addresses;
	int rc;

	if (correlate_addresses(m, module, &addresses, &request.num_addresses, e) != 0)
		return -1;
	request.addresses = addresses;
	rc = symbol_pack_add(s, p->folder, &request, e);
	p->modules += request.num_addresses != 0;
	p->written += rc > 0;
	free(addresses);
	return rc < 0 ? -1 : 0;
}

int pack_model(struct pack *p, const struct model *m, struct error *e)
{
	struct symbolizer *s = symbolizer_create(&p->symbolizer);
	int rc = s ? 0 : error_memory(e, 0);

	for (uint32_t i = 0; rc == 0 && i < m->modules.len; i++)
		if (has_file(&m->modules.at[i]))
			rc = pack_module(p, s, m, i, e);
	symbolizer_destroy(s);
	return rc;
}
