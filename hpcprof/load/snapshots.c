#include "hpcprof/load/snapshots.h"

#include "formats/base/path.h"
#include "hpcprof/load/datafile_source.h"

#include <stdlib.h>
#include <string.h>

struct named {
	const char *name;
	uint32_t file;        /* index in the list */
	const char *argument; /* NULL: of any */
	/* which process it is of, if that is known, and when */
	bool known;
	char host[256];
	uint64_t pid, start, wall;
};

static int by_name(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);
	return order ? order : (a->file > b->file) - (a->file < b->file);
}

/* By process, the latest first. */
static int by_process(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;
	int order = strcmp(a->host, b->host);
	if (a->known != b->known)
		return a->known ? -1 : 1;
	if (a->argument && strcmp(a->argument, b->argument) != 0)
		return strcmp(a->argument, b->argument);
	if (order)
		return order;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->wall != b->wall)
		return a->wall > b->wall ? -1 : 1;
	return (a->file > b->file) - (a->file < b->file);
}

static bool same_process(const struct named *a, const struct named *b)
{
	return a->known && b->known && a->pid == b->pid && a->start == b->start &&
	       strcmp(a->host, b->host) == 0 &&
	       (!a->argument || strcmp(a->argument, b->argument) == 0);
}

/* What cannot be read, or is merged, is left to those who read it all. */
static void identify(struct named *n, const struct scan_file *f)
{
	struct datafile_source source;
	struct error ignored;

	if (datafile_source_open(&source, f->path, f->datafile, &ignored) != 0)
		return;
	struct reader_pairs about = reader_process(source.reader);
	struct reader_text host = reader_pairs_get(about, "host");
	n->known = host.n < sizeof n->host && !reader_is_merged(source.reader) &&
		   reader_pairs_u64(about, "pid", &n->pid) &&
		   reader_pairs_u64(about, "start_ns", &n->start) &&
		   reader_pairs_u64(about, "wall_ns", &n->wall);
	if (n->known && host.n)
		memcpy(n->host, host.at, host.n);
	datafile_source_close(&source);
}

/* Of files of one name. Returns how many are not wanted: their paths become NULL. */
static size_t drop_earlier(struct scan *s, struct named *same, size_t n)
{
	size_t dropped = 0;

	for (size_t i = 0; i < n; i++)
		identify(&same[i], &s->files.at[same[i].file]);
	qsort(same, n, sizeof *same, by_process);
	for (size_t i = 1; i < n; i++)
		if (same_process(&same[i - 1], &same[i])) {
			s->files.at[same[i].file].path = NULL;
			dropped++;
		}
	return dropped;
}

int snapshots_drop(struct scan *s, bool apart, struct diag *d, struct error *e)
{
	size_t n = s->files.len, dropped = 0, kept = 0;
	struct named *names = calloc(n + 1, sizeof *names);

	if (!names)
		return error_memory(e, n * sizeof *names);
	for (size_t i = 0; i < n; i++) {
		const struct scan_file *f = &s->files.at[i];
		names[i].name = path_basename(f->datafile ? f->datafile : f->path);
		names[i].file = (uint32_t)i;
		names[i].argument = apart ? f->argument : NULL;
	}
	qsort(names, n, sizeof *names, by_name);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && strcmp(names[i].name, names[end].name) == 0;)
			end++;
		if (end - i > 1)
			dropped += drop_earlier(s, names + i, end - i);
	}
	free(names);
	for (size_t i = 0; i < n; i++)
		if (s->files.at[i].path)
			s->files.at[kept++] = s->files.at[i];
	s->files.len = kept;
	if (dropped)
		diag_notice(
		    d, NULL,
		    "not read: %zu snapshot%s of processes of which a later datafile is read",
		    dropped, dropped == 1 ? "" : "s");
	return 0;
}
