/* symbolize/line_table.h: compared with libdw; and headers that are cut or changed. */
#include "symbolize/line_table.h"

#include "symbolize/symbolize.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/builders/elfmake.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rows {
	VEC(struct line_row) at;
	VEC(uint64_t) high;
	VEC(struct line_row) statements;
};

static uint64_t want_all(void *context, uint64_t address)
{
	(void)context;
	return address;
}

static uint64_t keep_row(void *context, const struct line_row *row, uint64_t high)
{
	struct rows *rows = context;
	assert_true(row->address < high);
	assert_true(vec_push(&rows->at, *row));
	assert_true(vec_push(&rows->high, high));
	return high;
}

static void keep_statement(void *context, const struct line_row *row)
{
	struct rows *rows = context;
	assert_true(vec_push(&rows->statements, *row));
}

static size_t count_statements(const struct rows *rows, uint64_t address, uint32_t line)
{
	size_t n = 0;
	for (size_t i = 0; i < rows->statements.len; i++)
		n += rows->statements.at[i].address == address &&
		     rows->statements.at[i].line == line;
	return n;
}

static bool begins_statement(Dwarf_Lines *lines, size_t i, uint64_t *address, int *number)
{
	Dwarf_Line *line = dwarf_onesrcline(lines, i);
	bool begins, end;
	assert_int_equal(dwarf_lineaddr(line, address), 0);
	assert_int_equal(dwarf_lineno(line, number), 0);
	assert_int_equal(dwarf_linebeginstatement(line, &begins), 0);
	assert_int_equal(dwarf_lineendsequence(line, &end), 0);
	return begins && !end;
}

/* Check that we have the same statements as libdw. Returns how many. */
static size_t compare_statements(const struct rows *rows, Dwarf_Lines *lines, size_t n)
{
	size_t found = 0;
	uint64_t address, other_address;
	int number, other_number;
	for (size_t i = 0; i < n; i++) {
		size_t equal = 0;
		if (!begins_statement(lines, i, &address, &number))
			continue;
		found++;
		for (size_t k = 0; k < n; k++)
			equal += begins_statement(lines, k, &other_address, &other_number) &&
				 other_address == address && other_number == number;
		assert_int_equal(count_statements(rows, address, (uint32_t)number), equal);
	}
	assert_int_equal(rows->statements.len, found);
	return found;
}

static const struct line_row *find(const struct rows *rows, uint64_t address)
{
	for (size_t i = 0; i < rows->at.len; i++)
		if (rows->at.at[i].address <= address && address < rows->high.at[i])
			return &rows->at.at[i];
	return NULL;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Check that we have every row of libdw that covers bytes. t may contain another unit's table.
 * Returns how many. */
static size_t compare_unit(Dwarf_Die *die, const struct line_sections *sections,
			   struct line_table *t)
{
	struct rows rows = {0};
	Dwarf_Attribute a;
	Dwarf_Word offset;
	Dwarf_Lines *lines;
	size_t n, compared = 0;
	uint64_t ended_at = UINT64_MAX;
	assert_int_equal(dwarf_formudata(dwarf_attr(die, DW_AT_stmt_list, &a), &offset), 0);
	assert_int_equal(line_table_read(t, sections, offset), LINE_READ);
	assert_true(line_table_run(t, keep_row, want_all, keep_statement, &rows));
	assert_int_equal(dwarf_getsrclines(die, &lines, &n), 0);
	assert_true(compare_statements(&rows, lines, n) > 0);
	for (size_t i = 0; i + 1 < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr low, high;
		bool end;
		int number;
		dwarf_lineaddr(line, &low);
		dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &high);
		dwarf_lineendsequence(line, &end);
		dwarf_lineno(line, &number);
		/* libdw sorts the end of a sequence before a row at the same address, which then
		 * seems to extend to the next sequence. */
		bool was_end = ended_at == low;
		if (end)
			ended_at = low;
		if (end || was_end || low == high)
			continue;
		const struct line_row *ours = find(&rows, low);
		if (!ours)
			fail_msg("no row for %#lx, line %d", (unsigned long)low, number);
		assert_int_equal(ours->line, number);
		assert_true(ours->file < t->files.len);
		assert_string_equal(last_part(t->files.at[ours->file].name),
				    last_part(dwarf_linesrc(line, NULL, NULL)));
		compared++;
	}
	vec_free(&rows.at);
	vec_free(&rows.high);
	vec_free(&rows.statements);
	return compared;
}

