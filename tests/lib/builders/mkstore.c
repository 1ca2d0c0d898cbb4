/* Write stores for whole-tool tests and the fuzzer's seeds.
 *
 *     mkstore [--pid PID [--reused]] [--elsewhere] [--written] [--seed N] FILE
 *     mkstore --seeds DIR
 *
 * FILE gets a random store of a dead process; with --pid, of the running process with this pid, in
 * an image that began later than the process; with --reused, of an earlier process with this pid;
 * with --elsewhere, of another pid namespace; with --written, its state says that its datafile is
 * complete. DIR gets small stores of every kind. */
#include "tests/lib/builders/build_store.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Field 22 of /proc/PID/stat. */
static uint64_t start_ticks(uint32_t pid)
{
	char path[64], text[1024] = "", *at;
	snprintf(path, sizeof path, "/proc/%u/stat", pid);
	FILE *in = fopen(path, "r");
	if (!in || !fgets(text, sizeof text, in) || !(at = strrchr(text, ')'))) {
		fprintf(stderr, "mkstore: no process %u\n", pid);
		exit(1);
	}
	fclose(in);
	for (int field = 2; field < 22; field++)
		at = strchr(at + 1, ' ');
	return strtoull(at, NULL, 10);
}

static void write_seeds(const char *dir)
{
	for (unsigned i = 0; i < 16; i++) {
		struct made_store s;
		char path[4096];
		made_random(&s, i);
		struct store_header *h = made_header(&s);
		h->ended = i & 2 ? h->first_thread : 0;
		h->merging = i & 4 ? made_thread_at(&s, h->first_thread)->next : 0;
		for (unsigned k = 0; k < i; k++)
			made_name(&s, k & 1 ? "assembly" : "x");
		for (unsigned k = 0; k < i / 2; k++)
			made_value(&s, h->first_epoch, 0x1000 + k / 2, CSP_VALUE_ADDRESS + k % 2, k,
				   k);
		s.n = (size_t)s.next * STORE_GRAIN;
		snprintf(path, sizeof path, "%s/seed-%02u.hpcstore", dir, i);
		made_write(&s, path);
		made_end(&s);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
	    {"pid", required_argument, NULL, 'p'},
	    {"reused", no_argument, NULL, 'r'},
	    {"elsewhere", no_argument, NULL, 'e'},
	    {"written", no_argument, NULL, 'w'},
	    {"seed", required_argument, NULL, 's'},
	    {"seeds", required_argument, NULL, 'S'},
	    {NULL, 0, NULL, 0},
	};
	uint32_t pid = 0, seed = 0;
	bool reused = false, written = false, elsewhere = false;
	struct made_store s;
	struct stat st;
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		switch (c) {
		case 'p':
			pid = (uint32_t)strtoul(optarg, NULL, 10);
			break;
		case 'r':
			reused = true;
			break;
		case 'e':
			elsewhere = true;
			break;
		case 'w':
			written = true;
			break;
		case 's':
			seed = (uint32_t)strtoul(optarg, NULL, 10);
			break;
		case 'S':
			write_seeds(optarg);
			return 0;
		default:
			return 2;
		}
	}
	if (optind != argc - 1 || stat("/proc/self/ns/pid", &st) != 0)
		return 2;
	made_random(&s, seed);
	struct store_header *h = made_header(&s);
	h->pid_space = st.st_ino + elsewhere;
	h->pid = pid ? pid : h->pid;
	h->start_ticks = !pid ? 1 : reused ? start_ticks(pid) - 1 : start_ticks(pid) + 500;
	h->state = written ? STORE_WRITTEN : STORE_RUNNING;
	made_write(&s, argv[optind]);
	made_end(&s);
	return 0;
}
