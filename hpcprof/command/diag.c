#include "hpcprof/command/diag.h"

#include "hpcprof/terminal/layout.h"

#include <stdarg.h>
#include <time.h>

#define PROGRESS_AFTER 0.5 /* seconds */

static void say(struct diag *d, const char *subject, const char *format, va_list ap)
{
	struct arena arena;
	char text[1024];
	const char *clean, *name;

	diag_progress_end(d);
	vsnprintf(text, sizeof text, format, ap);
	arena_init(&arena);
	clean = layout_clean(&arena, text);
	name = subject ? layout_clean(&arena, subject) : NULL;
	fprintf(d->out, "hpcprof: %s%s%s\n", name ? name : "", name ? ": " : "",
		clean ? clean : "out of memory");
	arena_deinit(&arena);
}

void diag_problem(struct diag *d, const char *subject, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	say(d, subject, format, ap);
	va_end(ap);
	d->problems++;
}

void diag_notice(struct diag *d, const char *subject, const char *format, ...)
{
	va_list ap;
	if (d->quiet)
		return;
	va_start(ap, format);
	say(d, subject, format, ap);
	va_end(ap);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void diag_progress(struct diag *d, const char *format, ...)
{
	va_list ap;
	if (!d->terminal || d->quiet)
		return;
	if (d->begun == 0)
		d->begun = now();
	if (now() - d->begun < PROGRESS_AFTER)
		return;
	va_start(ap, format);
	fputs("\r\x1b[K", d->out);
	vfprintf(d->out, format, ap);
	fflush(d->out);
	va_end(ap);
	d->progress = true;
}

void diag_progress_end(struct diag *d)
{
	if (d->progress)
		fputs("\r\x1b[K", d->out);
	d->progress = false;
}
