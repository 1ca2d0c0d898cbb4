/* Writes many datafiles for merging, as a parallel program would.
 *
 *     mkprofiles DIR COUNT NODES SHARED [own | pool]
 *
 * DIR gets COUNT datafiles, p00000.csp and so on, each of one thread with one tree of NODES nodes
 * in the order in which the runtime numbers them: depth first, siblings by a hash of their ip.
 * SHARED percent of the nodes are the same contexts in every file. The others are from a pool of
 * ten times NODES that all files use, or with `own` are different in each file. Every process has
 * its modules at different load addresses. Inner nodes are call sites without values, leaves have
 * samples (V and N). The same arguments give the same bytes. */
#include "formats/datafile.h"
#include "formats/encode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODULES = 4, MODULE_BYTES = 4 << 20 };

/* A context that some profiles have; entry 0 is the root. */
struct place {
	uint32_t parent;
	uint32_t module, offset; /* of the ip */
	bool inner;
};

struct world {
	struct place *places;
	uint32_t shared, all; /* the root and the shared ones come first */
	uint32_t nodes;       /* of a profile */
	bool own;
};

struct profile {
	uint64_t base[MODULES];
	uint32_t *chosen; /* [nodes] indexes of places */
	uint32_t num_chosen;
	bool *has;                        /* [all places] */
	uint32_t *first, *next, *renamed; /* [all places]: children; id in the file */
	uint64_t *sums;                   /* V, N */
};

static uint64_t state = 88172645463325252;

static uint32_t below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 32) * n >> 32);
}

static void *need(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);
	if (!p) {
		fprintf(stderr, "mkprofiles: out of memory\n");
		exit(1);
	}
	return p;
}

/* Inner places have parents nearby, so that paths are about ten to twenty calls deep. */
static void make_place(struct world *w, uint32_t i, uint32_t from, bool inner)
{
	uint32_t parent;
	do
		parent = from && below(3) ? i - 1 - below(i - from < 100 ? i - from : 100)
					  : below(i < w->shared ? i : w->shared);
	while (!w->places[parent].inner);
	w->places[i] = (struct place){parent, below(MODULES), below(MODULE_BYTES - 64) + 16, inner};
}

static void make_world(struct world *w, uint32_t nodes, unsigned percent, bool own)
{
	uint32_t others = own ? nodes : percent < 100 ? nodes * 10 : 0;

	w->nodes = nodes;
	w->own = own;
	w->shared = (uint32_t)((uint64_t)nodes * percent / 100) & ~1u;
	w->all = w->shared + others;
	w->places = need(w->all, sizeof *w->places);
	w->places[0] = (struct place){.inner = true};
	for (uint32_t i = 1; i < w->all; i++)
		make_place(w, i, i < w->shared ? 1 : w->shared, i % 2);
}

static void choose(struct profile *p, const struct world *w, uint32_t place)
{
	uint32_t way[4096], n = 0;

	for (; !p->has[place] && n < 4096; place = w->places[place].parent)
		way[n++] = place;
	while (n && p->num_chosen < w->nodes) {
		p->has[way[--n]] = true;
		p->chosen[p->num_chosen++] = way[n];
	}
}

static uint64_t ip_of(const struct profile *p, const struct place *at)
{
	return p->base[at->module] + at->offset;
}

static uint64_t hash(uint64_t ip)
{
	ip *= UINT64_C(0x9e3779b97f4a7c15);
	return ip ^ ip >> 31;
}

/* The tree's links, each list of siblings sorted by hash: few lists are long. */
static void link_children(struct profile *p, const struct world *w)
{
	memset(p->first, 0, w->all * sizeof *p->first);
	for (uint32_t i = 1; i < p->num_chosen; i++) {
		uint32_t place = p->chosen[i];
		uint32_t *to = &p->first[w->places[place].parent];
		uint64_t mine = hash(ip_of(p, &w->places[place]));
		while (*to && hash(ip_of(p, &w->places[*to])) < mine)
			to = &p->next[*to];
		p->next[place] = *to;
		*to = place;
	}
}

