#include "symbolize/line_table.h"

#include "symbolize/leb.h"
#include "symbolize/section.h"

#include <dwarf.h>
#include <string.h>

/* Version 5 has five kinds of content. */
enum { FORMATS_MAX = 16 };

void line_sections_read(struct line_sections *s, Elf *elf)
{
	s->line = section_read(elf, ".debug_line");
	s->line_str = section_read_strings(elf, ".debug_line_str");
	s->str = section_read_strings(elf, ".debug_str");
}

static bool read_string(struct cursor *c, const char **out)
{
	const char *s = (const char *)c->base + c->pos;
	size_t left = cursor_left(c), length = strnlen(s, left);
	if (length == left)
		return false;
	*out = s;
	return cursor_skip(c, length + 1);
}

/* A string of a section that ends in a zero. Its length is not read, as many can be the ends of
 * one. */
static bool string_at(const struct cursor *section, uint64_t offset, const char **out)
{
	*out = (const char *)section->base + offset;
	return offset < section->size;
}

/* One attribute of a directory or file entry: a string or a number, or skipped. */
static bool read_form(struct cursor *c, const struct line_sections *s, uint64_t form,
		      unsigned offset_size, const char **string, uint64_t *number)
{
	uint8_t u8;
	uint16_t u16;
	switch (form) {
	case DW_FORM_string:
		return read_string(c, string);
	case DW_FORM_line_strp:
		return cursor_word(c, offset_size, number) &&
		       string_at(&s->line_str, *number, string);
	case DW_FORM_strp:
		return cursor_word(c, offset_size, number) && string_at(&s->str, *number, string);
	case DW_FORM_udata:
		return leb_read(c, number);
	case DW_FORM_data1:
		return cursor_u8(c, &u8) && (*number = u8, true);
	case DW_FORM_data2:
		return leb_read_u16(c, &u16) && (*number = u16, true);
	case DW_FORM_data4:
		return cursor_word(c, 4, number);
	case DW_FORM_data8:
		return cursor_word(c, 8, number);
	case DW_FORM_data16:
		return cursor_skip(c, 16);
	case DW_FORM_block:
		return leb_read(c, number) && *number <= cursor_left(c) &&
		       cursor_skip(c, (size_t)*number);
	default:
		return false;
	}
}

/* The directories or files of version 5: a description of an entry, then entries. */
static enum line_result read_entries(struct line_table *t, const struct line_sections *s,
				     struct cursor *c, unsigned offset_size, bool files)
{
	uint64_t content[FORMATS_MAX], form[FORMATS_MAX], count;
	uint8_t formats;
	if (!cursor_u8(c, &formats) || formats > FORMATS_MAX)
		return LINE_UNKNOWN;
	for (unsigned i = 0; i < formats; i++)
		if (!leb_read(c, &content[i]) || !leb_read(c, &form[i]))
			return LINE_UNKNOWN;
	if (!leb_read(c, &count) || count > LINE_ENTRIES_MAX || (count && !formats))
		return LINE_UNKNOWN;
	for (uint64_t n = 0; n < count; n++) {
		struct line_file entry = {0};
		for (unsigned i = 0; i < formats; i++) {
			const char *string = NULL;
			uint64_t number = 0;
			if (!read_form(c, s, form[i], offset_size, &string, &number))
				return LINE_UNKNOWN;
			if (content[i] == DW_LNCT_path)
				entry.name = string;
			else if (content[i] == DW_LNCT_directory_index)
				entry.directory = number;
		}
		if (files ? !vec_push(&t->files, entry) : !vec_push(&t->directories, entry.name))
			return LINE_NO_MEMORY;
	}
	return LINE_READ;
}

/* The directories and files of versions 2 to 4, which count from 1. */
static enum line_result read_old_entries(struct line_table *t, struct cursor *c)
{
	const char *name;
	struct line_file file = {0};
	uint64_t ignored;
	if (!vec_push(&t->directories, NULL) || !vec_push(&t->files, file))
		return LINE_NO_MEMORY;
	for (;;) {
		if (!read_string(c, &name))
			return LINE_UNKNOWN;
		if (!*name)
			break;
		if (!vec_push(&t->directories, name))
			return LINE_NO_MEMORY;
	}
	for (;;) {
		if (!read_string(c, &file.name))
			return LINE_UNKNOWN;
		if (!*file.name)
			return LINE_READ;
		if (!leb_read(c, &file.directory) || !leb_read(c, &ignored) ||
		    !leb_read(c, &ignored))
			return LINE_UNKNOWN;
		if (!vec_push(&t->files, file))
			return LINE_NO_MEMORY;
	}
}

uint64_t line_table_bytes(const struct cursor *section, uint64_t offset)
{
	struct cursor c = *section;
	unsigned offset_size;
	if (offset > c.size || !cursor_skip(&c, (size_t)offset) ||
	    !leb_read_length(&c, &offset_size))
		return 0;
	return c.size - offset;
}

/* Read up to header_length, which gives the start of the program. */
static bool read_sizes(struct line_table *t, struct cursor *c, unsigned *offset_size)
{
	uint64_t header;
	uint16_t version;
	uint8_t address_size;
	if (!leb_read_length(c, offset_size))
		return false;
	if (!leb_read_u16(c, &version) || version < 2 || version > 5)
		return false;
	t->version = (uint8_t)version;
	if (version == 5 && (!cursor_u8(c, &address_size) || !cursor_skip(c, 1)))
		return false;
	if (!cursor_word(c, *offset_size, &header) || header > cursor_left(c))
		return false;
	t->program = *c;
	return cursor_skip(&t->program, (size_t)header);
}

