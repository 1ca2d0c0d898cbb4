/* hpcrun-attach PID LIBRARY: load hpcrun's library into a process, and have it measured. hpcrun
 * runs it; the variables that say how to measure come on standard input, each with a zero behind
 * it. With
 * --check it only looks whether that can be done. The exit status is 0, or 1 after one line on
 * standard error. */
#include "runtime/attach/image.h"
#include "runtime/attach/inject.h"
#include "runtime/attach/safe.h"
#include "runtime/attach/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
	FAILED = 1,
	MEMORY_BYTES = 512 * 1024, /* in the process: the stack of what is called, and */
	BLOCK_BYTES = 64 * 1024,   /* behind it, what it is given; */
	ERRNO_BYTES = sizeof(int), /* first of all, its result */
	MOST_THREADS = 4096,
	TRIES_MS =
	    10 * 1000, /* how long a place where a thread can load the library is looked for */
};

#define ENTRY "csprof_attach"

/* The process, and the thread that is stopped in it. */
struct attaching {
	pid_t pid;
	const char *library;
	uintptr_t entry; /* in the library's file */
	struct attach_image image;
	uint64_t modules; /* the hash of those that image is of; 0: not read yet */
	uintptr_t end;    /* the code with which signal handlers end */
	struct attach_thread thread;
	uintptr_t memory;
	char variables[BLOCK_BYTES - PATH_MAX - 64];
	size_t variables_bytes;
};

static int fail(const struct attaching *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int fail(const struct attaching *a, const char *format, ...)
{
	char why[512];
	va_list ap;
	va_start(ap, format);
	vsnprintf(why, sizeof why, format, ap);
	va_end(ap);
	fprintf(stderr, "hpcrun: process %d %s\n", (int)a->pid, why);
	return -1;
}

/* ---- before -----------------------------------------------------------------------------------
 */

static int read_variables(struct attaching *a)
{
	ssize_t got;
	while (a->variables_bytes < sizeof a->variables - 1 &&
	       (got = read(STDIN_FILENO, a->variables + a->variables_bytes,
			   sizeof a->variables - 1 - a->variables_bytes)) > 0)
		a->variables_bytes += (size_t)got;
	a->variables[a->variables_bytes++] = '\0'; /* the end of the list */
	return a->variables_bytes < sizeof a->variables ? 0
							: fail(a, "is given too many variables");
}

/* The code with which handlers of signals end: mov $15, %rax; syscall. */
struct end_search {
	const struct attaching *a;
	uintptr_t found;
};

static bool look_for_end(const struct attach_mapping *m, void *arg)
{
	static const uint8_t code[] = {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05};
	struct end_search *s = arg;
	const struct attach_module *module = attach_module_at(&s->a->image, m->low);
	if (!m->executable || !module || module->kind != ATTACH_LIBC)
		return true;
	size_t n = m->high - m->low;
	uint8_t *bytes = malloc(n);
	if (bytes && attach_read(s->a->pid, m->low, bytes, n)) {
		const uint8_t *at = memmem(bytes, n, code, sizeof code);
		s->found = at ? m->low + (uintptr_t)(at - bytes) : 0;
	}
	free(bytes);
	return !s->found;
}

static uintptr_t find_end(const struct attaching *a)
{
	struct end_search s = {.a = a};
	attach_mappings(a->pid, look_for_end, &s);
	return s.found;
}

/* The address of errno in the thread, as libc's code has it: mov PLACE(%rip), %rax; add %fs:0,
 * %rax. 0: the code is another one. */
static uintptr_t find_errno(const struct attaching *a)
{
	static const uint8_t branch[] = {0xf3, 0x0f, 0x1e, 0xfa}, load[] = {0x48, 0x8b, 0x05},
			     add[] = {0x64, 0x48, 0x03, 0x04, 0x25, 0, 0, 0, 0, 0xc3};
	enum { CODE_BYTES = 32 };
	uintptr_t at = attach_libc_function(&a->image, "__errno_location");
	uint8_t code[CODE_BYTES];
	int32_t distance;
	uint64_t offset;
	if (!at || !attach_read(a->pid, at, code, sizeof code))
		return 0;
	const uint8_t *c = code;
	c += memcmp(c, branch, sizeof branch) == 0 ? sizeof branch : 0;
	if (memcmp(c, load, sizeof load) != 0 ||
	    memcmp(c + sizeof load + sizeof distance, add, sizeof add) != 0)
		return 0;
	memcpy(&distance, c + sizeof load, sizeof distance);
	uintptr_t place = at + (uintptr_t)(c - code) + sizeof load + sizeof distance +
			  (uintptr_t)(intptr_t)distance;
	if (!attach_read(a->pid, place, &offset, sizeof offset))
		return 0;
	return a->thread.regs.fs_base + offset;
}

/* ---- a place for it -------------------------------------------------------------------------- */

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void pause_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ms / 1000, (long)(ms % 1000) * 1000000}, NULL);
}

