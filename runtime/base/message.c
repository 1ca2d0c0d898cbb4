#include "runtime/base/message.h"

#include "formats/encode.h"
#include "runtime/base/options.h"
#include "runtime/os/os.h"

#include <string.h>

/* Standard error at the start; fd is -1: there is none. */
static struct os_file errors = {.fd = -1};

void csprof_message_start(void)
{
	os_file_of(2, &errors);
}

struct line {
	char text[512];
	size_t n;
};

static void add(struct line *l, const char *s)
{
	size_t n = strlen(s), room = sizeof l->text - 2 - l->n;
	if (n > room)
		n = room;
	memcpy(l->text + l->n, s, n);
	l->n += n;
}

static void add_number(struct line *l, int64_t v)
{
	char digits[24];
	if (v < 0)
		add(l, "-");
	unsigned n = csp_format_u64(digits, v < 0 ? -(uint64_t)v : (uint64_t)v);
	digits[n] = '\0';
	add(l, digits);
}

void csprof_say(enum csprof_topic topic, const char *text, const char *detail, int64_t number)
{
	if (topic != CSPROF_SAY_ALWAYS && !(csprof_options.verbose & topic))
		return;
	if (errors.fd < 0 || !os_file_is_open(&errors))
		return;
	struct line l = {.n = 0};
	add(&l, "hpcrun: [");
	add_number(&l, os_pid());
	add(&l, "] ");
	add(&l, text);
	if (detail) {
		add(&l, " ");
		add(&l, detail);
	}
	if (number != INT64_MIN) {
		add(&l, " ");
		add_number(&l, number);
	}
	l.text[l.n++] = '\n';
	os_write(2, l.text, l.n);
}
