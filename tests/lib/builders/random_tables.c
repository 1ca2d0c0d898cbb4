#include "tests/lib/builders/random_maker.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define BASE RANDOM_DWARF_BASE

static void put_line_files(struct random_maker *m, unsigned version)
{
	bool apart = random_take(m) & 1;
	const uint8_t forms[] = {DW_LNCT_path, apart ? DW_FORM_line_strp : DW_FORM_string,
				 DW_LNCT_directory_index, DW_FORM_udata};

	for (unsigned list = 0; list < 2; list++) { /* folders, files */
		unsigned n = random_pick(m, 8);
		if (version >= 5) {
			elf_put_int(&m->line, 1 + list, 1);
			elf_put(&m->line, forms, 2 + 2 * list);
			elf_put_uleb(&m->line, n);
		}
		for (unsigned i = 0; i < n; i++) {
			if (version >= 5 && apart)
				elf_put_int(&m->line, random_one_of(m, (uint32_t[]){0, 1, 4, 8}, 4),
					    4);
			else
				random_put_text(m, &m->line);
			if (list)
				elf_put_uleb(&m->line, random_take(m) & 15);
			if (list && version < 5)
				elf_put_int(&m->line, 0, 2);
		}
		if (version < 5)
			elf_put_int(&m->line, 0, 1);
	}
}

static void put_row_program(struct random_maker *m)
{
	unsigned op = random_take(m), what = op & 15;

	if (op >= 64) {
		elf_put_int(&m->line, op, 1);
		return;
	}
	switch (what) {
	case 0:
	case 1:
		elf_put(&m->line, (const uint8_t[]){0, 9, DW_LNE_set_address}, 3);
		elf_put_int(&m->line, BASE + random_take_place(m), 8);
		break;
	case 2:
		elf_put(&m->line, (const uint8_t[]){0, 1, DW_LNE_end_sequence}, 3);
		break;
	case 3:
		elf_put_int(&m->line, DW_LNS_set_file, 1);
		elf_put_uleb(&m->line, random_take(m));
		break;
	case 4:
		elf_put_int(&m->line, DW_LNS_advance_pc, 1);
		elf_put_uleb(&m->line, random_take_wide(m));
		break;
	case 5:
		elf_put_int(&m->line, DW_LNS_advance_line, 1);
		elf_put_uleb(&m->line, random_take_wide(m));
		break;
	case 6:
		elf_put(&m->line, (const uint8_t[]){0, 2, DW_LNE_set_discriminator}, 3);
		elf_put_int(&m->line, random_take(m) & 0x7f, 1);
		break;
	default:
		elf_put_int(&m->line, 1 + what % 12, 1);
		if (what % 12 + 1 == DW_LNS_fixed_advance_pc)
			elf_put_int(&m->line, random_take_wide(m), 2);
		else if (what % 12 + 1 <= DW_LNS_set_column || what % 12 + 1 == DW_LNS_set_isa)
			elf_put_uleb(&m->line, random_take(m));
	}
}

void random_put_lines(struct random_maker *m)
{
	static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

	for (unsigned tables = 1 + random_pick(m, 3); tables; tables--) {
		unsigned version = 5 - random_pick(m, 4);
		size_t at, sized;
		if (!vec_push(&m->lines, (uint32_t)m->line.v.len))
			abort();
		elf_put_int(&m->line, 0, 4);
		at = m->line.v.len;
		elf_put_int(&m->line, version, 2);
		if (version >= 5)
			elf_put_int(&m->line, 8, 2);
		elf_put_int(&m->line, 0, 4);
		sized = m->line.v.len;
		elf_put_int(&m->line, 1 + (random_take(m) & 1), 1);
		if (version >= 4)
			elf_put_int(&m->line, 1, 1);
		elf_put_int(&m->line, 1, 1);
		elf_put_int(&m->line, (uint8_t)-5, 1);
		elf_put_int(&m->line, 14, 1);
		elf_put_int(&m->line, 13, 1);
		elf_put(&m->line, lengths, sizeof lengths);
		put_line_files(m, version);
		elf_patch_size(&m->line, sized);
		elf_put(&m->line, (const uint8_t[]){0, 9, DW_LNE_set_address}, 3);
		elf_put_int(&m->line, BASE, 8);
		for (unsigned left = 1 + random_take(m); left && m->n; left--) {
			size_t from = m->line.v.len;
			for (unsigned k = 1 + random_pick(m, 6); k; k--)
				put_row_program(m);
			unsigned times = random_take_times(m);
			random_repeat(m, &m->line, from, times);
		}
		elf_patch_size(&m->line, at);
	}
}

/* ---- ranges and tables of numbers ---------------------------------------------------- */

