/* Emulators of one process (qemu-user). They hand LD_PRELOAD to the program that they emulate,
 * whose signals they do not show to it as the kernel would: so neither is measured. */
#ifndef RUNTIME_BASE_EMULATOR_H
#define RUNTIME_BASE_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether the program at path is one, by the names that QEMU gives its programs: qemu-CPU, or
 * qemu-CPU-static. Other programs have names of several words, or are listed. */
static inline bool csprof_is_emulator(const char *path)
{
	static const char name[] = "qemu-";
	static const char *const others[] = {"img", "io", "nbd", "ga", "edid", "keymap"};
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	if (strncmp(base, name, sizeof name - 1) != 0)
		return false;
	base += sizeof name - 1;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(base, others[i]) == 0)
			return false;
	const char *rest = strchr(base, '-');
	return !rest || strcmp(rest, "-static") == 0;
}

#endif
