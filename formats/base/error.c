#include "formats/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void fill(struct error *e, enum error_kind kind, const char *format, va_list ap)
{
	e->kind = kind;
	e->sys_errno = 0;
	e->offset = 0;
	vsnprintf(e->text, sizeof e->text, format, ap);
}

int error_set(struct error *e, enum error_kind kind, const char *format, ...)
{
	if (e) {
		va_list ap;
		va_start(ap, format);
		fill(e, kind, format, ap);
		va_end(ap);
	}
	return -1;
}

int error_system(struct error *e, const char *format, ...)
{
	int saved = errno;
	if (e) {
		va_list ap;
		va_start(ap, format);
		fill(e, ERROR_SYSTEM, format, ap);
		va_end(ap);
		size_t used = strlen(e->text);
		snprintf(e->text + used, sizeof e->text - used, ": %s", strerror(saved));
		e->sys_errno = saved;
	}
	errno = saved;
	return -1;
}

int error_format(struct error *e, uint64_t offset, const char *expected, const char *found, ...)
{
	if (e) {
		char detail[256];
		va_list ap;
		va_start(ap, found);
		vsnprintf(detail, sizeof detail, found, ap);
		va_end(ap);
		error_set(e, ERROR_FORMAT, "offset %llu: expected %s, found %s",
			  (unsigned long long)offset, expected, detail);
		e->offset = offset;
	}
	return -1;
}

int error_writing(struct error *e)
{
	int saved = errno;
	bool full = saved == ENOSPC || saved == EDQUOT || saved == EFBIG;
	struct error plain;

	error_system(&plain, "cannot be written");
	error_set(e, ERROR_SYSTEM, "%s (%s)", plain.text,
		  full ? "free some space there, or choose another place"
		       : "choose another place, or change permissions");
	if (e)
		e->sys_errno = saved;
	errno = saved;
	return -1;
}