static const char *cannot_stop(int error)
{
	static char text[128];
	if (error == -ETIMEDOUT)
		return "cannot be stopped now";
	if (error == -EAGAIN)
		return "is being stopped";
	if (error == -ESRCH)
		return "has ended";
	snprintf(text, sizeof text, "cannot be stopped: %s", strerror(-error));
	return text;
}

/* What the kernel permits is the same for all threads. */
static int say_not_permitted(const struct attaching *a)
{
	int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
	char scope = '0';
	if (attach_has_ended(a->pid)) { /* the same error */
		if (fd >= 0)
			close(fd);
		return fail(a, "has ended");
	}
	if (fd >= 0) {
		if (read(fd, &scope, 1) != 1)
			scope = '0';
		close(fd);
	}
	if (geteuid() == 0)
		return fail(a,
			    "may not be traced: hpcrun has not the capability SYS_PTRACE here, as "
			    "in some containers");
	if (scope == '0')
		return fail(a, "may not be traced by this user: run hpcrun as root");
	return fail(a, "may not be traced: kernel.yama.ptrace_scope is %c; run hpcrun as root%s",
		    scope, scope < '3' ? ", or set it to 0" : "");
}

static bool knows_libc(const struct attaching *a)
{
	return a->end && attach_libc_function(&a->image, "dlopen") &&
	       attach_libc_function(&a->image, "mmap") && attach_libc_function(&a->image, "munmap");
}

/* Read the load modules if they are others than before: the process may have just begun, or begun
 * another program, while a thread was looked for. Returns 0, -EAGAIN with the reason in why if that
 * may pass, or -1 after a message. */
static int read_image(struct attaching *a, char *why, size_t size)
{
	uint64_t modules = attach_modules_hash(a->pid);
	if (a->modules && modules == a->modules)
		return 0;
	attach_image_close(&a->image);
	a->modules = 0;
	if (!attach_can(a->pid, a->library, why, size))
		return fail(a, "%s", attach_has_ended(a->pid) ? "has ended" : why);
	modules = attach_modules_hash(a->pid); /* it may have waited for them */
	if (attach_image_open(&a->image, a->pid) < 0) {
		snprintf(why, size, "could not be looked at: %s", a->image.why);
		return -EAGAIN;
	}
	if (attach_is_loading(&a->image, a->pid) || attach_modules_hash(a->pid) != modules) {
		snprintf(why, size, "is loading a library");
		return -EAGAIN;
	}
	a->end = find_end(a);
	if (!knows_libc(a))
		return fail(a, "%s",
			    attach_has_ended(a->pid) ? "has ended"
						     : "has another libc than hpcrun knows");
	a->modules = modules;
	return 0;
}

/* Stop that thread. Returns 0 if it may load the library, -EAGAIN with the reason in why if it may
 * not now, or -1 after a message. */
