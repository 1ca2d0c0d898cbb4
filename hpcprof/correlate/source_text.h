/* Source files of the measured code, if they can be found.
 *
 * Only these are read: absolute paths in the debug information, and files in the folders that the
 * user gave. A path that leads out of such a folder, by ".." or by a symbolic link, is refused. So
 * is a file that is not a regular file, is too large, or is not text. */
#ifndef HPCPROF_CORRELATE_SOURCE_TEXT_H
#define HPCPROF_CORRELATE_SOURCE_TEXT_H

#include "formats/base/arena.h"
#include "formats/base/error.h"
#include "formats/base/vec.h"
#include "hpcprof/command/option.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* -I FROM=TO: files whose names are below FROM are below TO. */
struct source_map {
	const char *from, *to;
};

/* All zeros is empty. */
struct source_places {
	VEC(struct source_map) maps; /* tried in order, before anything else */
	/* --directory, tried last: with shorter and shorter ends of the name */
	VEC(const char *) directories;
	struct arena arena; /* owns the parts of maps */
};

/* The options of these places, for a struct that has a source_places at offset. */
#define SOURCE_PLACES_OPTIONS(offset)                                                              \
	{'I',    "map", "FROM=TO", "look for sources below TO instead of FROM", source_places_map, \
	 offset, NULL},                                                                            \
	{                                                                                          \
		0, "directory", "DIR", "also look for sources in DIR", source_places_directory,    \
		    offset, NULL                                                                   \
	}
/* Their readers; the field is a struct source_places. */
int source_places_map(const struct option_row *row, const char *text, void *field, struct error *e);
int source_places_directory(const struct option_row *row, const char *text, void *field,
			    struct error *e);
void source_places_deinit(struct source_places *p);

enum { SOURCE_TEXT_MOST = 16 << 20 };

struct source_text {
	char *path;        /* of the file that was read, links resolved */
	char *text;        /* ends with a NUL; other NULs only replace line ends */
	VEC(size_t) lines; /* offsets of their starts; line 1 is at[0] */
	struct timespec modified;
};

/* Find and read the file that the debug information calls name. 0, or -1 and *e: why the best
 * candidate was refused, or that there is none. */
int source_text_read(struct source_text *s, const char *name, const struct source_places *where,
		     struct error *e);
void source_text_free(struct source_text *s); /* takes NULL */

/* The text of a line (the first is 1), clean, with tabs expanded to multiples of tab columns; ""
 * past the end; NULL if memory ran out. */
const char *source_text_line(const struct source_text *s, uint32_t line, unsigned tab,
			     struct arena *a);

/* Split "FROM=TO". 0, or -1 and *e (ERROR_USAGE); the parts are copied to the arena. */
int source_map_parse(struct source_map *out, const char *text, struct arena *a, struct error *e);

#endif
