#include "reader/xml.h"

#include "formats/base/arena.h"
#include "formats/base/regular_file.h"
#include "formats/base/vec.h"
#include "reader/xml_elements.h"
#include "reader/xml_name.h"
#include "reader/xml_number.h"

#include <errno.h>
#include <expat.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024 };

struct open_element {
	uint8_t element;
	uint8_t scope; /* the scope for its contents: for G the one around it */
};

struct parse {
	XML_Parser parser;
	const struct reader_xml_sink *sink;
	void *context;
	struct error *e;
	bool failed;
	uint32_t seen; /* elements that were read, as IN() */
	uint32_t attlists;
	size_t defaults; /* bytes of them */
	uint32_t num_metrics;
	struct strings *short_names; /* ids are the metrics' */
	VEC(struct open_element) stack;
	struct text {
		char *at;
		size_t len, cap;
	} texts[4]; /* decoded attributes of the current element */
	size_t num_texts;
};

/* ---- errors ----------------------------------------------------------------------- */

static void stop(struct parse *p)
{
	if (!p->failed)
		XML_StopParser(p->parser, XML_FALSE);
	p->failed = true;
}

static void __attribute__((format(printf, 3, 4)))
fail(struct parse *p, enum error_kind kind, const char *format, ...)
{
	char text[400];
	va_list ap;

	if (p->failed)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	error_set(p->e, kind, "line %llu, column %llu: %s",
		  (unsigned long long)XML_GetCurrentLineNumber(p->parser),
		  (unsigned long long)XML_GetCurrentColumnNumber(p->parser) + 1, text);
	if (p->e && XML_GetCurrentByteIndex(p->parser) > 0)
		p->e->offset = (uint64_t)XML_GetCurrentByteIndex(p->parser);
	stop(p);
}

static void fail_memory(struct parse *p, uint64_t bytes)
{
	if (p->failed)
		return;
	error_memory(p->e, bytes);
	stop(p);
}

/* Stop if a callback failed. */
static void heed(struct parse *p, int rc)
{
	if (rc != 0)
		stop(p);
}

/* ---- attributes -------------------------------------------------------------------- */

static const char *attribute(const char *const *attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	return NULL;
}

static const char *required(struct parse *p, enum element element, const char *const *attributes,
			    const char *name)
{
	const char *value = attribute(attributes, name);
	if (!value)
		fail(p, ERROR_FORMAT, "expected the attribute %s of %s, found none", name,
		     reader_xml_elements[element].name);
	return value;
}

/* The attribute's value, decoded; NULL if it is missing, empty or unknown. Valid until the next
 * element begins. */
static const char *name_of(struct parse *p, const char *value, const char *unknown)
{
	struct text *t;
	size_t n;

	if (!value || !value[0] || (unknown && strcmp(value, unknown) == 0))
		return NULL;
	n = strlen(value) + 1;
	t = &p->texts[p->num_texts++];
	if (n - 1 > READER_XML_LONGEST_NAME) {
		fail(p, ERROR_LIMIT, "expected names of at most %d bytes, found one of %zu",
		     READER_XML_LONGEST_NAME, n - 1);
		return NULL;
	}
	if (!vec_reserve(t, n)) {
		fail_memory(p, n);
		return NULL;
	}
	memcpy(t->at, value, n);
	reader_xml_decode_name(t->at);
	return t->at;
}

/* The number in an attribute's value, at most `most`; 0 without a value. */
static uint64_t number_of(struct parse *p, const char *name, const char *value, uint64_t most)
{
	uint64_t v = 0;

	if (!value || !value[0] || (reader_xml_whole_number(value, &v) && v <= most))
		return v;
	fail(p, ERROR_FORMAT,
	     "expected a whole number from 0 to %" PRIu64 " in %s, found \"%.60s\"", most, name,
	     value);
	return 0;
}

static uint32_t line_of(struct parse *p, const char *name, const char *value)
{
	return (uint32_t)number_of(p, name, value, UINT32_MAX);
}

