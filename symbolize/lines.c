#include "symbolize/unit.h"

int unit_file(struct unit *u, uint64_t number, const char **path)
{
	Dwarf_Files *files;
	size_t n;
	*path = NULL;
	if (dwarf_getsrcfiles(&u->die, &files, &n) != 0 || number >= n)
		return 0;
	if (!vec_reserve(&u->files, n))
		return -1;
	while (u->files.len < n)
		u->files.at[u->files.len++] = NULL;
	if (!u->files.at[number]) {
		const char *raw = dwarf_filesrc(files, number, NULL, NULL);
		if (!raw || !*raw)
			return 0;
		u->files.at[number] = names_path(u->pass->names, u->directory, NULL, raw);
		if (!u->files.at[number])
			return -1;
	}
	*path = u->files.at[number];
	return 0;
}

static size_t lines_lower(Dwarf_Lines *lines, size_t low, size_t high, uint64_t address)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		Dwarf_Addr at = 0;
		dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at);
		if (at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int unit_lines(struct unit *u)
{
	Dwarf_Lines *lines;
	size_t n, at = 0;
	if (dwarf_getsrclines(&u->lines_die, &lines, &n) != 0)
		return 0;
	for (size_t i = 0; i < u->num_pending; i++) {
		struct place *place = &u->pass->places[u->pending[i]];
		at = lines_lower(lines, at, n, u->pass->addresses[u->pending[i]]);
		Dwarf_Line *line = at ? dwarf_onesrcline(lines, at - 1) : NULL;
		Dwarf_Files *files;
		size_t number;
		bool end;
		int value;
		if (!line || dwarf_lineendsequence(line, &end) != 0 || end ||
		    dwarf_line_file(line, &files, &number) != 0 ||
		    unit_file(u, number, &place->file) != 0 || dwarf_lineno(line, &value) != 0)
			continue;
		place->line = value > 0 ? (uint32_t)value : 0;
	}
	return 0;
}
