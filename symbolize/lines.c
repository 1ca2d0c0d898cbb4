#include "formats/base/search.h"
#include "symbolize/attributes.h"
#include "symbolize/unit.h"

#include <dwarf.h>

/* Make room for n paths, none of them looked up yet. */
static bool reserve_files(struct file_cache *cache, size_t n)
{
	if (!vec_reserve(cache, n))
		return false;
	while (cache->len < n)
		cache->at[cache->len++] = NULL;
	return true;
}

/* The path of its parts, each of which may be NULL; NULL in *path if it is not paid for. */
static int make_path(struct unit *u, const char *base, const char *directory, const char *file,
		     const char **path)
{
	struct work *work = u->pass->work;
	if (!work_pay_text(work, base) || !work_pay_text(work, directory) ||
	    !work_pay_text(work, file))
		return 0;
	*path = symbol_names_path(u->pass->names, base, directory, file);
	return *path ? 0 : -1;
}

/* Look up a file number in our own reader's table. */
static int table_file(struct unit *u, uint64_t number, const char **path)
{
	const struct line_table *t = &u->table;
	const struct line_file *file = &t->files.at[number];
	if (!file->name || !*file->name)
		return 0;
	/* Directory 0 is that of the compilation; the others are relative to it. */
	const char *base = u->directory;
	if (t->version >= 5 && t->directories.len && t->directories.at[0])
		base = t->directories.at[0];
	const char *directory = file->directory > 0 && file->directory < t->directories.len
				    ? t->directories.at[file->directory]
				    : NULL;
	return make_path(u, base, directory, file->name, path);
}

/* Pay for the line table at an offset of .debug_line in the file of a Dwarf, once. False if that
 * cannot be paid for, or memory ran out. */
static bool pay_table(struct unit *u, Dwarf *dwarf, uint64_t offset)
{
	struct other_tables *o = u->other_tables;
	const struct cursor *s = dwarf_sections_get(&o->sections, dwarf, ".debug_line");
	uintptr_t at = s ? (uintptr_t)s->base + offset : 0;
	if (s && (offset >= s->size || interner_find(&o->paid, at) != INTERNER_NONE))
		return true;
	if (s && !work_pay(u->pass->work, line_table_bytes(s, offset)))
		return false;
	o->failed |= !s || interner_insert(&o->paid, at) == INTERNER_NONE;
	return !o->failed;
}

/* The same for the table that a unit's DIE names. */
static bool pay_named_table(struct unit *u, Dwarf_Die *die)
{
	Dwarf_Word offset;
	Dwarf_Attribute a;
	return dwarf_formudata(dwarf_attr(die, DW_AT_stmt_list, &a), &offset) != 0 ||
	       pay_table(u, dwarf_cu_getdwarf(die->cu), offset);
}

/* libdw's table of files of die's unit, which it reads once for each offset. Its program is also
 * read. False if there is none, or it is not paid for. */
static bool libdw_files(struct unit *u, Dwarf_Die *die, Dwarf_Files **files, size_t *n)
{
	uint8_t type;
	if (dwarf_cu_info(die->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) != 0)
		return false;
	/* libdw reads the only table of a split unit's file, else that of the skeleton. */
	bool split = type == DW_UT_split_compile || type == DW_UT_split_type;
	if (split
		? !pay_table(u, dwarf_cu_getdwarf(die->cu), 0) || !pay_named_table(u, &u->lines_die)
		: !pay_named_table(u, die))
		return false;
	return dwarf_getsrcfiles(die, files, n) == 0;
}

int unit_other_file(struct unit *u, Dwarf_Die *die, uint64_t number, const char **path)
{
	Dwarf_Die owner;
	Dwarf_Files *files;
	const char *raw = NULL;
	size_t n;
	*path = NULL;
	if (dwarf_diecu(die, &owner, NULL, NULL) && libdw_files(u, &owner, &files, &n))
		raw = dwarf_filesrc(files, number, NULL, NULL);
	return raw ? make_path(u, die_string(&owner, DW_AT_comp_dir), NULL, raw, path) : 0;
}

/* Look up a file number of the unit's line table, or of the split unit's own list. */
static int cached_file(struct unit *u, bool split, uint64_t number, const char **path)
{
	struct file_cache *cache = split ? &u->split_files : &u->files;
	bool own = !split && u->has_table;
	size_t n = u->table.files.len;
	Dwarf_Files *files = NULL;
	const char *raw;
	if (number < cache->len && cache->at[number]) {
		*path = cache->at[number];
		return 0;
	}
	*path = NULL;
	if (!own && !libdw_files(u, split ? &u->die : &u->lines_die, &files, &n))
		return 0;
	if (number >= n)
		return 0;
	if (number >= cache->len && !reserve_files(cache, (size_t)number + 1))
		return -1;
	raw = own ? NULL : dwarf_filesrc(files, number, NULL, NULL);
	if (own && table_file(u, number, &cache->at[number]) != 0)
		return -1;
	if (raw && *raw && make_path(u, u->directory, NULL, raw, &cache->at[number]) != 0)
		return -1;
	*path = cache->at[number];
	return 0;
}

int unit_file(struct unit *u, uint64_t number, const char **path)
{
	return cached_file(u, u->die.cu != u->lines_die.cu, number, path);
}