static void rows_are_those_of_libdw(void **state)
{
	(void)state;
	static const char *const kinds[] = {
	    "gcc -O2 -gdwarf-5 -o t $data/chain.c",
	    "gcc -O2 -gdwarf-4 -o t $data/chain.c",
	    "gcc -O2 -gdwarf-3 -o t $data/chain.c",
	    "gcc -O2 -gdwarf-2 -o t $data/chain.c",
	    "gcc -O2 -gdwarf-5 -gz -o t $data/chain.c",
	    "gcc -O2 -gdwarf64 -gdwarf-5 -o t $data/chain.c",
	    "g++ -O2 -gdwarf-5 -o t $data/templates.cc",
	    "g++ -O0 -gdwarf-4 -o t $data/templates.cc",
	    "gcc -O2 -g -gno-as-loc-support -o t $data/chain.c",
	    "gcc -O2 -gdwarf-5 -o t $data/chain.c other.c",
	    "gcc -O2 -gdwarf-4 -o t $data/chain.c other.c",
	    "if command -v clang-14; then clang-14 -O2 -g -o t $data/chain.c; fi",
	};
	elfmake_run("echo 'int other(int x) { return x + 1; }' >other.c");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		elfmake_run("%s", kinds[i]);
		int fd = open(elfmake_path("t"), O_RDONLY);
		Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
		assert_non_null(dwarf);
		struct line_sections sections;
		line_sections_read(&sections, dwarf_getelf(dwarf));
		struct line_table table = {0};
		Dwarf_CU *cu = NULL;
		Dwarf_Die die;
		size_t compared = 0;
		while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0)
			compared += compare_unit(&die, &sections, &table);
		assert_true(compared > 20);
		line_table_free(&table);
		dwarf_end(dwarf);
		close(fd);
	}
}

/* A table of version 4: one directory, one file, and a program with each opcode. */
static const uint8_t old_table[] = {
    50,  0, 0, 0,    4,    0,  24, 0, 0, 0, /* length, version, header_length */
    1,   1, 1, 0xfb, 14,   10,           /* instruction 1, operations 1, line_base -5, range 14 */
    0,   1, 1, 1,    1,    0,  0,  0, 1, /* operands of opcodes 1 to 9 */
    'd', 0, 0,                           /* directories */
    'f', 0, 0, 0,    0,    0,            /* files */
    0,   5, 2, 0,    0x10, 0,  0,        /* set_address 0x1000 */
    3,   9, 1,                           /* advance_line 9; copy: line 10 */
    9,   2, 0, 1,                        /* fixed_advance_pc 2; copy */
    2,   4, 1,                           /* advance_pc 4; copy */
    0,   1, 1,                           /* end_sequence */
};

static enum line_result run_bytes(const uint8_t *bytes, size_t n, struct rows *rows, bool *good)
{
	struct line_sections s = {.line = cursor_of(bytes, n, false),
				  .line_str = cursor_of("", 0, false),
				  .str = cursor_of("", 0, false)};
	struct line_table t = {0};
	enum line_result result = line_table_read(&t, &s, 0);
	*good = result == LINE_READ && line_table_run(&t, keep_row, want_all, NULL, rows);
	line_table_free(&t);
	return result;
}

static void cut_and_struck_tables_do_no_harm(void **state)
{
	(void)state;
	struct rows rows = {0};
	bool good;
	for (size_t n = 0; n <= sizeof old_table; n++) {
		uint8_t *cut = malloc(n ? n : 1);
		assert_non_null(cut);
		memcpy(cut, old_table, n);
		if (n < sizeof old_table)
			assert_int_not_equal(run_bytes(cut, n, &rows, &good), LINE_READ);
		free(cut);
	}
	static const uint8_t values[] = {0, 1, 2, 0x7f, 0x80, 0xfe, 0xff};
	for (size_t i = 0; i < sizeof old_table; i++) {
		for (size_t k = 0; k < sizeof values; k++) {
			uint8_t *struck = malloc(sizeof old_table);
			assert_non_null(struck);
			memcpy(struck, old_table, sizeof old_table);
			struck[i] = values[k];
			run_bytes(struck, sizeof old_table, &rows, &good);
			free(struck);
		}
	}
	vec_free(&rows.at);
	vec_free(&rows.high);
}

