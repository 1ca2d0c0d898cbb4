/* What is different in a static program that our archive is linked into: how it begins, where
 * our code is, and that there is no loader to ask. It ends in the wrapper of _exit, which libc's
 * exit also calls, after the last destructor. */
#include "runtime/base/sections.h"
#include "runtime/interception/intercept.h"
#include "runtime/base/options.h"
#include "runtime/sample/unwind.h"
#include "runtime/sample/unwind_libunwind.h"

#include <elf.h>

/* The linker includes the archive because of this name (make-archive). */
CSPROF_WRAPPER const char hpcrun_linked[] = HPC_VERSION;

/* Tells hpcrun that the program was linked with the archive. */
struct linked_note {
	Elf64_Nhdr head;
	char name[(sizeof HPCRUN_NOTE_NAME + 3) & ~3u];
};
__attribute__((section(".note.hpcrun"), aligned(4), used)) static const struct linked_note note = {
    {sizeof HPCRUN_NOTE_NAME, 0, HPCRUN_NOTE_LINKED}, HPCRUN_NOTE_NAME};

/* libc calls the functions in this section before all constructors (ELF specification,
 * "Initialization and Termination Functions"). */
__attribute__((section(".preinit_array"),
	       used)) static void (*const begin)(int, char **, char **) = csprof_image_start;

/* The bounds of the section into which make-archive puts all our code, from the linker. */
extern const char __start_hpcrun_text[] __attribute__((visibility("hidden")));
extern const char __stop_hpcrun_text[] __attribute__((visibility("hidden")));

bool csprof_own_code(uintptr_t pc)
{
	return pc >= (uintptr_t)__start_hpcrun_text && pc < (uintptr_t)__stop_hpcrun_text;
}

void csprof_touch_all(void)
{
}

void csprof_touch_together(void)
{
}

/* libunwind cannot be loaded without a loader. */
int csprof_libunwind_load(void)
{
	return -1;
}

int csprof_libunwind_walk(const void *ucontext, struct csprof_frame *frames, int max)
{
	(void)ucontext;
	(void)frames;
	(void)max;
	return -1;
}

void csprof_libunwind_walk_ended(void)
{
}
