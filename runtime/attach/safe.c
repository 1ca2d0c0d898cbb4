#include "runtime/attach/safe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions of libc in which a thread may wait for a system call: none of them has one of libc's
 * own locks then, but those of streams, and none allocates. */
static const char *const waits[] = {
    /* for descriptors, time, signals, processes */
    "poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait", "epoll_pwait2", "nanosleep",
    "clock_nanosleep", "usleep", "sleep", "thrd_sleep", "pause", "sigsuspend", "sigwait",
    "sigwaitinfo", "sigtimedwait", "wait", "waitpid", "wait3", "wait4", "waitid", "system",
    /* input and output */
    "accept", "accept4", "connect", "recv", "recvfrom", "recvmsg", "recvmmsg", "send", "sendto",
    "sendmsg", "sendmmsg", "sendfile", "sendfile64", "splice", "read", "readv", "pread", "pread64",
    "preadv", "preadv64", "write", "writev", "pwrite", "pwrite64", "pwritev", "pwritev64", "open",
    "open64", "openat", "openat64", "ioctl", "fcntl", "fcntl64", "flock", "lockf", "lockf64",
    "fsync", "fdatasync", "tcdrain", "msgrcv", "msgsnd", "semop", "semtimedop", "mq_receive",
    "mq_timedreceive", "mq_send", "mq_timedsend", "getrandom", "syscall", "__read_chk",
    "__recv_chk", "__recvfrom_chk", "__poll_chk", "__ppoll_chk",
    /* streams */
    "fgets", "fgetc", "getc", "getchar", "getline", "getdelim", "fread", "fputs", "fputc", "putc",
    "putchar", "puts", "fwrite", "fflush", "__uflow", "__underflow", "__overflow",
    "_IO_file_underflow", "_IO_default_uflow", "_IO_file_read", "_IO_file_write", "_IO_do_write",
    "_IO_file_overflow", "_IO_file_xsputn", "_IO_file_xsgetn", "_IO_file_sync", "_IO_sgetn",
    "_IO_getline", "_IO_getline_info", "fgets_unlocked", "fgetc_unlocked", "getc_unlocked",
    "getchar_unlocked", "fread_unlocked", "fputs_unlocked", "fputc_unlocked", "putc_unlocked",
    "putchar_unlocked", "fwrite_unlocked", "fflush_unlocked", "__fgets_chk", "__fread_chk",
    /* other threads */
    "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "pthread_mutex_lock",
    "pthread_mutex_timedlock", "pthread_mutex_clocklock", "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock",
    "pthread_rwlock_clockrdlock", "pthread_rwlock_clockwrlock", "pthread_join",
    "pthread_timedjoin_np", "pthread_clockjoin_np", "pthread_barrier_wait", "sem_wait",
    "sem_timedwait", "sem_clockwait", "cnd_wait", "cnd_timedwait", "mtx_lock", "mtx_timedlock",
    "thrd_join", NULL};

/* Those that call the program and have none of libc's locks then. */
static const char *const callers[] = {"qsort",   "qsort_r",      "bsearch",   "lfind",
				      "lsearch", "twalk",        "twalk_r",   "tsearch",
				      "tfind",   "pthread_once", "call_once", NULL};

/* Those in which every thread begins. */
static const char *const beginnings[] = {"__libc_start_main", "clone", "clone3", NULL};

/* Beginnings of the names of functions of allocators. */
static const char *const allocators[] = {
    "malloc",         "calloc",        "realloc", "reallocarray", "free", "cfree",    "memalign",
    "posix_memalign", "aligned_alloc", "valloc",  "pvalloc",      "je_",  "jemalloc", "rallocx",
    "mallocx",        "sdallocx",      "dallocx", "xallocx",      "tc_",  "tcmalloc", "mi_",
    "_mi_",           "arena_",        "_Znw",    "_Zna",         "_Zdl", "_Zda",     NULL};

static bool is_one_of(const char *name, const char *const *list)
{
	while (*list && strcmp(name, *list) != 0)
		list++;
	return *list;
}

