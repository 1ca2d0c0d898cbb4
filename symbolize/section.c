#include "symbolize/section.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

static bool is_named(const char *found, const char *name)
{
	return strcmp(found, name) == 0 ||
	       (strncmp(found, ".z", 2) == 0 && strcmp(found + 2, name + 1) == 0);
}

struct cursor section_read(Elf *elf, const char *name)
{
	const char *ident = elf_getident(elf, NULL);
	bool big = ident && ident[EI_DATA] == ELFDATA2MSB;
	size_t names;
	Elf_Scn *section = NULL;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return cursor_of("", 0, big);
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr mem, *shdr = gelf_getshdr(section, &mem);
		const char *found = shdr ? elf_strptr(elf, names, shdr->sh_name) : NULL;
		if (!found || shdr->sh_type == SHT_NOBITS || shdr->sh_flags & SHF_COMPRESSED ||
		    !is_named(found, name))
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		if (data && data->d_buf)
			return cursor_of(data->d_buf, data->d_size, big);
	}
	return cursor_of("", 0, big);
}

struct cursor section_read_strings(Elf *elf, const char *name)
{
	struct cursor c = section_read(elf, name);

	while (c.size && c.base[c.size - 1])
		c.size--;
	return c;
}

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

enum section_kind section_kind(const char *name)
{
	enum { LONGEST = 64 }; /* many sections can share a long name */
	static const char split[] = ".dwo";
	size_t n = strnlen(name, LONGEST), end = sizeof split - 1;
	bool is_split = n < LONGEST && n > end && strcmp(name + n - end, split) == 0;

	if (begins(name, ".gnu.debuglto_") || begins(name, ".zgnu_"))
		return SECTION_STRANGE;
	if (begins(name, ".gnu_debugaltlink"))
		return SECTION_LINK;
	if (begins(name, ".debug_"))
		return is_split ? SECTION_SPLIT : SECTION_DEBUG;
	if (begins(name, ".zdebug_"))
		return is_split ? SECTION_ZIPPED_SPLIT : SECTION_ZIPPED;
	return SECTION_OTHER;
}

const struct cursor *dwarf_sections_get(struct dwarf_sections *s, Dwarf *dwarf, const char *name)
{
	uint32_t id = interner_find(&s->dwarfs, (uintptr_t)dwarf);
	char split[32];

	if (id != INTERNER_NONE)
		return &s->at.at[id];
	struct cursor c = section_read(dwarf_getelf(dwarf), name);
	snprintf(split, sizeof split, "%s.dwo", name);
	if (!c.size)
		c = section_read(dwarf_getelf(dwarf), split);
	if (!vec_reserve(&s->at, s->at.len + 1) ||
	    interner_insert(&s->dwarfs, (uintptr_t)dwarf) == INTERNER_NONE)
		return NULL;
	s->at.at[s->at.len] = c;
	return &s->at.at[s->at.len++];
}

void dwarf_sections_free(struct dwarf_sections *s)
{
	interner_deinit(&s->dwarfs);
	vec_free(&s->at);
}