static void put_tree(struct csp_sink *s, struct profile *p, const struct world *w)
{
	uint32_t *stack = need(w->nodes, sizeof *stack), depth = 0, id = 0;

	csp_put_tree_header(s, CSP_VERSION_TREE, 8, p->num_chosen, 0);
	p->sums[0] = p->sums[1] = 0;
	stack[depth++] = 0;
	while (depth) {
		uint32_t place = stack[--depth], child = p->first[place];
		uint64_t values[2] = {0, 0};
		if (!child) {
			values[1] = 1 + below(3);
			values[0] = values[1] * 1000000 + below(1000);
		}
		p->sums[0] += values[0];
		p->sums[1] += values[1];
		p->renamed[place] = id;
		csp_put_node(s, 8, id++, p->renamed[w->places[place].parent],
			     place ? ip_of(p, &w->places[place]) : 0, 0x7ffe00000000 - 16 * depth,
			     values, 2);
		for (; child; child = p->next[child])
			stack[depth++] = child;
	}
	free(stack);
}

static void put_chunk(struct csp_sink *s, uint32_t tag, struct csp_sink *payload)
{
	csp_put_chunk_header(s, tag, payload->len);
	csp_put_bytes(s, payload->buf, payload->len);
	payload->len = 0;
}

static void put_trailer(struct csp_sink *s, const struct profile *p, unsigned number)
{
	static uint8_t room[4096];
	struct csp_sink c = {.buf = room, .cap = sizeof room};

	csp_put_trailer_header(s, 6);
	csp_put_u32(&c, 5);
	csp_put_pair(&c, "command", "made\0up", 7);
	csp_put_pair(&c, "host", "node", 4);
	csp_put_pair_u64(&c, "pid", 1000 + number);
	csp_put_pair_u64(&c, "rank", number);
	csp_put_pair(&c, "end", "exit 0", 6);
	put_chunk(s, CSP_CHUNK_PROCESS, &c);
	csp_put_u32(&c, 1);
	csp_put_u32(&c, MODULES);
	for (unsigned i = 0; i < MODULES; i++) {
		char id[] = "aabbccdd00112233445566778899aabbccddee00";
		id[sizeof id - 2] = (char)('0' + i);
		csp_put_u64(&c, MODULE_BYTES);
		csp_put_text(&c, id, sizeof id - 1);
	}
	put_chunk(s, CSP_CHUNK_MODULES, &c);
	csp_put_u32(&c, 1);
	csp_put_u32(&c, 0);
	csp_put_u32(&c, CSP_TREE_COMPLETE);
	csp_put_u32(&c, CSP_NONE);
	csp_put_u64(&c, 0);
	put_chunk(s, CSP_CHUNK_TREES, &c);
	csp_put_u32(&c, 1);
	csp_put_u32(&c, 0);
	csp_put_u32(&c, 0);
	csp_put_text(&c, "recorded", 8);
	csp_put_u64(&c, p->sums[1]);
	csp_put_u64(&c, p->sums[0]);
	put_chunk(s, CSP_CHUNK_ACCOUNT, &c);
	csp_put_u32(&c, 2);
	for (unsigned i = 0; i < 2; i++) {
		csp_put_u32(&c, 2);
		csp_put_pair(&c, "unit", i ? "count" : "ns", i ? 5 : 2);
		csp_put_pair(&c, "source", "made up", 7);
	}
	put_chunk(s, CSP_CHUNK_METRICS, &c);
	csp_put_u32(&c, 1);
	csp_put_u64(&c, 1000 + number);
	csp_put_text(&c, "main", 4);
	csp_put_u64(&c, 0);
	csp_put_u64(&c, p->sums[0]);
	csp_put_u64(&c, p->sums[0]);
	put_chunk(s, CSP_CHUNK_THREADS, &c);
}

static int to_file(void *context, const uint8_t *bytes, size_t n)
{
	int fd = *(const int *)context;
	return write(fd, bytes, n) == (ssize_t)n ? 0 : -EIO;
}

