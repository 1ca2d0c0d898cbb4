#include "symbolize/elf_file.h"

#include "formats/base/regular_file.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What is said of a file whose sections cannot be read in time that is linear in its bytes: those
 * of real ones do not overlap, and the names of sections end in a zero, as the ELF specification
 * has it. NULL if they can be read. */
static const char *bad_sections(Elf *elf, uint64_t bytes)
{
	uint64_t all = 0;
	size_t names;
	Elf_Scn *section = NULL;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	Elf_Data *data = elf_rawdata(elf_getscn(elf, names), NULL);
	if (data && data->d_size && (!data->d_buf || ((const char *)data->d_buf)[data->d_size - 1]))
		return "the names of its sections are damaged";
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr mem, *shdr = gelf_getshdr(section, &mem);
		if (!shdr || shdr->sh_type == SHT_NOBITS || shdr->sh_type == SHT_NULL ||
		    shdr->sh_size > bytes)
			continue;
		all += shdr->sh_size;
		if (all / 2 > bytes)
			return "its sections overlap";
	}
	return NULL;
}

static int open_regular(struct elf_file *f, const char *root, const char *path, struct error *why)
{
	char real[PATH_MAX];
	struct error e;
	size_t n = strlen(root);
	bool below = n && strncmp(path, root, n) == 0 && path[n] == '/';

	f->real[0] = '\0';
	if (below)
		f->fd = regular_file_open_below(root, path + n, real, &f->st, &e);
	else
		f->fd = regular_file_open(path, &f->st, &e);
	if (f->fd >= 0 && below && n + strlen(real) < sizeof f->real)
		snprintf(f->real, sizeof f->real, "%s%s", root, real);
	if (f->fd >= 0 && regular_file_check_holes(f->fd, &e) == 0)
		return 0;
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	if (e.kind != ERROR_SYSTEM)
		return error_set(why, e.kind, "%s %s", path, e.text);
	errno = e.sys_errno;
	return error_system(why, "%s", path);
}

int elf_file_open(struct elf_file *f, const char *root, const char *path, struct error *why)
{
	const char *problem;
	bool no_memory;

	f->elf = NULL;
	memset(&f->inflated, 0, sizeof f->inflated);
	memset(&f->mapped, 0, sizeof f->mapped);
	if (open_regular(f, root, path, why) != 0)
		return -1;
	strcpy(f->path, path);
	mapped_file_opening(&f->mapped);
	errno = 0;
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	no_memory = (!f->elf || !elf_rawfile(f->elf, NULL)) && errno == ENOMEM;
	elf_file_watch(&f->mapped, f->elf);
	if (mapped_file_is_cut(&f->mapped))
		error_set(why, ERROR_USAGE, "%s: cut while it was read (run this again)", path);
	else if (no_memory)
		error_set(why, ERROR_MEMORY, "%s: no memory to read it", path);
	else if (!f->elf || elf_kind(f->elf) != ELF_K_ELF)
		error_set(why, ERROR_FORMAT, "%s: expected an ELF file", path);
	else if ((problem = bad_sections(f->elf, (uint64_t)f->st.st_size)))
		error_set(why, ERROR_LIMIT, "%s: %s", path, problem);
	else
		return 0;
	elf_file_close(f);
	return -1;
}

void elf_file_watch(struct mapped_file *m, Elf *elf)
{
	size_t n = 0;
	const char *bytes = elf ? elf_rawfile(elf, &n) : NULL;

	/* without memory for it, a file that is cut ends the process as it would without it */
	mapped_file_watch(m, bytes, n);
}

void elf_file_close(struct elf_file *f)
{
	mapped_file_leave(&f->mapped);
	if (f->elf)
		elf_end(f->elf);
	inflated_free(&f->inflated);
	if (f->fd >= 0)
		close(f->fd);
	f->elf = NULL;
	f->fd = -1;
}