int unit_read_lines(struct unit *u)
{
	Dwarf_Attribute a;
	Dwarf_Word offset;
	u->has_table = false;
	u->files.len = u->split_files.len = 0;
	if (dwarf_formudata(dwarf_attr(&u->lines_die, DW_AT_stmt_list, &a), &offset) != 0 ||
	    !work_pay(u->pass->work, line_table_bytes(&u->sections->line, offset)))
		return 0;
	enum line_result result = line_table_read(&u->table, u->sections, offset);
	u->has_table = result == LINE_READ;
	return result == LINE_NO_MEMORY ? -1 : 0;
}

/* Steps for an address that is in a row; sequences of rows can overlap. */
enum { STEPS_PER_ROW = 16 };

/* The position of a run of the line program in the pending addresses. */
struct merge {
	struct unit *u;
	size_t next; /* in u->pending */
	bool failed; /* memory ran out */
};

static uint64_t next_address(const struct merge *m)
{
	const struct unit *u = m->u;
	return m->next < u->num_pending && !m->failed ? u->pass->addresses[u->pending[m->next]]
						      : UINT64_MAX;
}

static uint64_t begin_sequence(void *context, uint64_t address)
{
	struct merge *m = context;
	m->next =
	    unit_is_text(m->u, address) ? unit_lower_bound(m->u, 0, address) : m->u->num_pending;
	return next_address(m);
}

static uint64_t take_row(void *context, const struct line_row *row, uint64_t high)
{
	struct merge *m = context;
	struct unit *u = m->u;
	for (; next_address(m) < high; m->next++) {
		if (!work_pay(u->pass->work, STEPS_PER_ROW)) {
			m->next = u->num_pending;
			break;
		}
		if (next_address(m) < row->address)
			continue;
		struct debug_place *place = &u->pass->places[u->pending[m->next]];
		if (cached_file(u, false, row->file, &place->file) != 0)
			m->failed = true;
		place->line = place->file && row->line <= INT32_MAX ? row->line : 0;
		place->discriminator = row->discriminator & INT32_MAX;
	}
	return next_address(m);
}

static bool add_statement(struct unit *u, uint64_t address, uint64_t file, uint32_t line)
{
	struct symbol_statement s = {.address = address, .line = line};
	if (!line || line > INT32_MAX)
		return true;
	return cached_file(u, false, file, &s.file) == 0 &&
	       (!s.file || vec_push(&u->pass->statements, s));
}

/* If it is at a pending address. */
static void take_statement(void *context, const struct line_row *row)
{
	struct merge *m = context;
	struct unit *u = m->u;
	if (next_address(m) == row->address && work_pay(u->pass->work, STEPS_PER_ROW) &&
	    !add_statement(u, row->address, row->file, row->line))
		m->failed = true;
}

static uint64_t row_address(Dwarf_Lines *lines, size_t i)
{
	Dwarf_Addr at = 0;
	dwarf_lineaddr(dwarf_onesrcline(lines, i), &at);
	return at;
}

/* The index after the last row from low on that begins at or before address. */
static size_t rows_up_to(Dwarf_Lines *lines, size_t low, size_t high, uint64_t address)
{
	return SEARCH_FIRST(i, low, high, row_address(lines, i) > address);
}

/* Those of libdw's rows before index end that are at the address. */
static bool statements_of_libdw(struct unit *u, Dwarf_Lines *lines, size_t end, uint64_t address)
{
	for (size_t i = end; i-- > 0 && row_address(lines, i) == address;) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Files *files;
		size_t number;
		bool begins, ends;
		int value;
		if (dwarf_linebeginstatement(line, &begins) != 0 || !begins ||
		    dwarf_lineendsequence(line, &ends) != 0 || ends ||
		    dwarf_line_file(line, &files, &number) != 0 || dwarf_lineno(line, &value) != 0)
			continue;
		if (value > 0 && !add_statement(u, address, number, (uint32_t)value))
			return false;
	}
	return true;
}

/* Look up lines with libdw, if our own reader refused the table. */
static int lines_of_libdw(struct unit *u)
{
	Dwarf_Lines *lines;
	size_t n, at = 0;
	if (!pay_named_table(u, &u->lines_die) || dwarf_getsrclines(&u->lines_die, &lines, &n) != 0)
		return 0;
	for (size_t i = 0; i < u->num_pending; i++) {
		struct debug_place *place = &u->pass->places[u->pending[i]];
		at = rows_up_to(lines, at, n, u->pass->addresses[u->pending[i]]);
		Dwarf_Line *line = at ? dwarf_onesrcline(lines, at - 1) : NULL;
		Dwarf_Files *files;
		size_t number;
		bool end;
		int value;
		unsigned discriminator = 0;
		if (!line || dwarf_lineendsequence(line, &end) != 0 || end ||
		    dwarf_line_file(line, &files, &number) != 0 || dwarf_lineno(line, &value) != 0)
			continue;
		if (cached_file(u, false, number, &place->file) != 0)
			return -1;
		place->line = place->file && value > 0 ? (uint32_t)value : 0;
		if (dwarf_linediscriminator(line, &discriminator) == 0)
			place->discriminator = discriminator & INT32_MAX;
		if (u->marks_statements &&
		    !statements_of_libdw(u, lines, at, u->pass->addresses[u->pending[i]]))
			return -1;
	}
	return 0;
}

int unit_lines(struct unit *u)
{
	struct merge m = {.u = u};
	if (!u->has_table)
		return lines_of_libdw(u);
	line_table_run(&u->table, take_row, begin_sequence,
		       u->marks_statements ? take_statement : NULL, &m);
	return m.failed ? -1 : 0;
}
