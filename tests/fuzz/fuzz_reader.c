/* Any bytes: the reader refuses them with a reason or returns a consistent file, which can then be
 * dumped in both forms.
 *
 * A libFuzzer target (make fuzz). With -DREPLAY it is a program that runs on the files named on its
 * command line, for compilers without libFuzzer. */
#include "hpcprof/views/dump/dump.h"
#include "tests/lib/unit/walk_datafile.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void fail(const char *problem)
{
	fprintf(stderr, "fuzz_reader: %s\n", problem);
	abort();
}

/* dump_file needs a path: put the bytes into a file in memory. */
static void dump_both(const uint8_t *bytes, size_t n)
{
	char path[64];
	struct error e;
	FILE *out = fopen("/dev/null", "w");
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (!out || fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		fail("no file to dump from or to");
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (dump_file(out, path, false, &e) < 0 || dump_file(out, path, true, &e) < 0)
		fail(e.text);
	fclose(out);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	bool opened;
	const char *problem = walk_bytes(bytes, n, &opened, NULL);
	if (problem)
		fail(problem);
	if (opened)
		dump_both(bytes, n);
	return 0;
}

#ifdef REPLAY
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *in = fopen(argv[i], "rb");
		uint8_t *bytes = malloc(1 << 24);
		if (!in || !bytes)
			fail(argv[i]);
		LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, 1 << 24, in));
		free(bytes);
		fclose(in);
	}
	return 0;
}
#endif
