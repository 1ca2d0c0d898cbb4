#include "runtime/launcher/summary.h"

#include "formats/base/regular_file.h"
#include "formats/base/utf8.h"
#include "formats/decode.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int launch_skip_to_trailer(struct cursor *c)
{
	struct csp_file_header header;
	struct csp_text target;
	uint32_t metrics, epochs, modules, trees;
	uint64_t tramp;
	if (csp_get_file_header(c, &header, NULL) < 0 ||
	    csp_get_string(c, CSP_TAG_TARGET, &target, NULL) < 0 ||
	    csp_get_count(c, "num_metrics", CSP_METRIC_MIN_BYTES, &metrics, NULL) < 0)
		return -1;
	for (uint32_t i = 0; i < metrics; i++) {
		struct csp_metric m;
		if (csp_get_metric(c, &m, NULL) < 0)
			return -1;
	}
	if (csp_get_count(c, "num_epochs", CSP_EPOCH_MIN_BYTES, &epochs, NULL) < 0)
		return -1;
	for (uint32_t i = 0; i < epochs; i++) {
		if (csp_get_count(c, "num_modules", CSP_MODULE_MIN_BYTES, &modules, NULL) < 0)
			return -1;
		for (uint32_t k = 0; k < modules; k++) {
			struct csp_module m;
			if (csp_get_module(c, &m, NULL) < 0)
				return -1;
		}
	}
	if (csp_get_u32(c, "num_trees", &trees, NULL) < 0 ||
	    csp_get_u64(c, "tramp_samples", &tramp, NULL) < 0)
		return -1;
	for (uint32_t i = 0; i < trees; i++) {
		struct csp_tree_header t;
		if (csp_get_tree_header(c, metrics, &t, NULL) < 0 ||
		    !cursor_skip(c, t.num_nodes * csp_node_bytes(t.width, metrics)))
			return -1;
	}
	return 0;
}

/* The event that a column belongs to: its weights are in the first of two. NULL: none. */
static struct launch_event *event_of(struct launch_summary *out, uint32_t column)
{
	enum { COLUMNS = 2 };
	return column % COLUMNS == 0 && column / COLUMNS < CSPROF_MAX_EVENTS
		   ? &out->events[column / COLUMNS]
		   : NULL;
}

static void add_row(struct launch_event *e, const struct csp_text *name, uint64_t samples,
		    uint64_t weight)
{
	static const char *const names[CSP_DISPOSITIONS] = CSP_DISPOSITION_NAMES;
	e->clock += weight;
	for (int d = 0; d < CSP_DISPOSITIONS; d++)
		if (strlen(names[d]) == name->n && memcmp(names[d], name->at, name->n) == 0) {
			e->samples[d] += samples;
			e->weight[d] += weight;
		}
}

static int add_account(struct cursor *c, struct launch_summary *out)
{
	uint32_t rows, thread, metric;
	uint64_t samples, weight;
	struct csp_text name;
	if (csp_get_count(c, "rows", 4 + 4 + 4 + 8 + 8, &rows, NULL) < 0)
		return -1;
	for (uint32_t i = 0; i < rows; i++) {
		if (csp_get_u32(c, "thread", &thread, NULL) < 0 ||
		    csp_get_u32(c, "metric", &metric, NULL) < 0 ||
		    csp_get_text(c, "disposition", &name, NULL) < 0 ||
		    csp_get_u64(c, "samples", &samples, NULL) < 0 ||
		    csp_get_u64(c, "weight", &weight, NULL) < 0)
			return -1;
		struct launch_event *e = event_of(out, metric);
		if (e)
			add_row(e, &name, samples, weight);
	}
	return 0;
}

static bool is_key(const struct csp_text *key, const char *name)
{
	return key->n == strlen(name) && memcmp(key->at, name, key->n) == 0;
}

static uint64_t number(const struct csp_text *value)
{
	uint64_t v = 0;
	for (uint32_t i = 0; i < value->n && value->at[i] >= '0' && value->at[i] <= '9'; i++)
		v = v * 10 + (uint64_t)(value->at[i] - '0');
	return v;
}

/* CPU time, what measuring cost, and the source of the event, from the pairs of PROCESS (e: NULL)
 * or of a metric: no key is in both. */
