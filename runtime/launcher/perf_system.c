#include "runtime/launcher/perf_system.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEVICES "/sys/bus/event_source/devices"

/* Where the kernel may show its tracepoints. */
static const char *const tracepoints[] = {"/sys/kernel/tracing/events",
					  "/sys/kernel/debug/tracing/events"};
enum { PLACES = sizeof tracepoints / sizeof *tracepoints, WORD_BYTES = 128 };

__attribute__((format(printf, 2, 3))) static int fail(char why[LAUNCH_WHY_BYTES],
						      const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(why, LAUNCH_WHY_BYTES, format, args);
	va_end(args);
	return -1;
}

/* The first line of the file at that path. False: it cannot be read. */
__attribute__((format(printf, 3, 4))) static bool read_line(char *out, size_t size,
							    const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(path, sizeof path, format, args);
	va_end(args);
	int fd = n < (int)sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return false;
	ssize_t got = read(fd, out, size - 1);
	close(fd);
	if (got < 0)
		return false;
	out[got] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return true;
}

static bool parse_number(const char *text, int base, uint64_t *out)
{
	char *end;
	errno = 0;
	*out = strtoull(text, &end, base);
	return isalnum((unsigned char)*text) && !*end && errno == 0;
}

/* A part of a path: nothing that leads elsewhere. */
static bool is_word(const char *text)
{
	return *text && *text != '.' && !strchr(text, '/');
}

/* ---- PMU/TERMS/ ------------------------------------------------------------------------ */

/* Put value into the bits that a description such as "config:0-7,32-35" names. */
static bool put_bits(const char *bits, uint64_t value, struct os_perf_kind *kind)
{
	static const char config[] = "config";
	uint64_t *fields[] = {&kind->config, &kind->config1, &kind->config2};
	if (strncmp(bits, config, sizeof config - 1) != 0)
		return false;
	const char *p = bits + sizeof config - 1;
	size_t which = *p >= '1' && *p <= '2' ? (size_t)(*p++ - '0') : 0;
	if (*p != ':')
		return false;
	while (*p == ':' || *p == ',') {
		char *end;
		unsigned long low = strtoul(p + 1, &end, 10), high = low;
		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (high < low || high > 63)
			return false;
		unsigned width = (unsigned)(high - low) + 1;
		uint64_t mask = width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
		*fields[which] = (*fields[which] & ~(mask << low)) | (value & mask) << low;
		value = width < 64 ? value >> width : 0;
		p = end;
	}
	return !*p && value == 0;
}

struct pmu {
	const char *root, *name;
	char *why;
};

static int put_terms(const struct pmu *pmu, const char *terms, bool nested,
		     struct os_perf_kind *kind);

static int put_term(const struct pmu *pmu, const char *term, const char *value, bool nested,
		    struct os_perf_kind *kind)
{
	char line[WORD_BYTES];
	uint64_t number = 1;
	if (value && strcmp(term, "name") == 0) /* the user's own, for reports */
		return 0;
	if (!is_word(term))
		return fail(pmu->why, "expected TERM=NUMBER between the slashes");
	if (value && !parse_number(value, 0, &number))
		return fail(pmu->why, "the value of '%s' is not a number", term);
	if (value && strncmp(term, "config", 6) == 0 &&
	    (!term[6] || ((term[6] == '1' || term[6] == '2') && !term[7]))) {
		*(term[6] == '1'   ? &kind->config1
		  : term[6] == '2' ? &kind->config2
				   : &kind->config) = number;
		return 0;
	}
	if (read_line(line, sizeof line, "%s" DEVICES "/%s/format/%s", pmu->root, pmu->name, term))
		return put_bits(line, number, kind)
			   ? 0
			   : fail(pmu->why, "'%s' of PMU '%s' cannot have that value", term,
				  pmu->name);
	if (!value && !nested &&
	    read_line(line, sizeof line, "%s" DEVICES "/%s/events/%s", pmu->root, pmu->name, term))
		return put_terms(pmu, line, true, kind);
	return fail(pmu->why, "PMU '%s' has no event or term '%s' (hpcrun -L lists its events)",
		    pmu->name, term);
}

