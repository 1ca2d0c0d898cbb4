#include "runtime/attach/target.h"

#include "formats/base/path.h"
#include "formats/store/store.h"
#include "runtime/attach/image.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* ---- mappings ----------------------------------------------------------------------------- */

static bool parse(char *line, struct attach_mapping *m)
{
	unsigned major_number, minor_number;
	char rights[8];
	int path = 0;
	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s %" SCNx64 " %x:%x %" SCNu64 " %n", &m->low,
		   &m->high, rights, &m->offset, &major_number, &minor_number, &m->inode,
		   &path) < 7)
		return false;
	line[strcspn(line, "\n")] = '\0';
	m->device = makedev(major_number, minor_number);
	m->readable = rights[0] == 'r';
	m->writable = rights[1] == 'w';
	m->executable = rights[2] == 'x';
	m->path = path ? line + path : "";
	return true;
}

bool attach_mappings(pid_t pid, bool (*each)(const struct attach_mapping *, void *), void *arg)
{
	char name[64], *line = NULL;
	size_t size = 0;
	struct attach_mapping m;
	snprintf(name, sizeof name, "/proc/%d/maps", (int)pid);
	FILE *f = fopen(name, "re");
	if (!f)
		return false;
	while (getline(&line, &size, f) >= 0)
		if (parse(line, &m) && !each(&m, arg))
			break;
	free(line);
	fclose(f);
	return true;
}

static bool add_to_hash(const struct attach_mapping *m, void *arg)
{
	const uint64_t words[] = {m->low, m->high, m->offset, m->device, m->inode};
	uint64_t *hash = arg;
	for (size_t i = 0; m->executable && m->inode && i < sizeof words / sizeof *words; i++) {
		*hash = (*hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15); /* the golden ratio's */
		*hash ^= *hash >> 32;
	}
	return true;
}

uint64_t attach_modules_hash(pid_t pid)
{
	uint64_t hash = 0;
	attach_mappings(pid, add_to_hash, &hash);
	return hash;
}

struct file_search {
	struct stat st;
	uintptr_t found;
};

static bool look_for_file(const struct attach_mapping *m, void *arg)
{
	struct file_search *s = arg;
	if (m->inode == s->st.st_ino && m->device == s->st.st_dev && m->offset == 0)
		s->found = m->low;
	return !s->found;
}

uintptr_t attach_mapped_at(pid_t pid, const char *path)
{
	struct file_search s = {.found = 0};
	if (stat(path, &s.st) == 0)
		attach_mappings(pid, look_for_file, &s);
	return s.found;
}

struct gap_search {
	size_t bytes;
	uintptr_t end, found; /* of the mapping before */
};

/* The last one that is large enough, but for that into which the main thread's stack grows. */
static bool look_for_gap(const struct attach_mapping *m, void *arg)
{
	struct gap_search *s = arg;
	if (strncmp(m->path, "[stack", strlen("[stack")) == 0)
		return false;
	if (s->end && m->low > s->end && m->low - s->end >= 3 * s->bytes)
		s->found = m->low - 2 * s->bytes;
	s->end = m->high;
	return true;
}

uintptr_t attach_find_gap(pid_t pid, size_t bytes)
{
	struct gap_search s = {.bytes = bytes};
	attach_mappings(pid, look_for_gap, &s);
	return s.found;
}

struct room_search {
	uintptr_t at, end; /* what is not found yet */
};

static bool look_for_place(const struct attach_mapping *m, void *arg)
{
	struct room_search *s = arg;
	if (m->low <= s->at && s->at < m->high && m->readable && m->writable)
		s->at = m->high;
	return s->at < s->end;
}

bool attach_is_mapped(pid_t pid, uintptr_t low, size_t bytes)
{
	struct room_search s = {low, low + bytes};
	return attach_mappings(pid, look_for_place, &s) && s.at >= s.end;
}

/* ---- threads ------------------------------------------------------------------------------ */