/* ---- elements ----------------------------------------------------------------------- */

static void start_root(struct parse *p, enum element element, const char *const *attributes)
{
	const char *version = required(p, element, attributes, "version");
	const char *major = reader_xml_versions[element];

	if (version && strncmp(version, major, strlen(major)) != 0)
		fail(p, ERROR_FORMAT, "expected version %sx of %s, found \"%.20s\"", major,
		     reader_xml_elements[element].name, version);
}

static void start_target(struct parse *p, const char *const *attributes)
{
	const char *name = name_of(p, required(p, E_TARGET, attributes, "name"), NULL);

	if (!p->failed && p->sink && p->sink->target)
		heed(p, p->sink->target(p->context, name ? name : "", p->e));
}

static void start_metric(struct parse *p, const char *const *attributes)
{
	const char *short_name = required(p, E_METRIC, attributes, "shortName");
	const char *name = required(p, E_METRIC, attributes, "nativeName");
	struct reader_xml_metric metric = {
	    .period = number_of(p, "period", attribute(attributes, "period"), UINT64_MAX)};
	uint32_t id;

	metric.name = name_of(p, name, NULL);
	metric.unit = name_of(p, attribute(attributes, "units"), NULL);
	if (p->failed)
		return;
	if (!metric.name)
		metric.name = "";
	if (p->num_metrics == READER_XML_MOST_METRICS) {
		fail(p, ERROR_LIMIT, "expected at most %d metrics, found more",
		     READER_XML_MOST_METRICS);
		return;
	}
	id = strings_intern(p->short_names, short_name, strlen(short_name));
	if (id == UINT32_MAX)
		fail_memory(p, strlen(short_name));
	else if (id != p->num_metrics)
		fail(p, ERROR_FORMAT,
		     "expected a shortName that no other METRIC has, found \"%.60s\" again",
		     short_name);
	else if (p->sink && p->sink->metric)
		heed(p, p->sink->metric(p->context, &metric, p->e));
	p->num_metrics++;
}

static void give_value(struct parse *p, uint32_t metric, const char *name, const char *value)
{
	uint64_t events = number_of(p, name, value, UINT64_MAX);

	if (!p->failed && events && p->sink && p->sink->value)
		heed(p, p->sink->value(p->context, metric, events, p->e));
}

static void start_value(struct parse *p, const char *const *attributes)
{
	const char *n = required(p, E_M, attributes, "n");
	const char *v = n ? required(p, E_M, attributes, "v") : NULL;
	uint32_t id;

	if (!v)
		return;
	id = strings_intern(p->short_names, n, strlen(n));
	if (id == UINT32_MAX)
		fail_memory(p, strlen(n));
	else if (id >= p->num_metrics)
		fail(p, ERROR_FORMAT,
		     "expected a shortName of the METRICS in n of M, found \"%.60s\"", n);
	else
		give_value(p, id, "v of M", v);
}

/* The name of a scope: n, if no attribute says what n has more than the name. */
static const char *own_name(enum element element, const char *const *attributes)
{
	const char *name = NULL;

	if (element == E_F)
		name = attribute(attributes, "path");
	else if (element == E_P)
		name = attribute(attributes, "name");
	return name ? name : attribute(attributes, "n");
}