static void rows_reach_to_the_next(void **state)
{
	(void)state;
	struct rows rows = {0};
	bool good;
	assert_int_equal(run_bytes(old_table, sizeof old_table, &rows, &good), LINE_READ);
	assert_true(good);
	assert_int_equal(rows.at.len, 2);
	assert_int_equal(rows.at.at[0].address, 0x1000);
	assert_int_equal(rows.at.at[0].line, 10);
	assert_int_equal(rows.high.at[0], 0x1002);
	assert_int_equal(rows.high.at[1], 0x1006);
	vec_free(&rows.at);
	vec_free(&rows.high);
}

/* Special opcodes divide by the range of lines; opcodes have numbers from 1. */
static void a_range_or_an_opcode_base_of_0_is_refused(void **state)
{
	(void)state;
	struct rows rows = {0};
	bool good;
	static const struct {
		size_t at;
		uint8_t value;
		enum line_result result;
	} cases[] = {{14, 0, LINE_UNKNOWN}, {14, 1, LINE_READ}, {15, 0, LINE_UNKNOWN}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint8_t bytes[sizeof old_table];
		memcpy(bytes, old_table, sizeof bytes);
		bytes[cases[i].at] = cases[i].value;
		assert_int_equal(run_bytes(bytes, sizeof bytes, &rows, &good), cases[i].result);
	}
	vec_free(&rows.at);
	vec_free(&rows.high);
}

static void several_operations_an_instruction_are_refused(void **state)
{
	(void)state;
	uint8_t bytes[sizeof old_table];
	struct rows rows = {0};
	bool good;
	memcpy(bytes, old_table, sizeof bytes);
	bytes[11] = 4;
	assert_int_equal(run_bytes(bytes, sizeof bytes, &rows, &good), LINE_UNKNOWN);
	assert_int_equal(rows.at.len, 0);
}

/* Resolve the n addresses from a symbol of t on, which is returned. */
static uint64_t resolve_from(struct symbolizer *s, const char *symbol, size_t n,
			     struct symbol_table *out)
{
	uint64_t low = elfmake_symbol("t", symbol), addresses[64];
	assert_true(n <= 64);
	for (size_t i = 0; i < n; i++)
		addresses[i] = low + i;
	struct symbolize_request q = {.path = elfmake_path("t"),
				      .name = "t",
				      .addresses = addresses,
				      .num_addresses = n,
				      .statements = true};
	assert_int_equal(symbolize_module(s, &q, out, NULL), 0);
	return low;
}

/* The lines of such a table are those that libdw has. */
static void tables_that_we_cannot_read_are_those_of_libdw(void **state)
{
	(void)state;
	elfmake_run("gcc -O1 -gdwarf-4 -o t $data/chain.c && objcopy --dump-section "
		    ".debug_line=lines t && printf '\\002' | dd of=lines bs=1 seek=11 conv=notrunc "
		    "2>dd.log && objcopy --update-section .debug_line=lines t");
	uint64_t low, address;
	int number, fd = open(elfmake_path("t"), O_RDONLY);
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	assert_non_null(dwarf);
	struct symbolizer *s = symbolizer_create(NULL);
	struct symbol_table t;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	size_t compared = 0;
	low = resolve_from(s, "main", 24, &t);
	assert_int_equal(dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL), 0);
	for (size_t i = 0; i < 24; i++) {
		Dwarf_Line *line = dwarf_getsrc_die(&die, low + i);
		const struct symbol_frame *frame = &t.frames[t.first[i]];
		if (!line)
			continue;
		dwarf_lineno(line, &number);
		assert_int_equal(frame->line, number);
		assert_non_null(frame->file);
		assert_string_equal(last_part(frame->file),
				    last_part(dwarf_linesrc(line, NULL, NULL)));
		compared++;
	}
	assert_true(compared > 5);
	Dwarf_Lines *lines;
	size_t n, begun = 0;
	assert_int_equal(dwarf_getsrclines(&die, &lines, &n), 0);
	for (size_t i = 0; i < n; i++)
		begun += begins_statement(lines, i, &address, &number) && address >= low &&
			 address < low + 24;
	assert_int_equal(t.num_statements, begun);
	for (size_t i = 0; i < t.num_statements; i++)
		assert_in_range(t.statements[i].address, i ? t.statements[i - 1].address : low,
				low + 23);
	symbol_table_free(&t);
	symbolizer_destroy(s);
	dwarf_end(dwarf);
	close(fd);
}

