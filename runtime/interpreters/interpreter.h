/* An interpreter whose frames can be read: one const struct for each kind, in a file of its own. */
#ifndef RUNTIME_INTERPRETERS_INTERPRETER_H
#define RUNTIME_INTERPRETERS_INTERPRETER_H

#include "runtime/os/os.h"
#include "runtime/process/state.h"

/* What the interpreter's functions have at most: see formats/identity/sources.h. */
struct csprof_code_text {
	char file[CSP_SOURCE_NAME_BYTES + 1];
	char name[CSP_CODE_NAME_BYTES + 1];
	uint8_t lines[CSP_CODE_LINES_BYTES];
};

/* A frame of the interpreter. It is run by the native frame in which `at` is, an address of the
 * thread's stack. */
struct csprof_script {
	uint64_t ip;
	uintptr_t at;
};

/* Those of a thread, innermost first, and memory to learn names in. */
struct csprof_scripts {
	uint32_t n, max;
	struct csprof_script *list;
	struct csprof_code_text text;
};

struct interpreter {
	/* Whether a load module is such an interpreter. Not for handlers; by one thread at a time.
	 * *why is set if it is and its frames cannot be read: why not. */
	bool (*recognise)(const struct os_module *m, const char **why);
	/* None is loaded any more. */
	void (*forget)(void);
	/* Read the calling thread's frames by csprof_scripts_add. Returns false if they are just
	 * being changed. Async-signal-safe; it may fault. */
	bool (*walk)(csprof_state_t *state);
	/* Whether each frame belongs to one of the native frames whose code `runs` says to run
	 * them, and nothing says to which; else frames belong where their `at` is. */
	bool (*counts)(void);
	bool (*runs)(uintptr_t pc);
	/* Whether a thread that waits for a futex at that address waits for the interpreter's lock.
	 * It may fault. */
	bool (*locks)(csprof_state_t *state, uintptr_t futex);
};

extern const struct interpreter csprof_cpython;

/* Add a frame, the innermost first. Returns false if there is no memory. Async-signal-safe. */
bool csprof_scripts_add(struct csprof_scripts *s, uint64_t ip, uintptr_t at);

#endif