enum line_result line_table_read(struct line_table *t, const struct line_sections *s,
				 uint64_t offset)
{
	struct cursor c = s->line;
	unsigned offset_size;
	uint8_t operations = 1, is_statement, base;
	t->directories.len = t->files.len = 0;
	if (offset > c.size || !cursor_skip(&c, (size_t)offset) ||
	    !read_sizes(t, &c, &offset_size) || !cursor_u8(&c, &t->min_instruction) ||
	    (t->version >= 4 && !cursor_u8(&c, &operations)) || operations != 1 ||
	    !cursor_u8(&c, &is_statement) || !cursor_u8(&c, &base) ||
	    !cursor_u8(&c, &t->line_range) || t->line_range == 0 ||
	    !cursor_u8(&c, &t->opcode_base) || t->opcode_base == 0 ||
	    !cursor_bytes(&c, t->opcode_base - 1u, &t->opcode_lengths))
		return LINE_UNKNOWN;
	t->line_base = (int8_t)base;
	t->is_statement = is_statement;
	if (t->version < 5)
		return read_old_entries(t, &c);
	enum line_result result = read_entries(t, s, &c, offset_size, false);
	return result == LINE_READ ? read_entries(t, s, &c, offset_size, true) : result;
}

void line_table_free(struct line_table *t)
{
	vec_free(&t->directories);
	vec_free(&t->files);
}

/* The state machine of DWARF 5, 6.2.2, as far as it is needed here. */
struct line_machine {
	const struct line_table *t;
	struct cursor c;
	struct line_row row;  /* the registers */
	struct line_row last; /* the last row of the sequence */
	bool started;         /* last is valid */
	uint64_t wanted;      /* rows that end at or before it are not needed */
	line_sink *sink;
	uint64_t (*begin)(void *context, uint64_t address);
	line_statement *statement;
	void *context;
};

static void reset(struct line_machine *m)
{
	m->row = (struct line_row){.file = 1, .line = 1, .is_statement = m->t->is_statement};
	m->started = false;
}

static inline void emit(struct line_machine *m)
{
	if (!m->started) {
		m->wanted = m->begin(m->context, m->row.address);
		m->started = true;
	} else if (m->row.address > m->wanted && m->row.address > m->last.address) {
		m->wanted = m->sink(m->context, &m->last, m->row.address);
	}
	if (m->row.is_statement && m->statement)
		m->statement(m->context, &m->row);
	m->last = m->row;
	m->row.discriminator = 0;
}

static bool run_extended(struct line_machine *m)
{
	uint64_t length, discriminator;
	uint8_t opcode;
	if (!leb_read(&m->c, &length) || length > cursor_left(&m->c))
		return false;
	size_t end = m->c.pos + (size_t)length;
	if (length == 0 || !cursor_u8(&m->c, &opcode))
		return true;
	if (opcode == DW_LNE_end_sequence) {
		m->row.is_statement = false;
		emit(m);
		reset(m);
	} else if (opcode == DW_LNE_set_address) {
		if ((length != 5 && length != 9) ||
		    !cursor_word(&m->c, (unsigned)length - 1, &m->row.address))
			return false;
	} else if (opcode == DW_LNE_set_discriminator) {
		if (!leb_read(&m->c, &discriminator))
			return false;
		m->row.discriminator = (uint32_t)discriminator;
	}
	m->c.pos = end;
	return true;
}

static bool run_standard(struct line_machine *m, uint8_t opcode)
{
	const struct line_table *t = m->t;
	uint64_t value;
	int64_t delta;
	uint16_t advance;
	switch (opcode) {
	case DW_LNS_copy:
		emit(m);
		return true;
	case DW_LNS_advance_pc:
		if (!leb_read(&m->c, &value))
			return false;
		m->row.address += value * t->min_instruction;
		return true;
	case DW_LNS_advance_line:
		if (!leb_read_signed(&m->c, &delta))
			return false;
		m->row.line += (uint32_t)delta;
		return true;
	case DW_LNS_set_file:
		return leb_read(&m->c, &m->row.file);
	case DW_LNS_negate_stmt:
		m->row.is_statement = !m->row.is_statement;
		return true;
	case DW_LNS_const_add_pc:
		m->row.address +=
		    (uint64_t)((255 - t->opcode_base) / t->line_range) * t->min_instruction;
		return true;
	case DW_LNS_fixed_advance_pc:
		if (!leb_read_u16(&m->c, &advance))
			return false;
		m->row.address += advance;
		return true;
	default:
		for (unsigned i = 0; i < t->opcode_lengths[opcode - 1]; i++)
			if (!leb_read(&m->c, &value))
				return false;
		return true;
	}
}

bool line_table_run(const struct line_table *t, line_sink *sink,
		    uint64_t (*begin)(void *context, uint64_t address), line_statement *statement,
		    void *context)
{
	struct line_machine m = {.t = t,
				 .c = t->program,
				 .sink = sink,
				 .begin = begin,
				 .statement = statement,
				 .context = context};
	uint8_t opcode;
	reset(&m);
	while (cursor_u8(&m.c, &opcode)) {
		if (opcode >= t->opcode_base) {
			unsigned special = opcode - t->opcode_base;
			m.row.address += (uint64_t)(special / t->line_range) * t->min_instruction;
			m.row.line += (uint32_t)(t->line_base + (int)(special % t->line_range));
			emit(&m);
		} else if (opcode == 0 ? !run_extended(&m) : !run_standard(&m, opcode)) {
			return false;
		}
	}
	return true;
}