void random_put_ranges(struct random_maker *m)
{
	for (unsigned lists = 1 + random_pick(m, 4); lists; lists--) {
		if (!vec_push(&m->lists, (uint32_t)m->ranges.v.len))
			abort();
		for (unsigned n = random_pick(m, 10); n; n--) {
			size_t from = m->ranges.v.len;
			uint64_t low = random_take_place(m), bytes = random_take_wide(m);
			unsigned times = random_take_times(m);
			elf_put_int(&m->ranges, low == 0xffff ? UINT64_MAX : low, 8);
			elf_put_int(&m->ranges, low + bytes, 8);
			random_repeat(m, &m->ranges, from, times);
		}
		elf_put_int(&m->ranges, 0, 8);
		elf_put_int(&m->ranges, 0, 8);
	}
}

static void put_rnglist(struct random_maker *m)
{
	for (unsigned n = random_pick(m, 10); n; n--) {
		size_t from = m->rnglists.v.len;
		unsigned kind = 1 + random_pick(m, 7), times;
		elf_put_int(&m->rnglists, kind, 1);
		switch (kind) {
		case DW_RLE_base_addressx:
			elf_put_uleb(&m->rnglists, random_take(m));
			break;
		case DW_RLE_startx_endx:
		case DW_RLE_startx_length:
		case DW_RLE_offset_pair:
			elf_put_uleb(&m->rnglists, random_take(m));
			elf_put_uleb(&m->rnglists, random_take_place(m));
			break;
		case DW_RLE_base_address:
			elf_put_int(&m->rnglists, BASE + random_take_place(m), 8);
			break;
		case DW_RLE_start_end:
			elf_put_int(&m->rnglists, BASE + random_take_place(m), 8);
			elf_put_int(&m->rnglists, BASE + random_take_place(m), 8);
			break;
		default: /* start_length */
			elf_put_int(&m->rnglists, BASE + random_take_place(m), 8);
			elf_put_uleb(&m->rnglists, random_take_wide(m));
		}
		times = random_take_times(m);
		random_repeat(m, &m->rnglists, from, times);
	}
	elf_put_int(&m->rnglists, DW_RLE_end_of_list, 1);
}

void random_put_rnglists(struct random_maker *m)
{
	unsigned n = 1 + random_pick(m, 4);

	elf_put_int(&m->rnglists, 0, 4);
	elf_put_int(&m->rnglists, 5, 2);
	elf_put_int(&m->rnglists, 8, 2);
	elf_put_int(&m->rnglists, n, 4);
	for (unsigned i = 0; i < n; i++)
		elf_put_int(&m->rnglists, 0, 4);
	for (unsigned i = 0; i < n; i++) {
		uint32_t at = (uint32_t)m->rnglists.v.len - 12;
		memcpy(m->rnglists.v.at + 12 + 4 * i, &at, 4);
		if (!vec_push(&m->rnglist_offsets, at + 12))
			abort();
		put_rnglist(m);
	}
	elf_patch_size(&m->rnglists, 4);
}

void random_put_tables(struct random_maker *m)
{
	static const uint8_t version[] = {5, 0, 8, 0};

	elf_put_int(&m->addr, 0, 4);
	elf_put(&m->addr, version, 4);
	for (unsigned n = random_pick(m, 30); n; n--)
		elf_put_int(&m->addr, BASE + random_take_place(m), 8);
	elf_patch_size(&m->addr, 4);
	elf_put_int(&m->str_offsets, 0, 4);
	elf_put_int(&m->str_offsets, 5, 4);
	for (size_t i = 0; i < m->texts.len; i++)
		elf_put_int(&m->str_offsets, m->texts.at[i], 4);
	elf_patch_size(&m->str_offsets, 4);
}

void random_put_symbols(struct random_maker *m)
{
	elf_put_int(&m->symbols, 0, 8);
	elf_put_int(&m->symbols, 0, 8);
	elf_put_int(&m->symbols, 0, 8);
	elf_put_text(&m->names, "");
	for (unsigned n = 1 + random_pick(m, 12); n; n--) {
		size_t from = m->symbols.v.len;
		unsigned times;
		elf_put_int(&m->symbols, m->names.v.len, 4);
		elf_put_int(&m->symbols, random_take(m), 1);
		elf_put_int(&m->symbols, 0, 1);
		elf_put_int(&m->symbols, 1, 2);
		elf_put_int(&m->symbols, BASE + random_take_place(m), 8);
		elf_put_int(&m->symbols, random_take_wide(m), 8);
		random_put_text(m, &m->names);
		times = random_take_times(m);
		random_repeat(m, &m->symbols, from, times);
	}
}
