#include "tests/lib/run_view.h"

#include "db/db.h"
#include "hpcprof/profile.h"

#include <stdlib.h>

int run_view(struct options o, FILE *out, struct error *e)
{
	struct diag d = {.out = fopen("/dev/null", "w"), .quiet = true};
	struct profile p;
	int rc;

	*e = (struct error){0};
	o.threads = 1;
	o.width = o.width ? o.width : 100;
	if (!d.out)
		return error_system(e, "/dev/null");
	if (o.view->run) {
		rc = o.view->run(out, &o, &d, e);
	} else {
		rc = profile_load(&p, &o, &d, e);
		if (rc == 0) {
			rc = o.view->print(out, &p, &o, e);
			profile_deinit(&p);
		}
	}
	fclose(d.out);
	return rc;
}

int run_db(const char *to, const char *const *from, size_t n, bool append, struct error *e)
{
	struct options o = {
	    .view = &db_view, .profiles = from, .num_profiles = n, .output = to, .append = append};

	return run_view(o, stdout, e);
}

char *run_query(const char *const *words, size_t n, struct error *e)
{
	struct options o = {.view = &query_view,
			    .subject = words[0],
			    .profiles = words + 1,
			    .num_profiles = n - 1,
			    .format = ROWS_CSV,
			    .time_limit = 60};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = out ? run_view(o, out, e) : error_system(e, "memory");

	if (out)
		fclose(out);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

char *read_file(const char *path, size_t *n)
{
	FILE *in = fopen(path, "rb");
	char *bytes = NULL;
	size_t room = 0;

	*n = 0;
	if (!in)
		return NULL;
	do {
		room = room ? 2 * room : 65536;
		bytes = realloc(bytes, room + 1);
		if (!bytes)
			abort();
		*n += fread(bytes + *n, 1, room - *n, in);
	} while (*n == room);
	bytes[*n] = 0;
	fclose(in);
	return bytes;
}
