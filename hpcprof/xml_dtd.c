/* The DTDs as they stand in share/hpcprof, NUL-terminated. The assembler takes the
 * files in, so that what is written into a PROFILE is what is installed. */
#include "hpcprof/xml.h"

#define TAKE_IN(name, file)                                                                        \
	__asm__(".pushsection .rodata\n"                                                           \
		".global " #name "\n"                                                              \
		".type " #name ", %object\n" #name ":\n"                                           \
		".incbin \"" file "\"\n"                                                           \
		".byte 0\n"                                                                        \
		".size " #name ", . - " #name "\n"                                                 \
		".popsection\n")

TAKE_IN(xml_profile_dtd, "share/hpcprof/profile.dtd");
TAKE_IN(xml_csprofile_dtd, "share/hpcprof/csprofile.dtd");