size_t attach_threads(pid_t pid, pid_t *out, size_t most)
{
	char name[64];
	size_t n = 1;
	snprintf(name, sizeof name, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(name);
	out[0] = pid;
	for (struct dirent *e; dir && n < most && (e = readdir(dir));) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
		if (tid > 0 && tid != pid)
			out[n++] = tid;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* ---- what /proc tells ----------------------------------------------------------------------- */

struct status {
	char state;
	long group, tracer, user, seccomp, filters;
	bool shadow_stack;
};

static long number_after(const char *text, const char *key)
{
	char line[64];
	snprintf(line, sizeof line, "\n%s:", key);
	const char *at = strstr(text, line);
	return at ? strtol(at + strlen(line), NULL, 10) : -1;
}

static bool read_file(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;
	if (fd < 0)
		return false;
	while (n + 1 < size && (got = read(fd, out + n, size - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	out[n] = '\0';
	return true;
}

static bool read_status(pid_t pid, struct status *s)
{
	char path[64], text[8192];
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	if (!read_file(path, text, sizeof text))
		return false;
	const char *state = strstr(text, "\nState:");
	*s = (struct status){.state = state ? state[strlen("\nState:\t")] : '?',
			     .group = number_after(text, "Tgid"),
			     .tracer = number_after(text, "TracerPid"),
			     .user = number_after(text, "Uid"),
			     .seccomp = number_after(text, "Seccomp"),
			     .filters = number_after(text, "Seccomp_filters")};
	const char *features = strstr(text, "\nx86_Thread_features:");
	s->shadow_stack = features && strcspn(features + 1, "\n") >
					  (size_t)(strstr(features, "shstk")
						       ? strstr(features, "shstk") - features
						       : INT_MAX);
	return true;
}

static bool no(char *why, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool no(char *why, size_t size, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(why, size, format, ap);
	va_end(ap);
	return false;
}

/* The same file, seen from the process and from here. */
static bool same(pid_t pid, const char *inside, const char *path)
{
	char there[PATH_MAX];
	struct stat a, b;
	if (snprintf(there, sizeof there, "/proc/%d/%s%s", (int)pid, inside, path) >=
	    (int)sizeof there)
		return false;
	if (stat(there, &a) != 0 ||
	    stat(*inside == 'n'
		     ? (snprintf(there, sizeof there, "/proc/self/%s%s", inside, path), there)
		     : path,
		 &b) != 0)
		return false;
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* One that is just ending looks like a thread of the kernel for a moment. */
static bool ends_now(pid_t pid)
{
	enum { TRIES = 50, PAUSE_NS = 2 * 1000 * 1000 };
	int i = 0;
	while (i < TRIES && !attach_has_ended(pid)) {
		nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
		i++;
	}
	return i < TRIES;
}

static bool check_program(pid_t pid, char *why, size_t size)
{
	char path[64];
	unsigned char ident[EI_NIDENT] = {0};
	Elf64_Half machine = 0;
	snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return ends_now(pid) ? no(why, size, "has ended")
				     : no(why, size, "is a thread of the kernel");
	if (fd < 0)
		return no(why, size, "cannot be looked at: %s", strerror(errno));
	bool ok =
	    pread(fd, ident, sizeof ident, 0) == sizeof ident &&
	    pread(fd, &machine, sizeof machine, offsetof(Elf64_Ehdr, e_machine)) == sizeof machine;
	close(fd);
	if (!ok || ident[EI_CLASS] != ELFCLASS64 || machine != EM_X86_64)
		return no(why, size, "is of another kind than hpcrun, which is x86-64");
	return true;
}

struct libraries {
	bool libc, ours, store;
};

static bool look_at_library(const struct attach_mapping *m, void *arg)
{
	struct libraries *l = arg;
	const char *name = path_basename(m->path);
	l->libc |= strncmp(name, "libc.so.6", strlen("libc.so.6")) == 0 ||
		   strncmp(name, "libc-2.", strlen("libc-2.")) == 0;
	l->ours |= strncmp(name, "libhpcrun", strlen("libhpcrun")) == 0;
	l->store |= strlen(name) > strlen(STORE_SUFFIX) &&
		    strcmp(name + strlen(name) - strlen(STORE_SUFFIX), STORE_SUFFIX) == 0;
	return true;
}

/* Whether the program is one that glibc's loader begins, or cannot be looked at just now. */
static bool begins_with_loader(pid_t pid)
{
	char path[64], loader[PATH_MAX] = "", program[PATH_MAX] = "";
	Elf64_Ehdr h;
	Elf64_Phdr p;
	snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	if (readlink(path, program, sizeof program - 1) > 0 &&
	    attach_kind_of(program) == ATTACH_LOADER)
		return true; /* it was run by name */
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, &h, sizeof h, 0) != sizeof h)
		h.e_phnum = 0;
	for (unsigned i = 0; i < h.e_phnum && !loader[0]; i++)
		if (pread(fd, &p, sizeof p, (off_t)(h.e_phoff + i * sizeof p)) == sizeof p &&
		    p.p_type == PT_INTERP && p.p_filesz < sizeof loader &&
		    pread(fd, loader, p.p_filesz, (off_t)p.p_offset) <= 0)
			loader[0] = '\0';
	if (fd >= 0)
		close(fd);
	return fd < 0 || attach_kind_of(loader) == ATTACH_LOADER;
}

/* A program that has just begun may have none of them yet, not even the loader. */
static bool check_libraries(pid_t pid, const char *library, char *why, size_t size)
{
	enum { TRIES = 1000, PAUSE_NS = 10 * 1000 * 1000 };
	struct libraries l;
	for (int i = 0; i < TRIES; i++) {
		l = (struct libraries){0};
		if (!attach_mappings(pid, look_at_library, &l))
			return no(why, size, "cannot be looked at: %s", strerror(errno));
		if (l.libc || !begins_with_loader(pid))
			break;
		nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
	}
	if (l.store)
		return no(why, size, "is measured already");
	if (l.ours && !attach_mapped_at(pid, library))
		return no(
		    why, size,
		    "was measured by another hpcrun, or with --mark marks, and its library is "
		    "still loaded there");
	if (!l.libc)
		return no(
		    why, size,
		    "does not use glibc's shared library, so that nothing can be loaded into it");
	return true;
}

static bool check_sandbox(const struct status *s, char *why, size_t size)
{
	struct status own;
	if (s->shadow_stack)
		return no(why, size,
			  "has a shadow stack, which keeps others from calling functions there");
	if (s->seccomp <= 0)
		return true;
	/* those that we have, too, permit what we do: it has inherited them, as in a container */
	if (s->seccomp == 1 || !read_status(getpid(), &own) || own.seccomp != s->seccomp ||
	    own.filters < s->filters)
		return no(why, size,
			  "restricts its system calls (seccomp), and might be killed for those of "
			  "hpcrun");
	return true;
}

static bool check_user(const struct status *s, char *why, size_t size)
{
	if (geteuid() == 0 || s->user == (long)geteuid())
		return true;
	const struct passwd *user = getpwuid((uid_t)s->user);
	return no(why, size, "belongs to user %s: only root and that user can measure it",
		  user ? user->pw_name : "of another system");
}

bool attach_has_ended(pid_t pid)
{
	struct status s;
	return !read_status(pid, &s) || s.state == 'Z' || s.state == 'X';
}

bool attach_can(pid_t pid, const char *library, char *why, size_t size)
{
	struct status s;
	if (!read_status(pid, &s))
		return no(why, size, "does not exist");
	if (s.group > 0 && s.group != (long)pid)
		return no(why, size, "is a thread of process %ld: name that", s.group);
	if (s.state == 'Z' || s.state == 'X')
		return no(why, size, "has ended");
	bool by_us = s.tracer == (long)getpid(); /* it did not stop in time before */
	if (s.state == 'T' || (s.state == 't' && !by_us))
		return no(why, size, "is stopped: continue it first");
	if (s.tracer > 0 && !by_us)
		return no(why, size, "is traced by process %ld", s.tracer);
	if (!check_user(&s, why, size) || !check_program(pid, why, size) ||
	    !check_libraries(pid, library, why, size) || !check_sandbox(&s, why, size))
		return false;
	if (!same(pid, "ns/pid", ""))
		return no(why, size, "is in another pid namespace: run hpcrun there");
	if (!same(pid, "root", "/") || !same(pid, "root", library))
		return no(why, size, "does not see %s: it has other files, as in a container",
			  library);
	return true;
}
