/* Write datafiles for whole-tool tests, benchmarks and the fuzzers' seeds.
 *
 *     mkcsp [--big] [--width 4] [--version 01.01] [--no-flags] [--no-trailer]
 *           [--shuffle SEED] [--relabel] [--nodes N] FILE
 *     mkcsp --paths TEXT FILE
 *     mkcsp --interpreter FILE
 *     mkcsp --seeds DIR
 *
 * FILE gets build_example (see build_datafile.h); with --nodes one random tree of N nodes instead
 * of its trees, and no trailer; with --paths what TEXT says (see read_paths.h), with --interpreter
 * build_interpreter. DIR gets one small
 * file of every kind. */
#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/builders/read_paths.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static void write_file(const struct build_file *f, const char *path)
{
	struct built b;
	build(f, &b);
	built_write(&b, path);
	built_free(&b);
}

/* All orders, widths, versions and shapes that the format has. */
static void write_seeds(const char *dir)
{
	static const struct build_chunk extra[] = {{77, "reserved", 8}, {99, "", 0}};
	for (unsigned i = 0; i < 64; i++) {
		struct build_file f = build_example;
		char path[4096];
		f.big = i & 1;
		f.width = i & 2 ? 4 : 8;
		f.version = i & 4 ? CSP_VERSION_FILE_LATER : CSP_VERSION_FILE;
		f.no_flags = i & 8;
		f.shuffle = i & 16 ? i : 0;
		f.relabel = f.big;
		f.no_trailer = i & 32;
		f.chunks = extra;
		f.num_chunks = i & 4 ? 2 : 0;
		snprintf(path, sizeof path, "%s/seed-%02u.csp", dir, i);
		write_file(&f, path);
	}
	for (unsigned i = 0; i < 2; i++) {
		struct build_file f = build_regions;
		char path[4096];
		f.shuffle = i;
		snprintf(path, sizeof path, "%s/regions-%u.csp", dir, i);
		write_file(&f, path);
		f = build_values;
		f.big = i;
		f.num_chunks = !i; /* NAMES */
		snprintf(path, sizeof path, "%s/values-%u.csp", dir, i);
		write_file(&f, path);
		f = build_interpreter;
		f.big = i;
		f.num_chunks = !i; /* NAMES */
		snprintf(path, sizeof path, "%s/interpreter-%u.csp", dir, i);
		write_file(&f, path);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
	    {"big", no_argument, NULL, 'b'},           {"width", required_argument, NULL, 'w'},
	    {"version", required_argument, NULL, 'v'}, {"no-flags", no_argument, NULL, 'f'},
	    {"no-trailer", no_argument, NULL, 't'},    {"shuffle", required_argument, NULL, 's'},
	    {"relabel", no_argument, NULL, 'r'},       {"nodes", required_argument, NULL, 'n'},
	    {"seeds", required_argument, NULL, 'S'},   {"paths", required_argument, NULL, 'p'},
	    {"interpreter", no_argument, NULL, 'i'},   {NULL, 0, NULL, 0},
	};
	struct build_file f = build_example;
	struct build_tree random = build_example.trees[0];
	const char *seeds = NULL;
	random.num_nodes = 0;
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		switch (c) {
		case 'b':
			f.big = true;
			break;
		case 'w':
			f.width = (uint32_t)strtoul(optarg, NULL, 10);
			break;
		case 'v':
			f.version = optarg;
			break;
		case 'f':
			f.no_flags = true;
			break;
		case 't':
			f.no_trailer = true;
			break;
		case 's':
			f.shuffle = (uint32_t)strtoul(optarg, NULL, 10);
			break;
		case 'r':
			f.relabel = true;
			break;
		case 'n':
			random.num_nodes = strtoull(optarg, NULL, 10);
			break;
		case 'i':
			f = build_interpreter;
			break;
		case 'p':
			f = read_paths(optarg);
			break;
		case 'S':
			seeds = optarg;
			break;
		default:
			return 2;
		}
	}
	if (seeds) {
		write_seeds(seeds);
		return 0;
	}
	if (optind != argc - 1) {
		fprintf(stderr, "usage: mkcsp [OPTION]... FILE, or mkcsp --seeds DIR\n");
		return 2;
	}
	struct build_node *nodes = NULL;
	if (random.num_nodes) {
		random.nodes = nodes = build_random_nodes(random.num_nodes, 1);
		f.trees = &random;
		f.num_trees = 1;
		f.no_trailer = f.no_fields = true;
	}
	write_file(&f, argv[optind]);
	free(nodes);
	return 0;
}
