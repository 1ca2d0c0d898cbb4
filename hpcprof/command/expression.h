/* Extended regular expressions (POSIX) in options. */
#ifndef HPCPROF_COMMAND_EXPRESSION_H
#define HPCPROF_COMMAND_EXPRESSION_H

#include "formats/base/error.h"

#include <regex.h>

/* regcomp, without subexpressions; free *to with regfree. 0, or -1 and *e (ERROR_USAGE), which
 * names the option. */
int expression_compile(regex_t *to, const char *option, const char *text, struct error *e);

/* Whether text can be compiled. 0, or -1 and *e. */
int expression_check(const char *option, const char *text, struct error *e);

#endif