static void start_scope(struct parse *p, enum element element, const char *const *attributes)
{
	static const enum reader_xml_scope_kind kinds[NUM_ELEMENTS] = {
	    [E_PGM] = READER_XML_PGM,
	    [E_CS_PGM] = READER_XML_PGM,
	    [E_G] = READER_XML_G,
	    [E_LM] = READER_XML_LM,
	    [E_F] = READER_XML_F,
	    [E_P] = READER_XML_P,
	    [E_L] = READER_XML_L,
	    [E_S] = READER_XML_S,
	    [E_CALLSITE] = READER_XML_CALLSITE,
	    [E_CS_S] = READER_XML_PATH_S};
	struct reader_xml_scope scope = {.kind = kinds[element]};

	if (element == E_CALLSITE || element == E_CS_S) {
		const char *name = attribute(attributes, "p");
		scope.partial = element == E_CALLSITE && name && p->stack.len &&
				p->stack.at[p->stack.len - 1].element == E_CS_PGM &&
				strcmp(name, READER_XML_PARTIAL_PATHS) == 0;
		scope.name = name_of(p, name, NULL);
		scope.file = name_of(p, attribute(attributes, "f"), READER_XML_UNKNOWN_FILE);
		scope.line = line_of(p, "l", attribute(attributes, "l"));
	} else {
		const char *name = own_name(element, attributes);
		const char *id = element == E_S ? attribute(attributes, "id") : NULL;
		scope.name = name_of(p, name, element == E_F ? READER_XML_UNKNOWN_FILE : NULL);
		if (element == E_P)
			scope.linkage_name = name_of(p, attribute(attributes, "ln"), NULL);
		scope.line = line_of(p, "b", attribute(attributes, "b"));
		if (id && strcmp(id, READER_XML_UNKNOWN_LINE) == 0)
			scope.line = 0;
	}
	if (!p->failed && p->sink && p->sink->open)
		heed(p, p->sink->open(p->context, &scope, p->e));
	if (!p->failed && scope.kind >= READER_XML_CALLSITE && attribute(attributes, "c")) {
		if (!p->num_metrics)
			fail(p, ERROR_FORMAT, "expected a METRIC for the values in c, found none");
		else
			give_value(p, 0, "c", attribute(attributes, "c"));
	}
}

/* The element with this name that is allowed in the innermost one. If two elements have the name,
 * the enclosing element selects one. */
static enum element find(struct parse *p, const char *name)
{
	const struct open_element *around = &p->stack.at[p->stack.len - 1];
	bool known = false;
	enum element element = reader_xml_find_element((enum element)around->scope, name, &known);

	if (element != E_DOCUMENT)
		return element;
	if (known)
		fail(p, ERROR_FORMAT, "%.60s is not allowed in %s", name,
		     reader_xml_elements[around->element].name);
	else if (around->element == E_DOCUMENT)
		fail(p, ERROR_FORMAT, "expected PROFILE or CSPROFILE, found %.60s", name);
	else
		fail(p, ERROR_FORMAT, "no element of a PROFILE or CSPROFILE is named %.60s", name);
	return E_DOCUMENT;
}

/* Check that required elements were read before this one, and that it is not repeated. */
static void check_order(struct parse *p, enum element element)
{
	if (reader_xml_elements[element].once && (p->seen & IN(element)))
		fail(p, ERROR_FORMAT, "expected one %s, found a second",
		     reader_xml_elements[element].name);
	else if ((element == E_TREE || element == E_CS_TREE) && !(p->seen & IN(E_METRICS)))
		fail(p, ERROR_FORMAT, "expected METRICS before %s, found none",
		     reader_xml_elements[element].name);
	p->seen |= IN(element);
}

static void push(struct parse *p, enum element element)
{
	struct open_element open = {.element = (uint8_t)element, .scope = (uint8_t)element};

	if (element == E_G)
		open.scope = p->stack.at[p->stack.len - 1].scope;
	if (p->stack.len > READER_XML_DEEPEST)
		fail(p, ERROR_LIMIT, "expected at most %d nested elements, found more",
		     READER_XML_DEEPEST);
	else if (!vec_push(&p->stack, open))
		fail_memory(p, p->stack.len * sizeof open);
}