static int stop_one(struct attaching *a, pid_t tid, char *why, size_t size)
{
	int r = attach_is_late(tid) ? -ETIMEDOUT : attach_stop(&a->thread, tid);
	if (r == -EPERM)
		return say_not_permitted(a);
	if (r < 0 && attach_has_ended(a->pid))
		return fail(a, "has ended");
	const char *unsafe =
	    r < 0 ? cannot_stop(r) : attach_unsafe(&a->image, tid, attach_in_call(&a->thread));
	if (!unsafe && attach_modules_hash(a->pid) != a->modules)
		unsafe = "is loading a library";
	if (!unsafe)
		return 0;
	if (r == 0)
		attach_go(&a->thread);
	snprintf(why, size, "%s", unsafe);
	return -EAGAIN;
}

/* Stop a thread where it may load the library. The threads take turns, the first one most often. */
static int stop_somewhere(struct attaching *a)
{
	enum { FIRST_OF = 2, LEAST_MS = 2, MOST_MS = 50 };
	pid_t threads[MOST_THREADS];
	uint64_t until = now_ms() + TRIES_MS;
	unsigned pause = LEAST_MS;
	char why[512] = "cannot be stopped";
	for (size_t i = 0; now_ms() < until; i++) {
		size_t n = attach_threads(a->pid, threads, MOST_THREADS);
		pid_t tid = i % FIRST_OF == 0 ? a->pid : threads[i / FIRST_OF % n];
		attach_go_late();
		int r = read_image(a, why, sizeof why);
		if (r == 0)
			r = stop_one(a, tid, why, sizeof why);
		if (r != -EAGAIN)
			return r;
		pause_ms(pause);
		pause = pause * 2 < MOST_MS ? pause * 2 : MOST_MS;
	}
	return fail(a, "has had no thread that can load a library in %d s: one %s", TRIES_MS / 1000,
		    why);
}

/* ---- what is called in it ---------------------------------------------------------------------
 */

static int call(struct attaching *a, uintptr_t function, const char *what,
		const uint64_t arguments[ATTACH_ARGUMENTS])
{
	struct attach_call c = {.function = function, .end = a->end, .what = what};
	memcpy(c.arguments, arguments, sizeof c.arguments);
	c.stack = a->memory ? a->memory + MEMORY_BYTES - BLOCK_BYTES : 0;
	int r = attach_call(&a->thread, &c);
	if (r == -ESRCH)
		return fail(a, "has ended meanwhile");
	if (r == -EPROTO)
		return fail(a, "has raised a signal in %s, which was undone", what);
	return r < 0 ? fail(a, "cannot be changed: %s: %s", what, strerror(-r)) : 0;
}

static int get_memory(struct attaching *a)
{
	enum { PRIVATE = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE };
	uintptr_t at = attach_find_gap(a->pid, MEMORY_BYTES);
	const uint64_t arguments[] = {at,      MEMORY_BYTES, PROT_READ | PROT_WRITE,
				      PRIVATE, (uint64_t)-1, 0};
	if (!at)
		return fail(a, "has no room in its memory");
	if (call(a, attach_libc_function(&a->image, "mmap"), "mmap", arguments) < 0)
		return -1;
	if (!attach_is_mapped(a->pid, at, MEMORY_BYTES))
		return fail(a, "has no memory left");
	a->memory = at;
	return 0;
}

static int drop_memory(struct attaching *a)
{
	const uint64_t arguments[ATTACH_ARGUMENTS] = {a->memory, MEMORY_BYTES};
	a->memory = 0; /* the call uses the thread's own stack */
	return call(a, attach_libc_function(&a->image, "munmap"), "munmap", arguments);
}

/* What is given: the result, the library's path, the variables. */
static uintptr_t block(const struct attaching *a)
{
	return a->memory + MEMORY_BYTES - BLOCK_BYTES;
}