static void put_profile(struct csp_sink *s, struct profile *p, const struct world *w,
			unsigned number)
{
	csp_put_file_header(s, CSP_VERSION_FILE);
	csp_put_string(s, CSP_TAG_TARGET, "/made/up", 8);
	csp_put_u32(s, 2);
	csp_put_metric(s, "CPUTIME", 7, true, CSP_METRIC_ASYNC, 1);
	csp_put_metric(s, "CPUTIME" CSP_SAMPLES_SUFFIX, 17, true,
		       CSP_METRIC_ASYNC | CSP_METRIC_SAMPLES, 1000000);
	csp_put_u32(s, 1);
	csp_put_u32(s, MODULES);
	for (unsigned i = 0; i < MODULES; i++) {
		char name[] = "/made/up/lib0.so";
		name[12] = (char)('0' + i);
		csp_put_module(s, name, sizeof name - 1, 0, p->base[i]);
	}
	csp_put_u32(s, 1);
	csp_put_u64(s, 0);
	put_tree(s, p, w);
	put_trailer(s, p, number);
}

static int write_profile(struct world *w, struct profile *p, const char *dir, unsigned number)
{
	static uint8_t buffer[1 << 20];
	struct csp_sink s = {.buf = buffer, .cap = sizeof buffer, .flush = to_file};
	char path[4096];
	int fd, failed;

	snprintf(path, sizeof path, "%s/p%05u" CSP_SUFFIX, dir, number);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0)
		return -1;
	s.ctx = &fd;
	for (unsigned i = 0; i < MODULES; i++)
		p->base[i] = 0x700000000000 + ((uint64_t)(4 * below(1 << 18) + i) << 22);
	p->num_chosen = 0;
	memset(p->has, 0, w->all);
	for (uint32_t i = w->own ? w->shared : w->all; i < w->all; i++)
		make_place(w, i, w->shared, i % 2);
	for (uint32_t i = 0; i < w->shared; i++) {
		p->has[i] = true;
		p->chosen[p->num_chosen++] = i;
	}
	/* choose only leaves from the pool; their paths are added */
	for (uint32_t i = w->shared; p->num_chosen < w->nodes; i++)
		choose(p, w, w->own ? i : w->shared + (below(w->all - w->shared) & ~1u));
	link_children(p, w);
	put_profile(&s, p, w, number);
	failed = csp_sink_flush(&s);
	return close(fd) || failed ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct world w;
	struct profile p;
	unsigned count, percent;
	int rc = 0;

	if (argc < 5 || argc > 6 ||
	    (argc == 6 && strcmp(argv[5], "own") != 0 && strcmp(argv[5], "pool") != 0))
		return fprintf(stderr, "usage: mkprofiles DIR COUNT NODES SHARED [own | pool]\n"),
		       2;
	count = (unsigned)atoi(argv[2]);
	percent = (unsigned)atoi(argv[4]);
	if (atoi(argv[3]) < 100 || percent < 1 || percent > 100)
		return fprintf(stderr, "mkprofiles: at least 100 nodes, 1 to 100 percent\n"), 2;
	make_world(&w, (uint32_t)atoi(argv[3]), percent, argc == 6 && !strcmp(argv[5], "own"));
	p = (struct profile){.chosen = need(w.nodes, sizeof *p.chosen),
			     .has = need(w.all, sizeof *p.has),
			     .first = need(w.all, sizeof *p.first),
			     .next = need(w.all, sizeof *p.next),
			     .renamed = need(w.all, sizeof *p.renamed),
			     .sums = need(2, sizeof *p.sums)};
	for (unsigned i = 0; i < count && rc == 0; i++)
		rc = write_profile(&w, &p, argv[1], i);
	if (rc != 0)
		fprintf(stderr, "mkprofiles: %s: %s\n", argv[1], strerror(errno));
	free(w.places);
	free(p.chosen);
	free(p.has);
	free(p.first);
	free(p.next);
	free(p.renamed);
	free(p.sums);
	return rc ? 1 : 0;
}
