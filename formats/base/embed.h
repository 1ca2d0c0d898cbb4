/* Files of the source folder as strings in the program, for files that are also installed. */
#ifndef FORMATS_BASE_EMBED_H
#define FORMATS_BASE_EMBED_H

/* Define `const char name[]`, hidden, with the bytes of file and a NUL. The caller declares it.
 * file is relative to the folder in which make runs. The assembler reads it, so the compiler
 * does not list it as a dependency: the Makefile does. */
#define EMBED_FILE(name, file)                                                                     \
	__asm__(".pushsection .rodata\n"                                                           \
		".global " #name "\n"                                                              \
		".type " #name ", %object\n"                                                       \
		".hidden " #name "\n" #name ":\n"                                                  \
		".incbin \"" file "\"\n"                                                           \
		".L" #name "_end:\n"                                                               \
		".byte 0\n"                                                                        \
		".size " #name ", . - " #name "\n"                                                 \
		".popsection\n")

/* Define `const size_t length`, hidden: the bytes of the file that EMBED_FILE put into name, in the
 * same C file and above, without the NUL. */
#define EMBED_LENGTH(length, name)                                                                 \
	__asm__(".pushsection .rodata\n"                                                           \
		".balign 8\n"                                                                      \
		".global " #length "\n"                                                            \
		".type " #length ", %object\n"                                                     \
		".hidden " #length "\n" #length ":\n"                                              \
		".quad .L" #name "_end - " #name "\n"                                              \
		".size " #length ", 8\n"                                                           \
		".popsection\n")

#endif
