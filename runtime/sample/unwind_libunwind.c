#include "runtime/sample/unwind_libunwind.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "runtime/cpu/module.h"
#include "runtime/interception/intercept.h"

/* The binary interface of libunwind.so.8 (libunwind-common.h; the parts that depend on the CPU
 * are in port.h), declared here so that neither its headers nor the library are needed for the
 * build. */
#define INIT_SIGNAL_FRAME 1
#define CACHE_GLOBAL 1

struct unw_cursor {
	uint64_t words[CSPROF_CPU_CURSOR];
};

static struct {
	int (*init)(struct unw_cursor *, void *context, int flags);
	int (*step)(struct unw_cursor *);
	int (*get_reg)(struct unw_cursor *, int reg, uint64_t *value);
	int (*is_signal_frame)(struct unw_cursor *);
} lib;

/* The address that this thread's walk has reached; 0 outside walks. */
static __thread uintptr_t walking_at;

/* Report the module that contains this address. */
static int iterate_one(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
	struct csprof_module module;
	struct csprof_headers headers;
	struct dl_phdr_info info = {.dlpi_name = ""};

	if (!csprof_module_find(walking_at, &module) || !csprof_module_headers(&module, &headers))
		return 0;
	info.dlpi_addr = headers.bias;
	info.dlpi_phdr = headers.first;
	info.dlpi_phnum = (ElfW(Half))headers.count;
	return callback(&info, sizeof(info), data);
}

/* The C library's function waits for the loader's lock, which the interrupted code may hold. */
CSPROF_WRAPPER int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *),
				   void *data)
{
	static _Atomic(void *) real;
	int (*next)(int (*)(struct dl_phdr_info *, size_t, void *), void *);

	if (walking_at)
		return iterate_one(callback, data);
	CSPROF_GRAB_FUNCPTR(real, "dl_iterate_phdr");
	*(void **)&next = real;
	return next ? next(callback, data) : 0;
}

/* Assign a function through the object pointer that dlsym returns (POSIX). */
static bool find(void *handle, const char *name, void *function)
{
	void *symbol = dlsym(handle, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

int csprof_libunwind_load(void)
{
	void *handle = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	int (*set_caching)(void *space, int policy);
	void **space;

	if (!handle)
		return -1;
	space = dlsym(handle, CSPROF_CPU_UNWIND "local_addr_space");
	if (!space || !find(handle, CSPROF_CPU_UNWIND "step", &lib.step) ||
	    !find(handle, CSPROF_CPU_UNWIND "get_reg", &lib.get_reg) ||
	    !find(handle, CSPROF_CPU_UNWIND "is_signal_frame", &lib.is_signal_frame) ||
	    !find(handle, CSPROF_CPU_UNWIND "set_caching_policy", &set_caching) ||
	    !find(handle, CSPROF_CPU_UNWIND "init_local2", &lib.init)) {
		lib.init = NULL;
		dlclose(handle);
		return -1;
	}
	/* A cache per thread would allocate thread-local memory in a handler. */
	set_caching(*space, CACHE_GLOBAL);
	return 0;
}

static int walk(struct unw_cursor *cursor, struct csprof_frame *frames, int max)
{
	int n = 0;

	while (n < max) {
		uint64_t ip, sp;

		if (lib.get_reg(cursor, CSPROF_UNWIND_IP, &ip) < 0 ||
		    lib.get_reg(cursor, CSPROF_UNWIND_SP, &sp) < 0 || ip == 0)
			break;
		/* is_signal_frame is true for the frame that a step over a restorer reached. */
		frames[n] = (struct csprof_frame){
		    .ip = ip, .sp = sp, .exact = n == 0 || lib.is_signal_frame(cursor) > 0};
		/* A return address may be the first byte after its module. */
		walking_at = frames[n].exact ? ip : ip - 1;
		n++;
		if (lib.step(cursor) <= 0)
			break;
	}
	return n;
}

int csprof_libunwind_walk(const void *ucontext, struct csprof_frame *frames, int max)
{
	struct unw_cursor cursor;
	uintptr_t outer = walking_at;
	int n;

	/* libunwind only reads the context; its type for it is ucontext_t. */
	if (!lib.init || lib.init(&cursor, (void *)(uintptr_t)ucontext, INIT_SIGNAL_FRAME) < 0)
		return -1;
	n = walk(&cursor, frames, max);
	walking_at = outer;
	return n;
}

void csprof_libunwind_walk_ended(void)
{
	walking_at = 0;
}
