/* What is different in a program that our archive is linked into: how it begins, where our
 * code lies, and that there is no loader to ask. It ends in the wrapper of _exit, which
 * libc's exit calls as well, behind the last destructor. */
#include "runtime/intercept.h"
#include "runtime/launch_check.h"
#include "runtime/sections.h"
#include "runtime/unwind.h"
#include "runtime/unwind_libunwind.h"

#include <elf.h>

/* The linker takes the archive in for this name's sake (make-archive). */
CSPROF_WRAPPER const char hpcrun_linked[] = HPC_VERSION;

/* So that hpcrun sees it. */
struct linked_note {
	Elf64_Nhdr head;
	char name[(sizeof HPCRUN_NOTE_NAME + 3) & ~3u];
};
__attribute__((section(".note.hpcrun"), aligned(4), used)) static const struct linked_note note = {
    {sizeof HPCRUN_NOTE_NAME, 0, HPCRUN_NOTE_LINKED}, HPCRUN_NOTE_NAME};

/* libc calls what stands here before all constructors (ELF specification,
 * "Initialization and Termination Functions"). */
__attribute__((section(".preinit_array"),
	       used)) static void (*const begin)(int, char **, char **) = csprof_image_start;

/* Of the section that make-archive puts all our code in, from the linker. */
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

/* Without a loader libunwind cannot be had; process.c says so and goes on without. */
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
