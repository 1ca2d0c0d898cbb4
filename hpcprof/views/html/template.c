#include "hpcprof/views/html/template.h"

#include "formats/base/embed.h"

EMBED_FILE(html_template, "share/html/page.html");
EMBED_LENGTH(html_template_len, html_template);
