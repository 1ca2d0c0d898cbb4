/* Small ELF files with DWARF, damaged by patches from the input: every address must have at least
 * one frame with a name.
 *
 * Input: a byte that selects a file, then patches of 4 bytes each (offset, value), both 16-bit
 * little-endian. The lowest bit of the value selects whether one byte or two are replaced, so that
 * whole counts and offsets are changed. An input that begins like an ELF file is used unchanged.
 * The files are compiled when the target starts.
 *
 * A libFuzzer target (make fuzz). With -DREPLAY it is a program that runs on the files named on its
 * command line, for compilers without libFuzzer. */
#include "tests/lib/builders/elfmake.h"
#include "tests/lib/unit/symbol_frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { IMAGE_MAX = 65536, NUM_IMAGES = 5, NUM_ADDRESSES = 600 };

static struct {
	uint8_t bytes[IMAGE_MAX];
	size_t size;
} images[NUM_IMAGES];

static void fail(const char *problem)
{
	fprintf(stderr, "fuzz_symbolize: %s\n", problem);
	abort();
}

static void make_images(void)
{
	static const char *const compilers[NUM_IMAGES] = {
	    "gcc -O2 -gdwarf-5",     "gcc -O2 -gdwarf-4", "g++ -O2 -gdwarf-5 -fno-exceptions",
	    "gcc -O1 -gdwarf-5 -gz", "gcc -O2",
	};
	for (size_t i = 0; i < NUM_IMAGES; i++) {
		elfmake_run(
		    "%s -nostdlib -fno-stack-protector -fPIC -shared -Wl,-z,noseparate-code "
		    "-o image $data/fuzz.c",
		    compilers[i]);
		FILE *f = fopen(elfmake_path("image"), "rb");
		if (!f || !(images[i].size = fread(images[i].bytes, 1, IMAGE_MAX, f)))
			fail("no image");
		fclose(f);
	}
	elfmake_clean();
}

static size_t strike(uint8_t *image, const uint8_t *bytes, size_t n)
{
	size_t which = bytes[0] % NUM_IMAGES, size = images[which].size;
	memcpy(image, images[which].bytes, size);
	for (size_t i = 1; i + 4 <= n; i += 4) {
		size_t at = (size_t)(bytes[i] | bytes[i + 1] << 8) % size;
		image[at] = bytes[i + 3];
		if (bytes[i + 2] & 1 && at + 1 < size)
			image[at + 1] = bytes[i + 2] >> 1;
	}
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static uint8_t image[IMAGE_MAX];
	uint64_t addresses[NUM_ADDRESSES];
	char path[64];
	if (!images[0].size)
		make_images();
	if (n == 0 || n > IMAGE_MAX)
		return 0;
	bool whole = n > 4 && memcmp(bytes, "\177ELF", 4) == 0;
	size_t size = whole ? n : strike(image, bytes, n);
	for (size_t i = 0; i < NUM_ADDRESSES; i++)
		addresses[i] = 2 * i;
	addresses[NUM_ADDRESSES - 1] = UINT64_MAX;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || write(fd, whole ? bytes : image, size) != (ssize_t)size)
		fail("no file");
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	const char *problem = symbol_frames_problem(path, addresses, NUM_ADDRESSES);
	if (problem)
		fail(problem);
	close(fd);
	return 0;
}

#ifdef REPLAY
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		static uint8_t bytes[IMAGE_MAX];
		FILE *in = fopen(argv[i], "rb");
		if (!in)
			fail(argv[i]);
		LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof bytes, in));
		fclose(in);
	}
	return 0;
}
#endif
