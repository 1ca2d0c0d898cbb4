/* An identity for load modules without a build-id: what the linker laid out, as the program headers
 * and the beginning of the read-only data say, above all the table of functions' unwind
 * information. It is the same in memory and in the file, with its symbols and without. Where it is
 * equal, nearly always each function is where it was, so the names are right; lines need not be.
 *
 * In datafiles it has the place of the build-id, as CONTENT_ID_PREFIX and 16 hexadecimal digits.
 * Async-signal-safe. */
#ifndef FORMATS_IDENTITY_CONTENT_ID_H
#define FORMATS_IDENTITY_CONTENT_ID_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CONTENT_ID_PREFIX "content:"

enum {
	CONTENT_ID_BYTES = sizeof CONTENT_ID_PREFIX + 16, /* with its NUL */
	/* Of the unwind table, and of all read-only segments together; more is left out, which
	 * bounds the cost. */
	CONTENT_ID_MOST = 256 << 10
};

/* Where a program header says that its segment is. */
enum {
	CONTENT_ID_OFFSET,     /* p_offset */
	CONTENT_ID_ADDRESS,    /* p_vaddr */
	CONTENT_ID_FILE_BYTES, /* p_filesz */
	CONTENT_ID_MEMORY,     /* p_memsz */
	CONTENT_ID_PLACE
};

struct content_id {
	uint64_t state;
	uint64_t left;       /* bytes of read-only segments that may still be added */
	uint64_t table_left; /* and of unwind tables; a module has one */
};

static inline void content_id_begin(struct content_id *c)
{
	*c = (struct content_id){0x9e3779b97f4a7c15u, CONTENT_ID_MOST, CONTENT_ID_MOST};
}

/* FNV-1a (Fowler, Noll, Vo), of 64-bit words, with a shift that brings high bits down. */
static inline void content_id_word(struct content_id *c, uint64_t word)
{
	c->state = (c->state ^ word) * 0x100000001b3u;
	c->state ^= c->state >> 29;
}

static inline void content_id_bytes(struct content_id *c, const uint8_t *p, size_t n)
{
	for (; n >= 8; p += 8, n -= 8)
		content_id_word(c, (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
				       (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
				       (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
				       (uint64_t)p[7] << 56);
	for (; n; p++, n--)
		content_id_word(c, *p);
}

/* Add a program header. Of its segment's contents *n bytes from *from on count: add them after
 * this, with content_id_bytes. */
static inline void content_id_header(struct content_id *c, uint32_t type, uint32_t flags,
				     const uint64_t place[CONTENT_ID_PLACE], size_t *from,
				     size_t *n)
{
	uint64_t bytes = place[CONTENT_ID_FILE_BYTES];

	*from = *n = 0;
	if (type != PT_LOAD && type != PT_GNU_EH_FRAME)
		return;
	content_id_word(c, type);
	content_id_word(c, flags);
	for (int i = 0; i < CONTENT_ID_PLACE; i++)
		content_id_word(c, place[i]);
	if (type == PT_GNU_EH_FRAME) {
		*n = (size_t)(bytes < c->table_left ? bytes : c->table_left);
		c->table_left -= *n;
		return;
	}
	if (flags & (PF_W | PF_X))
		return;
	/* The ELF header says where the sections are, which are others after strip. */
	if (place[CONTENT_ID_OFFSET] == 0)
		*from = bytes < sizeof(Elf64_Ehdr) ? (size_t)bytes : sizeof(Elf64_Ehdr);
	bytes -= *from;
	*n = (size_t)(bytes < c->left ? bytes : c->left);
	c->left -= *n;
}

static inline void content_id_end(const struct content_id *c, char text[CONTENT_ID_BYTES])
{
	static const char digits[] = "0123456789abcdef";

	memcpy(text, CONTENT_ID_PREFIX, sizeof CONTENT_ID_PREFIX - 1);
	text += sizeof CONTENT_ID_PREFIX - 1;
	for (int i = 60; i >= 0; i -= 4)
		*text++ = digits[c->state >> i & 15];
	*text = '\0';
}

/* Whether the n bytes at p are such an identity, and not a build-id. It says less: other files with
 * other code may have it, so files are the same only if they have the same name, too. */
static inline bool content_id_is(const char *p, size_t n)
{
	size_t prefix = sizeof CONTENT_ID_PREFIX - 1;

	return n >= prefix && memcmp(p, CONTENT_ID_PREFIX, prefix) == 0;
}

/* Whether the n bytes at p are a build-id in hexadecimal, of any length, or such an identity. */
static inline bool content_id_or_build_id(const char *p, size_t n)
{
	for (size_t i = content_id_is(p, n) ? sizeof CONTENT_ID_PREFIX - 1 : 0; i < n; i++)
		if (!(p[i] >= '0' && p[i] <= '9') && !(p[i] >= 'a' && p[i] <= 'f') &&
		    !(p[i] >= 'A' && p[i] <= 'F'))
			return false;
	return true;
}

#endif
