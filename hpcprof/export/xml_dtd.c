/* The DTDs of share/hpcprof. A PROFILE contains the same DTD that is installed. */
#include "hpcprof/export/xml.h"

#include "formats/base/embed.h"

EMBED_FILE(xml_profile_dtd, "share/hpcprof/profile.dtd");
EMBED_FILE(xml_csprofile_dtd, "share/hpcprof/csprofile.dtd");