static int load(struct attaching *a)
{
	enum { PATH_AT = 64, NOW = 2 };
	size_t n = strlen(a->library) + 1;
	uintptr_t path = block(a) + PATH_AT;
	const uint64_t arguments[ATTACH_ARGUMENTS] = {path, NOW};
	if (!attach_write(a->pid, path, a->library, n) ||
	    !attach_write(a->pid, path + PATH_MAX, a->variables, a->variables_bytes))
		return fail(a, "cannot be changed: %s", strerror(errno));
	if (call(a, attach_libc_function(&a->image, "dlopen"), "dlopen", arguments) < 0)
		return -1;
	if (!attach_mapped_at(a->pid, a->library))
		return fail(
		    a,
		    "cannot load %s: its libc may be too old, or have no room for thread-local "
		    "variables",
		    a->library);
	return 0;
}

static int say_refused(const struct attaching *a, int error)
{
	if (error == EALREADY)
		return fail(a, "is measured already, or was when it began");
	if (error == EBUSY)
		return fail(a, "was detached, but threads of it have not let go yet, which block "
			       "the signal of samples: try again later");
	if (error == EADDRINUSE)
		return fail(a, "was measured with another signal before: give the same --signal, "
			       "or none");
	return fail(a, "cannot be measured: %s", strerror(error));
}

static int begin(struct attaching *a)
{
	enum { VARIABLES_AT = 64 + PATH_MAX };
	int result = -EPROTO;
	const uint64_t arguments[ATTACH_ARGUMENTS] = {block(a) + VARIABLES_AT, block(a)};
	uintptr_t entry = attach_mapped_at(a->pid, a->library) + a->entry;
	if (!attach_write(a->pid, block(a), &result, sizeof result) ||
	    call(a, entry, ENTRY, arguments) < 0 ||
	    !attach_read(a->pid, block(a), &result, sizeof result))
		return -1;
	return result == 0 ? 0 : say_refused(a, -result);
}

/* The thread's errno is as before. */
static int do_all(struct attaching *a)
{
	int error = 0;
	uintptr_t at = find_errno(a);
	bool known = at && attach_read(a->pid, at, &error, sizeof error);
	if (!known && !attach_in_call(&a->thread))
		return fail(a, "has another libc than hpcrun knows");
	if (get_memory(a) < 0)
		return -1;
	int r = load(a);
	if (r == 0)
		r = begin(a);
	if (drop_memory(a) < 0)
		r = -1;
	if (known)
		attach_write(a->pid, at, &error, sizeof error);
	return r;
}

static int attach(struct attaching *a)
{
	if (stop_somewhere(a) < 0)
		return -1;
	int r = do_all(a);
	attach_go(&a->thread);
	return r;
}

/* Where the function begins that is called there, in the library's file: it is mapped from its
 * beginning on. */
static int find_entry(struct attaching *a)
{
	struct attach_image self;
	if (attach_image_open_file(&self, a->library) < 0)
		return fail(a, "cannot be measured: %s: %s", a->library, self.why);
	a->entry = attach_function(&self, ENTRY);
	attach_image_close(&self);
	return a->entry ? 0 : fail(a, "cannot be measured: %s is another version", a->library);
}

int main(int argc, char **argv)
{
	static struct attaching a;
	char why[512];
	bool only_check = argc == 4 && strcmp(argv[3], "--check") == 0;
	if (argc != 3 && !only_check) {
		fputs("Usage: hpcrun-attach PID LIBRARY [--check] (run by hpcrun attach)\n",
		      stderr);
		return FAILED;
	}
	a.pid = (pid_t)strtol(argv[1], NULL, 10);
	a.library = argv[2];
	if (only_check) {
		bool can = attach_can(a.pid, a.library, why, sizeof why);
		if (!can)
			fail(&a, "%s", why);
		return can ? 0 : FAILED;
	}
	int r = read_variables(&a) < 0 || find_entry(&a) < 0 || attach(&a) < 0 ? FAILED : 0;
	attach_image_close(&a.image);
	return r;
}