static int put_terms(const struct pmu *pmu, const char *terms, bool nested,
		     struct os_perf_kind *kind)
{
	char copy[WORD_BYTES * 2], *save;
	if (strlen(terms) >= sizeof copy)
		return fail(pmu->why, "too many terms");
	memcpy(copy, terms, strlen(terms) + 1);
	for (char *term = strtok_r(copy, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		char *value = strchr(term, '=');
		if (value)
			*value++ = '\0';
		if (put_term(pmu, term, value, nested, kind) < 0)
			return -1;
	}
	return 0;
}

/* slash: the first one in name. */
static int pmu_kind(const char *root, const char *name, const char *slash,
		    struct os_perf_kind *kind, char why[LAUNCH_WHY_BYTES])
{
	char pmu_name[WORD_BYTES], terms[WORD_BYTES * 2], line[WORD_BYTES];
	struct pmu pmu = {.root = root, .name = pmu_name, .why = why};
	size_t length = strlen(slash + 1);
	uint64_t type;
	if (length == 0 || slash[length] != '/' || length > sizeof terms)
		return fail(why, "expected PMU/TERM=NUMBER,.../");
	snprintf(pmu_name, sizeof pmu_name, "%.*s", (int)(slash - name), name);
	snprintf(terms, sizeof terms, "%.*s", (int)length - 1, slash + 1);
	if (!is_word(pmu_name) ||
	    !read_line(line, sizeof line, "%s" DEVICES "/%s/type", root, pmu_name) ||
	    !parse_number(line, 10, &type) || type > UINT32_MAX)
		return fail(why, "this machine has no PMU '%s' (see " DEVICES ")", pmu_name);
	kind->type = (uint32_t)type;
	return put_terms(&pmu, terms, false, kind) < 0 ? -1 : 1;
}

/* ---- tracepoints ----------------------------------------------------------------------- */

/* The directory with them, or NULL and, if they are there but not to be read, *hidden. */
static const char *tracing(const char *root, bool *hidden)
{
	*hidden = false;
	for (size_t i = 0; i < PLACES; i++) {
		char path[PATH_MAX];
		snprintf(path, sizeof path, "%s%s", root, tracepoints[i]);
		if (access(path, R_OK | X_OK) == 0)
			return tracepoints[i];
		*hidden |= errno == EACCES;
	}
	return NULL;
}

static int no_tracing(bool hidden, char why[LAUNCH_WHY_BYTES])
{
	return hidden ? fail(why, "only root can read the list of tracepoints here; run it as "
				  "root, or make /sys/kernel/tracing readable")
		      : fail(why, "the list of tracepoints is not mounted; as root: mount -t "
				  "tracefs nodev /sys/kernel/tracing");
}

static int tracepoint_kind(const char *root, const char *name, const char *colon,
			   struct os_perf_kind *kind, char why[LAUNCH_WHY_BYTES])
{
	char system[WORD_BYTES], line[WORD_BYTES];
	bool hidden;
	const char *place = tracing(root, &hidden);
	snprintf(system, sizeof system, "%.*s", (int)(colon - name), name);
	if (!is_word(system) || !is_word(colon + 1))
		return 0;
	if (!place)
		return no_tracing(hidden, why);
	if (!read_line(line, sizeof line, "%s%s/%s/%s/id", root, place, system, colon + 1) ||
	    !parse_number(line, 10, &kind->config))
		return fail(why, "this kernel has no such tracepoint (see %s)", place);
	kind->type = PERF_TYPE_TRACEPOINT;
	return 1;
}

int launch_perf_kind(const char *root, const char *name, struct os_perf_kind *kind,
		     char why[LAUNCH_WHY_BYTES])
{
	const char *slash = strchr(name, '/'), *colon = strchr(name, ':');
	if (slash)
		return pmu_kind(root, name, slash, kind, why);
	if (colon)
		return tracepoint_kind(root, name, colon, kind, why);
	if (*name != 'r' || name[1 + strspn(name + 1, "0123456789abcdefABCDEF")] ||
	    !parse_number(name + 1, 16, &kind->config))
		return 0;
	kind->type = PERF_TYPE_RAW;
	return 1;
}

bool launch_perf_in_kernel(const struct os_perf_kind *kind)
{
	return kind->type == PERF_TYPE_TRACEPOINT ||
	       (kind->type == PERF_TYPE_SOFTWARE &&
		(kind->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		 kind->config == PERF_COUNT_SW_CPU_MIGRATIONS));
}

/* ---- permission ------------------------------------------------------------------------ */

/* As the driver opens it (os_perf_open); period 0: only to count. 0 or errno. */
static int try_count(const struct os_perf_kind *kind, uint64_t period)
{
	struct perf_event_attr a;
	memset(&a, 0, sizeof a);
	a.size = sizeof a;
	a.type = kind->type;
	a.config = kind->config;
	a.config1 = kind->config1;
	a.config2 = kind->config2;
	a.exclude_kernel = kind->no_kernel;
	a.exclude_user = kind->no_user;
	a.sample_period = period;
	a.sample_type = PERF_SAMPLE_IP;
	a.disabled = 1;
	a.exclude_hv = period != 0; /* what cannot be sampled often has no modes either */
	long fd = syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

static int try_open(const struct os_perf_kind *kind)
{
	return try_count(kind, INT32_MAX);
}

static bool is_hardware(uint32_t type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

static void say_refused(const char *root, const struct os_perf_kind *kind, int code, char *why)
{
	static const struct os_perf_kind plain = {
	    .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .no_kernel = true};
	char line[WORD_BYTES];
	long level = 0;
	if (read_line(line, sizeof line, "%s/proc/sys/kernel/perf_event_paranoid", root))
		level = strtol(line, NULL, 10);
	if (code == ENOSYS || try_open(&plain) == ENOSYS)
		fail(why, "perf_event_open(2) is not there: this kernel has no performance events, "
			  "or a filter of system calls forbids them");
	else if (try_open(&plain) == 0 && !kind->no_kernel)
		fail(why,
		     "perf_event_paranoid is %ld, so this user cannot count what happens in the "
		     "kernel; %sas root: sysctl kernel.perf_event_paranoid=1",
		     level,
		     launch_perf_in_kernel(kind) || kind->no_user
			 ? ""
			 : "add :u to count what happens outside of it, or ");
	else if (level > 2)
		fail(why,
		     "perf_event_paranoid is %ld, which allows only root; as root: sysctl "
		     "kernel.perf_event_paranoid=2",
		     level);
	else
		fail(why, "performance events are forbidden here, as in most containers; start the "
			  "container with --cap-add PERFMON and a seccomp profile that allows "
			  "perf_event_open");
}

bool launch_perf_allowed(const char *root, const struct os_perf_kind *kind,
			 char why[LAUNCH_WHY_BYTES])
{
	static const struct os_perf_kind cycles = {
	    .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .no_kernel = true};
	int code = try_open(kind);
	why[0] = '\0';
	if (code == 0)
		return true;
	if (code == EACCES || code == EPERM || code == ENOSYS)
		say_refused(root, kind, code, why);
	else if (is_hardware(kind->type) && try_open(&cycles) != 0)
		fail(why, "this machine shows no hardware counters, like most virtual machines");
	else if (is_hardware(kind->type))
		fail(why, "this CPU does not count it");
	else if (try_count(kind, 0) == 0)
		fail(why, "it can be counted, but not sampled: nothing interrupts the program when "
			  "it has come");
	else if (code == EMFILE || code == ENFILE)
		fail(why, "no descriptor is left; see ulimit -n");
	else
		fail(why, "the kernel cannot sample it (%s)", strerror(code));
	return false;
}

/* ---- lists ----------------------------------------------------------------------------- */

static int not_dots(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* For the entries of a directory, or of those that its entries have under `below`. */
static long each_under(const char *path, const char *below, const char *format,
		       launch_perf_each *each, void *what)
{
	struct dirent **outer, **inner;
	long total = 0;
	int n = scandir(path, &outer, not_dots, alphasort);
	for (int i = 0; i < n; i++) {
		char place[PATH_MAX], name[2 * NAME_MAX + 3];
		snprintf(place, sizeof place, "%s/%s%s", path, outer[i]->d_name, below);
		int m = scandir(place, &inner, not_dots, alphasort);
		for (int k = 0; k < m; k++) {
			const char *entry = inner[k]->d_name;
			char id[PATH_MAX + NAME_MAX + 8];
			snprintf(id, sizeof id, "%s/%s/id", place, entry);
			/* a unit and a scale of an event are no events, nor are other files */
			bool is_event = *below ? !strchr(entry, '.') : access(id, F_OK) == 0;
			snprintf(name, sizeof name, format, outer[i]->d_name, entry);
			if (is_event && each)
				each(what, name);
			total += is_event;
			free(inner[k]);
		}
		if (m >= 0)
			free(inner);
		free(outer[i]);
	}
	if (n >= 0)
		free(outer);
	return total;
}

long launch_perf_pmu_events(const char *root, launch_perf_each *each, void *what)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s" DEVICES, root);
	return each_under(path, "/events", "%s/%s/", each, what);
}

long launch_perf_tracepoints(const char *root, launch_perf_each *each, void *what)
{
	char path[PATH_MAX];
	bool hidden;
	const char *place = tracing(root, &hidden);
	if (!place)
		return -1;
	snprintf(path, sizeof path, "%s%s", root, place);
	return each_under(path, "", "%s:%s", each, what);
}
