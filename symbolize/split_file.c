#include "symbolize/split_file.h"

#include "formats/base/hash.h"
#include "symbolize/attributes.h"
#include "symbolize/dwarf_memory.h"
#include "symbolize/elf_file.h"

#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Steps for a section of a file. */
enum { STEPS_PER_SECTION = 64 };

/* What is wrong with the sections of a file: those with which it refers to a supplementary file,
 * which libdw would open, too, and those that only libdw takes for debug information. */
static const char *strange_sections(Elf *elf)
{
	bool zipped_split = false, plain = false;
	size_t names;
	Elf_Scn *section = NULL;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return "its sections are damaged";
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr mem, *shdr = gelf_getshdr(section, &mem);
		const char *name = shdr ? elf_strptr(elf, names, shdr->sh_name) : NULL;
		enum section_kind kind = name ? section_kind(name) : SECTION_OTHER;
		if (kind == SECTION_LINK || kind == SECTION_STRANGE)
			return "it has a section that does not belong into .dwo files";
		zipped_split |= kind == SECTION_ZIPPED_SPLIT;
		plain |= kind == SECTION_DEBUG || kind == SECTION_ZIPPED;
	}
	return zipped_split && plain ? "it has sections of .dwo files and of others" : NULL;
}

/* What is wrong with an open file; NULL if libdw may open it, or if only steps are missing. */
static const char *read_file(struct split_files *s, struct elf_file *f, bool *may)
{
	struct work *work = s->abbreviations->work;
	uint64_t key = hash_number(f->st.st_dev) << 32 ^ f->st.st_ino;
	size_t sections;
	const char *bad;

	*may = false;
	if (interner_find(&s->known, key) == INTERNER_NONE) {
		if (interner_insert(&s->known, key) == INTERNER_NONE) {
			s->abbreviations->failed = true;
			return NULL;
		}
		work_add_file(work, (uint64_t)f->st.st_size);
	}
	if ((bad = strange_sections(f->elf)))
		return bad;
	if (elf_getshdrnum(f->elf, &sections) != 0)
		return "its sections are damaged";
	if (!work_pay(work, STEPS_PER_SECTION * (uint64_t)sections))
		return NULL;
	if (!inflate_sections(f->elf, work, &f->inflated))
		return work->over ? NULL : "its compressed sections are damaged";
	*may = abbreviations_pay_units(s->abbreviations, f->elf);
	return NULL;
}

/* Whether libdw may try to open the path. */
__attribute__((format(printf, 2, 3))) static bool may_try(struct split_files *s, const char *format,
							  ...)
{
	struct elf_file f;
	char path[PATH_MAX];
	struct error why;
	const char *problem;
	bool may;
	va_list args;

	va_start(args, format);
	int n = vsnprintf(path, sizeof path, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof path)
		return true; /* no system call takes it */
	if (elf_file_open(&f, "", path, &why) != 0) {
		may = why.kind == ERROR_SYSTEM || why.kind == ERROR_FORMAT;
	} else {
		problem = read_file(s, &f, &may);
		if (problem)
			error_set(&why, ERROR_FORMAT, "%s: %s", path, problem);
		else
			why.kind = ERROR_NONE;
		elf_file_close(&f);
	}
	if (!may && s->refused.kind == ERROR_NONE)
		s->refused = why;
	return may;
}

bool split_file_pay(struct split_files *s, Dwarf_Die *skeleton)
{
	const char *name = die_string(skeleton, DW_AT_dwo_name),
		   *folder = die_string(skeleton, DW_AT_comp_dir);
	char link[32], real[PATH_MAX], *slash;

	if (!name)
		name = die_string(skeleton, DW_AT_GNU_dwo_name);
	if (!name)
		return true;
	if (*name == '/')
		return may_try(s, "%s", name);
	/* as libdw finds the folder of a file */
	snprintf(link, sizeof link, "/proc/self/fd/%d", s->fd);
	if (!realpath(link, real) || !(slash = strrchr(real, '/')))
		return false;
	*slash = '\0';
	if (!may_try(s, "%s/%s", real, name))
		return false;
	if (!folder)
		return true;
	return *folder == '/' ? may_try(s, "%s/%s", folder, name)
			      : may_try(s, "%s/%s/%s", real, folder, name);
}

/* Whether a file is watched already, or cannot be. */
static bool is_watched(struct split_files *s, const Elf *elf)
{
	return interner_find(&s->opened, (uintptr_t)elf) != INTERNER_NONE ||
	       interner_insert(&s->opened, (uintptr_t)elf) == INTERNER_NONE;
}

bool split_file_unit(struct split_files *s, Dwarf_Die *skeleton, Dwarf_Die *split)
{
	struct mapped_file m;
	Elf *elf = NULL;
	bool found;

	memset(split, 0, sizeof *split);
	mapped_file_opening(&m);
	found = dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, split, NULL, NULL, NULL) == 0 &&
		dwarf_tag(split) != DW_TAG_invalid;
	if (found) {
		dwarf_memory_handle(dwarf_cu_getdwarf(split->cu));
		elf = dwarf_getelf(dwarf_cu_getdwarf(split->cu));
	}
	elf_file_watch(&m, elf);
	/* one that has no unit as it was cut is listed, too */
	if ((elf ? is_watched(s, elf) : !mapped_file_is_cut(&m)) || !vec_push(s->watched, m))
		mapped_file_leave(&m);
	return found;
}

void split_files_free(struct split_files *s)
{
	interner_deinit(&s->opened);
	interner_deinit(&s->known);
}