static void XMLCALL start(void *context, const char *name, const char **attributes)
{
	struct parse *p = context;
	const char *const *a = (const char *const *)attributes;
	enum element element;

	if (p->failed)
		return;
	p->num_texts = 0;
	element = find(p, name);
	if (!p->failed)
		check_order(p, element);
	if (p->failed)
		return;
	if (element == E_PROFILE || element == E_CSPROFILE)
		start_root(p, element, a);
	else if (element == E_TARGET)
		start_target(p, a);
	else if (element == E_METRIC)
		start_metric(p, a);
	else if (element == E_M)
		start_value(p, a);
	else if (element_is_scope(element))
		start_scope(p, element, a);
	if (!p->failed)
		push(p, element);
}

static void XMLCALL end(void *context, const char *name)
{
	struct parse *p = context;
	enum element element;

	(void)name;
	if (p->failed)
		return;
	element = (enum element)p->stack.at[--p->stack.len].element;
	if (element_is_scope(element) && p->sink && p->sink->close)
		heed(p, p->sink->close(p->context, p->e));
	if ((element == E_PROFILE && !(p->seen & IN(E_TREE))) ||
	    (element == E_CSPROFILE && !(p->seen & IN(E_CS_TREE))))
		fail(p, ERROR_FORMAT, "expected a %s, found none",
		     reader_xml_elements[element == E_PROFILE ? E_TREE : E_CS_TREE].name);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void XMLCALL text(void *context, const char *s, int n)
{
	struct parse *p = context;
	enum element around;

	if (p->failed)
		return;
	around = (enum element)p->stack.at[p->stack.len - 1].element;
	if (around == E_HEADER || around == E_CS_HEADER)
		return;
	for (int i = 0; i < n; i++)
		if (!is_blank(s[i])) {
			fail(p, ERROR_FORMAT, "expected elements in %s, found text",
			     reader_xml_elements[around].name);
			return;
		}
}

/* ---- the document type ----------------------------------------------------------- */

static void XMLCALL entity(void *context, const XML_Char *name, int is_parameter,
			   const XML_Char *value, int n, const XML_Char *base,
			   const XML_Char *system_id, const XML_Char *public_id,
			   const XML_Char *notation)
{
	(void)value;
	(void)n;
	(void)base;
	(void)system_id;
	(void)public_id;
	(void)notation;
	/* parameter entities are never read: see XML_SetParamEntityParsing */
	if (!is_parameter)
		fail(context, ERROR_FORMAT,
		     "expected no entity declarations, found %.60s (replace it by its text)", name);
}

static void XMLCALL skipped(void *context, const XML_Char *name, int is_parameter)
{
	if (!is_parameter)
		fail(context, ERROR_FORMAT, "expected only the entities of XML, found &%.60s;",
		     name);
}

static void XMLCALL attlist(void *context, const XML_Char *element, const XML_Char *name,
			    const XML_Char *type, const XML_Char *value, int is_required)
{
	struct parse *p = context;

	(void)element;
	(void)name;
	(void)type;
	(void)is_required;
	if (value)
		p->defaults += sizeof value + strlen(value);
	if (++p->attlists > READER_XML_MOST_ATTLISTS)
		fail(p, ERROR_LIMIT, "expected at most %d attributes to be declared, found more",
		     READER_XML_MOST_ATTLISTS);
	else if (p->defaults > READER_XML_MOST_DEFAULTS)
		fail(p, ERROR_LIMIT,
		     "expected at most %d bytes in the defaults of attributes, found more",
		     READER_XML_MOST_DEFAULTS);
}

/* ---- reading ----------------------------------------------------------------------- */

static int begin(struct parse *p, const struct reader_xml_sink *sink, void *context,
		 struct error *e)
{
	memset(p, 0, sizeof *p);
	p->sink = sink;
	p->context = context;
	p->e = e;
	p->short_names = strings_create();
	p->parser = XML_ParserCreate(NULL);
	if (!p->short_names || !p->parser ||
	    !vec_push(&p->stack, (struct open_element){E_DOCUMENT, E_DOCUMENT}))
		return error_memory(e, sizeof *p);
	XML_SetUserData(p->parser, p);
	XML_SetElementHandler(p->parser, start, end);
	XML_SetCharacterDataHandler(p->parser, text);
	XML_SetEntityDeclHandler(p->parser, entity);
	XML_SetSkippedEntityHandler(p->parser, skipped);
	XML_SetAttlistDeclHandler(p->parser, attlist);
	XML_SetParamEntityParsing(p->parser, XML_PARAM_ENTITY_PARSING_NEVER);
	return 0;
}

static void finish(struct parse *p)
{
	if (p->parser)
		XML_ParserFree(p->parser);
	strings_destroy(p->short_names);
	vec_free(&p->stack);
	for (size_t i = 0; i < sizeof p->texts / sizeof *p->texts; i++)
		vec_free(&p->texts[i]);
}

/* Check Expat's result after each part of the file. fed: bytes of the file so far. */
static int check(struct parse *p, enum XML_Status status, uint64_t fed)
{
	XML_Index at = XML_GetCurrentByteIndex(p->parser);

	if (p->failed)
		return -1;
	if (status != XML_STATUS_OK) {
		enum XML_Error code = XML_GetErrorCode(p->parser);
		if (code == XML_ERROR_NO_MEMORY)
			fail_memory(p, CHUNK);
		else
			fail(p, ERROR_FORMAT, "expected well-formed XML, found: %s",
			     XML_ErrorString(code));
		return -1;
	}
	/* bytes that were not reported yet are one token without an end */
	if (fed - (at > 0 ? (uint64_t)at : 0) > READER_XML_LONGEST_TAG) {
		fail(p, ERROR_LIMIT,
		     "expected tags and texts of at most %d bytes, found a longer one",
		     READER_XML_LONGEST_TAG);
		return -1;
	}
	return 0;
}

static int read_all(struct parse *p, int fd)
{
	uint64_t fed = 0;
	ssize_t n;

	do {
		void *buffer = XML_GetBuffer(p->parser, CHUNK);
		if (!buffer)
			return error_memory(p->e, CHUNK);
		do
			n = read(fd, buffer, CHUNK);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return error_system(p->e, "cannot be read");
		fed += (uint64_t)n;
		if (check(p, XML_ParseBuffer(p->parser, (int)n, n == 0), fed) != 0)
			return -1;
	} while (n > 0);
	return 0;
}

int reader_xml_read(const char *path, const struct reader_xml_sink *sink, void *context,
		    struct error *e)
{
	struct parse p;
	struct stat st;
	int fd = regular_file_open(path, &st, e), rc;

	if (fd < 0)
		return -1;
	rc = begin(&p, sink, context, e);
	if (rc == 0)
		rc = read_all(&p, fd);
	finish(&p);
	close(fd);
	return rc;
}

int reader_xml_read_memory(const void *bytes, size_t n, const struct reader_xml_sink *sink,
			   void *context, struct error *e)
{
	struct parse p;
	size_t fed = 0;
	int rc = begin(&p, sink, context, e);

	while (rc == 0) {
		size_t part = n - fed < CHUNK ? n - fed : CHUNK;
		enum XML_Status status =
		    XML_Parse(p.parser, (const char *)bytes + fed, (int)part, part == 0);
		fed += part;
		rc = check(&p, status, fed);
		if (!part)
			break;
	}
	finish(&p);
	return rc;
}

bool reader_xml_is(const char *path)
{
	static const char *const marks[] = {"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"};
	struct stat st;
	int fd = regular_file_open(path, &st, NULL);
	char head[256];
	ssize_t n, i = 0;

	if (fd < 0)
		return false;
	n = read(fd, head, sizeof head - 1);
	close(fd);
	if (n <= 0)
		return false;
	head[n] = '\0';
	for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
		if (strncmp(head, marks[k], strlen(marks[k])) == 0)
			return true;
	/* UTF-16 without a mark has a NUL on one side of it */
	while (i < n && (is_blank(head[i]) || !head[i]))
		i++;
	return i < n && head[i] == '<';
}
