#include "runtime/launcher/hardening.h"

#include "formats/base/regular_file.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHADOW_STACK_FLAG "user_shstk"

/* Whether a line of flags has this word. */
static bool has_word(const char *line, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = line; (at = strstr(at, word)) != NULL; at += n)
		if (at > line && at[-1] == ' ' && (at[n] == ' ' || at[n] == '\n' || !at[n]))
			return true;
	return false;
}

/* All CPUs have the same flags, and reading of many takes long: the first tells. */
static bool cpu_has_it(const char *cpuinfo)
{
	FILE *f = fopen(cpuinfo, "re");
	char *line = NULL;
	size_t room = 0;
	bool found = false;
	while (f && getline(&line, &room, f) > 0) {
		if (strncmp(line, "flags", strlen("flags")) != 0)
			continue;
		found = has_word(line, SHADOW_STACK_FLAG);
		break;
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

static bool libc_has_it(const char *libc)
{
	char *end;
	unsigned long major = strtoul(libc, &end, 10);
	return major > 2 || (major == 2 && *end == '.' && strtoul(end + 1, NULL, 10) >= 39);
}

/* The feature bits of a note NT_GNU_PROPERTY_TYPE_0, whose contents are n bytes: properties of a
 * type, a size and as many bytes, which are padded to 8 (System V ABI, x86-64, "Program Property").
 */
static bool properties_have_it(const char *at, size_t n)
{
	uint32_t head[2], features;
	while (n >= sizeof head) {
		memcpy(head, at, sizeof head);
		size_t size = head[1] <= n ? (head[1] + (size_t)7) & ~(size_t)7 : n;
		if (head[0] == GNU_PROPERTY_X86_FEATURE_1_AND && head[1] == sizeof features &&
		    n >= sizeof head + sizeof features) {
			memcpy(&features, at + sizeof head, sizeof features);
			return features & GNU_PROPERTY_X86_FEATURE_1_SHSTK;
		}
		if (n < sizeof head + size)
			return false;
		at += sizeof head + size;
		n -= sizeof head + size;
	}
	return false;
}

static bool note_has_it(const char *at, size_t n)
{
	Elf64_Nhdr h;
	enum { NAME = 4 };
	if (n < sizeof h + NAME)
		return false;
	memcpy(&h, at, sizeof h);
	if (h.n_type != NT_GNU_PROPERTY_TYPE_0 || h.n_namesz != NAME ||
	    h.n_descsz > n - sizeof h - NAME)
		return false;
	return properties_have_it(at + sizeof h + NAME, h.n_descsz);
}

static bool program_wants_it(const char *program)
{
	char note[4096];
	Elf64_Ehdr h;
	Elf64_Phdr p;
	bool wants = false;
	struct stat st;
	int fd = regular_file_open(program, &st, NULL);
	if (fd < 0)
		return false;
	bool ok = pread(fd, &h, sizeof h, 0) == sizeof h &&
		  memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 && h.e_machine == EM_X86_64;
	for (unsigned i = 0; ok && i < h.e_phnum; i++) {
		off_t at = (off_t)(h.e_phoff + (Elf64_Off)i * h.e_phentsize);
		if (pread(fd, &p, sizeof p, at) != sizeof p || p.p_type != PT_GNU_PROPERTY)
			continue;
		size_t n = p.p_filesz < sizeof note ? (size_t)p.p_filesz : sizeof note;
		if (pread(fd, note, n, (off_t)p.p_offset) == (ssize_t)n)
			wants |= note_has_it(note, n);
	}
	close(fd);
	return wants;
}

bool launch_loses_shadow_stack(const char *program, const char *cpuinfo, const char *libc)
{
	return libc_has_it(libc) && program_wants_it(program) && cpu_has_it(cpuinfo);
}
