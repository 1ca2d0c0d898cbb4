#include "reader/xml_elements.h"

#include <string.h>

#define SCOPES (IN(E_PGM) | IN(E_LM) | IN(E_F) | IN(E_P) | IN(E_L) | IN(E_S) | IN(E_G))

/* The scopes of a PROFILE are nested in this order, and any may be omitted. A G counts as the scope
 * around it, which determines what is allowed in it. */
const struct element_description reader_xml_elements[NUM_ELEMENTS] = {
    [E_DOCUMENT] = {"the document", 0, false},
    [E_PROFILE] = {"PROFILE", IN(E_DOCUMENT), true},
    [E_CSPROFILE] = {"CSPROFILE", IN(E_DOCUMENT), true},
    [E_HEADER] = {"PROFILEHDR", IN(E_PROFILE), true},
    [E_CS_HEADER] = {"CSPROFILEHDR", IN(E_CSPROFILE), true},
    [E_PARAMS] = {"PROFILEPARAMS", IN(E_PROFILE), true},
    [E_CS_PARAMS] = {"CSPROFILEPARAMS", IN(E_CSPROFILE), true},
    [E_TARGET] = {"TARGET", IN(E_PARAMS) | IN(E_CS_PARAMS), true},
    [E_METRICS] = {"METRICS", IN(E_PARAMS) | IN(E_CS_PARAMS), true},
    [E_METRIC] = {"METRIC", IN(E_METRICS), false},
    [E_TREE] = {"PROFILESCOPETREE", IN(E_PROFILE), true},
    [E_CS_TREE] = {"CSPROFILETREE", IN(E_CSPROFILE), true},
    [E_PGM] = {"PGM", IN(E_TREE), false},
    [E_LM] = {"LM", IN(E_PGM), false},
    [E_F] = {"F", IN(E_PGM) | IN(E_LM), false},
    [E_P] = {"P", IN(E_PGM) | IN(E_LM) | IN(E_F), false},
    [E_L] = {"L", IN(E_PGM) | IN(E_LM) | IN(E_F) | IN(E_P) | IN(E_L), false},
    [E_S] = {"S", IN(E_PGM) | IN(E_LM) | IN(E_F) | IN(E_P) | IN(E_L), false},
    [E_G] = {"G", IN(E_PGM) | IN(E_LM) | IN(E_F) | IN(E_P) | IN(E_L), false},
    [E_CS_PGM] = {"PGM", IN(E_CS_TREE), false},
    [E_CALLSITE] = {"CALLSITE", IN(E_CS_PGM) | IN(E_CALLSITE), false},
    [E_CS_S] = {"S", IN(E_CS_PGM) | IN(E_CALLSITE), false},
    [E_M] = {"M", SCOPES | IN(E_CS_PGM) | IN(E_CALLSITE) | IN(E_CS_S), false},
};

const char *const reader_xml_versions[NUM_ELEMENTS] = {[E_PROFILE] = "3.", [E_CSPROFILE] = "1."};

enum element reader_xml_find_element(enum element around, const char *name, bool *known)
{
	*known = false;
	for (int i = E_PROFILE; i < NUM_ELEMENTS; i++) {
		if (reader_xml_elements[i].name[0] != name[0] ||
		    strcmp(reader_xml_elements[i].name, name) != 0)
			continue;
		*known = true;
		if (reader_xml_elements[i].parents & IN(around))
			return (enum element)i;
	}
	return E_DOCUMENT;
}
