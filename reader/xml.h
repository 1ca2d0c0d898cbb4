/* Read a PROFILE or a CSPROFILE (share/hpcprof/profile.dtd and csprofile.dtd say what
 * stands in them): a stream of what it holds, checked as it goes by.
 *
 * Read in UTF-8, UTF-16, ISO-8859-1 or ASCII. Attributes that the DTD does not name are
 * passed over, and so are a document type's declarations, other than those of
 * general entities, which are refused: no entity is ever expanded but the five of XML
 * and references to characters, and no other file is read. Levels of the scope tree may
 * be left out (a P right in an LM). Memory follows the depth of the tree and the longest
 * name, within the limits below.
 *
 * Errors name line and column, what was expected and what was found. One thread a
 * call. */
#ifndef READER_XML_H
#define READER_XML_H

#include "formats/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	READER_XML_MOST_METRICS = 1000,
	READER_XML_DEEPEST = 1000000,      /* elements within each other */
	READER_XML_LONGEST_NAME = 1 << 20, /* bytes of one attribute */
	READER_XML_LONGEST_TAG = 4 << 20,  /* bytes of one tag, comment or declaration */
	READER_XML_MOST_ATTLISTS = 1000,   /* attributes declared in a document type */
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

/* Texts are decoded (see xml_name.h), hold until the callback returns, and are NULL
 * where the file leaves them out, empty, or calls them unknown. */
struct reader_xml_scope {
	enum reader_xml_scope_kind kind;
	const char *name;         /* n; p of CALLSITE and PATH_S */
	const char *linkage_name; /* ln of P */
	const char *file;         /* f of CALLSITE and PATH_S */
	uint32_t line;            /* b, or l; 0: not known */
	bool partial;             /* the CALLSITE that holds the partial call paths */
};

struct reader_xml_metric {
	const char *name, *unit; /* unit may be NULL */
	uint64_t period;
};

/* Callbacks return 0, or -1 with *e filled to end the reading. Metrics come before
 * scopes; scopes nest. A callback may be NULL. */
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
/* The same over bytes in memory. */
int reader_xml_read_memory(const void *bytes, size_t n, const struct reader_xml_sink *sink,
			   void *context, struct error *e);

#endif
