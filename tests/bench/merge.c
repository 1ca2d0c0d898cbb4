/* Merges all datafiles of a folder and prints how fast.
 *
 *     merge ours DIR THREADS NODES-PER-FILE      as hpcprof does it, from files to a finished model
 *     merge plain DIR THREADS NODES-PER-FILE     a plain hash of (parent, address), the prototype
 *                                                that ours is compared with
 *
 * The prototype does the minimum of merging: it trusts its input, assumes the layout of mkprofiles'
 * files, uses one load map per file and two columns, and has no roles, accounts or order. The
 * tables of the threads are joined at the end. */
#include "hpcprof/load/load.h"
#include "reader/reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *need(void *p)
{
	if (!p) {
		fprintf(stderr, "merge: out of memory\n");
		exit(1);
	}
	return p;
}

/* ---- the prototype ------------------------------------------------------------------- */

struct plain_node {
	uint64_t address, v, n;
	uint32_t parent;
};

struct plain {
	char *const *paths;
	size_t from, to;
	struct plain_node *nodes;
	uint32_t len, cap, *slots, mask;
	pthread_t thread;
};

static uint32_t plain_hash(uint32_t parent, uint64_t address)
{
	uint64_t h = address * UINT64_C(0x9e3779b97f4a7c15) ^ parent * UINT64_C(0xc2b2ae3d27d4eb4f);
	return (uint32_t)((h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static void plain_grow(struct plain *p)
{
	p->mask = p->mask * 2 + 1;
	free(p->slots);
	p->slots = need(calloc((size_t)p->mask + 1, sizeof *p->slots));
	for (uint32_t id = 1; id < p->len; id++) {
		uint32_t i = plain_hash(p->nodes[id].parent, p->nodes[id].address) & p->mask;
		while (p->slots[i])
			i = (i + 1) & p->mask;
		p->slots[i] = id;
	}
}

static uint32_t plain_find(struct plain *p, uint32_t parent, uint64_t address)
{
	uint32_t i = plain_hash(parent, address) & p->mask, id;

	for (; (id = p->slots[i]); i = (i + 1) & p->mask)
		if (p->nodes[id].address == address && p->nodes[id].parent == parent)
			return id;
	if (p->len == p->cap) {
		p->cap *= 2;
		p->nodes = need(realloc(p->nodes, p->cap * sizeof *p->nodes));
	}
	p->nodes[p->len] = (struct plain_node){.address = address, .parent = parent};
	p->slots[i] = p->len++;
	if (p->len > p->mask / 2)
		plain_grow(p);
	return p->len - 1;
}

static void plain_file(struct plain *p, const char *path, uint32_t **map, uint64_t *room)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	const uint8_t *bytes, *at;
	uint64_t base[4], num_nodes, row[6];

	if (fd < 0 || fstat(fd, &st) != 0)
		exit(1);
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		exit(1);
	at = memmem(bytes, 4096, "/made/up/lib0.so", 16);
	for (int i = 0; i < 4; i++)
		memcpy(&base[i], at + i * 36 + 24, 8);
	at = memmem(at, 4096, CSP_MAGIC_TREE, CSP_MAGIC_BYTES);
	memcpy(&num_nodes, at + 24, 8);
	at += CSP_TREE_HEADER_BYTES;
	if (num_nodes > *room)
		*map = need(realloc(*map, (*room = num_nodes) * sizeof **map));
	(*map)[0] = 0;
	for (uint64_t i = 1; i < num_nodes; i++) {
		uint64_t m = 0;
		uint32_t id;
		memcpy(row, at + i * sizeof row, sizeof row);
		while (m < 3 && row[2] - base[m] >= 4 << 20)
			m++;
		id = plain_find(p, (*map)[row[1]], (row[2] - base[m]) << 2 | m);
		(*map)[i] = id;
		p->nodes[id].v += row[4];
		p->nodes[id].n += row[5];
	}
	munmap((void *)bytes, (size_t)st.st_size);
}

static void *plain_work(void *context)
{
	struct plain *p = context;
	uint32_t *map = NULL;
	uint64_t room = 0;

	p->cap = 1 << 16;
	p->nodes = need(calloc(p->cap, sizeof *p->nodes));
	p->len = 1;
	p->mask = (1 << 17) - 1;
	p->slots = need(calloc((size_t)p->mask + 1, sizeof *p->slots));
	for (size_t i = p->from; i < p->to; i++)
		plain_file(p, p->paths[i], &map, &room);
	free(map);
	return NULL;
}

static uint32_t plain(char *const *paths, size_t n, unsigned threads)
{
	struct plain *all = need(calloc(threads, sizeof *all));
	uint32_t contexts;

	for (unsigned i = 0; i < threads; i++) {
		all[i].paths = paths;
		all[i].from = n * i / threads;
		all[i].to = n * (i + 1) / threads;
		if (i && pthread_create(&all[i].thread, NULL, plain_work, &all[i]) != 0)
			exit(1);
	}
	plain_work(&all[0]);
	for (unsigned i = 1; i < threads; i++) {
		uint32_t *map;
		pthread_join(all[i].thread, NULL);
		map = need(calloc(all[i].len, sizeof *map));
		for (uint32_t k = 1; k < all[i].len; k++) {
			const struct plain_node *from = &all[i].nodes[k];
			map[k] = plain_find(&all[0], map[from->parent], from->address);
			all[0].nodes[map[k]].v += from->v;
			all[0].nodes[map[k]].n += from->n;
		}
		free(map);
	}
	contexts = all[0].len;
	for (unsigned i = 0; i < threads; i++) {
		free(all[i].nodes);
		free(all[i].slots);
	}
	free(all);
	return contexts;
}

/* ---- ours ---------------------------------------------------------------------------- */

static uint32_t ours(char *const *paths, size_t n, unsigned threads)
{
	struct load_file *files = need(calloc(n, sizeof *files));
	struct load l = {.files = files, .num_files = n, .threads = threads};
	struct error e;
	uint32_t contexts;

	for (size_t i = 0; i < n; i++)
		files[i].path = paths[i];
	if (load_files(&l, &e) != 0) {
		fprintf(stderr, "merge: %s\n", e.text);
		exit(1);
	}
	if (l.problems.len || l.model->processes.len != n) {
		fprintf(stderr, "merge: %s\n", l.problems.len ? l.problems.at[0].text : "files");
		exit(1);
	}
	contexts = model_num_contexts(l.model);
	load_deinit(&l);
	free(files);
	return contexts;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(int argc, char **argv)
{
	VEC(char *) paths = {0};
	struct rusage usage;
	uint32_t contexts;
	struct dirent *entry;
	double start, took, cpu;
	unsigned threads;
	DIR *dir;

	mallopt(M_MMAP_THRESHOLD, 128 << 10); /* as hpcprof does */
	if (argc != 5 || !(dir = opendir(argv[2])))
		return fprintf(stderr, "usage: merge ours|plain DIR THREADS NODES-PER-FILE\n"), 2;
	while ((entry = readdir(dir))) {
		char *path;
		if (entry->d_name[0] == '.')
			continue;
		if (asprintf(&path, "%s/%s", argv[2], entry->d_name) < 0 || !vec_push(&paths, path))
			return 1;
	}
	closedir(dir);
	if (!paths.len)
		return fprintf(stderr, "merge: no files in %s\n", argv[2]), 2;
	qsort(paths.at, paths.len, sizeof *paths.at, by_name);
	threads = (unsigned)atoi(argv[3]);
	start = now();
	contexts = (strcmp(argv[1], "plain") ? ours : plain)(paths.at, paths.len, threads);
	took = now() - start;
	getrusage(RUSAGE_SELF, &usage);
	/* CPU time is more reliable than real time on a shared machine */
	cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	      (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	printf("%.3f %.1f %.3f %u %.1f\n", took, (double)paths.len * atof(argv[4]) / took / 1e6,
	       cpu, contexts, (double)usage.ru_maxrss / 1024);
	for (size_t i = 0; i < paths.len; i++)
		free(paths.at[i]);
	vec_free(&paths);
	return 0;
}
