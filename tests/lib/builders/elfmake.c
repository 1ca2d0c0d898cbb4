#include "tests/lib/builders/elfmake.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[PATH_MAX];

/* Without cmocka, because fuzz targets use this too. */
static void demand(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "# elfmake: %s\n", what);
	abort();
}

const char *elfmake_folder(void)
{
	if (!folder[0]) {
		const char *tmp = getenv("TMPDIR");
		snprintf(folder, sizeof folder, "%s/symbolize.XXXXXX", tmp ? tmp : "/tmp");
		demand(mkdtemp(folder), "no temporary folder");
		/* The compiler and nm may use a folder's path with symbolic links resolved. */
		char real[PATH_MAX];
		demand(realpath(folder, real), folder);
		memcpy(folder, real, sizeof folder);
	}
	return folder;
}

void elfmake_clean(void)
{
	char command[PATH_MAX + 16];
	if (!folder[0])
		return;
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	if (system(command) != 0)
		fprintf(stderr, "# %s stays behind\n", folder);
	folder[0] = 0;
}

static const char *data_folder(void)
{
	static char path[PATH_MAX];
	const char *data = getenv("TAP_DATA");
	demand(realpath(data ? data : "tests/data", path), "no test data; run from the top folder");
	return path;
}

static void shell_command(char *out, size_t size, const char *format, va_list args)
{
	int n = snprintf(out, size, "cd '%s' && data='%s/symbolize' && export LC_ALL=C && { ",
			 elfmake_folder(), data_folder());
	n += vsnprintf(out + n, size - (size_t)n, format, args);
	demand((size_t)n + 32 < size, "a command is too long");
}

static bool run(const char *format, va_list args)
{
	char command[3 * PATH_MAX];
	shell_command(command, sizeof command, format, args);
	strcat(command, "; } >log 2>&1");
	return system(command) == 0;
}

bool elfmake_try(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	bool good = run(format, args);
	va_end(args);
	return good;
}

void elfmake_run(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	bool good = run(format, args);
	va_end(args);
	if (!good) {
		FILE *log = fopen(elfmake_path("log"), "r");
		for (int c; log && (c = getc(log)) != EOF;)
			putc(c, stderr);
	}
	demand(good, format);
}

bool elfmake_have(const char *command)
{
	return elfmake_try("command -v %s", command);
}

const char *elfmake_path(const char *format, ...)
{
	static char paths[8][2 * PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 8];
	va_list args;
	va_start(args, format);
	int n = snprintf(path, sizeof paths[0], "%s/", elfmake_folder());
	vsnprintf(path + n, sizeof paths[0] - (size_t)n, format, args);
	va_end(args);
	return path;
}

const char *elfmake_output(const char *format, ...)
{
	static char line[4096];
	char command[3 * PATH_MAX];
	va_list args;
	va_start(args, format);
	shell_command(command, sizeof command, format, args);
	va_end(args);
	strcat(command, "; } 2>/dev/null");
	FILE *f = popen(command, "r");
	demand(f, "popen failed");
	line[0] = 0;
	if (fgets(line, sizeof line, f))
		line[strcspn(line, "\n")] = 0;
	char rest[4096];
	while (fgets(rest, sizeof rest, f))
		;
	pclose(f);
	return line;
}

uint64_t elfmake_symbol(const char *file, const char *symbol)
{
	const char *text =
	    elfmake_output("nm '%s' | awk '$3 == \"%s\" { print $1 }'", file, symbol);
	char *end;
	uint64_t value = strtoull(text, &end, 16);
	if (end == text)
		fprintf(stderr, "# no symbol %s in:\n", symbol);
	demand(end != text, file);
	return value;
}

unsigned elfmake_line(const char *data_file, const char *text)
{
	const char *out = elfmake_output("grep -n '%s' $data/%s", text, data_file);
	unsigned line = (unsigned)strtoul(out, NULL, 10);
	demand(line, text);
	return line;
}

const char *elfmake_build_id(const char *file)
{
	const char *id = elfmake_output("readelf -n '%s' | sed -n 's/.*Build ID: //p'", file);
	demand(strlen(id) >= 16, file);
	return id;
}
