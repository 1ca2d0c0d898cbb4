/* The page before a profile is put into it: share/html/page.html, as it was when the program was
 * built. share/html/README.md describes its markers. */
#ifndef HPCPROF_VIEWS_HTML_TEMPLATE_H
#define HPCPROF_VIEWS_HTML_TEMPLATE_H

#include <stddef.h>

/* UTF-8, without a NUL in it; html_template[html_template_len] is a NUL. */
extern const char html_template[];
extern const size_t html_template_len;

#endif