static bool begins_as_one_of(const char *name, const char *const *list)
{
	while (*list && strncmp(name, *list, strlen(*list)) != 0)
		list++;
	return *list;
}

/* ---- a path, from the inside out ----------------------------------------------------------------
 */

/* Frames of libc without others in between. */
struct run {
	bool any, first; /* there is one; the innermost frame of all is among them */
	bool waits, calls, begins, others; /* what functions with a name are there */
	char other[128];
};

struct safe_path {
	struct attach_image *image;
	bool in_call;
	bool any, program; /* there are frames; of the program */
	struct run run;
	char why[256];
};

static char said[256];

static bool refuse(struct safe_path *p, const char *format, const char *what)
{
	snprintf(p->why, sizeof p->why, format, what);
	return false;
}

/* The frames of libc end here; last: there are no others. */
static bool end_run(struct safe_path *p, bool last)
{
	struct run *r = &p->run;
	bool ok = !r->any;
	if (r->any && r->first)
		ok = p->in_call && r->waits && !r->others && !last;
	else if (r->any)
		ok = (last || r->calls || r->begins) && !r->others && !r->waits;
	if (!ok)
		return refuse(p, "is in %s", r->other[0] ? r->other : "libc");
	*r = (struct run){0};
	return true;
}

static bool is_named(const struct attach_function *f, size_t n, const char *const *list)
{
	for (size_t i = 0; i < n; i++)
		if (is_one_of(f[i].name, list))
			return true;
	return false;
}

static void add_libc(struct safe_path *p, const struct attach_module *m, uintptr_t pc)
{
	const struct attach_function *f;
	size_t n = attach_functions_at(m, pc, &f);
	struct run *r = &p->run;
	r->first |= !p->any;
	r->any = true;
	if (n == 0)
		return; /* one that it does not export */
	if (is_named(f, n, waits))
		r->waits = true;
	else if (is_named(f, n, callers))
		r->calls = true;
	else if (is_named(f, n, beginnings))
		r->begins = true;
	else
		r->others = true;
	if (!r->other[0] || (r->others && !is_named(f, n, beginnings)))
		snprintf(r->other, sizeof r->other, "%s", f->name);
}

/* If malloc is the program's own, its parts are not known apart from the rest, except by name. */
static bool add_program(struct safe_path *p, const struct attach_module *m, uintptr_t pc)
{
	const struct attach_function *f;
	size_t n = attach_functions_at(m, pc, &f);
	p->program = true;
	if (!m->main || !m->allocates)
		return true;
	for (size_t i = 0; i < n; i++)
		if (begins_as_one_of(f[i].name, allocators))
			return refuse(p, "is in %s", f[i].name);
	if (n == 0 && !p->in_call)
		return refuse(p, "%s",
			      "is in a function without a name, which may be of its malloc");
	return true;
}

static bool add(uintptr_t pc, bool interrupted, void *arg)
{
	struct safe_path *p = arg;
	const struct attach_module *m = attach_module_at(p->image, pc);
	if (interrupted)
		return refuse(p, "%s", "is in a signal handler");
	if (!m)
		return refuse(p, "%s", "is in code of no load module");
	if (m->kind == ATTACH_LOADER)
		return refuse(p, "%s", "is in the loader");
	if (m->kind == ATTACH_ALLOCATOR)
		return refuse(p, "is in %s", m->path);
	if (m->kind == ATTACH_VDSO)
		return refuse(p, "%s", "reads a clock");
	if (m->kind == ATTACH_LIBC)
		add_libc(p, m, pc);
	else if (!end_run(p, false) || !add_program(p, m, pc))
		return false;
	p->any = true;
	return true;
}

const char *attach_unsafe(struct attach_image *image, pid_t tid, bool in_call)
{
	struct safe_path p = {.image = image, .in_call = in_call};
	int r = attach_walk(image, tid, add, &p);
	if (r < 0)
		refuse(&p, "%s", "has a call path that is not known to its end");
	else if (r == 0 && !p.program)
		refuse(&p, "%s", "has no frame of the program");
	else if (r == 0)
		end_run(&p, true);
	memcpy(said, p.why, sizeof said);
	return said[0] ? said : NULL;
}
