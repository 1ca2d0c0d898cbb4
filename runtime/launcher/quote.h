/* Words of a shell. */
#ifndef RUNTIME_LAUNCHER_QUOTE_H
#define RUNTIME_LAUNCHER_QUOTE_H

#include <stddef.h>

/* Room for a word of n bytes. */
#define LAUNCH_QUOTED_BYTES(n) (4 * (n) + 4)

/* Write a word so that bash reads it as it is and a terminal can show it: quoted if need be, and
 * what it must not get (utf8_is_harmful) as escapes. out has room for
 * LAUNCH_QUOTED_BYTES(strlen(word)). Returns out.
 */
char *launch_quote(char *out, const char *word);

#endif
