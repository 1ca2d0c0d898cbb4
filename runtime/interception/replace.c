#include "runtime/interception/replace.h"

#include "runtime/interception/intercept.h"
#include "runtime/os/os.h"
#include "runtime/process/fork_detect.h"
#include "runtime/sandboxes/seccomp.h"

#include <string.h>
#include <unistd.h>

/* A function that we export, or that stands for one, and the one that the program uses. */
struct wrapper {
	const char *name;
	void *ours, *real;
};

/* By name. */
enum { MOST = 256 };
static struct wrapper *wrappers;
static size_t num_wrappers;

/* A child of fork is noticed when fork returns. Its handlers do not do that as in a program that we
 * began: they would run before those of the program, which may wait for threads that wait for us.
 */
static pid_t fork_and_look(void)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "fork");
	pid_t pid = ((pid_t(*)(void))atomic_load(&real))();
	if (pid == 0)
		csprof_fork_detect_forked();
	return pid;
}

static void add(const char *name, void *ours)
{
	size_t i = num_wrappers;
	void *real = os_next(name, csprof_wrapped_version(name));
	if (!real || num_wrappers == MOST)
		return;
	for (; i > 0 && strcmp(wrappers[i - 1].name, name) > 0; i--)
		wrappers[i] = wrappers[i - 1];
	wrappers[i] = (struct wrapper){name, ours, real};
	num_wrappers++;
}

static struct wrapper *find(const char *name)
{
	size_t low = 0, high = num_wrappers;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(wrappers[middle].name, name);
		if (order == 0)
			return &wrappers[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Only in place of what the program would call: another library may have put its own function
 * there, or it is another version. */
static void *choose(const struct os_import *import, void *arg)
{
	const struct wrapper *w = find(import->name);
	(void)arg;
	return w && (import->now == w->real || import->unbound) ? w->ours : NULL;
}

struct export
{
	const char *name;
	void *function;
};

/* The loader is asked for the others only when its list is no longer being read. */
struct exports {
	struct export at[MOST];
	size_t n;
};

static void note(const char *name, void *function, void *arg)
{
	struct exports *e = arg;
	if (e->n < MOST)
		e->at[e->n++] = (struct export){name, function};
}

bool csprof_replace_begin(void)
{
	struct exports *exports = os_map(sizeof *exports);
	struct wrapper *memory = os_map(MOST * sizeof *memory);
	pid_t (*ours)(void) = fork_and_look;
	if (exports && memory) {
		wrappers = memory;
		os_exports(note, exports);
		for (size_t i = 0; i < exports->n; i++)
			add(exports->at[i].name, exports->at[i].function);
		add("fork", *(void **)&ours);
	} else if (memory) {
		os_unmap(memory, MOST * sizeof *memory);
	}
	if (exports)
		os_unmap(exports, sizeof *exports);
	return wrappers != NULL;
}

void csprof_replace_imports(void)
{
	static _Atomic(uint64_t) seen;
	uint64_t changes = os_module_changes();
	if (wrappers && atomic_exchange(&seen, changes) != changes)
		os_imports(choose, NULL, csprof_filtered());
}
