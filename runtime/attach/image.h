/* The load modules of a running process, their functions, and the call paths of its threads, by
 * libdw. */
#ifndef RUNTIME_ATTACH_IMAGE_H
#define RUNTIME_ATTACH_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum attach_kind {
	ATTACH_PROGRAM,   /* of the program, and its libraries */
	ATTACH_LIBC,      /* libc, and the libraries that older ones are made of */
	ATTACH_LOADER,    /* the loader */
	ATTACH_VDSO,      /* code of the kernel's */
	ATTACH_ALLOCATOR, /* a library with a malloc of its own */
};

/* Of the file at path, as its name tells. */
enum attach_kind attach_kind_of(const char *path);

/* A function that others can call, by address. */
struct attach_function {
	uintptr_t low, high;
	const char *name;
};

struct attach_module {
	char *path;
	uintptr_t low, high, bias;
	enum attach_kind kind;
	bool main, allocates; /* the program itself; it defines malloc */
	uintptr_t r_debug;    /* in the loader, what it tells debuggers (link.h); 0: not known */
	struct attach_function *functions;
	size_t num;
};

struct attach_image {
	void *dwfl;
	struct attach_module *modules;
	size_t num;
	char why[256]; /* of a failure */
};

/* Returns 0, or -1 with the reason in image->why. */
int attach_image_open(struct attach_image *image, pid_t pid);
/* The same of a file, with addresses as in it. */
int attach_image_open_file(struct attach_image *image, const char *path);
void attach_image_close(struct attach_image *image);

/* NULL: no module is there. */
const struct attach_module *attach_module_at(const struct attach_image *image, uintptr_t pc);
/* The functions there are at[0] to at[n - 1]: one, by several names. */
size_t attach_functions_at(const struct attach_module *m, uintptr_t pc,
			   const struct attach_function **at);
/* The address of a function of libc, or 0. */
uintptr_t attach_libc_function(const struct attach_image *image, const char *name);

/* The same of any module. */
uintptr_t attach_function(const struct attach_image *image, const char *name);

/* Whether the loader is at work, so that modules may be missing in the image: the program has just
 * begun, or loads a library. */
bool attach_is_loading(const struct attach_image *image, pid_t pid);

/* Call each for the frames of a thread that this process has stopped, innermost first, until it
 * returns false. interrupted: a signal's handler has interrupted it there. Returns 0 if all were
 * told, -1 if it is not known how the path goes on; 1 if each ended it. */
typedef bool attach_each_frame(uintptr_t pc, bool interrupted, void *arg);
int attach_walk(struct attach_image *image, pid_t tid, attach_each_frame *each, void *arg);

#endif