static int add_pairs(struct cursor *c, struct launch_summary *out, struct launch_event *e)
{
	uint32_t pairs;
	if (csp_get_count(c, "pairs", CSP_PAIR_MIN_BYTES, &pairs, NULL) < 0)
		return -1;
	for (uint32_t i = 0; i < pairs; i++) {
		struct csp_text key, value;
		if (csp_get_pair(c, &key, &value, NULL) < 0)
			return -1;
		if (is_key(&key, "cost_ns"))
			out->cost += number(&value);
		if (is_key(&key, "outside_ns"))
			out->outside += number(&value);
		if (!e && is_key(&key, "end"))
			out->execs += is_key(&value, "exec");
		if (is_key(&key, "cpu_ns"))
			out->cpu += number(&value);
		if (e && !e->source[0] && is_key(&key, "source") && value.n <= LAUNCH_SOURCE_BYTES)
			utf8_clean(e->source, value.at, value.n);
	}
	return 0;
}

static int add_metrics(struct cursor *c, struct launch_summary *out)
{
	uint32_t metrics;
	if (csp_get_count(c, "metrics", 4, &metrics, NULL) < 0)
		return -1;
	for (uint32_t i = 0; i < metrics; i++)
		if (add_pairs(c, out, event_of(out, i)) < 0)
			return -1;
	return 0;
}

static int add_file(const uint8_t *bytes, size_t n, struct launch_summary *out)
{
	struct cursor c = cursor_of(bytes, n, false);
	uint32_t chunks;
	if (launch_skip_to_trailer(&c) < 0 || csp_get_trailer_header(&c, &chunks, NULL) < 0)
		return -1;
	for (uint32_t i = 0; i < chunks; i++) {
		struct csp_chunk_header h;
		if (csp_get_chunk_header(&c, &h, NULL) < 0)
			return -1;
		struct cursor chunk = c;
		chunk.size = c.pos + h.length;
		if ((h.tag == CSP_CHUNK_ACCOUNT && add_account(&chunk, out) < 0) ||
		    (h.tag == CSP_CHUNK_METRICS && add_metrics(&chunk, out) < 0) ||
		    (h.tag == CSP_CHUNK_PROCESS && add_pairs(&chunk, out, NULL) < 0))
			return -1;
		cursor_skip(&c, h.length);
	}
	return 0;
}

bool launch_is_older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void read_and_add(int dir, const char *name, const struct timespec *since,
			 struct launch_summary *out)
{
	struct stat st;
	int fd = regular_file_open_at(dir, name, O_RDONLY, &st, NULL);
	if (fd < 0 || launch_is_older(&st.st_mtim, since)) {
		if (fd >= 0)
			close(fd);
		return;
	}
	static const char first[] = ".0" CSP_SUFFIX;
	size_t n = strlen(name);
	out->files++;
	if (n >= sizeof first && strcmp(name + n - (sizeof first - 1), first) == 0)
		out->processes++;
	void *bytes = regular_file_read(fd, &st, NULL);
	close(fd);
	if (!bytes || add_file(bytes, (size_t)st.st_size, out) < 0)
		out->unreadable++;
	free(bytes);
}

static bool is_datafile(const char *name)
{
	size_t n = strlen(name), suffix = sizeof CSP_SUFFIX - 1;
	return n > suffix && strcmp(name + n - suffix, CSP_SUFFIX) == 0;
}

uint32_t launch_count_datafiles(const char *dir)
{
	uint32_t n = 0;
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));)
		n += is_datafile(e->d_name);
	if (d)
		closedir(d);
	return n;
}

int launch_summarize(const char *dir, const struct timespec *since, struct launch_summary *out)
{
	memset(out, 0, sizeof *out);
	DIR *d = opendir(dir);
	if (!d)
		return -1;
	for (struct dirent *e; (e = readdir(d));)
		if (is_datafile(e->d_name))
			read_and_add(dirfd(d), e->d_name, since, out);
	closedir(d);
	/* the first image may be one of an earlier measurement of the process */
	if (out->processes + out->execs < out->files)
		out->processes = out->files - out->execs;
	return 0;
}