/* The load of line 4 is before the branch of line 2, as line 6 needs it, too; the statement of line
 * 4 is behind it. */
static void statements_begin_where_the_source_has_them(void **state)
{
	(void)state;
	struct symbolizer *s = symbolizer_create(NULL);
	struct symbol_table t;
	uint64_t low, first_code = 0, first_statement = 0;
	elfmake_run("printf '%%s\\n' 'long moved(long n, long *p) {' 'if (n) {' "
		    "'p[1] = 1;' 'n = *p;' '} else' 'n = 2 * *p;' 'return n; }' 'int main(void) { "
		    "return 0; }' >moved.c");
	elfmake_run("gcc -O2 -g -fno-if-conversion -o t moved.c");
	low = resolve_from(s, "moved", 64, &t);
	for (size_t i = 0; i < t.num_addresses && !first_code; i++)
		if (t.frames[t.first[i]].line == 4)
			first_code = low + i;
	for (size_t i = 0; i < t.num_statements; i++) {
		assert_string_equal(last_part(t.statements[i].file), "moved.c");
		if (t.statements[i].line == 4 && !first_statement)
			first_statement = t.statements[i].address;
	}
	assert_true(first_code && first_code < first_statement);
	symbol_table_free(&t);
	elfmake_run("clang-14 -O2 -g -o t moved.c");
	resolve_from(s, "moved", 64, &t);
	assert_int_equal(t.num_statements, 0);
	assert_null(t.statements);
	symbol_table_free(&t);
	symbolizer_destroy(s);
}

/* ---- version 5: what an entry of a directory or file is described by ------------------------- */

struct table_bytes {
	uint8_t at[256];
	size_t n;
};

static void put(struct table_bytes *b, const void *bytes, size_t n)
{
	assert_true(b->n + n <= sizeof b->at);
	memcpy(b->at + b->n, bytes, n);
	b->n += n;
}

static void put_number(struct table_bytes *b, uint64_t number, size_t n)
{
	put(b, &number, n); /* little-endian */
}

/* How a number or name of an entry is written. */
struct written {
	uint8_t form;
	uint8_t n;
	uint8_t bytes[20];
};

/* A table of version 5, DWARF with offsets of 4 or 8 bytes: one directory, whose name is written
 * so; one file, in this directory, with something after it that readers skip; and no program. */
static struct table_bytes new_table(unsigned offset_size, const struct written *name,
				    const struct written *directory, const struct written *other)
{
	struct table_bytes b = {0};
	size_t length_at, header_at;
	if (offset_size == 8)
		put_number(&b, 0xffffffff, 4);
	length_at = b.n;
	put_number(&b, 0, offset_size);
	put_number(&b, 5, 2);
	put(&b, "\x08", 2); /* the sizes of addresses and of segment selectors */
	header_at = b.n;
	put_number(&b, 0, offset_size);
	put(&b, "\x01\x01\x01\xfb\x0e\x01", 6); /* an opcode_base of 1: no lengths */
	put(&b, (uint8_t[]){1, DW_LNCT_path, name->form, 1}, 4);
	put(&b, name->bytes, name->n);
	put(&b,
	    (uint8_t[]){3, DW_LNCT_path, name->form, DW_LNCT_directory_index, directory->form, 0xff,
			0x3f, other->form, 1},
	    9);
	put(&b, name->bytes, name->n);
	put(&b, directory->bytes, directory->n);
	put(&b, other->bytes, other->n);
	uint64_t header = b.n - header_at - offset_size, length = b.n - length_at - offset_size;
	memcpy(b.at + header_at, &header, offset_size);
	memcpy(b.at + length_at, &length, offset_size);
	return b;
}

