/* Compiles small ELF files for tests in a folder of their own, and runs binutils on them. Any
 * failure ends the test with abort. */
#ifndef TESTS_LIB_BUILDERS_ELFMAKE_H
#define TESTS_LIB_BUILDERS_ELFMAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A new empty folder for this test program, and its removal at the end. */
const char *elfmake_folder(void);
void elfmake_clean(void);

/* Run a shell command in the folder; $data is the folder of test data. True if its
 * status is 0. Its output goes to the file "log" there. */
bool elfmake_try(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, but any other status ends the test. */
void elfmake_run(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool elfmake_have(const char *command);

/* The path of a file in the folder; valid until 8 calls later. */
const char *elfmake_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The address of a symbol in a file of the folder; there must be one. */
uint64_t elfmake_symbol(const char *file, const char *symbol);

/* The number of the line that contains text in a file of test data. */
unsigned elfmake_line(const char *data_file, const char *text);

/* The build-id of a file in the folder, lower-case hex; valid until the next call. */
const char *elfmake_build_id(const char *file);

/* The first line that a command in the folder prints; valid until the next call. */
const char *elfmake_output(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
