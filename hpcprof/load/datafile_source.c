#include "hpcprof/load/datafile_source.h"

#include "formats/base/regular_file.h"
#include "formats/store/alive.h"
#include "formats/store/recover.h"
#include "hpcprof/load/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool is_store(int fd)
{
	char magic[sizeof STORE_MAGIC - 1];
	return pread(fd, magic, sizeof magic, 0) == sizeof magic &&
	       memcmp(magic, STORE_MAGIC, sizeof magic) == 0;
}

static int open_copy(struct datafile_source *s, const struct store_copy *c, struct error *e)
{
	size_t n;

	return store_copy_to_datafile(c, &s->bytes, &n, e) < 0
		   ? -1
		   : reader_open_memory(s->bytes, n, &s->reader, e);
}

static uint64_t monotonic_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint32_t count_running(const struct store_copy *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->survey.num_threads; i++) {
		const struct store_thread *t =
		    store_at(&c->view, store_survey_thread(&c->survey, i), sizeof *t);
		n += !t->end_ns;
	}
	return n;
}

static int open_store(struct datafile_source *s, int fd, const char *path, const char *datafile,
		      struct error *e)
{
	struct store_ending now = {"running", monotonic_ns()};
	struct store_copy c;
	int rc;

	if (store_copy_file(&c, fd, e) < 0)
		return -1;
	if (store_copy_header(&c)->state == STORE_WRITTEN && datafile &&
	    access(datafile, F_OK) == 0) {
		store_copy_free(&c);
		return reader_open(datafile, &s->reader, e);
	}
	if (store_header_is_local(store_copy_header(&c)))
		s->pid = store_copy_header(&c)->pid;
	s->threads_running = count_running(&c);
	s->kind =
	    store_lives(AT_FDCWD, path, store_copy_header(&c)) ? SOURCE_RUNNING : SOURCE_KILLED;
	store_settle(&c, s->kind == SOURCE_RUNNING ? &now : NULL);
	rc = open_copy(s, &c, e);
	store_copy_free(&c);
	return rc;
}

int datafile_source_open(struct datafile_source *s, const char *path, const char *datafile,
			 struct error *e)
{
	struct stat st;
	int fd = regular_file_open(path, &st, e), rc;

	*s = (struct datafile_source){.kind = SOURCE_DATAFILE};
	if (fd < 0)
		return e->sys_errno == ENOENT && datafile ? reader_open(datafile, &s->reader, e)
							  : -1;
	if (is_store(fd))
		rc = open_store(s, fd, path, datafile, e);
	else
		rc = reader_open(path, &s->reader, e);
	if (rc != 0 && e->kind == ERROR_FORMAT && !e->offset)
		foreign_explain(fd, e);
	close(fd);
	if (rc != 0)
		datafile_source_close(s);
	return rc;
}

void datafile_source_close(struct datafile_source *s)
{
	reader_close(s->reader);
	free(s->bytes);
	s->reader = NULL;
	s->bytes = NULL;
}
