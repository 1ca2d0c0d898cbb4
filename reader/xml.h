/* Reads a PROFILE or a CSPROFILE (described by share/hpcprof/profile.dtd and csprofile.dtd) as a
 * stream, and checks it.
 *
 * The encoding is UTF-8, UTF-16, ISO-8859-1 or ASCII. Attributes that are not in the DTD are
 * ignored. So are the declarations in a document type, except for general entities, which are
 * refused: only the five entities of XML and character references are expanded, and no other file
 * is read. Levels of the scope tree may be omitted (a P directly in an LM). Memory grows with the
 * depth of the tree and the longest name, within the limits below.
 *
 * Errors contain line and column, what was expected and what was found. Each call uses one
 * thread. */
#ifndef READER_XML_H
#define READER_XML_H

#include "formats/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	READER_XML_MOST_METRICS = 1000,
	READER_XML_DEEPEST = 1000000,      /* nested elements */
	READER_XML_LONGEST_NAME = 1 << 20, /* bytes of one attribute */
	READER_XML_LONGEST_TAG = 4 << 20,  /* bytes of one tag, comment or declaration */
	READER_XML_MOST_ATTLISTS = 1000,   /* attributes declared in a document type */
	READER_XML_MOST_DEFAULTS = 4096,   /* bytes of their defaults, and 8 for each: every element
					      can have them */
};

enum reader_xml_scope_kind {
	READER_XML_PGM,
	READER_XML_G,
	READER_XML_LM,
	READER_XML_F,
	READER_XML_P,
	READER_XML_L,
	READER_XML_S,
	READER_XML_CALLSITE,
	READER_XML_PATH_S, /* the S of a CSPROFILE */
};

/* Strings are decoded (see xml_name.h) and valid until the callback returns. They are NULL if they
 * are missing, empty or unknown in the file. */
struct reader_xml_scope {
	enum reader_xml_scope_kind kind;
	const char *name;         /* n, or path of F, or name of P; p of CALLSITE and PATH_S */
	const char *linkage_name; /* ln of P */
	const char *file;         /* f of CALLSITE and PATH_S */
	uint32_t line;            /* b, or l; 0: not known (id="?" in an S) */
	bool partial;             /* the CALLSITE with the partial call paths */
};

struct reader_xml_metric {
	const char *name, *unit; /* unit may be NULL */
	uint64_t period;
};

/* Callbacks return 0, or -1 with *e set to stop reading. Metrics come before scopes; scopes are
 * nested. A callback may be NULL. */
struct reader_xml_sink {
	int (*target)(void *context, const char *name, struct error *e);
	/* index counts up from 0 */
	int (*metric)(void *context, const struct reader_xml_metric *metric, struct error *e);
	int (*open)(void *context, const struct reader_xml_scope *scope, struct error *e);
	int (*close)(void *context, struct error *e);
	/* A value of the innermost open scope. */
	int (*value)(void *context, uint32_t metric, uint64_t events, struct error *e);
};

/* Whether the file's first bytes are those of XML; false if it cannot be read. */
bool reader_xml_is(const char *path);

/* Read the file. 0, or -1 and *e: ERROR_FORMAT, ERROR_LIMIT, ERROR_SYSTEM,
 * ERROR_MEMORY, or what a callback set. With NULL for the sink it is only checked. */
int reader_xml_read(const char *path, const struct reader_xml_sink *sink, void *context,
		    struct error *e);
/* The same for bytes in memory. */
int reader_xml_read_memory(const void *bytes, size_t n, const struct reader_xml_sink *sink,
			   void *context, struct error *e);

#endif
