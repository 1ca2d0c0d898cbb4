/* Source files of the measured code, as far as they can be found.
 *
 * Nothing is read but what the debug information names itself, by an absolute path, and
 * what lies in the folders that the user gave: a path that leads out of such a folder, by ".."
 * or by a symbolic link, is refused. So is what is no regular file, is too large, or is no
 * text. */
#ifndef HPCPROF_SOURCE_TEXT_H
#define HPCPROF_SOURCE_TEXT_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* -I FROM=TO: what is named below FROM lies below TO. */
struct source_map {
	const char *from, *to;
};

struct source_places {
	VEC(struct source_map) maps;   /* tried in order, before anything else */
	VEC(const char *) directories; /* -d, tried last: with ever shorter ends of the name */
};

enum { SOURCE_TEXT_MOST = 16 << 20 };

struct source_text {
	char *path;        /* that was read, links resolved */
	char *text;        /* ends in a NUL; may have NULs in place of line ends only */
	VEC(size_t) lines; /* where each begins; line 1 is at[0] */
	struct timespec modified;
};

/* Find and read the file that the debug information calls name. 0, or -1 and *e: what was
 * wrong with the best candidate, or that there is none. */
int source_text_read(struct source_text *s, const char *name, const struct source_places *where,
		     struct error *e);
void source_text_free(struct source_text *s); /* takes NULL */

/* The text of a line from 1 on, clean, tabs expanded to multiples of tab columns; "" past the
 * end; NULL if memory ran out. */
const char *source_text_line(const struct source_text *s, uint32_t line, unsigned tab,
			     struct arena *a);

/* Split "FROM=TO". 0, or -1 and *e (ERROR_USAGE); the parts are copied to the arena. */
int source_map_parse(struct source_map *out, const char *text, struct arena *a, struct error *e);

#endif
