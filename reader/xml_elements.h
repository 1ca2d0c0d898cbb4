/* The elements of PROFILE and CSPROFILE, and where each is allowed. Internal to the XML reader. */
#ifndef READER_XML_ELEMENTS_H
#define READER_XML_ELEMENTS_H

#include <stdbool.h>
#include <stdint.h>

enum element {
	E_DOCUMENT, /* contains the root element */
	E_PROFILE,
	E_CSPROFILE,
	E_HEADER,
	E_CS_HEADER,
	E_PARAMS,
	E_CS_PARAMS,
	E_TARGET,
	E_METRICS,
	E_METRIC,
	E_TREE,
	E_CS_TREE,
	E_PGM,
	E_LM,
	E_F,
	E_P,
	E_L,
	E_S,
	E_G,
	E_CS_PGM,
	E_CALLSITE,
	E_CS_S,
	E_M,
	NUM_ELEMENTS
};

#define IN(element) (UINT32_C(1) << (element))

struct element_description {
	const char *name; /* in the file */
	uint32_t parents; /* where it is allowed, as IN() */
	bool once;        /* a second one is an error */
};
extern const struct element_description reader_xml_elements[NUM_ELEMENTS];

/* The start of the versions that are supported; NULL for an element without a version. */
extern const char *const reader_xml_versions[NUM_ELEMENTS];

/* The element with this name that is allowed in another, which matters if two elements have the
 * name. E_DOCUMENT if there is none; *known: it is allowed elsewhere. */
enum element reader_xml_find_element(enum element around, const char *name, bool *known);

/* A place in the program, which has values. */
static inline bool element_is_scope(enum element element)
{
	return element >= E_PGM && element <= E_CS_S;
}

#endif