/* Read it from a copy of its size, for ASan. */
static enum line_result read_copy(const struct table_bytes *b, size_t n, struct line_table *t)
{
	static const char strings[] = "no\0in .debug_str",
			  line_strings[] = "no\0in .debug_line_str";
	uint8_t *copy = malloc(n ? n : 1);
	assert_non_null(copy);
	memcpy(copy, b->at, n);
	struct line_sections s = {.line = cursor_of(copy, n, false),
				  .line_str = cursor_of(line_strings, sizeof line_strings, false),
				  .str = cursor_of(strings, sizeof strings, false)};
	enum line_result result = line_table_read(t, &s, 0);
	if (result == LINE_READ) {
		assert_int_equal(t->directories.len, 1);
		assert_int_equal(t->files.len, 1);
		assert_string_equal(t->files.at[0].name, t->directories.at[0]);
		/* the names of a table that is read stay where they are: here in the copy */
		t->files.at[0].name = strdup(t->files.at[0].name);
		assert_non_null(t->files.at[0].name);
	}
	free(copy);
	return result;
}

/* Each form, in tables of both sizes, cut everywhere, and with strings that are not there. */
static void forms_of_entries_are_read(void **state)
{
	(void)state;
	static const struct written names[] = {
	    {DW_FORM_string, 7, "inside\0"}, {DW_FORM_strp, 4, {3}}, {DW_FORM_line_strp, 4, {3}}};
	static const char *const texts[] = {"inside", "in .debug_str", "in .debug_line_str"};
	static const struct written directories[] = {{DW_FORM_udata, 2, {0xc7, 0x02}},
						     {DW_FORM_data1, 1, {0x47}},
						     {DW_FORM_data2, 2, {0x47, 1}},
						     {DW_FORM_data4, 4, {0x47, 1}},
						     {DW_FORM_data8, 8, {0x47, 1}}};
	static const struct written others[] = {{DW_FORM_data16, 16, {1}},
						{DW_FORM_block, 3, {2, 1, 2}},
						{DW_FORM_udata, 1, {9}},
						{DW_FORM_string, 2, "x"}};
	for (unsigned i = 0; i < 3 * 5 * 4 * 2; i++) {
		struct written name = names[i % 3];
		const struct written *directory = &directories[i / 3 % 5];
		unsigned offset_size = i / 60 ? 8 : 4;
		if (name.form != DW_FORM_string)
			name.n = (uint8_t)offset_size;
		struct table_bytes b =
		    new_table(offset_size, &name, directory, &others[i / 15 % 4]);
		struct line_table t = {0};
		assert_int_equal(read_copy(&b, b.n, &t), LINE_READ);
		assert_int_equal(t.version, 5);
		assert_string_equal(t.files.at[0].name, texts[i % 3]);
		assert_int_equal(t.files.at[0].directory,
				 directory->form == DW_FORM_data1 ? 0x47 : 0x147);
		free((void *)t.files.at[0].name);
		for (size_t n = 0; n < b.n; n++)
			assert_int_equal(read_copy(&b, n, &t), LINE_UNKNOWN);
		line_table_free(&t);
	}
	/* what is not known cannot be skipped; a string or a block may not be longer than what is
	 * left */
	static const struct written bad_others[] = {
	    {0x7f, 1, {0}}, {DW_FORM_block, 1, {1}}, {DW_FORM_string, 1, "x"}};
	static const struct written bad_names[] = {{DW_FORM_strp, 4, {17}},
						   {DW_FORM_line_strp, 4, {22}},
						   {DW_FORM_strp, 4, {0xff, 0xff, 0xff, 0xff}}};
	for (unsigned i = 0; i < 3; i++) {
		struct line_table t = {0};
		struct table_bytes b = new_table(4, &names[0], &directories[0], &bad_others[i]);
		assert_int_equal(read_copy(&b, b.n, &t), LINE_UNKNOWN);
		b = new_table(4, &bad_names[i], &directories[0], &others[0]);
		assert_int_equal(read_copy(&b, b.n, &t), LINE_UNKNOWN);
		line_table_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_those_of_libdw),
	    cmocka_unit_test(cut_and_struck_tables_do_no_harm),
	    cmocka_unit_test(rows_reach_to_the_next),
	    cmocka_unit_test(a_range_or_an_opcode_base_of_0_is_refused),
	    cmocka_unit_test(several_operations_an_instruction_are_refused),
	    cmocka_unit_test(tables_that_we_cannot_read_are_those_of_libdw),
	    cmocka_unit_test(statements_begin_where_the_source_has_them),
	    cmocka_unit_test(forms_of_entries_are_read),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	elfmake_clean();
	return failed;
}
