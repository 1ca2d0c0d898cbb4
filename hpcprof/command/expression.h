/* Extended regular expressions (POSIX) in options. */
#ifndef HPCPROF_COMMAND_EXPRESSION_H
#define HPCPROF_COMMAND_EXPRESSION_H

#include "formats/base/error.h"

#include <regex.h>

/* The C library recurses over an expression, and copies what is repeated: n++++++++++++++++ takes
 * gigabytes, and more time still if n may match nothing. So one of more than 1000 bytes is refused,
 * and one whose parts are copied more than 20,000 times together, where copies of a part that may
 * match nothing count squared. Beside an anchor it takes twice as long for each loop over what may
 * match nothing, such as (n*)+, of which there may then be 12. */
enum { EXPRESSION_BYTES_MOST = 1000, EXPRESSION_COPIES_MOST = 20000, EXPRESSION_LOOPS_MOST = 12 };

/* NULL, or why it is refused: "repeats its parts too often". */
const char *expression_refused(const char *text);

/* regcomp, without subexpressions; free *to with regfree. 0, or -1 and *e (ERROR_USAGE), which
 * names the option. */
int expression_compile(regex_t *to, const char *option, const char *text, struct error *e);

/* Whether text can be compiled. 0, or -1 and *e. */
int expression_check(const char *option, const char *text, struct error *e);

#endif
